//! Where elements lie: from a field, a level and subscripts to the text of an element, by brackets or an accessor. What
//! would be out of bounds was refused when the program was made.

use super::*;

impl Writer<'_> {
    pub(super) fn size(&self, dim: usize, view: View) -> String {
        if self.members() || !self.far() {
            return self.p.sizes()[dim].clone();
        }
        let field = self.p.fields.iter().position(|f| f.buffers > 1).unwrap_or(0);
        format!("{}.{}", self.grid(field, Level::Now, view), SIZES[dim])
    }

    /// Of indexed buffers: one of them.
    pub(super) fn slot(&self, field: usize, level: Level) -> String {
        let buffers = self.p.buffers_of(field);
        let slot = slot(self.p, level, |t| format!("{} % {buffers}", wrapped(t)));
        format!("{}[{slot}]", self.p.stem(field))
    }

    pub(super) fn grid(&self, field: usize, level: Level, view: View) -> String {
        let buffers = self.p.buffers_of(field);
        let level = view.level(level, buffers);
        let name = self.p.buffer(field, level);
        if view == View::Function {
            return name;
        }
        if self.p.is_indexed(buffers) {
            return match self.p.ways.often(REFERENCES, 40) {
                true => format!("{name}_here"),
                false => self.slot(field, level),
            };
        }
        if self.by_address() && buffers > 1 { format!("(*at_{name})") } else { name }
    }

    pub(super) fn element_at(&self, grid: &str, subscripts: &[String], view: View) -> String {
        match self.kind() {
            Kind::Class | Kind::View => format!("{grid}({})", subscripts.join(", ")),
            Kind::Nested | Kind::Static => {
                subscripts.iter().fold(grid.to_owned(), |text, s| text + "[" + s + "]")
            }
            _ => format!("{grid}[{}]", self.linear(subscripts, view)),
        }
    }

    pub(super) fn linear(&self, subscripts: &[String], view: View) -> String {
        row_by_row(subscripts, |d| self.size(d, view))
    }

    pub(super) fn subscript(&self, dim: usize, index: Index, axis: Axis, view: View) -> String {
        let (x, n) = (COUNTERS[dim], self.size(dim, view));
        let choose: Option<Choose> = self
            .p
            .style
            .ternary
            .then_some(|when, then, other| format!("({when} ? {then} : {other})"));
        subscript(dim, index, axis, &n, choose, |o| match (o > 0, self.p.style.ternary) {
            (true, true) => format!("std::min<{}>({x} + {o}, {n} - 1)", self.counter()),
            (true, false) => format!("({x} + {o} < {n} ? {x} + {o} : {n} - 1)"),
            (false, _) => format!("({x} > {} ? {x} - {} : 0)", -o - 1, -o),
        })
    }

    pub(super) fn subscripts(&self, at: &[Index], axes: &[Axis], view: View) -> Vec<String> {
        at.iter().enumerate().map(|(d, i)| self.subscript(d, *i, axes[d], view)).collect()
    }

    pub(super) fn place(&self, place: &Place, axes: &[Axis], view: View) -> String {
        self.place_at(place, &self.subscripts(&place.at, axes, view), view)
    }

    fn place_at(&self, place: &Place, subscripts: &[String], view: View) -> String {
        let grid = self.grid(place.field, place.level, view);
        let text = self.element_at(&grid, subscripts, view);
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
        let mut subscripts = self.subscripts(&one.at, axes, view);
        let there = self.subscript(d, other.at[d], axes[d], view);
        subscripts[d] = format!("({when} ? {} : {there})", subscripts[d]);
        self.place_at(one, &subscripts, view)
    }

    /// An element that is looked at once in a step, now and then with a check.
    pub(super) fn looked_at(&self, place: &Place, axes: &[Axis], view: View) -> String {
        let checked = self.kind() == Kind::Vector && self.p.ways.often(CHECKED, 40);
        if !checked {
            return self.place(place, axes, view);
        }
        let subscripts = self.subscripts(&place.at, axes, view);
        let grid = self.grid(place.field, place.level, view);
        let text = format!("{grid}.at({})", self.linear(&subscripts, view));
        if self.p.is_cells() { format!("{text}.{}", FIELDS[place.field]) } else { text }
    }

    pub(super) fn input(&self, input: usize, at: &[Index], axes: &[Axis], view: View) -> String {
        let name = INPUTS[input];
        match self.p.inputs[input].axis {
            Some(d) => format!("{name}[{}]", self.subscript(d, at[d], axes[d], view)),
            None => {
                format!("{name}[{}]", self.linear(&self.subscripts(at, axes, view), view))
            }
        }
    }

    pub(super) fn points(&self, view: View) -> String {
        let sizes = (0..self.p.dims).map(|d| format!("std::size_t({})", self.size(d, view)));
        sizes.collect::<Vec<_>>().join(" * ")
    }
}
