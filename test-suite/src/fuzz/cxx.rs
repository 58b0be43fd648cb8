//! Writes a program in C++, with `corpus/c/corpus.h` for its cases: containers, classes with accessors, references,
//! templates, lambdas, exceptions around the time loop.
//!
//! All memory comes from the corpus; what containers hold is copied there and back. Storage is read as C++ has it: a
//! block is seen through views, rows are vectors of vectors, members and sweeps are those of a class.

use super::program::*;
use super::text::*;
use std::fmt::Write as _;

/// The whole file.
pub fn write(program: &Program) -> String {
    let least = super::sound::least(program).unwrap_or([0; 3]);
    let mut writer = Writer { p: program, helpers: String::new(), lambdas: String::new() };
    let run = writer.run();
    writer.file(least, &run)
}

/// The ways that C++ has beside those of all languages, each a number of the program's.
const CONTAINER: usize = 0;
const SWAP: usize = 1;
const FUNCTION: usize = 2;
const REFERENCES: usize = 3;
const RANGES: usize = 4;
const THROWS: usize = 5;
const OWNED: usize = 6;
const CHECKED: usize = 7;
const VECTORS: usize = 8;
const COPIES: usize = 9;
const ARRAYS: usize = 10;
const HANDED: usize = 11;

/// What a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pointer,
    Vector,
    Unique,
    /// A class with `operator()` that owns its elements.
    Class,
    /// The same, over a block.
    View,
    Nested,
    Static,
}

/// From where grids are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Loop { turn: usize },
    Function,
}

/// A name that functions may be handed.
struct Name {
    name: String,
    declared: String,
    actual: String,
}

struct Writer<'a> {
    p: &'a Program,
    helpers: String,
    lambdas: String,
}

const SMALL: [&str; 3] = ["n", "m", "l"];
const LEVELS: [Level; 3] = [Level::Now, Level::Next, Level::Old];

impl Writer<'_> {
    fn way(&self, way: usize, count: usize) -> usize {
        self.p.ways.below(way, count)
    }

    fn kind(&self) -> Kind {
        match self.p.storage {
            Storage::Flat => {
                [Kind::Vector, Kind::Pointer, Kind::Unique, Kind::Class][self.way(CONTAINER, 4)]
            }
            Storage::OneBlock => Kind::View,
            Storage::Vla => Kind::Class,
            Storage::Static => Kind::Static,
            Storage::Rows(_) => Kind::Nested,
            Storage::Members | Storage::Structures => {
                [Kind::Vector, Kind::Class, Kind::Unique][self.way(CONTAINER, 3)]
            }
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

    fn letter(&self) -> char {
        match self.p.element {
            Element::Float => 'f',
            Element::Double => 'd',
            Element::Int => 'i',
            Element::Byte => 'b',
        }
    }

    fn counter(&self) -> &'static str {
        match self.p.style.counter {
            Counter::Int => "int",
            Counter::Long => "std::ptrdiff_t",
            Counter::Size => "std::size_t",
            Counter::Unsigned => "unsigned",
        }
    }

    // Where elements lie.

    /// Whether the class with the buffers tells their sizes.
    fn far(&self) -> bool {
        matches!(self.kind(), Kind::Class | Kind::View)
            && self.p.style.far
            && self.p.extents.is_none()
    }

    fn size(&self, dim: usize, view: View) -> String {
        match self.p.extents {
            Some(_) => SMALL[dim].to_uppercase(),
            None if self.members() => SMALL[dim].to_owned(),
            None if self.far() => {
                let field = self.p.fields.iter().position(|f| f.buffers > 1).unwrap_or(0);
                format!("{}.{}", self.grid(field, Level::Now, view), SMALL[dim])
            }
            None => SMALL[dim].to_owned(),
        }
    }

    /// Sizes as the time loop's function and those outside know them.
    fn plain_sizes(&self) -> Vec<String> {
        let shown = |d: usize| match self.p.extents {
            Some(_) => SMALL[d].to_uppercase(),
            None => SMALL[d].to_owned(),
        };
        (0..self.p.dims).map(shown).collect()
    }

    /// Whether pointers to buffers are swapped, not what they hold.
    fn by_address(&self) -> bool {
        self.p.idiom == Idiom::Swap && self.way(SWAP, 4) == 3
    }

    fn slot(&self, buffers: usize, level: Level) -> String {
        match (self.p.idiom, level) {
            (Idiom::Turn, Level::Now) => "now".to_owned(),
            (Idiom::Turn, Level::Next) => "next".to_owned(),
            (Idiom::Turn, Level::Old) => "old".to_owned(),
            (_, Level::Now) => format!("t % {buffers}"),
            (_, Level::Next) => format!("(t + 1) % {buffers}"),
            (_, Level::Old) => format!("(t + 2) % {buffers}"),
        }
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
        if self.p.is_indexed(buffers) {
            return match self.p.ways.often(REFERENCES, 40) {
                true => format!("{name}_here"),
                false => format!("{}[{}]", self.p.stem(field), self.slot(buffers, level)),
            };
        }
        if self.by_address() && buffers > 1 { format!("(*at_{name})") } else { name }
    }

    fn element_at(&self, grid: &str, subscripts: &[String], view: View) -> String {
        match self.kind() {
            Kind::Class | Kind::View => format!("{grid}({})", subscripts.join(", ")),
            Kind::Nested | Kind::Static => {
                subscripts.iter().fold(grid.to_owned(), |text, s| text + "[" + s + "]")
            }
            _ => format!("{grid}[{}]", self.linear(subscripts, view)),
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
        match (index, axis) {
            (Index::At(spot), _) => self.spot(dim, spot, 0, view),
            (Index::Near(o), Axis::At(spot)) => self.spot(dim, spot, o, view),
            (Index::Near(o), Axis::Span { .. }) => format!("{x}{}", signed(o)),
            (Index::Wrap(0) | Index::Clamp(0), _) => x.to_owned(),
            (Index::Wrap(o), _) if o > 0 => format!("({x} + {o}) % {n}"),
            (Index::Wrap(o), _) => format!("({x} + {n} - {}) % {n}", -o),
            (Index::Clamp(o), _) if o > 0 && self.p.style.ternary => {
                format!("std::min<{}>({x} + {o}, {n} - 1)", self.counter())
            }
            (Index::Clamp(o), _) if o > 0 => format!("({x} + {o} < {n} ? {x} + {o} : {n} - 1)"),
            (Index::Clamp(o), _) => format!("({x} > {} ? {x} - {} : 0)", -o - 1, -o),
        }
    }

    fn subscripts(&self, at: &[Index], axes: &[Axis], view: View) -> Vec<String> {
        at.iter().enumerate().map(|(d, i)| self.subscript(d, *i, axes[d], view)).collect()
    }

    fn place(&self, place: &Place, axes: &[Axis], view: View) -> String {
        let grid = self.grid(place.field, place.level, view);
        let text = self.element_at(&grid, &self.subscripts(&place.at, axes, view), view);
        if self.cells() { format!("{text}.{}", FIELDS[place.field]) } else { text }
    }

    /// An element that is looked at once in a step, now and then with a check.
    fn looked_at(&self, place: &Place, axes: &[Axis], view: View) -> String {
        let checked = self.kind() == Kind::Vector && self.p.ways.often(CHECKED, 40);
        if !checked {
            return self.place(place, axes, view);
        }
        let subscripts = self.subscripts(&place.at, axes, view);
        let grid = self.grid(place.field, place.level, view);
        let text = format!("{grid}.at({})", self.linear(&subscripts, view));
        if self.cells() { format!("{text}.{}", FIELDS[place.field]) } else { text }
    }

    fn input(&self, input: usize, at: &[Index], axes: &[Axis], view: View) -> String {
        let name = INPUTS[input];
        match self.p.inputs[input].axis {
            Some(d) => format!("{name}[{}]", self.subscript(d, at[d], axes[d], view)),
            None => {
                format!("{name}[{}]", self.linear(&self.subscripts(at, axes, view), view))
            }
        }
    }

    // Expressions and conditions.

    fn number(&self, n: i32) -> String {
        let suffix = if self.p.element == Element::Float && !self.p.style.wide { "f" } else { "" };
        let text = match self.real() {
            true => format!("{:?}{suffix}", f64::from(n) / 100.0),
            false => n.to_string(),
        };
        if n < 0 { format!("({text})") } else { text }
    }

    fn expr(&self, expr: &Expr, axes: &[Axis], view: View) -> String {
        let of = |e: &Expr| self.expr(e, axes, view);
        match expr {
            Expr::Number(n) => self.number(*n),
            Expr::Load(place) => self.place(place, axes, view),
            Expr::Input(input, at) => self.input(*input, at, axes, view),
            Expr::Local(local) => format!("x{local}"),
            Expr::Scalar(Scalar::Alpha) => "alpha".to_owned(),
            Expr::Scalar(Scalar::Step) => "static_cast<Value>(t % 16)".to_owned(),
            Expr::Scalar(Scalar::Wave) => "wave".to_owned(),
            Expr::Scalar(Scalar::Series) => "series[t]".to_owned(),
            Expr::Scalar(Scalar::Collected) => "before".to_owned(),
            Expr::Coordinate(d) => {
                format!("static_cast<Value>({})", self.coordinate(*d, axes, view))
            }
            Expr::Unary(Unary::Negate, a) => format!("(-{})", of(a)),
            Expr::Unary(Unary::Absolute, a) => format!("std::abs({})", of(a)),
            Expr::Unary(_, a) if !self.real() => of(a),
            Expr::Unary(Unary::Root, a) => format!("std::sqrt(std::abs({}))", of(a)),
            Expr::Unary(Unary::Floor, a) => format!("std::floor({})", of(a)),
            Expr::Unary(Unary::Sine, a) => format!("std::sin({})", of(a)),
            Expr::Binary(op, a, b) => self.binary(*op, &of(a), &of(b)),
            Expr::Whole(op, a, k) => format!("({} {} {k})", of(a), operator(*op)),
            Expr::Choose(when, a, b) => {
                format!("({} ? {} : {})", self.cond(when, axes, view), of(a), of(b))
            }
        }
    }

    fn coordinate(&self, dim: usize, axes: &[Axis], view: View) -> String {
        self.subscript(dim, Index::Near(0), axes[dim], view)
    }

    fn binary(&self, op: Binary, a: &str, b: &str) -> String {
        let one = self.number(if self.real() { 100 } else { 1 });
        match op {
            Binary::Add => format!("({a} + {b})"),
            Binary::Subtract => format!("({a} - {b})"),
            Binary::Multiply => format!("({a} * {b})"),
            Binary::Divide => format!("({a} / ({one} + std::abs({b})))"),
            Binary::Least => self.extreme("min", a, b),
            Binary::Most => self.extreme("max", a, b),
        }
    }

    fn extreme(&self, which: &str, a: &str, b: &str) -> String {
        let function = self.real() && !self.p.style.ternary;
        if function {
            return format!("std::f{which}({a}, {b})");
        }
        let wide = self.p.style.wide && self.p.element == Element::Float;
        format!("std::{which}<{}>({a}, {b})", if wide { "double" } else { "Value" })
    }

    fn cond(&self, cond: &Cond, axes: &[Axis], view: View) -> String {
        let of = |e: &Expr| self.expr(e, axes, view);
        let also = |c: &Cond| self.cond(c, axes, view);
        match cond {
            Cond::Less(a, b) => format!("{} < {}", of(a), of(b)),
            Cond::Equal(a, b) => format!("{} == {}", of(a), of(b)),
            Cond::Inside(margins) => self.inside(margins, axes, view),
            Cond::Before(d) => {
                format!("{} < {} / 2", self.coordinate(*d, axes, view), self.size(*d, view))
            }
            Cond::Even { step } => {
                let mut sum: Vec<String> =
                    (0..self.p.dims).map(|d| self.coordinate(d, axes, view)).collect();
                sum.extend(step.then(|| "t".to_owned()));
                format!("({}) % 2 == 0", sum.join(" + "))
            }
            Cond::Mask(input, at) => {
                let zero = if self.p.inputs[*input].mask { "0" } else { &self.number(0) };
                format!("{} > {zero}", self.input(*input, at, axes, view))
            }
            Cond::Not(a) => format!("!({})", also(a)),
            Cond::And(a, b) => format!("({}) && ({})", also(a), also(b)),
            Cond::Or(a, b) => format!("({}) || ({})", also(a), also(b)),
        }
    }

    fn inside(&self, margins: &[(i32, i32)], axes: &[Axis], view: View) -> String {
        let mut all = Vec::new();
        for (d, (lo, hi)) in margins.iter().enumerate() {
            let x = self.coordinate(d, axes, view);
            all.extend((*lo > 0).then(|| format!("{x} >= {lo}")));
            all.extend((*hi > 0).then(|| format!("{x} < {} - {hi}", self.size(d, view))));
        }
        if all.is_empty() { "true".to_owned() } else { all.join(" && ") }
    }

    // Statements, and the loops around them.

    fn stmt(&self, stmt: &Stmt, axes: &[Axis], view: View, out: &mut Lines) {
        match stmt {
            Stmt::Let(local, value) => {
                let kind = if self.p.style.far { "const Value" } else { "Value" };
                out.line(&format!("{kind} x{local} = {};", self.expr(value, axes, view)));
            }
            Stmt::Store { place, add, value } => self.store(place, *add, value, axes, view, out),
            Stmt::If { when, then, other } if self.p.style.continues && other.is_empty() => {
                out.line(&format!("if (!({}))", self.cond(when, axes, view)));
                out.line("    continue;");
                then.iter().for_each(|s| self.stmt(s, axes, view, out));
            }
            Stmt::If { when, then, other } => {
                out.open(&format!("if ({}) {{", self.cond(when, axes, view)));
                then.iter().for_each(|s| self.stmt(s, axes, view, out));
                if !other.is_empty() {
                    out.shut("} else {");
                    out.deeper();
                    other.iter().for_each(|s| self.stmt(s, axes, view, out));
                }
                out.shut("}");
            }
            Stmt::Fold(fold, value) => self.fold(*fold, &self.expr(value, axes, view), out),
        }
    }

    fn store(
        &self,
        place: &Place,
        add: bool,
        value: &Expr,
        axes: &[Axis],
        view: View,
        out: &mut Lines,
    ) {
        let op = if add { "+=" } else { "=" };
        let value = self.expr(value, axes, view);
        let target = self.place(place, axes, view);
        match self.p.element {
            Element::Byte => out.line(&format!("{target} {op} static_cast<Element>({value});")),
            _ => out.line(&format!("{target} {op} {value};")),
        }
    }

    fn fold(&self, fold: usize, value: &str, out: &mut Lines) {
        let small = self.number(1);
        let result = format!("r{fold}");
        out.line(&match self.p.folds[fold].collects {
            Collects::Most => format!("{result} = {};", self.extreme("max", &result, value)),
            Collects::Least => format!("{result} = {};", self.extreme("min", &result, value)),
            Collects::Sum => format!("{result} += {value};"),
            Collects::Flag => format!("if ({value} > {small}) {result} = true;"),
            Collects::Count => format!("if ({value} > {small}) ++{result};"),
        });
    }

    fn fold_type(&self, fold: usize) -> &'static str {
        match self.p.folds[fold].collects {
            Collects::Most | Collects::Least => "Value",
            Collects::Sum if self.real() => "Value",
            Collects::Sum => "long",
            Collects::Flag => "bool",
            Collects::Count => "int",
        }
    }

    fn fold_start(&self, fold: usize) -> String {
        match self.p.folds[fold].collects {
            Collects::Least => self.number(10_000),
            Collects::Most => self.number(-10_000),
            Collects::Flag => "false".to_owned(),
            Collects::Sum | Collects::Count => "0".to_owned(),
        }
    }

    fn loops(&self, sweep: &Sweep, view: View, out: &mut Lines) {
        let mut order: Vec<usize> = (0..self.p.dims).collect();
        if sweep.swapped {
            order.reverse();
        }
        let mut opened = 0;
        for d in order {
            if let Axis::Span { lo, hi, down } = sweep.axes[d] {
                out.open(&format!("{} {{", self.head(d, lo, hi, down, view)));
                opened += 1;
            }
        }
        if opened == 0 {
            out.open("do {");
        }
        sweep.body.iter().for_each(|s| self.stmt(s, &sweep.axes, view, out));
        (0..opened).for_each(|_| out.shut("}"));
        if opened == 0 {
            out.shut("} while (false);");
        }
    }

    fn ranges(&self) -> bool {
        self.p.ways.often(RANGES, 15)
    }

    fn head(&self, dim: usize, lo: i32, hi: i32, down: bool, view: View) -> String {
        let (x, t, n) = (COUNTERS[dim], self.counter(), self.size(dim, view));
        let end = if hi == 0 { n.clone() } else { format!("{n} - {hi}") };
        let unsigned = matches!(self.p.style.counter, Counter::Size | Counter::Unsigned);
        match (down, unsigned) {
            (false, _) if self.ranges() => format!("for ({t} {x} : Range({lo}, {end}))"),
            (false, _) => format!("for ({t} {x} = {lo}; {x} < {end}; ++{x})"),
            (true, false) => format!("for ({t} {x} = {n} - {}; {x} >= {lo}; --{x})", hi + 1),
            (true, true) => format!("for ({t} {x} = {end}; {x}-- > {lo};)"),
        }
    }

    // Functions that sweep.

    fn parameter(&self, name: &str, constant: bool) -> String {
        let constant = if constant { "const " } else { "" };
        match self.kind() {
            Kind::Pointer if self.p.style.restricted => {
                format!("{constant}Element *__restrict {name}")
            }
            Kind::Pointer => format!("{constant}Element *{name}"),
            _ => format!("{constant}Buffer &{name}"),
        }
    }

    /// A row of values that is read, or a grid that is.
    fn values(&self, t: &str, name: &str, constant: bool) -> String {
        let constant = if constant { "const " } else { "" };
        if self.p.ways.often(VECTORS, 50) {
            format!("{constant}std::vector<{t}> &{name}")
        } else {
            format!("{constant}{t} *{name}")
        }
    }

    fn names(&self, turn: usize, written: &[(usize, Level)]) -> Vec<Name> {
        let mut all = Vec::new();
        let mut name = |name: &str, declared: String, actual: String| {
            all.push(Name { name: name.to_owned(), declared, actual });
        };
        let view = View::Loop { turn };
        if self.p.extents.is_none() && !self.members() && !self.far() {
            for (d, small) in SMALL.iter().enumerate().take(self.p.dims) {
                name(small, format!("{} {small}", self.counter()), self.size(d, view));
            }
        }
        if !self.whole() {
            for field in 0..self.p.grids() {
                for level in LEVELS.into_iter().take(self.p.buffers_of(field)) {
                    let formal = self.p.buffer(field, level);
                    let stored = self.cells() || written.contains(&(field, level));
                    let declared = self.parameter(&formal, !stored);
                    name(&formal, declared, self.grid(field, level, view));
                }
            }
        }
        for (i, input) in self.p.inputs.iter().enumerate() {
            let t = if input.mask { "int" } else { "Element" };
            name(INPUTS[i], self.values(t, INPUTS[i], true), INPUTS[i].to_owned());
        }
        name("series", self.values("Element", "series", true), "series".to_owned());
        for scalar in ["alpha", "wave", "before"] {
            name(scalar, format!("Value {scalar}"), scalar.to_owned());
        }
        name("t", "int t".to_owned(), "t".to_owned());
        all
    }

    /// Whether functions that sweep are members which know all grids.
    fn whole(&self) -> bool {
        self.members()
            && self.p.style.far
            && !self.by_address()
            && !matches!(self.p.idiom, Idiom::ThereAndBack | Idiom::Alternate)
            && !self.p.is_indexed(self.p.buffers())
    }

    /// Makes a function, a template or a lambda of these lines, and gives the call.
    fn function(
        &mut self,
        name: &str,
        folds: &[usize],
        written: &[(usize, Level)],
        turn: usize,
        body: impl Fn(&Self, View, &mut Lines),
    ) -> String {
        let view = if self.whole() { View::Loop { turn: 0 } } else { View::Function };
        let lambda = self.way(FUNCTION, 3) == 2 && !self.whole();
        let mut lines = Lines::at(if lambda { 2 } else { 1 });
        body(self, view, &mut lines);
        let words = words(&lines.text);
        let mut used = self.names(turn, written);
        used.retain(|n| words.contains(&n.name.as_str()));
        if lambda {
            // The rest is captured.
            let grids: Vec<String> = (0..self.p.grids())
                .flat_map(|f| LEVELS.map(|level| self.p.buffer(f, level)))
                .collect();
            used.retain(|n| grids.contains(&n.name));
        } else {
            for fold in folds {
                let result = format!("r{fold}");
                used.push(Name {
                    declared: format!("{} &{result}", self.fold_type(*fold)),
                    actual: result.clone(),
                    name: result,
                });
            }
        }
        let actual: Vec<String> = used.iter().map(|n| n.actual.clone()).collect();
        if turn == 0 {
            self.define(name, lambda, &used, &lines.text);
        }
        format!("{name}({});", actual.join(", "))
    }

    fn define(&mut self, name: &str, lambda: bool, used: &[Name], text: &str) {
        let mut formal: Vec<String> = used.iter().map(|n| n.declared.clone()).collect();
        if lambda {
            let _ = write!(
                self.lambdas,
                "    auto {name} = [&]({}) {{\n{text}    }};\n",
                formal.join(", ")
            );
            return;
        }
        let home = if self.members() { "" } else { "static " };
        let mut template = String::new();
        if self.way(FUNCTION, 3) == 1 {
            let grids = formal.iter_mut().filter(|f| f.contains("Buffer &"));
            let types: Vec<String> = grids
                .enumerate()
                .map(|(k, f)| {
                    *f = f.replace("Buffer &", &format!("G{k} &"));
                    format!("class G{k}")
                })
                .collect();
            if !types.is_empty() {
                template = format!("template <{}> ", types.join(", "));
            }
        }
        let formal = formal.join(", ");
        let _ = write!(self.helpers, "{template}{home}void {name}({formal})\n{{\n{text}}}\n\n");
    }

    fn sweep(&mut self, number: usize, sweep: &Sweep, turn: usize, out: &mut Lines) {
        if !sweep.apart {
            return self.loops(sweep, View::Loop { turn }, out);
        }
        let (folds, written) = (folds_of(&sweep.body), written(&sweep.body));
        let call =
            self.function(&format!("sweep{number}"), &folds, &written, turn, |w, view, lines| {
                w.loops(sweep, view, lines);
            });
        out.line(&call);
    }

    // The time loop.

    fn part(&mut self, number: usize, part: &Part, turn: usize, out: &mut Lines) {
        let view = View::Loop { turn };
        let nowhere = vec![Axis::At(Spot::Front(0)); self.p.dims];
        match part {
            Part::Sweep(sweep) => self.sweep(number, sweep, turn, out),
            Part::Point { place, add, value } => {
                self.store(place, *add, value, &nowhere, view, out);
            }
            Part::Clear { field, level } => {
                let points = self.points(view);
                out.line(&format!("clear({}, {points});", self.grid(*field, *level, view)));
            }
            Part::Print { every, place } => out.line(&format!(
                "if (t % {every} == 0) std::printf(\"step %d: %a\\n\", t, seen({}));",
                self.looked_at(place, &nowhere, view)
            )),
            Part::Trace(place) => {
                out.line(&format!("trace[t] = {};", self.looked_at(place, &nowhere, view)));
            }
            Part::Settled { fold, below } => {
                let settled = match self.p.folds[*fold].collects {
                    Collects::Flag => format!("!r{fold}"),
                    Collects::Count => format!("r{fold} < {below}"),
                    _ => format!("r{fold} < {}", self.number(*below)),
                };
                out.open(&format!("if ({settled}) {{"));
                out.line("settled = t;");
                out.line("break;");
                out.shut("}");
            }
            Part::Report { every, fold } => out.line(&format!(
                "if (t % {every} == 0) std::printf(\"step %d: so far %a\\n\", t, seen(static_cast<double>(r{fold})));"
            )),
        }
    }

    fn points(&self, view: View) -> String {
        let sizes = (0..self.p.dims).map(|d| format!("std::size_t({})", self.size(d, view)));
        sizes.collect::<Vec<_>>().join(" * ")
    }

    /// Parts at the step's beginning that go into one function.
    fn led(&self) -> usize {
        let plain = |part: &&Part| match part {
            Part::Sweep(sweep) => folds_of(&sweep.body).is_empty(),
            Part::Point { .. } => true,
            _ => false,
        };
        match self.p.style.stepper {
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
            let call = self.function("one_step", &[], &stored, turn, |w, view, lines| {
                for part in &parts[..led] {
                    match part {
                        Part::Sweep(sweep) => w.loops(sweep, view, lines),
                        Part::Point { place, add, value } => {
                            w.store(place, *add, value, &nowhere, view, lines);
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
                out.line("std::swap(old, now);");
                out.line("std::swap(now, next);");
            }
            Idiom::Turn if self.p.buffers() == 2 => out.line("std::swap(now, next);"),
            _ => {}
        }
    }

    fn swap(&self, field: usize, out: &mut Lines) {
        let at = if self.by_address() { "at_" } else { "" };
        let [now, next, old] = LEVELS.map(|level| format!("{at}{}", self.p.buffer(field, level)));
        let one = |a: &str, b: &str| match (self.way(SWAP, 4), self.kind()) {
            (1, Kind::Vector | Kind::Unique | Kind::Nested) => vec![format!("{a}.swap({b});")],
            (2, _) => vec![
                format!("auto kept_{a} = std::move({a});"),
                format!("{a} = std::move({b});"),
                format!("{b} = std::move(kept_{a});"),
            ],
            _ => vec![format!("std::swap({a}, {b});")],
        };
        let lines = match self.p.buffers_of(field) {
            2 => one(&now, &next),
            3 => [one(&old, &now), one(&now, &next)].concat(),
            _ => Vec::new(),
        };
        lines.iter().for_each(|line| out.line(line));
    }

    /// A buffer takes what another holds.
    fn assign(&self, to: &str, from: &str, view: View) -> String {
        let arrays = self.kind() == Kind::Static && self.p.ways.often(ARRAYS, 50);
        let whole = matches!(self.kind(), Kind::Vector | Kind::Nested | Kind::Class) || arrays;
        if whole && !self.p.ways.often(COPIES, 40) {
            return format!("{to} = {from};");
        }
        format!("duplicate({from}, {to}, {});", self.points(view))
    }

    fn copy_memory(&self, out: &mut Lines) {
        let view = View::Loop { turn: 0 };
        for field in (0..self.p.grids()).filter(|f| self.p.buffers_of(*f) > 1) {
            let [now, next, old] = LEVELS.map(|level| self.p.buffer(field, level));
            if self.p.buffers_of(field) == 3 {
                out.line(&self.assign(&old, &now, view));
            }
            out.line(&self.assign(&now, &next, view));
        }
    }

    fn fresh(&mut self, out: &mut Lines) {
        let fields: Vec<usize> =
            (0..self.p.grids()).filter(|f| self.p.buffers_of(*f) > 1).collect();
        let sizes = self.plain_sizes().join(", ");
        let view = View::Loop { turn: 0 };
        for f in &fields {
            let (now, next) = (self.p.buffer(*f, Level::Now), self.p.buffer(*f, Level::Next));
            match self.kind() {
                Kind::Vector | Kind::Class => out.line(&format!("Buffer {next}({now});")),
                Kind::Pointer => {
                    let points = self.points(view);
                    out.line(&format!("Buffer {next} = new Element[{points} + 1];"));
                    out.line(&format!("duplicate({now}, {next}, {points});"));
                }
                _ => out.line(&format!("Buffer {next} = make(&{now}[0], {sizes});")),
            }
        }
        self.parts(0, out);
        for f in &fields {
            let (now, next) = (self.p.buffer(*f, Level::Now), self.p.buffer(*f, Level::Next));
            match (self.kind(), self.way(SWAP, 3)) {
                (Kind::Pointer, _) => {
                    out.line(&self.assign(&now, &next, view));
                    out.line(&format!("delete[] {next};"));
                }
                (_, 0) => out.line(&format!("{now} = std::move({next});")),
                (_, 1) => out.line(&format!("std::swap({now}, {next});")),
                _ => out.line(&self.assign(&now, &next, view)),
            }
        }
    }

    fn step(&mut self, out: &mut Lines) {
        for (f, fold) in self.p.folds.iter().enumerate() {
            if fold.renewed {
                out.line(&format!("r{f} = {};", self.fold_start(f)));
            }
        }
        if self.p.ways.often(THROWS, 15) {
            out.line("if (t > 1000000) throw std::runtime_error(\"too many steps\");");
        }
        if self.p.ways.often(REFERENCES, 40) {
            for f in (0..self.p.grids()).filter(|f| self.p.is_indexed(self.p.buffers_of(*f))) {
                for level in LEVELS.into_iter().take(self.p.buffers_of(f)) {
                    let slot = self.slot(self.p.buffers_of(f), level);
                    let name = self.p.buffer(f, level);
                    out.line(&format!("auto &{name}_here = {}[{slot}];", self.p.stem(f)));
                }
            }
        }
        match self.p.idiom {
            Idiom::ThereAndBack => {
                self.parts(0, out);
                self.parts(1, out);
            }
            Idiom::Alternate => {
                out.open("if (t % 2 == 0) {");
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
            out.line(if self.real() {
                "before = static_cast<Value>(0.1 * r0 / (1.0 + 0.5 * std::abs(static_cast<double>(r0))));"
            } else {
                "before = static_cast<Value>(r0 % 1000);"
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
            out.line(&format!("if (t == {stop}) break;"));
        }
    }

    fn time_loop(&mut self, out: &mut Lines) {
        let start = |out: &mut Lines, line: &str| {
            out.line("t = 0;");
            out.open(line);
        };
        match self.p.style.clock {
            Clock::Up => out.open("for (t = 0; t < steps; ++t) {"),
            Clock::FromOne => out.open("for (t = 1; t <= steps; ++t) {"),
            Clock::Down => out.open("for (t = steps; t > 0; --t) {"),
            Clock::While => start(out, "while (t < steps) {"),
            Clock::Real => {
                out.line("const double dt = 0.125, end = steps * dt;");
                out.line("double time = 0.0;");
                start(out, "while (time < end) {");
            }
            Clock::DoWhile => start(out, "if (steps > 0) do {"),
        }
        self.step(out);
        match self.p.style.clock {
            Clock::Up | Clock::FromOne | Clock::Down => {}
            Clock::While | Clock::DoWhile => out.line("++t;"),
            Clock::Real => {
                out.line("time += dt;");
                out.line("++t;");
            }
        }
        out.shut(if self.p.style.clock == Clock::DoWhile { "} while (t < steps);" } else { "}" });
    }

    /// The statements of the time loop's function.
    fn run(&mut self) -> String {
        let mut out = Lines::at(1);
        let mut head = Lines::at(1);
        head.line("int t = 0, settled = -1;");
        if self.p.uses(Scalar::Wave) {
            head.line(&format!("Value wave = {};", if self.real() { "0.25" } else { "5" }));
        }
        if self.p.uses(Scalar::Collected) {
            head.line("Value before = 0;");
        }
        if self.p.idiom == Idiom::Turn && self.p.buffers() > 1 {
            let old = if self.p.buffers() == 3 { ", old = 2" } else { "" };
            head.line(&format!("int now = 0, next = 1{old};"));
        }
        for f in 0..self.p.folds.len() {
            head.line(&format!("{} r{f} = {};", self.fold_type(f), self.fold_start(f)));
        }
        for f in (0..self.p.grids()).filter(|f| self.by_address() && self.p.buffers_of(*f) > 1) {
            for level in LEVELS.into_iter().take(self.p.buffers_of(f)) {
                let name = self.p.buffer(f, level);
                head.line(&format!("Buffer *at_{name} = &{name};"));
            }
        }
        if self.p.style.rounds > 1 {
            out.open(&format!("for (int round = 0; round < {}; ++round) {{", self.p.style.rounds));
        }
        self.time_loop(&mut out);
        if self.p.style.rounds > 1 {
            out.line("kept[8] += round + t;");
            out.shut("}");
        }
        out.line("kept[0] = t;");
        out.line("kept[1] = settled;");
        for f in 0..self.p.folds.len() {
            out.line(&format!("kept[{}] = r{f};", 2 + f));
        }
        for f in (0..self.p.grids()).filter(|f| self.by_address() && self.p.buffers_of(*f) > 1) {
            let name = self.p.buffer(f, Level::Now);
            out.line(&format!("kept[{}] = at_{name} == &{name};", 4 + f));
        }
        if self.p.idiom == Idiom::Turn && self.p.buffers() > 1 {
            out.line("kept[7] = now;");
        }
        head.text + &std::mem::take(&mut self.lambdas) + &out.text
    }

    // What stands around it.

    fn file(&self, least: [i32; 3], run: &str) -> String {
        let mut out = String::from(HEAD);
        let _ = writeln!(out, "using Element = {};", self.element());
        let _ = writeln!(out, "using Value = {};", if self.real() { "Element" } else { "int" });
        if let Some(extents) = self.p.extents {
            for d in 0..self.p.dims {
                let (t, n) = (self.counter(), SMALL[d].to_uppercase());
                let _ = writeln!(out, "constexpr {t} {n} = {};", extents[d]);
            }
        }
        out += "\nstatic inline double seen(double x) { return x != x ? NAN : x; }\n\n";
        if self.ranges() {
            out += &RANGE.replace("COUNTER", self.counter());
        }
        if self.cells() {
            let fields = FIELDS[..self.p.fields.len()].join(", ");
            let _ = writeln!(out, "struct Cell {{\n    Element {fields};\n}};\n");
        }
        out += &self.buffer_type();
        if self.members() {
            out += &self.class(run);
        } else {
            out += &self.statics();
            out += &self.helpers;
            let home = if self.p.style.home == Home::External { "" } else { "static " };
            let formal: Vec<String> =
                self.run_arguments().into_iter().map(|n| n.declared).collect();
            let _ = write!(out, "{home}void run({})\n{{\n{run}}}\n\n", formal.join(", "));
        }
        out += &self.main(least);
        out
    }

    fn element(&self) -> &'static str {
        match self.p.element {
            Element::Float => "float",
            Element::Double => "double",
            Element::Int => "int",
            Element::Byte => "unsigned char",
        }
    }

    /// What grids are made of.
    fn item(&self) -> &'static str {
        if self.cells() { "Cell" } else { "Element" }
    }

    /// The type of a buffer, and what is done to all of one.
    fn buffer_type(&self) -> String {
        let item = self.item();
        let kind = self.kind();
        let sizes: String =
            SMALL[..self.p.dims].iter().map(|n| format!(", std::size_t {n}")).collect();
        let points = SMALL[..self.p.dims].join(" * ");
        let mut out = String::new();
        let (pointer, make) = match kind {
            Kind::Pointer => {
                let _ = writeln!(out, "using Buffer = {item} *;\n");
                ("b", "return from;".to_owned())
            }
            Kind::Vector => {
                let _ = writeln!(out, "using Buffer = std::vector<{item}>;\n");
                ("b.data()", format!("return Buffer(from, from + {points});"))
            }
            Kind::Unique => {
                let _ = writeln!(out, "using Buffer = std::unique_ptr<{item}[]>;\n");
                let copy = format!(
                    "Buffer b(new {item}[{points} + 1]);\n    std::copy(from, from + {points}, b.get());\n    return b;"
                );
                ("b.get()", copy)
            }
            Kind::Class | Kind::View => {
                out += &self.grid_class();
                let all = SMALL[..self.p.dims].join(", ");
                ("b.all()", format!("return Buffer(from, {all});"))
            }
            Kind::Nested => {
                let (t, make) = nested(item, self.p.dims);
                let _ = writeln!(out, "using Buffer = {t};\n");
                ("", make)
            }
            Kind::Static => {
                out += &self.static_type();
                ("&b[0]", String::new())
            }
        };
        if kind != Kind::Static {
            let _ = write!(out, "static Buffer make({item} *from{sizes})\n{{\n    {make}\n}}\n\n");
        }
        out += &match kind {
            Kind::Nested => NESTED[self.p.dims - 1].replace("ITEM", item),
            Kind::Static => STATIC.to_owned(),
            _ => WHOLE.replace("POINTER", pointer).replace("ITEM", item),
        };
        out
    }

    fn static_type(&self) -> String {
        let sizes = self.plain_sizes();
        if self.p.ways.often(ARRAYS, 50) {
            let array = |inner: String, n: &String| format!("std::array<{inner}, {n}>");
            let t = sizes.iter().rev().fold("Element".to_owned(), array);
            return format!("using Buffer = {t};\n\n");
        }
        let all: String = sizes.iter().map(|n| format!("[{n}]")).collect();
        format!("using Buffer = Element{all};\n\n")
    }

    /// A class with an accessor, which owns its elements in one of two ways, or is a view.
    fn grid_class(&self) -> String {
        let (item, counter) = (self.item(), self.counter());
        let index = if self.p.ways.often(ARRAYS, 40) { "std::size_t" } else { counter };
        let all = &SMALL[..self.p.dims];
        let formal: String = all.iter().map(|n| format!(", {counter} {n}")).collect();
        let taken: String = all.iter().map(|n| format!(", {n}({n})")).collect();
        let subscripts: Vec<String> =
            COUNTERS[..self.p.dims].iter().map(|x| format!("{index} {x}")).collect();
        let subscripts = subscripts.join(", ");
        let at = ["i", "i * m + j", "(i * m + j) * l + k"][self.p.dims - 1];
        let points: Vec<String> = all.iter().map(|n| format!("std::size_t({n})")).collect();
        let points = points.join(" * ");
        let unique = self.p.ways.often(OWNED, 50);
        let (held, start, pointer) = match (self.kind(), unique) {
            (Kind::View, _) => (format!("{item} *"), "held(from)".to_owned(), "held"),
            (_, true) => (
                format!("std::unique_ptr<{item}[]> "),
                format!("held(new {item}[{points} + 1])"),
                "held.get()",
            ),
            (_, false) => (
                format!("std::vector<{item}> "),
                format!("held(from, from + {points})"),
                "held.data()",
            ),
        };
        let copied = self.kind() == Kind::Class && unique;
        let body = if copied {
            format!("{{ std::copy(from, from + {points}, held.get()); }}")
        } else {
            "{}".to_owned()
        };
        let more = if copied {
            let handed: String = all.iter().map(|n| format!(", o.{n}")).collect();
            format!(
                "    Buffer(const Buffer &o) : Buffer(o.held.get(){handed}) {{}}\n    \
                 Buffer(Buffer &&) = default;\n    \
                 Buffer &operator=(Buffer &&) = default;\n    \
                 Buffer &operator=(const Buffer &o)\n    {{\n        \
                 std::copy(o.held.get(), o.held.get() + {points}, held.get());\n        return *this;\n    }}\n"
            )
        } else {
            String::new()
        };
        let const_pointer = if copied { "const " } else { "" };
        format!(
            "class Buffer {{\n  public:\n    \
             Buffer({const_pointer}{item} *from{formal}) : {start}{taken} {body}\n{more}    \
             {item} &operator()({subscripts}) {{ return held[{at}]; }}\n    \
             const {item} &operator()({subscripts}) const {{ return held[{at}]; }}\n    \
             {item} *all() {{ return {pointer}; }}\n    \
             const {item} *all() const {{ return {pointer}; }}\n\n  private:\n    \
             {held}held;\n\n  public:\n    {counter} {};\n}};\n\n",
            all.join(", ")
        )
    }

    fn statics(&self) -> String {
        let mut out = String::new();
        if self.kind() != Kind::Static {
            return out;
        }
        for f in 0..self.p.grids() {
            for name in self.declared(f) {
                let _ = writeln!(out, "static Buffer {name};");
            }
        }
        out + "\n"
    }

    /// Declarators of a field's buffers.
    fn declared(&self, field: usize) -> Vec<String> {
        let buffers = self.p.buffers_of(field);
        if self.p.is_indexed(buffers) {
            return vec![format!("{}[{buffers}]", self.p.stem(field))];
        }
        let held = if self.p.idiom == Idiom::Fresh { 1 } else { buffers };
        LEVELS.iter().take(held).map(|level| self.p.buffer(field, *level)).collect()
    }

    fn class(&self, run: &str) -> String {
        let mut members = Lines::at(1);
        let mut formal = Vec::new();
        let mut taken = Vec::new();
        for f in 0..self.p.grids() {
            for declared in self.declared(f) {
                members.line(&format!("Buffer {declared};"));
                let base = declared.split('[').next().expect("a name").to_owned();
                let slots = if declared.contains('[') { self.p.buffers_of(f) } else { 0 };
                if slots == 0 {
                    formal.push(format!("Buffer &&{base}_"));
                    taken.push(format!("{base}(std::move({base}_))"));
                } else {
                    let all = (0..slots).map(|k| format!("std::move({base}_{k})"));
                    taken.push(format!("{base}{{{}}}", all.collect::<Vec<_>>().join(", ")));
                    formal.extend((0..slots).map(|k| format!("Buffer &&{base}_{k}")));
                }
            }
        }
        if self.p.extents.is_none() {
            for small in &SMALL[..self.p.dims] {
                members.line(&format!("{} {small};", self.counter()));
                formal.push(format!("{} {small}", self.counter()));
                taken.push(format!("{small}({small})"));
            }
        }
        let run_formal: Vec<String> =
            self.run_arguments().into_iter().map(|n| n.declared).collect();
        let helpers = indented(&self.helpers);
        let run = indented(run);
        let inline =
            if self.p.style.home == Home::External { "__attribute__((noinline)) " } else { "" };
        format!(
            "struct Simulation {{\n{}\n    Simulation({}) : {} {{}}\n\n{helpers}    \
             {inline}void run({})\n    {{\n{run}    }}\n}};\n\n",
            members.text,
            formal.join(", "),
            taken.join(", "),
            run_formal.join(", ")
        )
    }

    fn run_arguments(&self) -> Vec<Name> {
        let mut all = Vec::new();
        let mut name = |declared: String, actual: &str| {
            all.push(Name { name: String::new(), declared, actual: actual.to_owned() });
        };
        if self.p.extents.is_none() && !self.members() && !self.far() {
            SMALL[..self.p.dims]
                .iter()
                .for_each(|small| name(format!("{} {small}", self.counter()), small));
        }
        if !self.members() && self.kind() != Kind::Static {
            for f in 0..self.p.grids() {
                for declared in self.declared(f) {
                    let base = declared.split('[').next().expect("a name").to_owned();
                    name(self.handed(&declared, &base), &base);
                }
            }
        }
        for (i, input) in self.p.inputs.iter().enumerate() {
            let t = if input.mask { "int" } else { "Element" };
            name(self.values(t, INPUTS[i], true), INPUTS[i]);
        }
        name("Value alpha".to_owned(), "alpha");
        name("int steps".to_owned(), "steps");
        name("double *kept".to_owned(), "kept");
        name(self.values("Element", "series", true), "series");
        name(self.values("Element", "trace", false), "trace");
        all
    }

    /// How the time loop's function gets a buffer: by reference, or a pointer.
    fn handed(&self, declared: &str, base: &str) -> String {
        let array = declared.strip_prefix(base).unwrap_or("");
        let value =
            matches!(self.kind(), Kind::Pointer | Kind::View) && !self.p.ways.often(HANDED, 30);
        match (array, value) {
            ("", true) => format!("Buffer {base}"),
            ("", false) => format!("Buffer &{base}"),
            (slots, _) => format!("Buffer (&{base}){slots}"),
        }
    }

    fn main(&self, least: [i32; 3]) -> String {
        let mut out = Lines::at(2);
        if self.p.extents.is_none() {
            for (d, told) in ["c.nx", "c.ny", "c.nz"].iter().enumerate().take(self.p.dims) {
                let (t, small, least) = (self.counter(), SMALL[d], least[d]);
                out.line(&format!("const {t} {small} = {told} > {least} ? {told} : {least};"));
            }
        }
        let points: Vec<String> =
            self.plain_sizes().iter().map(|n| format!("std::size_t({n})")).collect();
        out.line(&format!("const std::size_t points = {};", points.join(" * ")));
        out.line("const int steps = c.steps;");
        out.line(match self.real() {
            true => "const Value alpha = c.steps > 3 ? 0.25 : 0.2;",
            false => "const Value alpha = c.steps > 3 ? 3 : 2;",
        });
        let back = self.allocate(&mut out);
        let mut spills = self.rows_of_values(&points, &mut out);
        spills.extend(back);
        self.call(&mut out);
        spills.iter().for_each(|line| out.line(line));
        out.line("corpus_end();");
        format!(
            "int main(int argc, char **argv)\n{{\n    corpus_case c;\n    \
             while (corpus_next(&c, argc, argv)) {{\n{}    }}\n    return 0;\n}}\n",
            out.text
        )
    }

    /// Inputs, series and trace; gives what brings them back.
    fn rows_of_values(&self, points: &[String], out: &mut Lines) -> Vec<String> {
        let mut back = Vec::new();
        let mut row = |t: &str, letter: char, name: &str, count: &str, out: &mut Lines| {
            let vectors = self.p.ways.often(VECTORS, 50);
            let at = if vectors { format!("{name}_at") } else { name.to_owned() };
            out.line(&format!(
                "auto *{at} = static_cast<{t} *>(corpus_array(\"{name}\", '{letter}', {count}));"
            ));
            if vectors {
                out.line(&format!("std::vector<{t}> {name}({at}, {at} + {count});"));
                back.push(format!("std::copy({name}.begin(), {name}.end(), {at});"));
            }
        };
        for (i, input) in self.p.inputs.iter().enumerate() {
            let count = input.axis.map_or("points".to_owned(), |d| points[d].clone());
            let (t, letter) = if input.mask { ("int", 'i') } else { ("Element", self.letter()) };
            row(t, letter, INPUTS[i], &count, out);
        }
        for name in ["trace", "series"] {
            let count = "(steps > 0 ? std::size_t(steps) + 1 : 1)";
            row("Element", self.letter(), name, count, out);
        }
        out.line("double *kept = corpus_doubles(\"kept\", 9);");
        out.line("std::fill_n(kept, 9, 0.0);");
        back
    }

    /// The call, now and then within a block that catches.
    fn call(&self, out: &mut Lines) {
        let all = self.run_arguments().into_iter().map(|n| n.actual).collect::<Vec<_>>();
        let object = if self.members() { "simulation." } else { "" };
        let call = format!("{object}run({});", all.join(", "));
        if self.p.ways.often(THROWS, 25) {
            out.open("try {");
            out.line(&call);
            out.shut("} catch (const std::exception &) {");
            out.deeper();
            out.line("kept[0] = -1.0;");
            out.shut("}");
        } else {
            out.line(&call);
        }
    }

    /// Buffers over the corpus's memory; gives what brings them back.
    fn allocate(&self, out: &mut Lines) -> Vec<String> {
        let (item, letter) = (self.item(), self.letter());
        let many = if self.cells() { self.p.fields.len() } else { 1 };
        let sizes = self.plain_sizes().join(", ");
        let memory = |name: &str| {
            format!(
                "auto *{name}_at = ({item} *)corpus_array(\"{name}\", '{letter}', points * {many});"
            )
        };
        let mut back = Vec::new();
        let mut handed = Vec::new();
        let mut before = 0;
        if self.p.storage == Storage::OneBlock {
            let total: usize = (0..self.p.grids()).map(|f| self.p.buffers_of(f)).sum();
            out.line(&format!(
                "auto *block = ({item} *)corpus_array(\"block\", '{letter}', points * {total});"
            ));
        }
        for f in 0..self.p.grids() {
            for declared in self.declared(f) {
                let base = declared.split('[').next().expect("a name");
                if self.kind() == Kind::Static {
                    out.line(&format!(
                        "corpus_own(\"{base}\", '{letter}', &{base}, sizeof {base});"
                    ));
                    continue;
                }
                let slots = if declared.contains('[') { self.p.buffers_of(f) } else { 1 };
                let made: Vec<String> = (0..slots)
                    .map(|slot| {
                        if self.p.storage == Storage::OneBlock {
                            before += 1;
                            return format!("make(block + {} * points, {sizes})", before - 1);
                        }
                        let name =
                            if slots == 1 { base.to_owned() } else { format!("{base}{slot}") };
                        out.line(&memory(&name));
                        let holder = match (self.members(), slots) {
                            (true, 1) => format!("simulation.{base}"),
                            (true, _) => format!("simulation.{base}[{slot}]"),
                            (false, 1) => base.to_owned(),
                            (false, _) => format!("{base}[{slot}]"),
                        };
                        back.push(format!("spill({holder}, {name}_at, points);"));
                        format!("make({name}_at, {sizes})")
                    })
                    .collect();
                match (self.members(), slots) {
                    (true, _) => handed.extend(made),
                    (false, 1) => out.line(&format!("Buffer {declared} = {};", made[0])),
                    (false, _) => {
                        out.line(&format!("Buffer {declared} = {{{}}};", made.join(", ")));
                    }
                }
            }
        }
        if self.members() {
            if self.p.extents.is_none() {
                handed.push(sizes);
            }
            out.line(&format!("Simulation simulation({});", handed.join(", ")));
        }
        if matches!(self.kind(), Kind::Pointer | Kind::View | Kind::Static) {
            back.clear();
        }
        back
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

/// Vectors of vectors: the type, and how one is made.
fn nested(item: &str, dims: usize) -> (String, String) {
    let row = format!("std::vector<{item}>");
    match dims {
        1 => (row, "return Buffer(from, from + n);".to_owned()),
        2 => (
            format!("std::vector<{row}>"),
            "Buffer b;\n    for (std::size_t i = 0; i < n; i++)\n        \
             b.emplace_back(from + i * m, from + (i + 1) * m);\n    return b;"
                .to_owned(),
        ),
        _ => (
            format!("std::vector<std::vector<{row}>>"),
            format!(
                "Buffer b(n, std::vector<{row}>(m, {row}(l)));\n    \
                 for (std::size_t i = 0; i < n; i++)\n        \
                 for (std::size_t j = 0; j < m; j++)\n            \
                 std::copy(from + (i * m + j) * l, from + (i * m + j + 1) * l, b[i][j].begin());\n    \
                 return b;"
            ),
        ),
    }
}

const HEAD: &str = "#include \"corpus.h\"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

";

const RANGE: &str = "class Range {
  public:
    class Iterator {
      public:
        explicit Iterator(COUNTER at) : at(at) {}
        COUNTER operator*() const { return at; }
        Iterator &operator++() { ++at; return *this; }
        bool operator!=(const Iterator &o) const { return at < o.at; }

      private:
        COUNTER at;
    };
    Range(COUNTER from, COUNTER to) : from(from), to(to) {}
    Iterator begin() const { return Iterator(from); }
    Iterator end() const { return Iterator(to); }

  private:
    COUNTER from, to;
};

";

const WHOLE: &str =
    "[[maybe_unused]] static void spill(const Buffer &b, ITEM *to, std::size_t points)
{
    std::copy(POINTER, POINTER + points, to);
}

[[maybe_unused]] static void clear(Buffer &b, std::size_t points)
{
    std::fill_n(POINTER, points, ITEM());
}

[[maybe_unused]] static void duplicate(const Buffer &b, Buffer &to, std::size_t points)
{
    const ITEM *from = POINTER;
    {
        Buffer &b = to;
        std::copy(from, from + points, POINTER);
    }
}

";

const STATIC: &str = "[[maybe_unused]] static void clear(Buffer &b, std::size_t)
{
    memset(&b, 0, sizeof b);
}

[[maybe_unused]] static void duplicate(const Buffer &b, Buffer &to, std::size_t)
{
    memcpy(&to, &b, sizeof b);
}

";

const NESTED: [&str; 3] = [
    "[[maybe_unused]] static void spill(const Buffer &b, ITEM *to, std::size_t)
{
    std::copy(b.begin(), b.end(), to);
}

[[maybe_unused]] static void clear(Buffer &b, std::size_t)
{
    std::fill(b.begin(), b.end(), ITEM());
}

[[maybe_unused]] static void duplicate(const Buffer &b, Buffer &to, std::size_t)
{
    std::copy(b.begin(), b.end(), to.begin());
}

",
    "[[maybe_unused]] static void spill(const Buffer &b, ITEM *to, std::size_t)
{
    for (const auto &row : b)
        to = std::copy(row.begin(), row.end(), to);
}

[[maybe_unused]] static void clear(Buffer &b, std::size_t)
{
    for (auto &row : b)
        std::fill(row.begin(), row.end(), ITEM());
}

[[maybe_unused]] static void duplicate(const Buffer &b, Buffer &to, std::size_t)
{
    for (std::size_t i = 0; i < b.size(); i++)
        std::copy(b[i].begin(), b[i].end(), to[i].begin());
}

",
    "[[maybe_unused]] static void spill(const Buffer &b, ITEM *to, std::size_t)
{
    for (const auto &plane : b)
        for (const auto &row : plane)
            to = std::copy(row.begin(), row.end(), to);
}

[[maybe_unused]] static void clear(Buffer &b, std::size_t)
{
    for (auto &plane : b)
        for (auto &row : plane)
            std::fill(row.begin(), row.end(), ITEM());
}

[[maybe_unused]] static void duplicate(const Buffer &b, Buffer &to, std::size_t)
{
    for (std::size_t i = 0; i < b.size(); i++)
        for (std::size_t j = 0; j < b[i].size(); j++)
            std::copy(b[i][j].begin(), b[i][j].end(), to[i][j].begin());
}

",
];
