//! Kernel programs as text, for goldens: printed here, read in [`parse`].
//!
//! One node stands on each line; `for`, `if` and `instance` go to their `end`. Sums, differences and products are
//! always in parentheses, so that what is read is what was printed.
//!
//! ```text
//! kernel hexagonal_0 threads 64 4 1 vars 7
//! param launch 1
//! shared "a" f32 2 11 40
//! let v0 = (p0 + (block0 * 12))
//! for v1 = 0 to 5 step 1 threads 1
//! instance 0 at p3 [v1]
//! read shared 0 [v1]
//! write shared 0 [v1], global 0 @ 1 [(v0 + v1)]
//! end
//! end
//! barrier
//! plan vars 1
//! loop t0 = 0 to floor((steps + 1), 4)
//! launch 0 blocks 4, 1, 1 at t0 args t0, lo0
//! end
//! ```
//!
//! A kernel for threads (`each` after the threads) has registers, and other nodes:
//!
//! ```text
//! registers "row" f32 4
//! piece of 0 writes 2
//! v0 f32 = load 0
//! v1 f32 = load 1
//! v2 f32 = fadd v0 v1
//! end
//! instance 0 piece 0 at p0 [v0]
//! read register 0 0
//! read register 0 1
//! write register 0 2
//! end
//! vector 4 register 0 0 from buffer 2 [v0, (thread0 * 4)]
//! shuffle 1 register 0 4 from register 0 0
//! select register 0 0 where p1 <= v0 of register 0 1 else register 0 2
//! copy buffer 3 [v0, thread0] from register 0 0
//! barrier beside
//! ```
//!
//! `round 0 1` behind a kernel's variables names dimensions without ends; `folds steps 4 rows 1 2 of 3` behind its parameters
//! says of which arrays threads keep an element each ([`hexpass_abi::Folds`]); before the plan stand `tunable`, `scratch`, `alike`
//! and `least`, where there is something to say.

mod parse;

use super::ir::{Cond, IExpr, Kernel, KernelProgram, LoopKind, Node, Place, Style};
use crate::text::{Names, elem_name, quote};
use hexpass_abi::{BlockWork, KernelCost, KernelParam, PlanExpr, PlanOp};
use std::fmt;

impl fmt::Display for KernelProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Printer { text: String::new(), depth: 0 };
        self.kernels.iter().for_each(|k| out.kernel(k));
        for t in &self.tunables {
            out.line(format!("tunable {}{}", quote(&t.name), spaced(&t.values)));
        }
        if !self.scratch.is_empty() {
            out.line(format!("scratch{}", spaced(&self.scratch)));
        }
        if self.alike {
            out.line("alike".to_owned());
        }
        if !self.least.is_empty() {
            out.line(format!("least{}", spaced(&self.least)));
        }
        out.line(format!("plan vars {}", self.plan.vars));
        out.ops(&self.plan.ops);
        f.write_str(&out.text)
    }
}

/// Integer parameters are called `n0`, `n1`, … in a kernel's text.
fn names() -> Names {
    Names::new(&(0..1024).map(|i| format!("n{i}")).collect::<Vec<_>>())
}

struct Printer {
    text: String,
    depth: usize,
}

impl Printer {
    fn line(&mut self, line: String) {
        self.text.push_str(&"  ".repeat(self.depth));
        self.text.push_str(&line);
        self.text.push('\n');
    }

    fn inside(&mut self, print: impl FnOnce(&mut Printer)) {
        self.depth += 1;
        print(self);
        self.depth -= 1;
    }

    fn kernel(&mut self, k: &Kernel) {
        let [x, y, z] = k.threads;
        let style = match k.style {
            Style::Block => "",
            Style::Thread => " each",
        };
        let general = if k.general { " general" } else { "" };
        let round =
            if k.round.is_empty() { String::new() } else { format!(" round{}", spaced(&k.round)) };
        self.line(format!(
            "kernel {} threads {x} {y} {z}{style} vars {}{general}{round}",
            k.name, k.vars
        ));
        for p in &k.params {
            self.line(format!("param {}", param(p)));
        }
        if let Some(folds) = &k.folds {
            let rows =
                folds.rows.map_or(String::new(), |(axis, each)| format!(" rows {axis} {each}"));
            self.line(format!("folds steps {}{rows} of{}", folds.steps, spaced(&folds.arrays)));
        }
        for b in &k.shared {
            let (name, elem) = (quote(&b.name), elem_name(b.elem));
            self.line(format!("shared {name} {elem}{}", spaced(&b.extents)));
        }
        for r in &k.registers {
            self.line(format!("registers {} {} {}", quote(&r.name), elem_name(r.elem), r.len));
        }
        for p in &k.pieces {
            self.line(format!("piece of {} writes{}", p.statement, spaced(&p.writes)));
            self.inside(|out| {
                crate::text::body_lines(&p.body, &names()).into_iter().for_each(|l| out.line(l))
            });
            self.line("end".into());
        }
        self.cost(&k.cost);
        self.nodes(&k.body);
    }

    /// Nothing of a cost that says nothing.
    fn cost(&mut self, cost: &KernelCost) {
        if *cost == KernelCost::default() {
            return;
        }
        self.line(format!("cost registers {}", cost.registers));
        self.line(format!("start {}", work(&cost.start)));
        self.line(format!("turn {}", work(&cost.turn)));
        if let Some(turns) = &cost.turns {
            self.line(format!("turns {}", plan(turns)));
        }
        if cost.code > 0 {
            self.line(format!("code {}", cost.code));
        }
        if let Some(border) = &cost.border {
            self.line(format!("border{} code {}", spaced(&border.ends), border.code));
            if let Some(turns) = &border.turns {
                self.line(format!("turns {}", plan(turns)));
            }
            self.line(format!("start {}", work(&border.start)));
            self.line(format!("turn {}", work(&border.turn)));
            if border.rows > 0 {
                let (rows, turns) = (border.rows, border.row_turns);
                self.line(format!("rows {rows} turns {turns} {}", work(&border.row)));
            }
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|n| self.node(n));
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Let { var, value } => self.line(format!("let v{var} = {}", expr(value))),
            Node::For { var, lo, hi, step, kind, body } => {
                let range = format!("{} to {} step {step}", expr(lo), expr(hi));
                self.line(format!("for v{var} = {range} {}", kind_name(*kind)));
                self.inside(|p| p.nodes(body));
                self.line("end".into());
            }
            Node::If { cond, then, otherwise } => {
                self.line(format!("if {}", condition(cond)));
                self.inside(|p| p.nodes(then));
                if !otherwise.is_empty() {
                    self.line("else".into());
                    self.inside(|p| p.nodes(otherwise));
                }
                self.line("end".into());
            }
            Node::Copy { to, from } => {
                self.line(format!("copy {} from {}", place(to), place(from)))
            }
            Node::Instance { statement, piece, time, coords, reads, writes } => {
                let piece = piece.map_or(String::new(), |p| format!(" piece {p}"));
                let (time, at) = (expr(time), bracketed(coords));
                self.line(format!("instance {statement}{piece} at {time} {at}"));
                self.inside(|p| {
                    reads.iter().for_each(|r| p.line(format!("read {}", place(r))));
                    for w in writes {
                        let all: Vec<String> = w.iter().map(place).collect();
                        p.line(format!("write {}", all.join(", ")));
                    }
                });
                self.line("end".into());
            }
            Node::Vector { to, from, count } => {
                self.line(format!("vector {count} {} from {}", place(to), place(from)))
            }
            Node::Shuffle { to, from, lanes } => {
                self.line(format!("shuffle {lanes} {} from {}", place(to), place(from)))
            }
            Node::Select { to, cond, then, otherwise } => {
                let (then, otherwise) = (place(then), place(otherwise));
                self.line(format!(
                    "select {} where {} of {then} else {otherwise}",
                    place(to),
                    condition(cond)
                ))
            }
            Node::Prefetch { from, cond } => {
                self.line(format!("prefetch {} where {}", place(from), condition(cond)))
            }
            Node::Fetch { copies, count } => {
                self.line(format!("fetch {count}"));
                self.inside(|p| {
                    for (to, from) in copies {
                        p.line(format!("copy {} from {}", place(to), place(from)));
                    }
                });
                self.line("end".into());
            }
            Node::Await { but } => self.line(format!("await all but {but}")),
            Node::Barrier => self.line("barrier".into()),
            Node::BarrierBeside => self.line("barrier beside".into()),
        }
    }

    fn ops(&mut self, ops: &[PlanOp]) {
        for op in ops {
            match op {
                PlanOp::Loop { var, lo, hi, body } => {
                    self.line(format!("loop t{var} = {} to {}", plan(lo), plan(hi)));
                    self.inside(|p| p.ops(body));
                    self.line("end".into());
                }
                PlanOp::Launch { kernel, blocks, time, args } => {
                    let args: Vec<String> = args.iter().map(plan).collect();
                    let blocks: Vec<String> = blocks.iter().map(plan).collect();
                    let launch = format!("blocks {} at {}", blocks.join(", "), plan(time));
                    self.line(format!("launch {kernel} {launch} args {}", args.join(", ")));
                }
            }
        }
    }
}

/// The numbers with a space before each.
fn spaced<T: fmt::Display>(all: &[T]) -> String {
    all.iter().map(|x| format!(" {x}")).collect()
}

/// What a block does, in the order of the fields.
fn work(w: &BlockWork) -> String {
    let fields = work_fields(&mut w.clone()).map(|(name, value)| format!("{name} {value}"));
    fields.join(" ")
}

/// The fields of a block's work by name.
fn work_fields(w: &mut BlockWork) -> [(&'static str, &mut u64); 12] {
    [
        ("instances", &mut w.instances),
        ("redundant", &mut w.redundant),
        ("instructions", &mut w.instructions),
        ("doubles", &mut w.doubles),
        ("special", &mut w.special),
        ("shuffles", &mut w.shuffles),
        ("bytes", &mut w.bytes),
        ("cached", &mut w.cached),
        ("words", &mut w.words),
        ("barriers", &mut w.barriers),
        ("beside", &mut w.beside),
        ("chain", &mut w.chain),
    ]
}

fn param(p: &KernelParam) -> String {
    match p {
        KernelParam::Slot { array, rotation } => format!("slot {array} {rotation}"),
        KernelParam::Stride { array, dim } => format!("stride {array} {dim}"),
        KernelParam::ArrayLo { array, dim } => format!("array_lo {array} {dim}"),
        KernelParam::ArrayHi { array, dim } => format!("array_hi {array} {dim}"),
        KernelParam::StatementLo { statement, dim } => format!("statement_lo {statement} {dim}"),
        KernelParam::StatementHi { statement, dim } => format!("statement_hi {statement} {dim}"),
        KernelParam::Int(p) => format!("int {}", names().poly(p)),
        KernelParam::Scalar(i) => format!("scalar {i}"),
        KernelParam::Steps => "steps".to_owned(),
        KernelParam::Launch(i) => format!("launch {i}"),
        KernelParam::Buffer { array, even, odd, arg } => {
            format!("buffer {array} {even} {odd} {arg}")
        }
    }
}

fn kind_name(kind: LoopKind) -> String {
    match kind {
        LoopKind::Sequential => "sequential".to_owned(),
        LoopKind::Unrolled => "unrolled".to_owned(),
        LoopKind::Threads(axis) => format!("threads {axis}"),
        LoopKind::Lanes => "lanes".to_owned(),
    }
}

fn expr(e: &IExpr) -> String {
    match e {
        IExpr::Const(c) => c.to_string(),
        IExpr::Var(v) => format!("v{v}"),
        IExpr::Param(p) => format!("p{p}"),
        IExpr::Block(axis) => format!("block{axis}"),
        IExpr::Thread(axis) => format!("thread{axis}"),
        IExpr::Add(a, b) => format!("({} + {})", expr(a), expr(b)),
        IExpr::Sub(a, b) => format!("({} - {})", expr(a), expr(b)),
        IExpr::Mul(a, b) => format!("({} * {})", expr(a), expr(b)),
        IExpr::FloorDiv(a, c) => format!("floor({}, {c})", expr(a)),
        IExpr::Mod(a, c) => format!("mod({}, {c})", expr(a)),
        IExpr::Opaque(a) => format!("opaque({})", expr(a)),
        IExpr::Min(a, b) => format!("min({}, {})", expr(a), expr(b)),
        IExpr::Max(a, b) => format!("max({}, {})", expr(a), expr(b)),
    }
}

fn condition(c: &Cond) -> String {
    match c {
        Cond::Le(a, b) => format!("{} <= {}", expr(a), expr(b)),
        Cond::All(all) => {
            format!("all({})", all.iter().map(condition).collect::<Vec<_>>().join(", "))
        }
    }
}

fn bracketed(all: &[IExpr]) -> String {
    format!("[{}]", all.iter().map(expr).collect::<Vec<_>>().join(", "))
}

fn place(p: &Place) -> String {
    match p {
        Place::Global { array, rotation, subscripts } => {
            format!("global {array} @ {} {}", expr(rotation), bracketed(subscripts))
        }
        Place::Shared { buffer, subscripts } => {
            format!("shared {buffer} {}", bracketed(subscripts))
        }
        Place::Buffer { param, subscripts } => format!("buffer {param} {}", bracketed(subscripts)),
        Place::Register { bank, index } => format!("register {bank} {index}"),
    }
}

fn plan(e: &PlanExpr) -> String {
    match e {
        PlanExpr::Const(c) => c.to_string(),
        PlanExpr::Steps => "steps".to_owned(),
        PlanExpr::SpaceLo(d) => format!("lo{d}"),
        PlanExpr::SpaceHi(d) => format!("hi{d}"),
        PlanExpr::Var(v) => format!("t{v}"),
        PlanExpr::Add(a, b) => format!("({} + {})", plan(a), plan(b)),
        PlanExpr::Mul(a, c) => format!("({} * {c})", plan(a)),
        PlanExpr::FloorDiv(a, c) => format!("floor({}, {c})", plan(a)),
        PlanExpr::Max(a, b) => format!("max({}, {})", plan(a), plan(b)),
        PlanExpr::Min(a, b) => format!("min({}, {})", plan(a), plan(b)),
        PlanExpr::Pick(c, a, b) => format!("pick({}, {}, {})", plan(c), plan(a), plan(b)),
        PlanExpr::Tunable(i) => format!("size{i}"),
        PlanExpr::Quotient(a, b) => format!("quotient({}, {})", plan(a), plan(b)),
        PlanExpr::Product(a, b) => format!("product({}, {})", plan(a), plan(b)),
    }
}
