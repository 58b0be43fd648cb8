//! Writes a program in Fortran, with `corpus/fortran/corpus.f90` for its cases: explicit and assumed shapes, allocatables,
//! pointers, derived types and variables of modules; loops, sections, `where`, `do concurrent`, reductions.
//!
//! Storage is read as Fortran has it: a block is planes of one array, rows are allocatables of a module, members are those
//! of a derived type. A sweep that is written as a section means something else than the loop where it reads what it
//! sets; both compilers get the same text. Grids of bytes hold seven bits, since integers have a sign.

use super::program::*;
use super::text::*;
use std::fmt::Write as _;

/// The whole file.
pub fn write(program: &Program) -> String {
    let least = super::sound::least(program).unwrap_or([0; 3]);
    let mut writer = Writer { p: program, procedures: String::new() };
    let run = writer.run();
    writer.file(least, &run)
}

/// The ways that Fortran has beside those of all languages, each a number of the program's.
const HOLDER: usize = 0;
const ORDER: usize = 1;
const BASE: usize = 2;
const SECTIONS: usize = 3;
const CONCURRENT: usize = 4;
const SHAPES: usize = 5;
const MEMBERS: usize = 6;
const COPIES: usize = 7;
const ASSOCIATE: usize = 8;
const MOVES: usize = 9;
const PRINTS: usize = 10;

/// How the time loop gets at its grids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Explicit,
    Assumed,
    /// Pointers of the time loop's own to grids that it is handed.
    Pointer,
    Allocatable,
    Members,
    Module,
    ModuleAllocatable,
}

/// From where grids are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Loop { turn: usize },
    Function,
}

/// An element, or a section.
#[derive(Clone, Copy)]
struct Scope<'a> {
    axes: &'a [Axis],
    view: View,
    section: bool,
}

/// A name that procedures may be handed.
struct Name {
    name: String,
    declared: String,
    actual: String,
}

struct Writer<'a> {
    p: &'a Program,
    procedures: String,
}

const SMALL: [&str; 3] = ["n", "m", "l"];
const LEVELS: [Level; 3] = [Level::Now, Level::Next, Level::Old];

impl Writer<'_> {
    fn way(&self, way: usize, count: usize) -> usize {
        self.p.ways.below(way, count)
    }

    fn kind(&self) -> Kind {
        let swap = self.p.idiom == Idiom::Swap;
        let moved = if swap { [Kind::Pointer; 2] } else { [Kind::Explicit, Kind::Assumed] };
        match self.p.storage {
            Storage::Flat | Storage::Structures => {
                [moved[0], Kind::Allocatable, moved[1]][self.way(HOLDER, 3)]
            }
            Storage::OneBlock => moved[0],
            Storage::Vla => moved[1],
            Storage::Static => Kind::Module,
            Storage::Rows(_) => Kind::ModuleAllocatable,
            Storage::Members => Kind::Members,
        }
    }

    fn cells(&self) -> bool {
        self.p.storage == Storage::Structures
    }

    fn block(&self) -> bool {
        self.p.storage == Storage::OneBlock
    }

    fn real(&self) -> bool {
        self.p.element.is_real()
    }

    fn long(&self) -> bool {
        matches!(self.p.style.counter, Counter::Long | Counter::Size)
    }

    fn counter(&self) -> &'static str {
        if self.long() { "integer(int64)" } else { "integer" }
    }

    /// A whole number of the counters' kind.
    fn literal(&self, n: i32) -> String {
        if self.long() { format!("{n}_int64") } else { n.to_string() }
    }

    /// The first subscript.
    fn base(&self) -> i32 {
        i32::from(!self.p.ways.often(BASE, 25))
    }

    fn element(&self) -> &'static str {
        match self.p.element {
            Element::Float | Element::Double => "real(wp)",
            Element::Int => "integer",
            Element::Byte => "integer(int8)",
        }
    }

    /// What grids are made of.
    fn item(&self) -> &'static str {
        if self.cells() { "type(cell_of_grid)" } else { self.element() }
    }

    fn value(&self) -> &'static str {
        if self.real() { "real(wp)" } else { "integer" }
    }

    // Where elements lie.

    fn far(&self) -> bool {
        self.kind() == Kind::Members && self.p.style.far && self.p.extents.is_none()
    }

    fn size(&self, dim: usize, view: View) -> String {
        match view {
            View::Loop { .. } if self.far() => format!("g%{}", SMALL[dim]),
            _ => SMALL[dim].to_owned(),
        }
    }

    /// Dimensions in the order of subscripts: mostly the innermost loop's comes first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.p.dims).collect();
        if !self.p.ways.often(ORDER, 12) {
            order.reverse();
        }
        order
    }

    /// The bounds of a grid.
    fn bounds(&self) -> String {
        let one = |d: &usize| match self.base() {
            1 => SMALL[*d].to_owned(),
            _ => format!("0:{} - 1", SMALL[*d]),
        };
        self.order().iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// Bounds of which only the lower ones are said.
    fn open_bounds(&self) -> String {
        let one = if self.base() == 1 { ":" } else { "0:" };
        vec![one; self.p.dims].join(", ")
    }

    fn colons(&self, rank: usize) -> String {
        vec![":"; rank].join(", ")
    }

    /// Whether the slots of a step have names.
    fn associated(&self) -> bool {
        self.base() == 1 && self.p.is_indexed(self.p.buffers()) && self.p.ways.often(ASSOCIATE, 30)
    }

    fn slot(&self, buffers: usize, level: Level) -> String {
        match (self.p.idiom, level) {
            (Idiom::Turn, Level::Now) => "now".to_owned(),
            (Idiom::Turn, Level::Next) => "next".to_owned(),
            (Idiom::Turn, Level::Old) => "old".to_owned(),
            (_, Level::Now) => format!("mod(t, {buffers})"),
            (_, Level::Next) => format!("mod(t + 1, {buffers})"),
            (_, Level::Old) => format!("mod(t + 2, {buffers})"),
        }
    }

    /// What precedes names of buffers.
    fn reach(&self) -> &'static str {
        if self.kind() == Kind::Members { "g%" } else { "" }
    }

    /// A grid's name, and the subscript behind those of the point.
    fn grid(&self, field: usize, level: Level, view: View) -> (String, Option<String>) {
        let buffers = self.p.buffers_of(field);
        let level = match (view, level) {
            (View::Loop { turn: 1 }, Level::Now) if buffers > 1 => Level::Next,
            (View::Loop { turn: 1 }, Level::Next) => Level::Now,
            (_, level) => level,
        };
        let name = self.p.buffer(field, level);
        if view == View::Function {
            return (name, None);
        }
        if self.p.is_indexed(buffers) {
            if self.associated() {
                return (format!("{name}_here"), None);
            }
            let slot = self.slot(buffers, level);
            if self.block() {
                let first = self.plane(field, Level::Now);
                return ("block".to_owned(), Some(format!("{first} + {slot}")));
            }
            return (format!("{}{}", self.reach(), self.p.stem(field)), Some(slot));
        }
        if self.block() && self.kind() != Kind::Pointer {
            return ("block".to_owned(), Some(self.plane(field, level).to_string()));
        }
        (format!("{}{name}", self.reach()), None)
    }

    /// Where a buffer lies in the block.
    fn plane(&self, field: usize, level: Level) -> usize {
        let before: usize = (0..field).map(|f| self.p.buffers_of(f)).sum();
        let slot = LEVELS.iter().position(|l| *l == level).expect("one of three");
        1 + before + slot
    }

    /// All of a grid.
    fn whole_grid(&self, field: usize, level: Level, view: View) -> String {
        match self.grid(field, level, view) {
            (name, None) => name,
            (name, Some(slot)) => format!("{name}({}, {slot})", self.colons(self.p.dims)),
        }
    }

    fn spot(&self, dim: usize, spot: Spot, offset: i32, view: View) -> String {
        let (n, b) = (self.size(dim, view), self.base());
        match spot {
            Spot::Front(k) => (k + offset + b).to_string(),
            Spot::Back(k) => format!("{n}{}", signed(b - 1 - k + offset)),
            Spot::Middle => format!("{n}/2{}", signed(offset + b)),
        }
    }

    fn subscript(&self, dim: usize, index: Index, scope: Scope) -> String {
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
            (Index::Wrap(o), _) if o > 0 => format!("mod({x}{}, {n}){}", signed(o - b), signed(b)),
            (Index::Wrap(o), _) => format!("modulo({x}{}, {n}){}", signed(o - b), signed(b)),
            (Index::Clamp(o), _) if o > 0 => {
                format!("min({x} + {o}, {n}{})", signed(b - 1))
            }
            (Index::Clamp(o), _) => format!("max({x} - {}, {})", -o, self.literal(b)),
        }
    }

    fn subscripts(&self, at: &[Index], scope: Scope) -> String {
        let all = self.order().into_iter().map(|d| self.subscript(d, at[d], scope));
        all.collect::<Vec<_>>().join(", ")
    }

    fn place(&self, place: &Place, scope: Scope) -> String {
        let (name, slot) = self.grid(place.field, place.level, scope.view);
        let slot = slot.map_or(String::new(), |slot| format!(", {slot}"));
        let text = format!("{name}({}{slot})", self.subscripts(&place.at, scope));
        if self.cells() { format!("{text}%{}", FIELDS[place.field]) } else { text }
    }

    fn input(&self, input: usize, at: &[Index], scope: Scope) -> String {
        let name = INPUTS[input];
        match self.p.inputs[input].axis {
            Some(d) => format!("{name}({})", self.subscript(d, at[d], scope)),
            None => format!("{name}({})", self.subscripts(at, scope)),
        }
    }

    // Expressions and conditions.

    fn number(&self, n: i32) -> String {
        let text = match self.real() {
            true => format!("{:?}_wp", f64::from(n) / 100.0),
            false => n.to_string(),
        };
        if n < 0 { format!("({text})") } else { text }
    }

    fn load(&self, text: String) -> String {
        if self.p.element == Element::Byte { format!("int({text})") } else { text }
    }

    fn expr(&self, expr: &Expr, scope: Scope) -> String {
        let of = |e: &Expr| self.expr(e, scope);
        match expr {
            Expr::Number(n) => self.number(*n),
            Expr::Load(place) => self.load(self.place(place, scope)),
            Expr::Input(input, at) => self.load(self.input(*input, at, scope)),
            Expr::Local(local) => format!("x{local}"),
            Expr::Scalar(Scalar::Alpha) => "alpha".to_owned(),
            Expr::Scalar(Scalar::Step) if self.real() => "real(mod(t, 16), wp)".to_owned(),
            Expr::Scalar(Scalar::Step) => "mod(t, 16)".to_owned(),
            Expr::Scalar(Scalar::Wave) => "wave".to_owned(),
            Expr::Scalar(Scalar::Series) => self.load("series(t)".to_owned()),
            Expr::Scalar(Scalar::Collected) => "before".to_owned(),
            Expr::Coordinate(d) => {
                let x = self.coordinate(*d, scope);
                if self.real() { format!("real({x}, wp)") } else { format!("int({x})") }
            }
            Expr::Unary(Unary::Negate, a) => format!("(-{})", of(a)),
            Expr::Unary(Unary::Absolute, a) => format!("abs({})", of(a)),
            Expr::Unary(_, a) if !self.real() => of(a),
            Expr::Unary(Unary::Root, a) => format!("sqrt(abs({}))", of(a)),
            Expr::Unary(Unary::Floor, a) => format!("aint({})", of(a)),
            Expr::Unary(Unary::Sine, a) => format!("sin({})", of(a)),
            Expr::Binary(op, a, b) => self.binary(*op, &of(a), &of(b)),
            Expr::Whole(op, a, k) => whole(*op, &of(a), *k),
            Expr::Choose(when, a, b) => {
                format!("merge({}, {}, {})", of(a), of(b), self.cond(when, scope))
            }
        }
    }

    /// Counted from 0.
    fn coordinate(&self, dim: usize, scope: Scope) -> String {
        match scope.axes[dim] {
            Axis::Span { .. } => format!("{}{}", COUNTERS[dim], signed(-self.base())),
            Axis::At(spot) => {
                format!("{}{}", self.spot(dim, spot, 0, scope.view), signed(-self.base()))
            }
        }
    }

    fn binary(&self, op: Binary, a: &str, b: &str) -> String {
        let one = self.number(if self.real() { 100 } else { 1 });
        match op {
            Binary::Add => format!("({a} + {b})"),
            Binary::Subtract => format!("({a} - {b})"),
            Binary::Multiply => format!("({a}*{b})"),
            Binary::Divide => format!("({a}/({one} + abs({b})))"),
            Binary::Least => format!("min({a}, {b})"),
            Binary::Most => format!("max({a}, {b})"),
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
                format!("{} < {}/2", self.coordinate(*d, scope), self.size(*d, scope.view))
            }
            Cond::Even { step } => {
                let mut sum: Vec<String> =
                    (0..self.p.dims).map(|d| self.coordinate(d, scope)).collect();
                sum.extend(step.then(|| "t".to_owned()));
                let whole = scope.axes.iter().all(|axis| matches!(axis, Axis::At(_)));
                let two = if whole { "2".to_owned() } else { self.literal(2) };
                match whole {
                    true => format!("mod(int({}), {two}) == 0", sum.join(" + ")),
                    false => format!("mod({}, {two}) == 0", sum.join(" + ")),
                }
            }
            Cond::Mask(input, at) => {
                let zero = if self.p.inputs[*input].mask { "0" } else { &self.number(0) };
                format!("{} > {zero}", self.input(*input, at, scope))
            }
            Cond::Not(a) => format!(".not. ({})", also(a)),
            Cond::And(a, b) => format!("({}) .and. ({})", also(a), also(b)),
            Cond::Or(a, b) => format!("({}) .or. ({})", also(a), also(b)),
        }
    }

    fn inside(&self, margins: &[(i32, i32)], scope: Scope) -> String {
        let mut all = Vec::new();
        for (d, (lo, hi)) in margins.iter().enumerate() {
            let (x, b) = (COUNTERS[d], self.base());
            let fixed = matches!(scope.axes[d], Axis::At(_));
            let x = if fixed { self.subscript(d, Index::Near(0), scope) } else { x.to_owned() };
            all.extend((*lo > 0).then(|| format!("{x} >= {}", lo + b)));
            let n = self.size(d, scope.view);
            all.extend((*hi > 0).then(|| format!("{x} < {n}{}", signed(b - hi))));
        }
        if all.is_empty() { ".true.".to_owned() } else { all.join(" .and. ") }
    }

    // Statements, and the loops around them.

    fn stmt(&self, stmt: &Stmt, scope: Scope, out: &mut Lines) {
        match stmt {
            Stmt::Let(local, value) => {
                out.line(&format!("x{local} = {}", self.expr(value, scope)));
            }
            Stmt::Store { place, add, value } => self.store(place, *add, value, scope, out),
            Stmt::If { when, then, other } => {
                let skips = self.p.style.continues && other.is_empty() && loops(scope.axes);
                if skips && !scope.section {
                    out.line(&format!("if (.not. ({})) cycle", self.cond(when, scope)));
                    return then.iter().for_each(|s| self.stmt(s, scope, out));
                }
                let word = if scope.section { "where" } else { "if" };
                let opened = if scope.section { "" } else { " then" };
                out.open(&format!("{word} ({}){opened}", self.cond(when, scope)));
                then.iter().for_each(|s| self.stmt(s, scope, out));
                if !other.is_empty() {
                    out.shut(&format!("else{}", if scope.section { "where" } else { "" }));
                    out.deeper();
                    other.iter().for_each(|s| self.stmt(s, scope, out));
                }
                out.shut(&format!("end {word}"));
            }
            Stmt::Fold(fold, value) if scope.section => {
                self.reduction(*fold, &self.expr(value, scope), out);
            }
            Stmt::Fold(fold, value) => self.fold(*fold, &self.expr(value, scope), out),
        }
    }

    fn store(&self, place: &Place, add: bool, value: &Expr, scope: Scope, out: &mut Lines) {
        let target = self.place(place, scope);
        let mut value = self.expr(value, scope);
        if add {
            value = format!("{} + {value}", self.load(target.clone()));
        }
        if self.p.element == Element::Byte {
            value = format!("int(iand({value}, 127), int8)");
        }
        out.line(&format!("{target} = {value}"));
    }

    fn fold(&self, fold: usize, value: &str, out: &mut Lines) {
        let small = self.number(1);
        let result = format!("r{fold}");
        out.line(&match self.p.folds[fold].collects {
            Collects::Most => format!("{result} = max({result}, {value})"),
            Collects::Least => format!("{result} = min({result}, {value})"),
            Collects::Sum => format!("{result} = {result} + {value}"),
            Collects::Flag => format!("if ({value} > {small}) {result} = 1"),
            Collects::Count => format!("if ({value} > {small}) {result} = {result} + 1"),
        });
    }

    /// The same of a whole array.
    fn reduction(&self, fold: usize, values: &str, out: &mut Lines) {
        let small = self.number(1);
        let result = format!("r{fold}");
        out.line(&match self.p.folds[fold].collects {
            Collects::Most => format!("{result} = max({result}, maxval({values}))"),
            Collects::Least => format!("{result} = min({result}, minval({values}))"),
            Collects::Sum => format!("{result} = {result} + sum({values})"),
            Collects::Flag => format!("if (any({values} > {small})) {result} = 1"),
            Collects::Count => format!("{result} = {result} + count({values} > {small})"),
        });
    }

    fn fold_type(&self, fold: usize) -> &'static str {
        match self.p.folds[fold].collects {
            Collects::Most | Collects::Least => self.value(),
            Collects::Sum if self.real() => self.value(),
            Collects::Sum => "integer(int64)",
            Collects::Flag | Collects::Count => "integer",
        }
    }

    fn fold_start(&self, fold: usize) -> String {
        match self.p.folds[fold].collects {
            Collects::Least => self.number(10_000),
            Collects::Most => self.number(-10_000),
            Collects::Sum | Collects::Flag | Collects::Count => "0".to_owned(),
        }
    }

    fn loops(&self, sweep: &Sweep, view: View, out: &mut Lines) {
        let scope = Scope { axes: &sweep.axes, view, section: false };
        if self.p.ways.often(SECTIONS, 35) && self.sectionable(sweep) {
            let scope = Scope { section: loops(&sweep.axes), ..scope };
            return sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
        }
        let mut order: Vec<usize> = (0..self.p.dims).collect();
        if sweep.swapped {
            order.reverse();
        }
        order.retain(|d| matches!(sweep.axes[*d], Axis::Span { .. }));
        let heads: Vec<(String, String, String, bool)> =
            order.iter().map(|d| self.head(*d, sweep.axes[*d], view)).collect();
        let concurrent = self.p.ways.often(CONCURRENT, 15) && independent(sweep);
        if concurrent && !heads.is_empty() {
            let all: Vec<String> =
                heads.iter().map(|(x, lo, hi, _)| format!("{x} = {lo}:{hi}")).collect();
            out.open(&format!("do concurrent ({})", all.join(", ")));
            sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
            return out.shut("end do");
        }
        for (x, lo, hi, down) in &heads {
            out.open(&match down {
                false => format!("do {x} = {lo}, {hi}"),
                true => format!("do {x} = {hi}, {lo}, -1"),
            });
        }
        sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
        heads.iter().for_each(|_| out.shut("end do"));
    }

    /// A loop's counter, its bounds, and whether it counts down.
    fn head(&self, dim: usize, axis: Axis, view: View) -> (String, String, String, bool) {
        let Axis::Span { lo, hi, down } = axis else { unreachable!("only spans have loops") };
        let (n, b) = (self.size(dim, view), self.base());
        let hi = format!("{n}{}", signed(b - 1 - hi));
        (COUNTERS[dim].to_owned(), (lo + b).to_string(), hi, down)
    }

    /// Whether a sweep can be said with sections.
    fn sectionable(&self, sweep: &Sweep) -> bool {
        sweep.body.iter().all(|s| self.stmt_sections(s, &sweep.axes, true))
    }

    fn stmt_sections(&self, stmt: &Stmt, axes: &[Axis], outer: bool) -> bool {
        match stmt {
            Stmt::Let(..) => false,
            Stmt::Store { place, value, .. } => near(&place.at) && self.rank(value, axes).is_some(),
            Stmt::If { when, then, other } => {
                outer
                    && loops(axes)
                    && self.cond_rank(when, axes) == Some(true)
                    && !then.is_empty()
                    && then
                        .iter()
                        .chain(other)
                        .all(|s| !matches!(s, Stmt::Fold(..)) && self.stmt_sections(s, axes, false))
            }
            Stmt::Fold(_, value) => self.rank(value, axes) == Some(true) || !loops(axes),
        }
    }

    /// Whether an expression is an array in a section's scope; `None` if it can't stand there.
    fn rank(&self, expr: &Expr, axes: &[Axis]) -> Option<bool> {
        let both = |a: &Expr, b: &Expr| Some(self.rank(a, axes)? | self.rank(b, axes)?);
        match expr {
            Expr::Number(_) | Expr::Scalar(_) => Some(false),
            Expr::Load(place) => rank_of(&place.at, axes),
            Expr::Input(input, at) => match self.p.inputs[*input].axis {
                None => rank_of(at, axes),
                Some(_) => None,
            },
            Expr::Local(_) | Expr::Coordinate(_) => None,
            Expr::Unary(_, a) | Expr::Whole(_, a, _) => self.rank(a, axes),
            Expr::Binary(_, a, b) => both(a, b),
            Expr::Choose(when, a, b) => Some(self.cond_rank(when, axes)? | both(a, b)?),
        }
    }

    fn cond_rank(&self, cond: &Cond, axes: &[Axis]) -> Option<bool> {
        match cond {
            Cond::Less(a, b) | Cond::Equal(a, b) => Some(self.rank(a, axes)? | self.rank(b, axes)?),
            Cond::Inside(_) | Cond::Before(_) | Cond::Even { .. } => None,
            Cond::Mask(input, at) => self.rank(&Expr::Input(*input, at.clone()), axes),
            Cond::Not(a) => self.cond_rank(a, axes),
            Cond::And(a, b) | Cond::Or(a, b) => {
                Some(self.cond_rank(a, axes)? | self.cond_rank(b, axes)?)
            }
        }
    }

    // Procedures that sweep.

    /// Whether they are handed the structure with all grids, or find these in a module.
    fn whole(&self) -> bool {
        let kind = matches!(self.kind(), Kind::Members | Kind::Module | Kind::ModuleAllocatable);
        kind && self.p.style.far
            && !matches!(self.p.idiom, Idiom::ThereAndBack | Idiom::Alternate)
            && !self.p.is_indexed(self.p.buffers())
    }

    fn shape(&self) -> String {
        if self.p.ways.often(SHAPES, 50) { self.open_bounds() } else { self.bounds() }
    }

    fn input_shape(&self, input: usize, assumed: bool) -> String {
        let open = if self.base() == 1 { ":" } else { "0:" };
        match self.p.inputs[input].axis {
            Some(_) if assumed => open.to_owned(),
            Some(d) if self.base() == 1 => SMALL[d].to_owned(),
            Some(d) => format!("0:{} - 1", SMALL[d]),
            None if assumed => self.open_bounds(),
            None => self.bounds(),
        }
    }

    fn input_type(&self, input: usize) -> &'static str {
        if self.p.inputs[input].mask { "integer" } else { self.element() }
    }

    fn names(&self, turn: usize, written: &[(usize, Level)]) -> Vec<Name> {
        let mut all = Vec::new();
        let mut name = |name: &str, declared: String, actual: String| {
            all.push(Name { name: name.to_owned(), declared, actual });
        };
        let view = View::Loop { turn };
        if self.p.extents.is_none() {
            for (d, small) in SMALL.iter().enumerate().take(self.p.dims) {
                let declared = format!("{}, intent(in) :: {small}", self.counter());
                name(small, declared, self.size(d, view));
            }
        }
        if self.whole() {
            name("g", "type(grid), intent(inout) :: g".to_owned(), "g".to_owned());
        } else {
            for field in 0..self.p.grids() {
                for level in LEVELS.into_iter().take(self.p.buffers_of(field)) {
                    let formal = self.p.buffer(field, level);
                    let stored = self.cells() || written.contains(&(field, level));
                    let intent = if stored { "inout" } else { "in" };
                    let (item, shape) = (self.item(), self.shape());
                    let declared = format!("{item}, intent({intent}) :: {formal}({shape})");
                    name(&formal, declared, self.whole_grid(field, level, view));
                }
            }
        }
        for (i, input) in INPUTS.iter().enumerate().take(self.p.inputs.len()) {
            let shape = self.input_shape(i, self.p.ways.often(SHAPES, 50));
            let declared = format!("{}, intent(in) :: {}({shape})", self.input_type(i), input);
            name(input, declared, (*input).to_owned());
        }
        let series = format!("{}, intent(in) :: series(0:*)", self.element());
        name("series", series, "series".to_owned());
        for scalar in ["alpha", "wave", "before"] {
            let declared = format!("{}, intent(in) :: {scalar}", self.value());
            name(scalar, declared, scalar.to_owned());
        }
        name("t", "integer, intent(in) :: t".to_owned(), "t".to_owned());
        all
    }

    /// Makes a procedure of these lines and gives the call.
    fn procedure(
        &mut self,
        name: &str,
        folds: &[usize],
        written: &[(usize, Level)],
        turn: usize,
        body: impl Fn(&Self, View, &mut Lines),
    ) -> String {
        let view = if self.whole() { View::Loop { turn: 0 } } else { View::Function };
        let mut lines = Lines::at(2);
        body(self, view, &mut lines);
        let names = self.names(turn, written);
        let inside = words(&lines.text);
        let declarations: String = names
            .iter()
            .filter(|n| inside.contains(&n.name.as_str()))
            .fold(String::new(), |text, n| text + &n.declared + ";");
        let more = words(&declarations);
        let module = self.whole() && self.kind() != Kind::Members;
        let mut used: Vec<Name> = names
            .into_iter()
            .filter(|n| inside.contains(&n.name.as_str()) || more.contains(&n.name.as_str()))
            .filter(|n| !(module && n.name == "g"))
            .collect();
        for fold in folds {
            let result = format!("r{fold}");
            used.push(Name {
                declared: format!("{}, intent(inout) :: {result}", self.fold_type(*fold)),
                actual: result.clone(),
                name: result,
            });
        }
        let actual: Vec<String> = used.iter().map(|n| n.actual.clone()).collect();
        if turn == 0 {
            let formal: Vec<String> = used.iter().map(|n| n.name.clone()).collect();
            let mut head = Lines::at(1);
            head.open(&format!("subroutine {name}({})", formal.join(", ")));
            used.iter().for_each(|n| head.line(&n.declared));
            self.locals(&lines.text, &mut head);
            self.procedures += &head.text;
            self.procedures += &lines.text;
            let _ = writeln!(self.procedures, "    end subroutine {name}\n");
        }
        format!("call {name}({})", actual.join(", "))
    }

    /// Declares the counters and the local variables of these lines.
    fn locals(&self, text: &str, out: &mut Lines) {
        let words = words(text);
        let used = |names: &[&str]| -> Vec<String> {
            names.iter().filter(|x| words.contains(x)).map(|x| (*x).to_owned()).collect()
        };
        let counters = used(&COUNTERS[..self.p.dims]);
        if !counters.is_empty() {
            out.line(&format!("{} :: {}", self.counter(), counters.join(", ")));
        }
        let values = used(&["x0", "x1", "x2"]);
        if !values.is_empty() {
            out.line(&format!("{} :: {}", self.value(), values.join(", ")));
        }
    }

    /// Whether grids are handed in another order in the same step, or the next. flang takes what it has been told of two
    /// dummy arguments for true of all calls that it has inlined: a fixed element that one of them reads stays as it was
    /// before the others set it.
    fn turned(&self) -> bool {
        matches!(self.p.idiom, Idiom::ThereAndBack | Idiom::Alternate)
    }

    fn sweep(&mut self, number: usize, sweep: &Sweep, turn: usize, out: &mut Lines) {
        if !sweep.apart || self.turned() && is_fixed(sweep) {
            return self.loops(sweep, View::Loop { turn }, out);
        }
        let (folds, written) = (folds_of(&sweep.body), written(&sweep.body));
        let name = format!("sweep{number}");
        let call = self.procedure(&name, &folds, &written, turn, |w, view, lines| {
            w.loops(sweep, view, lines);
        });
        out.line(&call);
    }

    // The time loop.

    fn part(&mut self, number: usize, part: &Part, turn: usize, out: &mut Lines) {
        let view = View::Loop { turn };
        let nowhere = vec![Axis::At(Spot::Front(0)); self.p.dims];
        let scope = Scope { axes: &nowhere, view, section: false };
        match part {
            Part::Sweep(sweep) => self.sweep(number, sweep, turn, out),
            Part::Point { place, add, value } => self.store(place, *add, value, scope, out),
            Part::Clear { field, level } => {
                let grid = self.whole_grid(*field, *level, view);
                let member =
                    if self.cells() { format!("%{}", FIELDS[*field]) } else { String::new() };
                out.line(&format!("{grid}{member} = 0"));
            }
            Part::Print { every, place } => {
                let shown = self.load(self.place(place, scope));
                out.line(&format!("if (mod(t, {every}) == 0) {}", self.print("step ", &shown)));
            }
            Part::Trace(place) => {
                out.line(&format!("trace(t) = {}", self.place(place, scope)));
            }
            Part::Settled { fold, below } => {
                let bound = match self.p.folds[*fold].collects {
                    Collects::Flag => "1".to_owned(),
                    Collects::Count => below.to_string(),
                    _ => self.number(*below),
                };
                out.open(&format!("if (r{fold} < {bound}) then"));
                out.line("settled = t");
                out.line("exit");
                out.shut("end if");
            }
            Part::Report { every, fold } => {
                let line = self.print("so far ", &format!("r{fold}"));
                out.line(&format!("if (mod(t, {every}) == 0) {line}"));
            }
        }
    }

    fn print(&self, what: &str, shown: &str) -> String {
        if self.p.ways.often(PRINTS, 40) {
            return format!("print *, '{what}', t, {shown}");
        }
        format!("write (*, '(a,i0,a,z16.16)') '{what}', t, ': ', seen(real({shown}, real64))")
    }

    /// Parts at the step's beginning that go into one procedure.
    fn led(&self) -> usize {
        let turned = self.turned();
        let plain = |part: &&Part| match part {
            Part::Sweep(sweep) => folds_of(&sweep.body).is_empty() && !(turned && is_fixed(sweep)),
            Part::Point { .. } => !turned,
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
            let call = self.procedure("advance", &[], &stored, turn, |w, view, lines| {
                let scope = Scope { axes: &nowhere, view, section: false };
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

    /// Whether buffers are pointers, not allocatables.
    fn points(&self) -> bool {
        match self.kind() {
            Kind::Pointer => true,
            Kind::Members => self.p.ways.often(MEMBERS, 50),
            _ => false,
        }
    }

    fn exchange(&self, out: &mut Lines) {
        match self.p.idiom {
            Idiom::Swap => {
                for field in (0..self.p.grids()).filter(|f| self.p.buffers_of(*f) > 1) {
                    let [now, next, old] = LEVELS
                        .map(|level| format!("{}{}", self.reach(), self.p.buffer(field, level)));
                    let kept = format!("kept_{}", self.p.stem(field));
                    let mut round = vec![&kept, &now, &next, &kept];
                    if self.p.buffers_of(field) == 3 {
                        round = vec![&kept, &old, &now, &next, &kept];
                    }
                    for pair in round.windows(2) {
                        out.line(&match self.points() {
                            true => format!("{} => {}", pair[0], pair[1]),
                            false => format!("call move_alloc({}, {})", pair[1], pair[0]),
                        });
                    }
                }
            }
            Idiom::Turn if self.p.buffers() == 3 => {
                ["kept_index = old", "old = now", "now = next", "next = kept_index"]
                    .iter()
                    .for_each(|line| out.line(line));
            }
            Idiom::Turn if self.p.buffers() == 2 => {
                out.line("now = 1 - now");
                out.line("next = 1 - now");
            }
            _ => {}
        }
    }

    fn copy_memory(&self, out: &mut Lines) {
        let view = View::Loop { turn: 0 };
        let plain = self.way(COPIES, 2) == 0;
        for f in (0..self.p.grids()).filter(|f| self.p.buffers_of(*f) > 1) {
            let [now, next, old] = LEVELS.map(|level| {
                let grid = self.whole_grid(f, level, view);
                let all = plain || grid.contains('(');
                if all { grid } else { format!("{grid}({})", self.colons(self.p.dims)) }
            });
            if self.p.buffers_of(f) == 3 {
                out.line(&format!("{old} = {now}"));
            }
            out.line(&format!("{now} = {next}"));
        }
    }

    fn fresh(&mut self, out: &mut Lines) {
        let fields: Vec<usize> =
            (0..self.p.grids()).filter(|f| self.p.buffers_of(*f) > 1).collect();
        let view = View::Loop { turn: 0 };
        for f in &fields {
            let next = self.p.buffer(*f, Level::Next);
            let now = self.whole_grid(*f, Level::Now, view);
            match self.way(MOVES, 2) {
                0 => {
                    out.line(&format!("allocate ({next}({}))", self.bounds()));
                    out.line(&format!("{next} = {now}"));
                }
                _ => out.line(&format!("allocate ({next}({}), source={now})", self.bounds())),
            }
        }
        self.parts(0, out);
        for f in &fields {
            let next = self.p.buffer(*f, Level::Next);
            let now = self.whole_grid(*f, Level::Now, view);
            if self.kind() == Kind::Allocatable && self.way(COPIES, 2) == 1 {
                out.line(&format!("call move_alloc({next}, {now})"));
            } else {
                out.line(&format!("{now} = {next}"));
                out.line(&format!("deallocate ({next})"));
            }
        }
    }

    fn step(&mut self, out: &mut Lines) {
        for (f, fold) in self.p.folds.iter().enumerate() {
            if fold.renewed {
                out.line(&format!("r{f} = {}", self.fold_start(f)));
            }
        }
        let associated = self.associated();
        if associated {
            let mut all = Vec::new();
            for f in (0..self.p.grids()).filter(|f| self.p.is_indexed(self.p.buffers_of(*f))) {
                for level in LEVELS.into_iter().take(self.p.buffers_of(f)) {
                    let slot = self.slot(self.p.buffers_of(f), level);
                    let (name, slot) = match self.block() {
                        true => {
                            ("block".to_owned(), format!("{} + {slot}", self.plane(f, Level::Now)))
                        }
                        false => (format!("{}{}", self.reach(), self.p.stem(f)), slot),
                    };
                    let name = format!("{name}({}, {slot})", self.colons(self.p.dims));
                    all.push(format!("{}_here => {name}", self.p.buffer(f, level)));
                }
            }
            out.open(&format!("associate ({})", all.join(", ")));
        }
        match self.p.idiom {
            Idiom::ThereAndBack => {
                self.parts(0, out);
                self.parts(1, out);
            }
            Idiom::Alternate => {
                out.open("if (mod(t, 2) == 0) then");
                self.parts(0, out);
                out.shut("else");
                out.deeper();
                self.parts(1, out);
                out.shut("end if");
            }
            Idiom::CopyMemory => {
                self.parts(0, out);
                self.copy_memory(out);
            }
            Idiom::Fresh => self.fresh(out),
            _ => self.parts(0, out),
        }
        if associated {
            out.shut("end associate");
        }
        self.exchange(out);
        if self.p.uses(Scalar::Collected) {
            let long = self.fold_type(0) == "integer(int64)";
            out.line(match (self.real(), long) {
                (true, _) => {
                    "before = real(0.1_real64*r0/(1.0_real64 + 0.5_real64*abs(real(r0, real64))), wp)"
                }
                (false, true) => "before = int(mod(r0, 1000_int64))",
                (false, false) => "before = mod(r0, 1000)",
            });
        }
        if self.p.uses(Scalar::Wave) {
            out.line(match self.real() {
                true => "wave = wave*0.5_wp + 0.1_wp",
                false => "wave = mod(wave + 3, 16)",
            });
        }
        if let Some(stop) = self.p.style.stop {
            out.line(&format!("if (t == {stop}) exit"));
        }
    }

    fn time_loop(&mut self, out: &mut Lines) {
        let start = |out: &mut Lines, line: &str| {
            out.line("t = 0");
            out.open(line);
        };
        match self.p.style.clock {
            Clock::Up => out.open("do t = 0, steps - 1"),
            Clock::FromOne => out.open("do t = 1, steps"),
            Clock::Down => out.open("do t = steps, 1, -1"),
            Clock::While => start(out, "do while (t < steps)"),
            Clock::Real => {
                out.line("time = 0.0_real64");
                start(out, "do while (time < steps*0.125_real64)");
            }
            Clock::DoWhile => {
                out.open("if (steps > 0) then");
                start(out, "do");
            }
        }
        self.step(out);
        match self.p.style.clock {
            Clock::Up | Clock::FromOne | Clock::Down => {}
            Clock::While => out.line("t = t + 1"),
            Clock::DoWhile => {
                out.line("t = t + 1");
                out.line("if (t >= steps) exit");
            }
            Clock::Real => {
                out.line("time = time + 0.125_real64");
                out.line("t = t + 1");
            }
        }
        out.shut("end do");
        if self.p.style.clock == Clock::DoWhile {
            out.shut("end if");
        }
    }

    /// Declarations and statements of the time loop.
    fn run(&mut self) -> (String, String) {
        let mut out = Lines::at(2);
        out.line("t = 0");
        out.line("settled = -1");
        if self.kind() == Kind::Pointer {
            self.point(&mut out);
        }
        if self.p.uses(Scalar::Wave) {
            out.line(if self.real() { "wave = 0.25_wp" } else { "wave = 5" });
        }
        if self.p.uses(Scalar::Collected) {
            out.line("before = 0");
        }
        let turns = self.p.idiom == Idiom::Turn && self.p.buffers() > 1;
        if turns {
            out.line("now = 0");
            out.line("next = 1");
            out.line("old = 2");
        }
        for f in 0..self.p.folds.len() {
            out.line(&format!("r{f} = {}", self.fold_start(f)));
        }
        if self.p.style.rounds > 1 {
            out.open(&format!("do round = 0, {}", self.p.style.rounds - 1));
        }
        self.time_loop(&mut out);
        if self.p.style.rounds > 1 {
            out.line("kept(8) = kept(8) + round + t");
            out.shut("end do");
        }
        out.line("kept(0) = t");
        out.line("kept(1) = settled");
        for f in 0..self.p.folds.len() {
            out.line(&format!("kept({}) = r{f}", 2 + f));
        }
        if self.kind() == Kind::Pointer && !self.block() {
            for f in (0..self.p.grids()).filter(|f| self.p.buffers_of(*f) > 1) {
                let name = self.p.buffer(f, Level::Now);
                out.line(&format!(
                    "kept({}) = merge(1, 0, associated({name}, {name}_home))",
                    4 + f
                ));
            }
        }
        if turns {
            out.line("kept(7) = now");
        }
        let mut head = Lines::at(2);
        self.run_locals(&out.text, &mut head);
        (head.text, out.text)
    }

    /// The time loop's own pointers, to what it was handed.
    fn point(&self, out: &mut Lines) {
        let open = self.order().iter().map(|_| format!("{}:", self.base())).collect::<Vec<_>>();
        let open = open.join(", ");
        for f in 0..self.p.grids() {
            for level in LEVELS.into_iter().take(self.p.buffers_of(f)) {
                let name = self.p.buffer(f, level);
                let home = match self.block() {
                    true => {
                        format!("block({}, {})", self.colons(self.p.dims), self.plane(f, level))
                    }
                    false => format!("{name}_home"),
                };
                out.line(&format!("{name}({open}) => {home}"));
            }
        }
    }

    fn run_locals(&self, text: &str, out: &mut Lines) {
        out.line("integer :: t, settled");
        if self.p.style.rounds > 1 {
            out.line("integer :: round");
        }
        if self.p.style.clock == Clock::Real {
            out.line("real(real64) :: time");
        }
        if self.p.idiom == Idiom::Turn && self.p.buffers() > 1 {
            out.line("integer :: now, next, old, kept_index");
        }
        for scalar in ["wave", "before"] {
            if words(text).contains(&scalar) {
                out.line(&format!("{} :: {scalar}", self.value()));
            }
        }
        for f in 0..self.p.folds.len() {
            out.line(&format!("{} :: r{f}", self.fold_type(f)));
        }
        let attribute = if self.points() { "pointer" } else { "allocatable" };
        let (item, dims) = (self.item(), self.colons(self.p.dims));
        for f in (0..self.p.grids()).filter(|f| self.p.buffers_of(*f) > 1) {
            if self.p.idiom == Idiom::Swap {
                out.line(&format!("{item}, {attribute} :: kept_{}({dims})", self.p.stem(f)));
            }
            if self.p.idiom == Idiom::Fresh {
                let next = self.p.buffer(f, Level::Next);
                out.line(&format!("{item}, allocatable :: {next}({dims})"));
            }
        }
        if self.kind() == Kind::Pointer {
            for f in 0..self.p.grids() {
                for level in LEVELS.into_iter().take(self.p.buffers_of(f)) {
                    out.line(&format!("{item}, pointer :: {}({dims})", self.p.buffer(f, level)));
                }
            }
        }
        self.locals(text, out);
    }

    // What stands around it.

    /// Whether the time loop stands in the main program.
    fn in_main(&self) -> bool {
        let own = [Kind::Allocatable, Kind::Members, Kind::Module, Kind::ModuleAllocatable];
        self.p.style.home == Home::Main && own.contains(&self.kind())
    }

    /// Names of a field's arrays, and how many slots each has beside its dimensions.
    fn declared(&self, field: usize) -> Vec<(String, usize)> {
        let buffers = self.p.buffers_of(field);
        if self.p.is_indexed(buffers) {
            return vec![(self.p.stem(field).to_owned(), buffers)];
        }
        let held = if self.p.idiom == Idiom::Fresh { 1 } else { buffers };
        LEVELS.iter().take(held).map(|level| (self.p.buffer(field, *level), 0)).collect()
    }

    /// All arrays with grids.
    fn arrays(&self) -> Vec<(String, usize)> {
        if self.block() {
            let total = (0..self.p.grids()).map(|f| self.held(f)).sum();
            return vec![("block".to_owned(), total)];
        }
        (0..self.p.grids()).flat_map(|f| self.declared(f)).collect()
    }

    fn held(&self, field: usize) -> usize {
        if self.p.idiom == Idiom::Fresh { 1 } else { self.p.buffers_of(field) }
    }

    /// The bounds of an array with slots.
    fn array_bounds(&self, slots: usize) -> String {
        match slots {
            0 => self.bounds(),
            _ if self.block() => format!("{}, {slots}", self.bounds()),
            _ => format!("{}, 0:{}", self.bounds(), slots - 1),
        }
    }

    fn file(&self, least: [i32; 3], (locals, run): &(String, String)) -> String {
        let mut out = String::from(
            "module kinds\n    use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64\n    implicit none\n",
        );
        let wp = if self.p.element == Element::Float { "real32" } else { "real64" };
        let _ = writeln!(out, "    integer, parameter :: wp = {wp}");
        if let Some(extents) = self.p.extents {
            for d in 0..self.p.dims {
                let t = self.counter();
                let _ = writeln!(out, "    {t}, parameter :: {} = {}", SMALL[d], extents[d]);
            }
        }
        out += &self.types();
        out += &self.module_arrays();
        out += "contains\n";
        out += SEEN;
        out += "end module kinds\n\n";
        let external = self.p.style.home == Home::External && self.kind() == Kind::Explicit;
        let subroutine = if self.in_main() { String::new() } else { self.subroutine(locals, run) };
        let (inside, outside) =
            if external { ("", &subroutine[..]) } else { (&subroutine[..], "") };
        if !self.in_main() {
            let _ = write!(
                out,
                "module solver\n    use kinds\n    implicit none\ncontains\n{}{inside}end module solver\n\n",
                self.procedures
            );
        }
        out += outside;
        out += &self.main(least, locals, run);
        out
    }

    fn types(&self) -> String {
        let mut out = String::new();
        if self.cells() {
            let fields = FIELDS[..self.p.fields.len()].join(", ");
            let _ = write!(
                out,
                "    type :: cell_of_grid\n        {} :: {fields}\n    end type cell_of_grid\n",
                self.element()
            );
        }
        if self.kind() == Kind::Members {
            out += "    type :: grid\n";
            let _ = writeln!(out, "        {} :: {}", self.counter(), self.members_sizes());
            let attribute = if self.points() { "pointer" } else { "allocatable" };
            for (name, slots) in self.arrays() {
                let dims = self.colons(self.p.dims + usize::from(slots > 0));
                let _ = writeln!(out, "        {}, {attribute} :: {name}({dims})", self.element());
            }
            out += "    end type grid\n";
        }
        out
    }

    fn members_sizes(&self) -> String {
        SMALL[..self.p.dims].join(", ")
    }

    fn module_arrays(&self) -> String {
        let mut out = String::new();
        for (name, slots) in self.arrays() {
            let element = self.element();
            match self.kind() {
                Kind::Module => {
                    let _ = writeln!(out, "    {element} :: {name}({})", self.array_bounds(slots));
                }
                Kind::ModuleAllocatable => {
                    let dims = self.colons(self.p.dims + usize::from(slots > 0));
                    let _ = writeln!(out, "    {element}, allocatable :: {name}({dims})");
                }
                _ => {}
            }
        }
        out
    }

    fn subroutine(&self, locals: &str, run: &str) -> String {
        let all = self.run_arguments();
        let names: Vec<String> = all.iter().map(|n| n.name.clone()).collect();
        let mut head = Lines::at(1);
        head.open(&format!("subroutine run({})", names.join(", ")));
        if self.p.style.home == Home::External && self.kind() == Kind::Explicit {
            head.line("use kinds");
            head.line("use solver");
            head.line("implicit none");
        }
        all.iter().for_each(|n| head.line(&n.declared));
        format!("{}{locals}{run}    end subroutine run\n\n", head.text)
    }

    fn run_arguments(&self) -> Vec<Name> {
        let mut all = Vec::new();
        let mut name = |name: &str, declared: String, actual: String| {
            all.push(Name { name: name.to_owned(), declared, actual });
        };
        if self.p.extents.is_none() {
            for small in &SMALL[..self.p.dims] {
                let declared = format!("{}, intent(in) :: {small}", self.counter());
                name(small, declared, (*small).to_owned());
            }
        }
        let item = self.item();
        for (array, slots) in self.arrays() {
            let at = if self.cells() { array.clone() } else { format!("{array}_at(1)") };
            let bounds = self.array_bounds(slots);
            match self.kind() {
                Kind::Explicit => {
                    name(&array, format!("{item}, intent(inout) :: {array}({bounds})"), at);
                }
                Kind::Assumed => {
                    let open = self.open_bounds();
                    let slots = if slots > 0 { ", 0:" } else { "" };
                    let declared = format!("{item}, intent(inout) :: {array}({open}{slots})");
                    name(&array, declared, array.clone());
                }
                Kind::Pointer => {
                    let home = if self.block() { array.clone() } else { format!("{array}_home") };
                    let declared = format!("{item}, intent(inout), target :: {home}({bounds})");
                    name(&home, declared, at);
                }
                Kind::Allocatable => {
                    let dims = self.colons(self.p.dims + usize::from(slots > 0));
                    let declared = format!("{item}, allocatable, intent(inout) :: {array}({dims})");
                    name(&array, declared, array.clone());
                }
                Kind::Members | Kind::Module | Kind::ModuleAllocatable => {}
            }
        }
        if self.kind() == Kind::Members {
            name("g", "type(grid), intent(inout) :: g".to_owned(), "g".to_owned());
        }
        for (i, input) in INPUTS.iter().enumerate().take(self.p.inputs.len()) {
            let shape = self.input_shape(i, false);
            let declared = format!("{}, intent(in) :: {}({shape})", self.input_type(i), input);
            name(input, declared, format!("{}_at(1)", input));
        }
        name("alpha", format!("{}, intent(in) :: alpha", self.value()), "alpha".to_owned());
        name("steps", "integer, intent(in) :: steps".to_owned(), "steps".to_owned());
        let kept = "real(real64), intent(inout) :: kept(0:8)".to_owned();
        name("kept", kept, "kept_at(1)".to_owned());
        for row in ["series", "trace"] {
            let declared = format!("{}, intent(inout) :: {row}(0:*)", self.element());
            name(row, declared, format!("{row}_at(1)"));
        }
        all
    }

    fn main(&self, least: [i32; 3], locals: &str, run: &str) -> String {
        let mut head = Lines::at(2);
        head.line("integer :: nx, ny, nz, steps, points_of_grid");
        if self.p.extents.is_none() {
            head.line(&format!("{} :: {}", self.counter(), SMALL[..self.p.dims].join(", ")));
        }
        head.line(&format!("{} :: alpha", self.value()));
        let mut out = Lines::at(2);
        let mut back = Lines::at(2);
        out.open("do while (next_case(nx, ny, nz, steps))");
        back.deeper();
        if self.p.extents.is_none() {
            for (d, told) in ["nx", "ny", "nz"].iter().enumerate().take(self.p.dims) {
                out.line(&format!("{} = max({told}, {})", SMALL[d], least[d]));
            }
        }
        out.line(&format!("points_of_grid = int({})", SMALL[..self.p.dims].join("*")));
        out.line(match self.real() {
            true => "alpha = merge(0.25_wp, 0.2_wp, steps > 3)",
            false => "alpha = merge(3, 2, steps > 3)",
        });
        self.rows_of_values(&mut head, &mut out, &mut back);
        self.memory(&mut head, &mut out, &mut back);
        let mut uses = "    use corpus\n    use kinds\n".to_owned();
        if self.in_main() {
            out.text += &indented(run);
            head.text += locals;
        } else {
            let all = self.run_arguments().into_iter().map(|n| n.actual).collect::<Vec<_>>();
            out.line(&format!("call run({})", all.join(", ")));
            uses += "    use solver\n";
        }
        back.line("call end_case()");
        back.shut("end do");
        let contains = match self.in_main() && !self.procedures.is_empty() {
            true => format!("contains\n{}", self.procedures),
            false => String::new(),
        };
        format!(
            "program main\n{uses}    implicit none\n{}\n{}{}{contains}end program main\n",
            head.text, out.text, back.text
        )
    }

    /// Inputs, series, trace and what is kept.
    fn rows_of_values(&self, head: &mut Lines, out: &mut Lines, back: &mut Lines) {
        let mut all: Vec<(String, &str, String, String)> = Vec::new();
        for (i, input) in self.p.inputs.iter().enumerate() {
            let count =
                input.axis.map_or("points_of_grid".to_owned(), |d| format!("int({})", SMALL[d]));
            all.push((INPUTS[i].to_owned(), self.input_type(i), count, self.input_shape(i, false)));
        }
        for row in ["series", "trace"] {
            let count = "(max(steps, 0) + 1)".to_owned();
            all.push((row.to_owned(), self.element(), count, "0:max(steps, 0)".to_owned()));
        }
        all.push(("kept".to_owned(), "real(real64)", "9".to_owned(), "0:8".to_owned()));
        for (name, t, count, bounds) in all {
            head.line(&format!("{t}, allocatable :: {name}_at(:)"));
            out.line(&format!("call new_array({name}_at, {count})"));
            if name == "kept" {
                out.line("kept_at(1:9) = 0");
            }
            if self.in_main() {
                let dims =
                    self.colons(bounds.split(", ").count().min(if bounds.contains("max(") {
                        1
                    } else {
                        3
                    }));
                head.line(&format!("{t}, allocatable :: {name}({dims})"));
                out.line(&format!("allocate ({name}({bounds}))"));
                out.line(&format!("{name} = reshape({name}_at(1:{count}), shape({name}))"));
                back.line(&format!("{name}_at(1:{count}) = reshape({name}, [{count}])"));
                back.line(&format!("deallocate ({name})"));
            }
            back.line(&format!("call dump('{name}', {name}_at)"));
        }
    }

    /// Grids, over the corpus's memory or copied from it and back.
    fn memory(&self, head: &mut Lines, out: &mut Lines, back: &mut Lines) {
        let (item, element) = (self.item(), self.element());
        let members: Vec<String> = match self.cells() {
            true => FIELDS[..self.p.fields.len()].iter().map(|f| format!("%{f}")).collect(),
            false => vec![String::new()],
        };
        if self.kind() == Kind::Members {
            head.line("type(grid) :: g");
            for small in &SMALL[..self.p.dims] {
                out.line(&format!("g%{small} = {small}"));
            }
        }
        for (name, slots) in self.arrays() {
            let each = format!("points_of_grid*{}", slots.max(1));
            head.line(&format!("{element}, allocatable, target :: {name}_at(:)"));
            out.line(&format!("call new_array({name}_at, {each}*{})", members.len()));
            let (reach, bounds) = (self.reach(), self.array_bounds(slots));
            let dims = self.colons(self.p.dims + usize::from(slots > 0));
            let plain = !self.cells();
            match self.kind() {
                Kind::Explicit | Kind::Pointer if plain => {}
                Kind::Assumed if plain => {
                    head.line(&format!("{item}, pointer :: {name}({dims})"));
                    let bounds = self.closed_bounds(slots);
                    out.line(&format!("{name}({bounds}) => {name}_at(1:{each})"));
                }
                kind => {
                    let own =
                        matches!(kind, Kind::Members | Kind::Module | Kind::ModuleAllocatable);
                    if !own {
                        let target = if kind == Kind::Pointer { ", target" } else { "" };
                        head.line(&format!("{item}, allocatable{target} :: {name}({dims})"));
                    }
                    if kind != Kind::Module {
                        out.line(&format!("allocate ({reach}{name}({bounds}))"));
                    }
                    for (k, member) in members.iter().enumerate() {
                        let all = format!("{name}_at({k}*{each} + 1:{}*{each})", k + 1);
                        let grid = format!("{reach}{name}{member}");
                        out.line(&format!("{grid} = reshape({all}, shape({grid}))"));
                        back.line(&format!("{all} = reshape({grid}, [{each}])"));
                    }
                    if kind != Kind::Module {
                        back.line(&format!("deallocate ({reach}{name})"));
                    }
                }
            }
            back.line(&format!("call dump('{name}', {name}_at)"));
        }
    }

    /// Bounds of which both are said.
    fn closed_bounds(&self, slots: usize) -> String {
        let b = self.base();
        let one = |d: &usize| format!("{b}:{}{}", SMALL[*d], signed(b - 1));
        let mut all: Vec<String> = self.order().iter().map(one).collect();
        all.extend((slots > 0).then(|| format!("0:{}", slots.max(1) - 1)));
        all.join(", ")
    }
}

fn whole(op: Whole, a: &str, k: i32) -> String {
    match op {
        Whole::Quotient => {
            format!("({a}/{})", if k < 0 { format!("({k})") } else { k.to_string() })
        }
        Whole::Remainder => format!("mod({a}, {k})"),
        Whole::And => format!("iand({a}, {k})"),
        Whole::ShiftRight => format!("shifta({a}, {k})"),
        Whole::Xor => format!("ieor({a}, {k})"),
    }
}

/// Whether a sweep has any loop.
fn loops(axes: &[Axis]) -> bool {
    axes.iter().any(|axis| matches!(axis, Axis::Span { .. }))
}

/// Whether a place moves with the point along every dimension.
fn near(at: &[Index]) -> bool {
    at.iter().all(|index| matches!(index, Index::Near(_)))
}

/// Whether these subscripts make an array in a section's scope; `None` if it would have another rank.
fn rank_of(at: &[Index], axes: &[Axis]) -> Option<bool> {
    let spans = || at.iter().zip(axes).filter(|(_, axis)| matches!(axis, Axis::Span { .. }));
    let moving = spans().filter(|(index, _)| matches!(index, Index::Near(_))).count();
    let fixed = spans().filter(|(index, _)| matches!(index, Index::At(_))).count();
    let all = spans().count();
    let others = at.iter().any(|index| matches!(index, Index::Wrap(_) | Index::Clamp(_)));
    match (moving, fixed) {
        _ if others => None,
        (m, 0) if m == all => Some(all > 0),
        (0, f) if f == all => Some(false),
        _ => None,
    }
}

/// Whether a sweep reads or sets elements that stand still.
fn is_fixed(sweep: &Sweep) -> bool {
    let mut found = sweep.axes.iter().any(|axis| matches!(axis, Axis::At(_)));
    for stmt in &sweep.body {
        stmt.each_expr(&mut |expr| {
            if let Expr::Load(place) = expr {
                found |= place.at.iter().any(|index| matches!(index, Index::At(_)));
            }
        });
    }
    found
}

/// Whether the iterations of a sweep may come in any order: each sets places of its own, and reads no others of these
/// grids.
fn independent(sweep: &Sweep) -> bool {
    let written = written(&sweep.body);
    let own = |at: &[Index]| {
        at.iter().zip(&sweep.axes).all(|(index, axis)| match axis {
            Axis::Span { .. } => *index == Index::Near(0),
            Axis::At(_) => matches!(index, Index::Near(0)),
        })
    };
    let mut fine = sweep.body.iter().all(|s| stores_to(s, &own));
    for stmt in &sweep.body {
        stmt.each_expr(&mut |expr| {
            if let Expr::Load(place) = expr {
                fine &= !written.contains(&(place.field, place.level)) || own(&place.at);
            }
        });
    }
    fine
}

/// Whether a statement only stores, to places that are `fit`.
fn stores_to(stmt: &Stmt, fit: &dyn Fn(&[Index]) -> bool) -> bool {
    match stmt {
        Stmt::Store { place, .. } => fit(&place.at),
        Stmt::If { then, other, .. } => then.iter().chain(other).all(|s| stores_to(s, fit)),
        Stmt::Let(..) | Stmt::Fold(..) => false,
    }
}

const SEEN: &str = "    integer(int64) function seen(x)
        real(real64), intent(in) :: x
        seen = transfer(merge(x, 0.0_real64, x == x), seen)
        if (x /= x) seen = -1
    end function seen
";
