//! Fits the time model's constants ([`Fit`]) to what `--model` measured.
//!
//! Consumes `gpu-pack.jsonl` and the file of `HEXPASS_CALIBRATION`, which hold what each prediction was made from; no GPU
//! is needed. Predicts every configuration anew, with the formula as it is now, and walks the constants one at a time.

use std::path::Path;

use hexpass_abi::{Fit, KernelCost, LaunchShape, Machine};
use serde_json::Value;

use crate::report;

/// What counts as nearly as good as the best.
const NEARLY: f64 = 1.2;

/// One configuration of a row.
struct Point {
    /// Seconds of a step.
    measured: f64,
    steps: f64,
    launches: Vec<(KernelCost, u16, LaunchShape, f64)>,
}

/// What was measured, by row.
pub struct Data {
    machine: Machine,
    rows: Vec<(String, Vec<Point>)>,
}

/// How good predictions are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Configurations nearly as good as the best of their row.
    pub near: usize,
    /// Root mean square of the relative errors over them.
    pub rms: f64,
    /// The largest and the mean ratio of the model's pick to the best of the row.
    pub worst: f64,
    pub mean: f64,
}

impl Data {
    /// Reads a pack's results and a calibration, of which there is one device.
    pub fn read(results: &Path, calibration: &Path) -> Result<Data, String> {
        let text = std::fs::read_to_string(calibration);
        let text = text.map_err(|e| format!("{}: {e}", calibration.display()))?;
        let entries: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let mut machines = entries.as_object().into_iter().flatten().map(|(_, entry)| entry);
        let machine = machines.find_map(|e| serde_json::from_value(e.clone()).ok());
        let machine = machine.ok_or(format!("{}: no device", calibration.display()))?;
        let mut rows = Vec::new();
        for line in report::read(results)?.iter().filter(|l| l["kind"] == "model") {
            let points = line["found"]["points"].as_array().into_iter().flatten();
            let points: Vec<Point> = points.filter_map(point).collect();
            if !points.is_empty() {
                rows.push((line["name"].as_str().unwrap_or_default().to_owned(), points));
            }
        }
        Ok(Data { machine, rows })
    }

    /// Seconds of a step.
    fn predict(&self, fit: &Fit, point: &Point) -> Option<f64> {
        let (mut seconds, mut launches) = (0.0f64, 0.0f64);
        for (cost, registers, shape, count) in &point.launches {
            seconds += count * self.machine.launch_seconds_with(fit, cost, *registers, shape)?;
            launches += count;
        }
        Some(seconds.max(launches * self.machine.queue) / point.steps)
    }

    /// Name and score of each row, then of all.
    pub fn scores(&self, fit: &Fit) -> (Vec<(&str, Score)>, Score) {
        let (mut all, mut errors, mut picks) = (Vec::new(), Vec::new(), Vec::new());
        for (name, points) in &self.rows {
            let best = points.iter().map(|p| p.measured).fold(f64::INFINITY, f64::min);
            let predicted: Vec<(f64, f64)> =
                points.iter().filter_map(|p| Some((self.predict(fit, p)?, p.measured))).collect();
            let pick = predicted.iter().min_by(|a, b| a.0.total_cmp(&b.0));
            let pick = pick.map_or(f64::INFINITY, |(_, measured)| measured / best);
            let near = predicted.iter().filter(|(_, m)| *m <= NEARLY * best);
            let of_row: Vec<f64> = near.map(|(p, m)| p / m - 1.0).collect();
            all.push((name.as_str(), score(&of_row, &[pick])));
            errors.extend(of_row);
            picks.push(pick);
        }
        (all, score(&errors, &picks))
    }

    /// Better constants: the best of walks from those, and from others far away. Constants that are `held` stay: results of
    /// few strategies say little of what only others show.
    pub fn fit(&self, from: Fit, held: &[String]) -> Fit {
        let names = Fit::FITTED.clone().values().map(|(name, _)| name);
        let (kept, free): (Vec<usize>, Vec<usize>) =
            (0..names.len()).partition(|&i| held.iter().any(|h| h == names[i]));
        let mut starts = vec![from];
        for (pace, chain) in [(1.0, 1.0), (1.5, 2.0), (3.5, 0.3)] {
            for (written, alone) in [(0.6, 1.0), (0.8, 3.0), (1.0, 1.0)] {
                for code in [2048.0, 10000.0] {
                    let mut start = Fit { pace, chain, written, alone, code, ..from };
                    for &i in &kept {
                        *start.values()[i].1 = *from.clone().values()[i].1;
                    }
                    starts.push(start);
                }
            }
        }
        let ends = starts.into_iter().map(|start| self.walk(start, &free));
        let best = ends.min_by(|a, b| self.cost(a).total_cmp(&self.cost(b)));
        self.stray(best.unwrap_or(from), &free)
    }

    /// What is made small: errors, and what wrong picks lose.
    fn cost(&self, fit: &Fit) -> f64 {
        let of = self.scores(fit).1;
        of.rms + (of.mean - 1.0) + 2.0 * (of.rms - 0.13).max(0.0) + 5.0 * (of.worst - 1.1).max(0.0)
    }

    /// Each constant up and down in turn, in smaller and smaller steps.
    fn walk(&self, from: Fit, free: &[usize]) -> Fit {
        let (mut best, mut least) = (from, self.cost(&from));
        for step in [1.6, 1.25, 1.1, 1.04] {
            loop {
                let before = least;
                for &i in free {
                    for factor in [step, 1.0 / step] {
                        let mut tried = best;
                        *tried.values()[i].1 *= factor;
                        let found = self.cost(&tried);
                        if found < least {
                            (best, least) = (tried, found);
                        }
                    }
                }
                if least > before - 1e-4 {
                    break;
                }
            }
        }
        best
    }

    /// All constants at once, a little: where picks change, one at a time leads nowhere.
    fn stray(&self, from: Fit, free: &[usize]) -> Fit {
        let (mut best, mut least) = (from, self.cost(&from));
        let mut seed = 1u64;
        // From -1 to 1, the same ones each time.
        let mut next = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        };
        for _ in 0..STRAYS {
            let mut tried = best;
            for &i in free {
                *tried.values()[i].1 *= (0.2 * next().powi(3)).exp();
            }
            let found = self.cost(&tried);
            if found < least {
                (best, least) = (tried, found);
            }
        }
        best
    }
}

/// Attempts of [`Data::stray`].
const STRAYS: usize = 4000;

fn score(errors: &[f64], picks: &[f64]) -> Score {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let squares: Vec<f64> = errors.iter().map(|e| e * e).collect();
    Score {
        near: errors.len(),
        rms: mean(&squares).sqrt(),
        worst: picks.iter().copied().fold(1.0, f64::max),
        mean: mean(picks),
    }
}

/// A configuration as [`super::model`] wrote it.
fn point(p: &Value) -> Option<Point> {
    let launch = |l: &Value| {
        let cost = serde_json::from_value(l["cost"].clone()).ok()?;
        let shape = serde_json::from_value(l["shape"].clone()).ok()?;
        let registers = u16::try_from(l["registers"].as_u64()?).ok()?;
        Some((cost, registers, shape, l["count"].as_f64()?))
    };
    let launches: Option<Vec<_>> = p["launches"].as_array()?.iter().map(launch).collect();
    let launches = launches.filter(|l| !l.is_empty())?;
    Some(Point { measured: p["seconds"].as_f64()?, steps: p["steps"].as_f64()?, launches })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexpass_abi::BlockWork;
    use serde_json::json;

    /// Times that the formula itself makes with one constant changed are found again.
    #[test]
    fn a_changed_constant_is_found() {
        let machine = Machine::h200();
        let truth = Fit { pace: 3.0 * Fit::FITTED.pace, ..Fit::FITTED };
        let mut points = Vec::new();
        for (turns, blocks) in [(100, 40), (200, 20), (400, 132), (50, 9000), (800, 10)] {
            let turn = BlockWork { instructions: 4000, ..BlockWork::default() };
            let cost = KernelCost { registers: 64, turn, ..KernelCost::default() };
            let shape = LaunchShape {
                threads: 128,
                shared_bytes: 0,
                blocks,
                border: 0,
                rows: 0,
                turns,
                border_turns: turns,
                in_cache: false,
            };
            let seconds = machine.launch_seconds_with(&truth, &cost, 64, &shape).unwrap();
            let launch = json!({ "count": 1, "registers": 64, "shape": shape, "cost": cost });
            let line = json!({ "kind": "model", "name": format!("model {blocks}"), "found": { "points":
                [{ "seconds": seconds, "steps": 1, "launches": [launch] }] } });
            points.push(line.to_string());
        }
        let folder = tempfile::tempdir().unwrap();
        let (results, calibration) = (folder.path().join("r"), folder.path().join("c"));
        std::fs::write(&results, points.join("\n")).unwrap();
        std::fs::write(&calibration, json!({ "gpu": machine }).to_string()).unwrap();
        let data = Data::read(&results, &calibration).unwrap();
        let (before, after) =
            (data.scores(&Fit::FITTED).1, data.scores(&data.fit(Fit::FITTED, &[])).1);
        assert!(before.rms > 0.3 && after.rms < 0.05 && after.near == 5, "{before:?} {after:?}");
        let held = data.fit(Fit::FITTED, &["pace", "chain"].map(str::to_owned));
        assert_eq!((held.pace, held.chain), (Fit::FITTED.pace, Fit::FITTED.chain));
    }
}
