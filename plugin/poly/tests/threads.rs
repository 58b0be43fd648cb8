//! Kernels whose threads run every node: what the interpreter makes of them, what it and the verifier refuse.

mod support;

use hexpass_abi::ElemType;
use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::kernel::ir::KernelProgram;
use hexpass_poly::stencil::StencilProgram;
use support::{Bound, Program, memory, sizes};

/// Three points of one array with two slots.
fn three_points() -> StencilProgram {
    let mut p = Program::new(1, ElemType::F32);
    let a = p.array(2);
    p.statement(
        &[Bound::Inside(1, 2)],
        &[(a, 0, &[-1]), (a, 0, &[0]), (a, 0, &[1])],
        &[(a, 1, &[0])],
    );
    p.problem().stencil
}

/// A warp computes 30 columns of one step; neighbours come by shuffles.
const WARP: &str = r#"
kernel warp threads 32 2 1 each vars 2
param buffer 0 0 1 0
param buffer 0 1 0 0
param statement_lo 0 0
param statement_hi 0 0
param array_hi 0 0
param launch 0
registers "x" f32 4
let v0 = ((((block0 * 2) + thread1) * 30) + thread0)
let v1 = min(v0, p4)
copy register 0 0 from buffer 0 [v1]
shuffle -1 register 0 1 from register 0 0
shuffle 1 register 0 2 from register 0 0
instance 0 at p5 [v0]
read register 0 1
read register 0 0
read register 0 2
write register 0 3
end
if all(1 <= thread0, thread0 <= 30, p2 <= v0, v0 <= p3)
copy buffer 1 [v0] from register 0 3
end
plan vars 1
loop t0 = 0 to (steps + -1)
launch 0 blocks floor((hi0 + 60), 60), 1, 1 at t0 args t0
end
"#;

/// Vectors, shared memory, a scratch buffer that a second kernel empties in chunks of a size to choose.
const SHARED: &str = r#"
kernel shared threads 32 1 1 each vars 2
param buffer 0 0 1 0
param buffer 0 2 2 0
param statement_lo 0 0
param statement_hi 0 0
param array_hi 0 0
param launch 0
shared "row" f32 130
registers "x" f32 5
cost registers 40
start instances 128 redundant 8 instructions 20 doubles 0 special 0 shuffles 0 bytes 1024 cached 1024 words 512 barriers 1 chain 90
turn instances 0 redundant 0 instructions 0 doubles 0 special 0 shuffles 0 bytes 0 cached 0 words 0 barriers 0 chain 0
turns quotient(hi0, size0)
let v0 = (((block2 * 120) + (thread0 * 4)) - 4)
if all(0 <= v0, v0 <= p4)
vector 4 register 0 0 from buffer 0 [v0]
end
copy shared 0 [((thread0 * 4) + 1)] from register 0 0
copy shared 0 [((thread0 * 4) + 2)] from register 0 1
copy shared 0 [((thread0 * 4) + 3)] from register 0 2
copy shared 0 [((thread0 * 4) + 4)] from register 0 3
barrier
for v1 = 0 to 3 step 1 unrolled
if all(1 <= thread0, thread0 <= 30, p2 <= (v0 + v1), (v0 + v1) <= p3)
instance 0 at p5 [(v0 + v1)]
read shared 0 [((thread0 * 4) + v1)]
read shared 0 [(((thread0 * 4) + v1) + 1)]
read shared 0 [(((thread0 * 4) + v1) + 2)]
write register 0 4
end
copy buffer 1 [(v0 + v1)] from register 0 4
end
end
kernel back threads 32 1 1 each vars 3
param buffer 0 2 2 0
param buffer 0 1 0 0
param statement_lo 0 0
param statement_hi 0 0
param launch 1
registers "x" f32 2
let v0 = ((block1 * p4) + thread0)
for v1 = 0 to (p4 + -1) step 32 sequential
let v2 = (v0 + v1)
if all(p2 <= v2, v2 <= p3, (thread0 + v1) <= (p4 + -1))
copy register 0 0 from buffer 0 [v2]
select register 0 1 where v2 <= p3 of register 0 0 else register 0 1
copy buffer 1 [v2] from register 0 1
end
end
tunable "chunk" 64 7
scratch 0
plan vars 1
loop t0 = 0 to (steps + -1)
launch 0 blocks 1, 1, floor((hi0 + 120), 120) at t0 args t0
launch 1 blocks 1, quotient((hi0 + size0), size0), 1 at t0 args t0, size0
end
"#;

fn program(text: &str) -> KernelProgram {
    let program: KernelProgram = text.parse().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(program.to_string().parse().as_ref(), Ok(&program));
    program
}

/// Runs a text beside the reference, for each extent and number of steps.
fn agrees(stencil: &StencilProgram, text: &str, runs: &[&[i64]]) {
    let program = program(text);
    assert_eq!(program.verify(stencil), Ok(()));
    for ints in runs {
        let (mut expected, sizes) = (memory(stencil, ints), sizes(stencil, ints));
        let mut found = expected.clone();
        reference::run(stencil, &sizes, &mut expected).unwrap();
        interp::run(&program, stencil, &sizes, &mut found, 3)
            .unwrap_or_else(|e| panic!("{ints:?}: {e}"));
        assert!(found == expected, "{ints:?}: memory differs");
    }
}

#[test]
fn shuffles_between_buffers() {
    agrees(&three_points(), WARP, &[&[1, 3], &[5, 30], &[4, 31], &[7, 61], &[8, 200], &[0, 9]]);
}

#[test]
fn vectors_and_scratch() {
    agrees(&three_points(), SHARED, &[&[1, 3], &[5, 121], &[4, 128], &[3, 300]]);
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
