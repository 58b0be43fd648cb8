//! Kernels whose threads run every node, written by hand.

use super::{Bound, Program};
use hexpass_abi::{ElemType, PlanExpr, Tunable};
use hexpass_poly::kernel::build::direct;
use hexpass_poly::kernel::ir::KernelProgram;
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::overlapped::Carried;
use hexpass_poly::schedule::overlapped::Start;
use hexpass_poly::schedule::overlapped::plan::{self, Launch, Launches, blocks_over};
use hexpass_poly::stencil::StencilProgram;
use std::fmt::Write;

/// Three points of one array with two slots.
pub fn three_points() -> StencilProgram {
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
pub const WARP: &str = r#"
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
prefetch buffer 0 [v1] where v0 <= p4
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
pub const SHARED: &str = r#"
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
start instances 128 redundant 8 instructions 20 doubles 0 special 0 shuffles 0 bytes 1024 cached 1024 words 512 barriers 1 beside 0 chain 90
turn instances 0 redundant 0 instructions 0 doubles 0 special 0 shuffles 0 bytes 0 cached 0 words 0 barriers 0 beside 0 chain 0
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

/// Two steps a launch of a star of five points in a plane with two slots: a warp walks down a strip of 32 vectors of 16
/// bytes, of which it owns 30; rows in registers, neighbours by shuffles; a chunk of rows for each block.
pub fn strips(problem: &Problem) -> KernelProgram {
    let elem = problem.stencil.arrays[0].elem;
    let v = 16 / elem.size() as i64;
    let mut program: KernelProgram =
        format!("{}plan vars 0\n", strip_text(elem, v)).parse().unwrap_or_else(|e| panic!("{e}"));
    let (kernels, direct) = direct::kernels(problem, 1).unwrap();
    program.kernels.extend(kernels);
    program.tunables = vec![Tunable { name: "chunk".into(), values: vec![8, 5, 3] }];
    let carried = Carried { array: 0, rotation: 0, buffers: [0, 1] };
    let chunk = PlanExpr::Tunable(0);
    let tile = Launch {
        kernel: 0,
        blocks: [
            blocks_over(1, PlanExpr::Const(60 * v), Start::aligned(v)),
            blocks_over(0, chunk.clone(), Start::ANY),
            PlanExpr::Const(1),
        ],
        args: vec![chunk],
    };
    let launches = Launches {
        steps: 2,
        tile,
        shorter: None,
        direct,
        begin: 0,
        again: Vec::new(),
        in_place: None,
    };
    program.plan = plan::plan(&[2], &[carried], 1, &launches);
    program
}

fn strip_text(elem: ElemType, v: i64) -> String {
    let name = if elem == ElemType::F32 { "f32" } else { "f64" };
    let mut t = format!(
        "kernel strip threads 32 2 1 each vars 5
        param buffer 0 0 1 1
        param buffer 0 1 0 1
        param slot 0 0
        param slot 0 1
        param stride 0 0
        param statement_lo 0 0
        param statement_hi 0 0
        param statement_lo 0 1
        param statement_hi 0 1
        param array_lo 0 0
        param array_hi 0 0
        param array_lo 0 1
        param array_hi 0 1
        param launch 0
        param launch 1
        param launch 2
        registers \"u\" {name} {ring}
        registers \"w\" {name} {ring}
        registers \"home\" {name} {v}
        registers \"near\" {name} 2
        registers \"new\" {name} {v}
        let v0 = ((((((block0 * 2) + thread1) * {own}) + (floor(p7, {v}) * {v})) - {v}) + (thread0 * {v}))
        let v1 = (p5 + (block1 * p15))
        for v2 = 0 to floor((p15 + 5), 3) step 1 sequential
        let v3 = (v1 + ((v2 * 3) - 2))\n",
        ring = 3 * v,
        own = 30 * v,
    );
    // Plane z of the loop's turn lies in the third `turn` of the rings.
    for turn in 0..3 {
        strip_plane(&mut t, v, turn);
    }
    t + "end\n"
}

/// One plane of the stream: a row comes in, the first step's row above it is made, the second's above that goes out.
fn strip_plane(t: &mut String, v: i64, turn: i64) {
    let at = |ring: i64, back: i64, i: i64| {
        format!("register {ring} {}", (turn - back).rem_euclid(3) * v + i)
    };
    let z = |back: i64| format!("(v3 + {})", turn - back);
    let column = |i: i64| format!("(v0 + {i})");
    let inside = |back: i64, i: i64| {
        format!("all(p5 <= {0}, {0} <= p6, p7 <= {1}, {1} <= p8)", z(back), column(i))
    };
    // Cells that the nest writes come from the buffer, others from the slot itself, where no launch writes them.
    writeln!(t, "if all(p5 <= {0}, {0} <= p6, p7 <= v0, (v0 + {1}) <= p8)", z(0), v - 1).unwrap();
    writeln!(t, "vector {v} {} from buffer 0 [{}, v0]\nelse", at(0, 0, 0), z(0)).unwrap();
    for i in 0..v {
        let (new, x) = (at(0, 0, i), column(i));
        writeln!(t, "if {}\ncopy {new} from buffer 0 [{}, {x}]\nelse", inside(0, i), z(0)).unwrap();
        let there = format!("all(p9 <= {0}, {0} <= p10, p11 <= {x}, {x} <= p12)", z(0));
        writeln!(t, "if {there}\ncopy {new} from global 0 @ 0 [{}, {x}]\nend\nend", z(0)).unwrap();
    }
    writeln!(t, "end").unwrap();
    for i in 0..v {
        let x = column(i);
        writeln!(t, "if {}\nelse", inside(1, i)).unwrap();
        let there = format!("all(p9 <= {0}, {0} <= p10, p11 <= {x}, {x} <= p12)", z(1));
        let home = format!("copy register 2 {i} from global 0 @ 1 [{}, {x}]", z(1));
        writeln!(t, "if {there}\n{home}\nend\nend").unwrap();
    }
    for (level, (from, back)) in [(0, 1), (1, 2)].into_iter().enumerate() {
        let read = |back: i64, i: i64| at(from, back, i);
        writeln!(t, "shuffle -1 register 3 0 from {}", read(back, v - 1)).unwrap();
        writeln!(t, "shuffle 1 register 3 1 from {}", read(back, 0)).unwrap();
        for i in 0..v {
            let left = if i == 0 { "register 3 0".into() } else { read(back, i - 1) };
            let right = if i == v - 1 { "register 3 1".into() } else { read(back, i + 1) };
            writeln!(t, "instance 0 at (p13 + {level}) [{}, {}]", z(back), column(i)).unwrap();
            for place in [read(back + 1, i), left, read(back, i), right, read(back - 1, i)] {
                writeln!(t, "read {place}").unwrap();
            }
            writeln!(t, "write register 4 {i}\nend").unwrap();
        }
        if level == 0 {
            for i in 0..v {
                let (new, old) = (at(1, 1, i), format!("register 2 {i}"));
                let cond = inside(1, i);
                writeln!(t, "select {new} where {cond} of register 4 {i} else {old}").unwrap();
            }
        }
    }
    let row = z(2);
    let owned = format!("v1 <= {row}, {row} <= ((v1 + p15) - 1), {row} <= p6");
    let owned = format!("{owned}, 1 <= thread0, thread0 <= 30");
    let whole = format!("p7 <= v0, (v0 + {}) <= p8", v - 1);
    writeln!(t, "if all({owned}, {whole})").unwrap();
    writeln!(t, "vector {v} buffer 1 [{row}, v0] from register 4 0\nelse").unwrap();
    for i in 0..v {
        let x = column(i);
        writeln!(t, "if all({owned}, p7 <= {x}, {x} <= p8)").unwrap();
        writeln!(t, "copy buffer 1 [{row}, {x}] from register 4 {i}\nend").unwrap();
    }
    writeln!(t, "end").unwrap();
}
