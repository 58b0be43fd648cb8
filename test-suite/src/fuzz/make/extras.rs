//! What a program has beside: from a program that is well-defined to one with a little more in it, also well-defined, or
//! to itself. Each has a number of its own to be chosen by, so that what is added here leaves the rest of a seed's program
//! as it was.

use super::*;

/// The program with what its seed adds; what would not be defined, or not `fit`, is left out.
pub(super) fn with(mut program: Program, fit: impl Fn([i32; 3]) -> bool) -> Program {
    let seed = program.seed;
    for (number, (percent, add)) in EXTRAS.iter().enumerate() {
        let mut choice = Choice::seeded(seed ^ (0x0e77_0000 + number as u64));
        if !choice.chance(*percent) {
            continue;
        }
        let mut more = program.clone();
        add(&mut more, &mut choice);
        if sound::least(&more).is_ok_and(&fit) {
            program = more;
        }
    }
    program
}

type Extra = fn(&mut Program, &mut Choice);

/// In how many of a hundred programs, and what.
const EXTRAS: [(u32, Extra); 10] = [
    (10, moving),
    (14, chosen),
    (8, allocated),
    (50, midway),
    (25, stalled),
    (9, looked_at),
    (9, touched),
    (8, twice),
    (6, round::around),
    (6, round::refilled),
];

/// Sweeps over fewer points in each step.
fn moving(program: &mut Program, choice: &mut Choice) {
    let dim = choice.below(program.dims);
    let end = choice.of(&[End::Front, End::Back]);
    let all = choice.chance(50);
    let mut sweeps = sweeps(program);
    if !all {
        let one = choice.below(sweeps.len().max(1));
        sweeps = sweeps.into_iter().skip(one).take(1).collect();
    }
    for sweep in sweeps.into_iter().filter(|s| matches!(s.axes[dim], Axis::Span { .. })) {
        sweep.moving = Some((dim, end));
    }
}

/// An upwind difference, or a choice between grids: a value says which element is taken.
fn chosen(program: &mut Program, choice: &mut Choice) {
    program.style.places = choice.chance(75);
    let real = program.element.is_real();
    let fields = program.fields.clone();
    let dims = program.dims;
    let mut sweeps = sweeps(program);
    if sweeps.is_empty() {
        return;
    }
    let sweep = sweeps.swap_remove(choice.below(sweeps.len()));
    let axes = sweep.axes.clone();
    let Some(value) = sweep.body.iter_mut().find_map(|stmt| match stmt {
        Stmt::Store { value, .. } => Some(value),
        _ => None,
    }) else {
        return;
    };
    let Some((field, level)) = first_load(value) else { return };
    let here = vec![Index::Near(0); dims];
    let (mut one, mut other) = (here.clone(), here.clone());
    let d = choice.below(dims);
    if let Axis::Span { lo, hi, .. } = axes[d] {
        one[d] = Index::Near(-lo);
        other[d] = Index::Near(if choice.chance(70) { hi } else { 0 });
    }
    let by = choice.below(fields.len());
    let when = Expr::Load(Place { field: by, level: Level::Now, at: here });
    let bound = Expr::Number(if choice.chance(60) { 0 } else { choice.between(-20, 50) });
    let away = choice.below(fields.len());
    let away = if choice.chance(25) { (away, Level::Now) } else { (field, level) };
    let one = Expr::Load(Place { field, level, at: one });
    let other = Expr::Load(Place { field: away.0, level: away.1, at: other });
    let taken = Expr::Choose(Cond::Less(when, bound).into(), one.into(), other.into());
    *value = if real {
        let half = |e: Expr| binary(Binary::Multiply, Expr::Number(50), e);
        binary(Binary::Add, half(value.clone()), half(taken))
    } else {
        Expr::Whole(Whole::Quotient, binary(Binary::Add, value.clone(), taken).into(), 2)
    };
}

/// Grids that each step allocates, and clears.
fn allocated(program: &mut Program, choice: &mut Choice) {
    let copies = matches!(program.idiom, Idiom::CopyMemory | Idiom::Fresh | Idiom::Swap);
    let two = program.fields.iter().all(|field| field.buffers < 3);
    if program.storage == Storage::Flat && copies && two && program.overlap == Overlap::None {
        program.idiom = Idiom::Fresh;
        program.style.cleared = choice.chance(70);
    }
}

/// The loop is left between two sweeps of a step.
fn midway(program: &mut Program, _: &mut Choice) {
    let Some(exit) = program.parts.iter().position(Part::leaves) else { return };
    let exit = program.parts.remove(exit);
    let collects = |part: &Part| match part {
        Part::Sweep(sweep) => !folds_of(&sweep.body).is_empty(),
        _ => false,
    };
    let at = program.parts.iter().position(collects).map_or(program.parts.len(), |k| k + 1);
    program.parts.insert(at, exit);
}

/// The loop is left when what is collected grows.
fn stalled(program: &mut Program, choice: &mut Choice) {
    if program.folds.is_empty() || program.parts.iter().any(Part::leaves) {
        return;
    }
    program.parts.push(Part::Stalled { fold: 0 });
    if choice.chance(30) {
        midway(program, choice);
    }
}

fn looked_at(program: &mut Program, choice: &mut Choice) {
    let (every, place) = (choice.between(1, 6), somewhere(program, choice));
    anywhere(program, choice, Part::Look { every, place });
}

fn touched(program: &mut Program, choice: &mut Choice) {
    let (every, place) = (choice.between(1, 6), somewhere(program, choice));
    anywhere(program, choice, Part::Touch { every, place });
}

fn twice(program: &mut Program, _: &mut Choice) {
    program.style.twice = true;
}

/// A fixed element of some buffer.
fn somewhere(program: &Program, choice: &mut Choice) -> Place {
    let field = choice.below(program.fields.len());
    let new = program.fields[field].buffers > 1 && program.idiom != Idiom::Fresh;
    let level = if new { choice.of(&[Level::Now, Level::Next]) } else { Level::Now };
    let mut spot = |_| {
        let k = choice.between(0, 3);
        Index::At(choice.of(&[Spot::Middle, Spot::Middle, Spot::Front(k), Spot::Back(k)]))
    };
    Place { field, level, at: (0..program.dims).map(&mut spot).collect() }
}

/// Between the steps, mostly.
fn anywhere(program: &mut Program, choice: &mut Choice, part: Part) {
    let end = program.parts.len();
    let at = match choice.below(6) {
        0 | 1 => choice.below(end + 1),
        2 => 0,
        _ => end,
    };
    program.parts.insert(at, part);
}

pub(super) fn sweeps(program: &mut Program) -> Vec<&mut Sweep> {
    let sweep = |part| match part {
        &mut Part::Sweep(ref mut sweep) => Some(sweep),
        _ => None,
    };
    program.parts.iter_mut().filter_map(sweep).collect()
}

/// The buffer that an expression reads first.
fn first_load(expr: &Expr) -> Option<(usize, Level)> {
    let mut found = None;
    expr.each(&mut |expr| {
        if let (Expr::Load(place), None) = (expr, found) {
            found = Some((place.field, place.level));
        }
    });
    found
}
