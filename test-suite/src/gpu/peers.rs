//! What others reach, and what is to be reached: GStencil/s on one NVIDIA H200, kernels alone.
//!
//! The peers were built and tuned for that GPU: AN5D (CGO 2020) and PPCG's hybrid tiling with `--use_fast_math`, EBISU
//! (ICS 2023) at sizes of its own. `naive` is one thread a point and one launch a step, the best of four block shapes.
//! On another GPU only our own column means something.

use super::rows::Row;

/// The figures of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peer {
    /// As [`Row`] prints itself.
    row: &'static str,
    pub naive: f64,
    /// PPCG's hybrid hexagonal tiling.
    pub hybrid: Option<f64>,
    /// The best of AN5D and EBISU.
    pub best: Option<f64>,
    /// What floating-point issue allows if nothing else binds, halo left out; of gradients in double precision, the units for
    /// doubles, whose instructions a point were counted in the machine code.
    pub issue: f64,
    /// What a copy's rate allows where each step goes through memory, halo left out.
    pub pass: f64,
    pub goal: Goal,
}

/// What the row is measured by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// So many times the best peer.
    Peer(f64),
    /// So many times naive.
    Naive(f64),
    /// So much of the bound by issue.
    Issue(f64),
}

impl Peer {
    /// GStencil/s to reach.
    pub fn wanted(&self) -> f64 {
        match self.goal {
            Goal::Peer(times) => times * self.best.unwrap_or(self.naive),
            Goal::Naive(times) => times * self.naive,
            Goal::Issue(part) => part * self.issue,
        }
    }

    /// The smaller of its bounds in GStencil/s, for so many steps between two passes through memory.
    pub fn bound(&self, steps: f64) -> f64 {
        self.issue.min(steps * self.pass)
    }
}

const BEST: Goal = Goal::Peer(1.4);

/// A row; 0 where there is no figure.
const fn peer(
    row: &'static str,
    naive: f64,
    hybrid: f64,
    best: f64,
    [issue, pass]: [f64; 2],
    goal: Goal,
) -> Peer {
    let hybrid = if hybrid > 0.0 { Some(hybrid) } else { None };
    let best = if best > 0.0 { Some(best) } else { None };
    Peer { row, naive, hybrid, best, issue, pass, goal }
}

#[rustfmt::skip] // a table
static PEERS: &[Peer] = &[
    peer("heat2d5-f32 3072x3072",            266.0, 168.0,  984.0, [6450.0, 535.0], BEST),
    peer("heat2d5-f32 16384x16384",          292.0, 127.0, 1571.0, [6450.0, 535.0], BEST),
    peer("heat2d5-f64 3072x3072",            205.0,  62.0,  571.0, [3300.0, 268.0], BEST),
    peer("heat2d5-f64 16384x16384",          219.0,   0.0,  885.0, [3300.0, 268.0], BEST),
    peer("heat2d9-f32 3072x3072",            251.0, 138.0,  563.0, [3584.0, 535.0], BEST),
    peer("heat2d9-f32 16384x16384",          277.0, 124.0, 1049.0, [3584.0, 535.0], BEST),
    peer("heat2d9-f64 3072x3072",            192.0,  55.0,  307.0, [1833.0, 268.0], BEST),
    peer("heat2d9-f64 16384x16384",          201.0,   0.0,  678.0, [1833.0, 268.0], BEST),
    peer("gradient2d-f32 3072x3072",         243.0, 182.0,    0.0, [3584.0, 535.0], Goal::Naive(2.5)),
    peer("gradient2d-f32 16384x16384",       268.0, 125.0,  533.0, [3584.0, 535.0], BEST),
    peer("gradient2d-f32-fast 3072x3072",    243.0, 182.0,  738.0, [3584.0, 535.0], BEST),
    peer("gradient2d-f32-fast 16384x16384",  268.0, 125.0, 1135.0, [3584.0, 535.0], BEST),
    peer("gradient2d-f64 3072x3072",         192.0,  52.0,  291.0, [888.0, 268.0], Goal::Issue(0.75)),
    peer("gradient2d-f64 16384x16384",       193.0,   0.0,  370.0, [888.0, 268.0], Goal::Issue(0.75)),
    peer("fdtd2d-f32 3072x3072",              80.0,   0.0,    0.0, [4030.0, 178.0], Goal::Naive(4.0)),
    peer("fdtd2d-f32 16384x16384",            88.0,   0.0,    0.0, [4030.0, 178.0], Goal::Naive(4.0)),
    peer("fdtd2d-f64 3072x3072",              51.0,   0.0,    0.0, [2060.0, 89.0], Goal::Naive(4.0)),
    peer("fdtd2d-f64 16384x16384",            54.0,   0.0,    0.0, [2060.0, 89.0], Goal::Naive(4.0)),
    peer("heat3d7-f32 384x384x384",          270.0,  30.0,  525.0, [4609.0, 535.0], BEST),
    peer("heat3d7-f32 512x512x512",          275.0,  41.0,  606.0, [4609.0, 535.0], BEST),
    peer("heat3d7-f64 384x384x384",          198.0,   0.0,  259.0, [2357.0, 268.0], BEST),
    peer("heat3d7-f64 512x512x512",          188.0,   0.0,  328.0, [2357.0, 268.0], BEST),
    peer("heat3d27-f32 384x384x384",         159.0,   8.8,  280.0, [1195.0, 535.0], BEST),
    peer("heat3d27-f32 512x512x512",         156.0,   0.0,  351.0, [1195.0, 535.0], BEST),
    peer("heat3d27-f64 384x384x384",         105.0,   0.0,  158.0, [611.0, 268.0], BEST),
    peer("heat3d27-f64 512x512x512",         106.0,   0.0,  180.0, [611.0, 268.0], BEST),
    peer("gradient3d-f32 384x384x384",       240.0,  29.0,    0.0, [2480.0, 535.0], Goal::Naive(2.5)),
    peer("gradient3d-f32 512x512x512",       237.0,   0.0,    0.0, [2480.0, 535.0], Goal::Naive(2.5)),
    peer("gradient3d-f32 768x768x768",       240.0,   0.0,    0.0, [2480.0, 535.0], Goal::Naive(2.5)),
    peer("gradient3d-f64 384x384x384",       164.0,   0.0,    0.0, [757.0, 268.0], Goal::Issue(0.75)),
    peer("gradient3d-f64 512x512x512",       168.0,   0.0,    0.0, [757.0, 268.0], Goal::Issue(0.75)),
    peer("gradient3d-f64 768x768x768",       168.0,   0.0,    0.0, [757.0, 268.0], Goal::Issue(0.75)),
];

/// A row's figures, if there are any.
pub fn of(row: &Row) -> Option<&'static Peer> {
    let name = row.to_string();
    PEERS.iter().find(|peer| peer.row == name)
}

/// Geometric mean; `None` of nothing.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: f64 = values.iter().map(|x| x.ln()).sum();
    (!values.is_empty()).then(|| (logs / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::rows;

    #[test]
    fn every_figure_belongs_to_a_row() {
        let rows: Vec<String> = rows::full().iter().map(Row::to_string).collect();
        for peer in PEERS {
            assert!(rows.iter().any(|row| row == peer.row), "{}", peer.row);
            assert!(peer.wanted() > peer.naive, "{}", peer.row);
        }
    }

    #[test]
    fn the_mean_of_ratios() {
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[4.0, 1.0]), Some(2.0));
    }
}
