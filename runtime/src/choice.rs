//! Which variant runs, with which tunables.
//!
//! Consumes a record, the options and a [`Machine`]; produces [`Pick`]s, best first by the time model
//! ([`hexpass_abi::cost`]); refuses wishes of the user that the object can't grant.

use crate::error::{Reason, Refusal};
use crate::footprint::Cuboid;
use crate::guard::Extent;
use crate::options::Options;
use crate::plan::{self, Values};
use crate::record::Nest;
use crate::tune::Tune;
use hexpass_abi::{LaunchShape, Machine, PlanExpr, PlanOp, Variant, VariantTarget};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// A variant of the record and a value for each of its tunables.
#[derive(Clone, Debug, PartialEq)]
pub struct Pick {
    /// Index of the variant.
    pub index: usize,
    /// As [`Variant::tunables`].
    pub tunables: Vec<i64>,
    /// Predicted seconds of all its launches; `None` where nothing is known of its kernels.
    pub seconds: Option<f64>,
}

/// Most values of tunables that are looked at for one variant.
const MOST_SETTINGS: usize = 256;

/// What the options and the grid's extent allow for a target, in the record's order, defaults first; never empty.
pub fn allowed(
    nest: &Nest,
    extent: &Extent,
    target: VariantTarget,
    options: &Options,
) -> Result<Vec<Pick>, Refusal> {
    let variants = nest.variants(target)?;
    let find = |setting: &[(String, i64)]| -> Vec<Pick> {
        let named = |v: &Variant| options.strategy.as_ref().is_none_or(|s| *s == v.strategy);
        variants
            .iter()
            .filter(|(_, v)| named(v) && has_sizes(v, setting))
            .flat_map(|(index, v)| picks(*index, v, setting))
            .collect()
    };
    let found = match options.tiles.as_slice() {
        [] => find(&[]),
        settings => settings.iter().map(|s| find(s)).find(|f| !f.is_empty()).unwrap_or_default(),
    };
    if found.is_empty() {
        return Err(absent(&variants, target, options));
    }
    let points: Vec<i64> = (0..extent.space.dims).map(|d| extent.space.extent(d)).collect();
    let looks_round_again = |p: &Pick| {
        let least = &nest.variant(p.index).least;
        points.iter().zip(least).any(|(points, least)| points < least)
    };
    let (round, found): (Vec<Pick>, Vec<Pick>) = found.into_iter().partition(looks_round_again);
    match round.first() {
        Some(pick) if found.is_empty() => {
            let message = format!(
                "{points:?} points, whose neighbours go round; its kernels need {:?} at least",
                nest.variant(pick.index).least
            );
            Err(Refusal::new(Reason::CheckSize, message))
        }
        _ => with_room(nest, extent, found),
    }
}

/// Those whose kernels find the rows that they keep what a step is reduced from in.
fn with_room(nest: &Nest, extent: &Extent, mut found: Vec<Pick>) -> Result<Vec<Pick>, Refusal> {
    // Rows that an array has: of the boxes of all statements that write it.
    let rows = |array: &u16| {
        let statements = nest.record.statements.iter().zip(&extent.statements);
        let writers = statements.filter(|(s, _)| s.writes.iter().any(|w| w.array == *array));
        let boxes: Vec<&Cuboid> = writers.filter_map(|(_, b)| b.as_ref()).collect();
        let (lo, hi) = (boxes.iter().map(|b| b.lo[0]).min(), boxes.iter().map(|b| b.hi[0]).max());
        lo.zip(hi).map_or(i64::MAX, |(lo, hi)| hi - lo + 1)
    };
    let fits = |variant: &Variant, tunables: &[i64]| {
        let values = Values { extent, tunables };
        let folds = variant.kernels.iter().filter_map(|k| k.folds.as_ref());
        let mut arrays = folds.flat_map(|f| &f.arrays);
        arrays.all(|array| plan::rows_kept(variant, values, *array) <= Some(rows(array)))
    };
    // The smaller the parts, the more rows there are.
    let mut always: HashMap<usize, bool> = HashMap::new();
    found.retain(|pick| {
        let variant = nest.variant(pick.index);
        let least = || -> Vec<i64> {
            variant.tunables.iter().filter_map(|t| t.values.iter().copied().min()).collect()
        };
        let always = always.entry(pick.index).or_insert_with(|| fits(variant, &least()));
        *always || fits(variant, &pick.tunables)
    });
    match found.is_empty() {
        false => Ok(found),
        true => {
            let message = "the grid has too few rows for what threads keep of a step";
            Err(Refusal::new(Reason::CheckSize, message))
        }
    }
}

fn absent(variants: &[(usize, &Variant)], target: VariantTarget, options: &Options) -> Refusal {
    let target_name = if target == VariantTarget::Host { "cpu" } else { "device" };
    let present: Vec<String> = variants.iter().map(|(_, v)| describe(v)).collect();
    if present.is_empty() {
        let message = format!("the object holds no {target_name} kernels for this nest");
        return Refusal::new(Reason::NoKernel, message);
    }
    let message = format!(
        "no {target_name} variant is {}; present are: {}",
        asked_for(options),
        present.join("; ")
    );
    Refusal::new(Reason::AbsentVariant, message)
}

/// True if a variant has the sizes of a setting. One that it does not record is 0: a dimension left whole.
fn has_sizes(v: &Variant, setting: &[(String, i64)]) -> bool {
    let tunable = |name: &str| v.tunables.iter().any(|t| t.name == name);
    let recorded = |name: &str| v.sizes.iter().find(|(n, _)| n == name).map_or(0, |(_, n)| *n);
    setting.iter().all(|(name, n)| tunable(name) || recorded(name) == *n)
}

/// All values of a variant's tunables that agree with a setting, the defaults first.
fn picks(index: usize, v: &Variant, setting: &[(String, i64)]) -> Vec<Pick> {
    let mut all = vec![Vec::new()];
    for tunable in &v.tunables {
        let wanted = setting.iter().find(|(n, _)| *n == tunable.name).map(|(_, n)| *n);
        let values = tunable.values.iter().filter(|&&n| wanted.is_none_or(|w| w == n));
        let with = |value: i64| {
            let extend = move |p: &Vec<i64>| p.iter().copied().chain([value]).collect();
            all.iter().map(extend).collect::<Vec<Vec<i64>>>()
        };
        all = values.flat_map(|&value| with(value)).take(MOST_SETTINGS).collect();
    }
    all.into_iter().map(|tunables| Pick { index, tunables, seconds: None }).collect()
}

/// Sizes and tunables of a pick by name.
pub fn sizes<'a>(
    variant: &'a Variant,
    tunables: &'a [i64],
) -> impl Iterator<Item = (&'a str, i64)> {
    let chosen = variant.tunables.iter().zip(tunables).map(|(t, n)| (t.name.as_str(), *n));
    variant.sizes.iter().map(|(name, n)| (name.as_str(), *n)).chain(chosen)
}

/// `h=3,w0=7`
pub fn sizes_text<'a>(sizes: impl Iterator<Item = (&'a str, i64)>) -> String {
    sizes.map(|(name, n)| format!("{name}={n}")).collect::<Vec<_>>().join(",")
}

fn describe(v: &Variant) -> String {
    format!("{} {}", v.strategy, sizes_text(sizes(v, &[]))).trim_end().to_string()
}

fn asked_for(options: &Options) -> String {
    let strategy = options.strategy.as_ref().map(|s| format!("HEXPASS_STRATEGY={s}"));
    let text = |s: &Vec<(String, i64)>| sizes_text(s.iter().map(|(name, n)| (name.as_str(), *n)));
    let settings: Vec<String> = options.tiles.iter().map(text).collect();
    let tile = (!settings.is_empty()).then(|| format!("HEXPASS_TILE={}", settings.join(";")));
    strategy.into_iter().chain(tile).collect::<Vec<_>>().join(" ")
}

/// Predicts each pick's time and puts the best first; those of which nothing is known stay behind, in their order.
pub fn rank(nest: &Nest, extent: &Extent, machine: &Machine, picks: &mut [Pick]) {
    for pick in picks.iter_mut() {
        pick.seconds = predict(nest, extent, machine, pick);
    }
    picks.sort_by(|a, b| {
        let seconds = |p: &Pick| p.seconds.unwrap_or(f64::INFINITY);
        seconds(a).total_cmp(&seconds(b))
    });
}

/// Settings of a variant that are kept once they are ranked: more than are ever tried by the way, and few to hand on each time
/// that a loop's steps run ahead.
const MOST_KEPT: usize = 8;

/// Leaves the best settings of each variant, but where all are to be tried.
pub fn thin(picks: &mut Vec<Pick>, options: &Options) {
    if options.tune == Some(Tune::Full) {
        return;
    }
    let mut kept: HashMap<usize, usize> = HashMap::new();
    picks.retain(|pick| {
        let kept = kept.entry(pick.index).or_default();
        *kept += 1;
        *kept <= MOST_KEPT
    });
}

/// Blocks for each thread that even out what they take.
const BLOCKS_EACH: u64 = 2;

/// Of a variant on the host, of whose tunables no model knows, puts the first pick forward that has blocks enough for so many
/// threads, or else the one with most.
pub fn spread(nest: &Nest, extent: &Extent, threads: usize, picks: &mut [Pick]) {
    let blocks = |p: &Pick| {
        let values = Values { extent, tunables: &p.tunables };
        let plan = &nest.variant(p.index).plan;
        let vars = vec![0; usize::from(plan.vars)];
        // Kernel 0 is that of most steps.
        let blocks = first_launch(&plan.ops).map(|b| b[0].eval(&values, &vars).max(0) as u64);
        blocks.unwrap_or(0)
    };
    for same in picks.chunk_by_mut(|a, b| a.index == b.index) {
        let all: Vec<u64> = same.iter().map(blocks).collect();
        let enough = all.iter().position(|&n| n >= BLOCKS_EACH * threads as u64);
        let most = || all.iter().enumerate().rev().max_by_key(|(_, n)| **n).map(|(i, _)| i);
        if let Some(first) = enough.or_else(most) {
            same[..=first].rotate_right(1);
        }
    }
}

/// Blocks of a launch of kernel 0.
fn first_launch(ops: &[PlanOp]) -> Option<&[PlanExpr; 3]> {
    ops.iter().find_map(|op| match op {
        PlanOp::Loop { body, .. } => first_launch(body),
        PlanOp::Launch { kernel: 0, blocks, .. } => Some(blocks),
        PlanOp::Launch { .. } => None,
    })
}

/// Seconds of all launches of a pick, by the time model; `None` where nothing is known of a kernel that they run, or one
/// doesn't fit the machine.
pub fn predict(nest: &Nest, extent: &Extent, machine: &Machine, pick: &Pick) -> Option<f64> {
    let total = model(nest, extent, machine, pick, |model| {
        let mut vars = vec![0; usize::from(model.variant.plan.vars)];
        model.ops(&model.variant.plan.ops, &mut vars)
    })?;
    // The host may be slower to queue launches than the device to run them.
    Some(total.seconds.max(total.launches * machine.queue))
}

/// What `f` finds out of a pick.
fn model<R>(
    nest: &Nest,
    extent: &Extent,
    machine: &Machine,
    pick: &Pick,
    f: impl FnOnce(&Model) -> R,
) -> R {
    let variant = nest.variant(pick.index);
    let values = Values { extent, tunables: &pick.tunables };
    let in_cache = footprint(nest, variant, extent) <= 0.8 * machine.cache_bytes as f64;
    let registers = nest.registers(pick.index);
    f(&Model { variant, values, machine, in_cache, registers: &registers })
}

/// What the launches of a plan take, and how many they are.
#[derive(Clone, Copy, Default)]
struct Total {
    seconds: f64,
    launches: f64,
}

struct Model<'a> {
    variant: &'a Variant,
    values: Values<'a>,
    machine: &'a Machine,
    in_cache: bool,
    /// Of each kernel, as the driver counts them; empty where it has not loaded them yet.
    registers: &'a [u16],
}

impl Model<'_> {
    fn ops(&self, ops: &[PlanOp], vars: &mut Vec<i64>) -> Option<Total> {
        let mut sum = Total::default();
        for op in ops {
            let (more, times) = match op {
                PlanOp::Loop { var, lo, hi, body } => self.each(*var, (lo, hi), body, vars)?,
                PlanOp::Launch { kernel, blocks, .. } => {
                    (self.launch(usize::from(*kernel), blocks, vars)?, 1.0)
                }
            };
            sum.seconds += more.seconds * times;
            sum.launches += more.launches * times;
        }
        Some(sum)
    }

    /// A loop: once where its counter makes no difference, and how many times.
    fn each(
        &self,
        var: u8,
        (lo, hi): (&PlanExpr, &PlanExpr),
        body: &[PlanOp],
        vars: &mut Vec<i64>,
    ) -> Option<(Total, f64)> {
        let (lo, hi) = (lo.eval(&self.values, vars), hi.eval(&self.values, vars));
        if hi < lo {
            return Some((Total::default(), 0.0));
        }
        // A value that is bound has one turn.
        let varies = hi > lo && self.varies(body, var);
        let mut sum = Total::default();
        for value in lo..=if varies { hi } else { lo } {
            vars[usize::from(var)] = value;
            let more = self.ops(body, vars)?;
            sum.seconds += more.seconds;
            sum.launches += more.launches;
        }
        Some((sum, if varies { 1.0 } else { (hi - lo + 1) as f64 }))
    }

    /// True if a loop's counter decides how much is launched in its body.
    fn varies(&self, ops: &[PlanOp], var: u8) -> bool {
        ops.iter().any(|op| match op {
            PlanOp::Loop { lo, hi, body, .. } => {
                lo.mentions(var) || hi.mentions(var) || self.varies(body, var)
            }
            PlanOp::Launch { kernel, blocks, .. } => {
                let cost = &self.variant.kernels[usize::from(*kernel)].cost;
                let border = cost.border.iter().flat_map(|b| &b.turns);
                blocks.iter().chain(&cost.turns).chain(border).any(|e| e.mentions(var))
            }
        })
    }

    fn launch(&self, kernel: usize, blocks: &[PlanExpr; 3], vars: &[i64]) -> Option<Total> {
        let grid = blocks.each_ref().map(|e| e.eval(&self.values, vars).max(0) as u64);
        if grid.contains(&0) {
            return Some(Total::default());
        }
        let (registers, shape) = self.shape(kernel, grid, vars);
        let cost = &self.variant.kernels[kernel].cost;
        let seconds = self.machine.launch_seconds_at(cost, registers, &shape)?;
        Some(Total { seconds, launches: 1.0 })
    }

    /// Registers of a thread of a kernel, and its launch over a grid, as the formula sees them.
    fn shape(&self, kernel: usize, grid: [u64; 3], vars: &[i64]) -> (u16, LaunchShape) {
        let counted = self.registers.get(kernel).copied().filter(|&n| n > 0);
        let kernel = &self.variant.kernels[kernel];
        let [turns, border_turns] = kernel.cost.turns_of(|t| t.eval(&self.values, vars));
        let shape = LaunchShape {
            threads: kernel.threads.iter().product(),
            shared_bytes: kernel.shared_bytes,
            blocks: grid.iter().product(),
            border: kernel.cost.border_blocks(grid),
            rows: kernel.cost.row_blocks(grid),
            turns,
            border_turns,
            in_cache: self.in_cache,
        };
        (counted.unwrap_or(kernel.cost.registers), shape)
    }
}

/// Equal launches of a pick, as the time model sees them.
#[derive(Clone, Debug)]
pub struct Launches {
    /// Index among the variant's kernels.
    pub kernel: usize,
    /// Registers of a thread.
    pub registers: u16,
    /// What the formula is asked.
    pub shape: LaunchShape,
    /// How many.
    pub count: u64,
}

/// All launches of a pick.
pub fn launches(nest: &Nest, extent: &Extent, machine: &Machine, pick: &Pick) -> Vec<Launches> {
    let mut out: Vec<Launches> = Vec::new();
    model(nest, extent, machine, pick, |model| {
        let _ = plan::walk::<()>(model.variant, model.values, &mut |launch| {
            let (kernel, grid) = (launch.kernel, launch.blocks);
            let (registers, shape) = model.shape(kernel, grid, launch.vars);
            match out.iter_mut().find(|l| l.kernel == kernel && l.shape == shape) {
                Some(known) => known.count += 1,
                None => out.push(Launches { kernel, registers, shape, count: 1 }),
            }
            ControlFlow::Continue(())
        });
    });
    out
}

/// Bytes of all arrays and scratch buffers.
fn footprint(nest: &Nest, variant: &Variant, extent: &Extent) -> f64 {
    let bytes = |(index, array): (usize, &hexpass_abi::Array)| {
        let scratch = variant.scratch.iter().filter(|&&a| usize::from(a) == index).count();
        let dims = extent.space.dims.saturating_sub(array.strides.len())..extent.space.dims;
        let elements: f64 = dims.map(|d| extent.space.extent(d) as f64).product();
        elements * (array.elem.size() * (array.slots.len() + scratch) as u64) as f64
    };
    nest.record.arrays.iter().enumerate().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{reduced_nest, small_nest};
    use hexpass_abi::{
        BlockWork, Folds, KernelCode, KernelCost, KernelRecord, LaunchPlan, Tunable, plan::in_a_row,
    };

    fn variant(target: VariantTarget, sizes: &[(&str, i64)]) -> Variant {
        Variant {
            strategy: "hexagonal".to_string(),
            sizes: sizes.iter().map(|(name, n)| ((*name).to_string(), *n)).collect(),
            storage: String::new(),
            target,
            ptx: vec![],
            aligned: false,
            kernels: vec![],
            plan: LaunchPlan { ops: vec![], vars: 0 },
            tunables: vec![],
            scratch: vec![],
            alike: false,
            least: Vec::new(),
        }
    }

    fn with_tile(tile: &str) -> Options {
        let options = Options::parse(|name| (name == "HEXPASS_TILE").then(|| tile.to_string()));
        assert_eq!(options.errors, Vec::<String>::new());
        options
    }

    /// Eight points.
    fn extent(nest: &Nest) -> Extent {
        Extent::of(nest, &[]).unwrap().unwrap()
    }

    #[test]
    fn grids_that_a_variant_would_look_round_more_than_once_are_for_others() {
        let host = VariantTarget::Host;
        let round = |least| Variant { least: vec![least], ..variant(host, &[("b", least)]) };
        let indices = |variants| {
            let nest = small_nest(variants);
            let found = allowed(&nest, &extent(&nest), host, &Options::default());
            found.map(|f| f.iter().map(|p| p.index).collect::<Vec<_>>())
        };
        assert_eq!(indices(vec![round(9), round(8), variant(host, &[])]), Ok(vec![1, 2]));
        let refusal = indices(vec![round(9), round(12)]).unwrap_err();
        assert_eq!(refusal.reason, Reason::CheckSize);
        assert!(refusal.message.contains("need [9] at least"), "{}", refusal.message);
    }

    #[test]
    fn the_first_setting_that_a_variant_has_picks_it() {
        let host = VariantTarget::Host;
        let nest = small_nest(vec![
            variant(host, &[("h", 3), ("w0", 7), ("w1", 32)]),
            variant(host, &[("h", 7), ("w0", 15)]),
            variant(host, &[("h", 7), ("w0", 31), ("w1", 64)]),
        ]);
        for (tile, picked) in [
            ("", 0),
            ("h=3", 0),
            ("h=7", 1),
            ("h=7;h=3", 1),
            ("h=3;h=7", 0),
            ("h=5;h=7,w0=31", 2),
            ("h=7,w0=3;h=9;w0=31", 2),
            // What is recorded nowhere is 0, and 0 is recorded nowhere.
            ("w1=0", 1),
            ("h=7,w0=15,w1=0", 1),
            ("h=3,w1=0;h=7,w1=64", 2),
            ("h=3,w2=0", 0),
        ] {
            let found = allowed(&nest, &extent(&nest), host, &with_tile(tile)).unwrap();
            assert_eq!(found[0].index, picked, "{tile}");
        }
        for tile in ["h=5", "h=3,w1=0", "h=0", "h=5;w0=8,w1=0"] {
            let refusal = allowed(&nest, &extent(&nest), host, &with_tile(tile)).unwrap_err();
            let said = format!(
                "no cpu variant is HEXPASS_TILE={tile}; present are: hexagonal h=3,w0=7,w1=32; \
                 hexagonal h=7,w0=15; hexagonal h=7,w0=31,w1=64"
            );
            assert_eq!((refusal.reason, refusal.message), (Reason::AbsentVariant, said));
        }
    }

    /// Blocks of `c` points each; what a block does is ten instructions, and `each` for a point.
    fn tunable(each: u64) -> Variant {
        let chunk = || PlanExpr::Tunable(0);
        let points = PlanExpr::SpaceHi(0) + PlanExpr::Const(1);
        let blocks = PlanExpr::Quotient(Box::new(points), Box::new(chunk()));
        let work = |instructions| BlockWork { instructions, ..BlockWork::default() };
        let cost = KernelCost {
            registers: 32,
            start: work(10_000),
            turn: work(each),
            turns: Some(chunk()),
            ..KernelCost::default()
        };
        let code = KernelCode::Ptx("k".into());
        Variant {
            tunables: vec![Tunable { name: "c".into(), values: vec![1, 4, 8] }],
            kernels: vec![KernelRecord {
                code,
                threads: [32, 1, 1],
                shared_bytes: 0,
                params: vec![],
                folds: None,
                cost,
            }],
            plan: LaunchPlan {
                ops: vec![PlanOp::Launch {
                    kernel: 0,
                    blocks: in_a_row(blocks),
                    time: PlanExpr::Const(0),
                    args: vec![],
                }],
                vars: 0,
            },
            ..variant(VariantTarget::Device, &[("b", 2)])
        }
    }

    #[test]
    fn tunables_are_settings_of_a_tile() {
        let nest = small_nest(vec![tunable(1)]);
        let chosen = |tile: &str| {
            let found = allowed(&nest, &extent(&nest), VariantTarget::Device, &with_tile(tile));
            found.map(|f| f.into_iter().map(|p| p.tunables[0]).collect::<Vec<_>>())
        };
        assert_eq!(chosen(""), Ok(vec![1, 4, 8]));
        assert_eq!(chosen("b=2,c=4"), Ok(vec![4]));
        assert_eq!(chosen("c=5;c=8"), Ok(vec![8]));
        assert!(chosen("b=3,c=4").is_err());
        assert!(chosen("c=5").is_err());
    }

    #[test]
    fn chunks_on_the_host_are_as_many_as_threads_want() {
        let mut chunks = Variant { target: VariantTarget::Host, ..tunable(1) };
        chunks.kernels[0].code = KernelCode::Host(0);
        let nest = small_nest(vec![chunks, variant(VariantTarget::Host, &[("w", 2)])]);
        let chunk_of = |threads| {
            let extent = extent(&nest);
            let mut picks =
                allowed(&nest, &extent, VariantTarget::Host, &Options::default()).unwrap();
            picks[..3].reverse();
            spread(&nest, &extent, threads, &mut picks);
            assert_eq!(picks.iter().map(|p| p.index).collect::<Vec<_>>(), [0, 0, 0, 1]);
            picks[0].tunables[0]
        };
        // Eight points: one block of eight, two of four, eight of one.
        assert_eq!([1, 2, 4, 5].map(chunk_of), [4, 1, 1, 1]);
    }

    #[test]
    fn variants_that_keep_elements_in_more_rows_than_there_are_are_left_out() {
        let folding = |each| {
            let mut variant = tunable(1);
            variant.kernels[0].folds =
                Some(Folds { arrays: vec![0], steps: 1, rows: Some((0, each)) });
            variant
        };
        let indices = |variants| {
            let nest = reduced_nest(variants)?;
            let found = allowed(&nest, &extent(&nest), VariantTarget::Device, &Options::default());
            found.map(|f| f.iter().map(|p| (p.index, p.tunables[0])).collect::<Vec<_>>())
        };
        // Eight points in parts of one, four and eight: eight, two and one rows, or twice and nine times as many.
        let all = |index| [1, 4, 8].map(|chunk| (index, chunk));
        assert_eq!(indices(vec![folding(1)]), Ok(all(0).to_vec()));
        assert_eq!(indices(vec![folding(2)]), Ok(all(0)[1..].to_vec()));
        assert_eq!(indices(vec![folding(9), tunable(1)]), Ok(all(1).to_vec()));
        assert_eq!(indices(vec![folding(9)]).unwrap_err().reason, Reason::CheckSize);
        let mut damaged = folding(1);
        damaged.kernels[0].folds.iter_mut().for_each(|f| f.arrays[0] = 1);
        assert_eq!(indices(vec![damaged]).unwrap_err().reason, Reason::BadRecord);
    }

    #[test]
    fn few_settings_of_each_variant_are_kept() {
        let pick = |index, chunk| Pick { index, tunables: vec![chunk], seconds: None };
        let all: Vec<Pick> = (0..20).flat_map(|chunk| [pick(1, chunk), pick(4, chunk)]).collect();
        for (tune, kept) in [(None, 2 * MOST_KEPT), (Some(Tune::Full), 40)] {
            let mut picks = all.clone();
            thin(&mut picks, &Options { tune, ..Options::default() });
            assert_eq!(picks, all[..kept]);
        }
    }

    #[test]
    fn the_model_puts_the_quickest_first_and_the_unknown_last() {
        let device = VariantTarget::Device;
        let unknown = Variant {
            kernels: vec![KernelRecord {
                cost: KernelCost::default(),
                ..tunable(1).kernels.remove(0)
            }],
            ..tunable(1)
        };
        let nest = small_nest(vec![unknown, tunable(5_000_000), tunable(50)]);
        let extent = extent(&nest);
        let mut picks = allowed(&nest, &extent, device, &Options::default()).unwrap();
        rank(&nest, &extent, &Machine::h200(), &mut picks);
        let order: Vec<(usize, i64)> = picks.iter().map(|p| (p.index, p.tunables[0])).collect();
        // Long turns want many blocks; of the unknown ones the default comes first.
        assert_eq!(order[0].0, 2);
        assert_eq!(order[3..], [(1, 1), (1, 4), (1, 8), (0, 1), (0, 4), (0, 8)]);
        assert!(picks[5].seconds.is_some() && picks[6].seconds.is_none());
    }
}
