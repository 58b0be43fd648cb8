//! The original order against `u = k·t + i`.
//!
//! Statements in nests of their own run one after the other, as u says. Two things can differ: instances of one
//! statement at one step, which u leaves unordered, and statements that share loops, whose instances the original
//! interleaves. Neither matters unless two such instances touch the same element and one of them writes it. An element that
//! is always read before another instance overwrites it can be kept (`stencil/keep.rs`); statements may come in another
//! order, if that reverses none of theirs. Of loops that are cut into blocks nothing is known but which iterations there are.

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

/// An order of the statements in which u reverses that of no two instances that touch the same element: their own, which
/// is `None`, or one that puts before others what the original interleaves with them (Allen and Kennedy's loop
/// distribution, of single statements). Refused where there is none.
pub fn arrangement(
    all: &Instances,
    scop: &Scop,
    aligned: &Aligned,
) -> Result<Option<Vec<usize>>, Rejection> {
    let pairs: Vec<(usize, usize)> = (0..aligned.origins.len())
        .flat_map(|i| (i + 1..aligned.origins.len()).map(move |j| (i, j)))
        .collect();
    let mut turned = Vec::new();
    for &(i, j) in &pairs {
        if let Some(array) = conflict(all, scop, aligned, (i, j))? {
            turned.push((i, j, array));
        }
    }
    let Some(&(i, j, array)) = turned.first() else { return Ok(None) };
    let refusal = interleaved(aligned, array, i, j);
    // Pairs of which the first must come before the second.
    let mut before: Vec<(usize, usize)> = turned.iter().map(|&(i, j, _)| (j, i)).collect();
    for &(i, j) in &pairs {
        match conflict(all, scop, aligned, (j, i)) {
            Ok(None) => {}
            Ok(Some(_)) if before.contains(&(j, i)) => return Err(refusal),
            Ok(Some(_)) => before.push((i, j)),
            Err(why) if why.reason == Reason::Budget => return Err(refusal),
            Err(why) => return Err(why),
        }
    }
    sorted(aligned.origins.len(), &before).map(Some).ok_or(refusal)
}

/// The numbers below `count`, the smallest first that need not wait for others; `None` if they wait for each other.
fn sorted(count: usize, before: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = Vec::with_capacity(count);
    while order.len() < count {
        let may_come = |i: &usize| {
            !order.contains(i)
                && before.iter().all(|(first, then)| then != i || order.contains(first))
        };
        order.push((0..count).find(may_come)?);
    }
    Some(order)
}

/// The array of an element that two instances touch, of which the original runs the second statement's first.
fn conflict(
    all: &Instances,
    scop: &Scop,
    aligned: &Aligned,
    (i, j): (usize, usize),
) -> Result<Option<u16>, Rejection> {
    let p = &aligned.program;
    let before = reversed(scop, aligned, i, j, false);
    let not_after = reversed(scop, aligned, i, j, true);
    for (a, stored) in all_accesses(&p.statements[i]) {
        for (b, stored_later) in all_accesses(&p.statements[j]) {
            let (from, to) = (At { statement: i, access: a }, At { statement: j, access: b });
            let stands_behind =
                stands_behind((&aligned.origins[i], stored), (&aligned.origins[j], stored_later));
            let condition = if stands_behind { &not_after } else { &before };
            let Some(condition) = condition.as_ref().filter(|_| stored || stored_later) else {
                continue;
            };
            if may_share(p, from, to)
                && !same_element(all, from, to, 0, Some(condition))?.is_empty()?
            {
                return Ok(Some(a.array));
            }
        }
    }
    Ok(None)
}

/// In one iteration of the loops that both share, the original comes to the first access after the second: that of an
/// earlier statement; of one statement's parts, loads come before all stores, and those in the order of the parts.
fn stands_behind((a, a_stores): (&Origin, bool), (b, b_stores): (&Origin, bool)) -> bool {
    let places = |o: &Origin, stores: bool| {
        let part = if stores { o.part } else { 0 };
        o.sources.iter().map(move |s| (s.statement, stores, part)).collect::<Vec<_>>()
    };
    let (a, b) = (places(a, a_stores), places(b, b_stores));
    a.iter().any(|a| b.iter().any(|b| b < a))
}

fn interleaved(aligned: &Aligned, array: u16, i: usize, j: usize) -> Rejection {
    let p = &aligned.program;
    let parts = aligned.origins[i].shares_source(&aligned.origins[j]);
    let array = spoken(&p.arrays[usize::from(array)].name);
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

/// When the original runs `S<j>[t, r]` before `S<i>[t, s]`, in an earlier iteration of the loops that they share (or,
/// `or_equal`, in the same); `None` if never. In loops that are cut into blocks it may do so in any two iterations.
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

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn who_need_not_wait_comes_first() {
        assert_eq!(sorted(3, &[]), Some(vec![0, 1, 2]));
        assert_eq!(sorted(4, &[(2, 0), (3, 2)]), Some(vec![1, 3, 2, 0]));
        assert_eq!(sorted(3, &[(2, 0), (0, 1), (1, 2)]), None);
    }
}
