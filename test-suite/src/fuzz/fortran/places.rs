//! Where elements lie: from a field, a level and subscripts to the text of an element, or of a section. What would be
//! out of bounds was refused when the program was made.

use super::*;

impl Writer<'_> {
    pub(super) fn far(&self) -> bool {
        self.kind() == Kind::Members && self.p.style.far && self.p.extents.is_none()
    }

    pub(super) fn size(&self, dim: usize, view: View) -> String {
        match view {
            View::Loop { .. } if self.far() => format!("g%{}", SIZES[dim]),
            _ => SIZES[dim].to_owned(),
        }
    }

    /// Dimensions in the order of subscripts: mostly the innermost loop's comes first.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.p.dims).collect();
        if !self.p.ways.often(ORDER, 12) {
            order.reverse();
        }
        order
    }

    /// The bounds of a grid.
    pub(super) fn bounds(&self) -> String {
        let one = |d: &usize| match self.base() {
            1 => SIZES[*d].to_owned(),
            _ => format!("0:{} - 1", SIZES[*d]),
        };
        self.order().iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// Bounds of which only the lower ones are said.
    pub(super) fn open_bounds(&self) -> String {
        let one = if self.base() == 1 { ":" } else { "0:" };
        vec![one; self.p.dims].join(", ")
    }

    /// Bounds of which both are said.
    pub(super) fn closed_bounds(&self, slots: usize) -> String {
        let b = self.base();
        let one = |d: &usize| format!("{b}:{}{}", SIZES[*d], signed(b - 1));
        let mut all: Vec<String> = self.order().iter().map(one).collect();
        all.extend((slots > 0).then(|| format!("0:{}", slots.max(1) - 1)));
        all.join(", ")
    }

    pub(super) fn colons(&self, rank: usize) -> String {
        vec![":"; rank].join(", ")
    }

    /// Whether the slots of a step have names.
    pub(super) fn associated(&self) -> bool {
        self.base() == 1 && self.p.is_indexed(self.p.buffers()) && self.p.ways.often(ASSOCIATE, 30)
    }

    /// What precedes names of buffers.
    pub(super) fn reach(&self) -> &'static str {
        if self.kind() == Kind::Members { "g%" } else { "" }
    }

    /// Of indexed buffers: the array, and the subscript behind those of the point.
    pub(super) fn slot(&self, field: usize, level: Level) -> (String, String) {
        let buffers = self.p.buffers_of(field);
        let slot = slot(self.p, level, |t| format!("mod({t}, {buffers})"));
        if self.block() {
            return ("block".to_owned(), format!("{} + {slot}", self.plane(field, Level::Now)));
        }
        (format!("{}{}", self.reach(), self.p.stem(field)), slot)
    }

    /// A grid's name, and the subscript behind those of the point.
    pub(super) fn grid(&self, field: usize, level: Level, view: View) -> (String, Option<String>) {
        let buffers = self.p.buffers_of(field);
        let level = view.level(level, buffers);
        let name = self.p.buffer(field, level);
        if view == View::Function {
            return (name, None);
        }
        if self.p.is_indexed(buffers) {
            if self.associated() {
                return (format!("{name}_here"), None);
            }
            let (array, slot) = self.slot(field, level);
            return (array, Some(slot));
        }
        if self.block() && self.kind() != Kind::Pointer {
            return ("block".to_owned(), Some(self.plane(field, level).to_string()));
        }
        (format!("{}{name}", self.reach()), None)
    }

    /// Where a buffer lies in the block.
    pub(super) fn plane(&self, field: usize, level: Level) -> usize {
        let before: usize = (0..field).map(|f| self.p.buffers_of(f)).sum();
        let slot = LEVELS.iter().position(|l| *l == level).expect("one of three");
        1 + before + slot
    }

    /// All of a grid.
    pub(super) fn whole_grid(&self, field: usize, level: Level, view: View) -> String {
        match self.grid(field, level, view) {
            (name, None) => name,
            (name, Some(slot)) => format!("{name}({}, {slot})", self.colons(self.p.dims)),
        }
    }

    pub(super) fn spot(&self, dim: usize, spot: Spot, offset: i32, view: View) -> String {
        let (n, b) = (self.size(dim, view), self.base());
        match spot {
            Spot::Front(k) => (k + offset + b).to_string(),
            Spot::Back(k) => format!("{n}{}", signed(b - 1 - k + offset)),
            Spot::Middle => format!("{n}/2{}", signed(offset + b)),
        }
    }

    pub(super) fn subscript(&self, dim: usize, index: Index, scope: Scope) -> String {
        let (x, n, b) = (COUNTERS[dim], self.size(dim, scope.view), self.base());
        match (index, scope.axes[dim]) {
            (Index::At(spot), _) => self.spot(dim, spot, 0, scope.view),
            (Index::Near(o), Axis::At(spot)) => self.spot(dim, spot, o, scope.view),
            (Index::Near(0), Axis::Span { lo: 0, hi: 0, .. }) if scope.section => ":".to_owned(),
            (Index::Near(o), Axis::Span { lo, hi, .. }) if scope.section => {
                format!("{}:{n}{}", b + lo + o, signed(b - 1 - hi + o))
            }
            (Index::Near(o), Axis::Span { .. }) => format!("{x}{}", signed(o)),
            (Index::Wrap(0) | Index::Clamp(0), _) => x.to_owned(),
            (Index::Wrap(o), _) if self.p.style.ternary => around(x, o, &n, b),
            (Index::Wrap(o), _) if o > 0 => format!("mod({x}{}, {n}){}", signed(o - b), signed(b)),
            (Index::Wrap(o), _) => format!("modulo({x}{}, {n}){}", signed(o - b), signed(b)),
            (Index::Clamp(o), _) if o > 0 => {
                format!("min({x} + {o}, {n}{})", signed(b - 1))
            }
            (Index::Clamp(o), _) => format!("max({x} - {}, {})", -o, self.literal(b)),
        }
    }

    pub(super) fn subscripts(&self, at: &[Index], scope: Scope) -> String {
        let all = self.order().into_iter().map(|d| self.subscript(d, at[d], scope));
        all.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn place(&self, place: &Place, scope: Scope) -> String {
        self.place_at(place, self.subscripts(&place.at, scope), scope)
    }

    fn place_at(&self, place: &Place, subscripts: String, scope: Scope) -> String {
        let (name, slot) = self.grid(place.field, place.level, scope.view);
        let slot = slot.map_or(String::new(), |slot| format!(", {slot}"));
        let text = format!("{name}({subscripts}{slot})");
        if self.p.is_cells() { format!("{text}%{}", FIELDS[place.field]) } else { text }
    }

    /// One of two elements, by a choice of where to look: along one dimension.
    pub(super) fn either(
        &self,
        when: &str,
        (one, other): (&Place, &Place),
        along: usize,
        scope: Scope,
    ) -> String {
        let subscript = |d: usize| {
            let here = self.subscript(d, one.at[d], scope);
            let there = self.subscript(d, other.at[d], scope);
            if d == along { format!("merge({here}, {there}, {when})") } else { here }
        };
        let all: Vec<String> = self.order().into_iter().map(subscript).collect();
        self.place_at(one, all.join(", "), scope)
    }

    pub(super) fn input(&self, input: usize, at: &[Index], scope: Scope) -> String {
        let name = INPUTS[input];
        match self.p.inputs[input].axis {
            Some(d) => format!("{name}({})", self.subscript(d, at[d], scope)),
            None => format!("{name}({})", self.subscripts(at, scope)),
        }
    }
}

/// A subscript around the border, by comparison; `b` is the first.
fn around(x: &str, offset: i32, n: &str, b: i32) -> String {
    let (there, back) = (format!("{x}{}", signed(offset)), -offset);
    match offset > 0 {
        true => format!("merge({there}, {there} - {n}, {there} < {n}{})", signed(b)),
        false => format!("merge({x} + {n} - {back}, {there}, {x} < {})", back + b),
    }
}
