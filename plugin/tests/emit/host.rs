//! Host kernels: functions in a module of the host's target, optimised as a unit would be, and called.

use super::machine::{Addresses, Launcher, Plan, expected, tile, tiled};
use super::support::problems;
use hexpass::emit::{self, Program, plan};
use hexpass_abi::{HostKernel, KernelRecord, VariantTarget};
use hexpass_poly::device::{Device, Host};
use hexpass_poly::schedule::TileSizes;
use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine};
use inkwell::values::FunctionValue;

/// Code generator for the machine that the tests run on.
pub fn native() -> TargetMachine {
    Target::initialize_native(&InitializationConfig::default()).unwrap();
    let triple = TargetMachine::get_default_triple();
    let target = Target::from_triple(&triple).unwrap();
    let (cpu, features) = native_cpu();
    let (reloc, model) = (RelocMode::PIC, CodeModel::Default);
    target
        .create_target_machine(&triple, &cpu, &features, OptimizationLevel::Default, reloc, model)
        .unwrap()
}

fn native_cpu() -> (String, String) {
    let cpu = TargetMachine::get_host_cpu_name().to_string();
    (cpu, TargetMachine::get_host_cpu_features().to_string())
}

/// A module with one function compiled for this machine.
pub fn unit<'ctx>(
    ctx: &'ctx Context,
    machine: &TargetMachine,
) -> (Module<'ctx>, FunctionValue<'ctx>) {
    let module = ctx.create_module("unit");
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    let original = module.add_function("original", ctx.void_type().fn_type(&[], false), None);
    let (cpu, features) = native_cpu();
    for (key, value) in [("target-cpu", cpu), ("target-features", features)] {
        let attribute = ctx.create_string_attribute(key, &value);
        original.add_attribute(AttributeLoc::Function, attribute);
    }
    (module, original)
}

struct Core {
    kernels: Vec<HostKernel>,
}

impl Launcher for Core {
    fn launch(&mut self, kernel: usize, params: &[u64], blocks: [u32; 3]) {
        for block in 0..blocks[0] {
            // SAFETY: compiled from a kernel with these parameters, whose slots are live memory.
            unsafe { self.kernels[kernel](params.as_ptr(), i64::from(block)) };
        }
    }
}

fn tiles(dims: usize, k: i64) -> Vec<Option<TileSizes>> {
    let small = [(1, 3, 7, 5), (2, 5, 0, 0), (1, 9, 16, 0)].map(|(m, w0, inner, middle)| {
        let h = m * k - 1;
        Some(match dims {
            1 => tile(&[("h", h), ("w0", w0 * 3)]),
            2 => tile(&[("h", h), ("w0", w0), ("w1", inner)]),
            _ => tile(&[("h", h), ("w0", w0), ("w1", middle), ("w2", inner)]),
        })
    });
    small.into_iter().chain([None]).collect()
}

#[test]
fn every_problem() {
    let machine = native();
    for (name, problem) in problems::all() {
        let dims = problem.dims();
        // Kernels that compare before they store leave the same.
        let all = tiles(dims, problem.k()).into_iter().zip([false, true].into_iter().cycle());
        for (tile, careful) in all {
            let device = Device::Host(Host { cache_bytes: 1 << 20 });
            let (sizes, kernels) = tiled(name, &problem, &device, tile, None);
            let label = format!("{name} {:?}", sizes.0);
            let program = Program {
                number: 0,
                strategy: "hexagonal",
                sizes: &sizes,
                storage: "",
                target: VariantTarget::Host,
                kernels: &kernels,
            };
            let ctx = Context::create();
            let (module, original) = unit(&ctx, &machine);
            let functions: Vec<String> = kernels
                .kernels
                .iter()
                .map(|k| {
                    let (name, stencil) = (&k.name, &problem.stencil);
                    let f = emit::host::add(&module, original, name, stencil, k, careful).unwrap();
                    f.set_linkage(inkwell::module::Linkage::External);
                    f.get_name().to_string_lossy().into_owned()
                })
                .collect();
            module.run_passes("default<O2>", &machine, PassBuilderOptions::create()).unwrap();
            if let Ok(folder) = std::env::var("HEXPASS_DUMP") {
                module.print_to_file(format!("{folder}/host-{name}-{}.ll", sizes.0.len())).unwrap();
            }
            let engine = module.create_jit_execution_engine(OptimizationLevel::Default).unwrap();
            let mut core = Core { kernels: Vec::new() };
            for f in &functions {
                let address = engine.get_function_address(f).unwrap();
                // SAFETY: the function has this type, and lives as long as the engine.
                core.kernels.push(unsafe { std::mem::transmute::<usize, HostKernel>(address) });
            }
            let records: Vec<KernelRecord> =
                plan::record(&problem.stencil, &[program], vec![Vec::new()], Vec::new()).variants
                    [0]
                .kernels
                .clone();
            let extents: &[&[i64]] = match dims {
                1 => &[&[3], &[37], &[211], &[5000]],
                2 => &[&[3, 3], &[31, 5], &[37, 131], &[64, 300]],
                _ => &[&[3, 3, 3], &[13, 12, 70]],
            };
            println!("{label}");
            for e in extents {
                for steps in [0, 1, 7] {
                    let ints: Vec<i64> = [steps].into_iter().chain(e.iter().copied()).collect();
                    let (sizes, mut found, after) = expected(&problem, &ints);
                    let bases: Vec<u64> =
                        found.pointers.iter_mut().map(|p| p.as_mut_ptr() as u64).collect();
                    let storage = Addresses::flat(&problem.stencil, &sizes, &bases);
                    let plan = Plan {
                        stencil: &problem.stencil,
                        kernels: &records,
                        sizes: &sizes,
                        storage,
                    };
                    plan.run(&kernels, &mut core);
                    assert!(found == after, "{label} {ints:?}: memory differs");
                }
            }
        }
    }
}
