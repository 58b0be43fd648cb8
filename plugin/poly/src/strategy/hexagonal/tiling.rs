//! Sizes → [`TiledSchedule`]: two phases, each a launch, in the form that says nothing of hexagons any more.

use super::geometry::Hexagon;
use super::sizes::Checked;
use crate::device::Device;
use crate::problem::Problem;
use crate::schedule::{Classical, Phase, StagedArray, Storage, TileSizes, TiledSchedule, staging};
use crate::strategy::Inapplicable;
use hexpass_abi::PlanExpr;

/// The hybrid tiling of checked sizes.
pub fn schedule(
    problem: &Problem,
    sizes: &TileSizes,
    checked: &Checked,
    device: &Device,
    wanted: Option<Storage>,
) -> Result<TiledSchedule, Inapplicable> {
    let hexagon = &checked.hexagon;
    let k = problem.stencil.statements.len() as i64;
    let classical: Vec<Classical> = checked
        .widths
        .iter()
        .zip(&problem.cone().delta[1..])
        .map(|(&width, &(_, skew))| Classical { width, skew })
        .collect();
    let phases = vec![phase(hexagon, 0), phase(hexagon, 1)];
    let (storage, staging) = place(problem, &phases, &classical, device, wanted)?;
    Ok(TiledSchedule {
        strategy: "hexagonal",
        sizes: TileSizes(
            sizes.0.iter().filter(|(n, v)| *v != 0 || n.as_str() < "w1").cloned().collect(),
        ),
        first: PlanExpr::Const(0),
        last: last_time_tile(hexagon, k),
        execution: execution(hexagon, &classical, k, problem.stencil.dims),
        phases,
        classical,
        storage,
        staging,
    })
}

/// ⌊(k·steps − 1 + h + 1) / (2h + 2)⌋: the time tile of the last instance in phase 0.
fn last_time_tile(hexagon: &Hexagon, k: i64) -> PlanExpr {
    let last = PlanExpr::Steps * k + PlanExpr::Const(hexagon.h);
    PlanExpr::FloorDiv(Box::new(last), hexagon.height())
}

/// One phase: where its boxes lie, from the table of phases in [`super::geometry`].
fn phase(hexagon: &Hexagon, phase: i64) -> Phase {
    let time_tile = || PlanExpr::Var(0);
    // Added to s0 it gives n, whose quotient by the pitch is the block.
    let shift = || time_tile() * hexagon.drift() + PlanExpr::Const(hexagon.space_offset(phase));
    let block_of = |s0: PlanExpr| PlanExpr::FloorDiv(Box::new(s0 + shift()), hexagon.pitch());
    let first_block = block_of(PlanExpr::SpaceLo(0));
    Phase {
        u: time_tile() * hexagon.height() + PlanExpr::Const(-hexagon.time_offset(phase)),
        last_block: block_of(PlanExpr::SpaceHi(0)),
        origin: first_block.clone() * hexagon.pitch() + shift() * -1,
        first_block,
        pitch: hexagon.pitch(),
        levels: hexagon.height(),
        row: hexagon.row_exprs(),
        row_hull: hexagon.hull(),
    }
}

/// Where values live: what was asked for, or the best that is legal and fits.
fn place(
    problem: &Problem,
    phases: &[Phase],
    classical: &[Classical],
    device: &Device,
    wanted: Option<Storage>,
) -> Result<(Storage, Vec<StagedArray>), Inapplicable> {
    let global = (Storage::Global, Vec::new());
    let Device::Gpu(gpu) = device else { return Ok(global) };
    let order = match wanted {
        Some(storage) => vec![storage],
        None => [true, false].map(|align| Storage::Shared { interleave: true, align }).to_vec(),
    };
    let mut refusal = None;
    for storage in order {
        let Storage::Shared { align, .. } = storage else { return Ok(global) };
        let Some(boxes) = staging::boxes(&problem.stencil, phases, classical, align) else {
            refusal = Some(
                "a dimension is not tiled, so no box of shared memory can hold a tile".to_owned(),
            );
            continue;
        };
        if boxes.is_empty() {
            return Ok(global);
        }
        if !staging::clear_of_neighbours(&problem.stencil, phases, classical, &boxes) {
            refusal = Some(
                "w0 is too small to load a tile's box beside its neighbours' writes".to_owned(),
            );
            continue;
        }
        let bytes = shared_bytes(problem, &boxes);
        if bytes > gpu.shared_bytes {
            return_if_last(&mut refusal, bytes, gpu.shared_bytes);
            continue;
        }
        return Ok((storage, boxes));
    }
    match (wanted, refusal) {
        (None, Some(why)) if !why.starts_with("a tile needs") => Ok(global),
        (_, Some(why)) => Err(Inapplicable(why)),
        (_, None) => Ok(global),
    }
}

fn return_if_last(refusal: &mut Option<String>, bytes: u64, limit: u64) {
    *refusal = Some(format!("a tile needs {bytes} bytes of shared memory, a block has {limit}"));
}

/// Shared memory of all boxes, each aligned to 16 bytes.
pub fn shared_bytes(problem: &Problem, boxes: &[StagedArray]) -> u64 {
    boxes
        .iter()
        .map(|b| {
            let array = &problem.stencil.arrays[usize::from(b.array)];
            let bytes = b.elements() as u64 * array.slots.len() as u64 * array.elem.size();
            bytes.next_multiple_of(16)
        })
        .sum()
}

/// The same tiling as an isl union map, from the inequalities rather than from the rows.
///
/// ```text
/// S<i>[t, s] -> [T, phase, B, C1, …, l]:   height·T + l = k·t + i + time offset,  0 <= l < height
///                                          pitch·B + b = s0 + space offset + drift·T,  0 <= b < pitch
///                                          δ0·l − b ≤ (2h+1)·δ0 − f0 and so on
///                                          width·C <= s + ⌊δ1·l⌋ < width·C + width
/// ```
fn execution(x: &Hexagon, classical: &[Classical], k: i64, dims: usize) -> String {
    let mut pieces = Vec::new();
    let space: Vec<String> = (0..dims).map(|d| format!("s{d}")).collect();
    let tiles: String = (1..dims).map(|d| format!("C{d}, ")).collect();
    for i in 0..k {
        for phase in 0..2 {
            let time = format!(
                "{} T + l = {k} t + {} and 0 <= l < {}",
                x.height(),
                i + x.time_offset(phase),
                x.height()
            );
            let b = format!("(s0 + {} + {} T - {} B)", x.space_offset(phase), x.drift(), x.pitch());
            let hexagon = inequalities(x, &b);
            let inner: String =
                classical.iter().enumerate().map(|(at, c)| parallelogram(c, at + 1)).collect();
            pieces.push(format!(
                "S{i}[t, {}] -> [T, {phase}, B, {tiles}l] : {time} and 0 <= {b} < {} and {hexagon}{inner}",
                space.join(", "),
                x.pitch()
            ));
        }
    }
    format!("{{ {} }}", pieces.join("; "))
}

/// The hexagon's four sides, multiplied by their denominators.
fn inequalities(x: &Hexagon, b: &str) -> String {
    let (n0, d0) = (x.delta0.num, x.delta0.den);
    let (n1, d1) = (x.delta1.num, x.delta1.den);
    let (f0, f1, h, w0) = (x.f0, x.f1, x.h, x.w0);
    [
        format!("{n0} l - {d0} * {b} <= {}", (2 * h + 1) * n0 - f0 * d0),
        format!("{n1} l + {d1} * {b} <= {}", (2 * h + 1) * n1 + (f0 + w0) * d1),
        format!("{n1} l + {d1} * {b} >= {}", n1 * h - (d1 - 1)),
        format!("{n0} l - {d0} * {b} >= {}", n0 * h - (f0 + w0 + f1) * d0 - (d0 - 1)),
    ]
    .join(" and ")
}

fn parallelogram(c: &Classical, dim: usize) -> String {
    let Some(width) = c.width else { return format!(" and C{dim} = 0") };
    let skewed = match c.skew.den {
        1 => format!("s{dim} + {} l", c.skew.num),
        den => format!("s{dim} + floor(({} l)/{den})", c.skew.num),
    };
    format!(" and {width} C{dim} <= {skewed} < {width} C{dim} + {width}")
}
