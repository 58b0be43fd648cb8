//! (a) Time tiles have blocks for all of the space, for every extent: along each dimension, blocks of the owned width from
//! the space's smallest coordinate, rounded down, reach its largest.

use super::illegal;
use crate::isl::{Isl, UnionSet};
use crate::rejection::{Reason, Rejection};
use crate::schedule::Overlapped;
use crate::schedule::overlapped::{Start, Width};
use crate::stencil::StencilProgram;
use hexpass_abi::{PlanExpr, PlanOp};

pub fn check(isl: &Isl, program: &StencilProgram, schedule: &Overlapped) -> Result<(), Rejection> {
    let mut all = Vec::new();
    launches(&schedule.plan.ops, &mut all);
    all.dedup();
    for (kernel, blocks) in all {
        let Some(tile) = schedule.tiles.get(kernel) else { continue };
        for (d, owned) in tile.owned.iter().enumerate() {
            if owned.width == Width::All {
                continue;
            }
            // Axes of the grid count dimensions from the innermost, those apart that blocks own all of.
            let inner = tile.owned[d + 1..].iter().filter(|o| o.width != Width::All);
            let Some(blocks) = blocks.get(inner.count()) else {
                return Err(illegal("(a) the grid has too few axes"));
            };
            // Of blocks near the border that own less, strips are counted apart from those that there are several of, and of
            // the streamed dimension the two parts at the ends apart from those between.
            let short = tile.short.filter(|_| d + 1 == program.dims);
            let Some(blocks) = short.map_or(Some(blocks), |s| strips(blocks, s.pieces)) else {
                return Err(illegal(format!(
                    "(a) strips at the ends of dimension {d} lack blocks"
                )));
            };
            let more = if tile.short.is_some() { 2 } else { 1 };
            let covered = match owned.width {
                Width::Fixed(width) => cover(isl, d, owned.from, width, blocks)?,
                Width::Tunable(i) => divide(isl, d, owned.from, i, blocks, more)?,
                Width::All => true,
            };
            if !covered {
                return Err(illegal(format!("(a) too few blocks along dimension {d}")));
            }
        }
    }
    Ok(())
}

fn launches<'a>(ops: &'a [PlanOp], out: &mut Vec<(usize, &'a [PlanExpr; 3])>) {
    for op in ops {
        match op {
            PlanOp::Loop { body, .. } => launches(body, out),
            PlanOp::Launch { kernel, blocks, .. } => out.push((usize::from(*kernel), blocks)),
        }
    }
}

/// S of S + min(S, 2)·(P − 1).
fn strips(blocks: &PlanExpr, pieces: i64) -> Option<&PlanExpr> {
    let PlanExpr::Add(strips, more) = blocks else { return None };
    let PlanExpr::Mul(outermost, each) = &**more else { return None };
    let PlanExpr::Min(all, two) = &**outermost else { return None };
    (all == strips && **two == PlanExpr::Const(2) && *each == pieces - 1).then_some(strips)
}

/// True if so many blocks of a width reach the largest coordinate, for every extent.
fn cover(
    isl: &Isl,
    d: usize,
    from: Start,
    width: i64,
    blocks: &PlanExpr,
) -> Result<bool, Rejection> {
    let count = text(blocks, d, None)?;
    let first = first(from);
    let uncovered = format!("{{ [lo, hi] : lo <= hi and {first} + {width} * ({count}) <= hi }}");
    UnionSet::parse(isl, &uncovered)?.is_empty()
}

/// True if the number of blocks is ⌊n / w⌋ + `more`, w the value of the tunable or more, and n is at least the points after the
/// first, less a width if `more` is 2: then blocks of width w reach the largest coordinate, whatever w is.
fn divide(
    isl: &Isl,
    d: usize,
    from: Start,
    tunable: u8,
    blocks: &PlanExpr,
    more: i64,
) -> Result<bool, Rejection> {
    let PlanExpr::Add(quotient, ends) = blocks else { return Ok(false) };
    let PlanExpr::Quotient(points, width) = &**quotient else { return Ok(false) };
    let at_least = |e: &PlanExpr| *e == PlanExpr::Tunable(tunable);
    let wide = match &**width {
        PlanExpr::Max(a, b) => at_least(a) || at_least(b),
        e => at_least(e),
    };
    let points = text(points, d, Some(width))?;
    let needed = format!("hi - ({}) - {} * w", first(from), more - 1);
    let fewer = format!("{{ [lo, hi, w] : lo <= hi and w > 0 and {points} < {needed} }}");
    Ok(wide && **ends == PlanExpr::Const(more) && UnionSet::parse(isl, &fewer)?.is_empty()?)
}

/// Where the first block begins, in isl's notation.
fn first(Start { align, before }: Start) -> String {
    format!("{align} * floor((lo + {before}) / {align}) - {before}")
}

/// An expression over the bounds of one dimension, and a width, in isl's notation.
fn text(e: &PlanExpr, d: usize, width: Option<&PlanExpr>) -> Result<String, Rejection> {
    let t = |e: &PlanExpr| text(e, d, width);
    Ok(match e {
        e if Some(e) == width => "w".to_owned(),
        PlanExpr::Const(c) => format!("({c})"),
        PlanExpr::SpaceLo(of) if usize::from(*of) == d => "lo".to_owned(),
        PlanExpr::SpaceHi(of) if usize::from(*of) == d => "hi".to_owned(),
        PlanExpr::Add(a, b) => format!("({} + {})", t(a)?, t(b)?),
        PlanExpr::Mul(a, c) => format!("({c} * {})", t(a)?),
        PlanExpr::FloorDiv(a, c) if *c > 0 => format!("floor({} / {c})", t(a)?),
        PlanExpr::Quotient(a, b) => match **b {
            PlanExpr::Const(c) => format!("floor({} / {})", t(a)?, c.max(1)),
            _ => return Err(unclear()),
        },
        PlanExpr::Max(a, b) => format!("max({}, {})", t(a)?, t(b)?),
        PlanExpr::Min(a, b) => format!("min({}, {})", t(a)?, t(b)?),
        _ => return Err(unclear()),
    })
}

fn unclear() -> Rejection {
    Rejection::new(Reason::Budget, "the number of blocks is too complicated to be judged")
}
