//! Relations in isl's notation: the loops of a schedule, the domains and accesses of a program.
//!
//! Parameters: `N` steps, `lo<d>` and `hi<d>` the hull of all statements, `i<j>` integer parameters, `q<j>` products of
//! them.

use super::illegal;
use crate::kernel::ir::IExpr;
use crate::problem::Problem;
use crate::rejection::Rejection;
use crate::schedule::{Classical, Cut, LEVEL, Phase, Phased, Row};
use hexpass_abi::expr::Sym;
use hexpass_abi::{Access, IntExpr, PlanExpr, Poly};

/// Writes relations; collects the parameters they speak of.
pub struct Writer<'a> {
    problem: &'a Problem,
    schedule: &'a Phased,
    products: Vec<Vec<Sym>>,
}

impl<'a> Writer<'a> {
    pub fn new(problem: &'a Problem, schedule: &'a Phased) -> Writer<'a> {
        Writer { problem, schedule, products: Vec::new() }
    }

    fn dims(&self) -> usize {
        self.problem.dims()
    }

    /// `t, s0, s1`
    fn point(&self) -> String {
        let space: String = (0..self.dims()).map(|d| format!(", s{d}")).collect();
        format!("t{space}")
    }

    /// `T, p, X0, X1, l`, all with that suffix: X<d> is the block or the classical tile in dimension d.
    pub fn tile(&self, suffix: &str) -> String {
        let tiles: String = (0..self.dims()).map(|d| format!("X{d}{suffix}, ")).collect();
        format!("T{suffix}, p{suffix}, {tiles}l{suffix}")
    }

    /// The dimensions that are cut into blocks, in all phases alike.
    fn rows(&self) -> Vec<usize> {
        self.schedule.phases.first().map_or(Vec::new(), |p| p.rows().map(|(d, _)| d).collect())
    }

    /// `T, p, X0`: the coordinates of a block, with that suffix.
    fn block(&self, suffix: &str) -> String {
        let tiles: String = self.rows().iter().map(|d| format!(", X{d}{suffix}")).collect();
        format!("T{suffix}, p{suffix}{tiles}")
    }

    /// `{ … }` with the parameters that the pieces speak of.
    fn wrap(&self, pieces: &[String]) -> String {
        let mut params = vec!["N".to_owned()];
        params.extend((0..self.dims()).flat_map(|d| [format!("lo{d}"), format!("hi{d}")]));
        params.extend((0..self.problem.stencil.ints.len()).map(|i| format!("i{i}")));
        params.extend((0..self.products.len()).map(|i| format!("q{i}")));
        format!("[{}] -> {{ {} }}", params.join(", "), pieces.join("; "))
    }

    /// `u, s0, s1`: an instance by its logical time.
    fn timed(&self) -> String {
        let space: String = (0..self.dims()).map(|d| format!(", s{d}")).collect();
        format!("u{space}")
    }

    /// All instances inside the hull of the statements: `{ [u, s0, …] }`.
    pub fn hull(&self) -> String {
        self.wrap(&[format!("[{}] : {}", self.timed(), self.timed_hull())])
    }

    /// The same by statement: `{ S<i>[t, s0, …] -> [k·t + i, s0, …] }`.
    pub fn times(&self) -> String {
        let k = self.problem.k();
        let piece = |i: i64| {
            let space: String = (0..self.dims()).map(|d| format!(", s{d}")).collect();
            format!("S{i}[{}] -> [{k} t + {i}{space}] : {}", self.point(), self.inside_hull())
        };
        self.wrap(&(0..k).map(piece).collect::<Vec<_>>())
    }

    fn inside_hull(&self) -> String {
        format!("0 <= t < N{}", self.inside_space())
    }

    fn timed_hull(&self) -> String {
        format!("0 <= u < {} N{}", self.problem.k(), self.inside_space())
    }

    fn inside_space(&self) -> String {
        (0..self.dims()).map(|d| format!(" and lo{d} <= s{d} <= hi{d}")).collect()
    }

    /// What the loops of the schedule run: `{ [u, s0, …] -> [T, p, X0, X1, …, l] }`, inside the hull.
    pub fn loops(&self) -> Result<String, Rejection> {
        let mut pieces = Vec::new();
        for (index, phase) in self.schedule.phases.iter().enumerate() {
            let mut all = vec![self.timed_hull(), self.launch(phase)];
            all.push(format!("u = {} + l", plan(&phase.u)));
            all.push(format!("0 <= l < {}", phase.levels));
            for (d, cut) in phase.cuts.iter().enumerate() {
                all.push(Writer::cut(d, cut)?);
            }
            let tile = self.tile("").replace(", p,", &format!(", {index},"));
            pieces.push(format!("[{}] -> [{tile}] : {}", self.timed(), all.join(" and ")));
        }
        Ok(self.wrap(&pieces))
    }

    /// What must run along a dimension: all coordinates at all times, `{ [u, s0] }`, or, of a further dimension, at all
    /// levels of a phase, `{ [T, l, s<d>] }`.
    pub fn wanted_along(&self, phase: &Phase, d: usize) -> String {
        let inside = format!("lo{d} <= s{d} <= hi{d}");
        let k = self.problem.k();
        self.wrap(&[match d {
            0 => format!("[u, s0] : 0 <= u < {k} N and {inside}"),
            _ => format!("[T, l, s{d}] : {} and {inside}", self.times_of(phase)),
        }])
    }

    /// What of that phases run that agree in all dimensions before.
    pub fn run_along(&self, phases: &[&Phase], d: usize) -> Result<String, Rejection> {
        let mut pieces = Vec::new();
        for phase in phases {
            let cut = Writer::cut(d, &phase.cuts[d])?;
            let bounds = match &phase.cuts[d] {
                Cut::Blocks(row) => format!(" and {}", range(d, row)),
                Cut::Tiles(_) => String::new(),
            };
            let all = format!("{}{bounds} and {cut}", self.times_of(phase));
            pieces.push(match d {
                0 => format!("[u, s0] : exists (T, l, X0 : u = {} + l and {all})", plan(&phase.u)),
                _ => format!("[T, l, s{d}] : exists (X{d} : {all})"),
            });
        }
        Ok(self.wrap(&pieces))
    }

    /// T and levels of a phase that lie in the run.
    fn times_of(&self, phase: &Phase) -> String {
        let (first, last) = (plan(&self.schedule.first), plan(&self.schedule.last));
        let (u, levels, k) = (plan(&phase.u), phase.levels, self.problem.k());
        format!("{first} <= T <= {last} and 0 <= l < {levels} and 0 <= {u} + l < {k} N")
    }

    /// Which coordinates of a dimension block or tile X<d> runs at level l.
    fn cut(d: usize, cut: &Cut) -> Result<String, Rejection> {
        Ok(match cut {
            Cut::Blocks(row) => {
                let b = format!("(s{d} - {})", origin(d, row));
                format!("{} and {}", lower(&row.interval.0, &b)?, upper(&row.interval.1, &b)?)
            }
            Cut::Tiles(classical) => parallelogram(d, classical),
        })
    }

    /// The ranges of T and of the blocks.
    fn launch(&self, phase: &Phase) -> String {
        let s = self.schedule;
        let mut all = vec![format!("{} <= T <= {}", plan(&s.first), plan(&s.last))];
        all.extend(phase.rows().map(|(d, row)| range(d, row)));
        all.join(" and ")
    }

    /// Elements that blocks load when they stage: `{ [T, p, X0] -> A<j>[slot, x0, …] }`.
    pub fn staged(&self) -> String {
        let mut pieces = Vec::new();
        let subscripts: String = (0..self.dims()).map(|d| format!(", x{d}")).collect();
        for (index, phase) in self.schedule.phases.iter().enumerate() {
            let block = self.block("").replacen(", p", &format!(", {index}"), 1);
            for staged in &phase.staging {
                let slots = self.slots(staged.array);
                let inside: String = phase
                    .rows()
                    .map(|(d, row)| {
                        let (lo, hi) = (staged.lo[d], staged.hi[d]);
                        format!(" and {lo} <= x{d} - {} <= {hi}", origin(d, row))
                    })
                    .collect();
                pieces.push(format!(
                    "[{block}] -> A{}[r{subscripts}] : 0 <= r < {slots} and {}{inside}",
                    staged.array,
                    self.launch(phase),
                ));
            }
        }
        self.wrap(&pieces)
    }

    fn slots(&self, array: u16) -> usize {
        self.problem.stencil.arrays.get(usize::from(array)).map_or(1, |a| a.slots.len().max(1))
    }

    /// Accesses of all statements inside their boxes: `{ S<i>[t, s0, …] -> A<j>[slot, x0, …] }`.
    pub fn accesses(&mut self, writes: bool, of: &dyn Fn(u16) -> bool) -> String {
        let problem = self.problem;
        let mut pieces = Vec::new();
        for (i, s) in problem.stencil.statements.iter().enumerate() {
            let reads = s.reads.iter().filter(|_| !writes);
            let stores = s.writes.iter().map(|w| &w.access).filter(|_| writes);
            for access in reads.chain(stores).filter(|a| of(a.array)) {
                let piece = self.access(i, access);
                pieces.push(piece);
            }
        }
        self.wrap(&pieces)
    }

    fn access(&mut self, statement: usize, access: &Access) -> String {
        let slots = self.slots(access.array);
        let mut all = vec![self.inside_hull(), self.domain(statement)];
        all.push(format!("0 <= r < {slots} and (t + {} - r) mod {slots} = 0", access.rotation));
        let mut subscripts = String::new();
        for (d, s) in access.subscripts.iter().enumerate() {
            subscripts += &format!(", x{d}");
            if let Some(offset) = self.poly(&s.offset) {
                let base = s.dim.map_or(String::new(), |e| format!("s{e} + "));
                all.push(format!("x{d} = {base}{offset}"));
            }
        }
        format!(
            "S{statement}[{}] -> A{}[r{subscripts}] : {}",
            self.point(),
            access.array,
            all.join(" and ")
        )
    }

    /// The box of a statement, as far as isl can say it.
    fn domain(&mut self, statement: usize) -> String {
        let s = &self.problem.stencil.statements[statement];
        let mut all = vec!["0 = 0".to_owned()];
        // What can't be said is left out, which makes the domain larger.
        for condition in self.problem.stencil.granted.conditions().unwrap_or_default() {
            all.extend(self.poly(&condition).map(|p| format!("{p} >= 0")));
        }
        for d in 0..self.dims() {
            self.bound(&s.lo[d], &format!("s{d} >= "), true, &mut all);
            self.bound(&s.hi[d], &format!("s{d} <= "), false, &mut all);
        }
        all.join(" and ")
    }

    /// `s >= max(a, b)` is two bounds; what can't be said is left out, which makes the domain larger.
    fn bound(&mut self, e: &IntExpr, relation: &str, lower: bool, all: &mut Vec<String>) {
        match e {
            IntExpr::Poly(p) => all.extend(self.poly(p).map(|p| format!("{relation}{p}"))),
            IntExpr::Max(a, b) if lower => {
                self.bound(a, relation, lower, all);
                self.bound(b, relation, lower, all);
            }
            IntExpr::Min(a, b) if !lower => {
                self.bound(a, relation, lower, all);
                self.bound(b, relation, lower, all);
            }
            IntExpr::Max(..) | IntExpr::Min(..) | IntExpr::Add(..) => (),
        }
    }

    /// A polynomial; products of integer parameters are parameters of their own. `None` if counters are multiplied.
    fn poly(&mut self, p: &Poly) -> Option<String> {
        let mut out = Vec::new();
        for term in p.terms() {
            let factor = match term.symbols.as_slice() {
                [] => String::new(),
                [Sym::Int(i)] => format!(" * i{i}"),
                [Sym::Time] => " * t".to_owned(),
                [Sym::Iv(d)] => format!(" * s{d}"),
                all if all.iter().all(|s| matches!(s, Sym::Int(_))) => {
                    let known = self.products.iter().position(|q| q == all);
                    let at = known.unwrap_or_else(|| {
                        self.products.push(all.to_vec());
                        self.products.len() - 1
                    });
                    format!(" * q{at}")
                }
                _ => return None,
            };
            out.push(format!("{}{factor}", term.coefficient));
        }
        Some(if out.is_empty() { "0".to_owned() } else { format!("({})", out.join(" + ")) })
    }

    /// All pairs of instances whose distance lies in the dependence cone: `{ [u, s0, …] -> [u', s0', …] }`.
    pub fn cone(&self) -> String {
        let point = self.timed();
        let sink = point.replace(", ", "x, ") + "x";
        let mut all = vec!["u < ux".to_owned()];
        for (d, (delta0, delta1)) in self.problem.deps.cone.delta.iter().enumerate() {
            let ds = format!("(s{d}x - s{d})");
            all.push(format!("{} * {ds} <= {} * (ux - u)", delta0.den, delta0.num));
            all.push(format!("{} * {ds} >= {} * (ux - u)", delta1.den, -delta1.num));
        }
        self.wrap(&[format!("[{point}] -> [{sink}] : {}", all.join(" and "))])
    }

    /// `{ [T, p, X0, X1, …, l] -> [T, p, X0] }`
    pub fn to_block(&self) -> String {
        format!("{{ [{}] -> [{}] }}", self.tile(""), self.block(""))
    }

    /// Pairs of different blocks of one launch.
    pub fn strangers(&self) -> String {
        let (from, to) = (self.block(""), self.block("x"));
        let pieces: Vec<String> = self
            .rows()
            .iter()
            .map(|d| format!("[{from}] -> [{to}] : T = Tx and p = px and X{d} != X{d}x"))
            .collect();
        format!("{{ {} }}", pieces.join("; "))
    }

    /// Pairs of tile points of which the second comes after the first: in a later launch, or later in the same block.
    pub fn later(&self) -> String {
        let (from, to) = (self.tile(""), self.tile("x"));
        let mut orders = vec!["T < Tx".to_owned(), "T = Tx and p < px".to_owned()];
        let rows = self.rows();
        let mut same = "T = Tx and p = px".to_owned();
        same.extend(rows.iter().map(|d| format!(" and X{d} = X{d}x")));
        let walked = (0..self.dims()).filter(|d| !rows.contains(d)).map(|d| format!("X{d}"));
        for name in walked.chain(["l".to_owned()]) {
            orders.push(format!("{same} and {name} < {name}x"));
            same += &format!(" and {name} = {name}x");
        }
        let pieces: Vec<String> =
            orders.iter().map(|order| format!("[{from}] -> [{to}] : {order}")).collect();
        format!("{{ {} }}", pieces.join("; "))
    }
}

/// The range of X<d>.
fn range(d: usize, row: &Row) -> String {
    format!("{} <= X{d} <= {}", plan(&row.first), plan(&row.last))
}

/// Coordinate d of local coordinate 0 of block X<d>.
fn origin(d: usize, row: &Row) -> String {
    format!("({} + {} * (X{d} - {}))", plan(&row.origin), row.pitch, plan(&row.first))
}

/// `width · X <= s − shift + ⌊skew · l⌋ < width · X + width`
fn parallelogram(dim: usize, c: &Classical) -> String {
    let Some(width) = c.width else { return format!("X{dim} = 0") };
    let skewed = format!("s{dim} - {} + floor(({} l)/{})", c.shift, c.skew.num, c.skew.den);
    format!("{width} X{dim} <= {skewed} and {skewed} < {width} X{dim} + {width}")
}

fn plan(e: &PlanExpr) -> String {
    match e {
        PlanExpr::Const(c) => format!("({c})"),
        PlanExpr::Steps => "N".to_owned(),
        PlanExpr::SpaceLo(d) => format!("lo{d}"),
        PlanExpr::SpaceHi(d) => format!("hi{d}"),
        PlanExpr::Var(_) => "T".to_owned(),
        PlanExpr::Add(a, b) => format!("({} + {})", plan(a), plan(b)),
        PlanExpr::Mul(a, c) => format!("({c} * {})", plan(a)),
        PlanExpr::FloorDiv(a, c) => format!("floor(({})/{c})", plan(a)),
        PlanExpr::Max(a, b) => format!("max({}, {})", plan(a), plan(b)),
        PlanExpr::Min(a, b) => format!("min({}, {})", plan(a), plan(b)),
        // Not linear: no phase speaks of them, and isl refuses the text.
        PlanExpr::Pick(..)
        | PlanExpr::Tunable(_)
        | PlanExpr::Quotient(..)
        | PlanExpr::Product(..) => "?".to_owned(),
    }
}

/// `e <= b`, a maximum being two bounds.
fn lower(e: &IExpr, b: &str) -> Result<String, Rejection> {
    match e {
        IExpr::Max(x, y) => Ok(format!("{} and {}", lower(x, b)?, lower(y, b)?)),
        e => Ok(format!("{} <= {b}", level(e)?)),
    }
}

/// `b <= e`, a minimum being two bounds.
fn upper(e: &IExpr, b: &str) -> Result<String, Rejection> {
    match e {
        IExpr::Min(x, y) => Ok(format!("{} and {}", upper(x, b)?, upper(y, b)?)),
        e => Ok(format!("{b} <= {}", level(e)?)),
    }
}

/// An expression of the level.
fn level(e: &IExpr) -> Result<String, Rejection> {
    let two = |a: &IExpr, b: &IExpr| Ok::<_, Rejection>((level(a)?, level(b)?));
    Ok(match e {
        IExpr::Const(c) => format!("({c})"),
        IExpr::Var(LEVEL) => "l".to_owned(),
        IExpr::Add(a, b) => two(a, b).map(|(a, b)| format!("({a} + {b})"))?,
        IExpr::Sub(a, b) => two(a, b).map(|(a, b)| format!("({a} - {b})"))?,
        IExpr::Mul(a, b) => match (a.as_const(), b.as_const()) {
            (Some(c), _) => format!("({c} * {})", level(b)?),
            (_, Some(c)) => format!("({c} * {})", level(a)?),
            _ => return Err(illegal("a row is not linear")),
        },
        IExpr::FloorDiv(a, c) => format!("floor(({})/{c})", level(a)?),
        IExpr::Mod(a, c) => format!("({} mod {c})", level(a)?),
        IExpr::Opaque(a) => level(a)?,
        IExpr::Min(a, b) => two(a, b).map(|(a, b)| format!("min({a}, {b})"))?,
        IExpr::Max(a, b) => two(a, b).map(|(a, b)| format!("max({a}, {b})"))?,
        IExpr::Var(_) | IExpr::Param(_) | IExpr::Block(_) | IExpr::Thread(_) => {
            return Err(illegal("a row speaks of something else than the level"));
        }
    })
}
