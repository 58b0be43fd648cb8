//! What is refused at load, what stops a launch, and that no text makes the interpreter panic.

use super::{Device, Shape, module, shape, wrapped};
use crate::emulated::{Fault, LaunchError, Memory, Module, RegionError, Space};

fn refused(body: &str) -> String {
    match Module::parse(&wrapped(body)) {
        Ok(_) => panic!("accepted: {body}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn unknown_forms_are_refused_with_their_line() {
    let cases = [
        ("frobnicate.b32 %r1, %r2;", "unknown or unsupported opcode `frobnicate.b32`"),
        ("add.rz.f32 %r1, %r2, %r3;", "unknown or unsupported opcode `add.rz.f32`"),
        ("add.f16 %h1, %h2, %h3;", "unknown or unsupported opcode"),
        ("add.s32 %r1, %r2;", "expected 3 operands"),
        ("add.s32 %r1, %d2, %r3;", "a 8-byte register where 4 bytes are needed"),
        ("add.s32 %r1, %q2, %r3;", "unknown register `%q2`"),
        ("add.s32 %r1, %r200, 1;", "unknown register `%r200`"),
        ("mov.u32 %r1, %smid;", "unknown register `%smid`"),
        ("mov.u64 %d1, nowhere;", "unknown variable `nowhere`"),
        ("ld.global.b128 %d1, [%d2];", "unsupported type"),
        ("ld.global.evil.b32 %r1, [%d2];", "modifier `.evil`"),
        ("ld.param.b64 %d1, [p+8];", "outside the parameter"),
        ("cvt.f32.f64 %r1, %d1;", "unknown or unsupported opcode `cvt.f32.f64`"),
        ("atom.global.add.u32 %r1, [%d1], 1;", "unknown or unsupported opcode"),
        ("bra MISSING;", "label `MISSING` is not defined"),
        ("A: A: ret;", "defined twice"),
        ("@%p1 bar.sync 0;", "guarded barrier"),
        ("@%p1 shfl.sync.up.b32 %r1, %r2, 1, 0, -1;", "guard"),
        ("ld.global.b32 %r1, [%d2]; griddepcontrol.wait;", "waited for too late"),
        ("st.b32 [%d2], %r1; griddepcontrol.wait;", "waited for too late"),
        ("@%p1 ret; griddepcontrol.wait;", "waited for too late"),
        ("prefetch.global.L2 [%d2]; griddepcontrol.wait;", "waited for too late"),
        ("cp.async.cg.shared.global [%r1], [%d2], 8;", "a copy of so many bytes"),
        ("cp.async.bulk.shared.global [%r1], [%d2], 8;", "opcode `cp.async.bulk.shared.global`"),
        ("cp.async.ca.shared.global [%r1], [%d2], 4; griddepcontrol.wait;", "waited for too late"),
        ("prefetch.shared.L2 [%d2];", "unknown or unsupported opcode `prefetch.shared.L2`"),
        ("griddepcontrol.stop;", "unknown or unsupported opcode"),
        ("call foo;", "unknown or unsupported opcode `call`"),
        (".reg .b128 %x;", "unsupported register type"),
        (".maxntid 3;", "unknown directive"),
        ("setp.lt.and.u32 %p1, %r1, %r2;", "without its operand"),
        ("ret", "expected an operand or `;`"),
        ("mov.b32 %r1, 0f12;", "a malformed number"),
        ("mov.b32 %r1, #;", "a character that PTX does not have"),
        ("st.const.b32 [%d1], %r1;", "can't be written"),
    ];
    for (body, reason) in cases {
        let error = refused(body);
        assert!(error.contains(reason), "{body}: {error}");
        assert!(error.starts_with("PTX line 8: ") || error.contains("line 9"), "{body}: {error}");
    }
}

#[test]
fn unknown_directives_are_refused() {
    for (text, reason) in [
        (".version 7.8\n.target sm_90\n.func f() { }", "functions other than kernels"),
        (".version 7.8\n.target gfx900", "unknown target"),
        (".version 7.8\n.address_size 32", "64-bit addresses"),
        (".alias a, b;", "unknown directive"),
        (".visible .entry k() .frob 1 { ret; }", "unknown directive `.frob`"),
        (".shared .b8 x[999999999999];", "too large"),
        (".visible .entry k(.param .align 8 .b8 p[99999]) { ret; }", "too large"),
        ("/* open", "does not end"),
        (".file \"open", "does not end"),
    ] {
        match Module::parse(text) {
            Ok(_) => panic!("accepted: {text}"),
            Err(error) => assert!(error.to_string().contains(reason), "{text}: {error}"),
        }
    }
}

/// Runs `body` with a buffer of 32 numbers at `%d28`, one warp, and expects a fault.
fn stopped(body: &str) -> LaunchError {
    stopped_in(body, shape(1, 32))
}

fn stopped_in(body: &str, shape: Shape) -> LaunchError {
    let module = module(&wrapped(body));
    let mut device = Device::default();
    let out = device.put(&[0u32; 32]);
    device.run(module.kernel("k").unwrap(), shape, &[out]).unwrap_err()
}

#[test]
fn accesses_are_checked() {
    let lane_address = "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d28, %d1;\n";
    let error = stopped(&format!("{lane_address}st.global.b32 [%d2+4], %r1; ret;"));
    assert_eq!((error.thread, error.line), ([31, 0, 0], 9));
    let (space, address) = (Space::Global, 0x7000_0080);
    assert_eq!(error.fault, Fault::OutOfBounds { space, address, bytes: 4, write: true });
    assert!(error.to_string().contains("kernel k, block (0, 0, 0), thread (31, 0, 0), PTX line 9"));

    let error = stopped(&format!("{lane_address}ld.global.b64 %d3, [%d2]; ret;"));
    assert!(matches!(error.fault, Fault::Misaligned { bytes: 8, write: false, .. }), "{error}");
    assert_eq!(error.thread, [1, 0, 0]);
    let error = stopped("ld.global.b32 %r1, [%d28+-4]; ret;");
    assert!(matches!(error.fault, Fault::OutOfBounds { .. }));
    let error = stopped("prefetch.global.L2 [%d28+-4]; ret;");
    assert!(matches!(error.fault, Fault::OutOfBounds { bytes: 1, write: false, .. }));
    let shared = ".shared .align 16 .b8 s[16];";
    let error = stopped(&format!("{shared} cp.async.ca.shared.global [s], [%d28+-4], 4; ret;"));
    assert!(matches!(error.fault, Fault::OutOfBounds { space: Space::Global, .. }), "{error}");
    let error = stopped(&format!("{shared} cp.async.ca.shared.global [s+16], [%d28], 4; ret;"));
    assert!(matches!(error.fault, Fault::OutOfBounds { space: Space::Shared, write: true, .. }));
    let error = stopped(&format!("{shared} cp.async.cg.shared.global [s+8], [%d28], 16; ret;"));
    assert!(matches!(error.fault, Fault::Misaligned { bytes: 16, write: true, .. }), "{error}");
    let error = stopped("mov.b64 %d1, -4; ld.b32 %r1, [%d1]; ret;");
    assert!(matches!(error.fault, Fault::OutOfBounds { .. }));
    let error = stopped("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d28+8]; ret;");
    assert!(matches!(error.fault, Fault::Misaligned { bytes: 16, .. }));
    let error = stopped(".shared .align 8 .b8 s[8]; ld.shared.b64 %d1, [s+8]; ret;");
    assert!(matches!(error.fault, Fault::OutOfBounds { space: Space::Shared, .. }));
    let error = stopped(".local .align 8 .b8 l[8]; st.local.b64 [l+8], %d1; ret;");
    assert!(matches!(error.fault, Fault::OutOfBounds { space: Space::Local, .. }));
    let error = stopped("st.global.b32 [0], 1; ret;");
    assert!(matches!(error.fault, Fault::OutOfBounds { address: 0, .. }));
}

#[test]
fn inactive_lanes_access_nothing() {
    let body = "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; add.s64 %d2, %d28, %d1;\n\
        setp.lt.u32 %p1, %r1, 31; @%p1 ld.global.b32 %r2, [%d2+4]; @%p1 st.global.b32 [%d2+4], %r2;\n\
        ret;";
    let module = module(&wrapped(body));
    let mut device = Device::default();
    let out = device.put(&[0u32; 32]);
    device.run(module.kernel("k").unwrap(), shape(1, 32), &[out]).unwrap();
}

#[test]
fn barriers_that_never_open() {
    let some_lanes = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7; @%p1 bra A;\n";
    let error = stopped(&format!("{some_lanes}bar.sync 0; bra.uni B;\nA: bar.sync 0;\nB: ret;"));
    assert_eq!(error.fault, Fault::BarrierDivergence { barrier: 0 });
    let warps = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra A;\n";
    let body = format!("{warps}bar.sync 0; bra.uni B;\nA: bar.sync 1;\nB: ret;");
    let error = stopped_in(&body, shape(1, 64));
    assert_eq!(error.fault, Fault::BarrierDeadlock { barrier: 1 });
    let pairs = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 64; @%p1 bra A; bra.uni B;\nA: bar.sync 1, 64;\n";
    let error = stopped_in(&format!("{pairs}B: bar.sync 1; ret;"), shape(1, 128));
    assert_eq!(error.fault, Fault::BarrierSizes { barrier: 1 });
    let error = stopped("bar.sync 2, 64; ret;");
    assert_eq!(error.fault, Fault::BarrierDeadlock { barrier: 2 });
    let error = stopped("mov.b32 %r1, 3; bar.sync %r1, 64; ret;");
    assert_eq!(error.fault, Fault::BarrierDeadlock { barrier: 3 });
    let error = stopped("mov.b32 %r1, 16; bar.sync %r1, 32; ret;");
    assert_eq!(error.fault, Fault::NoBarrier { barrier: 16 });
    let error = stopped("mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; bar.sync %r1, 32; ret;");
    assert_eq!(error.fault, Fault::BarrierDivergence { barrier: 1 });
    let error = stopped(&format!("{some_lanes}bar.warp.sync -1;\nA: bar.sync 0; ret;"));
    assert!(matches!(error.fault, Fault::WarpDeadlock { .. }), "{error}");
    let error = stopped("bar.warp.sync 1; ret;");
    assert_eq!((error.fault, error.thread), (Fault::NotAMember { members: 1 }, [1, 0, 0]));
}

#[test]
fn traps_budgets_and_indices() {
    let error = stopped("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 5; @%p1 trap; ret;");
    assert_eq!((error.fault, error.thread), (Fault::Trap, [5, 0, 0]));
    let error = stopped("A: bra A;");
    assert_eq!(error.fault, Fault::Budget(50_000_000));
    let error = stopped("mov.u32 %r1, 2; brx.idx %r1, L; L: .branchtargets A, A; A: ret;");
    assert_eq!(error.fault, Fault::BranchIndex(2));
}

#[test]
fn the_first_failing_block_is_reported() {
    let body = "mov.u32 %r1, %ctaid.x; setp.ge.u32 %p1, %r1, 37; @%p1 trap; ret;";
    for threads in [1, 4] {
        let error = stopped_in(body, Shape { threads, ..shape(100, 32) });
        assert_eq!((error.block, error.fault), ([37, 0, 0], Fault::Trap));
    }
}

#[test]
fn launches_are_checked() {
    let refused = |shape| matches!(stopped_in("ret;", shape).fault, Fault::Refused(_));
    assert!(refused(shape(0, 32)) && refused(shape(1, 0)) && refused(shape(1, 1025)));
    assert!(refused(Shape { shared: 300_000, ..shape(1, 1) }));
    assert!(refused(Shape { block: [u32::MAX; 3], ..shape(1, 1) }));
    let text = ".version 7.8\n.target sm_90\n.address_size 64\n\
        .visible .entry k(.param .u64 p) .maxntid 64 { ret; }\n\
        .visible .entry r() .reqntid 8, 4, 1 { ret; }";
    let module = module(text);
    let device = Device::default();
    let (k, r) = (module.kernel("k").unwrap(), module.kernel("r").unwrap());
    assert!(device.run(k, shape(1, 64), &[0]).is_ok());
    assert!(device.run(k, shape(1, 65), &[0]).is_err());
    assert!(device.run(k, shape(1, 64), &[]).is_err());
    assert!(device.run(r, shape(1, 32), &[]).is_err());
    assert!(device.run(r, Shape { block: [8, 4, 1], ..shape(1, 1) }, &[]).is_ok());
    assert!(module.kernel("none").is_none());
}

#[test]
fn regions_are_disjoint() {
    let mut words = [0u64; 8];
    let pointer: *mut u8 = words.as_mut_ptr().cast();
    let mut memory = Memory::new();
    // SAFETY: `words` outlives the memory, which no launch uses.
    let mut add = |base, bytes| unsafe { memory.add_region(base, pointer, bytes) };
    assert_eq!(add(0x1000, 64), Ok(()));
    assert_eq!(add(0x1038, 8), Err(RegionError::Overlap));
    assert_eq!(add(0xff8, 16), Err(RegionError::Overlap));
    assert_eq!(add(0x1000, 8), Err(RegionError::Overlap));
    assert_eq!(add(0x2001, 8), Err(RegionError::Alignment));
    assert_eq!(add(u64::MAX - 7, 64), Err(RegionError::OutOfRange));
    assert_eq!(add(0x1040, 64), Ok(()));
    assert!(memory.remove_region(0x1000) && !memory.remove_region(0x1000));
}

/// Runs what still parses, with nothing to write to.
fn try_everything(text: &str) {
    let Ok(module) = Module::parse(text) else { return };
    let memory = Memory::new();
    for kernel in module.kernels() {
        let limits = crate::emulated::Limits { threads: 1, instructions: Some(20_000) };
        let params = vec![0; 256];
        let _ = crate::emulated::launch_within(
            kernel,
            [2, 1, 1],
            [40, 1, 1],
            64,
            &params,
            &memory,
            limits,
        );
    }
}

const TEXTS: [&str; 4] = [
    include_str!("../../../tests/emulated/jacobi.sm_90.ptx"),
    include_str!("../../../tests/emulated/warp.sm_75.ptx"),
    include_str!("../../../tests/emulated/flow.sm_90.ptx"),
    include_str!("../../../tests/emulated/numbers.sm_75.ptx"),
];

#[test]
fn truncated_texts_never_panic() {
    for text in TEXTS {
        for end in (0..text.len()).step_by(37) {
            try_everything(&text[..end]);
        }
    }
}

#[test]
fn mutated_texts_never_panic() {
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below
    };
    for round in 0..1200 {
        let text = TEXTS[round % TEXTS.len()];
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        for _ in 0..1 + random(3) {
            let (from, to) = (random(lines.len()), random(lines.len()));
            match random(5) {
                0 => lines.swap(from, to),
                1 => drop(lines.remove(from)),
                2 => lines.insert(to, lines[from].clone()),
                3 => {
                    let digit = char::from(b'0' + random(10) as u8);
                    let line = &mut lines[from];
                    *line = line.replace(char::is_numeric, &digit.to_string());
                }
                _ => {
                    let mut bytes = lines[from].clone().into_bytes();
                    if !bytes.is_empty() {
                        let at = random(bytes.len());
                        bytes[at] = b" ;,[]{}@%.:-+|!_x0~\"/*"[random(22)];
                    }
                    lines[from] = String::from_utf8_lossy(&bytes).into_owned();
                }
            }
        }
        try_everything(&lines.join("\n"));
    }
}
