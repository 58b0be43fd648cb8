//! Sweeps that go round: their pieces are found to be one on a torus, and its kernels leave the same bytes as the reference.

mod support;

use hexpass_abi::plan::in_a_row;
use hexpass_abi::{ElemType, IntExpr, PlanExpr, Poly, Subscript};
use hexpass_poly::body::Op;
use hexpass_poly::deps::{DependenceCone, Dependences};
use hexpass_poly::device::Device;
use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::problem::Problem;
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::schedule::overlapped::plan::{self, Launch, Launches};
use hexpass_poly::schedule::{TileSizes, TiledSchedule, judge};
use hexpass_poly::stencil::{Statement, StencilProgram};
use hexpass_poly::strategy::Strategy;
use hexpass_poly::strategy::streaming::Streaming;
use support::Bound::Inside;
use support::{Program, Touch, extent, memory, memory_alike, sizes};

/// The last coordinate of a dimension, less some.
fn before_end(d: usize, less: i64) -> Poly {
    extent(d).sub(&Poly::constant(less + 1)).unwrap()
}

/// Adds a sweep that goes round these dimensions, in pieces: in each of them a line for each coordinate from which some
/// neighbour lies beyond an end, and what is between.
fn sweep(p: &mut Program, round: &[bool], margin: (i64, i64), reads: &[Touch], writes: &[Touch]) {
    let bounds: Vec<_> = round
        .iter()
        .map(|&round| if round { Inside(0, 1) } else { Inside(margin.0, margin.1 + 1) })
        .collect();
    p.statement(&bounds, reads, writes);
    let mut pieces = vec![p.statements_mut().pop().unwrap()];
    for d in (0..round.len()).filter(|&d| round[d]) {
        let offset = |s: &Subscript| s.offset.as_constant().unwrap();
        let far = |s: &Statement| -> Vec<i64> {
            s.reads
                .iter()
                .filter(|a| a.subscripts.len() > d)
                .map(|a| offset(&a.subscripts[d]))
                .collect()
        };
        let along: Vec<i64> = far(&pieces[0]);
        let low = along.iter().map(|o| -o).max().unwrap_or(0).max(0);
        let high = along.iter().copied().max().unwrap_or(0).max(0);
        let cut = |s: &Statement| {
            let mut out = Vec::new();
            for at in 0..low {
                let mut piece = s.clone();
                (piece.lo[d], piece.hi[d]) =
                    (IntExpr::Poly(Poly::constant(at)), IntExpr::Poly(Poly::constant(at)));
                for a in piece.reads.iter_mut().filter(|a| at + offset(&a.subscripts[d]) < 0) {
                    let beyond = at + offset(&a.subscripts[d]);
                    a.subscripts[d] = Subscript { dim: None, offset: before_end(d, -beyond - 1) };
                }
                out.push(piece);
            }
            let mut inside = s.clone();
            inside.lo[d] = IntExpr::Poly(Poly::constant(low));
            inside.hi[d] = IntExpr::Poly(before_end(d, high));
            out.push(inside);
            for at in (0..high).rev() {
                let mut piece = s.clone();
                let line = IntExpr::Poly(before_end(d, at));
                (piece.lo[d], piece.hi[d]) = (line.clone(), line);
                for a in piece.reads.iter_mut().filter(|a| offset(&a.subscripts[d]) > at) {
                    let beyond = offset(&a.subscripts[d]) - at - 1;
                    a.subscripts[d] = Subscript { dim: None, offset: Poly::constant(beyond) };
                }
                out.push(piece);
            }
            out
        };
        pieces = pieces.iter().flat_map(cut).collect();
    }
    p.statements_mut().extend(pieces);
}

/// Cuts each statement along a dimension in which neighbours beyond the ends are the points at the ends: three pieces for
/// each, side by side in the program.
fn clamp(p: &mut Program, d: usize) {
    let cut = |s: Statement| {
        let line = |lo: IntExpr, hi: Poly, beyond: i64| {
            let mut piece = s.clone();
            (piece.lo[d], piece.hi[d]) = (lo, IntExpr::Poly(hi));
            let clamped = piece.reads.iter_mut().map(|a| &mut a.subscripts[d]);
            for s in clamped.filter(|s| s.offset.as_constant() == Some(beyond)) {
                s.offset = Poly::zero();
            }
            piece
        };
        let (first, last) = (IntExpr::Poly(Poly::zero()), IntExpr::Poly(before_end(d, 0)));
        let last = IntExpr::Max(Box::new(IntExpr::Poly(Poly::constant(1))), Box::new(last));
        let mut inside = s.clone();
        inside.lo[d] = IntExpr::Poly(Poly::constant(1));
        inside.hi[d] = IntExpr::Poly(before_end(d, 1));
        [line(first, Poly::zero(), -1), inside, line(last, before_end(d, 0), 1)]
    };
    let pieces: Vec<Statement> = p.statements_mut().drain(..).flat_map(cut).collect();
    p.statements_mut().extend(pieces);
}

/// A star that goes round in one dimension and is clamped in the other.
fn clamped(round: &[bool], dim: usize) -> Problem {
    let mut p = Program::new(2, ElemType::F32);
    let a = p.array(2);
    let reads: Vec<Touch> = STAR2.iter().map(|&o| (a, 0, o)).collect();
    sweep(&mut p, round, (0, 0), &reads, &[(a, 1, &[0, 0])]);
    clamp(&mut p, dim);
    problem(p)
}

/// A problem whose dependences nobody asks for: those of 27 pieces take long.
fn problem(p: Program) -> Problem {
    let far = Rejection::new(Reason::UnboundedDependence, "neighbours beyond the ends");
    let deps = Dependences {
        cone: DependenceCone { delta: Vec::new() },
        unbounded: Some(far),
        distances: Vec::new(),
        uniform: false,
        flow: String::new(),
        anti: String::new(),
        output: String::new(),
    };
    Problem::with(p.stencil(), deps)
}

fn jacobi(elem: ElemType, round: &[bool], margin: (i64, i64), offsets: &[&[i64]]) -> Problem {
    let mut p = Program::new(round.len(), elem);
    let a = p.array(2);
    let reads: Vec<Touch> = offsets.iter().map(|&o| (a, 0, o)).collect();
    let zero = vec![0; round.len()];
    sweep(&mut p, round, margin, &reads, &[(a, 1, &zero)]);
    problem(p)
}

fn tile(sizes: &[(&str, i64)]) -> TileSizes {
    TileSizes(sizes.iter().map(|&(n, v)| (n.to_owned(), v)).collect())
}

/// Runs with these sizes; false if they are refused.
fn check(name: &str, problem: &Problem, tile: &TileSizes, chunk: i64, runs: &[Vec<i64>]) -> bool {
    check_on(Device::default_gpu(), name, problem, tile, chunk, runs)
}

/// The same on the CPU.
fn check_host(name: &str, problem: &Problem, sizes: &[(&str, i64)], runs: &[Vec<i64>]) -> bool {
    check_on(Device::default_host(), name, problem, &tile(sizes), 8, runs)
}

fn check_on(
    device: Device,
    name: &str,
    problem: &Problem,
    tile: &TileSizes,
    chunk: i64,
    runs: &[Vec<i64>],
) -> bool {
    assert!(problem.torus.is_some(), "{name} is not on a torus");
    let Ok(schedule) = Streaming.schedule(problem, tile, &device, None) else { return false };
    assert_eq!(judge::check(problem, &schedule), Ok(()), "{name} {tile:?}");
    let program = Streaming.kernels(problem, &schedule, &device).unwrap();
    assert_eq!(program.verify(&problem.stencil), Ok(()), "{name} {tile:?}");
    let text = program.to_string();
    assert_eq!(text.parse().as_ref(), Ok(&program), "{name} {tile:?}");
    for ints in runs {
        let ints: Vec<i64> = match ints[1..].iter().zip(&program.least).all(|(n, least)| n >= least)
        {
            true => ints.clone(),
            // The smallest torus that is allowed.
            false => ints[..1]
                .iter()
                .copied()
                .chain(ints[1..].iter().zip(&program.least).map(|(n, l)| *n.max(l)))
                .collect(),
        };
        let label = format!("{name} {ints:?} {tile:?} chunk {chunk}");
        let mut sizes = sizes(&problem.stencil, &ints);
        sizes.tunables = vec![chunk];
        let mut expected = match program.alike {
            true => memory_alike(&problem.stencil, &ints, &sizes),
            false => memory(&problem.stencil, &ints),
        };
        let mut found = expected.clone();
        reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
        interp::run(&program, &problem.stencil, &sizes, &mut found, 7)
            .unwrap_or_else(|e| panic!("{label}: {e}"));
        assert!(found == expected, "{label}: memory differs");
    }
    true
}

/// Fills the cells beyond a grid's ends, so many on each side, of an array's slot, one dimension after the other: those of the
/// later ones lie beyond the ends of the earlier ones, too.
fn fill(p: &mut Program, (array, rotation): (u16, i32), deep: i64, order: &[usize]) {
    let dims = order.len();
    for (at, &d) in order.iter().enumerate() {
        for cell in (0..deep).flat_map(|c| [(c, true), (c, false)]) {
            let zero = vec![0; dims];
            let bounds: Vec<_> = (0..dims)
                .map(|e| match order[..at].contains(&e) {
                    true => Inside(0, 1),
                    false => Inside(deep, deep + 1),
                })
                .collect();
            p.statement(&bounds, &[(array, rotation, &zero)], &[(array, rotation, &zero)]);
            let s = p.statements_mut().last_mut().unwrap();
            // Nothing but the value.
            let load = s.body.values.iter().position(|v| v.op == Op::Load(0)).unwrap();
            s.body.values = vec![s.body.values[load].clone()];
            s.writes[0].value = 0;
            let (line, from) = match cell {
                (c, true) => (Poly::constant(c), before_end(d, 2 * deep - 1 - c)),
                (c, false) => (before_end(d, c), Poly::constant(2 * deep - 1 - c)),
            };
            (s.lo[d], s.hi[d]) = (IntExpr::Poly(line.clone()), IntExpr::Poly(line));
            s.reads[0].subscripts[d] = Subscript { dim: None, offset: from };
        }
    }
}

const STAR1: [&[i64]; 3] = [&[-1], &[0], &[1]];
const STAR2: [&[i64]; 5] = [&[-1, 0], &[0, -1], &[0, 0], &[0, 1], &[1, 0]];
const STAR3: [&[i64]; 7] =
    [&[-1, 0, 0], &[0, -1, 0], &[0, 0, -1], &[0, 0, 0], &[0, 0, 1], &[0, 1, 0], &[1, 0, 0]];

#[test]
fn one_dimension() {
    let runs = [vec![1, 3], vec![9, 31], vec![33, 700], vec![40, 1500]];
    for (name, offsets) in [
        ("three points", &STAR1[..]),
        ("five points", &[&[-2], &[-1], &[0], &[1], &[2]]),
        ("against the wind", &[&[-1], &[0]]),
        ("uneven", &[&[-2], &[0], &[1]]),
    ] {
        let problem = jacobi(ElemType::F32, &[true], (0, 0), offsets);
        assert!(check(name, &problem, &tile(&[("b", 1), ("v", 4), ("w", 1)]), 1, &runs));
        assert!(check(name, &problem, &tile(&[("b", 6), ("v", 8), ("w", 2)]), 1, &runs));
        assert!(check_host(name, &problem, &[("b", 5), ("w0", 16)], &runs));
    }
}

#[test]
fn two_dimensions() {
    let runs = [vec![1, 3, 3], vec![7, 9, 12], vec![6, 31, 5], vec![9, 40, 150]];
    let boxed: Vec<Vec<i64>> = (-1..2).flat_map(|i| (-1..2).map(move |j| vec![i, j])).collect();
    let boxed: Vec<&[i64]> = boxed.iter().map(|o| o.as_slice()).collect();
    let all = [true, true];
    let mut taken = 0;
    for (name, problem) in [
        ("star", jacobi(ElemType::F32, &all, (0, 0), &STAR2)),
        ("star f64", jacobi(ElemType::F64, &all, (0, 0), &STAR2)),
        ("box", jacobi(ElemType::F32, &all, (0, 0), &boxed)),
        ("against the wind", jacobi(ElemType::F32, &all, (0, 0), &[&[0, 0], &[-1, 0], &[0, -1]])),
        ("two away", jacobi(ElemType::F32, &all, (0, 0), &[&[-2, 0], &[0, 0], &[1, 1], &[0, 2]])),
        ("rows between walls", jacobi(ElemType::F32, &[true, false], (1, 1), &STAR2)),
        ("columns between walls", jacobi(ElemType::F32, &[false, true], (1, 1), &STAR2)),
        ("rows that are clamped", clamped(&[true, false], 1)),
        ("columns that are clamped", clamped(&[false, true], 0)),
    ] {
        for sizes in [
            &[("b", 1), ("v", 4), ("w", 1)][..],
            &[("b", 3), ("v", 2), ("w", 2)],
            &[("b", 5), ("v", 4), ("w", 1)],
            &[("b", 3), ("v", 2), ("w", 1), ("s", 1)],
        ] {
            taken += usize::from(check(name, &problem, &tile(sizes), 8, &runs));
        }
        for sizes in [&[("b", 1), ("w1", 16)][..], &[("b", 5), ("w1", 7)], &[("b", 3), ("w1", 64)]]
        {
            taken += usize::from(check_host(name, &problem, sizes, &runs));
        }
    }
    assert_eq!(taken, 49);
}

#[test]
fn three_dimensions() {
    let runs = [vec![1, 3, 3, 3], vec![5, 14, 19, 75]];
    for (name, round) in [
        ("torus", [true, true, true]),
        ("between walls", [false, true, true]),
        ("planes", [true, false, false]),
    ] {
        let problem = jacobi(ElemType::F32, &round, (1, 1), &STAR3);
        for (chunk, sizes) in [
            (8, &[("b", 1), ("v", 1), ("r", 2), ("w", 4)][..]),
            (8, &[("b", 2), ("v", 2), ("r", 2), ("w", 4)]),
            (64, &[("b", 2), ("v", 2), ("r", 2), ("w", 4)]),
        ] {
            assert!(check(name, &problem, &tile(sizes), chunk, &runs));
        }
        for sizes in [&[("b", 3), ("w1", 8), ("w2", 16)][..], &[("b", 1), ("w1", 64), ("w2", 9)]] {
            let taken = check_host(name, &problem, sizes, &runs);
            assert_eq!(taken, round == [true; 3], "{name} {sizes:?}");
        }
    }
}

/// A sweep reads what the one before it has stored, beyond the ends, too; arrays that are only read go round with them.
#[test]
fn several_sweeps() {
    let runs = [vec![1, 3, 3], vec![7, 9, 12], vec![9, 40, 150]];
    let all = [true, true];
    let fields = |p: &mut Program| (p.array(1), p.array(1), p.array(1));
    let mut p = Program::new(2, ElemType::F32);
    let (e, hx, hy) = fields(&mut p);
    let zero: &[i64] = &[0, 0];
    sweep(&mut p, &all, (0, 0), &[(hx, 0, zero), (e, 0, zero), (e, 0, &[0, 1])], &[(hx, 0, zero)]);
    sweep(&mut p, &all, (0, 0), &[(hy, 0, zero), (e, 0, zero), (e, 0, &[1, 0])], &[(hy, 0, zero)]);
    sweep(
        &mut p,
        &all,
        (0, 0),
        &[(e, 0, zero), (hx, 0, zero), (hx, 0, &[0, -1]), (hy, 0, zero), (hy, 0, &[-1, 0])],
        &[(e, 0, zero)],
    );
    let waves = problem(p);
    let mut p = Program::new(2, ElemType::F64);
    let (u, c) = (p.array(3), p.array(1));
    let mut reads: Vec<Touch> = STAR2.iter().map(|&o| (u, 1, o)).collect();
    reads.extend([(u, 0, zero), (c, 0, zero), (c, 0, &[0, 1])]);
    sweep(&mut p, &all, (0, 0), &reads, &[(u, 2, zero)]);
    let two_steps_back = problem(p);
    let mut p = Program::new(2, ElemType::F32);
    let (u, w) = (p.array(1), p.array(1));
    let reads: Vec<Touch> = STAR2.iter().map(|&o| (u, 0, o)).collect();
    sweep(&mut p, &all, (0, 0), &reads, &[(w, 0, zero)]);
    let reads: Vec<Touch> = STAR2.iter().map(|&o| (w, 0, o)).collect();
    sweep(&mut p, &all, (0, 0), &reads, &[(u, 0, zero)]);
    let to_and_fro = problem(p);
    // What the first sweep makes of nothing but coefficients, the second looks at around it.
    let mut p = Program::new(2, ElemType::F32);
    let (u, w, c) = (p.array(1), p.array(1), p.array(1));
    sweep(&mut p, &all, (0, 0), &[(c, 0, zero)], &[(w, 0, zero)]);
    let mut reads: Vec<Touch> = STAR2.iter().map(|&o| (w, 0, o)).collect();
    reads.push((u, 0, zero));
    sweep(&mut p, &all, (0, 0), &reads, &[(u, 0, zero)]);
    let of_coefficients = problem(p);
    for (name, problem) in [
        ("waves", waves),
        ("two steps back", two_steps_back),
        ("to and fro", to_and_fro),
        ("of coefficients", of_coefficients),
    ] {
        for sizes in [&[("b", 1), ("v", 2), ("w", 1)][..], &[("b", 2), ("v", 2), ("w", 1)]] {
            assert!(check(name, &problem, &tile(sizes), 8, &runs));
        }
        for sizes in [&[("b", 1), ("w1", 16)][..], &[("b", 4), ("w1", 40)]] {
            let taken = check_host(name, &problem, sizes, &runs);
            // Neighbours are read of an array that is only read.
            assert_eq!(taken, name != "two steps back", "{name} {sizes:?}");
        }
    }
}

/// Cells beyond the ends are filled before each sweep or behind it, in any order, of one slot or several.
#[test]
fn cells_beyond_the_ends() {
    let runs = [vec![1, 3, 3], vec![2, 9, 12], vec![9, 40, 150]];
    let boxed: Vec<Vec<i64>> = (-1..2).flat_map(|i| (-1..2).map(move |j| vec![i, j])).collect();
    let boxed: Vec<&[i64]> = boxed.iter().map(|o| o.as_slice()).collect();
    let zero: &[i64] = &[0, 0];
    let filled = |deep: i64, order: &[usize], offsets: &[&[i64]]| {
        let mut p = Program::new(2, ElemType::F32);
        let a = p.array(2);
        fill(&mut p, (a, 0), deep, order);
        let reads: Vec<Touch> = offsets.iter().map(|&o| (a, 0, o)).collect();
        p.statement(&[Inside(deep, deep + 1), Inside(deep, deep + 1)], &reads, &[(a, 1, zero)]);
        problem(p)
    };
    let mut p = Program::new(2, ElemType::F32);
    let (u, w) = (p.array(1), p.array(1));
    for (from, to) in [(u, w), (w, u)] {
        fill(&mut p, (from, 0), 1, &[0, 1]);
        let mut reads: Vec<Touch> = STAR2.iter().map(|&o| (from, 0, o)).collect();
        reads.push((to, 0, zero));
        p.statement(&[Inside(1, 2), Inside(1, 2)], &reads, &[(to, 0, zero)]);
    }
    let to_and_fro = problem(p);
    let behind = |slots: usize, deep: i64, offsets: &[&[i64]]| {
        let mut p = Program::new(2, ElemType::F32);
        let a = p.array(slots);
        let mut reads: Vec<Touch> = offsets.iter().map(|&o| (a, 0, o)).collect();
        reads.extend((slots > 2).then_some((a, -1, zero)));
        p.statement(&[Inside(deep, deep + 1), Inside(deep, deep + 1)], &reads, &[(a, 1, zero)]);
        fill(&mut p, (a, 1), deep, &[0, 1]);
        problem(p)
    };
    // The sweep copies back, then the grid's cells are filled.
    let mut p = Program::new(2, ElemType::F32);
    let (u, w) = (p.array(1), p.array(1));
    let all = [Inside(1, 2), Inside(1, 2)];
    let reads: Vec<Touch> = STAR2.iter().map(|&o| (u, 0, o)).collect();
    p.statement(&all, &reads, &[(w, 0, zero)]);
    p.statement(&all, &[(w, 0, zero)], &[(u, 0, zero)]);
    fill(&mut p, (u, 0), 1, &[1, 0]);
    let copied_back = problem(p);
    // Lines as long as the array first: their ends are what the other lines were filled with a time before.
    let ends_first = |mut problem: Problem, sweep: usize| {
        let mut all = std::mem::take(&mut problem.stencil.statements);
        let fill = if sweep == 0 { 1 } else { 0 };
        all[fill..fill + 4].rotate_left(2);
        let stencil = StencilProgram { statements: all, ..problem.stencil };
        let problem = Problem::with(stencil, problem.deps);
        assert_eq!(problem.torus.as_ref().unwrap().finish(), 4);
        problem
    };
    let far: [&[i64]; 4] = [&[-2, 0], &[0, 0], &[1, 1], &[2, -2]];
    for (name, problem) in [
        ("star", filled(1, &[0, 1], &STAR2)),
        ("box", filled(1, &[1, 0], &boxed)),
        ("two away", filled(2, &[0, 1], &far)),
        ("to and fro", to_and_fro),
        ("behind", behind(2, 1, &STAR2)),
        ("behind, two away", behind(2, 2, &far)),
        ("behind, two steps back", behind(3, 1, &boxed)),
        ("copied back", copied_back),
        ("ends first", ends_first(filled(1, &[0, 1], &STAR2), 4)),
        ("ends first, behind", ends_first(behind(2, 1, &STAR2), 0)),
    ] {
        for sizes in [&[("b", 1), ("v", 4), ("w", 1)][..], &[("b", 2), ("v", 4), ("w", 1)]] {
            assert!(check(name, &problem, &tile(sizes), 8, &runs), "{name}");
        }
        for sizes in [&[("b", 1), ("w1", 16)][..], &[("b", 3), ("w1", 7)]] {
            assert!(check_host(name, &problem, sizes, &runs), "{name}");
        }
    }
    // Corners that nobody fills; cells of another slot filled behind the sweep; the wrong order; a store between.
    let whole = filled(1, &[0, 1], &boxed);
    let broken = |change: &dyn Fn(&mut Vec<Statement>)| {
        let mut stencil = whole.stencil.clone();
        change(&mut stencil.statements);
        Problem::new(stencil).unwrap().torus
    };
    assert!(broken(&|_| ()).is_some());
    assert!(broken(&|all| all[2].lo[0] = all[4].lo[0].clone()).is_none());
    assert!(broken(&|all| all.rotate_left(4)).is_none());
    assert!(broken(&|all| all.swap(0, 2)).is_none());
    assert!(
        broken(&|all| {
            let mut between = all[4].clone();
            between.writes[0].access.rotation = 0;
            between.reads.iter_mut().for_each(|r| r.rotation = 1);
            all.insert(4, between);
        })
        .is_none()
    );
}

/// The judge knows when cells beyond the ends were filled.
#[test]
fn cells_are_filled_around_time_tiles() {
    let mut p = Program::new(1, ElemType::F32);
    let a = p.array(2);
    let reads: Vec<Touch> = STAR1.iter().map(|&o| (a, 0, o)).collect();
    p.statement(&[Inside(1, 2)], &reads, &[(a, 1, &[0])]);
    fill(&mut p, (a, 1), 1, &[0]);
    let problem = problem(p);
    let torus = problem.torus.as_ref().unwrap();
    assert_eq!((torus.around(), torus.finish()), ((1, &[1, 2][..]), 2));
    let device = Device::default_gpu();
    let sizes = tile(&[("b", 3), ("v", 4), ("w", 1)]);
    let legal = Streaming.schedule(&problem, &sizes, &device, None).unwrap();
    assert_eq!(judge::check(&problem, &legal), Ok(()));
    let TiledSchedule::Overlapped(legal) = legal else { panic!("not overlapped") };
    let slots = [2];
    let launches = |begin, again: &[u16]| {
        let launch = |kernel| Launch { kernel, blocks: in_a_row(PlanExpr::Const(1)), args: vec![] };
        Launches {
            steps: 3,
            tile: launch(0),
            shorter: Some(launch(1)),
            direct: (2..5).map(launch).collect(),
            begin,
            again: again.iter().map(|&s| launch(2 + s)).collect(),
            in_place: None,
        }
    };
    for (begin, again, finish, said) in [
        (0, &[1u16, 2][..], 2, "before the first time tile"),
        (1, &[1], 2, "are not filled"),
        (1, &[2, 1], 2, "(a)"),
        (1, &[0, 1, 2], 2, "(a)"),
        (1, &[1, 2], 1, "too few direct launches follow"),
    ] {
        let mut s = legal.clone();
        s.plan = plan::plan(&slots, &s.carried, finish, &launches(begin, again));
        let refused = judge::check(&problem, &TiledSchedule::Overlapped(s)).unwrap_err();
        assert!(refused.detail.contains(said), "{begin} {again:?} {finish}: {refused}");
    }
}

/// What is not the same sweep all round, and tori that are said to be smaller than what tiles look at.
#[test]
fn what_is_no_torus() {
    let whole = jacobi(ElemType::F32, &[true, true], (0, 0), &STAR2);
    let broken = |change: &dyn Fn(&mut Vec<Statement>)| {
        let mut stencil = whole.stencil.clone();
        change(&mut stencil.statements);
        Problem::new(stencil).unwrap().torus
    };
    assert!(broken(&|_| ()).is_some());
    // A corner is missing; a border reads one place off; another body; a line of its own along the border.
    assert!(broken(&|all| drop(all.remove(0))).is_none());
    assert!(
        broken(&|all| {
            let far = all[0].reads.iter_mut().flat_map(|a| &mut a.subscripts);
            let far = far.filter(|s| s.dim.is_none()).last().unwrap();
            far.offset = far.offset.sub(&Poly::constant(1)).unwrap();
        })
        .is_none()
    );
    assert!(broken(&|all| all[0].body.values.swap(0, 1)).is_none());
    assert!(broken(&|all| all[1].lo[1] = IntExpr::Poly(Poly::constant(2))).is_none());

    let device = Device::default_gpu();
    let sizes = tile(&[("b", 5), ("v", 4), ("w", 1)]);
    let legal = Streaming.schedule(&whole, &sizes, &device, None).unwrap();
    let TiledSchedule::Overlapped(mut s) = legal else { panic!("not overlapped") };
    assert_eq!(s.least, Some(vec![5, 5]));
    s.least = Some(vec![5, 4]);
    let refused = judge::check(&whole, &TiledSchedule::Overlapped(s.clone())).unwrap_err();
    assert!(refused.detail.contains("more than once"), "{refused}");
    s.least = None;
    assert!(judge::check(&whole, &TiledSchedule::Overlapped(s.clone())).is_err());
    s.least = Some(vec![5, 5]);
    let mut other = whole.clone();
    other.stencil.statements[0].reads.swap(0, 1);
    let refused = judge::check(&other, &TiledSchedule::Overlapped(s.clone())).unwrap_err();
    assert!(refused.detail.contains("another one"), "{refused}");
    other.torus = None;
    assert!(judge::check(&other, &TiledSchedule::Overlapped(s)).is_err());
}
