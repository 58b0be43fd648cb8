//! The original order against `u = k·t + i`.
//!
//! Statements in nests of their own run one after the other, as u says. Two things can differ: instances of one
//! statement at one step, which u leaves unordered, and statements that share loops, whose instances the original
//! interleaves. Neither matters unless two such instances touch the same element and one of them writes it.

use super::relations::tuple;
use crate::isl::{Isl, UnionMap};
use crate::rejection::{Reason, Rejection};
use crate::scop::{IslNames, Scop};
use crate::stencil::{Aligned, StencilProgram};
use hexpass_abi::Sym;

/// Accesses of one array, restricted to the instances that run.
pub struct ArrayAccesses<'c> {
    pub array: u16,
    pub reads: UnionMap<'c>,
    pub writes: UnionMap<'c>,
}

impl<'c> ArrayAccesses<'c> {
    /// Pairs of instances that touch the same element; (first reads, second writes), (both write) and
    /// (first writes, second reads).
    fn conflicts(&self) -> Result<[UnionMap<'c>; 3], Rejection> {
        let to_writers = || self.writes.copy()?.reverse();
        let read_write = self.reads.copy()?.apply_range(to_writers()?)?;
        let write_write = self.writes.copy()?.apply_range(to_writers()?)?;
        let write_read = read_write.copy()?.reverse()?;
        Ok([read_write, write_write, write_read])
    }
}

/// Refuses if different instances of one statement at one step touch the same element and one writes it.
pub fn check_parallel(
    isl: &Isl,
    p: &StencilProgram,
    all: &[ArrayAccesses],
) -> Result<(), Rejection> {
    for (i, s) in p.statements.iter().enumerate() {
        let pairs = UnionMap::parse(isl, &same_step_pairs(i, p.dims))?;
        for a in all {
            for c in a.conflicts()? {
                if !c.intersect(pairs.copy()?)?.is_empty()? {
                    return Err(sequential(&p.arrays[usize::from(a.array)].name).at(s.line));
                }
            }
        }
    }
    Ok(())
}

fn sequential(array: &str) -> Rejection {
    Rejection::new(
        Reason::Dependence,
        format!(
            "within one time step, iterations of the loop read or overwrite elements of `{array}` that other \
             iterations write, so their order matters (Gauss-Seidel, a sum in place); store the new values in a \
             second array"
        ),
    )
}

/// `{ S<i>[t, s] -> S<i>[t, s'] : s != s' }`
fn same_step_pairs(i: usize, dims: usize) -> String {
    let differs: Vec<String> = (0..dims).map(|d| format!("s{d} != r{d}")).collect();
    let (a, b) = (tuple(i, dims, "s", "t"), tuple(i, dims, "r", "t"));
    format!("{{ {a} -> {b} : {} }}", differs.join(" or "))
}

/// Refuses if u reverses the original's order of two instances that touch the same element.
pub fn check_interleaved(
    isl: &Isl,
    scop: &Scop,
    aligned: &Aligned,
    all: &[ArrayAccesses],
) -> Result<(), Rejection> {
    let p = &aligned.program;
    for i in 0..p.statements.len() {
        for j in i + 1..p.statements.len() {
            let parts = aligned.origins[i].statement == aligned.origins[j].statement;
            let Some(before) = reversed_pairs(scop, aligned, i, j, false) else { continue };
            let before = UnionMap::parse(isl, &before)?;
            // A part's loads come before all stores of the same instance.
            let with_equal = match reversed_pairs(scop, aligned, i, j, true) {
                Some(text) if parts => UnionMap::parse(isl, &text)?,
                _ => before.copy()?,
            };
            for a in all {
                let [read_write, write_write, write_read] = a.conflicts()?;
                let fine = read_write.intersect(before.copy()?)?.is_empty()?
                    && write_write.intersect(before.copy()?)?.is_empty()?
                    && write_read.intersect(with_equal.copy()?)?.is_empty()?;
                if !fine {
                    let name = &p.arrays[usize::from(a.array)].name;
                    return Err(interleaved(p, name, i, j, parts));
                }
            }
        }
    }
    Ok(())
}

fn interleaved(p: &StencilProgram, array: &str, i: usize, j: usize, parts: bool) -> Rejection {
    let line = |i: usize| p.statements[i].line;
    if parts {
        return Rejection::new(
            Reason::WriteShape,
            format!("stores to different places of `{array}` or its neighbours stand in one statement"),
        )
        .at(line(i));
    }
    let lines = match (line(i), line(j)) {
        (Some(a), Some(b)) if a != b => format!("the statements of lines {a} and {b}"),
        _ => "two statements of the loop".to_owned(),
    };
    Rejection::new(
        Reason::Dependence,
        format!(
            "{lines} share a loop and work on the same elements of `{array}` in different iterations; give each a \
             loop of its own"
        ),
    )
    .at(line(j))
}

/// `{ S<i>[t, s] -> S<j>[t, r] }` where the original runs the second first (or, `with_equal`, in the same iteration
/// of all loops), though i < j; `None` if they share no loop.
fn reversed_pairs(
    scop: &Scop,
    aligned: &Aligned,
    i: usize,
    j: usize,
    with_equal: bool,
) -> Option<String> {
    let (a, b) = (&aligned.origins[i], &aligned.origins[j]);
    let loops = |o: &crate::stencil::Origin| &scop.statements[usize::from(o.statement)].loops;
    let shared = loops(a).iter().zip(loops(b)).take_while(|(x, y)| x == y).count();
    if shared == 0 && !with_equal {
        return None;
    }
    let mut names = IslNames::new("s");
    let first: Vec<String> = a.counters[..shared].iter().map(|(_, c)| names.poly(c)).collect();
    let second: Vec<String> = b.counters[..shared]
        .iter()
        .map(|(_, c)| names.poly(c).replace("* s", "* r"))
        .collect();
    debug_assert!(a.counters.iter().all(|(_, c)| !c.mentions_any(|s| matches!(s, Sym::Mod(_)))));
    let mut cases = Vec::new();
    for d in 0..shared {
        let equal = (0..d).map(|e| format!("{} = {}", first[e], second[e]));
        let less = std::iter::once(format!("{} < {}", second[d], first[d]));
        cases.push(format!("({})", equal.chain(less).collect::<Vec<_>>().join(" and ")));
    }
    if with_equal {
        let equal: Vec<String> =
            first.iter().zip(&second).map(|(f, s)| format!("{f} = {s}")).collect();
        cases.push(match equal.is_empty() {
            true => "true".to_owned(),
            false => format!("({})", equal.join(" and ")),
        });
    }
    let dims = aligned.program.dims;
    let (x, y) = (tuple(i, dims, "s", "t"), tuple(j, dims, "r", "t"));
    Some(names.wrap(&format!("{x} -> {y} : {}", cases.join(" or "))))
}
