//! The front half, from facts to the cone, on nests as scientists write them.

#[path = "../common/mod.rs"]
mod common;
mod rows;

use common::nest;
use hexpass_poly::facts::NestFacts;
use hexpass_poly::problem::{Problem, analyse};
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::scop::Scop;
use hexpass_poly::stencil::Statement;
use hexpass_poly::text::Names;
use pretty_assertions::assert_eq;
use std::time::Duration;

macro_rules! nests {
    ($($name:ident = $file:literal;)+) => { $(
        const $name: &str = include_str!(concat!("../nests/", $file, ".nest"));
    )+
        const ALL: &[(&str, &str)] = &[$(($file, $name),)+];
    };
}

nests! {
    JACOBI_1D = "jacobi1d-swap";
    JACOBI_2D = "jacobi2d-swap";
    JACOBI_2D_COPY = "jacobi2d-copy";
    JACOBI_2D_STATIC = "jacobi2d-parity-static";
    JACOBI_3D = "jacobi3d-swap";
    BOX_3D = "box3d27-swap";
    FDTD = "fdtd2d-static";
    WAVE = "wave2d-mod3";
    MEMCPY = "memcpy-rows";
    PADDED = "vla-ld-boundary";
    COLUMNS = "boundary-columns";
    SEIDEL = "gauss-seidel";
    BROADCAST = "broadcast";
    ODD = "transposed-reversed";
    PLANES = "planes";
    COMPONENTS = "components";
    INTERLEAVED = "interleaved";
    KEPT = "kept";
    WALLED = "walled";
    FUSED = "fused";
    HISTORY = "history";
    FIELDS = "fields";
    FLAT = "flat-copy";
    INSIDE = "flat-inside";
    FACE = "face";
}

fn problem(text: &str) -> Problem {
    analyse(&nest(text)).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(text: &str) -> Rejection {
    analyse(&nest(text)).expect_err("a refusal")
}

/// The cone as `δ0 δ1` of each dimension.
fn cone(p: &Problem) -> Vec<String> {
    p.cone().delta.iter().map(|(a, b)| format!("{a} {b}")).collect()
}

fn boxes(p: &Problem) -> Vec<String> {
    let names = Names::new(&p.stencil.ints);
    let one = |s: &Statement| {
        let dims = s.lo.iter().zip(&s.hi);
        let all: Vec<String> =
            dims.map(|(lo, hi)| format!("{}..{}", names.expr(lo), names.expr(hi))).collect();
        all.join(" x ")
    };
    p.stencil.statements.iter().map(one).collect()
}

#[test]
fn cones_by_hand() {
    assert_eq!(cone(&problem(JACOBI_1D)), ["1 1"]);
    assert_eq!(cone(&problem(JACOBI_2D)), ["1 1", "1 1"]);
    assert_eq!(cone(&problem(JACOBI_2D_STATIC)), ["1 1", "1 1"]);
    assert_eq!(cone(&problem(JACOBI_3D)), ["1 1", "1 1", "1 1"]);
    assert_eq!(cone(&problem(BOX_3D)), ["1 1", "1 1", "1 1"]);
    // Reads of `a` at distance 1 in space, one logical step before the copy overwrites it.
    assert_eq!(cone(&problem(JACOBI_2D_COPY)), ["1 1", "1 1"]);
    assert_eq!(cone(&problem(MEMCPY)), ["1 1", "1 1"]);
    assert_eq!(cone(&problem(WAVE)), ["1 1", "1 1"]);
    // The edge reads the row beside it one logical step after that was written, and is read by it one later. No place is
    // written twice.
    assert_eq!(cone(&problem(HISTORY)), ["1 1", "0 0"]);
    assert_eq!(problem(HISTORY).deps.output, "{  }");
    assert_eq!(cone(&problem(FIELDS)), ["1 1"]);
    // u = 4t + i. Along i: hz[i-1] and ey[i+1] at Δu = 2. Along j: ex[j+1] one step after it was written, and hz[j-1]
    // three; the overwriting the other way round.
    assert_eq!(cone(&problem(FDTD)), ["1/2 1/2", "1/3 1"]);
    // a[i][j+1] read, a[i][j+1] written by the other statement next; b the other way round.
    assert_eq!(cone(&problem(FUSED)), ["1 1"]);
    assert_eq!(cone(&problem(PLANES)), ["1 1", "1 1"]);
}

#[test]
fn boxes_of_aligned_statements() {
    assert_eq!(boxes(&problem(ODD)), ["1..n - 2 x 1..m - 2"]);
    assert_eq!(
        boxes(&problem(FDTD)),
        [
            "0..0 x 0..ny - 1",
            "1..nx - 1 x 0..ny - 1",
            "0..nx - 1 x 1..ny - 1",
            "0..nx - 2 x 0..ny - 2",
        ]
    );
    assert_eq!(
        boxes(&problem(COLUMNS)),
        ["0..n - 1 x 0..0", "0..n - 1 x n - 1..n - 1", "1..n - 2 x 1..n - 2"]
    );
    assert_eq!(
        boxes(&problem(PADDED))[..2],
        ["0..n - 1 x 0..0".to_owned(), "0..n - 1 x n - 1..n - 1".to_owned()]
    );
    assert_eq!(boxes(&problem(PLANES))[2], "n - 1..n - 1 x 0..n - 1");
}

/// Stores of one array on both sides of a bound, in this order with what reads the array; and a statement beside them that
/// becomes two, since another one has it that both its stores are of the same place.
fn on_both_sides(order: [&str; 3]) -> Problem {
    let statement = |which: &str| {
        let (condition, store, load) = match which {
            "left" => ("  where [s - i0]\n", "@0 [8*i0]", "@2 [8*i0]"),
            "right" => ("  where [i0 - s - 1]\n", "@0 [8*i0]", "@2 [8*i0]"),
            _ => ("", "@1 [8*i0]", "@0 [8*i0]"),
        };
        format!("statement 0 line 5\n{condition}  f64 {store} = {load}\n")
    };
    let two = |l: u8, at: &str| {
        format!(
            "statement {l} line 8\n  load f64 @2 [8*i{l}]\n  v0 f64 = load 0\n  store f64 @3 [8*i{l}] = v0\n  \
             store f64 @4 [{at}] = v0\n"
        )
    };
    let pointers: String = ["a", "b", "c", "d", "e"].map(|p| format!("pointer {p}\n")).concat();
    let text = format!(
        "nest \"sides\" line 3\nint n\nint s\nint steps\n{pointers}steps steps\nloop n\nloop n\nfp exact\n{}{}{}",
        two(1, "8*i1"),
        order.map(statement).concat(),
        two(0, "8*i0 + 8"),
    );
    problem(&text)
}

#[test]
fn pieces_that_do_the_same_are_one() {
    let whole = "0..n - 1";
    assert_eq!(boxes(&on_both_sides(["left", "right", "read"]))[1..3], [whole, whole]);
    assert_eq!(boxes(&on_both_sides(["read", "left", "right"]))[1..3], [whole, whole]);
    // On the right, it is read before it is stored.
    let apart = on_both_sides(["left", "read", "right"]);
    assert_eq!(boxes(&apart)[1..4], ["0..min(n - 1, s)", whole, "max(0, s + 1)..n - 1"]);
}

/// `i >= 1` is asked on the left only; on the right it follows from the bound, if that is large enough.
#[test]
fn what_one_side_asks_besides_is_checked_of_the_other() {
    let joined = |left: &str, right: &str| {
        let text = format!(
            "nest \"sides\" line 3\nint n\nint s\nint steps\npointer a\npointer b\npointer c\npointer d\nsteps steps\n\
             loop n\nloop n\nfp exact\n\
             statement 0 line 4\n  load f64 @2 [8*i0]\n  v0 f64 = load 0\n  store f64 @1 [8*i0] = v0\n  \
             store f64 @3 [8*i0] = v0\n\
             statement 1 line 5\n  where [i1 - 1]\n  where [{left}]\n  load f64 @2 [8*i1]\n  v0 f64 = load 0\n  \
             store f64 @1 [8*i1] = v0\n  store f64 @3 [8*i1 + 8] = v0\n\
             statement 1 line 5\n  where [{right}]\n  load f64 @2 [8*i1]\n  v0 f64 = load 0\n  \
             store f64 @1 [8*i1] = v0\n  store f64 @3 [8*i1 + 8] = v0\n"
        );
        problem(&text)
    };
    let p = joined("s - i1", "i1 - s - 1");
    assert_eq!(boxes(&p), ["0..n - 1", "1..n - 1", "2..n"]);
    let names = Names::new(&p.stencil.ints);
    let checks: Vec<String> = p.stencil.checks.iter().map(|c| names.poly(&c.value)).collect();
    assert_eq!(checks, ["s"]);
    assert_eq!(joined("3 - i1", "i1 - 4").stencil.checks, []);
    // On the right it does not follow.
    assert_eq!(joined("-i1 - 1", "i1").stencil.statements.len(), 5);
}

/// Where a counter has one value, a store that does not name it goes on with it all the same.
#[test]
fn a_store_in_one_iteration_runs_along() {
    let text = "nest \"wrap\" line 3\nint n\nint steps\npointer a\npointer b\nsteps steps\nloop n\nfp exact\n\
                statement 0 line 5\n  where [n - i0 - 2]\n  f64 @0 [8*i0 + 8] = @1 [8*i0]\n\
                statement 0 line 5\n  where [i0 - n + 1]\n  f64 @0 [0] = @1 [8*n - 8]\n";
    assert_eq!(boxes(&problem(text)), ["1..n - 1", "max(-n + 1, 0)..0"]);
    let more = text.replace("where [i0 - n + 1]", "where [i0 - n + 2]");
    assert_eq!(refusal(&more).reason, Reason::WriteShape);
}

#[test]
fn arrays_of_one_allocation() {
    let p = problem(PLANES);
    assert_eq!(p.stencil.arrays.len(), 2);
    let names = Names::new(&p.stencil.ints);
    let offset = |a: usize| names.poly(&p.stencil.arrays[a].slots[0].offset);
    let mut offsets = [offset(0), offset(1)];
    offsets.sort();
    assert_eq!(offsets, ["0", "8*n*n"]);
}

#[test]
fn slots_by_time_modulo() {
    let p = problem(WAVE);
    let u = &p.stencil.arrays[p.written_arrays()[0] as usize];
    assert_eq!(u.slots.len(), 3);
    assert_eq!(p.bytes_per_point(), 24);
    assert_eq!(p.stencil.statements[0].writes[0].access.rotation, 2);
    assert_eq!(p.halo(p.written_arrays()[0]).reach, [(-1, 1), (-1, 1)]);
}

#[test]
fn refusals() {
    assert_eq!(refusal(SEIDEL).reason, Reason::Dependence);
    assert!(refusal(SEIDEL).detail.contains("`a`"));
    assert_eq!(refusal(SEIDEL).line, Some(6));
}

/// One dimension in place, `f[to] = f[from] + …`.
fn in_place(to: &str, from: &str) -> Result<Problem, Rejection> {
    let text = format!(
        "nest \"shift\" line 3\nint n\nint steps\npointer f\nsteps steps\nloop n - 2\nfp exact\n\
         statement 0 line 5\n  f64 @0 [8*({to})] = {from}\n"
    );
    analyse(&nest(&text))
}

#[test]
fn what_is_read_before_it_is_overwritten_is_kept_aside() {
    for (to, from) in [
        ("n - i0 - 1", "@0 [8*(n - i0 - 2)]"),
        ("i0", "@0 [8*(i0 + 1)]"),
        ("i0", "@0 [8*(i0 + 1)], @0 [8*(i0 + 2)]"),
        ("i0", "@0 [8*i0], @0 [8*(i0 + 1)]"),
    ] {
        let p = in_place(to, from).unwrap_or_else(|e| panic!("{to} from {from}: {e}")).stencil;
        assert_eq!((p.statements.len(), p.arrays.len()), (2, 2), "{to} from {from}");
        assert_eq!(p.aside, [p.statements[0].writes[0].access.array], "{to} from {from}");
        assert_eq!(p.statements[1].reads[0].array, p.aside[0], "{to} from {from}");
        assert_eq!(p.statements[1].writes[0].access.array, 0, "{to} from {from}");
    }
}

#[test]
fn what_the_sweep_itself_has_written_can_not_be_kept_aside() {
    for (to, from) in [
        ("i0 + 1", "@0 [8*i0]"),
        ("n - i0 - 2", "@0 [8*(n - i0 - 1)]"),
        ("i0 + 1", "@0 [8*i0], @0 [8*(i0 + 2)]"),
    ] {
        let refusal = in_place(to, from).expect_err("a refusal");
        assert_eq!(refusal.reason, Reason::Dependence, "{to} from {from}");
        assert_eq!(refusal.line, Some(5), "{to} from {from}");
    }
}

/// Time can't be tiled then, but each step can be taken.
#[test]
fn a_dependence_without_a_bound_leaves_no_cone() {
    let deps = problem(BROADCAST).deps;
    let why = deps.unbounded.map(|why| why.reason);
    assert_eq!((why, deps.cone.delta.len()), (Some(Reason::UnboundedDependence), 0));
}

/// The statements of `b[i] = …` with one changed line.
fn changed(text: &str, from: &str, to: &str) -> Rejection {
    assert!(text.contains(from));
    refusal(&text.replace(from, to))
}

#[test]
fn refusals_of_subscripts() {
    let write = "@r0.1 [8*i0 + 8]";
    assert_eq!(changed(JACOBI_1D, write, "@r0.1 [8*i0*i0]").reason, Reason::NonAffine);
    assert_eq!(changed(JACOBI_1D, write, "@r0.1 [16*i0]").reason, Reason::Stride);
    assert_eq!(changed(JACOBI_1D, write, "@r0.1 [8*i0 + 8*t]").reason, Reason::BasePointer);
    assert_eq!(changed(JACOBI_1D, write, "@1 [8*i0 + 8]").reason, Reason::BasePointer);
    assert_eq!(changed(JACOBI_1D, write, "@r0.1 [8]").reason, Reason::WriteShape);
    let far = changed(JACOBI_1D, "@r0.0 [8*i0]", "@r0.0 [8*n - 8*i0]");
    assert_eq!(far.reason, Reason::UnboundedDependence);
    let plane = "180000*m1";
    assert_eq!(changed(JACOBI_2D_STATIC, plane, "180000").reason, Reason::BasePointer);
    let twice = changed(JACOBI_2D, "8*((i0 + 1)*m + i1)]", "8*(i0*m + i0 + i1)]");
    assert_eq!(twice.reason, Reason::NonAffine);
    // Fused the wrong way: the original reads b[i-1] of this step.
    let fused = changed(FUSED, "@1 [8*i0 + 8]", "@1 [8*i0 - 8]");
    assert_eq!(fused.reason, Reason::Dependence);
}

/// Two statements of one loop, the second of which is `c[i] = from`.
fn side_by_side(first: &str, second: &str) -> Result<Problem, Rejection> {
    let text = format!(
        "nest \"side\" line 3\nint n\nint steps\npointer a\npointer b\npointer c\nsteps steps\nloop n - 2\nfp exact\n\
         statement 0 line 5\n  f64 @1 [8*(i0 + 1)] = {first}\n\
         statement 0 line 6\n  f64 @2 [8*(i0 + 1)] = {second}\n"
    );
    analyse(&nest(&text))
}

#[test]
fn what_is_read_before_it_is_written_comes_first() {
    let lines = |first: &str, second: &str| -> Vec<Option<u32>> {
        let problem = side_by_side(first, second).unwrap();
        problem.stencil.statements.iter().map(|s| s.line).collect()
    };
    let (own, ahead, behind) = ("@0 [8*(i0 + 1)]", "@1 [8*(i0 + 2)]", "@1 [8*i0]");
    assert_eq!(lines(own, ahead), [Some(6), Some(5)]);
    assert_eq!(lines(own, behind), [Some(5), Some(6)]);
    // Each needs what the other has stored in the iteration before.
    let both = side_by_side("@2 [8*i0]", behind).unwrap_err();
    assert_eq!((both.reason, both.line), (Reason::Dependence, Some(6)));
}

#[test]
fn texts_round_trip() {
    for (name, text) in ALL {
        let facts = nest(text);
        assert_eq!(facts.to_string().parse::<NestFacts>().as_ref(), Ok(&facts), "{name}");
        let scop = Scop::build(&facts).unwrap();
        assert_eq!(scop.to_string().parse::<Scop>().as_ref(), Ok(&scop), "{name}");
    }
}

/// `BLESS=1 cargo test` writes what it should compare.
#[test]
fn golden_scops() {
    for (name, text) in ALL {
        let scop = Scop::build(&nest(text)).unwrap();
        let printed = format!(
            "{scop}\n# domains {}\n# reads {}\n# writes {}\n# schedule {}\n",
            scop.domains(),
            scop.reads(),
            scop.writes(),
            scop.schedule()
        );
        let path = format!("{}/tests/scops/{name}.scop", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &printed).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        assert_eq!(printed, expected, "{name}");
    }
}

/// Time that this thread has spent on a core (where the kernel says so), which other processes don't disturb.
fn core_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|n| n.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Prints what each nest takes (`cargo test --test front time_it -- --nocapture`).
#[test]
fn time_it() {
    for (name, text) in ALL {
        let facts = nest(text);
        let mut took = Duration::MAX;
        let mut result = analyse(&facts);
        for _ in 0..5 {
            let start = core_time();
            result = analyse(&facts);
            took = took.min(core_time() - start);
        }
        match result {
            Ok(p) => println!("{name:24} {took:>9.1?}  {}", cone(&p).join(", ")),
            Err(e) => println!("{name:24} {took:>9.1?}  {}", e.reason.name()),
        }
        assert!(took < Duration::from_secs(1), "{name} takes {took:?}");
    }
}

#[test]
fn mirrored_and_reversed_buffer_indices() {
    // u[1 - t%2] = … u[t%2]: the plane counted from the other end.
    let mirrored = JACOBI_2D_STATIC.replace("180000*m1", "180000 - 180000*m0");
    let (a, b) = (problem(&mirrored), problem(JACOBI_2D_STATIC));
    assert_eq!(a.stencil.arrays, b.stencil.arrays);
    assert_eq!(a.stencil.statements, b.stencil.statements);
    // Planes visited downwards: t + 2 is the same as −t + 1 two planes on, modulo 3.
    let down = WAVE
        .replace("mod [t + 2] 3", "mod [1 - t] 3")
        .replace("mod [t + 1] 3", "mod [2 - t] 3")
        .replace("mod [t] 3", "mod [3 - t] 3");
    let (down, up) = (problem(&down), problem(WAVE));
    assert_eq!(cone(&down), cone(&up));
    assert_eq!(down.stencil.statements, up.stencil.statements);
    let names = Names::new(&down.stencil.ints);
    let offsets: Vec<String> =
        down.stencil.arrays[0].slots.iter().map(|s| names.poly(&s.offset)).collect();
    assert_eq!(offsets, ["0", "16*nx*ny", "8*nx*ny"]);
}

const SPLIT: &str = "
nest \"split\" line 3
int n
int steps
pointer a
pointer b
pointer c
steps steps
loop n
loop n
fp exact
statement 0 line 5
  f64 @0 [8*i0 + 8] = @2 [8*i0]
  f64 @1 [8*i0] = @2 [8*i0 + 8]
statement 1 line 8
  f64 @1 [8*i1] = @0 [8*i1 + 8]
";

#[test]
fn stores_at_different_places() {
    // One statement: b lies one before a, and the next statement follows suit.
    let p = problem(SPLIT);
    assert_eq!(boxes(&p), ["1..n", "1..n"]);
    // The same array twice becomes two statements; the original's last store to an element stays the last.
    let same = SPLIT.replace("@1 [8*i0] = @2", "@0 [8*i0] = @2");
    assert_eq!(boxes(&problem(&same)), ["1..n", "0..n - 1", "0..n - 1"]);
    let other_way = same.replace("@0 [8*i0 + 8] = @2", "@0 [8*i0 - 8] = @2");
    assert_eq!(boxes(&problem(&other_way)), ["0..n - 1", "-1..n - 2", "0..n - 1"]);
    // Each iteration needs what the one before has stored, which stores what it needed.
    let round = other_way.replace("- 8] = @2 [8*i0]", "- 8] = @0 [8*i0 - 16]");
    assert_eq!(refusal(&round).reason, Reason::Dependence);
    // What is read is overwritten later: both stores wait until all have read.
    let shifted = SPLIT.replace("@1 [8*i0] = @2", "@1 [8*i0] = @1");
    assert_eq!(problem(&shifted).stencil.aside.len(), 2);
}

const FACES: &str = "
nest \"faces\" line 3
int l
int n
int m
int is
int steps
pointer a
pointer b
steps steps
loop n
loop l
loop 4
loop m
loop 1
loop l - 2
loop n - 2
loop m - 2
fp exact
statement 5 6 7 line 4
  f64 @0 [8*n*m*i5 + 8*n*m + 8*m*i6 + 8*m + 8*i7 + 8] = @1 [8*n*m*i5 + 8*n*m + 8*m*i6 + 8*m + 8*i7]
  f64 @1 [8*n*m*i5 + 8*n*m + 8*m*i6 + 8*m + 8*i7 + 8] =
statement 0 1 line 5
  f64 @0 [8*n*m*i1 + 8*n*m - 8*m + 8*i0] = @1 [8*n*m*i1 + 8*n*m - 16*m + 8*i0]
statement 2 3 line 6
  f64 @1 [8*n*m*i2 + 8*n*m*is + 8*i3] = @0 [8*n*m*i2 + 8*n*m*is - 8*n*m + 8*i3]
statement 4 line 9
  f64 @1 [8*m*n*l - 8 + 8*i4] = @0 [0]
";

#[test]
fn faces_starts_and_corners() {
    let scop = Scop::build(&nest(FACES)).unwrap();
    let text = scop.to_string();
    for line in [
        "  read A0.0 [i1] [n - 2] [i0]",
        "  write A1.0 [i1] [n - 1] [i0] = v0",
        "  write A0.0 [i2 + is] [0] [i3] = v0",
        "  read A1.0 [i2 + is - 1] [0] [i3]",
        "  write A0.0 [l - 1] [n - 1] [m - 1] = v0",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

const RECEIVERS: &str = "
nest \"receivers\" line 3
int n
int m
int steps
pointer a
pointer b
pointer heard
disjoint 0 1
disjoint 0 2
disjoint 1 2
rotation @0 [0], @1 [0]
steps steps
loop n - 2
loop m - 2
fp exact
statement 0 1 line 5
  f64 @r0.1 [8*m*i0 + 8*m + 8*i1 + 8] = @r0.0 [8*m*i0 + 8*i1 + 8], @r0.0 [8*m*i0 + 16*m + 8*i1 + 8], @r0.0 [8*m*i0 + 8*m + 8*i1], @r0.0 [8*m*i0 + 8*m + 8*i1 + 16]
statement line 8
  load f64 @r0.1 [8*m + 16]
  load f64 @r0.1 [80*m + 160]
  v0 f64 = load 0
  v1 f64 = load 1
  store f64 @2 [16*t] = v0
  store f64 @2 [16*t + 8] = v1
";

/// A row of the grid in each step, and a column of which each point keeps its steps side by side.
const GATHERS: &str = "
nest \"gathers\" line 3
int n
int m
int steps
pointer a
pointer b
pointer rows
pointer columns
disjoint 0 1
disjoint 0 2
disjoint 0 3
disjoint 1 2
disjoint 1 3
disjoint 2 3
rotation @0 [0], @1 [0]
steps steps
loop n - 2
loop m - 2
loop m
loop n - 2
fp exact
statement 0 1 line 5
  f64 @r0.1 [8*m*i0 + 8*m + 8*i1 + 8] = @r0.0 [8*m*i0 + 8*i1 + 8], @r0.0 [8*m*i0 + 16*m + 8*i1 + 8], @r0.0 [8*m*i0 + 8*m + 8*i1], @r0.0 [8*m*i0 + 8*m + 8*i1 + 16]
statement 2 line 8
  f64 @2 [8*m*t + 8*i2] = @r0.1 [24*m + 8*i2]
statement 3 line 10
  f64 @3 [8*steps*i3 + 8*steps + 8*t] = @r0.1 [8*m*i3 + 8*m + 16]
";

/// They are kept where the line stands in the grid, and a line of other places is refused.
#[test]
fn lines_of_receivers_are_heard_where_they_stand() {
    let p = problem(GATHERS);
    assert_eq!(boxes(&p), ["1..n - 2 x 1..m - 2", "3..3 x 0..m - 1", "1..n - 2 x 2..2"]);
    assert_eq!(cone(&p), ["1/3 1/3", "1/3 1/3"]);
    let names = Names::new(&p.stencil.ints);
    let strides = |array: usize| -> Vec<String> {
        p.stencil.arrays[array].strides.iter().map(|s| names.poly(s)).collect()
    };
    assert_eq!(strides(1), ["8*m", "8", "8"]);
    assert_eq!(strides(2), ["8*steps", "8", "8"]);
    // It goes the other way than the line; something else lies between its neighbours.
    for other in ["[8*m*t + 8*m - 8 - 8*i2]", "[16*m*t + 16*i2]"] {
        let other = GATHERS.replace("[8*m*t + 8*i2]", other);
        assert_eq!(refusal(&other).reason, Reason::WriteShape);
    }
    // What it keeps is read.
    let read = GATHERS.replace("= @r0.1 [24*m + 8*i2]", "= @r0.1 [24*m + 8*i2], @2 [8*m*t + 8*i2]");
    assert!(analyse(&nest(&read)).is_err());
}

/// Each is an array of its own, made where its value is; none widens the other's cone.
#[test]
fn receivers_are_heard_where_they_stand() {
    let p = problem(RECEIVERS);
    assert_eq!((p.stencil.arrays.len(), p.stencil.statements.len()), (3, 3));
    for s in &p.stencil.statements[1..] {
        assert_eq!((s.reads.len(), s.writes.len()), (1, 1));
    }
    // One place a step, which has three statements.
    assert_eq!(cone(&p), ["1/3 1/3", "1/3 1/3"]);
    // One place, kept twice.
    let same = RECEIVERS.replace("[80*m + 160]", "[8*m + 16]");
    assert_eq!(problem(&same).stencil.arrays.len(), 3);
    // What is kept at one element by both is no record of either.
    let e = refusal(&RECEIVERS.replace("[16*t + 8]", "[16*t]"));
    assert_eq!(e.reason, Reason::WriteShape, "{e}");
}

const STATIC_PLANES: &str = "
nest \"planes\" line 3
int n
int steps
pointer u
steps steps
loop n
loop n
loop n
loop n
fp exact
statement 0 1 line 5
  f64 @0 [8000000 + 8000*i0 + 8*i1 + 8008] = @0 [8000*i0 + 8*i1 + 8], @0 [8000*i0 + 8*i1 + 16008], @0 [8000*i0 + 8*i1 + 8000], @0 [8000*i0 + 8*i1 + 8016]
statement 2 3 line 8
  f64 @0 [8000*i2 + 8*i3 + 8008] = @0 [8000000 + 8000*i2 + 8*i3 + 8], @0 [8000000 + 8000*i2 + 8*i3 + 16008], @0 [8000000 + 8000*i2 + 8*i3 + 8000], @0 [8000000 + 8000*i2 + 8*i3 + 8016]
";

#[test]
fn planes_of_a_static_array() {
    let p = problem(STATIC_PLANES);
    let slots: Vec<_> =
        p.stencil.arrays.iter().map(|a| a.slots[0].offset.constant_part()).collect();
    assert_eq!(slots, [0, 8000000]);
    assert_eq!(cone(&p), ["1 1", "1 1"]);
}
