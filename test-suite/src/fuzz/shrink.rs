//! Makes a failing program smaller: drops parts, statements and choices as long as the program stays well-defined and
//! fails in the same way.

use std::path::Path;
use std::time::{Duration, Instant};

use super::program::*;
use super::setup::Setup;
use super::sound;
use super::trial::{self, Fault};
use crate::table::Language;

/// After this the smallest so far is good enough.
const PATIENCE: Duration = Duration::from_secs(600);

/// The smallest program, and plainest setup, that fails as `fault` says.
pub fn shrink(program: &Program, setup: &Setup, fault: &Fault, folder: &Path) -> (Program, Setup) {
    let start = Instant::now();
    let (mut program, mut setup) = (program.clone(), setup.clone());
    let fails = |program: &Program, setup: &Setup| {
        start.elapsed() < PATIENCE
            && sound::least(program).is_ok()
            && trial::fails_alike(program, setup, fault, folder)
    };
    for plainer in plainer(program.language, &setup) {
        if fails(&program, &plainer) {
            setup = plainer;
        }
    }
    while let Some(smaller) = smaller(&program).into_iter().find(|p| fails(p, &setup)) {
        program = smaller;
    }
    (program, setup)
}

/// Setups with less in them, each from the one before where that failed alike.
fn plainer(language: Language, setup: &Setup) -> Vec<Setup> {
    let bare = Setup { compile: Vec::new(), ..setup.clone() };
    let short = Setup { flags: vec![setup.flags[0]], ..setup.clone() };
    vec![Setup::plain(language), bare, short]
}

/// Programs that are one change smaller, the largest changes first.
fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    let mut keep = |changed: Program| {
        if changed != *program {
            all.push(changed);
        }
    };
    for k in (0..program.parts.len()).rev() {
        let mut changed = program.clone();
        changed.parts.remove(k);
        keep(changed);
    }
    styles(program).into_iter().for_each(&mut keep);
    choices(program).into_iter().for_each(&mut keep);
    for k in 0..program.parts.len() {
        sweeps(program, k).into_iter().for_each(&mut keep);
    }
    expressions(program).into_iter().for_each(&mut keep);
    all
}

fn styles(program: &Program) -> Vec<Program> {
    let style = program.style;
    [
        Style { rounds: 1, ..style },
        Style { stop: None, ..style },
        Style { twice: false, ..style },
        Style { places: false, ..style },
        Style { cleared: false, ..style },
        Style { clock: Clock::Up, ..style },
        Style { counter: Counter::Int, ..style },
        Style { stepper: false, ..style },
        Style { home: Home::External, ..style },
        Style { restricted: false, ..style },
        Style { pointers: false, ..style },
        Style { macros: false, ..style },
        Style { wide: false, ..style },
        Style { far: false, ..style },
        Style { continues: false, ..style },
        Style { ternary: false, ..style },
    ]
    .into_iter()
    .map(|style| Program { style, ..program.clone() })
    .chain(ways(program))
    .collect()
}

/// One of the language's own ways less.
fn ways(program: &Program) -> Vec<Program> {
    (0..program.ways.0.len())
        .map(|way| {
            let mut changed = program.clone();
            changed.ways.0[way] = 0;
            changed
        })
        .collect()
}

/// Other grids.
fn choices(program: &Program) -> Vec<Program> {
    let mut all = vec![
        Program { storage: Storage::Flat, ..program.clone() },
        Program { extents: None, ..program.clone() },
        Program { overlap: Overlap::None, ..program.clone() },
        Program { idiom: Idiom::CopyLoop, ..program.clone() },
        Program { idiom: Idiom::Swap, ..program.clone() },
        Program { fields: program.fields[..program.fields.len() - 1].to_vec(), ..program.clone() },
    ];
    if program.storage == Storage::Static {
        all.retain(|p| p.idiom != Idiom::Swap && p.extents.is_some());
    }
    if !program.inputs.is_empty() {
        let inputs = program.inputs[..program.inputs.len() - 1].to_vec();
        all.push(Program { inputs, ..program.clone() });
    }
    if program.element == Element::Float {
        all.push(Program { element: Element::Double, ..program.clone() });
    }
    if !program.fields.is_empty() {
        for f in 0..program.fields.len() {
            let mut fields = program.fields.clone();
            fields[f].buffers = fields[f].buffers.saturating_sub(1).max(1);
            all.push(Program { fields, ..program.clone() });
        }
    }
    all.retain(|p| !p.fields.is_empty());
    all
}

/// Changes of one sweep.
fn sweeps(program: &Program, part: usize) -> Vec<Program> {
    let Part::Sweep(sweep) = &program.parts[part] else { return Vec::new() };
    let mut all = vec![
        Sweep { apart: false, ..sweep.clone() },
        Sweep { swapped: false, ..sweep.clone() },
        Sweep { moving: None, ..sweep.clone() },
        Sweep { axes: sweep.axes.iter().map(|axis| upward(*axis)).collect(), ..sweep.clone() },
    ];
    all.extend(blocks(&sweep.body).into_iter().map(|body| Sweep { body, ..sweep.clone() }));
    all.into_iter()
        .map(|sweep| {
            let mut changed = program.clone();
            changed.parts[part] = Part::Sweep(sweep);
            changed
        })
        .collect()
}

fn upward(axis: Axis) -> Axis {
    match axis {
        Axis::Span { lo, hi, .. } => Axis::Span { lo, hi, down: false },
        at => at,
    }
}

/// A block with a statement less, or with one side of a branch in the branch's place.
fn blocks(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    for (k, stmt) in body.iter().enumerate() {
        let with = |stmts: &[Stmt]| {
            let mut changed = body[..k].to_vec();
            changed.extend_from_slice(stmts);
            changed.extend_from_slice(&body[k + 1..]);
            changed
        };
        if body.len() > 1 {
            all.push(with(&[]));
        }
        if let Stmt::If { when, then, other } = stmt {
            all.push(with(then));
            all.push(with(other));
            let without = |then: &[Stmt], other: &[Stmt]| Stmt::If {
                when: when.clone(),
                then: then.to_vec(),
                other: other.to_vec(),
            };
            all.push(with(&[without(then, &[])]));
            all.extend(blocks(then).iter().map(|then| with(&[without(then, other)])));
            all.extend(blocks(other).iter().map(|other| with(&[without(then, other)])));
        }
        if let Stmt::Store { place, add: true, value } = stmt {
            all.push(with(&[Stmt::Store {
                place: place.clone(),
                add: false,
                value: value.clone(),
            }]));
        }
    }
    all.retain(|body| !body.is_empty());
    all
}

/// Programs with a part of one expression in its place, or a number.
fn expressions(program: &Program) -> Vec<Program> {
    let mut count = 0;
    program.each_expr(&mut |_| count += 1);
    let mut all = Vec::new();
    for place in 0..count {
        for kind in 0..4 {
            let mut changed = program.clone();
            let mut left: usize = place;
            let mut done = false;
            changed.each_expr_mut(&mut |expr| {
                if done || left > 0 {
                    left = left.saturating_sub(1);
                    return;
                }
                done = true;
                if let Some(simpler) = simpler(expr, kind) {
                    *expr = simpler;
                }
            });
            if changed != *program {
                all.push(changed);
            }
        }
    }
    all
}

fn simpler(expr: &Expr, kind: usize) -> Option<Expr> {
    match (expr, kind) {
        (Expr::Unary(_, a) | Expr::Whole(_, a, _), 0) => Some((**a).clone()),
        (Expr::Binary(_, a, _) | Expr::Choose(_, a, _), 0) => Some((**a).clone()),
        (Expr::Binary(_, _, b) | Expr::Choose(_, _, b), 1) => Some((**b).clone()),
        (Expr::Choose(when, a, b), 2) => {
            let simpler = match &**when {
                Cond::Not(a) | Cond::And(a, _) | Cond::Or(a, _) => a.clone(),
                _ => return None,
            };
            Some(Expr::Choose(simpler, a.clone(), b.clone()))
        }
        (Expr::Number(_), _) => None,
        (_, 3) => Some(Expr::Number(1)),
        _ => None,
    }
}
