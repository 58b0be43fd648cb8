//! How well the time model predicts: every variant and size of a row, tried by `HEXPASS_TUNE=full`, against what was
//! predicted for it (execution-time-model-hhc-ppopp17, section 5: the root mean square error over the configurations
//! within 20 % of the best, and how far the model's own pick is from the best).

use serde_json::{Value, json};

use crate::report;

/// What counts as nearly as good as the best.
const NEARLY: f64 = 1.2;

/// One configuration: seconds a step.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    strategy: String,
    tile: String,
    measured: f64,
    predicted: Option<f64>,
    steps: f64,
    /// What it was predicted from.
    launches: Value,
}

/// What a row's runs tell; the first trial of all is the model's own pick.
pub fn found(stats: &[Value]) -> Result<Value, String> {
    let points: Vec<Point> = stats
        .iter()
        .flat_map(|s| s["trials"].as_array().into_iter().flatten())
        .filter_map(point)
        .collect();
    let best = points.iter().map(|p| p.measured).fold(f64::INFINITY, f64::min);
    let Some(pick) = points.first() else {
        return Err("nothing was tried: one variant, or too few steps".to_owned());
    };
    let errors = errors(&points, best);
    let object = |p: &Point| {
        json!({ "strategy": p.strategy, "tile": p.tile, "seconds": p.measured, "predicted": p.predicted,
            "steps": p.steps, "launches": p.launches })
    };
    let winner = points.iter().find(|p| p.measured == best);
    Ok(json!({
        "points": points.iter().map(object).collect::<Vec<_>>(),
        "near": errors.len(), "rms": rms(&errors),
        "pick": object(pick), "best": winner.map(object), "pick_over_best": pick.measured / best,
    }))
}

fn point(trial: &Value) -> Option<Point> {
    let steps = trial["steps"].as_f64()?;
    Some(Point {
        strategy: trial["strategy"].as_str()?.to_owned(),
        tile: report::tile_word(&trial["sizes"]),
        measured: trial["seconds"].as_f64()? / steps,
        predicted: trial["predicted_seconds"].as_f64().map(|s| s / steps),
        steps,
        launches: trial["launches"].clone(),
    })
}

/// Relative errors of the predictions for what is nearly as good as the best.
fn errors(points: &[Point], best: f64) -> Vec<f64> {
    let near = points.iter().filter(|p| p.measured <= NEARLY * best);
    near.filter_map(|p| Some(p.predicted? / p.measured - 1.0)).collect()
}

/// Root of the mean of the squares.
fn rms(errors: &[f64]) -> Option<f64> {
    let sum: f64 = errors.iter().map(|e| e * e).sum();
    (!errors.is_empty()).then(|| (sum / errors.len() as f64).sqrt())
}

/// All rows together: a table, and what must be below 15 % and 10 %.
pub fn print(rows: &[(String, Value)]) {
    println!(
        "\npredicted against measured: configurations tried, those within 20 % of the best and"
    );
    println!("the root mean square error over them, and the model's own pick against the best\n");
    println!(
        "{:<34} {:>6} {:>5} {:>7} {:>7}  {:<44} best",
        "row", "tried", "near", "rms", "pick", "model's pick"
    );
    let mut all = Vec::new();
    let (mut tried, mut worst) = (0, 1.0f64);
    for (name, found) in rows {
        let points: Vec<Point> =
            found["points"].as_array().into_iter().flatten().filter_map(listed).collect();
        let best = points.iter().map(|p| p.measured).fold(f64::INFINITY, f64::min);
        all.extend(errors(&points, best));
        tried += points.len();
        let ratio = found["pick_over_best"].as_f64().unwrap_or(f64::NAN);
        worst = worst.max(ratio);
        let words = |p: &Value| {
            format!(
                "{} {}",
                p["strategy"].as_str().unwrap_or("-"),
                p["tile"].as_str().unwrap_or("")
            )
        };
        println!(
            "{name:<34} {:>6} {:>5} {:>7} {:>7}  {:<44} {}",
            points.len(),
            found["near"],
            percent(found["rms"].as_f64()),
            format!("{ratio:.3}"),
            words(&found["pick"]),
            words(&found["best"]),
        );
    }
    println!(
        "\n{tried} configurations, {} near the best of their rows: rms {}; worst pick {worst:.3} of the best",
        all.len(),
        percent(rms(&all)),
    );
}

/// A point as [`found`] wrote it.
fn listed(p: &Value) -> Option<Point> {
    Some(Point {
        strategy: p["strategy"].as_str()?.to_owned(),
        tile: p["tile"].as_str()?.to_owned(),
        measured: p["seconds"].as_f64()?,
        predicted: p["predicted"].as_f64(),
        steps: p["steps"].as_f64().unwrap_or(1.0),
        launches: Value::Null,
    })
}

fn percent(x: Option<f64>) -> String {
    x.map_or("-".to_owned(), |x| format!("{:.1} %", 100.0 * x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn errors_count_near_the_best_only() {
        let trial = |b: u32, seconds: f64, predicted: Option<f64>| {
            json!({ "strategy": "s", "sizes": { "b": b }, "steps": 10, "seconds": seconds,
                "predicted_seconds": predicted })
        };
        let stats = [
            json!({ "trials": [trial(1, 1.1, Some(1.21)), trial(2, 1.0, Some(0.9))] }),
            json!({ "trials": [] }),
            json!({ "trials": [trial(3, 1.15, None), trial(4, 9.0, Some(1.0))] }),
        ];
        let found = found(&stats).unwrap();
        assert_eq!(found["points"].as_array().map(Vec::len), Some(4));
        assert_eq!((&found["near"], &found["best"]["tile"]), (&json!(2), &json!("b=2")));
        assert!((found["rms"].as_f64().unwrap() - 0.1).abs() < 1e-9);
        assert!((found["pick_over_best"].as_f64().unwrap() - 1.1).abs() < 1e-9);
        let again: Vec<Point> =
            found["points"].as_array().unwrap().iter().filter_map(listed).collect();
        assert_eq!(errors(&again, 0.1).len(), 2);
        assert!(super::found(&[json!({ "trials": [] })]).is_err());
    }
}
