//! Which sizes are legal, and which are worth counting.

use super::LARGEST;
use super::geometry::{Hexagon, smallest_w0};
use crate::device::Device;
use crate::problem::Problem;
use crate::schedule::{Ratio, TileSizes};
use crate::strategy::Inapplicable;

/// Names of the widths, by space dimension.
const WIDTHS: [&str; 3] = ["w0", "w1", "w2"];

/// Names of the pitches of dimensions that are split.
const PITCHES: [&str; 3] = ["", "p1", "p2"];

/// Largest h.
const HIGHEST: i64 = 2047;

/// Sizes that satisfy every bound.
#[derive(Clone, Debug)]
pub struct Checked {
    pub hexagon: Hexagon,
    /// Of the dimensions after the first.
    pub further: Vec<Further>,
}

/// How a dimension after the first is tiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Further {
    /// Not at all.
    Whole,
    /// Classically, tiles of this width one after the other.
    Tiles(i64),
    /// Into trapezoids of this pitch, in parallel.
    Split(i64),
}

/// The bounds: h + 1 a multiple of the statements, w0 as equation 1 of the paper, widths positive.
pub fn check(problem: &Problem, sizes: &TileSizes) -> Result<Checked, Inapplicable> {
    check_names(problem, sizes)?;
    let (delta0, delta1) = cone(problem)?;
    let h = sizes.get("h").ok_or_else(|| Inapplicable::new("the height h is missing"))?;
    check_h(problem, h)?;
    let w0 = sizes.get("w0").ok_or_else(|| Inapplicable::new("the width w0 is missing"))?;
    check_w0(delta0, delta1, h, w0)?;
    let further = (1..problem.stencil.dims).map(|d| further(sizes, d));
    Ok(Checked {
        hexagon: Hexagon::new(delta0, delta1, h, w0),
        further: further.collect::<Result<_, _>>()?,
    })
}

/// All combinations worth counting that agree with what is given.
pub fn candidates(
    problem: &Problem,
    device: &Device,
    given: &TileSizes,
) -> Result<Vec<TileSizes>, Inapplicable> {
    check_names(problem, given)?;
    let (delta0, delta1) = cone(problem)?;
    let heights = match given.get("h") {
        Some(h) => check_h(problem, h).map(|()| vec![h])?,
        None => heights(problem.stencil.statements.len() as i64),
    };
    let dims = problem.stencil.dims;
    let mut out = Vec::new();
    let mut refusal = None;
    for h in heights {
        let widths0 = match given.get("w0") {
            Some(w0) => match check_w0(delta0, delta1, h, w0) {
                Ok(()) => vec![w0],
                Err(why) => {
                    refusal = Some(why);
                    continue;
                }
            },
            None => first_widths(dims, device, smallest_w0(delta0, delta1, h)),
        };
        for family in families(given, device) {
            let further = combinations(dims, device, given, family)?;
            for w0 in &widths0 {
                let of = |f: &Vec<(String, i64)>| {
                    [&[("h".to_owned(), h), ("w0".to_owned(), *w0)], f.as_slice()].concat()
                };
                out.extend(further.iter().map(of).map(TileSizes));
            }
        }
    }
    out.sort_by(|a: &TileSizes, b: &TileSizes| a.0.cmp(&b.0));
    out.dedup();
    match (out.is_empty(), refusal) {
        (true, Some(why)) => Err(why),
        _ => Ok(out),
    }
}

/// The kinds of sizes that agree with what is given; the host's blocks stand in one row, and split nothing.
fn families(given: &TileSizes, device: &Device) -> Vec<Choices> {
    let is_classical = WIDTHS[1..].iter().any(|name| given.get(name).is_some());
    match (is_classical || matches!(device, Device::Host(_)), splits(given)) {
        (_, true) => vec![pitches],
        (true, false) => vec![choices],
        (false, false) => vec![choices, pitches],
    }
}

/// True if a dimension after the first is cut into blocks.
pub fn splits(sizes: &TileSizes) -> bool {
    PITCHES[1..].iter().any(|name| sizes.get(name).is_some())
}

/// Ways to tile a dimension of so many.
type Choices = fn(usize, usize, &Device) -> Vec<Further>;

/// Sizes of all dimensions after the first: what is given, and for the others those of one family; none where what is
/// given is of another.
fn combinations(
    dims: usize,
    device: &Device,
    given: &TileSizes,
    family: Choices,
) -> Result<Vec<Vec<(String, i64)>>, Inapplicable> {
    let mut partial = vec![Vec::new()];
    for d in 1..dims {
        let choices = match given.get(WIDTHS[d]).or(given.get(PITCHES[d])) {
            Some(_) => vec![further(given, d)?],
            None => family(d, dims, device),
        };
        partial = partial
            .iter()
            .flat_map(|p: &Vec<_>| choices.iter().map(move |w| (p, w)))
            .map(|(p, w)| p.iter().cloned().chain(named(d, *w)).collect())
            .collect();
    }
    Ok(partial)
}

fn cone(problem: &Problem) -> Result<(Ratio, Ratio), Inapplicable> {
    problem
        .cone()
        .delta
        .first()
        .copied()
        .ok_or_else(|| Inapplicable::new("there is no space dimension"))
}

fn check_names(problem: &Problem, sizes: &TileSizes) -> Result<(), Inapplicable> {
    let dims = problem.stencil.dims.min(3);
    let known: Vec<&str> =
        ["h"].iter().chain(&WIDTHS[..dims]).chain(&PITCHES[1..dims]).copied().collect();
    match sizes.0.iter().find(|(n, _)| !known.contains(&n.as_str())) {
        Some((name, _)) => Err(Inapplicable::new(format!(
            "there is no tile size {name}; the sizes here are {}",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

fn check_h(problem: &Problem, h: i64) -> Result<(), Inapplicable> {
    let k = problem.stencil.statements.len() as i64;
    if !(0..=HIGHEST).contains(&h) {
        return Err(Inapplicable::new(format!("h = {h} must lie between 0 and {HIGHEST}")));
    }
    if (h + 1) % k != 0 {
        return Err(Inapplicable::new(format!(
            "h + 1 = {} must be a multiple of the {k} statements of a time step",
            h + 1
        )));
    }
    Ok(())
}

fn check_w0(delta0: Ratio, delta1: Ratio, h: i64, w0: i64) -> Result<(), Inapplicable> {
    let least = smallest_w0(delta0, delta1, h);
    if w0 < least {
        return Err(Inapplicable::new(format!(
            "w0 = {w0} must be at least {least}, or tiles of one launch would depend on each other \
             (w0 >= max(δ0 + {{δ0·h}}, δ1 + {{δ1·h}}) − 1 with δ0 = {delta0}, δ1 = {delta1}, h = {h})"
        )));
    }
    if w0 > LARGEST {
        return Err(Inapplicable::new(format!("w0 = {w0} must be at most {LARGEST}")));
    }
    Ok(())
}

/// How dimension `d` is tiled: `w<d>` is a classical width, `p<d>` the pitch of a split; 0 or absent, the dimension
/// stays whole.
fn further(sizes: &TileSizes, d: usize) -> Result<Further, Inapplicable> {
    let get = |name| sizes.get(name).filter(|&v| v != 0).map(|v| (name, v));
    match (get(WIDTHS[d]), get(PITCHES[d])) {
        (None, None) => Ok(Further::Whole),
        (Some((name, v)), None) | (None, Some((name, v))) if !(1..=LARGEST).contains(&v) => {
            Err(Inapplicable::new(format!(
                "{name} = {v} must lie between 1 and {LARGEST}, or be 0 to leave the dimension whole"
            )))
        }
        (Some((_, w)), None) => Ok(Further::Tiles(w)),
        (None, Some((_, p))) => Ok(Further::Split(p)),
        (Some((w, _)), Some((p, _))) => {
            Err(Inapplicable::new(format!("a dimension has a width {w} or a pitch {p}, not both")))
        }
    }
}

/// The size by name.
fn named(d: usize, further: Further) -> Option<(String, i64)> {
    match further {
        Further::Whole => None,
        Further::Tiles(w) => Some((WIDTHS[d].to_owned(), w)),
        Further::Split(p) => Some((PITCHES[d].to_owned(), p)),
    }
}

/// h + 1 in multiples of k, up to 32 levels up and down, at least one.
fn heights(k: i64) -> Vec<i64> {
    let all = (1..=32 / k).map(|m| m * k - 1);
    let few: Vec<i64> = all
        .filter(|h| [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32].contains(&((h + 1) / k)))
        .collect();
    if few.is_empty() { vec![k - 1] } else { few }
}

/// w0: the least that is legal and larger ones.
fn first_widths(dims: usize, device: &Device, least: i64) -> Vec<i64> {
    let proposed: &[i64] = match (device, dims) {
        (Device::Gpu(_), 1) => &[31, 63, 127, 255, 511, 1023],
        (Device::Gpu(_), 2) => &[1, 2, 3, 5, 7, 9, 11, 15, 19, 23, 31],
        (Device::Gpu(_), _) => &[1, 2, 3, 4, 5, 7, 9],
        (Device::Host(_), 1) => &[127, 255, 511, 1023, 2047, 4095, 8191, 16383],
        (Device::Host(_), 2) => &[15, 23, 31, 47, 63],
        (Device::Host(_), _) => &[1, 3, 5, 7],
    };
    let mut out: Vec<i64> = proposed.iter().copied().filter(|&w| w >= least).collect();
    if out.is_empty() {
        out = vec![least, 2 * least, 4 * least];
    }
    out.dedup();
    out
}

/// Ways to tile dimension `d`: multiples of a warp innermost on a GPU; on the host those around what was quick on few and on
/// many cores, for wider ranges the model can't tell apart (docs/performance.md).
fn choices(d: usize, dims: usize, device: &Device) -> Vec<Further> {
    let innermost = d + 1 == dims;
    let tiles = |w: &[i64]| w.iter().copied().map(Further::Tiles).collect::<Vec<_>>();
    match device {
        Device::Gpu(gpu) if innermost => {
            let warp = i64::from(gpu.warp);
            tiles(&[warp, 2 * warp, 3 * warp, 4 * warp, 8 * warp])
        }
        Device::Gpu(_) => tiles(&[4, 6, 8, 10, 12, 16]),
        Device::Host(_) if innermost && dims > 2 => tiles(&[512]),
        Device::Host(_) if innermost => tiles(&[256, 512]),
        Device::Host(_) => tiles(&[8, 16]),
    }
}

/// Pitches of dimension `d` where all are split: whole vectors of a warp's lanes innermost, on a GPU.
fn pitches(d: usize, dims: usize, device: &Device) -> Vec<Further> {
    let split = |p: &[i64]| p.iter().copied().map(Further::Split).collect();
    match device {
        Device::Gpu(gpu) if d + 1 == dims => {
            let warp = i64::from(gpu.warp);
            split(&[warp, 2 * warp, 4 * warp])
        }
        Device::Gpu(_) => split(&[4, 6, 8, 10, 12, 16]),
        Device::Host(_) => Vec::new(),
    }
}
