//! Sizes → [`Phased`]: phases, each a launch, in the form that says nothing of hexagons any more.
//!
//! Without a split dimension there are two phases, of the hexagons; each split dimension doubles them, shrinking
//! trapezoids before growing ones.

use super::geometry::Hexagon;
use super::registers;
use super::sizes::{Checked, Further};
use super::split::{Kind, Split};
use crate::device::Device;
use crate::problem::Problem;
use crate::schedule::{
    Classical, Cut, Phase, Phased, Reuse, Row, StagedArray, Storage, TileSizes, staging,
};
use crate::stencil::NEAR;
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
    let placed = place(problem, checked, device, wanted)?;
    Ok(Phased {
        strategy: "hexagonal",
        sizes: TileSizes(
            sizes.0.iter().filter(|(n, v)| *v != 0 || n == "h" || n == "w0").cloned().collect(),
        ),
        first: PlanExpr::Const(0),
        last: last_time_tile(&checked.hexagon, problem.k()),
        execution: execution(&checked.hexagon, &placed.dims, problem.k()),
        phases: placed.phases,
        storage: placed.storage,
    })
}

/// ⌊(k·steps − 1 + h + 1) / (2h + 2)⌋: the time tile of the last instance in phase 0.
fn last_time_tile(hexagon: &Hexagon, k: i64) -> PlanExpr {
    let last = sum(scaled(PlanExpr::Steps, k), hexagon.h);
    PlanExpr::FloorDiv(Box::new(last), hexagon.height())
}

/// A dimension after the first.
#[derive(Clone, Copy, Debug)]
enum Dim {
    Classical(Classical),
    Split(Split),
}

/// A phase of hexagons, and the kind of trapezoid in each split dimension.
type Kinds = (i64, Vec<Kind>);

/// All phases of a time tile, in order.
fn kinds(dims: &[Dim]) -> Vec<Kinds> {
    let mut all = vec![(0, Vec::new()), (1, Vec::new())];
    for _ in dims.iter().filter(|d| matches!(d, Dim::Split(_))) {
        all = all
            .into_iter()
            .flat_map(|(hexagons, kinds): Kinds| {
                [Kind::Shrink, Kind::Grow]
                    .map(|kind| (hexagons, [kinds.as_slice(), &[kind]].concat()))
            })
            .collect();
    }
    all
}

/// One phase.
fn phase(hexagon: &Hexagon, dims: &[Dim], kinds: &Kinds) -> Phase {
    let mut split = kinds.1.iter();
    let mut cuts = vec![Cut::Blocks(hexagons(hexagon, kinds.0))];
    cuts.extend(dims.iter().enumerate().map(|(at, dim)| match dim {
        Dim::Classical(classical) => Cut::Tiles(*classical),
        Dim::Split(s) => {
            Cut::Blocks(trapezoids(s, *split.next().unwrap_or(&Kind::Shrink), at as u8 + 1))
        }
    }));
    Phase {
        u: sum(scaled(PlanExpr::Var(0), hexagon.height()), -hexagon.time_offset(kinds.0)),
        levels: hexagon.height(),
        cuts,
        staging: Vec::new(),
    }
}

/// Where the boxes of a phase of hexagons lie, from the table of phases in [`super::geometry`].
fn hexagons(hexagon: &Hexagon, phase: i64) -> Row {
    let time_tile = || PlanExpr::Var(0);
    // Added to s0 it gives n, whose quotient by the pitch is the block.
    let offset = hexagon.space_offset(phase);
    let shifted = |s0: PlanExpr, sign: i64| match hexagon.drift() {
        0 => sum(s0, sign * offset),
        drift => sum(s0 + scaled(time_tile(), sign * drift), sign * offset),
    };
    let block_of = |s0| PlanExpr::FloorDiv(Box::new(shifted(s0, 1)), hexagon.pitch());
    let first = block_of(PlanExpr::SpaceLo(0));
    Row {
        last: block_of(PlanExpr::SpaceHi(0)),
        origin: shifted(scaled(first.clone(), hexagon.pitch()), -1),
        first,
        pitch: hexagon.pitch(),
        interval: hexagon.row_exprs(),
    }
}

/// Trapezoids at the multiples of the pitch; those that grow from the multiple after the last coordinate too.
fn trapezoids(split: &Split, kind: Kind, dim: u8) -> Row {
    let tile_of = |s| PlanExpr::FloorDiv(Box::new(s), split.pitch);
    let first = tile_of(PlanExpr::SpaceLo(dim));
    let last = tile_of(PlanExpr::SpaceHi(dim));
    Row {
        last: sum(last, i64::from(kind == Kind::Grow)),
        origin: scaled(first.clone(), split.pitch),
        first,
        pitch: split.pitch,
        interval: split.interval_exprs(kind),
    }
}

fn sum(e: PlanExpr, c: i64) -> PlanExpr {
    if c == 0 { e } else { e + PlanExpr::Const(c) }
}

fn scaled(e: PlanExpr, c: i64) -> PlanExpr {
    if c == 1 { e } else { e * c }
}

/// A tiling with its storage.
struct Placed {
    storage: Storage,
    dims: Vec<Dim>,
    phases: Vec<Phase>,
}

/// Where values live: what was asked for, or the best that is legal.
///
/// Unasked, a tile that shared memory can't serve at all (a dimension is whole, a neighbour is too near) works in
/// global memory; one that is merely too large is refused, for a smaller one will do better.
fn place(
    problem: &Problem,
    checked: &Checked,
    device: &Device,
    wanted: Option<Storage>,
) -> Result<Placed, Inapplicable> {
    let Device::Gpu(gpu) = device else { return plain(problem, checked, Storage::Global) };
    let order = match wanted {
        Some(storage) => vec![storage],
        None => {
            let shared = |align, reuse| Storage::Shared { interleave: true, align, reuse };
            let moved = shared(true, Some(Reuse::Dynamic));
            vec![Storage::Registers, moved, shared(true, None), shared(false, None)]
        }
    };
    let mut refusal = Unstaged::Nothing;
    for storage in order {
        let mut placed = plain(problem, checked, storage)?;
        let staged = match storage {
            Storage::Global => Ok(()),
            Storage::Registers => registers::stage(problem, &mut placed.phases),
            Storage::Shared { .. } => stage(problem, &mut placed, gpu.shared_bytes),
        };
        match staged {
            Ok(()) => return Ok(placed),
            Err(why) => refusal = why,
        }
    }
    match refusal {
        Unstaged::Nothing if wanted.and_then(Storage::reuse).is_none() => {
            plain(problem, checked, Storage::Global)
        }
        Unstaged::Nothing => {
            Err(Inapplicable::new("no array moves with the tile: nothing is reused"))
        }
        Unstaged::Impossible(_) if wanted.is_none() => plain(problem, checked, Storage::Global),
        Unstaged::Impossible(why) | Unstaged::TooLarge(why) => Err(Inapplicable(why)),
    }
}

/// The tiling without what it stages.
fn plain(problem: &Problem, checked: &Checked, storage: Storage) -> Result<Placed, Inapplicable> {
    let hexagon = &checked.hexagon;
    let dims = checked
        .further
        .iter()
        .enumerate()
        .map(|(at, &further)| dim(problem, hexagon.height(), at + 1, further, storage))
        .collect::<Result<Vec<_>, _>>()?;
    let phases = kinds(&dims).iter().map(|kinds| phase(hexagon, &dims, kinds)).collect();
    Ok(Placed { storage, dims, phases })
}

fn dim(
    problem: &Problem,
    levels: i64,
    d: usize,
    further: Further,
    storage: Storage,
) -> Result<Dim, Inapplicable> {
    let (delta0, delta1) = problem.cone().delta[d];
    let classical = |width| Dim::Classical(Classical { width, skew: delta1, shift: 0 });
    let pitch = match further {
        Further::Whole => return Ok(classical(None)),
        Further::Tiles(w) => return Ok(classical(Some(w))),
        Further::Split(pitch) => pitch,
    };
    let reach = reach(problem, d);
    let insets = match storage {
        Storage::Registers if d + 1 == problem.dims() => registers::insets(reach, pitch),
        _ => reach,
    };
    let split = Split { pitch, insets, delta0, delta1 };
    let least = split.smallest_pitch(levels, reach);
    if pitch < least {
        return Err(Inapplicable::new(format!(
            "p{d} = {pitch} must be at least {least}, or growing tiles of one launch would meet"
        )));
    }
    Ok(Dim::Split(split))
}

/// How far accesses to written arrays reach to the left and right in a dimension.
fn reach(problem: &Problem, d: usize) -> (i64, i64) {
    let arrays = problem.written_arrays();
    let offsets = arrays.iter().flat_map(|&array| {
        staging::accesses(&problem.stencil, array)
            .flat_map(|(_, access, _)| &access.subscripts)
            .filter(move |s| s.dim.map(usize::from) == Some(d))
            .flat_map(|s| match s.offset.as_constant() {
                Some(c) => [c, c],
                None => [-NEAR, NEAR],
            })
    });
    offsets.fold((0, 0), |(left, right), c| (left.max(-c), right.max(c)))
}

/// Why shared memory or registers can't serve a tile.
pub enum Unstaged {
    /// No array moves with the tile.
    Nothing,
    Impossible(String),
    TooLarge(String),
}

/// Bytes of a warp's aligned load.
const LINE: u64 = 128;

/// Adds the boxes that each phase stages.
fn stage(problem: &Problem, placed: &mut Placed, limit: u64) -> Result<(), Unstaged> {
    let program = &problem.stencil;
    match placed.storage.reuse() {
        Some(reuse) => stage_anew(problem, placed, reuse)?,
        None => {
            let align = matches!(placed.storage, Storage::Shared { align: true, .. });
            stage_boxes(problem, placed, align.then_some(LINE))?;
        }
    }
    for phase in &placed.phases {
        if !staging::clear_of_neighbours(program, phase) {
            return Err(Unstaged::Impossible(
                "w0 is too small to load a tile's box beside its neighbours' writes".into(),
            ));
        }
        let bytes = shared_bytes(problem, &phase.staging);
        if bytes > limit {
            return Err(Unstaged::TooLarge(format!(
                "a tile needs {bytes} bytes of shared memory, a block has {limit}"
            )));
        }
    }
    match placed.phases.iter().all(|p| p.staging.is_empty()) {
        true => Err(Unstaged::Nothing),
        false => Ok(()),
    }
}

/// The boxes of all phases.
fn stage_boxes(problem: &Problem, placed: &mut Placed, align: Option<u64>) -> Result<(), Unstaged> {
    let program = &problem.stencil;
    let arrays = staging::stageable(program);
    for phase in &mut placed.phases {
        phase.staging = staging::boxes(program, &arrays, phase, align).ok_or_else(|| {
            Unstaged::Impossible(
                "a dimension is whole, so no box of shared memory can hold a tile".into(),
            )
        })?;
    }
    Ok(())
}

/// The boxes of tiles that load only what the one before has not, from lines of memory where that can be had.
fn stage_anew(problem: &Problem, placed: &mut Placed, reuse: Reuse) -> Result<(), Unstaged> {
    let Some((walked, _)) = placed.phases.first().and_then(Phase::walk) else {
        return Err(Unstaged::Impossible(match problem.dims() {
            1 => "no dimension is left for tiles of a block to follow each other along".into(),
            _ => {
                "every dimension is split: a block has one tile, which can reuse no other's".into()
            }
        }));
    };
    stage_boxes(problem, placed, None)?;
    let shift = staging::shift(&problem.stencil, &placed.phases[0], LINE);
    if let (Dim::Classical(dim), true) = (&mut placed.dims[walked - 1], shift != 0) {
        dim.shift = shift;
        for phase in &mut placed.phases {
            if let Cut::Tiles(classical) = &mut phase.cuts[walked] {
                classical.shift = shift;
            }
        }
        stage_boxes(problem, placed, None)?;
    }
    for phase in &mut placed.phases {
        staging::keep(&problem.stencil, phase, reuse, LINE);
    }
    Ok(())
}

/// Shared memory of all boxes, each aligned to 16 bytes.
pub fn shared_bytes(problem: &Problem, boxes: &[StagedArray]) -> u64 {
    boxes
        .iter()
        .map(|b| {
            let array = &problem.stencil.arrays[usize::from(b.array)];
            let places = b.places().iter().fold(1, |n: u64, &p| n.saturating_mul(p as u64));
            let elements = places.saturating_mul(array.slots.len() as u64);
            elements.saturating_mul(array.elem.size()).saturating_add(15) / 16 * 16
        })
        .fold(0, u64::saturating_add)
}

/// The same tiling as an isl union map, from the inequalities rather than from the rows.
///
/// ```text
/// S<i>[t, s] -> [T, phase, X0, X1, …, l]:  height·T + l = k·t + i + time offset,  0 <= l < height
///                                          pitch·X0 + b = s0 + space offset + drift·T,  0 <= b < pitch
///                                          δ0·l − b ≤ (2h+1)·δ0 − f0 and so on
///                                          width·X <= s − shift + ⌊δ1·l⌋ < width·X + width, or the sides of a trapezoid
/// ```
fn execution(x: &Hexagon, dims: &[Dim], k: i64) -> String {
    let mut pieces = Vec::new();
    let list = |letter: &str| {
        (0..=dims.len()).map(|d| format!("{letter}{d}")).collect::<Vec<_>>().join(", ")
    };
    for i in 0..k {
        for (index, (phase, kinds)) in kinds(dims).into_iter().enumerate() {
            let time = format!(
                "{} T + l = {k} t + {} and 0 <= l < {}",
                x.height(),
                i + x.time_offset(phase),
                x.height()
            );
            let b =
                format!("(s0 + {} + {} T - {} X0)", x.space_offset(phase), x.drift(), x.pitch());
            let mut kinds = kinds.iter();
            let inner: String = dims
                .iter()
                .enumerate()
                .map(|(at, dim)| match (dim, at + 1) {
                    (Dim::Classical(c), d) => parallelogram(c, d),
                    (Dim::Split(s), d) => {
                        let kind = *kinds.next().unwrap_or(&Kind::Shrink);
                        let sides = s.inequalities(kind, &format!("s{d}"), &format!("X{d}"));
                        format!(" and {sides}")
                    }
                })
                .collect();
            pieces.push(format!(
                "S{i}[t, {}] -> [T, {index}, {}, l] : {time} and 0 <= {b} < {} and {}{inner}",
                list("s"),
                list("X"),
                x.pitch(),
                inequalities(x, &b),
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
    let Some(width) = c.width else { return format!(" and X{dim} = 0") };
    let skewed = match c.skew.den {
        1 => format!("s{dim} - {} + {} l", c.shift, c.skew.num),
        den => format!("s{dim} - {} + floor(({} l)/{den})", c.shift, c.skew.num),
    };
    format!(" and {width} X{dim} <= {skewed} < {width} X{dim} + {width}")
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
            reductions: vec![],
            aside: vec![],
            granted: Default::default(),
            tables: vec![],
            lookups: vec![],
            fences: vec![],
            statements: vec![Statement {
                lo: vec![IntExpr::Poly(Poly::constant(reach))],
                hi: vec![int(1)],
                reads: vec![access(0, -reach), access(0, reach)],
                body: Body { values: vec![load] },
                writes: vec![Write { access: access(1, 0), value: 0 }],
                unsure_reads: vec![],
                unsure_writes: vec![],
                entries: vec![],
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
            unbounded: None,
            distances: Vec::new(),
            uniform: false,
            flow: both.clone(),
            anti: both,
            output: "{ S0[t, s] -> S0[t + 2, s] }".into(),
        };
        Problem::with(stencil, deps)
    }

    fn tiled(problem: &Problem, h: i64, w0: i64) -> TiledSchedule {
        let (delta0, delta1) = problem.cone().delta[0];
        let checked = Checked { hexagon: Hexagon::new(delta0, delta1, h, w0), further: Vec::new() };
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
