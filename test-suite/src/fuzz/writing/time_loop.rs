//! The time loop: what a step is made of.

use super::lines::Lines;
use super::sweeps::{folds_of, written};
use crate::fuzz::program::{Expr, Idiom, Level, Part, Place, Program, Sweep};

/// A piece of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// All parts; in the turn numbered 1, buffers have changed places.
    Parts { turn: usize },
    /// One turn or the other, as the step's number is even or odd.
    ByTurns,
    /// The new values are copied back.
    CopyBack,
    /// All parts, between the making of new grids and their end.
    Fresh,
    /// Buffers, or what leads to them, change places.
    Exchange,
}

impl Program {
    /// What a step is made of, in order.
    pub fn pieces(&self) -> &'static [Piece] {
        match self.idiom {
            Idiom::ThereAndBack => &[Piece::Parts { turn: 0 }, Piece::Parts { turn: 1 }],
            Idiom::Alternate => &[Piece::ByTurns],
            Idiom::CopyMemory => &[Piece::Parts { turn: 0 }, Piece::CopyBack],
            Idiom::Fresh => &[Piece::Fresh],
            Idiom::Swap | Idiom::Modulo | Idiom::Turn | Idiom::CopyLoop => {
                &[Piece::Parts { turn: 0 }, Piece::Exchange]
            }
        }
    }

    /// Parts at the step's beginning that go into one function, of those that are `fit`.
    pub fn led(&self, fit: impl Fn(&Part) -> bool) -> &[Part] {
        let plain = |part: &Part| match part {
            Part::Sweep(sweep) => folds_of(&sweep.body).is_empty(),
            Part::Point { .. } => true,
            _ => false,
        };
        let count = self.parts.iter().take_while(|part| plain(part) && fit(part)).count();
        &self.parts[..if self.style.stepper { count } else { 0 }]
    }
}

/// Writes parts that are led ([`Program::led`]): sweeps and points.
pub fn each_led(
    led: &[Part],
    out: &mut Lines,
    sweep: impl Fn(&Sweep, &mut Lines),
    point: impl Fn(&Place, bool, &Expr, &mut Lines),
) {
    for part in led {
        match part {
            Part::Sweep(one) => sweep(one, out),
            Part::Point { place, add, value } => point(place, *add, value, out),
            _ => unreachable!("only these are led"),
        }
    }
}

/// The way out of the time loop, in a language of braces: `head` opens the condition, `settled` notes the step.
pub fn way_out(head: &str, settled: &str, out: &mut Lines) {
    out.open(head);
    out.line(settled);
    out.line("break;");
    out.shut("}");
}

/// Buffers that parts store to.
pub fn stored(parts: &[Part]) -> Vec<(usize, Level)> {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Part::Sweep(sweep) => all.extend(written(&sweep.body)),
            Part::Point { place, .. } => all.push((place.field, place.level)),
            _ => {}
        }
    }
    all
}
