//! Which sizes are legal, and which are worth counting.

use super::LARGEST;
use super::geometry::{Hexagon, smallest_w0};
use crate::device::Device;
use crate::problem::Problem;
use crate::schedule::{Ratio, TileSizes};
use crate::strategy::Inapplicable;

/// Names of the sizes, by space dimension.
const WIDTHS: [&str; 3] = ["w0", "w1", "w2"];

/// Largest h.
const HIGHEST: i64 = 2047;

/// Sizes that satisfy every bound.
#[derive(Clone, Debug)]
pub struct Checked {
    pub hexagon: Hexagon,
    /// Of the dimensions after the first; `None`: whole.
    pub widths: Vec<Option<i64>>,
}

/// The bounds: h + 1 a multiple of the statements, w0 as equation 1 of the paper, widths positive.
pub fn check(problem: &Problem, sizes: &TileSizes) -> Result<Checked, Inapplicable> {
    check_names(problem, sizes)?;
    let (delta0, delta1) = cone(problem)?;
    let h = sizes.get("h").ok_or_else(|| Inapplicable::new("the height h is missing"))?;
    check_h(problem, h)?;
    let w0 = sizes.get("w0").ok_or_else(|| Inapplicable::new("the width w0 is missing"))?;
    check_w0(delta0, delta1, h, w0)?;
    let widths = WIDTHS[1..problem.stencil.dims].iter().map(|name| width(sizes, name));
    Ok(Checked {
        hexagon: Hexagon::new(delta0, delta1, h, w0),
        widths: widths.collect::<Result<_, _>>()?,
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
        for w0 in widths0 {
            let mut partial = vec![vec![("h".to_owned(), h), ("w0".to_owned(), w0)]];
            for (d, &name) in WIDTHS.iter().enumerate().take(dims).skip(1) {
                let choices = match given.get(name) {
                    Some(_) => vec![width(given, name)?],
                    None => widths(d, dims, device),
                };
                partial = partial
                    .iter()
                    .flat_map(|p| choices.iter().map(move |w| (p, w)))
                    .map(|(p, w)| {
                        p.iter().cloned().chain(w.map(|w| (name.to_owned(), w))).collect()
                    })
                    .collect();
            }
            out.extend(partial.into_iter().map(TileSizes));
        }
    }
    match (out.is_empty(), refusal) {
        (true, Some(why)) => Err(why),
        _ => Ok(out),
    }
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
    match sizes.0.iter().find(|(n, _)| n != "h" && !WIDTHS[..dims].contains(&n.as_str())) {
        Some((name, _)) => Err(Inapplicable::new(format!(
            "there is no tile size {name}; the sizes here are h, {}",
            WIDTHS[..dims].join(", ")
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

/// A classical width; 0 or absent: the dimension stays whole.
fn width(sizes: &TileSizes, name: &str) -> Result<Option<i64>, Inapplicable> {
    match sizes.get(name) {
        None | Some(0) => Ok(None),
        Some(w) if (1..=LARGEST).contains(&w) => Ok(Some(w)),
        Some(w) => Err(Inapplicable::new(format!(
            "{name} = {w} must lie between 1 and {LARGEST}, or be 0 to leave the dimension whole"
        ))),
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
        (Device::Host(_), 2) => &[3, 7, 11, 15, 23, 31, 47, 63, 95, 127],
        (Device::Host(_), _) => &[1, 3, 5, 7, 11, 15, 23, 31],
    };
    let mut out: Vec<i64> = proposed.iter().copied().filter(|&w| w >= least).collect();
    if out.is_empty() {
        out = vec![least, 2 * least, 4 * least];
    }
    out.dedup();
    out
}

/// Widths of classical dimension `d`: multiples of a warp innermost on a GPU, long or whole innermost on the host.
fn widths(d: usize, dims: usize, device: &Device) -> Vec<Option<i64>> {
    let innermost = d + 1 == dims;
    let some = |w: &[i64]| w.iter().copied().map(Some).collect::<Vec<_>>();
    match device {
        Device::Gpu(gpu) if innermost => {
            let warp = i64::from(gpu.warp);
            some(&[warp, 2 * warp, 3 * warp, 4 * warp, 8 * warp])
        }
        Device::Gpu(_) => some(&[4, 6, 8, 10, 12, 16]),
        Device::Host(_) if innermost => vec![None, Some(256), Some(512), Some(1024), Some(2048)],
        Device::Host(_) => vec![None, Some(8), Some(16), Some(24), Some(32), Some(64)],
    }
}
