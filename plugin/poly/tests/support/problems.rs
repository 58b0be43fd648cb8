//! The stencils of the papers, as aligned programs.

use super::Bound::{At, Inside};
use super::{Bound, Program};
use hexpass_abi::ElemType::{self, F32, F64};
use hexpass_poly::problem::Problem;

const ALL: Bound = Inside(0, 1);
const INNER: Bound = Inside(1, 2);

/// Two slots, a read of every offset.
pub fn jacobi(elem: ElemType, offsets: &[&[i64]], margin: &[(i64, i64)]) -> Problem {
    let mut p = Program::new(margin.len(), elem);
    let a = p.array(2);
    let bounds: Vec<Bound> = margin.iter().map(|&(lo, hi)| Inside(lo, hi + 1)).collect();
    let reads: Vec<_> = offsets.iter().map(|o| (a, 0, *o)).collect();
    let zero = vec![0; margin.len()];
    p.statement(&bounds, &reads, &[(a, 1, &zero)]);
    p.problem()
}

pub fn jacobi1d() -> Problem {
    jacobi(F32, &[&[-1], &[0], &[1]], &[(1, 1)])
}

pub fn jacobi1d_radius2() -> Problem {
    jacobi(F64, &[&[-2], &[-1], &[0], &[1], &[2]], &[(2, 2)])
}

pub fn asymmetric1d() -> Problem {
    jacobi(F32, &[&[-2], &[0], &[1]], &[(2, 1)])
}

pub fn jacobi2d() -> Problem {
    jacobi(F32, &[&[-1, 0], &[0, -1], &[0, 0], &[0, 1], &[1, 0]], &[(1, 1), (1, 1)])
}

pub fn star2d_f64() -> Problem {
    jacobi(F64, &[&[-1, 0], &[0, -1], &[0, 0], &[0, 1], &[1, 0]], &[(1, 1), (1, 1)])
}

pub fn box2d_f64() -> Problem {
    let offsets: Vec<Vec<i64>> = (-1..2).flat_map(|i| (-1..2).map(move |j| vec![i, j])).collect();
    let offsets: Vec<&[i64]> = offsets.iter().map(|o| o.as_slice()).collect();
    jacobi(F64, &offsets, &[(1, 1), (1, 1)])
}

pub fn radius2_2d() -> Problem {
    jacobi(F32, &[&[-2, 0], &[0, -2], &[0, 0], &[0, 1], &[1, 0], &[2, 2]], &[(2, 2), (2, 2)])
}

/// Reads to one side only in s0, to the other in s1.
pub fn upwind2d() -> Problem {
    jacobi(F32, &[&[-1, 0], &[0, 0], &[0, 1], &[-1, 2]], &[(1, 0), (0, 2)])
}

pub fn jacobi3d() -> Problem {
    star3d(F32)
}

pub fn star3d_f64() -> Problem {
    star3d(F64)
}

fn star3d(elem: ElemType) -> Problem {
    let offsets: &[&[i64]] =
        &[&[-1, 0, 0], &[0, -1, 0], &[0, 0, -1], &[0, 0, 0], &[0, 0, 1], &[0, 1, 0], &[1, 0, 0]];
    jacobi(elem, offsets, &[(1, 1), (1, 1), (1, 1)])
}

/// All 27 neighbours.
pub fn box3d() -> Problem {
    let each = |n: i64| [n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1];
    let offsets: Vec<[i64; 3]> = (0..27).map(each).collect();
    let offsets: Vec<&[i64]> = offsets.iter().map(|o| o.as_slice()).collect();
    jacobi(F64, &offsets, &[(1, 1), (1, 1), (1, 1)])
}

/// Corners of planes that follow each other: rows above are read at another plane than rows below.
pub fn slanted3d() -> Problem {
    jacobi(ElemType::F64, &[&[0, -1, 3], &[1, 1, 3]], &[(1, 1), (1, 1), (3, 3)])
}

/// A diffusivity at each cell and its neighbours.
pub fn coefficients3d() -> Problem {
    let mut p = Program::new(3, F32);
    let (u, c) = (p.array(2), p.array(1));
    let around: [[i64; 3]; 5] = [[0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]];
    let reads: Vec<_> =
        around.iter().flat_map(|o| [(u, 0, o.as_slice()), (c, 0, o.as_slice())]).collect();
    p.statement(&[INNER, INNER, INNER], &reads, &[(u, 1, &[0, 0, 0])]);
    p.problem()
}

/// Sums in place of an array that is only read, further away than what is written.
fn sources(dims: usize, offsets: &[&[i64]]) -> Problem {
    let mut p = Program::new(dims, F32);
    let (u, c) = (p.array(1), p.array(1));
    let zero = vec![0; dims];
    let reads = offsets.iter().map(|o| (c, 0, *o));
    let reads: Vec<_> = [(u, 0, zero.as_slice())].into_iter().chain(reads).collect();
    p.statement(&vec![Inside(3, 4); dims], &reads, &[(u, 0, &zero)]);
    p.problem()
}

pub fn sources1d() -> Problem {
    sources(1, &[&[-3], &[1]])
}

pub fn sources2d() -> Problem {
    sources(2, &[&[0, -3], &[0, 2], &[-2, 0], &[1, 1]])
}

pub fn sources3d() -> Problem {
    sources(3, &[&[0, 0, -1], &[0, 0, 3], &[-2, 0, 0], &[0, 3, 0], &[1, -1, 1]])
}

/// Three sweeps over in-place arrays, and the source row (PolyBench's fdtd-2d): k = 4.
pub fn fdtd2d() -> Problem {
    let mut p = Program::new(2, F32);
    let (ex, ey, hz) = (p.array(1), p.array(1), p.array(1));
    p.statement(&[At(0), ALL], &[], &[(ey, 0, &[0, 0])]);
    p.statement(
        &[Inside(1, 1), ALL],
        &[(ey, 0, &[0, 0]), (hz, 0, &[0, 0]), (hz, 0, &[-1, 0])],
        &[(ey, 0, &[0, 0])],
    );
    p.statement(
        &[ALL, Inside(1, 1)],
        &[(ex, 0, &[0, 0]), (hz, 0, &[0, 0]), (hz, 0, &[0, -1])],
        &[(ex, 0, &[0, 0])],
    );
    p.statement(
        &[Inside(0, 2), Inside(0, 2)],
        &[(hz, 0, &[0, 0]), (ex, 0, &[0, 1]), (ex, 0, &[0, 0]), (ey, 0, &[1, 0]), (ey, 0, &[0, 0])],
        &[(hz, 0, &[0, 0])],
    );
    p.problem()
}

/// The three sweeps alone, k = 3.
pub fn fdtd2d_sweeps() -> Problem {
    let mut problem = fdtd2d();
    problem.stencil.statements.remove(0);
    problem.deps = super::dependences(&problem.stencil);
    problem
}

/// Sweep into a second array, then copy back: k = 2, two arrays of one slot.
pub fn copy_back() -> Problem {
    let mut p = Program::new(2, F64);
    let (a, b) = (p.array(1), p.array(1));
    let reads: Vec<_> = [[-1, 0], [0, -1], [0, 0], [0, 1], [1, 0]].into();
    let reads: Vec<_> = reads.iter().map(|o: &[i64; 2]| (a, 0, o.as_slice())).collect();
    p.statement(&[INNER, INNER], &reads, &[(b, 0, &[0, 0])]);
    p.statement(&[INNER, INNER], &[(b, 0, &[0, 0])], &[(a, 0, &[0, 0])]);
    p.problem()
}

/// Three time levels in three slots, and a coefficient array.
pub fn wave2d() -> Problem {
    let mut p = Program::new(2, F32);
    let (u, c) = (p.array(3), p.array(1));
    let mut reads = vec![(u, 0, [0, 0].as_slice()), (u, 2, &[0, 0]), (c, 0, &[0, 0])];
    let around: [[i64; 2]; 4] = [[-1, 0], [0, -1], [0, 1], [1, 0]];
    reads.extend(around.iter().map(|o| (u, 0, o.as_slice())));
    p.statement(&[INNER, INNER], &reads, &[(u, 1, &[0, 0])]);
    p.problem()
}

/// What a wave's receivers keep of each step: those along a row, all steps of one side by side along a column, at a point, and
/// the whole grid; and the change along a row near it.
pub fn receivers2d() -> Problem {
    let mut p = Program::new(2, F32);
    let u = p.array(3);
    let around: [[i64; 2]; 4] = [[-1, 0], [0, -1], [0, 1], [1, 0]];
    let mut reads = vec![(u, 0, [0, 0].as_slice()), (u, 2, &[0, 0])];
    reads.extend(around.iter().map(|o| (u, 0, o.as_slice())));
    p.record(&[At(1), ALL], &[(u, 0, &[0, 0])], &[1], false);
    p.statement(&[INNER, INNER], &reads, &[(u, 1, &[0, 0])]);
    p.record(&[INNER, At(2)], &[(u, 1, &[0, 0])], &[0], true);
    p.record(&[At(1), At(1)], &[(u, 1, &[0, 0])], &[], false);
    p.record(&[INNER, INNER], &[(u, 1, &[0, 0]), (u, 1, &[-1, 1])], &[0, 1], false);
    p.record(&[At(1), Inside(2, 3)], &[(u, 1, &[-1, 0]), (u, 1, &[0, -2])], &[1], false);
    p.problem()
}

/// The same along one dimension.
pub fn receivers1d() -> Problem {
    let mut p = Program::new(1, F64);
    let u = p.array(2);
    let around: Vec<(u16, i32, &[i64])> = vec![(u, 0, &[-1]), (u, 0, &[0]), (u, 0, &[1])];
    p.statement(&[INNER], &around, &[(u, 1, &[0])]);
    p.record(&[At(0)], &[(u, 1, &[0])], &[], false);
    p.record(&[ALL], &[(u, 1, &[0])], &[0], true);
    // Room for sixteen steps: one value of each, and the whole grid.
    let (heard, seen) = (p.array(16), p.array(16));
    p.statement(&[At(0)], &[(u, 0, &[0]), (u, 1, &[0])], &[(heard, 1, &[0])]);
    p.statement(&[INNER], &[(u, 1, &[-1])], &[(seen, 0, &[0])]);
    p.problem()
}

/// The same of a plane and of the whole grid.
pub fn receivers3d() -> Problem {
    let mut p = Program::new(3, F32);
    let u = p.array(2);
    let around: Vec<(u16, i32, &[i64])> =
        vec![(u, 0, &[-1, 0, 0]), (u, 0, &[0, 1, 0]), (u, 0, &[0, 0, -1])];
    p.statement(&[INNER, INNER, INNER], &around, &[(u, 1, &[0, 0, 0])]);
    p.record(&[At(1), INNER, INNER], &[(u, 1, &[0, 1, -1])], &[1, 2], false);
    p.record(&[INNER, INNER, INNER], &[(u, 1, &[0, 0, 0])], &[0, 1, 2], false);
    p.problem()
}

/// Two levels that change places, and the largest value of each step; sums of integers.
pub fn changes(dims: usize, elem: ElemType) -> Problem {
    let mut p = Program::new(dims, elem);
    let u = p.array(2);
    let offsets: Vec<Vec<i64>> = (0..dims)
        .flat_map(|d| [-1, 1].map(|c| (0..dims).map(|e| if e == d { c } else { 0 }).collect()))
        .collect();
    let reads: Vec<_> = offsets.iter().map(|o: &Vec<i64>| (u, 0, o.as_slice())).collect();
    p.statement(&vec![INNER; dims], &reads, &[(u, 1, &vec![0; dims])]);
    p.reduce(16);
    p.problem()
}

/// Two levels that change places; of each step the whole new one is kept, too, by the same statement.
pub fn kept(dims: usize, elem: ElemType) -> Problem {
    let mut p = Program::new(dims, elem);
    let (u, seen) = (p.array(2), p.array(16));
    let (zero, mut beside) = (vec![0; dims], vec![0; dims]);
    beside[dims - 1] = -1;
    let mut below = zero.clone();
    below[0] = 1;
    let reads: Vec<(u16, i32, &[i64])> = vec![(u, 0, &beside), (u, 0, &below)];
    p.statement(&vec![INNER; dims], &reads, &[(u, 1, &zero), (seen, 0, &zero)]);
    p.problem()
}

/// The largest value in a sweep of its own, of a grid that is copied back, between borders that each step sets.
pub fn changes_apart() -> Problem {
    let mut p = Program::new(2, F32);
    let (u, v) = (p.array(1), p.array(1));
    let around: Vec<(u16, i32, &[i64])> = vec![(u, 0, &[-1, 0]), (u, 0, &[0, 1]), (u, 0, &[1, 0])];
    p.statement(&[INNER, INNER], &around, &[(v, 0, &[0, 0])]);
    p.statement(&[ALL, At(0)], &[(v, 0, &[0, 1])], &[(v, 0, &[0, 0])]);
    p.statement(&[INNER, INNER], &[(v, 0, &[0, 0]), (u, 0, &[0, 0])], &[]);
    p.reduce(16);
    p.statement(&[INNER, ALL], &[(v, 0, &[0, 0])], &[(u, 0, &[0, 0])]);
    p.problem()
}

/// A leap-frog in place: the new value replaces the one before the last (two slots, written where it is read).
pub fn leapfrog1d() -> Problem {
    let mut p = Program::new(1, ElemType::I64);
    let u = p.array(2);
    p.statement(&[INNER], &[(u, 0, &[-1]), (u, 0, &[1]), (u, 1, &[0])], &[(u, 1, &[0])]);
    p.problem()
}

/// Two arrays updated in place, one from the other, with writes at different offsets.
pub fn in_place() -> Problem {
    let mut p = Program::new(2, ElemType::I32);
    let (e, m) = (p.array(1), p.array(1));
    p.statement(
        &[INNER, INNER],
        &[(e, 0, &[0, 0]), (m, 0, &[0, 0]), (m, 0, &[-1, 1])],
        &[(e, 0, &[0, 0])],
    );
    p.statement(
        &[INNER, INNER],
        &[(m, 0, &[0, 0]), (e, 0, &[1, 0]), (e, 0, &[0, -1])],
        &[(m, 0, &[0, 0])],
    );
    p.problem()
}

/// A sweep and the boundary rows and columns around it: k = 5, four of the statements thin.
pub fn with_boundary() -> Problem {
    let mut p = Program::new(2, F32);
    let a = p.array(2);
    let reads: Vec<_> = [[-1, 0], [0, -1], [0, 0], [0, 1], [1, 0]].into();
    let reads: Vec<_> = reads.iter().map(|o: &[i64; 2]| (a, 0, o.as_slice())).collect();
    p.statement(&[INNER, INNER], &reads, &[(a, 1, &[0, 0])]);
    p.statement(&[At(0), INNER], &[(a, 1, &[1, 0])], &[(a, 1, &[0, 0])]);
    p.statement(&[INNER, At(0)], &[(a, 1, &[0, 1])], &[(a, 1, &[0, 0])]);
    p.problem()
}

/// An edge of a box follows its neighbour, along each of the three dimensions.
pub fn edges3d() -> Problem {
    let mut p = Program::new(3, F32);
    let a = p.array(2);
    let reads: Vec<(u16, i32, &[i64])> =
        vec![(a, 0, &[-1, 0, 0]), (a, 0, &[0, 1, 0]), (a, 0, &[0, 0, -1])];
    p.statement(&[INNER, INNER, INNER], &reads, &[(a, 1, &[0, 0, 0])]);
    p.statement(&[INNER, At(0), At(0)], &[(a, 1, &[0, 1, 1])], &[(a, 1, &[0, 0, 0])]);
    p.statement(&[At(0), INNER, At(0)], &[(a, 1, &[1, 0, 1])], &[(a, 1, &[0, 0, 0])]);
    p.statement(&[At(0), At(0), INNER], &[(a, 1, &[1, 1, 0])], &[(a, 1, &[0, 0, 0])]);
    p.problem()
}

/// The first column follows its neighbour, in one of two statements: the other has rows from the hundredth on only.
pub fn empty_column() -> Problem {
    let mut p = Program::new(2, F32);
    let a = p.array(2);
    let reads: Vec<(u16, i32, &[i64])> =
        vec![(a, 0, &[-1, 0]), (a, 0, &[0, -1]), (a, 0, &[0, 1]), (a, 0, &[1, 0])];
    p.statement(&[INNER, INNER], &reads, &[(a, 1, &[0, 0])]);
    p.statement(&[Inside(100, 100), At(0)], &[(a, 1, &[0, 1])], &[(a, 1, &[0, 0])]);
    p.statement(&[INNER, At(0)], &[(a, 1, &[0, 1])], &[(a, 1, &[0, 0])]);
    p.problem()
}

/// A copy of the first row alone, which the sweep reads together with rows that nobody writes.
pub fn first_row() -> Problem {
    let mut p = Program::new(2, F64);
    let (u, old) = (p.array(1), p.array(1));
    p.statement(&[At(0), ALL], &[(u, 0, &[0, 0])], &[(old, 0, &[0, 0])]);
    let reads: Vec<_> = [[-1, 0], [0, -1], [0, 1], [1, 0]].into();
    let reads: Vec<_> = reads.iter().map(|o: &[i64; 2]| (old, 0, o.as_slice())).collect();
    p.statement(&[INNER, INNER], &reads, &[(u, 0, &[0, 0])]);
    p.problem()
}

/// All of them, by name.
pub fn all() -> Vec<(&'static str, Problem)> {
    vec![
        ("jacobi1d", jacobi1d()),
        ("jacobi1d_radius2", jacobi1d_radius2()),
        ("asymmetric1d", asymmetric1d()),
        ("jacobi2d", jacobi2d()),
        ("box2d_f64", box2d_f64()),
        ("radius2_2d", radius2_2d()),
        ("upwind2d", upwind2d()),
        ("jacobi3d", jacobi3d()),
        ("box3d", box3d()),
        ("coefficients3d", coefficients3d()),
        ("sources1d", sources1d()),
        ("sources2d", sources2d()),
        ("sources3d", sources3d()),
        ("fdtd2d", fdtd2d()),
        ("fdtd2d_sweeps", fdtd2d_sweeps()),
        ("copy_back", copy_back()),
        ("wave2d", wave2d()),
        ("leapfrog1d", leapfrog1d()),
        ("in_place", in_place()),
        ("with_boundary", with_boundary()),
        ("first_row", first_row()),
        ("receivers1d", receivers1d()),
        ("receivers2d", receivers2d()),
        ("receivers3d", receivers3d()),
    ]
}
