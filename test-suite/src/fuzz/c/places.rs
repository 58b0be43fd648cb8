//! Where elements lie: from a field, a level and subscripts to the text of an element. What would be out of bounds was
//! refused when the program was made.

use super::*;

impl Writer<'_> {
    pub(super) fn size(&self, dim: usize) -> String {
        match self.p.extents {
            None if self.far() => format!("g->{}", SIZES[dim]),
            _ => self.p.sizes()[dim].clone(),
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

    pub(super) fn grid(&self, field: usize, level: Level, view: View) -> Grid {
        let buffers = self.p.buffers_of(field);
        let stem = self.p.stem(field);
        let reach = self.reach();
        let level = view.level(level, buffers);
        match view {
            View::Function => Grid::Direct(self.p.buffer(field, level)),
            View::Loop { .. } if !self.p.is_indexed(buffers) => {
                Grid::Direct(format!("{reach}{}", self.p.buffer(field, level)))
            }
            View::Loop { .. } => {
                let slot = slot(self.p, level, |t| format!("{} % {buffers}", wrapped(t)));
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

    /// Where a grid begins.
    pub(super) fn start_of(&self, grid: Grid) -> String {
        match grid {
            Grid::Direct(base) => base,
            Grid::Plane(base, slot) => format!("{base} + {slot} * ({})", self.sizes().join(" * ")),
        }
    }

    pub(super) fn linear(&self, subscripts: &[String]) -> String {
        if self.p.style.macros && self.p.dims > 1 {
            return format!("AT({})", subscripts.join(", "));
        }
        row_by_row(subscripts, |d| self.size(d))
    }

    pub(super) fn subscript(&self, dim: usize, index: Index, axis: Axis) -> String {
        let (x, n) = (COUNTERS[dim], self.size(dim));
        let choose: Option<Choose> = self
            .p
            .style
            .ternary
            .then_some(|when, then, other| format!("({when} ? {then} : {other})"));
        subscript(dim, index, axis, &n, choose, |o| match o > 0 {
            true => format!("({x} + {o} < {n} ? {x} + {o} : {n} - 1)"),
            false => format!("({x} > {} ? {x} - {} : 0)", -o - 1, -o),
        })
    }

    pub(super) fn subscripts(&self, at: &[Index], axes: &[Axis]) -> Vec<String> {
        at.iter().enumerate().map(|(d, i)| self.subscript(d, *i, axes[d])).collect()
    }

    pub(super) fn place(&self, place: &Place, axes: &[Axis], view: View) -> String {
        self.place_at(place, &self.subscripts(&place.at, axes), view)
    }

    fn place_at(&self, place: &Place, subscripts: &[String], view: View) -> String {
        let text = self.at(&self.grid(place.field, place.level, view), subscripts);
        if self.p.is_cells() { format!("{text}.{}", FIELDS[place.field]) } else { text }
    }

    /// One of two elements, by a choice of where to look.
    pub(super) fn either(
        &self,
        when: &str,
        (one, other): (&Place, &Place),
        axes: &[Axis],
        view: View,
    ) -> String {
        let Some(d) = apart_along(one, other, axes) else {
            let (one, other) = (self.place(one, axes, view), self.place(other, axes, view));
            return format!("(*({when} ? &{one} : &{other}))");
        };
        let mut subscripts = self.subscripts(&one.at, axes);
        let there = self.subscript(d, other.at[d], axes[d]);
        subscripts[d] = format!("({when} ? {} : {there})", subscripts[d]);
        self.place_at(one, &subscripts, view)
    }

    pub(super) fn input(&self, input: usize, at: &[Index], axes: &[Axis]) -> String {
        let name = INPUTS[input];
        match self.p.inputs[input].axis {
            Some(d) => format!("{name}[{}]", self.subscript(d, at[d], axes[d])),
            None => format!("{name}[{}]", self.linear(&self.subscripts(at, axes))),
        }
    }
}
