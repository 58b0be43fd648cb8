//! Where elements lie: buffers, slots, subscripts.

use super::*;

impl Writer<'_> {
    pub(super) fn size(&self, dim: usize) -> String {
        let small = ["n", "m", "l"][dim];
        match self.p.extents {
            Some(_) => small.to_uppercase(),
            None if self.far() => format!("g->{small}"),
            None => small.to_owned(),
        }
    }

    pub(super) fn far(&self) -> bool {
        self.p.storage == Storage::Members && self.p.style.far && self.p.extents.is_none()
    }

    pub(super) fn sizes(&self) -> Vec<String> {
        (0..self.p.dims).map(|d| self.size(d)).collect()
    }

    /// Points of a grid.
    pub(super) fn points(&self) -> String {
        self.sizes().iter().map(|n| format!("(size_t){n}")).collect::<Vec<_>>().join(" * ")
    }

    /// Whether rows are subscripted one dimension at a time.
    pub(super) fn by_rows(&self) -> bool {
        self.p.dims > 1
            && matches!(self.p.storage, Storage::Vla | Storage::Static | Storage::Rows(_))
            || self.p.storage == Storage::Static
    }

    /// Of indexed buffers: a pointer for each.
    pub(super) fn pointers(&self) -> bool {
        match self.p.storage {
            Storage::Static => false,
            Storage::Rows(_) => true,
            _ => self.p.style.pointers,
        }
    }

    pub(super) fn slot(&self, buffers: usize, level: Level) -> String {
        if self.p.idiom == Idiom::Turn {
            return match level {
                Level::Now => "now",
                Level::Next => "next",
                Level::Old => "old",
            }
            .to_owned();
        }
        match (level, buffers) {
            (Level::Now, _) => format!("t % {buffers}"),
            (Level::Next, _) => format!("(t + 1) % {buffers}"),
            (Level::Old, _) => format!("(t + 2) % {buffers}"),
        }
    }

    pub(super) fn grid(&self, field: usize, level: Level, view: View) -> Grid {
        let buffers = self.p.buffers_of(field);
        let stem = self.p.stem(field);
        let reach = if self.p.storage == Storage::Members { "g->" } else { "" };
        let level = match (view, level) {
            (View::Loop { turn: 1 }, Level::Now) if buffers > 1 => Level::Next,
            (View::Loop { turn: 1 }, Level::Next) => Level::Now,
            (_, level) => level,
        };
        match view {
            View::Function => Grid::Direct(self.p.buffer(field, level)),
            View::Loop { .. } if !self.p.is_indexed(buffers) => {
                Grid::Direct(format!("{reach}{}", self.p.buffer(field, level)))
            }
            View::Loop { .. } => {
                let slot = self.slot(buffers, level);
                if self.pointers() || self.by_rows() {
                    Grid::Direct(format!("{reach}{stem}[{slot}]"))
                } else {
                    Grid::Plane(format!("{reach}{stem}"), format!("({slot})"))
                }
            }
        }
    }

    /// An element of a grid.
    pub(super) fn at(&self, grid: &Grid, subscripts: &[String]) -> String {
        match grid {
            Grid::Direct(base) if self.by_rows() => {
                let rows: String = subscripts.iter().map(|s| format!("[{s}]")).collect();
                format!("{base}{rows}")
            }
            Grid::Direct(base) => format!("{base}[{}]", self.linear(subscripts)),
            Grid::Plane(base, slot) => {
                let size = self.sizes().join(" * ");
                format!("{base}[{slot} * ({size}) + {}]", self.linear(subscripts))
            }
        }
    }

    pub(super) fn linear(&self, subscripts: &[String]) -> String {
        if self.p.style.macros && self.p.dims > 1 {
            return format!("AT({})", subscripts.join(", "));
        }
        let all: Vec<String> = subscripts.iter().map(|s| wrapped(s)).collect();
        match &all[..] {
            [_] => subscripts[0].clone(),
            [i, j] => format!("{i} * {} + {j}", self.size(1)),
            [i, j, k] => format!("({i} * {} + {j}) * {} + {k}", self.size(1), self.size(2)),
            _ => unreachable!("one to three dimensions"),
        }
    }

    pub(super) fn spot(&self, dim: usize, spot: Spot, offset: i32) -> String {
        match spot {
            Spot::Front(k) => (k + offset).to_string(),
            Spot::Back(k) => format!("{} - {}", self.size(dim), 1 + k - offset),
            Spot::Middle => format!("{} / 2{}", self.size(dim), signed(offset)),
        }
    }

    pub(super) fn subscript(&self, dim: usize, index: Index, axis: Axis) -> String {
        let (x, n) = (COUNTERS[dim], self.size(dim));
        match (index, axis) {
            (Index::At(spot), _) => self.spot(dim, spot, 0),
            (Index::Near(o), Axis::At(spot)) => self.spot(dim, spot, o),
            (Index::Near(o), Axis::Span { .. }) => format!("{x}{}", signed(o)),
            (Index::Wrap(0) | Index::Clamp(0), _) => x.to_owned(),
            (Index::Wrap(o), _) if o > 0 => format!("({x} + {o}) % {n}"),
            (Index::Wrap(o), _) => format!("({x} + {n} - {}) % {n}", -o),
            (Index::Clamp(o), _) if o > 0 => format!("({x} + {o} < {n} ? {x} + {o} : {n} - 1)"),
            (Index::Clamp(o), _) => format!("({x} > {} ? {x} - {} : 0)", -o - 1, -o),
        }
    }

    pub(super) fn subscripts(&self, at: &[Index], axes: &[Axis]) -> Vec<String> {
        at.iter().enumerate().map(|(d, i)| self.subscript(d, *i, axes[d])).collect()
    }

    pub(super) fn place(&self, place: &Place, axes: &[Axis], view: View) -> String {
        let grid = self.grid(place.field, place.level, view);
        let mut text = self.at(&grid, &self.subscripts(&place.at, axes));
        if self.p.storage == Storage::Structures {
            let _ = write!(text, ".{}", FIELDS[place.field]);
        }
        text
    }

    pub(super) fn input(&self, input: usize, at: &[Index], axes: &[Axis]) -> String {
        let name = INPUTS[input];
        match self.p.inputs[input].axis {
            Some(d) => format!("{name}[{}]", self.subscript(d, at[d], axes[d])),
            None => format!("{name}[{}]", self.linear(&self.subscripts(at, axes))),
        }
    }
}
