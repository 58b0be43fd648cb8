//! Where elements lie: from a field, a level and subscripts to the text of an element, and of a grid that is lent. What
//! would be out of bounds was refused when the program was made.

use super::*;

impl Writer<'_> {
    pub(super) fn size(&self, dim: usize, view: View) -> String {
        match (self.p.extents, view) {
            (None, View::Loop { .. }) if self.members() => format!("self.{}", SIZES[dim]),
            _ => self.p.sizes()[dim].clone(),
        }
    }

    /// The index of a buffer.
    pub(super) fn slot(&self, buffers: usize, level: Level) -> String {
        slot(self.p, level, |t| {
            let remainder = format!("{} % {buffers}", wrapped(t));
            if self.clock() == "usize" { remainder } else { format!("({remainder}) as usize") }
        })
    }

    pub(super) fn grid(&self, field: usize, level: Level, view: View) -> String {
        let buffers = self.p.buffers_of(field);
        let level = view.level(level, buffers);
        let name = self.p.buffer(field, level);
        if view == View::Function {
            return name;
        }
        let reach = self.reach();
        if self.p.is_indexed(buffers) {
            return match self.disjoint() {
                true => format!("{name}_here"),
                false => format!("{reach}{}[{}]", self.p.stem(field), self.slot(buffers, level)),
            };
        }
        let own = self.p.idiom == Idiom::Fresh && level == Level::Next;
        if own { name } else { format!("{reach}{name}") }
    }

    /// A grid as an argument.
    pub(super) fn lent(&self, field: usize, level: Level, view: View, mutable: bool) -> String {
        let grid = self.grid(field, level, view);
        let value = grid.starts_with("self.") || grid.contains('[');
        match (value, mutable) {
            (true, true) => format!("&mut {grid}"),
            (true, false) => format!("&{grid}"),
            (false, _) => grid,
        }
    }

    pub(super) fn as_index(&self, text: &str) -> String {
        let literal = text.chars().all(|c| c.is_ascii_digit());
        match self.counter() {
            "usize" => text.to_owned(),
            _ if literal => text.to_owned(),
            _ => format!("{} as usize", wrapped(text)),
        }
    }

    pub(super) fn element_at(&self, grid: &str, subscripts: &[String], view: View) -> String {
        match self.kind() {
            Kind::Grid if self.p.dims == 1 => format!("{grid}[{}]", self.as_index(&subscripts[0])),
            Kind::Grid => {
                let all: Vec<String> = subscripts.iter().map(|s| self.as_index(s)).collect();
                format!("{grid}[({})]", all.join(", "))
            }
            Kind::Nested | Kind::Array => subscripts
                .iter()
                .fold(grid.to_owned(), |text, s| format!("{text}[{}]", self.as_index(s))),
            _ => format!("{grid}[{}]", self.as_index(&self.linear(subscripts, view))),
        }
    }

    pub(super) fn linear(&self, subscripts: &[String], view: View) -> String {
        row_by_row(subscripts, |d| self.size(d, view))
    }

    pub(super) fn subscript(&self, dim: usize, index: Index, axis: Axis, view: View) -> String {
        let (x, n) = (COUNTERS[dim], self.size(dim, view));
        let signed_counter = matches!(self.counter(), "i32" | "isize");
        let choose: Option<Choose> =
            self.p.style.ternary.then_some(|when, then, other| {
                format!("(if {when} {{ {then} }} else {{ {other} }})")
            });
        subscript(dim, index, axis, &n, choose, |o| match (o > 0, self.p.style.ternary) {
            (true, true) => format!("(if {x} + {o} < {n} {{ {x} + {o} }} else {{ {n} - 1 }})"),
            (true, false) => format!("({x} + {o}).min({n} - 1)"),
            (false, true) => format!("(if {x} > {} {{ {x} - {} }} else {{ 0 }})", -o - 1, -o),
            (false, false) if signed_counter => format!("({x} - {}).max(0)", -o),
            (false, false) => format!("{x}.saturating_sub({})", -o),
        })
    }

    pub(super) fn subscripts(&self, at: &[Index], axes: &[Axis], view: View) -> Vec<String> {
        at.iter().enumerate().map(|(d, i)| self.subscript(d, *i, axes[d], view)).collect()
    }

    pub(super) fn place(&self, place: &Place, scope: Scope) -> String {
        if let Some(text) = scope.streams.and_then(|s| self.streamed(place, s, scope)) {
            return text;
        }
        self.place_at(place, &self.subscripts(&place.at, scope.axes, scope.view), scope.view)
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
        scope: Scope,
    ) -> String {
        let along = match scope.streams {
            None => apart_along(one, other, scope.axes),
            Some(_) => None,
        };
        let Some(d) = along else {
            let (one, other) = (self.place(one, scope), self.place(other, scope));
            return format!("(*(if {when} {{ &{one} }} else {{ &{other} }}))");
        };
        let mut subscripts = self.subscripts(&one.at, scope.axes, scope.view);
        let there = self.subscript(d, other.at[d], scope.axes[d], scope.view);
        subscripts[d] = format!("(if {when} {{ {} }} else {{ {there} }})", subscripts[d]);
        self.place_at(one, &subscripts, scope.view)
    }

    pub(super) fn input(&self, input: usize, at: &[Index], scope: Scope) -> String {
        let name = INPUTS[input];
        let subscript = match self.p.inputs[input].axis {
            Some(d) => self.subscript(d, at[d], scope.axes[d], scope.view),
            None => self.linear(&self.subscripts(at, scope.axes, scope.view), scope.view),
        };
        format!("{name}[{}]", self.as_index(&subscript))
    }
}
