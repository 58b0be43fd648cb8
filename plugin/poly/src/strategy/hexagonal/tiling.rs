//! Sizes → [`Phased`]: two phases, each a launch, in the form that says nothing of hexagons any more.

use super::geometry::Hexagon;
use super::sizes::Checked;
use crate::device::Device;
use crate::problem::Problem;
use crate::schedule::{Classical, Phase, Phased, StagedArray, Storage, TileSizes, staging};
use crate::strategy::Inapplicable;
use hexpass_abi::PlanExpr;

/// The hybrid tiling of checked sizes.
pub fn schedule(
    problem: &Problem,
    sizes: &TileSizes,
    checked: &Checked,
    device: &Device,
    wanted: Option<Storage>,
) -> Result<Phased, Inapplicable> {
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
    Ok(Phased {
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
    let last = sum(scaled(PlanExpr::Steps, k), hexagon.h);
    PlanExpr::FloorDiv(Box::new(last), hexagon.height())
}

/// One phase: where its boxes lie, from the table of phases in [`super::geometry`].
fn phase(hexagon: &Hexagon, phase: i64) -> Phase {
    let time_tile = || PlanExpr::Var(0);
    // Added to s0 it gives n, whose quotient by the pitch is the block.
    let offset = hexagon.space_offset(phase);
    let shifted = |s0: PlanExpr, sign: i64| match hexagon.drift() {
        0 => sum(s0, sign * offset),
        drift => sum(s0 + scaled(time_tile(), sign * drift), sign * offset),
    };
    let block_of = |s0| PlanExpr::FloorDiv(Box::new(shifted(s0, 1)), hexagon.pitch());
    let first_block = block_of(PlanExpr::SpaceLo(0));
    Phase {
        u: sum(scaled(time_tile(), hexagon.height()), -hexagon.time_offset(phase)),
        last_block: block_of(PlanExpr::SpaceHi(0)),
        origin: shifted(scaled(first_block.clone(), hexagon.pitch()), -1),
        first_block,
        pitch: hexagon.pitch(),
        levels: hexagon.height(),
        row: hexagon.row_exprs(),
        row_hull: hexagon.hull(),
    }
}

fn sum(e: PlanExpr, c: i64) -> PlanExpr {
    if c == 0 { e } else { e + PlanExpr::Const(c) }
}

fn scaled(e: PlanExpr, c: i64) -> PlanExpr {
    if c == 1 { e } else { e * c }
}

/// Where values live: what was asked for, or the best that is legal.
///
/// Unasked, a tile that shared memory can't serve at all (a dimension is whole, a neighbour is too near) works in
/// global memory; one that is merely too large is refused, for a smaller one will do better.
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
    let mut refusal = Unstaged::Nothing;
    for storage in order {
        let Storage::Shared { align, .. } = storage else { return Ok(global) };
        match stage(problem, phases, classical, align, gpu.shared_bytes) {
            Ok(boxes) => return Ok((storage, boxes)),
            Err(why) => refusal = why,
        }
    }
    match refusal {
        Unstaged::Nothing => Ok(global),
        Unstaged::Impossible(_) if wanted.is_none() => Ok(global),
        Unstaged::Impossible(why) | Unstaged::TooLarge(why) => Err(Inapplicable(why)),
    }
}

/// Why shared memory can't serve a tile.
enum Unstaged {
    /// No array moves with the tile.
    Nothing,
    Impossible(String),
    TooLarge(String),
}

fn stage(
    problem: &Problem,
    phases: &[Phase],
    classical: &[Classical],
    align: bool,
    limit: u64,
) -> Result<Vec<StagedArray>, Unstaged> {
    let boxes = staging::boxes(&problem.stencil, phases, classical, align).ok_or_else(|| {
        Unstaged::Impossible(
            "a dimension is whole, so no box of shared memory can hold a tile".into(),
        )
    })?;
    if boxes.is_empty() {
        return Err(Unstaged::Nothing);
    }
    if !staging::clear_of_neighbours(&problem.stencil, phases, classical, &boxes) {
        return Err(Unstaged::Impossible(
            "w0 is too small to load a tile's box beside its neighbours' writes".into(),
        ));
    }
    let bytes = shared_bytes(problem, &boxes);
    if bytes > limit {
        return Err(Unstaged::TooLarge(format!(
            "a tile needs {bytes} bytes of shared memory, a block has {limit}"
        )));
    }
    Ok(boxes)
}

/// Shared memory of all boxes, each aligned to 16 bytes.
pub fn shared_bytes(problem: &Problem, boxes: &[StagedArray]) -> u64 {
    boxes
        .iter()
        .map(|b| {
            let array = &problem.stencil.arrays[usize::from(b.array)];
            let elements = (b.elements() as u64).saturating_mul(array.slots.len() as u64);
            elements.saturating_mul(array.elem.size()).saturating_add(15) / 16 * 16
        })
        .fold(0, u64::saturating_add)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Body, FpFlags, Op, Ty, Value};
    use crate::deps::{DependenceCone, Dependences};
    use crate::schedule::{Ratio, TiledSchedule, judge};
    use crate::stencil::{Statement, StencilProgram, Write};
    use hexpass_abi::{Access, Array, ElemType, FpMode, IntExpr, Poly, Slot, Subscript, expr::Sym};

    /// a[t + 1][s] from a[t][s - reach] and a[t][s + reach], two slots.
    fn problem(reach: i64) -> Problem {
        let access = |rotation, c| Access {
            array: 0,
            rotation,
            subscripts: vec![Subscript { dim: Some(0), offset: Poly::constant(c) }],
        };
        let slot = |pointer| Slot { pointer, offset: Poly::zero() };
        let int = |i| IntExpr::Poly(Poly::symbol(Sym::Int(i)));
        let load =
            Value { op: Op::Load(0), ty: Ty::Elem(ElemType::F32), flags: FpFlags::default() };
        let stencil = StencilProgram {
            function: "test".into(),
            file: None,
            line: None,
            dims: 1,
            ints: vec!["steps".into(), "n".into()],
            steps: int(0),
            arrays: vec![Array {
                name: "a".into(),
                elem: ElemType::F32,
                slots: vec![slot(0), slot(1)],
                rotation: Poly::zero(),
                strides: vec![Poly::constant(4)],
            }],
            statements: vec![Statement {
                lo: vec![IntExpr::Poly(Poly::constant(reach))],
                hi: vec![int(1)],
                reads: vec![access(0, -reach), access(0, reach)],
                body: Body { values: vec![load] },
                writes: vec![Write { access: access(1, 0), value: 0 }],
                line: None,
            }],
            checks: Vec::new(),
            disjoint_pointers: Vec::new(),
            scalars: Vec::new(),
            fp: FpMode::Exact,
        };
        let both =
            format!("{{ S0[t, s] -> S0[t + 1, s + {reach}]; S0[t, s] -> S0[t + 1, s - {reach}] }}");
        let deps = Dependences {
            cone: DependenceCone { delta: vec![(Ratio::whole(reach), Ratio::whole(reach))] },
            distances: Vec::new(),
            uniform: false,
            flow: both.clone(),
            anti: both,
            output: "{ S0[t, s] -> S0[t + 2, s] }".into(),
        };
        Problem { stencil, deps }
    }

    fn tiled(problem: &Problem, h: i64, w0: i64) -> TiledSchedule {
        let (delta0, delta1) = problem.cone().delta[0];
        let checked = Checked { hexagon: Hexagon::new(delta0, delta1, h, w0), widths: Vec::new() };
        let sizes = TileSizes(vec![("h".into(), h), ("w0".into(), w0)]);
        let tiling = schedule(problem, &sizes, &checked, &Device::default_host(), None).unwrap();
        TiledSchedule::Phased(tiling)
    }

    /// At the bound on w0 the judge passes the tiling; one below, it doesn't.
    #[test]
    fn w0_below_its_bound() {
        for reach in 2..5 {
            let problem = problem(reach);
            for h in 0..4 {
                let least = reach - 1;
                assert_eq!(
                    judge::check(&problem, &tiled(&problem, h, least)),
                    Ok(()),
                    "{reach} {h}"
                );
                let verdict = judge::check(&problem, &tiled(&problem, h, least - 1));
                assert!(verdict.is_err(), "{reach} {h}");
            }
        }
    }
}
