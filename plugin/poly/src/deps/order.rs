//! The original order against `u = k·t + i`.
//!
//! Statements in nests of their own run one after the other, as u says. Two things can differ: instances of one
//! statement at one step, which u leaves unordered, and statements that share loops, whose instances the original
//! interleaves. Neither matters unless two such instances touch the same element and one of them writes it; and an
//! element that is always read before another instance overwrites it can be kept (`stencil/keep.rs`). Of loops that are
//! cut into blocks nothing is known but which iterations there are.

use super::relations::{At, Condition, Instances, never_meet, same_element, same_slot};
use crate::rejection::{Reason, Rejection, spoken};
use crate::scop::{IslNames, Scop};
use crate::stencil::{Aligned, Origin, Statement, StencilProgram};
use hexpass_abi::Access;

fn all_accesses(s: &Statement) -> impl Iterator<Item = (&Access, bool)> {
    let reads = s.reads.iter().map(|a| (a, false));
    reads.chain(s.writes.iter().map(|w| (&w.access, true)))
}

/// Refuses if different instances of one statement at one step touch the same element and one writes it.
pub fn check_parallel(all: &Instances) -> Result<(), Rejection> {
    match (0..all.program.statements.len()).find_map(|s| shared(all, s).transpose()) {
        Some(shared) => Err(sequential(all.program, shared?)),
        None => Ok(()),
    }
}

/// An element that different instances of a statement touch at one step.
struct Shared {
    statement: usize,
    array: u16,
}

fn shared(all: &Instances, statement: usize) -> Result<Option<Shared>, Rejection> {
    let p = all.program;
    let differs: Vec<String> = (0..p.dims).map(|d| format!("s{d} != r{d}")).collect();
    let different = Condition { names: IslNames::new("s"), text: differs.join(" or ") };
    let s = &p.statements[statement];
    for w in &s.writes {
        for (access, _) in all_accesses(s) {
            let (from, to) = (At { statement, access: &w.access }, At { statement, access });
            if !may_share(p, from, to) || same_instance(p, from, to) {
                continue;
            }
            if !same_element(all, from, to, 0, Some(&different))?.is_empty()? {
                return Ok(Some(Shared { statement, array: access.array }));
            }
        }
    }
    Ok(None)
}

/// Statements whose instances read what others of the same step overwrite, always before that (`f[i] = f[i - 1]` with
/// falling i): all may read before any writes. Refuses those in which one needs what another has written, or in which
/// two write the same element.
pub fn overwriting(
    all: &Instances,
    scop: &Scop,
    aligned: &Aligned,
) -> Result<Vec<usize>, Rejection> {
    let p = all.program;
    let mut out = Vec::new();
    for statement in 0..p.statements.len() {
        let Some(found) = shared(all, statement)? else { continue };
        if scop.blocked {
            return Err(sequential(p, found));
        }
        // The other instance r writes before s, in the original's order.
        let Some(before) = reversed(scop, aligned, statement, statement, false) else {
            return Err(sequential(p, found));
        };
        for w in &p.statements[statement].writes {
            for (access, _) in all_accesses(&p.statements[statement]) {
                let (from, to) = (At { statement, access }, At { statement, access: &w.access });
                if may_share(p, from, to)
                    && !same_instance(p, from, to)
                    && !same_element(all, from, to, 0, Some(&before))?.is_empty()?
                {
                    return Err(sequential(p, found));
                }
            }
        }
        out.push(statement);
    }
    Ok(out)
}

/// True unless it is plain that the two touch different elements within a step.
fn may_share(p: &StencilProgram, a: At, b: At) -> bool {
    same_slot(p, a, b) && !never_meet(p, a, b)
}

/// True if the same subscripts mean the same instance: equal accesses that use all coordinates.
fn same_instance(p: &StencilProgram, a: At, b: At) -> bool {
    let uses = |d: usize| a.access.subscripts.iter().any(|s| s.dim.map(usize::from) == Some(d));
    a.access.subscripts == b.access.subscripts && (0..p.dims).all(uses)
}

fn sequential(p: &StencilProgram, found: Shared) -> Rejection {
    let array = spoken(&p.arrays[usize::from(found.array)].name);
    Rejection::new(
        Reason::Dependence,
        format!(
            "within one time step, iterations of the loop read or overwrite elements of {array} that other \
             iterations write, so their order matters (Gauss-Seidel, a sum in place); store the new values in a \
             second array"
        ),
    )
    .at(p.statements[found.statement].line)
}

/// Refuses if u reverses the original's order of two instances that touch the same element.
pub fn check_interleaved(all: &Instances, scop: &Scop, aligned: &Aligned) -> Result<(), Rejection> {
    for i in 0..aligned.origins.len() {
        for j in i + 1..aligned.origins.len() {
            check_pair(all, scop, aligned, i, j)?;
        }
    }
    Ok(())
}

fn check_pair(
    all: &Instances,
    scop: &Scop,
    aligned: &Aligned,
    i: usize,
    j: usize,
) -> Result<(), Rejection> {
    let p = &aligned.program;
    let (a, b) = (&aligned.origins[i], &aligned.origins[j]);
    let (parts, moved) = (a.shares_source(b), a.has_source_behind(b));
    let (a_part, b_part) = (a.part, b.part);
    let before = reversed(scop, aligned, i, j, false);
    // A part's loads come before all stores of the same instance, and its stores before those of later parts.
    let not_after =
        if parts || moved { reversed(scop, aligned, i, j, true) } else { before.clone() };
    for (a, stored) in all_accesses(&p.statements[i]) {
        for (b, stored_later) in all_accesses(&p.statements[j]) {
            let (from, to) = (At { statement: i, access: a }, At { statement: j, access: b });
            let later = moved || stored && (!stored_later || a_part > b_part);
            let condition = if later { &not_after } else { &before };
            let Some(condition) = condition.as_ref().filter(|_| stored || stored_later) else {
                continue;
            };
            if may_share(p, from, to)
                && !same_element(all, from, to, 0, Some(condition))?.is_empty()?
            {
                let name = &p.arrays[usize::from(a.array)].name;
                return Err(interleaved(p, name, i, j, parts));
            }
        }
    }
    Ok(())
}

fn interleaved(p: &StencilProgram, array: &str, i: usize, j: usize, parts: bool) -> Rejection {
    let array = spoken(array);
    let line = |i: usize| p.statements[i].line;
    if parts {
        let what = format!(
            "one statement stores to different places, and its iterations need values of {array} from each other"
        );
        return Rejection::new(Reason::WriteShape, what).at(line(i));
    }
    let lines = match (line(i), line(j)) {
        (Some(a), Some(b)) if a != b => format!("the statements of lines {a} and {b}"),
        _ => "two statements of the loop".to_owned(),
    };
    Rejection::new(
        Reason::Dependence,
        format!(
            "{lines} share a loop and work on the same elements of {array} in different iterations; give each a \
             loop of its own"
        ),
    )
    .at(line(j))
}

/// When the original runs `S<j>[t, r]` before `S<i>[t, s]` (or, `or_equal`, in the same iteration of all loops),
/// though i < j; `None` if never. In loops that are cut into blocks it may do so in any two iterations.
fn reversed(
    scop: &Scop,
    aligned: &Aligned,
    i: usize,
    j: usize,
    or_equal: bool,
) -> Option<Condition> {
    let (a, b) = (&aligned.origins[i], &aligned.origins[j]);
    let loops = |o: &Origin| &scop.statements[usize::from(o.statement())].loops;
    let shared = loops(a).iter().zip(loops(b)).take_while(|(x, y)| x == y).count();
    let mut names = IslNames::new("s");
    let first: Vec<String> = a.counters[..shared].iter().map(|(_, c)| names.poly(c)).collect();
    let second = b.counters[..shared].iter().map(|(_, c)| names.poly(c).replace('s', "r"));
    let second: Vec<String> = second.collect();
    let equal = |d: usize| format!("{} = {}", first[d], second[d]);
    let mut cases = Vec::new();
    for d in 0..shared {
        let less = match scop.blocked {
            true => format!("{} != {}", second[d], first[d]),
            false => format!("{} < {}", second[d], first[d]),
        };
        let less = std::iter::once(less);
        cases
            .push(format!("({})", (0..d).map(equal).chain(less).collect::<Vec<_>>().join(" and ")));
    }
    if or_equal {
        let all: Vec<String> = (0..shared).map(equal).collect();
        cases.push(if all.is_empty() { "true".to_owned() } else { all.join(" and ") });
    }
    let text = cases.join(" or ");
    (!cases.is_empty()).then_some(Condition { names, text })
}
