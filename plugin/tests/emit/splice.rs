//! The call of the runtime before a nest: arguments, the way past the loop, and what leaves it.

use super::host::native;
use super::machine::{Addresses, Launcher, Plan, expected, tile, tiled};
use super::support::problems;
use hexpass::detect::bindings::{Bindings, Evidence, FinalValue, InvariantLoad, LiveOut, Operand};
use hexpass::emit::{self, Program};
use hexpass_abi::expr::Sym;
use hexpass_abi::{
    DONE, HostKernel, MAGIC, NOT_DONE, NestArgs, NestHeader, NestRecord, Poly, VERSION, Variant,
    VariantTarget,
};
use hexpass_poly::device::Device;
use hexpass_poly::kernel::interp::memory::Sizes;
use hexpass_poly::kernel::ir::{IExpr, KernelProgram, LoopKind, Node};
use hexpass_poly::problem::Problem;
use hexpass_poly::rejection::Reason;
use inkwell::OptimizationLevel;
use inkwell::basic_block::BasicBlock;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::values::{AsValueRef, FunctionValue};
use std::cell::RefCell;
use std::path::Path;
use std::process::Command;

/// jacobi1d with a pointer swap; n lies behind a pointer and is read in the time loop. Returns the buffer that holds the
/// result and stores the counter.
const UNIT: &str = r#"
define ptr @jacobi(ptr %a, ptr %b, i32 %steps, ptr %size, ptr %counter) {
entry:
  %some = icmp sgt i32 %steps, 0
  br i1 %some, label %pre, label %out
pre:
  br label %time
time:
  %t = phi i32 [ 3, %pre ], [ %t.next, %latch ]
  %cur = phi ptr [ %a, %pre ], [ %nxt, %latch ]
  %nxt = phi ptr [ %b, %pre ], [ %cur, %latch ]
  %n = load i64, ptr %size, align 8
  %last = add i64 %n, -1
  %enter = icmp sgt i64 %last, 1
  br i1 %enter, label %space, label %latch
space:
  %i = phi i64 [ 1, %time ], [ %i.next, %space ]
  %pw = getelementptr float, ptr %cur, i64 %i
  %pl = getelementptr i8, ptr %pw, i64 -4
  %pr = getelementptr i8, ptr %pw, i64 4
  %l = load float, ptr %pl, align 4
  %c = load float, ptr %pw, align 4
  %r = load float, ptr %pr, align 4
  %l0 = fmul float %l, WL
  %s0 = fadd float W0, %l0
  %c0 = fmul float %c, WC
  %s1 = fadd float %s0, %c0
  %r0 = fmul float %r, WR
  %s2 = fadd float %s1, %r0
  %q = getelementptr float, ptr %nxt, i64 %i
  store float %s2, ptr %q, align 4
  %i.next = add nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %last
  br i1 %more, label %space, label %latch
latch:
  %t.next = add nsw i32 %t, 1
  %end = add i32 %steps, 3
  %again = icmp slt i32 %t.next, %end
  br i1 %again, label %time, label %exit
exit:
  %t.out = phi i32 [ %t.next, %latch ]
  %cur.out = phi ptr [ %nxt, %latch ]
  br label %out
out:
  %t.end = phi i32 [ 3, %entry ], [ %t.out, %exit ]
  %cur.end = phi ptr [ %a, %entry ], [ %cur.out, %exit ]
  store i32 %t.end, ptr %counter, align 4
  ret ptr %cur.end
}
"#;

fn unit_text() -> String {
    let weight = |x: f64| format!("0x{:016X}", f64::from(x as f32).to_bits());
    UNIT.replace("WL", &weight(0.17))
        .replace("WC", &weight(0.18))
        .replace("WR", &weight(0.19))
        .replace("W0", &weight(0.125))
}

fn parse<'ctx>(ctx: &'ctx Context, text: &str) -> Module<'ctx> {
    let machine = native();
    let text = format!("{text}\0");
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "unit");
    let module = ctx.create_module_from_ir(buffer).unwrap();
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    module
}

fn block<'ctx>(f: FunctionValue<'ctx>, name: &str) -> BasicBlock<'ctx> {
    f.get_basic_blocks().into_iter().find(|b| b.get_name().to_str() == Ok(name)).unwrap()
}

fn bindings(f: FunctionValue<'_>, ctx: &Context) -> Bindings {
    let value = |name: &str| {
        f.get_basic_blocks()
            .iter()
            .find_map(|b| b.get_instruction_with_name(name))
            .unwrap()
            .as_value_ref()
    };
    let arg = |i: u32| f.get_nth_param(i).unwrap().as_value_ref();
    let (a, b) = (Operand::Value(arg(0)), Operand::Value(arg(1)));
    Bindings {
        preheader: block(f, "pre").as_mut_ptr(),
        header: block(f, "time").as_mut_ptr(),
        exit: block(f, "exit").as_mut_ptr(),
        exiting: block(f, "latch").as_mut_ptr(),
        loads: vec![InvariantLoad {
            pointer: Operand::Value(arg(3)),
            offset: 0,
            ty: inkwell::types::AsTypeRef::as_type_ref(&ctx.i64_type()),
            align: 8,
            requires: vec![Poly::symbol(Sym::Int(0)).into()],
            evidence: Evidence::Sure,
        }],
        ints: vec![Operand::Value(arg(2)), Operand::Load(0)],
        pointers: vec![a, b],
        scalars: vec![],
        live_outs: vec![
            LiveOut {
                phi: value("t.out"),
                value: FinalValue::Counter {
                    start: ctx.i32_type().const_int(3, false).as_value_ref(),
                    step: 1,
                },
            },
            LiveOut {
                phi: value("cur.out"),
                value: FinalValue::Rotated { initial: vec![a, b], index: 0 },
            },
        ],
        final_stores: vec![],
        exchanged: Vec::new(),
        ahead: None,
        frame: None,
    }
}

fn jacobi() -> (Problem, hexpass_poly::schedule::TileSizes, KernelProgram) {
    let problem = problems::jacobi1d();
    let tile = tile(&[("h", 3), ("w0", 9)]);
    let (sizes, kernels) = tiled("jacobi1d", &problem, &Device::default_host(), Some(tile), None);
    (problem, sizes, kernels)
}

/// Replaces the nest of `jacobi` in the module.
fn replaced(module: &Module<'_>, ctx: &Context, arches: &[u32]) -> Result<Vec<Vec<usize>>, String> {
    let (problem, sizes, kernels) = jacobi();
    let small = tile(&[("h", 1), ("w0", 9)]);
    let (device_sizes, device_kernels) =
        tiled("jacobi1d", &problem, &Device::default_gpu(), Some(small), None);
    let function = module.get_function("jacobi").unwrap();
    let bindings = bindings(function, ctx);
    let program = |number, sizes, target, kernels| Program {
        number,
        strategy: "hexagonal",
        sizes,
        storage: "",
        target,
        kernels,
    };
    let programs = [
        program(0, &sizes, VariantTarget::Host, &kernels),
        program(1, &device_sizes, VariantTarget::Device, &device_kernels),
    ];
    // SAFETY: module and function are alive, and ours.
    unsafe {
        emit::replace(
            module.as_mut_ptr(),
            function.as_value_ref(),
            &[emit::Version { stencil: &problem.stencil, programs: programs.to_vec() }],
            &bindings,
            emit::Targets { arches, ptxas: None },
        )
    }
    .map_err(|e| e.to_string())
}

#[derive(Default)]
struct Seen {
    calls: u32,
    refuse: bool,
}

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

struct Core<'a>(&'a [HostKernel]);

impl Launcher for Core<'_> {
    fn launch(&mut self, kernel: usize, params: &[u64], blocks: [u32; 3]) {
        for block in 0..blocks[0] {
            // SAFETY: generated code promises a kernel with these parameters.
            unsafe { self.0[kernel](params.as_ptr(), i64::from(block)) };
        }
    }
}

/// A runtime that believes everything.
unsafe extern "C" fn runtime(header: *mut NestHeader, args: *const NestArgs) -> i32 {
    // SAFETY: generated code passes a header and arguments that live through the call.
    let (header, args) = unsafe { (&*header, &*args) };
    assert_eq!((header.magic, header.version), (MAGIC, VERSION));
    assert_eq!(header.size as usize, size_of::<NestHeader>());
    assert!(header.cache.is_null());
    // SAFETY: lengths are those of the constants beside the header and of the arguments.
    let (bytes, kernels, ints, pointers) = unsafe {
        (
            std::slice::from_raw_parts(header.record, header.record_len as usize),
            std::slice::from_raw_parts(
                header.host_kernels.cast::<HostKernel>(),
                header.host_kernel_count as usize,
            ),
            std::slice::from_raw_parts(args.ints, args.int_count as usize),
            std::slice::from_raw_parts(args.pointers, args.pointer_count as usize),
        )
    };
    assert!(args.scalars.is_null() && args.scalar_count == 0 && args.reserved == 0);
    let (record, bodies) = NestRecord::from_bytes(bytes).unwrap();
    assert_eq!(record.function, "test");
    let variants: Vec<Variant> =
        bodies.into_iter().map(|body| postcard::from_bytes(body).unwrap()).collect();
    for variant in &variants {
        let arches: Vec<u32> = variant.ptx.iter().map(|p| p.arch).collect();
        let on_device = variant.target == VariantTarget::Device;
        assert_eq!(arches, if on_device { vec![75, 90] } else { vec![] });
    }
    if SEEN.with_borrow_mut(|s| {
        s.calls += 1;
        s.refuse
    }) {
        return NOT_DONE;
    }
    let (problem, _, program) = jacobi();
    let sizes = Sizes::new(&problem.stencil, ints, &[]).unwrap();
    let bases: Vec<u64> = pointers.iter().map(|p| *p as u64).collect();
    let storage = Addresses::flat(&problem.stencil, &sizes, &bases);
    let host = variants.iter().find(|v| v.target == VariantTarget::Host).unwrap();
    let plan = Plan { stencil: &problem.stencil, kernels: &host.kernels, sizes: &sizes, storage };
    plan.run(&program, &mut Core(kernels));
    DONE
}

type Jacobi = unsafe extern "C" fn(*mut f32, *mut f32, i32, *const i64, *mut i32) -> *mut f32;

#[test]
fn leaves_what_the_original_leaves() {
    let ctx = Context::create();
    let machine = native();
    let module = parse(&ctx, &unit_text());
    replaced(&module, &ctx, &[75, 90]).unwrap();
    module.verify().unwrap();
    module.run_passes("default<O2>", &machine, PassBuilderOptions::create()).unwrap();
    let engine = module.create_jit_execution_engine(OptimizationLevel::Default).unwrap();
    let weak = module.get_function("hexrt_run").unwrap();
    engine.add_global_mapping(&weak, runtime as *const () as usize);
    let address = engine.get_function_address("jacobi").unwrap();
    // SAFETY: the function has this type.
    let run = unsafe { std::mem::transmute::<usize, Jacobi>(address) };
    for refuse in [false, true] {
        for steps in [-2, 0, 1, 2, 3, 4, 5, 20] {
            for n in [3i64, 40, 97] {
                SEEN.set(Seen { calls: 0, refuse });
                let problem = problems::jacobi1d();
                let ints = [i64::from(steps), n];
                let (_, mut found, after) = expected(&problem, &ints);
                let mut counter = 0;
                let [a, b] = [0, 1].map(|i: usize| found.pointers[i].as_mut_ptr().cast::<f32>());
                // SAFETY: both buffers hold n floats.
                let result = unsafe { run(a, b, steps, &n, &mut counter) };
                assert_eq!(counter, 3 + steps.max(0));
                assert_eq!(result, if steps.max(0) % 2 == 0 { a } else { b });
                assert!(found == after, "{ints:?}: memory differs");
                assert_eq!(SEEN.take().calls, u32::from(steps > 0));
            }
        }
    }
}

/// Kernels whose loops are written out until nobody wants to compile them.
fn endless(kernels: &KernelProgram) -> KernelProgram {
    let mut long = kernels.clone();
    let kernel = &mut long.kernels[0];
    let body = vec![Node::For {
        var: kernel.vars,
        lo: IExpr::Const(0),
        hi: IExpr::Const(30_000),
        step: 1,
        kind: LoopKind::Unrolled,
        body: std::mem::take(&mut kernel.body),
    }];
    kernel.vars += 1;
    kernel.body = body;
    long
}

/// A variant whose kernels are too long is left out, on either side; where no other is left, so is the nest.
#[test]
fn variants_that_are_too_long_are_left_out() {
    let ctx = Context::create();
    let (problem, sizes, kernels) = jacobi();
    let long = endless(&kernels);
    let take = |programs: &[(VariantTarget, &KernelProgram)]| {
        let module = parse(&ctx, &unit_text());
        let before = module.to_string();
        let function = module.get_function("jacobi").unwrap();
        let programs: Vec<Program<'_>> = programs
            .iter()
            .enumerate()
            .map(|(number, (target, kernels))| Program {
                number,
                strategy: "hexagonal",
                sizes: &sizes,
                storage: "",
                target: *target,
                kernels,
            })
            .collect();
        let version = emit::Version { stencil: &problem.stencil, programs };
        // SAFETY: module and function are alive, and ours.
        let taken = unsafe {
            emit::replace(
                module.as_mut_ptr(),
                function.as_value_ref(),
                &[version],
                &bindings(function, &ctx),
                emit::Targets { arches: &[90], ptxas: None },
            )
        };
        module.verify().unwrap();
        assert!(taken.is_ok() || module.to_string() == before);
        taken.map_err(|why| why.reason)
    };
    let (host, device) = (VariantTarget::Host, VariantTarget::Device);
    assert_eq!(take(&[(host, &long), (host, &kernels), (host, &long)]), Ok(vec![vec![1]]));
    assert_eq!(take(&[(device, &long), (host, &kernels)]), Ok(vec![vec![1]]));
    assert_eq!(take(&[(device, &long), (host, &long)]), Err(Reason::TileSize));
}

#[test]
fn a_fault_leaves_the_module_as_it_was() {
    let ctx = Context::create();
    let module = parse(&ctx, &unit_text());
    let before = module.to_string();
    let fails = |bindings: &Bindings, arches: &[u32], broken: bool| {
        let (problem, sizes, mut kernels) = jacobi();
        if broken {
            kernels.kernels[0].params.clear();
        }
        let program = Program {
            number: 0,
            strategy: "hexagonal",
            sizes: &sizes,
            storage: "",
            target: VariantTarget::Host,
            kernels: &kernels,
        };
        let device = Program { target: VariantTarget::Device, ..program };
        let both = if arches.is_empty() { vec![program, device] } else { vec![program] };
        // SAFETY: module and function are alive, and ours.
        unsafe {
            emit::replace(
                module.as_mut_ptr(),
                module.get_function("jacobi").unwrap().as_value_ref(),
                &[emit::Version { stencil: &problem.stencil, programs: both }],
                bindings,
                emit::Targets { arches, ptxas: None },
            )
        }
        .unwrap_err()
        .to_string()
    };
    let function = module.get_function("jacobi").unwrap();
    let right = bindings(function, &ctx);
    let message = fails(&right, &[75], true);
    assert!(message.contains("is no integer"), "{message}");
    assert!(fails(&right, &[], false).contains("no architecture"));
    let mut wrong = right.clone();
    wrong.live_outs.pop();
    assert!(fails(&wrong, &[75], false).contains("no final value"));
    let mut wrong = right;
    wrong.live_outs[1].value = wrong.live_outs[0].value.clone();
    assert!(fails(&wrong, &[75], false).contains("no integer"));
    let after = module.to_string();
    // What the module may keep is the declaration of the runtime and of intrinsics, which nobody calls.
    let body = |text: &str| {
        text.lines()
            .filter(|l| {
                !l.starts_with("declare") && !l.starts_with("attributes") && !l.starts_with(';')
            })
            .filter(|l| !l.is_empty())
            .map(|l| l.split(" ; preds").next().unwrap().trim_end().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(body(&before), body(&after));
}

/// Static, position-independent and shared: without the runtime the original runs, with it the call is made.
#[test]
fn the_runtime_is_weak() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let ctx = Context::create();
    let module = parse(&ctx, &unit_text());
    replaced(&module, &ctx, &[75]).unwrap();
    module.print_to_file(path("unit.ll")).unwrap();
    std::fs::write(path("main.c"), MAIN).unwrap();
    std::fs::write(path("rt.c"), RUNTIME).unwrap();
    clang(&["-O2", "-fPIC", "-shared", "rt.c", "-o", "librt1.so"], folder.path());
    let modes: [&[&str]; 4] =
        [&["-fno-pie", "-no-pie"], &["-fPIE", "-pie"], &["-static"], &["-static-pie", "-fPIE"]];
    for mode in modes {
        for optimise in ["-O0", "-O2"] {
            let build = |more: &[&str]| {
                let own = [optimise, "-Wno-override-module", "main.c", "unit.ll", "-o", "a.out"];
                clang(&[&own, mode, more].concat(), folder.path());
                output(&path("a.out"), folder.path())
            };
            assert_eq!(build(&[]), "0 8\n", "{mode:?}");
            assert_eq!(build(&["rt.c"]), "1 8\n", "{mode:?}");
            if !mode[0].starts_with("-static") {
                assert_eq!(build(&["-Wl,--no-as-needed", "librt1.so"]), "1 8\n", "{mode:?}");
            }
        }
    }
    let shared = ["-O2", "-fPIC", "-shared", "-Wno-override-module", "unit.ll", "-o", "libunit.so"];
    clang(&shared, folder.path());
    for (more, calls) in [(None, "0 8\n"), (Some("rt.c"), "1 8\n")] {
        let mut arguments = vec!["-O2", "-rdynamic", "main.c", "libunit.so", "-o", "a.out"];
        arguments.extend(more);
        clang(&arguments, folder.path());
        assert_eq!(output(&path("a.out"), folder.path()), calls);
    }
}

const MAIN: &str = r#"
#include <stdio.h>
__attribute__((weak)) int calls;
float *jacobi(float *, float *, int, const long *, int *);
int main(void) {
  static float a[50], b[50];
  long n = 50;
  int counter = 0;
  jacobi(a, b, 5, &n, &counter);
  printf("%d %d\n", calls, counter);
}
"#;

const RUNTIME: &str = r#"
int calls;
int hexrt_run(void *header, const void *args) { (void)header; (void)args; calls++; return 0; }
"#;

fn clang(arguments: &[&str], folder: &Path) {
    let done = Command::new("clang-22").args(arguments).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn output(program: &Path, folder: &Path) -> String {
    let done = Command::new(program).env("LD_LIBRARY_PATH", folder).output().unwrap();
    assert!(done.status.success(), "{:?}", done.status);
    String::from_utf8(done.stdout).unwrap()
}
