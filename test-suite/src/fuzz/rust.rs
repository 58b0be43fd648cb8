//! Writes a program in Rust, with `corpus/rust/corpus.rs` for its cases: slices, vectors, vectors of vectors, arrays, a
//! grid with `Index`, a structure with a method; loops over ranges, windows, chunks, zipped iterators.
//!
//! No program panics: subscripts are in bounds, integers don't overflow, and slices don't end before they begin.

use super::program::*;
use super::text::*;
use std::fmt::Write as _;

/// The whole file.
pub fn write(program: &Program) -> String {
    let least = super::sound::least(program).unwrap_or([1; 3]);
    let mut writer = Writer { p: program, functions: String::new() };
    let run = writer.run();
    writer.file(least, &run)
}

/// The ways that Rust has beside those of all languages, each a number of the program's.
const CONTAINER: usize = 0;
const ITERATORS: usize = 1;
const SWAP: usize = 2;
const DISJOINT: usize = 3;
const WRAPPING: usize = 4;
const CLOCK: usize = 5;
const ASSERTS: usize = 6;
const COPIES: usize = 7;
const VECTORS: usize = 8;
const FOLDS: usize = 9;

/// What a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Vec,
    Slice,
    /// A structure with `Index`.
    Grid,
    Nested,
    Array,
}

/// From where grids are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Loop { turn: usize },
    Function,
}

/// What iterators hand to a sweep's innermost loop.
struct Streams {
    /// The grid that is set, and whether its row is handed, or its element.
    written: Option<((usize, Level), bool)>,
    windows: Vec<Window>,
}

/// A row that is read at some distances from the point.
struct Window {
    grid: (usize, Level),
    /// Subscripts but the last.
    outer: Vec<Index>,
    min: i32,
    max: i32,
}

#[derive(Clone, Copy)]
struct Scope<'a> {
    axes: &'a [Axis],
    view: View,
    streams: Option<&'a Streams>,
}

/// A name that functions may be handed.
struct Name {
    name: String,
    declared: String,
    actual: String,
}

struct Writer<'a> {
    p: &'a Program,
    functions: String,
}

const SMALL: [&str; 3] = ["n", "m", "l"];
const LEVELS: [Level; 3] = [Level::Now, Level::Next, Level::Old];

impl Writer<'_> {
    fn way(&self, way: usize, count: usize) -> usize {
        self.p.ways.below(way, count)
    }

    fn kind(&self) -> Kind {
        match self.p.storage {
            Storage::Flat | Storage::Structures => {
                [Kind::Vec, Kind::Slice, Kind::Grid][self.way(CONTAINER, 3)]
            }
            Storage::OneBlock => Kind::Slice,
            Storage::Vla => Kind::Grid,
            Storage::Static => Kind::Array,
            Storage::Rows(_) => Kind::Nested,
            Storage::Members => [Kind::Vec, Kind::Grid][self.way(CONTAINER, 2)],
        }
    }

    fn cells(&self) -> bool {
        self.p.storage == Storage::Structures
    }

    fn members(&self) -> bool {
        self.p.storage == Storage::Members
    }

    fn real(&self) -> bool {
        self.p.element.is_real()
    }

    fn element(&self) -> &'static str {
        match self.p.element {
            Element::Float => "f32",
            Element::Double => "f64",
            Element::Int => "i32",
            Element::Byte => "u8",
        }
    }

    /// What arithmetic is done in.
    fn value(&self) -> &'static str {
        if self.p.element == Element::Byte { "i32" } else { self.element() }
    }

    /// What grids are made of.
    fn item(&self) -> &'static str {
        if self.cells() { "Cell" } else { self.element() }
    }

    fn counter(&self) -> &'static str {
        match self.p.style.counter {
            Counter::Int => "i32",
            Counter::Long => "isize",
            Counter::Size => "usize",
            Counter::Unsigned => "u32",
        }
    }

    /// The type of the step's number.
    fn clock(&self) -> &'static str {
        if self.p.ways.often(CLOCK, 50) { "usize" } else { "i32" }
    }

    /// The step's number as this type.
    fn step_as(&self, t: &str) -> String {
        if self.clock() == t { "t".to_owned() } else { format!("t as {t}") }
    }

    // Where elements lie.

    fn size(&self, dim: usize, view: View) -> String {
        match (self.p.extents, view) {
            (Some(_), _) => SMALL[dim].to_uppercase(),
            (None, View::Loop { .. }) if self.members() => format!("self.{}", SMALL[dim]),
            (None, _) => SMALL[dim].to_owned(),
        }
    }

    fn plain_sizes(&self) -> Vec<String> {
        let shown = |d: usize| match self.p.extents {
            Some(_) => SMALL[d].to_uppercase(),
            None => SMALL[d].to_owned(),
        };
        (0..self.p.dims).map(shown).collect()
    }

    /// Whether the slots of a step are borrowed one by one.
    fn disjoint(&self) -> bool {
        self.p.ways.often(DISJOINT, 60)
    }

    fn slot(&self, buffers: usize, level: Level) -> String {
        let ahead = match (self.p.idiom, level) {
            (Idiom::Turn, Level::Now) => return "now".to_owned(),
            (Idiom::Turn, Level::Next) => return "next".to_owned(),
            (Idiom::Turn, Level::Old) => return "old".to_owned(),
            (_, Level::Now) => format!("t % {buffers}"),
            (_, Level::Next) => format!("(t + 1) % {buffers}"),
            (_, Level::Old) => format!("(t + 2) % {buffers}"),
        };
        if self.clock() == "usize" { ahead } else { format!("({ahead}) as usize") }
    }

    fn grid(&self, field: usize, level: Level, view: View) -> String {
        let buffers = self.p.buffers_of(field);
        let level = match (view, level) {
            (View::Loop { turn: 1 }, Level::Now) if buffers > 1 => Level::Next,
            (View::Loop { turn: 1 }, Level::Next) => Level::Now,
            (_, level) => level,
        };
        let name = self.p.buffer(field, level);
        if view == View::Function {
            return name;
        }
        let reach = if self.members() { "self." } else { "" };
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
    fn lent(&self, field: usize, level: Level, view: View, mutable: bool) -> String {
        let grid = self.grid(field, level, view);
        let value = grid.starts_with("self.") || grid.contains('[');
        match (value, mutable) {
            (true, true) => format!("&mut {grid}"),
            (true, false) => format!("&{grid}"),
            (false, _) => grid,
        }
    }

    fn as_index(&self, text: &str) -> String {
        let literal = text.chars().all(|c| c.is_ascii_digit());
        match self.counter() {
            "usize" => text.to_owned(),
            _ if literal => text.to_owned(),
            _ => format!("{} as usize", wrapped(text)),
        }
    }

    fn element_at(&self, grid: &str, subscripts: &[String], view: View) -> String {
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

    fn linear(&self, subscripts: &[String], view: View) -> String {
        let all: Vec<String> = subscripts.iter().map(|s| wrapped(s)).collect();
        match &all[..] {
            [_] => subscripts[0].clone(),
            [i, j] => format!("{i} * {} + {j}", self.size(1, view)),
            [i, j, k] => {
                format!("({i} * {} + {j}) * {} + {k}", self.size(1, view), self.size(2, view))
            }
            _ => unreachable!("one to three dimensions"),
        }
    }

    fn spot(&self, dim: usize, spot: Spot, offset: i32, view: View) -> String {
        match spot {
            Spot::Front(k) => (k + offset).to_string(),
            Spot::Back(k) => format!("{} - {}", self.size(dim, view), 1 + k - offset),
            Spot::Middle => format!("{} / 2{}", self.size(dim, view), signed(offset)),
        }
    }

    fn subscript(&self, dim: usize, index: Index, axis: Axis, view: View) -> String {
        let (x, n) = (COUNTERS[dim], self.size(dim, view));
        let signed_counter = matches!(self.counter(), "i32" | "isize");
        match (index, axis) {
            (Index::At(spot), _) => self.spot(dim, spot, 0, view),
            (Index::Near(o), Axis::At(spot)) => self.spot(dim, spot, o, view),
            (Index::Near(o), Axis::Span { .. }) => format!("{x}{}", signed(o)),
            (Index::Wrap(0) | Index::Clamp(0), _) => x.to_owned(),
            (Index::Wrap(o), _) if o > 0 => format!("({x} + {o}) % {n}"),
            (Index::Wrap(o), _) => format!("({x} + {n} - {}) % {n}", -o),
            (Index::Clamp(o), _) if o > 0 && self.p.style.ternary => {
                format!("(if {x} + {o} < {n} {{ {x} + {o} }} else {{ {n} - 1 }})")
            }
            (Index::Clamp(o), _) if o > 0 => format!("({x} + {o}).min({n} - 1)"),
            (Index::Clamp(o), _) if self.p.style.ternary => {
                format!("(if {x} > {} {{ {x} - {} }} else {{ 0 }})", -o - 1, -o)
            }
            (Index::Clamp(o), _) if signed_counter => format!("({x} - {}).max(0)", -o),
            (Index::Clamp(o), _) => format!("{x}.saturating_sub({})", -o),
        }
    }

    fn subscripts(&self, at: &[Index], axes: &[Axis], view: View) -> Vec<String> {
        at.iter().enumerate().map(|(d, i)| self.subscript(d, *i, axes[d], view)).collect()
    }

    fn place(&self, place: &Place, scope: Scope) -> String {
        if let Some(text) = scope.streams.and_then(|s| self.streamed(place, s, scope)) {
            return text;
        }
        let grid = self.grid(place.field, place.level, scope.view);
        let subscripts = self.subscripts(&place.at, scope.axes, scope.view);
        let text = self.element_at(&grid, &subscripts, scope.view);
        if self.cells() { format!("{text}.{}", FIELDS[place.field]) } else { text }
    }

    /// An element that an iterator hands over.
    fn streamed(&self, place: &Place, streams: &Streams, scope: Scope) -> Option<String> {
        let grid = (place.field, place.level);
        let last = self.p.dims - 1;
        if let Some((written, row)) = streams.written
            && written == grid
        {
            if row {
                let j = self.subscript(last, place.at[last], scope.axes[last], scope.view);
                return Some(format!("row[{}]", self.as_index(&j)));
            }
            return Some("*x".to_owned());
        }
        let Index::Near(o) = place.at[last] else { return None };
        let fits = |w: &&Window| w.grid == grid && w.outer == place.at[..last];
        let (number, window) = streams
            .windows
            .iter()
            .enumerate()
            .find(|(_, w)| fits(w) && w.min <= o && o <= w.max)?;
        Some(match window.min == window.max {
            true => format!("(*w{number})"),
            false => format!("w{number}[{}]", o - window.min),
        })
    }

    fn input(&self, input: usize, at: &[Index], scope: Scope) -> String {
        let name = INPUTS[input];
        let subscript = match self.p.inputs[input].axis {
            Some(d) => self.subscript(d, at[d], scope.axes[d], scope.view),
            None => self.linear(&self.subscripts(at, scope.axes, scope.view), scope.view),
        };
        format!("{name}[{}]", self.as_index(&subscript))
    }

    // Expressions and conditions.

    fn number(&self, n: i32) -> String {
        let text = match self.real() {
            true => format!("{:?}", f64::from(n) / 100.0),
            false => n.to_string(),
        };
        if n < 0 { format!("({text})") } else { text }
    }

    fn load(&self, text: String) -> String {
        if self.p.element == Element::Byte { format!("i32::from({text})") } else { text }
    }

    fn expr(&self, expr: &Expr, scope: Scope) -> String {
        let of = |e: &Expr| self.expr(e, scope);
        let v = self.value();
        match expr {
            Expr::Number(n) => self.number(*n),
            Expr::Load(place) => self.load(self.place(place, scope)),
            Expr::Input(input, at) => {
                let text = self.input(*input, at, scope);
                match (self.p.inputs[*input].mask, v) {
                    (false, _) => self.load(text),
                    (true, "i32") => text,
                    (true, _) => format!("({text} as {v})"),
                }
            }
            Expr::Local(local) => format!("x{local}"),
            Expr::Scalar(Scalar::Alpha) => "alpha".to_owned(),
            Expr::Scalar(Scalar::Step) => format!("((t % 16) as {v})"),
            Expr::Scalar(Scalar::Wave) => "wave".to_owned(),
            Expr::Scalar(Scalar::Series) => self.load(format!("series[{}]", self.step_as("usize"))),
            Expr::Scalar(Scalar::Collected) => "before".to_owned(),
            Expr::Coordinate(d) => format!("(({}) as {v})", self.coordinate(*d, scope)),
            Expr::Unary(Unary::Negate, a) => format!("(-{})", of(a)),
            Expr::Unary(Unary::Absolute, a) => format!("{v}::abs({})", of(a)),
            Expr::Unary(_, a) if !self.real() => of(a),
            Expr::Unary(Unary::Root, a) => format!("{v}::sqrt({v}::abs({}))", of(a)),
            Expr::Unary(Unary::Floor, a) => format!("{v}::floor({})", of(a)),
            Expr::Unary(Unary::Sine, a) => format!("{v}::sin({})", of(a)),
            Expr::Binary(op, a, b) => self.binary(*op, &of(a), &of(b)),
            Expr::Whole(op, a, k) => format!("({} {} {k})", of(a), operator(*op)),
            Expr::Choose(when, a, b) => {
                format!("(if {} {{ {} }} else {{ {} }})", self.cond(when, scope), of(a), of(b))
            }
        }
    }

    fn coordinate(&self, dim: usize, scope: Scope) -> String {
        self.subscript(dim, Index::Near(0), scope.axes[dim], scope.view)
    }

    fn binary(&self, op: Binary, a: &str, b: &str) -> String {
        let v = self.value();
        let one = self.number(if self.real() { 100 } else { 1 });
        let wrapping = !self.real() && self.p.ways.often(WRAPPING, 40);
        match op {
            Binary::Add if wrapping => format!("i32::wrapping_add({a}, {b})"),
            Binary::Subtract if wrapping => format!("i32::wrapping_sub({a}, {b})"),
            Binary::Multiply if wrapping => format!("i32::wrapping_mul({a}, {b})"),
            Binary::Add => format!("({a} + {b})"),
            Binary::Subtract => format!("({a} - {b})"),
            Binary::Multiply => format!("({a} * {b})"),
            Binary::Divide => format!("({a} / ({one} + {v}::abs({b})))"),
            Binary::Least => self.extreme("min", a, b),
            Binary::Most => self.extreme("max", a, b),
        }
    }

    fn extreme(&self, which: &str, a: &str, b: &str) -> String {
        match (self.p.style.ternary, which) {
            (true, "min") => format!("least({a}, {b})"),
            (true, _) => format!("most({a}, {b})"),
            (false, _) => format!("{}::{which}({a}, {b})", self.value()),
        }
    }

    fn cond(&self, cond: &Cond, scope: Scope) -> String {
        let of = |e: &Expr| self.expr(e, scope);
        let also = |c: &Cond| self.cond(c, scope);
        match cond {
            Cond::Less(a, b) => format!("{} < {}", of(a), of(b)),
            Cond::Equal(a, b) => format!("{} == {}", of(a), of(b)),
            Cond::Inside(margins) => self.inside(margins, scope),
            Cond::Before(d) => {
                format!("{} < {} / 2", self.coordinate(*d, scope), self.size(*d, scope.view))
            }
            Cond::Even { step } => {
                let mut sum: Vec<String> =
                    (0..self.p.dims).map(|d| self.coordinate(d, scope)).collect();
                sum.extend(step.then(|| self.step_as(self.counter())));
                format!("({}) % 2 == 0", sum.join(" + "))
            }
            Cond::Mask(input, at) => {
                let mask = self.p.inputs[*input].mask;
                let text = self.input(*input, at, scope);
                let zero = if mask || !self.real() { "0" } else { "0.0" };
                format!("{text} > {zero}")
            }
            Cond::Not(a) => format!("!({})", also(a)),
            Cond::And(a, b) => format!("({}) && ({})", also(a), also(b)),
            Cond::Or(a, b) => format!("({}) || ({})", also(a), also(b)),
        }
    }

    fn inside(&self, margins: &[(i32, i32)], scope: Scope) -> String {
        let mut all = Vec::new();
        for (d, (lo, hi)) in margins.iter().enumerate() {
            let x = self.coordinate(d, scope);
            all.extend((*lo > 0).then(|| format!("{x} >= {lo}")));
            all.extend((*hi > 0).then(|| format!("{x} < {} - {hi}", self.size(d, scope.view))));
        }
        if all.is_empty() { "true".to_owned() } else { all.join(" && ") }
    }

    // Statements, and the loops around them.

    fn stmt(&self, stmt: &Stmt, scope: Scope, out: &mut Lines) {
        let looped = scope.axes.iter().any(|axis| matches!(axis, Axis::Span { .. }));
        match stmt {
            Stmt::Let(local, value) => {
                let v = self.value();
                out.line(&format!("let x{local}: {v} = {};", self.expr(value, scope)));
            }
            Stmt::Store { place, add, value } => self.store(place, *add, value, scope, out),
            Stmt::If { when, then, other }
                if self.p.style.continues && other.is_empty() && looped =>
            {
                out.open(&format!("if !({}) {{", self.cond(when, scope)));
                out.line("continue;");
                out.shut("}");
                then.iter().for_each(|s| self.stmt(s, scope, out));
            }
            Stmt::If { when, then, other } => {
                out.open(&format!("if {} {{", self.cond(when, scope)));
                then.iter().for_each(|s| self.stmt(s, scope, out));
                if !other.is_empty() {
                    out.shut("} else {");
                    out.deeper();
                    other.iter().for_each(|s| self.stmt(s, scope, out));
                }
                out.shut("}");
            }
            Stmt::Fold(fold, value) => self.fold(*fold, &self.expr(value, scope), out),
        }
    }

    fn store(&self, place: &Place, add: bool, value: &Expr, scope: Scope, out: &mut Lines) {
        let op = if add { "+=" } else { "=" };
        let value = self.expr(value, scope);
        let target = self.place(place, scope);
        match self.p.element {
            Element::Byte => out.line(&format!("{target} {op} ({value}) as u8;")),
            _ => out.line(&format!("{target} {op} {value};")),
        }
    }

    fn fold(&self, fold: usize, value: &str, out: &mut Lines) {
        let small = self.number(1);
        let result = format!("r{fold}");
        out.line(&match self.p.folds[fold].collects {
            Collects::Most => format!("{result} = {};", self.extreme("max", &result, value)),
            Collects::Least => format!("{result} = {};", self.extreme("min", &result, value)),
            Collects::Sum if self.real() => format!("{result} += {value};"),
            Collects::Sum => format!("{result} += i64::from({value});"),
            Collects::Flag => format!("if {value} > {small} {{ {result} = true; }}"),
            Collects::Count => format!("if {value} > {small} {{ {result} += 1; }}"),
        });
    }

    fn fold_type(&self, fold: usize) -> &'static str {
        match self.p.folds[fold].collects {
            Collects::Most | Collects::Least => self.value(),
            Collects::Sum if self.real() => self.value(),
            Collects::Sum => "i64",
            Collects::Flag => "bool",
            Collects::Count => "i32",
        }
    }

    fn fold_start(&self, fold: usize) -> String {
        match self.p.folds[fold].collects {
            Collects::Least => self.number(10_000),
            Collects::Most => self.number(-10_000),
            Collects::Flag => "false".to_owned(),
            Collects::Sum if self.real() => "0.0".to_owned(),
            Collects::Sum | Collects::Count => "0".to_owned(),
        }
    }

    /// A collected value as a floating-point number.
    fn fold_shown(&self, fold: usize) -> String {
        match self.fold_type(fold) {
            "bool" => format!("f64::from(u8::from(r{fold}))"),
            _ => format!("(r{fold} as f64)"),
        }
    }

    fn loops(&self, sweep: &Sweep, view: View, out: &mut Lines) {
        match self.way(ITERATORS, 5) {
            3 if self.by_windows(sweep, view, out) => return,
            3 | 4 if self.by_elements(sweep, view, out) => return,
            2..=4 if self.by_rows(sweep, view, out) => return,
            _ => {}
        }
        let scope = Scope { axes: &sweep.axes, view, streams: None };
        let mut order: Vec<usize> = (0..self.p.dims).collect();
        if sweep.swapped {
            order.reverse();
        }
        let opened = self.open_loops(&order, sweep, view, out);
        if opened == 0 {
            out.open("{");
        }
        sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
        (0..opened.max(1)).for_each(|_| out.shut("}"));
    }

    fn open_loops(&self, order: &[usize], sweep: &Sweep, view: View, out: &mut Lines) -> usize {
        let mut opened = 0;
        for d in order {
            if let Axis::Span { lo, hi, down } = sweep.axes[*d] {
                let (x, range) = (COUNTERS[*d], self.range(*d, lo, hi, view));
                out.open(&match down {
                    false => format!("for {x} in {range} {{"),
                    true => format!("for {x} in ({range}).rev() {{"),
                });
                opened += 1;
            }
        }
        opened
    }

    fn range(&self, dim: usize, lo: i32, hi: i32, view: View) -> String {
        let n = self.size(dim, view);
        if hi == 0 { format!("{lo}..{n}") } else { format!("{lo}..{n} - {hi}") }
    }

    // Loops over iterators.

    /// The grid that a sweep sets, where iterators can hand it over: each element that is touched is the point's, or of its
    /// row if `row` says so. `None` inside if it sets nothing.
    fn streamable(&self, sweep: &Sweep, row: bool) -> Option<Option<(usize, Level)>> {
        let rows = !matches!(self.kind(), Kind::Grid) && !self.cells() && !sweep.swapped;
        let direct = self.p.is_indexed(self.p.buffers()) && !self.disjoint();
        let up = sweep.axes.iter().all(|axis| !matches!(axis, Axis::Span { down: true, .. }));
        let looped = matches!(sweep.axes[self.p.dims - 1], Axis::Span { .. });
        if !rows || direct || !up || !looped {
            return None;
        }
        let written = written(&sweep.body);
        let grid = match written[..] {
            [] => return Some(None),
            [grid] => grid,
            _ => return None,
        };
        let last = self.p.dims - 1;
        let own = |at: &[Index]| {
            at[..last].iter().all(|i| *i == Index::Near(0))
                && (at[last] == Index::Near(0) || row && !matches!(at[last], Index::At(_)))
        };
        let mut fine = true;
        let mut look = |place: &Place| fine &= (place.field, place.level) != grid || own(&place.at);
        each_store(&sweep.body, &mut look);
        for stmt in &sweep.body {
            stmt.each_expr(&mut |expr| {
                if let Expr::Load(place) = expr {
                    look(place);
                }
            });
        }
        fine.then_some(Some(grid))
    }

    /// Where a row of a grid begins, as a prefix of subscripts and a first element.
    fn row_of(
        &self,
        grid: (usize, Level),
        outer: &[Index],
        sweep: &Sweep,
        view: View,
    ) -> (String, String) {
        let name = self.grid(grid.0, grid.1, view);
        let outer: Vec<String> = outer
            .iter()
            .enumerate()
            .map(|(d, i)| self.subscript(d, *i, sweep.axes[d], view))
            .collect();
        if matches!(self.kind(), Kind::Nested | Kind::Array) {
            let text = outer.iter().fold(name, |text, s| format!("{text}[{}]", self.as_index(s)));
            return (text, String::new());
        }
        let start = match &outer[..] {
            [] => String::new(),
            [i] => format!("{} * {} + ", wrapped(i), self.size(1, view)),
            [i, j, ..] => format!(
                "({} * {} + {}) * {} + ",
                wrapped(i),
                self.size(1, view),
                wrapped(j),
                self.size(2, view)
            ),
        };
        (name, start)
    }

    /// The elements of a row between two distances from the loop's bounds.
    fn row_slice(
        &self,
        grid: (usize, Level),
        outer: &[Index],
        (min, max): (i32, i32),
        sweep: &Sweep,
        view: View,
    ) -> String {
        let last = self.p.dims - 1;
        let Axis::Span { lo, hi, .. } = sweep.axes[last] else { unreachable!("a loop") };
        let (name, start) = self.row_of(grid, outer, sweep, view);
        let n = self.size(last, view);
        let from = self.as_index(&format!("{start}{}", lo + min));
        let to = self.as_index(&format!("{start}{n}{}", signed(max - hi)));
        format!("{name}[{from}..{to}]")
    }

    /// Zipped windows of all rows that are read: where nothing asks for the innermost counter.
    fn by_windows(&self, sweep: &Sweep, view: View, out: &mut Lines) -> bool {
        let Some(written) = self.streamable(sweep, false) else { return false };
        let windows = self.windows(sweep, written);
        if windows.len() > 6 || windows.is_empty() {
            return false;
        }
        let streams = Streams { written: written.map(|grid| (grid, false)), windows };
        let scope = Scope { axes: &sweep.axes, view, streams: Some(&streams) };
        let last = self.p.dims - 1;
        let mut all: Vec<(String, String)> = Vec::new();
        if let Some(grid) = written {
            let here = vec![Index::Near(0); last];
            let slice = self.row_slice(grid, &here, (0, 0), sweep, view);
            all.push(("x".to_owned(), format!("{slice}.iter_mut()")));
        }
        for (k, w) in streams.windows.iter().enumerate() {
            let slice = self.row_slice(w.grid, &w.outer, (w.min, w.max), sweep, view);
            let width = w.max - w.min + 1;
            let each = if width == 1 { ".iter()".to_owned() } else { format!(".windows({width})") };
            all.push((format!("w{k}"), format!("{slice}{each}")));
        }
        let (mut pattern, mut iterator) = all[0].clone();
        for (name, more) in &all[1..] {
            pattern = format!("({pattern}, {name})");
            let more = more.strip_suffix(".iter()").map_or(more.clone(), |s| format!("&{s}"));
            iterator = format!("{iterator}.zip({more})");
        }
        let outer: Vec<usize> = (0..last).collect();
        let mut inner = Lines::at(out.depth);
        let opened = self.open_loops(&outer, sweep, view, &mut inner);
        let mut body = Lines::at(inner.depth + 1);
        sweep.body.iter().for_each(|s| self.stmt(s, scope, &mut body));
        if words(&body.text).contains(&COUNTERS[last]) {
            return false;
        }
        match &sweep.body[..] {
            [Stmt::Fold(fold, value)] if self.p.ways.often(FOLDS, 60) && self.folds(*fold) => {
                let value = self.expr(value, scope);
                inner.line(&self.fold_over(*fold, &iterator, &pattern, &value));
            }
            _ => {
                inner.open(&format!("for {pattern} in {iterator} {{"));
                inner.text += &body.text;
                inner.shut("}");
            }
        }
        (0..opened).for_each(|_| inner.shut("}"));
        out.text += &inner.text;
        true
    }

    fn folds(&self, fold: usize) -> bool {
        matches!(self.p.folds[fold].collects, Collects::Most | Collects::Least | Collects::Sum)
    }

    /// A fold as an expression.
    fn fold_over(&self, fold: usize, iterator: &str, pattern: &str, value: &str) -> String {
        let v = self.value();
        match self.p.folds[fold].collects {
            Collects::Most => {
                format!("r{fold} = {iterator}.map(|{pattern}| {value}).fold(r{fold}, {v}::max);")
            }
            Collects::Least => {
                format!("r{fold} = {iterator}.map(|{pattern}| {value}).fold(r{fold}, {v}::min);")
            }
            _ if self.real() => {
                format!("r{fold} += {iterator}.map(|{pattern}| {value}).sum::<{v}>();")
            }
            _ => format!("r{fold} += {iterator}.map(|{pattern}| i64::from({value})).sum::<i64>();"),
        }
    }

    /// Rows that are read at distances within the loop's bounds.
    fn windows(&self, sweep: &Sweep, written: Option<(usize, Level)>) -> Vec<Window> {
        let last = self.p.dims - 1;
        let Axis::Span { lo, hi, .. } = sweep.axes[last] else { return Vec::new() };
        let mut all: Vec<Window> = Vec::new();
        for stmt in &sweep.body {
            stmt.each_expr(&mut |expr| {
                let Expr::Load(place) = expr else { return };
                let Index::Near(o) = place.at[last] else { return };
                let grid = (place.field, place.level);
                if Some(grid) == written || o < -lo || o > hi {
                    return;
                }
                let outer = &place.at[..last];
                match all.iter_mut().find(|w| w.grid == grid && w.outer == outer) {
                    Some(w) => {
                        w.min = w.min.min(o);
                        w.max = w.max.max(o);
                    }
                    None => all.push(Window { grid, outer: outer.to_vec(), min: o, max: o }),
                }
            });
        }
        all
    }

    /// The elements that are set, with their numbers; others are read by subscript.
    fn by_elements(&self, sweep: &Sweep, view: View, out: &mut Lines) -> bool {
        let Some(Some(grid)) = self.streamable(sweep, false) else { return false };
        let last = self.p.dims - 1;
        let Axis::Span { lo, .. } = sweep.axes[last] else { return false };
        let streams = Streams { written: Some((grid, false)), windows: Vec::new() };
        let scope = Scope { axes: &sweep.axes, view, streams: Some(&streams) };
        let outer: Vec<usize> = (0..last).collect();
        let opened = self.open_loops(&outer, sweep, view, out);
        let here = vec![Index::Near(0); last];
        let slice = self.row_slice(grid, &here, (0, 0), sweep, view);
        let (x, t) = (COUNTERS[last], self.counter());
        out.open(&format!("for (at, x) in {slice}.iter_mut().enumerate() {{"));
        let at = if t == "usize" { "at".to_owned() } else { format!("at as {t}") };
        out.line(&format!("let {x} = {at}{};", signed(lo)));
        sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
        (0..=opened).for_each(|_| out.shut("}"));
        true
    }

    /// The rows that are set, with their numbers.
    fn by_rows(&self, sweep: &Sweep, view: View, out: &mut Lines) -> bool {
        let Some(Some(grid)) = self.streamable(sweep, true) else { return false };
        let (2, Axis::Span { lo, hi, .. }) = (self.p.dims, sweep.axes[0]) else { return false };
        let streams = Streams { written: Some((grid, true)), windows: Vec::new() };
        let scope = Scope { axes: &sweep.axes, view, streams: Some(&streams) };
        let name = self.grid(grid.0, grid.1, view);
        let rows = match self.kind() {
            Kind::Nested | Kind::Array => format!("{name}.iter_mut()"),
            _ => format!("{name}.chunks_exact_mut({})", self.as_index(&self.size(1, view))),
        };
        let n = self.as_index(&self.size(0, view));
        let n = if n.contains(' ') { format!("({n})") } else { n };
        let take = if lo + hi == 0 { n } else { format!("{n} - {}", lo + hi) };
        let t = self.counter();
        out.open(&format!("for (i, row) in {rows}.enumerate().skip({lo}).take({take}) {{"));
        if t != "usize" {
            out.line(&format!("let i = i as {t};"));
        }
        let opened = self.open_loops(&[1], sweep, view, out);
        sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
        (0..=opened).for_each(|_| out.shut("}"));
        true
    }

    // Functions that sweep.

    /// A grid as functions take it.
    fn parameter(&self, name: &str, mutable: bool) -> String {
        let (item, reference) = (self.item(), if mutable { "&mut " } else { "&" });
        let vectors = self.p.ways.often(VECTORS, 30);
        let t = match self.kind() {
            Kind::Vec if vectors => format!("Vec<{item}>"),
            Kind::Vec | Kind::Slice => format!("[{item}]"),
            Kind::Grid => "Grid".to_owned(),
            Kind::Nested if vectors => self.buffer_type(),
            Kind::Nested => match self.p.dims {
                3 => format!("[Vec<Vec<{item}>>]"),
                2 => format!("[Vec<{item}>]"),
                _ => format!("[{item}]"),
            },
            Kind::Array => self.buffer_type(),
        };
        format!("{name}: {reference}{t}")
    }

    fn names(&self, turn: usize, written: &[(usize, Level)]) -> Vec<Name> {
        let mut all = Vec::new();
        let mut name = |name: &str, declared: String, actual: String| {
            all.push(Name { name: name.to_owned(), declared, actual });
        };
        let view = View::Loop { turn };
        if self.p.extents.is_none() {
            for (d, small) in SMALL.iter().enumerate().take(self.p.dims) {
                name(small, format!("{small}: {}", self.counter()), self.size(d, view));
            }
        }
        for field in 0..self.p.grids() {
            for level in LEVELS.into_iter().take(self.p.buffers_of(field)) {
                let formal = self.p.buffer(field, level);
                let stored =
                    written.iter().any(|(f, l)| *l == level && (self.cells() || *f == field));
                let declared = self.parameter(&formal, stored);
                name(&formal, declared, self.lent(field, level, view, stored));
            }
        }
        for (i, input) in self.p.inputs.iter().enumerate() {
            let t = if input.mask { "i32" } else { self.element() };
            name(INPUTS[i], format!("{}: &[{t}]", INPUTS[i]), INPUTS[i].to_owned());
        }
        name("series", format!("series: &[{}]", self.element()), "series".to_owned());
        for scalar in ["alpha", "wave", "before"] {
            name(scalar, format!("{scalar}: {}", self.value()), scalar.to_owned());
        }
        name("t", format!("t: {}", self.clock()), "t".to_owned());
        all
    }

    /// Whether functions that sweep are methods which know all grids.
    fn whole(&self) -> bool {
        self.members()
            && self.p.style.far
            && !matches!(self.p.idiom, Idiom::ThereAndBack | Idiom::Alternate | Idiom::Fresh)
            && !self.p.is_indexed(self.p.buffers())
    }

    /// Makes a function of these lines and gives the call; what it collects is handed in and returned.
    fn function(
        &mut self,
        name: &str,
        fold: Option<usize>,
        written: &[(usize, Level)],
        turn: usize,
        body: impl Fn(&Self, View, &mut Lines),
    ) -> String {
        let whole = self.whole();
        let view = if whole { View::Loop { turn: 0 } } else { View::Function };
        let mut lines = Lines::at(1);
        body(self, view, &mut lines);
        let words = words(&lines.text);
        let grids: Vec<String> =
            (0..self.p.grids()).flat_map(|f| LEVELS.map(|level| self.p.buffer(f, level))).collect();
        let mut used = self.names(turn, written);
        used.retain(|n| words.contains(&n.name.as_str()));
        if whole {
            used.retain(|n| !grids.contains(&n.name) && !SMALL.contains(&n.name.as_str()));
        }
        let mut formal: Vec<String> = used.iter().map(|n| n.declared.clone()).collect();
        let mut actual: Vec<String> = used.iter().map(|n| n.actual.clone()).collect();
        let mut result = String::new();
        if let Some(fold) = fold {
            let t = self.fold_type(fold);
            formal.push(format!("mut r{fold}: {t}"));
            actual.push(format!("r{fold}"));
            result = format!(" -> {t}");
            lines.line(&format!("r{fold}"));
        }
        if whole {
            formal.insert(0, "&mut self".to_owned());
        }
        if turn == 0 {
            let text = format!("fn {name}({}){result} {{\n{}}}\n\n", formal.join(", "), lines.text);
            self.functions += &text;
        }
        let object = if whole { "self." } else { "" };
        let call = format!("{object}{name}({});", actual.join(", "));
        fold.map_or(call.clone(), |fold| format!("r{fold} = {call}"))
    }

    fn sweep(&mut self, number: usize, sweep: &Sweep, turn: usize, out: &mut Lines) {
        let folds = folds_of(&sweep.body);
        let direct = self.p.is_indexed(self.p.buffers()) && !self.disjoint();
        if !sweep.apart || direct || folds.len() > 1 {
            return self.loops(sweep, View::Loop { turn }, out);
        }
        let written = written(&sweep.body);
        let name = format!("sweep{number}");
        let fold = folds.first().copied();
        let call = self.function(&name, fold, &written, turn, |w, view, lines| {
            w.loops(sweep, view, lines);
        });
        out.line(&call);
    }

    // The time loop.

    fn part(&mut self, number: usize, part: &Part, turn: usize, out: &mut Lines) {
        let view = View::Loop { turn };
        let nowhere = vec![Axis::At(Spot::Front(0)); self.p.dims];
        let scope = Scope { axes: &nowhere, view, streams: None };
        match part {
            Part::Sweep(sweep) => self.sweep(number, sweep, turn, out),
            Part::Point { place, add, value } => self.store(place, *add, value, scope, out),
            Part::Clear { field, level } => self.clear(&self.grid(*field, *level, view), out),
            Part::Print { every, place } => {
                out.open(&format!("if t % {every} == 0 {{"));
                let shown = self.place(place, scope);
                out.line(&format!("println!(\"step {{t}}: {{:x}}\", seen({shown} as f64));"));
                out.shut("}");
            }
            Part::Trace(place) => {
                let at = self.step_as("usize");
                out.line(&format!("trace[{at}] = {};", self.place(place, scope)));
            }
            Part::Settled { fold, below } => {
                let settled = match self.p.folds[*fold].collects {
                    Collects::Flag => format!("!r{fold}"),
                    Collects::Count => format!("r{fold} < {below}"),
                    _ => format!("r{fold} < {}", self.number(*below)),
                };
                out.open(&format!("if {settled} {{"));
                out.line("settled = t as i32;");
                out.line("break;");
                out.shut("}");
            }
            Part::Report { every, fold } => {
                out.open(&format!("if t % {every} == 0 {{"));
                let shown = self.fold_shown(*fold);
                out.line(&format!("println!(\"step {{t}}: so far {{:x}}\", seen({shown}));"));
                out.shut("}");
            }
        }
    }

    fn clear(&self, grid: &str, out: &mut Lines) {
        let zero = match (self.cells(), self.real()) {
            (true, _) => "Cell::default()",
            (_, true) => "0.0",
            _ => "0",
        };
        match self.kind() {
            Kind::Grid => out.line(&format!("{grid}.held.fill({zero});")),
            Kind::Array => {
                let flat = ".as_flattened_mut()".repeat(self.p.dims - 1);
                out.line(&format!("{grid}{flat}.fill({zero});"));
            }
            Kind::Nested if self.p.dims > 1 => {
                out.line(&format!("{grid}.iter_mut().flatten().for_each(|x| *x = {zero});"));
            }
            _ => out.line(&format!("{grid}.fill({zero});")),
        }
    }

    /// Parts at the step's beginning that go into one function.
    fn led(&self) -> usize {
        let plain = |part: &&Part| match part {
            Part::Sweep(sweep) => folds_of(&sweep.body).is_empty(),
            Part::Point { .. } => true,
            _ => false,
        };
        let direct = self.p.is_indexed(self.p.buffers()) && !self.disjoint();
        match self.p.style.stepper && !direct {
            true => self.p.parts.iter().take_while(plain).count(),
            false => 0,
        }
    }

    fn parts(&mut self, turn: usize, out: &mut Lines) {
        let parts = self.p.parts.clone();
        let led = self.led();
        if led > 0 {
            let nowhere = vec![Axis::At(Spot::Front(0)); self.p.dims];
            let mut stored = Vec::new();
            for part in &parts[..led] {
                match part {
                    Part::Sweep(sweep) => stored.extend(written(&sweep.body)),
                    Part::Point { place, .. } => stored.push((place.field, place.level)),
                    _ => {}
                }
            }
            let call = self.function("advance", None, &stored, turn, |w, view, lines| {
                let scope = Scope { axes: &nowhere, view, streams: None };
                for part in &parts[..led] {
                    match part {
                        Part::Sweep(sweep) => w.loops(sweep, view, lines),
                        Part::Point { place, add, value } => {
                            w.store(place, *add, value, scope, lines);
                        }
                        _ => unreachable!("only these are led"),
                    }
                }
            });
            out.line(&call);
        }
        for (number, part) in parts.iter().enumerate().skip(led) {
            self.part(number, part, turn, out);
        }
    }

    fn exchange(&self, out: &mut Lines) {
        match self.p.idiom {
            Idiom::Swap => (0..self.p.grids()).for_each(|field| self.swap(field, out)),
            Idiom::Turn if self.p.buffers() == 3 => {
                out.line("(old, now, next) = (now, next, old);");
            }
            Idiom::Turn if self.p.buffers() == 2 => {
                out.line("std::mem::swap(&mut now, &mut next);")
            }
            _ => {}
        }
    }

    fn swap(&self, field: usize, out: &mut Lines) {
        let [now, next, old] = LEVELS.map(|level| {
            let name = self.p.buffer(field, level);
            match (self.members(), self.kind()) {
                (true, _) => format!("&mut self.{name}"),
                (false, Kind::Slice) => format!("&mut {name}"),
                (false, _) => name,
            }
        });
        let empty = matches!(self.kind(), Kind::Vec | Kind::Nested) && self.way(SWAP, 3) == 2;
        let one = |a: &str, b: &str| match empty {
            true => vec![
                format!("let kept = std::mem::take({a});"),
                format!("let kept = std::mem::replace({b}, kept);"),
                format!("let _ = std::mem::replace({a}, kept);"),
            ],
            false => vec![format!("std::mem::swap({a}, {b});")],
        };
        let lines = match self.p.buffers_of(field) {
            2 => one(&now, &next),
            3 => [one(&old, &now), one(&now, &next)].concat(),
            _ => Vec::new(),
        };
        lines.iter().for_each(|line| out.line(line));
    }

    /// A buffer takes what another holds.
    fn assign(&self, to: &str, from: &str, out: &mut Lines) {
        let cloned = self.p.ways.often(COPIES, 40);
        let value = if to.starts_with("self.") { to.to_owned() } else { format!("*{to}") };
        out.line(&match self.kind() {
            Kind::Vec if cloned => format!("{value} = {from}.clone();"),
            Kind::Vec | Kind::Slice => format!("{to}.copy_from_slice(&{from}[..]);"),
            Kind::Grid if cloned => format!("{value} = {from}.clone();"),
            Kind::Grid => format!("{to}.held.copy_from_slice(&{from}.held);"),
            Kind::Nested if cloned => format!("{to}.clone_from(&{from});"),
            Kind::Nested if self.p.dims == 2 => format!(
                "for (a, b) in {to}.iter_mut().zip({from}.iter()) {{ a.copy_from_slice(b); }}"
            ),
            Kind::Nested => format!("{value} = {from}.clone();"),
            Kind::Array => format!("{value} = *{from};"),
        });
    }

    fn copy_memory(&self, out: &mut Lines) {
        let view = View::Loop { turn: 0 };
        for f in (0..self.p.grids()).filter(|f| self.p.buffers_of(*f) > 1) {
            let [now, next, old] = LEVELS.map(|level| self.grid(f, level, view));
            if self.p.buffers_of(f) == 3 {
                self.assign(&old, &now, out);
            }
            self.assign(&now, &next, out);
        }
    }

    fn fresh(&mut self, out: &mut Lines) {
        let fields: Vec<usize> =
            (0..self.p.grids()).filter(|f| self.p.buffers_of(*f) > 1).collect();
        let view = View::Loop { turn: 0 };
        for f in &fields {
            let next = self.p.buffer(*f, Level::Next);
            let now = self.grid(*f, Level::Now, view);
            let copy = if self.kind() == Kind::Slice { "to_vec" } else { "clone" };
            out.line(&format!("let mut {next}_held = {now}.{copy}();"));
            out.line(&format!("let {next} = &mut {next}_held;"));
        }
        self.parts(0, out);
        for f in &fields {
            let next = self.p.buffer(*f, Level::Next);
            let now = self.grid(*f, Level::Now, view);
            match (self.kind(), self.way(SWAP, 3)) {
                (Kind::Slice, _) | (_, 0) => self.assign(&now, &next, out),
                (_, 1) => out.line(&format!("std::mem::swap({now}, {next});")),
                _ => out.line(&format!("*{now} = {next}_held;")),
            }
        }
    }

    /// The slots of a step, borrowed one by one.
    fn borrowed(&self, out: &mut Lines) {
        if !self.disjoint() {
            return;
        }
        let reach = if self.members() { "self." } else { "" };
        for f in (0..self.p.grids()).filter(|f| self.p.is_indexed(self.p.buffers_of(*f))) {
            let levels = &LEVELS[..self.p.buffers_of(f)];
            let names: Vec<String> =
                levels.iter().map(|level| format!("{}_here", self.p.buffer(f, *level))).collect();
            let slots: Vec<String> =
                levels.iter().map(|level| self.slot(self.p.buffers_of(f), *level)).collect();
            out.line(&format!(
                "let [{}] = {reach}{}.get_disjoint_mut([{}]).unwrap();",
                names.join(", "),
                self.p.stem(f),
                slots.join(", ")
            ));
        }
    }

    fn step(&mut self, out: &mut Lines) {
        for (f, fold) in self.p.folds.iter().enumerate() {
            if fold.renewed {
                out.line(&format!("r{f} = {};", self.fold_start(f)));
            }
        }
        self.borrowed(out);
        match self.p.idiom {
            Idiom::ThereAndBack => {
                self.parts(0, out);
                self.parts(1, out);
            }
            Idiom::Alternate => {
                out.open("if t % 2 == 0 {");
                self.parts(0, out);
                out.shut("} else {");
                out.deeper();
                self.parts(1, out);
                out.shut("}");
            }
            Idiom::CopyMemory => {
                self.parts(0, out);
                self.copy_memory(out);
            }
            Idiom::Fresh => self.fresh(out),
            _ => {
                self.parts(0, out);
                self.exchange(out);
            }
        }
        if self.p.uses(Scalar::Collected) {
            let (v, shown) = (self.value(), self.fold_shown(0));
            out.line(&match (self.real(), self.fold_type(0)) {
                (true, _) => {
                    format!("before = (0.1 * {shown} / (1.0 + 0.5 * f64::abs({shown}))) as {v};")
                }
                (false, "bool") => "before = i32::from(r0);".to_owned(),
                (false, _) => "before = (r0 % 1000) as i32;".to_owned(),
            });
        }
        if self.p.uses(Scalar::Wave) {
            out.line(if self.real() {
                "wave = wave * 0.5 + 0.1;"
            } else {
                "wave = (wave + 3) % 16;"
            });
        }
        if let Some(stop) = self.p.style.stop {
            out.open(&format!("if t == {stop} {{"));
            out.line("break;");
            out.shut("}");
        }
    }

    fn time_loop(&mut self, out: &mut Lines) {
        let t = self.clock();
        let start = |out: &mut Lines, line: &str| {
            out.line(&format!("let mut t: {t} = 0;"));
            out.open(line);
        };
        match self.p.style.clock {
            Clock::Up => out.open("for t in 0..steps {"),
            Clock::FromOne => out.open("for t in 1..=steps {"),
            Clock::Down => out.open("for t in (1..=steps).rev() {"),
            Clock::While => start(out, "while t < steps {"),
            Clock::Real => {
                out.line("let (dt, mut time) = (0.125, 0.0);");
                out.line("let end = steps as f64 * dt;");
                start(out, "while time < end {");
            }
            Clock::DoWhile => {
                out.open("if steps > 0 {");
                start(out, "loop {");
            }
        }
        self.step(out);
        match self.p.style.clock {
            Clock::Up | Clock::FromOne | Clock::Down => {}
            Clock::While => out.line("t += 1;"),
            Clock::DoWhile => {
                out.line("t += 1;");
                out.line("if t >= steps { break; }");
            }
            Clock::Real => {
                out.line("time += dt;");
                out.line("t += 1;");
            }
        }
        out.shut("}");
        match self.p.style.clock {
            Clock::While | Clock::Real => out.line("kept[0] += t as f64;"),
            Clock::DoWhile => out.shut("}"),
            _ => {}
        }
    }

    /// The statements of the time loop's function.
    fn run(&mut self) -> String {
        let mut out = Lines::at(1);
        out.line("let mut settled = -1;");
        if self.clock() == "usize" {
            out.line("let steps = steps.max(0) as usize;");
        }
        if self.p.ways.often(ASSERTS, 25)
            && matches!(self.kind(), Kind::Vec | Kind::Slice)
            && !self.members()
        {
            let sizes: Vec<String> =
                self.plain_sizes().iter().map(|n| format!("({n} as usize)")).collect();
            for f in (0..self.p.grids()).filter(|f| !self.p.is_indexed(self.p.buffers_of(*f))) {
                let held = if self.p.idiom == Idiom::Fresh { 1 } else { self.p.buffers_of(f) };
                for level in &LEVELS[..held] {
                    let name = self.p.buffer(f, *level);
                    out.line(&format!("assert_eq!({name}.len(), {});", sizes.join(" * ")));
                }
            }
        }
        let v = self.value();
        if self.p.uses(Scalar::Wave) {
            let start = if self.real() { "0.25" } else { "5" };
            out.line(&format!("let mut wave: {v} = {start};"));
        }
        if self.p.uses(Scalar::Collected) {
            let zero = if self.real() { "0.0" } else { "0" };
            out.line(&format!("let mut before: {v} = {zero};"));
        }
        let turns = self.p.idiom == Idiom::Turn && self.p.buffers() > 1;
        if turns {
            out.line("let (mut now, mut next, mut old) = (0, 1, 2);");
        }
        for f in 0..self.p.folds.len() {
            let (t, start) = (self.fold_type(f), self.fold_start(f));
            out.line(&format!("let mut r{f}: {t} = {start};"));
        }
        if self.p.style.rounds > 1 {
            out.open(&format!("for round in 0..{} {{", self.p.style.rounds));
        }
        self.time_loop(&mut out);
        if self.p.style.rounds > 1 {
            out.line("kept[8] += f64::from(round);");
            out.shut("}");
        }
        out.line("kept[1] = f64::from(settled);");
        for f in 0..self.p.folds.len() {
            out.line(&format!("kept[{}] = {};", 2 + f, self.fold_shown(f)));
        }
        if turns {
            out.line("kept[7] = now as f64;");
        }
        out.text
    }

    // What stands around it.

    fn buffer_type(&self) -> String {
        let item = self.item();
        match self.kind() {
            Kind::Vec => format!("Vec<{item}>"),
            Kind::Slice => format!("[{item}]"),
            Kind::Grid => "Grid".to_owned(),
            Kind::Nested => (0..self.p.dims).fold(item.to_owned(), |t, _| format!("Vec<{t}>")),
            Kind::Array => {
                self.plain_sizes().iter().rev().fold(item.to_owned(), |t, n| format!("[{t}; {n}]"))
            }
        }
    }

    fn file(&self, least: [i32; 3], run: &str) -> String {
        let mut out = String::from(HEAD);
        if let Some(extents) = self.p.extents {
            for d in 0..self.p.dims {
                // Lengths of arrays are of one type.
                let t = if self.kind() == Kind::Array { "usize" } else { self.counter() };
                let _ = writeln!(out, "const {}: {t} = {};", SMALL[d].to_uppercase(), extents[d]);
            }
            out.push('\n');
        }
        if self.cells() {
            let fields: Vec<String> = FIELDS[..self.p.fields.len()]
                .iter()
                .map(|f| format!("{f}: {}", self.element()))
                .collect();
            let _ = writeln!(
                out,
                "#[derive(Clone, Copy, Default)]\nstruct Cell {{ {} }}\n",
                fields.join(", ")
            );
        }
        if self.kind() == Kind::Grid {
            out += &self.grid_type();
        }
        let v = self.value();
        let _ = write!(
            out,
            "fn least(a: {v}, b: {v}) -> {v} {{\n    if a < b {{ a }} else {{ b }}\n}}\n\n\
             fn most(a: {v}, b: {v}) -> {v} {{\n    if a > b {{ a }} else {{ b }}\n}}\n\n"
        );
        let inline = match self.p.style.home {
            Home::External => "#[inline(never)]\n",
            _ => "",
        };
        if self.members() {
            out += &self.simulation(run, inline);
        } else {
            out += &self.functions;
            if self.p.style.home != Home::Main {
                let all: Vec<String> =
                    self.run_arguments().into_iter().map(|n| n.declared).collect();
                let life = if self.kind() == Kind::Slice { "<'a>" } else { "" };
                let _ = write!(out, "{inline}fn run{life}({}) {{\n{run}}}\n\n", all.join(", "));
            }
        }
        out += &self.main(least, run);
        out
    }

    fn grid_type(&self) -> String {
        let item = self.item();
        let (index, at) = match self.p.dims {
            1 => ("usize", "i"),
            2 => ("(usize, usize)", "i * self.m + j"),
            _ => ("(usize, usize, usize)", "(i * self.m + j) * self.l + k"),
        };
        let pattern = ["i", "(i, j)", "(i, j, k)"][self.p.dims - 1];
        let sizes: String = SMALL[..self.p.dims].iter().map(|n| format!("{n}: usize, ")).collect();
        format!(
            "#[derive(Clone)]\nstruct Grid {{ {sizes}held: Vec<{item}> }}\n\n\
             impl std::ops::Index<{index}> for Grid {{\n    type Output = {item};\n    \
             fn index(&self, {pattern}: {index}) -> &{item} {{\n        &self.held[{at}]\n    }}\n}}\n\n\
             impl std::ops::IndexMut<{index}> for Grid {{\n    \
             fn index_mut(&mut self, {pattern}: {index}) -> &mut {item} {{\n        \
             &mut self.held[{at}]\n    }}\n}}\n\n"
        )
    }

    /// Names of a field's arrays, and how many slots each has.
    fn declared(&self, field: usize) -> Vec<(String, usize)> {
        let buffers = self.p.buffers_of(field);
        if self.p.is_indexed(buffers) {
            return vec![(self.p.stem(field).to_owned(), buffers)];
        }
        let held = if self.p.idiom == Idiom::Fresh { 1 } else { buffers };
        LEVELS.iter().take(held).map(|level| (self.p.buffer(field, *level), 0)).collect()
    }

    fn simulation(&self, run: &str, inline: &str) -> String {
        let mut members = Lines::at(1);
        if self.p.extents.is_none() {
            SMALL[..self.p.dims]
                .iter()
                .for_each(|small| members.line(&format!("{small}: {},", self.counter())));
        }
        for (name, slots) in (0..self.p.grids()).flat_map(|f| self.declared(f)) {
            let t = self.buffer_type();
            members.line(&match slots {
                0 => format!("{name}: {t},"),
                _ => format!("{name}: [{t}; {slots}],"),
            });
        }
        let mut formal = vec!["&mut self".to_owned()];
        formal.extend(self.run_arguments().into_iter().map(|n| n.declared));
        let (methods, functions) = if self.whole() {
            (indented(&self.functions), "")
        } else {
            (String::new(), &self.functions[..])
        };
        format!(
            "{functions}struct Simulation {{\n{}}}\n\nimpl Simulation {{\n{methods}    {}fn run({}) {{\n{}    }}\n}}\n\n",
            members.text,
            inline.replace('\n', "\n    "),
            formal.join(", "),
            indented(run)
        )
    }

    fn run_arguments(&self) -> Vec<Name> {
        let mut all = Vec::new();
        let mut name = |name: &str, declared: String, actual: String| {
            all.push(Name { name: name.to_owned(), declared, actual });
        };
        if self.p.extents.is_none() && !self.members() {
            for small in &SMALL[..self.p.dims] {
                name(small, format!("{small}: {}", self.counter()), (*small).to_owned());
            }
        }
        if !self.members() {
            let t = self.buffer_type();
            let life = if self.kind() == Kind::Slice { "'a " } else { "" };
            for (array, slots) in (0..self.p.grids()).flat_map(|f| self.declared(f)) {
                let moves = if self.kind() == Kind::Slice { "mut " } else { "" };
                let declared = match (slots, self.kind()) {
                    (0, _) => format!("{moves}{array}: &{life}mut {t}"),
                    (_, Kind::Slice) => format!("{array}: &mut [&'a mut {t}; {slots}]"),
                    (_, Kind::Array) => format!("{array}: &mut [Box<{t}>; {slots}]"),
                    _ => format!("{array}: &mut [{t}; {slots}]"),
                };
                name(&array, declared, self.held(&array, slots));
            }
        }
        for (i, input) in self.p.inputs.iter().enumerate() {
            let t = if input.mask { "i32" } else { self.element() };
            name(INPUTS[i], format!("{}: &[{t}]", INPUTS[i]), format!("&{}_held", INPUTS[i]));
        }
        name("alpha", format!("alpha: {}", self.value()), "alpha".to_owned());
        name("steps", "steps: i32".to_owned(), "steps".to_owned());
        name("kept", "kept: &mut [f64]".to_owned(), "&mut kept_held".to_owned());
        name("series", format!("series: &[{}]", self.element()), "&series_held".to_owned());
        name("trace", format!("trace: &mut [{}]", self.element()), "&mut trace_held".to_owned());
        all
    }

    /// What main lends of an array.
    fn held(&self, array: &str, slots: usize) -> String {
        match self.kind() {
            Kind::Slice if self.p.storage == Storage::OneBlock && slots == 0 => {
                format!("{array}_part")
            }
            Kind::Slice if self.p.storage == Storage::OneBlock => format!("&mut {array}_parts"),
            Kind::Slice if slots > 0 => {
                let all: Vec<String> =
                    (0..slots).map(|k| self.inner(&format!("{array}{k}_held"))).collect();
                format!("&mut [{}]", all.join(", "))
            }
            Kind::Slice => self.inner(&format!("{array}_held")),
            Kind::Array if slots == 0 => format!("&mut *{array}_held"),
            _ => format!("&mut {array}_held"),
        }
    }

    /// An array between its guards.
    fn inner(&self, name: &str) -> String {
        format!("&mut {name}[GUARD..GUARD + points]")
    }

    fn main(&self, least: [i32; 3], run: &str) -> String {
        let mut out = Lines::at(2);
        if self.p.extents.is_none() {
            for (d, told) in ["nx", "ny", "nz"].iter().enumerate().take(self.p.dims) {
                let (small, least, t) = (SMALL[d], least[d].max(1), self.counter());
                out.line(&format!("let {small} = case.{told}.max({least}) as {t};"));
            }
        }
        let sizes: Vec<String> =
            self.plain_sizes().iter().map(|n| format!("({n} as usize)")).collect();
        out.line(&format!("let points = {};", sizes.join(" * ")));
        out.line("let steps = case.steps;");
        let (few, many) = if self.real() { ("0.2", "0.25") } else { ("2", "3") };
        let v = self.value();
        out.line(&format!("let alpha: {v} = if case.steps > 3 {{ {many} }} else {{ {few} }};"));
        let mut back = Lines::at(2);
        back.line("output.case(&case);");
        self.rows_of_values(&sizes, &mut out, &mut back);
        self.allocate(&sizes, &mut out, &mut back);
        if self.members() {
            let all: Vec<String> = self.run_arguments().into_iter().map(|n| n.actual).collect();
            out.line(&format!("simulation.run({});", all.join(", ")));
        } else if self.p.style.home == Home::Main {
            out.open("{");
            for argument in self.run_arguments() {
                let changes = argument.declared.starts_with("mut ");
                let fixed = argument.actual == argument.name;
                let word = if changes { "let mut" } else { "let" };
                let kept = matches!(argument.name.as_str(), "kept" | "series" | "trace");
                let slice =
                    if kept || INPUTS.contains(&argument.name.as_str()) { "[..]" } else { "" };
                if !fixed {
                    out.line(&format!("{word} {} = {}{slice};", argument.name, argument.actual));
                }
            }
            out.text += &indented(&indented(run));
            out.shut("}");
        } else {
            let all: Vec<String> = self.run_arguments().into_iter().map(|n| n.actual).collect();
            out.line(&format!("run({});", all.join(", ")));
        }
        format!(
            "fn main() {{\n    let mut output = corpus::Output::new();\n    \
             for case in corpus::cases() {{\n{}{}    }}\n}}\n",
            out.text, back.text
        )
    }

    fn rows_of_values(&self, sizes: &[String], out: &mut Lines, back: &mut Lines) {
        let mut seed = 100;
        let mut row = |t: &str, name: &str, count: &str| {
            seed += 1;
            out.line(&format!("let mut {name}_held = corpus::varied::<{t}>({count}, {seed});"));
            back.line(&format!("output.array(\"{name}\", 0, &{name}_held);"));
        };
        for (i, input) in self.p.inputs.iter().enumerate() {
            let count = input.axis.map_or("points".to_owned(), |d| sizes[d].clone());
            row(if input.mask { "i32" } else { self.element() }, INPUTS[i], &count);
        }
        for name in ["series", "trace"] {
            row(self.element(), name, "steps.max(0) as usize + 1");
        }
        out.line("let mut kept_held = vec![0.0; 9];");
        back.line("output.array(\"kept\", 0, &kept_held);");
    }

    /// A buffer made of varied values, and how it is written out.
    fn made(&self, seed: usize) -> String {
        let (t, many) = (self.element(), if self.cells() { self.p.fields.len() } else { 1 });
        let values = match many {
            1 => format!("corpus::varied::<{t}>(points, {seed})"),
            _ => format!("corpus::varied::<{t}>(points * {many}, {seed})"),
        };
        let held = match self.cells() {
            true => {
                let fields: Vec<String> = FIELDS[..self.p.fields.len()]
                    .iter()
                    .enumerate()
                    .map(|(k, f)| format!("{f}: c[{k}]"))
                    .collect();
                let fields = fields.join(", ");
                format!("{values}.chunks({many}).map(|c| Cell {{ {fields} }}).collect::<Vec<_>>()")
            }
            false => values,
        };
        let sizes = self.plain_sizes();
        match (self.kind(), self.p.dims) {
            (Kind::Grid, dims) => {
                let all: String =
                    (0..dims).map(|d| format!("{}: {} as usize, ", SMALL[d], sizes[d])).collect();
                format!("Grid {{ {all}held: {held} }}")
            }
            (Kind::Nested, 2) => {
                format!(
                    "{held}.chunks({} as usize).map(<[_]>::to_vec).collect::<Vec<_>>()",
                    sizes[1]
                )
            }
            (Kind::Nested, 3) => format!(
                "{held}.chunks(({} * {}) as usize).map(|p| p.chunks({} as usize).map(<[_]>::to_vec).collect::<Vec<_>>()).collect::<Vec<_>>()",
                sizes[1], sizes[2], sizes[2]
            ),
            (Kind::Array, dims) => {
                let at = ["i", "i * M + j", "(i * M + j) * L + k"][dims - 1];
                let inner = COUNTERS[..dims]
                    .iter()
                    .rev()
                    .fold(format!("all[{at}]"), |t, x| format!("std::array::from_fn(|{x}| {t})"));
                let buffer = self.buffer_type();
                format!("{{ let all = {held}; Box::<{buffer}>::new({inner}) }}")
            }
            _ => held,
        }
    }

    fn written_out(&self, holder: &str) -> String {
        if self.cells() {
            let fields: Vec<String> =
                FIELDS[..self.p.fields.len()].iter().map(|f| format!("c.{f}")).collect();
            let held = if self.kind() == Kind::Grid { ".held" } else { "" };
            return format!(
                "&{holder}{held}.iter().flat_map(|c| [{}]).collect::<Vec<_>>()",
                fields.join(", ")
            );
        }
        match (self.kind(), self.p.dims) {
            (Kind::Grid, _) => format!("&{holder}.held"),
            (Kind::Nested, dims) => format!("&{holder}{}", ".concat()".repeat(dims - 1)),
            (Kind::Array, 1) => format!("&{holder}[..]"),
            (Kind::Array, dims) => format!("{holder}{}", ".as_flattened()".repeat(dims - 1)),
            _ => format!("&{holder}"),
        }
    }

    fn allocate(&self, _sizes: &[String], out: &mut Lines, back: &mut Lines) {
        let arrays: Vec<(String, usize)> =
            (0..self.p.grids()).flat_map(|f| self.declared(f)).collect();
        if self.p.storage == Storage::OneBlock {
            return self.split(&arrays, out, back);
        }
        let mut seed = 0;
        let mut members = Vec::new();
        for (name, slots) in &arrays {
            let each: Vec<String> = (0..*slots.max(&1))
                .map(|_| {
                    seed += 1;
                    self.made(seed)
                })
                .collect();
            if self.kind() == Kind::Slice {
                for (k, made) in each.iter().enumerate() {
                    let name = if *slots == 0 { name.clone() } else { format!("{name}{k}") };
                    let guarded = made.replace("(points", "(2 * GUARD + points");
                    let guarded = guarded.replace("2 * GUARD + points *", "(2 * GUARD + points) *");
                    out.line(&format!("let mut {name}_held = {guarded};"));
                    let guard = match self.cells() {
                        true => format!("{} * GUARD", self.p.fields.len()),
                        false => "GUARD".to_owned(),
                    };
                    let shown = self.written_out(&format!("{name}_held"));
                    back.line(&format!("output.array(\"{name}\", {guard}, {shown});"));
                }
                continue;
            }
            let made = match slots {
                0 => each[0].clone(),
                _ => format!("[{}]", each.join(", ")),
            };
            let holder = match self.members() {
                true => {
                    members.push(format!("{name}: {made}"));
                    format!("simulation.{name}")
                }
                false => {
                    out.line(&format!("let mut {name}_held = {made};"));
                    format!("{name}_held")
                }
            };
            for k in 0..*slots.max(&1) {
                let (shown, label) = match slots {
                    0 => (self.written_out(&holder), name.clone()),
                    _ => (self.written_out(&format!("{holder}[{k}]")), format!("{name}{k}")),
                };
                back.line(&format!("output.array(\"{label}\", 0, {shown});"));
            }
        }
        if self.members() {
            let mut all: Vec<String> = match self.p.extents {
                None => SMALL[..self.p.dims].iter().map(|n| (*n).to_owned()).collect(),
                Some(_) => Vec::new(),
            };
            all.extend(members);
            out.line(&format!("let mut simulation = Simulation {{ {} }};", all.join(", ")));
        }
    }

    /// One block, in parts.
    fn split(&self, arrays: &[(String, usize)], out: &mut Lines, back: &mut Lines) {
        let total: usize = arrays.iter().map(|(_, slots)| (*slots).max(1)).sum();
        let t = self.element();
        out.line(&format!(
            "let mut block = corpus::varied::<{t}>(points * {total} + 2 * GUARD, 1);"
        ));
        out.line(&format!("let rest = &mut block[GUARD..GUARD + points * {total}];"));
        for (name, slots) in arrays {
            match slots {
                0 => {
                    out.line(&format!("let ({name}_part, rest) = rest.split_at_mut(points);"));
                }
                _ => {
                    let parts: Vec<String> = (0..*slots).map(|k| format!("{name}{k}")).collect();
                    for part in &parts {
                        out.line(&format!("let ({part}, rest) = rest.split_at_mut(points);"));
                    }
                    out.line(&format!("let mut {name}_parts = [{}];", parts.join(", ")));
                }
            }
        }
        back.line("output.array(\"block\", GUARD, &block);");
    }
}

fn operator(op: Whole) -> &'static str {
    match op {
        Whole::Quotient => "/",
        Whole::Remainder => "%",
        Whole::And => "&",
        Whole::ShiftRight => ">>",
        Whole::Xor => "^",
    }
}

/// Calls `look` for every place that is stored to.
fn each_store(body: &[Stmt], look: &mut dyn FnMut(&Place)) {
    for stmt in body {
        match stmt {
            Stmt::Store { place, .. } => look(place),
            Stmt::If { then, other, .. } => {
                each_store(then, look);
                each_store(other, look);
            }
            Stmt::Let(..) | Stmt::Fold(..) => {}
        }
    }
}

const HEAD: &str = "#![allow(unused, clippy::all)]

mod corpus;

const GUARD: usize = 61;

fn seen(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

";
