//! Decisions and rejections, told in two ways: as optimization remarks at the source line (`-Rpass=hexpass`,
//! `-Rpass-missed=hexpass`, `-Rpass-analysis=hexpass`, and so in the host's optimization record), and as JSON lines in
//! the file that `HEXPASS_REPORT` names. Each line is one write to a file opened for appending, so that parallel
//! compilations don't mix theirs.

use crate::llvm::{Function, LoopRef, RemarkKind, Session, Where};
use crate::pipeline::nest::{Nest, Version};
use hexpass_abi::{Reduces, VariantTarget};
use hexpass_poly::advice::advice;
use hexpass_poly::problem::Problem;
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::stencil::{Statement, thin_at};
use hexpass_poly::strategy::Choice;
use serde_json::{Value as Json, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// Where a nest stands, for both ways.
pub struct Place<'a> {
    pub function: Function<'a>,
    pub time_loop: LoopRef<'a>,
}

/// Why a time loop whose sweeps wait, or run ahead, comes to no more than one step at a time.
#[derive(Clone, Copy, Debug)]
pub struct OneByOne {
    pub why: &'static str,
    /// Where what is to blame stands.
    pub line: Option<u32>,
}

/// How far a nest that was taken is from being the time loop: it is one step of sweeps, and why that is so, or the time
/// loop one step at a time. Neither is what one hopes for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Falls<'a> {
    pub whole: Option<&'a Rejection>,
    pub one_by_one: Option<OneByOne>,
}

/// A nest that was taken.
pub fn taken(
    session: &Session<'_>,
    place: &Place<'_>,
    report: Option<&Path>,
    nest: &Nest,
    Falls { whole, one_by_one }: Falls<'_>,
) {
    let Version { problem, choices, .. } = &nest.first;
    let s = &problem.stencil;
    let untiled = untiled_bytes(problem);
    let first = &choices[0];
    let (elements, sums) = looked_at(problem);
    let described: Vec<String> = choices.iter().map(|c| sizes_text(&c.sizes)).collect();
    let tiles_time = nest.versions().flat_map(|v| &v.choices).any(|c| c.strategy.tiles_time());
    let message = format!(
        "{} with {} ({}): {}-D, {} statement{}, {} array{}, rounding {}{}{}{}",
        match (whole, tiles_time) {
            (Some(_), _) => "sweeps of one time step tiled",
            (None, true) => "time loop tiled",
            (None, false) => "time loop taken one step a launch",
        },
        first.strategy.name(),
        described.join(" | "),
        s.dims,
        s.statements.len(),
        plural(s.statements.len()),
        s.arrays.len(),
        plural(s.arrays.len()),
        s.fp.name(),
        s.libm()
            .map_or_else(String::new, |f| format!(", on the CPU only ({f} is the host library's)")),
        match sums {
            0 => String::new(),
            n => format!(", {n} sum{} added up in the loop's order", plural(n)),
        },
        match elements {
            0 => String::new(),
            n => format!(", {n} element{} looked at in each step", plural(n)),
        },
    );
    let at = Where::Loop(place.time_loop);
    let why_not = whole.map_or_else(String::new, |why| {
        format!(
            "; the whole loop not: {}{} [{}]",
            why.detail,
            culprit(place, why),
            why.reason.name()
        )
    });
    let slowly = one_by_one.map_or_else(String::new, |OneByOne { why, line }| {
        format!("; one step at a time, since {why}{}", at_line(place, line))
    });
    let message = format!("{message}{}{slowly}", other_ways(nest));
    session.remark(RemarkKind::Passed, place.function, at, "Tiled", &format!("{message}{why_not}"));
    for (problem, c) in nest.versions().flat_map(|v| v.choices.iter().map(|c| (&v.problem, c))) {
        let others: Vec<String> = c
            .runners_up
            .iter()
            .map(|(n, sizes, e)| format!("{n} {} at {:.3} ns", sizes_text(sizes), e * 1e9))
            .collect();
        let (tiled, untiled) = (tiled_bytes(problem, c), untiled_bytes(problem));
        let analysis = format!(
            "{} {}: estimated {:.3} ns a point, {:.2} bytes of memory traffic a point and step instead of {untiled:.0} \
             ({:.1} times less); next best: {}",
            c.strategy.name(),
            sizes_text(&c.sizes),
            c.estimate * 1e9,
            tiled,
            untiled / tiled,
            if others.is_empty() { "none".to_owned() } else { others.join(", ") }
        );
        session.remark(RemarkKind::Analysis, place.function, at, "Choice", &analysis);
    }
    let sizes: serde_json::Map<String, Json> =
        first.sizes.0.iter().map(|(n, v)| (n.clone(), json!(v))).collect();
    let delta = delta(problem);
    let variants = |v: &Version| -> Vec<Json> {
        let all = v.choices.iter().zip(&v.programs);
        all.map(|(c, (target, _))| variant(&v.problem, c, *target)).collect()
    };
    let others: Vec<Json> = nest
        .others
        .iter()
        .map(|v| json!({"delta": self::delta(&v.problem), "variants": variants(v)}))
        .collect();
    let variants = variants(&nest.first);
    let line = json!({
        "function": s.function, "file": s.file, "line": s.line,
        "status": "transformed", "reason": Json::Null, "message": message, "apart": whole.is_some(),
        "whole": whole.map(|why| json!({
            "reason": why.reason.name(), "message": format!("{}{}", why.detail, culprit(place, why)),
            "change": advice(why.reason), "culprit": why.line,
        })),
        "one_by_one": one_by_one.map(|o| json!({"message": o.why, "culprit": o.line})),
        "dims": s.dims, "arrays": s.arrays.len(), "statements": s.statements.len(), "sums": sums,
        "elements": elements,
        "strategy": first.strategy.name(), "sizes": sizes, "delta": delta, "fp": s.fp.name(),
        "bytes_untiled": untiled, "variants": variants, "others": others, "why": Json::Null, "change": Json::Null,
    });
    append(report, &line);
}

/// Single elements that each step looks at, and sums that it needs to the last bit, whose terms the runtime adds up in
/// the loop's order; to the runtime, an element is a sum of one term.
fn looked_at(problem: &Problem) -> (usize, usize) {
    let s = &problem.stencil;
    let is_point = |s: &Statement| s.lo.iter().zip(&s.hi).all(|(lo, hi)| thin_at(lo, hi).is_some());
    let is_element = |array: &u16| {
        let writes = |s: &&Statement| s.writes.iter().any(|w| w.access.array == *array);
        s.statements.iter().filter(writes).all(is_point)
    };
    let terms = s.reductions.iter().filter(|r| r.kind == Reduces::Terms).map(|r| r.array);
    let (elements, sums): (Vec<u16>, Vec<u16>) = terms.partition(is_element);
    (elements.len(), sums.len())
}

/// The cone, `{"s0": [δ0, δ1], …}`.
fn delta(problem: &Problem) -> serde_json::Map<String, Json> {
    let slopes = problem.cone().delta.iter().enumerate();
    slopes.map(|(d, (d0, d1))| (format!("s{d}"), json!([d0.to_string(), d1.to_string()]))).collect()
}

/// What else there is for reads of which only the run knows how far they reach, and for rows of which it knows how long
/// they are.
fn other_ways(nest: &Nest) -> String {
    let ways: Vec<&str> = nest
        .others
        .iter()
        .map(|v| {
            let p = &v.problem;
            match (p.stencil.granted.shifts.is_empty(), p.deps.unbounded.is_some()) {
                _ if nest.first.problem.equal_rows && !p.equal_rows => "for rows of other lengths",
                (false, _) => "for small shifts that only the run knows",
                (true, true) => "for shifts of any length, one step at a time",
                (true, false) => "for shifts of that length",
            }
        })
        .collect();
    if ways.is_empty() { String::new() } else { format!("; other kernels {}", ways.join(", and ")) }
}

/// What the report says of one variant. Bytes are those between memory and a tile, for a point and a step; the gain is
/// what they are worth where memory is the limit.
fn variant(problem: &Problem, choice: &Choice, target: VariantTarget) -> Json {
    let sizes: serde_json::Map<String, Json> =
        choice.sizes.0.iter().map(|(n, v)| (n.clone(), json!(v))).collect();
    let bytes = tiled_bytes(problem, choice);
    json!({
        "target": match target { VariantTarget::Device => "gpu", VariantTarget::Host => "cpu" },
        "strategy": choice.strategy.name(), "sizes": sizes, "storage": storage_name(choice, target),
        "bytes": bytes, "gain": untiled_bytes(problem) / bytes, "estimate_ns": choice.estimate * 1e9,
    })
}

/// Bytes of memory traffic for a point and a step when every statement sweeps over its arrays once.
fn untiled_bytes(problem: &Problem) -> f64 {
    let s = &problem.stencil;
    let size = |array: u16| s.arrays[usize::from(array)].elem.size() as f64;
    let of_statement = |statement: &hexpass_poly::stencil::Statement| {
        let distinct = |arrays: Vec<u16>| {
            let set: std::collections::BTreeSet<u16> = arrays.into_iter().collect();
            set.into_iter().map(size).sum::<f64>()
        };
        distinct(statement.reads.iter().map(|a| a.array).collect())
            + distinct(statement.writes.iter().map(|w| w.access.array).collect())
    };
    s.statements.iter().map(of_statement).sum()
}

/// The same for the tiles of a variant.
fn tiled_bytes(problem: &Problem, choice: &Choice) -> f64 {
    let counts = &choice.counts;
    let useful = counts.instances.saturating_sub(counts.redundant).max(1) as f64;
    counts.bytes.max(1) as f64 / useful * problem.stencil.statements.len() as f64
}

/// Where a tile keeps its values while it works.
fn storage_name(choice: &Choice, target: VariantTarget) -> &'static str {
    match target {
        VariantTarget::Host => "cache",
        VariantTarget::Device => choice.schedule().storage(),
    }
}

/// A nest that was left, and why.
pub fn left(session: &Session<'_>, place: &Place<'_>, report: Option<&Path>, why: &Rejection) {
    let location = place.time_loop.location();
    let culprit = culprit(place, why);
    let message = format!("loop not taken: {}{culprit} [{}]", why.detail, why.reason.name());
    if why.reason == Reason::Bug {
        let at = location
            .as_ref()
            .map_or_else(|| place.function.name(), |l| format!("{}:{}", l.file, l.line));
        eprintln!(
            "hexpass: warning: {at}: {}; the original loop stays. Please report it with the file and what \
             HEXPASS_PRINT=facts prints",
            why.detail
        );
    }
    session.remark(
        RemarkKind::Missed,
        place.function,
        Where::Loop(place.time_loop),
        "NotTaken",
        &message,
    );
    let line = json!({
        "function": place.function.name_at(place.time_loop),
        "file": location.as_ref().map(|l| l.file.clone()),
        "line": location.as_ref().map(|l| l.line),
        "status": "rejected", "reason": why.reason.name(), "message": format!("{}{culprit}", why.detail),
        "dims": Json::Null, "arrays": Json::Null, "statements": Json::Null, "sums": Json::Null,
        "elements": Json::Null,
        "strategy": Json::Null, "sizes": Json::Null, "delta": Json::Null, "fp": Json::Null,
        "bytes_untiled": Json::Null, "variants": Json::Null,
        "why": why.reason.doc().trim(), "change": advice(why.reason), "culprit": why.line,
    });
    append(report, &line);
}

/// The line of what stands in the way, where it is not the loop's.
fn culprit(place: &Place<'_>, why: &Rejection) -> String {
    at_line(place, why.line)
}

fn at_line(place: &Place<'_>, line: Option<u32>) -> String {
    match (line, place.time_loop.location().map(|l| l.line)) {
        (Some(line), Some(loop_line)) if line != loop_line => format!(" (line {line})"),
        _ => String::new(),
    }
}

/// One line, one write; a file that can't be written is no reason to stop a compilation.
fn append(report: Option<&Path>, line: &Json) {
    let Some(path) = report else { return };
    let text = format!("{line}\n");
    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {
        let _ = file.write_all(text.as_bytes());
    }
}

fn sizes_text(sizes: &hexpass_poly::schedule::TileSizes) -> String {
    sizes.0.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(" ")
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}
