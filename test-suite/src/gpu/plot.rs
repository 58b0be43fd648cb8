//! Drawings of a pack's results: the roofline of profiled kernels, and predicted against measured times.
//!
//! Consumes `gpu-pack.jsonl`; produces SVG files. Nothing is drawn of what the results don't hold.

use std::fs;
use std::path::Path;

use plotters::prelude::*;
use serde_json::Value;

use super::profile;
use crate::report;

/// An NVIDIA H200, measured: bytes a second of a copy, operations a second of multiply-adds.
const DRAM: f64 = 4.28e12;
const FP32: f64 = 64e12;
const FP64: f64 = 33e12;

const SIZE: (u32, u32) = (900, 560);

/// A named point.
struct Point {
    name: String,
    x: f64,
    y: f64,
}

/// Draws what `results` hold into `folder`: `roofline.svg`, `model.svg`. Returns the files written.
pub fn draw(results: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let lines = report::read(results)?;
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut written = Vec::new();
    let points = roofline_points(&lines);
    if !points.is_empty() {
        roofline(&folder.join("roofline.svg"), &points).map_err(|e| e.to_string())?;
        written.push("roofline.svg".to_owned());
    }
    let pairs = trials(&lines);
    if !pairs.is_empty() {
        scatter(&folder.join("model.svg"), &pairs).map_err(|e| e.to_string())?;
        written.push("model.svg".to_owned());
    }
    Ok(written)
}

/// Operations for a byte of memory, and operations a second, of the kernel that takes most of each profiled row's time.
fn roofline_points(lines: &[Value]) -> Vec<Point> {
    let mut points = Vec::new();
    for line in lines.iter().filter(|l| l["kind"] == "profile") {
        let found = &line["found"];
        let number = |k: &Value, key: &str| k[key].as_f64().unwrap_or(0.0);
        let time = |k: &Value| number(k, "nanoseconds");
        let all = |k: &Value| time(k) * number(k, "launches").max(1.0);
        let kernels = found["kernels"].as_array().into_iter().flatten();
        let Some(kernel) = kernels.max_by(|a, b| all(a).total_cmp(&all(b))) else { continue };
        let operations = profile::operations(kernel);
        let bytes = kernel["dram_bytes"].as_f64().unwrap_or(0.0);
        if operations > 0.0 && bytes > 0.0 && time(kernel) > 0.0 {
            let name = line["name"].as_str().unwrap_or_default().trim_start_matches("profile ");
            points.push(Point {
                name: name.to_owned(),
                x: operations / bytes,
                y: operations / time(kernel) / 1e3,
            });
        }
    }
    points
}

/// Predicted and measured microseconds of a step, of every configuration that was tried.
fn trials(lines: &[Value]) -> Vec<Trial> {
    let of_line = |line: &Value| -> Vec<Trial> {
        let points = line["found"]["points"].as_array().into_iter().flatten();
        points
            .filter_map(|p| Some((p["predicted"].as_f64()?, p["seconds"].as_f64()?)))
            .map(|(predicted, measured)| Trial {
                predicted: predicted * 1e6,
                measured: measured * 1e6,
            })
            .collect()
    };
    lines.iter().flat_map(of_line).collect()
}

/// Microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Trial {
    predicted: f64,
    measured: f64,
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn roofline(path: &Path, points: &[Point]) -> Drawn {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let most = points.iter().map(|p| p.x).fold(64.0, f64::max) * 2.0;
    let mut chart = ChartBuilder::on(&root)
        .caption("Roofline, one NVIDIA H200", ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((0.25..most).log_scale(), (0.2..100.0).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("floating-point operations for a byte of memory")
        .y_desc("TFLOP/s")
        .draw()?;
    for (name, peak, colour) in [("FP32", FP32, BLACK), ("FP64", FP64, RGBColor(110, 110, 110))] {
        let roof = |x: f64| (x * DRAM).min(peak) / 1e12;
        let steps = (0..=200).map(|i| 0.25 * (most / 0.25).powf(f64::from(i) / 200.0));
        chart.draw_series(LineSeries::new(steps.map(|x| (x, roof(x))), &colour))?;
        let label = Text::new(name, (most / 1.9, peak / 1e12 * 1.05), ("sans-serif", 13));
        chart.draw_series(std::iter::once(label))?;
    }
    chart.draw_series(points.iter().map(|p| Circle::new((p.x, p.y), 3, BLUE.filled())))?;
    chart.draw_series(
        points.iter().map(|p| Text::new(p.name.clone(), (p.x * 1.04, p.y), ("sans-serif", 10))),
    )?;
    root.present()?;
    Ok(())
}

fn scatter(path: &Path, pairs: &[Trial]) -> Drawn {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let both = || pairs.iter().flat_map(|p| [p.predicted, p.measured]);
    let (least, most) = (both().fold(f64::MAX, f64::min), both().fold(0.0, f64::max));
    let range = || (least * 0.8..most * 1.25).log_scale();
    let mut chart = ChartBuilder::on(&root)
        .caption("A time step: predicted against measured, one NVIDIA H200", ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(range(), range())?;
    chart.configure_mesh().x_desc("predicted, µs").y_desc("measured, µs").draw()?;
    let line = [(least, least), (most, most)];
    chart.draw_series(LineSeries::new(line, &BLACK))?;
    chart.draw_series(
        pairs.iter().map(|p| Circle::new((p.predicted, p.measured), 2, BLUE.filled())),
    )?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_results_hold_is_drawn() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("gpu-pack.jsonl");
        let profile = json!({ "kind": "profile", "name": "profile heat2d5-f32 64x64", "found": {
            "kernels": [{ "nanoseconds": 10.0, "ffma": 5000.0, "dram_bytes": 800.0 }] } });
        let time = json!({ "kind": "model", "found": { "points": [
            { "predicted": 1e-3, "seconds": 2e-3 }, { "seconds": 1.0 }] } });
        fs::write(&results, format!("{profile}\n{time}\n")).unwrap();
        assert_eq!(draw(&results, folder.path()).unwrap(), ["roofline.svg", "model.svg"]);
        let drawn = fs::read_to_string(folder.path().join("roofline.svg")).unwrap();
        assert!(drawn.contains("heat2d5-f32"), "{drawn}");
        fs::write(&results, "{}\n").unwrap();
        assert_eq!(draw(&results, folder.path()).unwrap(), Vec::<String>::new());
    }
}
