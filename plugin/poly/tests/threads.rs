//! Kernels whose threads run every node: what the interpreter makes of them, what it and the verifier refuse.

mod support;

use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::kernel::ir::KernelProgram;
use hexpass_poly::stencil::StencilProgram;
use support::threads::{SHARED, WARP, strips, three_points};
use support::{memory, problems, sizes};

fn program(text: &str) -> KernelProgram {
    let program: KernelProgram = text.parse().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(program.to_string().parse().as_ref(), Ok(&program));
    program
}

/// Runs a program beside the reference, for each extent and number of steps.
fn agrees(stencil: &StencilProgram, program: &KernelProgram, tunables: &[i64], runs: &[&[i64]]) {
    assert_eq!(program.to_string().parse().as_ref(), Ok(program));
    assert_eq!(program.verify(stencil), Ok(()));
    for ints in runs {
        let mut expected = memory(stencil, ints);
        let sizes = sizes(stencil, ints).with_tunables(tunables);
        let mut found = expected.clone();
        reference::run(stencil, &sizes, &mut expected).unwrap();
        interp::run(program, stencil, &sizes, &mut found, 3)
            .unwrap_or_else(|e| panic!("{ints:?}: {e}"));
        assert!(found == expected, "{ints:?}: memory differs");
    }
}

#[test]
fn shuffles_between_buffers() {
    let runs: &[&[i64]] = &[&[1, 3], &[5, 30], &[4, 31], &[7, 61], &[8, 200], &[0, 9]];
    agrees(&three_points(), &program(WARP), &[], runs);
}

#[test]
fn vectors_and_scratch() {
    let runs: &[&[i64]] = &[&[1, 3], &[5, 121], &[4, 128], &[3, 300]];
    agrees(&three_points(), &program(SHARED), &[], runs);
}

#[test]
fn strips_of_a_plane() {
    let runs: &[&[i64]] = &[&[1, 3, 3], &[2, 9, 7], &[5, 20, 130], &[6, 7, 121], &[9, 17, 250]];
    for problem in [problems::jacobi2d(), problems::star2d_f64()] {
        let program = strips(&problem);
        agrees(&problem.stencil, &program, &[], runs);
        agrees(&problem.stencil, &program, &[5], runs);
    }
}

#[test]
fn sizes_to_choose() {
    let (stencil, program) = (three_points(), program(SHARED));
    for (chosen, blocks) in [(&[][..], 2 + 3), (&[7][..], 2 + 19)] {
        let sizes = sizes(&stencil, &[1, 130]).with_tunables(chosen);
        let mut memory = memory(&stencil, &[1, 130]);
        let ran = interp::run(&program, &stencil, &sizes, &mut memory, 3).unwrap();
        assert_eq!((ran.launches, ran.blocks, ran.instances), (2, blocks, 128));
    }
}

/// One change to a text, and what the interpreter says then.
#[test]
fn faults() {
    let lane = "all(1 <= thread0, thread0 <= 30, p2 <= v0, v0 <= p3)";
    let cases = [
        // A shuffle that leaves the warp.
        (WARP, lane, "all(thread0 <= 30, p2 <= v0, v0 <= p3)", "undefined value"),
        // Beside the box of the statement.
        (WARP, "v0 <= p3", "v0 <= p4", "undefined value"),
        // Two warps' columns.
        (WARP, "thread0 <= 30", "thread0 <= 31", "undefined value"),
        (WARP, "* 2) + thread1) * 30)", "* 2) + thread1) * 29)", "race"),
        // Beside a row, but in its last unit of 128 bytes: nobody needs it.
        (WARP, "min(v0, p4)", "min(v0, (p4 + 24))", ""),
        (WARP, "min(v0, p4)", "(v0 + 1000)", "is outside array 0"),
        // What is prefetched must be there, and nobody's to write, even though nothing depends on it.
        (WARP, "prefetch buffer 0 [v1]", "prefetch buffer 0 [(v1 + 1000)]", "is outside array 0"),
        (WARP, "prefetch buffer 0 [v1]", "prefetch buffer 1 [v1]", "race"),
        (SHARED, "barrier\n", "", "race"),
        (SHARED, "- 4)", "- 3)", "not aligned"),
        (SHARED, "(v0 + v1) <= p3", "(v0 + v1) <= p4", "does not exist"),
        (SHARED, "v0 <= p4)", "v0 <= (p4 + 24))", ""),
        (
            SHARED,
            "param buffer 0 2 2 0\nparam buffer 0 1 0 0",
            "param buffer 0 3 2 0\nparam buffer 0 1 0 0",
            "has no buffer 3",
        ),
        (
            SHARED,
            "copy register 0 0 from buffer 0 [v2]",
            "copy register 0 0 from register 0 1",
            "undefined value",
        ),
        (SHARED, "for v1 = 0 to (p4 + -1)", "for v1 = 0 to thread0", "differs between threads"),
        (
            WARP,
            "shuffle 1 register",
            "if thread0 <= 3\nbarrier\nend\nshuffle 1 register",
            "8 of 64 threads come to a barrier",
        ),
    ];
    let (stencil, ints) = (three_points(), [2, 200]);
    for (text, from, to, expected) in cases {
        assert!(text.contains(from), "{from}");
        let program: KernelProgram = text.replacen(from, to, 1).parse().unwrap();
        let sizes = sizes(&stencil, &ints);
        let mut memory = memory(&stencil, &ints);
        let found = match interp::run(&program, &stencil, &sizes, &mut memory, 3) {
            Ok(_) => String::new(),
            Err(e) => e.to_string(),
        };
        assert!(found.contains(expected), "{from} -> {to}: {found}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{from} -> {to}: {found}");
    }
}

/// One change to a text, and what the verifier says then.
#[test]
fn refusals() {
    let cases = [
        (WARP, "x\" f32 4", "x\" f32 3", "there is no register 3"),
        (WARP, "x\" f32 4", "x\" f64 4", "of different types"),
        (WARP, "shuffle 1 register 0 2", "shuffle 1 register 0 1", "register 2 of bank 0 is read"),
        (WARP, "shuffle 1 ", "shuffle 32 ", "32 lanes further"),
        (WARP, "threads 32 2 1", "threads 16 2 1", "lanes further"),
        (WARP, "threads 32 2 1 each", "threads 32 2 1", "registers in a kernel for blocks"),
        (
            WARP,
            "shuffle 1 register 0 2 from register 0 0",
            "if thread0 <= 3\nshuffle 1 register 0 2 from register 0 0\nend",
            "not all threads come to a shuffle",
        ),
        (WARP, "prefetch buffer 0 [v1]", "prefetch register 0 0", "in the device's memory"),
        (WARP, "prefetch buffer 0 [v1]", "prefetch buffer 2 [v1]", "is no buffer"),
        (WARP, "param buffer 0 1 0 0", "param buffer 0 2 0 0", "has 2 buffers"),
        (WARP, "copy buffer 1 [v0]", "copy buffer 2 [v0]", "is no buffer"),
        (WARP, "copy buffer 1 [v0] from register 0 3", "", "never reaches global memory"),
        (WARP, "thread1) * 30", "thread3) * 30", "no axis 3"),
        (WARP, "args t0", "args", "argument is missing"),
        (SHARED, "vector 4 register 0 0", "vector 4 register 0 2", "there is no register 5"),
        (SHARED, "vector 4 register", "vector 3 register", "no vector"),
        (SHARED, "vector 4 register", "vector 8 register", "no vector"),
        (SHARED, "\"row\" f32 130", "\"row\" f32 129", "may leave buffer row"),
        (SHARED, "for v1 = 0 to (p4 + -1)", "for v1 = 0 to thread0", "differ between threads"),
        (SHARED, "step 32 sequential", "step 32 threads 0", "shared out"),
        (SHARED, "\"chunk\" 64 7", "\"chunk\"", "has no values"),
        (SHARED, "quotient((hi0 + size0), size0)", "size1", "no size 1"),
        (SHARED, "scratch 0\n", "", "has 2 buffers"),
        (SHARED, "select register 0 1 where", "select buffer 1 [v0] where", "is no register"),
    ];
    let stencil = three_points();
    for (text, from, to, expected) in cases {
        assert!(text.contains(from), "{from}");
        let program: KernelProgram = text.replacen(from, to, 1).parse().unwrap();
        let found = program.verify(&stencil).map_or_else(|e| e.to_string(), |()| String::new());
        assert!(found.contains(expected), "{from} -> {to}: {found}");
    }
}
