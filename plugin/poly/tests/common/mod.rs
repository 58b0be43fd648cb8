//! Nests as text, with a shorthand for the arithmetic that does not matter here.
//!
//! In a statement, `  f64 TARGET = SOURCE, SOURCE` stands for the loads of all sources, their sum, and a store of it;
//! targets and sources are written `@pointer [bytes]`.

use hexpass_poly::facts::NestFacts;

/// Facts of a nest in the notation with shorthands.
pub fn nest(text: &str) -> NestFacts {
    let long = expand(text);
    long.parse().unwrap_or_else(|e| panic!("{e}\n{long}"))
}

fn expand(text: &str) -> String {
    let mut out = String::new();
    let (mut loads, mut values, mut stores) = (Vec::new(), Vec::new(), Vec::new());
    for line in text.lines().chain(["end"]) {
        let words = line.trim();
        match words.strip_prefix("f64 @") {
            Some(rest) => {
                let (target, sources) = rest.split_once('=').expect("a target");
                let first = values.len();
                for source in sources.split(',').map(str::trim).filter(|s| !s.is_empty()) {
                    values.push(format!("load {}", loads.len()));
                    loads.push(source.to_owned());
                }
                let count = values.len() - first;
                if count == 0 {
                    values.push("float 0x0".to_owned());
                }
                let mut sum = first;
                for next in first + 1..first + count {
                    values.push(format!("fadd v{sum} v{next}"));
                    sum = values.len() - 1;
                }
                stores.push(format!("@{} = v{sum}", target.trim()));
            }
            None => {
                for l in loads.drain(..) {
                    out.push_str(&format!("  load f64 {l}\n"));
                }
                for (i, v) in values.drain(..).enumerate() {
                    out.push_str(&format!("  v{i} f64 = {v}\n"));
                }
                for s in stores.drain(..) {
                    out.push_str(&format!("  store f64 {s}\n"));
                }
                if words != "end" {
                    out.push_str(line);
                    out.push('\n');
                }
            }
        }
    }
    out
}
