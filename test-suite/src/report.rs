//! What plugin and runtime say they did: `HEXPASS_REPORT` and `HEXPASS_STATS`, JSON lines both.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

/// The objects of a file; none if the file is missing.
pub fn read(path: &Path) -> Result<Vec<Value>, String> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(Vec::new()) };
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).map_err(|e| format!("not JSON: {line}: {e}")))
        .collect()
}

fn word<'a>(object: &'a Value, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or("")
}

/// Loops that the compiler transformed. A loop that was inlined elsewhere too counts once.
pub fn transformed_loops(report: &[Value]) -> usize {
    let places: BTreeSet<(String, String)> = report
        .iter()
        .filter(|object| word(object, "status") == "transformed")
        .map(|object| match object.get("line").and_then(Value::as_u64) {
            Some(line) => (word(object, "file").to_owned(), line.to_string()),
            None => (word(object, "function").to_owned(), String::new()),
        })
        .collect();
    places.len()
}

/// The reasons of the loops that it did not take.
pub fn rejections(report: &[Value]) -> Vec<&str> {
    report
        .iter()
        .filter(|object| word(object, "status") == "rejected")
        .map(|object| word(object, "reason"))
        .collect()
}

/// Strategies of the transformed loops.
pub fn strategies(report: &[Value]) -> BTreeSet<&str> {
    report
        .iter()
        .filter(|object| word(object, "status") == "transformed")
        .map(|object| word(object, "strategy"))
        .collect()
}

/// Executions of nests that ran tiled on this device, by one of these strategies.
pub fn executions(stats: &[Value], device: &str, strategies: &[&str]) -> usize {
    stats
        .iter()
        .filter(|object| {
            word(object, "device").starts_with(device)
                && strategies.contains(&word(object, "strategy"))
                && word(object, "status") == "ran"
        })
        .count()
}

/// `DEVICE STRATEGY`, `original REASON`, or the status alone.
pub fn in_words(object: &Value) -> String {
    match word(object, "status") {
        "ran" => format!("{} {}", word(object, "device"), word(object, "strategy")),
        "original" => format!("original {}", word(object, "reason")),
        status => status.to_owned(),
    }
}

/// The first execution that was left to the original loop, but for those of a step that allocates memory.
pub fn fallback(stats: &[Value]) -> Option<&Value> {
    stats.iter().find(|object| word(object, "status") == "original" && !is_rare(object))
}

/// A step that allocates memory, or does what is as rare, was left to the original loop.
pub fn is_rare(object: &Value) -> bool {
    word(object, "reason") == "check-rare"
}

/// Tile sizes as `h=3,w0=7,w1=32`.
pub fn tile_word(sizes: &Value) -> String {
    let sizes = sizes.as_object().into_iter().flatten();
    sizes.map(|(name, n)| format!("{name}={n}")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_inlined_twice_counts_once() {
        let report: Vec<Value> = [
            r#"{"function":"f","file":"a.c","line":7,"status":"transformed","strategy":"hexagonal"}"#,
            r#"{"function":"main","file":"a.c","line":7,"status":"transformed","strategy":"hexagonal"}"#,
            r#"{"function":"main","file":"a.c","line":30,"status":"rejected","reason":"call"}"#,
        ]
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
        assert_eq!(transformed_loops(&report), 1);
        assert_eq!(rejections(&report), ["call"]);
        assert_eq!(strategies(&report).into_iter().collect::<Vec<_>>(), ["hexagonal"]);
    }
}
