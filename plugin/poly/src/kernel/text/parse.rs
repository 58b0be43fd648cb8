//! Reads what the parent module prints.

use super::{names, work_fields};
use crate::body::Body;
use crate::kernel::ir::{
    Cond, IExpr, Kernel, KernelProgram, LoopKind, Node, Place, RegisterBank, SharedBuffer, Style,
};
use crate::kernel::pieces::Piece;
use crate::text::{Line, TextError, lines, parse_elem, parse_value};
use hexpass_abi::{
    BlockWork, BorderCost, Folds, KernelCost, KernelParam, LaunchPlan, PlanExpr, PlanOp, Tunable,
};
use std::str::FromStr;

impl FromStr for KernelProgram {
    type Err = TextError;

    fn from_str(text: &str) -> Result<KernelProgram, TextError> {
        let mut reader = Reader { lines: lines(text)?, at: 0 };
        let mut kernels = Vec::new();
        while reader.starts("kernel") {
            kernels.push(reader.kernel()?);
        }
        let (mut tunables, mut scratch) = (Vec::new(), Vec::new());
        while reader.starts("tunable") {
            tunables.push(tunable(&mut reader.next()?)?);
        }
        if reader.starts("scratch") {
            let mut line = reader.next()?;
            line.expect_word("scratch")?;
            scratch = numbers(&mut line)?;
        }
        let alike = reader.starts("alike");
        if alike {
            let mut line = reader.next()?;
            line.expect_word("alike")?;
            line.end()?;
        }
        let mut least = Vec::new();
        if reader.starts("least") {
            let mut line = reader.next()?;
            line.expect_word("least")?;
            least = numbers(&mut line)?;
        }
        let mut line = reader.next()?;
        line.expect_word("plan")?;
        line.expect_word("vars")?;
        let vars = line.number()?;
        line.end()?;
        let ops = reader.ops()?;
        match reader.lines.get(reader.at) {
            Some(line) => Err(line.error("something stands after the plan")),
            None => {
                let plan = LaunchPlan { ops, vars };
                Ok(KernelProgram { kernels, plan, tunables, scratch, alike, least })
            }
        }
    }
}

type Read<T> = Result<T, TextError>;

struct Reader {
    lines: Vec<Line>,
    at: usize,
}

/// A block's work, field by field.
fn fields(line: &mut Line, work: &mut BlockWork) -> Read<()> {
    for (name, value) in work_fields(work) {
        line.expect_word(name)?;
        *value = line.number()?;
    }
    Ok(())
}

impl Reader {
    fn next(&mut self) -> Read<Line> {
        let missing = || TextError { line: self.at, message: "the text ends too early".to_owned() };
        let line = self.lines.get(self.at).cloned().ok_or_else(missing)?;
        self.at += 1;
        Ok(line)
    }

    fn starts(&self, word: &str) -> bool {
        self.lines.get(self.at).is_some_and(|l| l.clone().eat_word(word))
    }

    fn kernel(&mut self) -> Read<Kernel> {
        let mut line = self.next()?;
        line.expect_word("kernel")?;
        let name = line.ident()?;
        line.expect_word("threads")?;
        let threads = [line.number()?, line.number()?, line.number()?];
        let style = if line.eat_word("each") { Style::Thread } else { Style::Block };
        line.expect_word("vars")?;
        let vars = line.number()?;
        let general = line.eat_word("general");
        let round = if line.eat_word("round") { numbers(&mut line)? } else { Vec::new() };
        line.end()?;
        let (mut params, mut shared) = (Vec::new(), Vec::new());
        while self.starts("param") {
            params.push(param(&mut self.next()?)?);
        }
        let mut folds = None;
        if self.starts("folds") {
            folds = Some(kept(&mut self.next()?)?);
        }
        while self.starts("shared") {
            shared.push(buffer(&mut self.next()?)?);
        }
        let mut registers = Vec::new();
        while self.starts("registers") {
            registers.push(bank(&mut self.next()?)?);
        }
        let mut pieces = Vec::new();
        while self.starts("piece") {
            pieces.push(self.piece()?);
        }
        let cost = self.cost()?;
        let body = self.nodes()?;
        Ok(Kernel {
            name,
            threads,
            style,
            shared,
            registers,
            params,
            pieces,
            vars,
            body,
            general,
            round,
            folds,
            cost,
        })
    }

    fn cost(&mut self) -> Read<KernelCost> {
        let mut cost = KernelCost::default();
        if !self.starts("cost") {
            return Ok(cost);
        }
        let mut line = self.next()?;
        line.expect_word("cost")?;
        line.expect_word("registers")?;
        cost.registers = line.number()?;
        line.end()?;
        self.work(&mut cost.start, &mut cost.turn)?;
        cost.turns = self.turns()?;
        if self.starts("code") {
            let mut line = self.next()?;
            line.expect_word("code")?;
            cost.code = line.number()?;
            line.end()?;
        }
        if self.starts("border") {
            let mut border = BorderCost::default();
            let mut line = self.next()?;
            line.expect_word("border")?;
            for ends in &mut border.ends {
                *ends = line.number()?;
            }
            line.expect_word("code")?;
            border.code = line.number()?;
            line.end()?;
            border.turns = self.turns()?;
            self.work(&mut border.start, &mut border.turn)?;
            if self.starts("rows") {
                let mut line = self.next()?;
                line.expect_word("rows")?;
                border.rows = line.number()?;
                line.expect_word("turns")?;
                border.row_turns = line.number()?;
                fields(&mut line, &mut border.row)?;
                line.end()?;
            }
            cost.border = Some(border);
        }
        Ok(cost)
    }

    fn turns(&mut self) -> Read<Option<PlanExpr>> {
        if !self.starts("turns") {
            return Ok(None);
        }
        let mut line = self.next()?;
        line.expect_word("turns")?;
        let turns = plan(&mut line)?;
        line.end()?;
        Ok(Some(turns))
    }

    /// Lines of what a block does in its start, and in each turn.
    fn work(&mut self, start: &mut BlockWork, turn: &mut BlockWork) -> Read<()> {
        for (word, work) in [("start", start), ("turn", turn)] {
            let mut line = self.next()?;
            line.expect_word(word)?;
            fields(&mut line, work)?;
            line.end()?;
        }
        Ok(())
    }

    /// Nodes up to something that is none.
    fn nodes(&mut self) -> Read<Vec<Node>> {
        let mut out = Vec::new();
        while NODES.iter().any(|w| self.starts(w)) {
            out.push(self.node()?);
        }
        Ok(out)
    }

    fn end(&mut self) -> Read<()> {
        let mut line = self.next()?;
        line.expect_word("end")?;
        line.end()
    }

    fn node(&mut self) -> Read<Node> {
        let mut line = self.next()?;
        let l = &mut line;
        let node = match l.ident()?.as_str() {
            "let" => {
                let var = l.numbered("v")?;
                l.expect('=')?;
                Node::Let { var, value: expr(l)? }
            }
            "for" => {
                let var = l.numbered("v")?;
                l.expect('=')?;
                let lo = expr(l)?;
                l.expect_word("to")?;
                let hi = expr(l)?;
                l.expect_word("step")?;
                let (step, kind) = (l.number()?, kind(l)?);
                let body = self.nodes()?;
                self.end()?;
                Node::For { var, lo, hi, step, kind, body }
            }
            "if" => {
                let cond = condition(l)?;
                let then = self.nodes()?;
                let mut otherwise = Vec::new();
                if self.starts("else") {
                    self.next()?;
                    otherwise = self.nodes()?;
                }
                self.end()?;
                Node::If { cond, then, otherwise }
            }
            "copy" => {
                let to = place(l)?;
                l.expect_word("from")?;
                Node::Copy { to, from: place(l)? }
            }
            "vector" => {
                let count = l.number()?;
                let to = place(l)?;
                l.expect_word("from")?;
                Node::Vector { to, from: place(l)?, count }
            }
            "shuffle" => {
                let lanes = l.number()?;
                let to = place(l)?;
                l.expect_word("from")?;
                Node::Shuffle { to, from: place(l)?, lanes }
            }
            "select" => {
                let to = place(l)?;
                l.expect_word("where")?;
                let cond = condition(l)?;
                l.expect_word("of")?;
                let then = place(l)?;
                l.expect_word("else")?;
                Node::Select { to, cond, then, otherwise: place(l)? }
            }
            "prefetch" => {
                let from = place(l)?;
                l.expect_word("where")?;
                Node::Prefetch { from, cond: condition(l)? }
            }
            "fetch" => {
                let count = l.number()?;
                let mut copies = Vec::new();
                while !self.starts("end") {
                    let mut line = self.next()?;
                    line.expect_word("copy")?;
                    let to = place(&mut line)?;
                    line.expect_word("from")?;
                    copies.push((to, place(&mut line)?));
                    line.end()?;
                }
                self.end()?;
                Node::Fetch { copies, count }
            }
            "await" => {
                l.expect_word("all")?;
                l.expect_word("but")?;
                Node::Await { but: l.number()? }
            }
            "instance" => self.instance(l)?,
            _ if l.eat_word("beside") => Node::BarrierBeside,
            _ => Node::Barrier,
        };
        line.end()?;
        Ok(node)
    }

    fn piece(&mut self) -> Read<Piece> {
        let mut line = self.next()?;
        line.expect_word("piece")?;
        line.expect_word("of")?;
        let statement = line.number()?;
        line.expect_word("writes")?;
        let writes = numbers(&mut line)?;
        let mut values = Vec::new();
        while !self.starts("end") {
            values.push(parse_value(&mut self.next()?, values.len(), &names())?);
        }
        self.end()?;
        Ok(Piece { statement, body: Body { values }, writes })
    }

    fn instance(&mut self, l: &mut Line) -> Read<Node> {
        let statement = l.number()?;
        let piece = if l.eat_word("piece") { Some(l.number()?) } else { None };
        l.expect_word("at")?;
        let (time, coords) = (expr(l)?, bracketed(l)?);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        while self.starts("read") {
            let mut line = self.next()?;
            line.ident()?;
            reads.push(place(&mut line)?);
            line.end()?;
        }
        while self.starts("write") {
            let mut line = self.next()?;
            line.ident()?;
            let mut places = vec![place(&mut line)?];
            while line.eat(',') {
                places.push(place(&mut line)?);
            }
            line.end()?;
            writes.push(places);
        }
        self.end()?;
        Ok(Node::Instance { statement, piece, time, coords, reads, writes })
    }

    fn ops(&mut self) -> Read<Vec<PlanOp>> {
        let mut out = Vec::new();
        while self.starts("loop") || self.starts("launch") {
            let mut line = self.next()?;
            let l = &mut line;
            out.push(if l.eat_word("loop") {
                let var = l.numbered("t")? as u8;
                l.expect('=')?;
                let lo = plan(l)?;
                l.expect_word("to")?;
                let hi = plan(l)?;
                let body = self.ops()?;
                self.end()?;
                PlanOp::Loop { var, lo, hi, body }
            } else {
                l.expect_word("launch")?;
                let kernel = l.number()?;
                l.expect_word("blocks")?;
                let x = plan(l)?;
                l.expect(',')?;
                let y = plan(l)?;
                l.expect(',')?;
                let blocks = [x, y, plan(l)?];
                l.expect_word("at")?;
                let time = plan(l)?;
                l.expect_word("args")?;
                let mut args = Vec::new();
                while !l.at_end() {
                    args.push(plan(l)?);
                    l.eat(',');
                }
                PlanOp::Launch { kernel, blocks, time, args }
            });
            line.end()?;
        }
        Ok(out)
    }
}

fn param(l: &mut Line) -> Read<KernelParam> {
    l.expect_word("param")?;
    let p = match l.ident()?.as_str() {
        "slot" => KernelParam::Slot { array: l.number()?, rotation: l.number()? },
        "stride" => KernelParam::Stride { array: l.number()?, dim: l.number()? },
        "array_lo" => KernelParam::ArrayLo { array: l.number()?, dim: l.number()? },
        "array_hi" => KernelParam::ArrayHi { array: l.number()?, dim: l.number()? },
        "statement_lo" => KernelParam::StatementLo { statement: l.number()?, dim: l.number()? },
        "statement_hi" => KernelParam::StatementHi { statement: l.number()?, dim: l.number()? },
        "int" => KernelParam::Int(names().parse_poly(l)?),
        "scalar" => KernelParam::Scalar(l.number()?),
        "steps" => KernelParam::Steps,
        "launch" => KernelParam::Launch(l.number()?),
        "buffer" => KernelParam::Buffer {
            array: l.number()?,
            even: l.number()?,
            odd: l.number()?,
            arg: l.number()?,
        },
        other => return Err(l.error(format!("no parameter is called `{other}`"))),
    };
    l.end()?;
    Ok(p)
}

/// First words of all nodes.
const NODES: &[&str] = &[
    "let", "for", "if", "copy", "vector", "shuffle", "select", "prefetch", "fetch", "await",
    "instance", "barrier",
];

fn bank(l: &mut Line) -> Read<RegisterBank> {
    l.expect_word("registers")?;
    let bank = RegisterBank { name: l.text()?, elem: parse_elem(l)?, len: l.number()? };
    l.end()?;
    Ok(bank)
}

fn buffer(l: &mut Line) -> Read<SharedBuffer> {
    l.expect_word("shared")?;
    Ok(SharedBuffer { name: l.text()?, elem: parse_elem(l)?, extents: numbers(l)? })
}

fn tunable(l: &mut Line) -> Read<Tunable> {
    l.expect_word("tunable")?;
    Ok(Tunable { name: l.text()?, values: numbers(l)? })
}

/// Numbers up to the end of the line.
fn kept(l: &mut Line) -> Read<Folds> {
    l.expect_word("folds")?;
    l.expect_word("steps")?;
    let steps = l.number()?;
    let rows = if l.eat_word("rows") { Some((l.number()?, l.number()?)) } else { None };
    l.expect_word("of")?;
    Ok(Folds { arrays: numbers(l)?, steps, rows })
}

fn numbers<T: TryFrom<i128>>(l: &mut Line) -> Read<Vec<T>> {
    let mut all = Vec::new();
    while !l.at_end() {
        all.push(l.number()?);
    }
    Ok(all)
}

fn kind(l: &mut Line) -> Read<LoopKind> {
    match l.ident()?.as_str() {
        "sequential" => Ok(LoopKind::Sequential),
        "unrolled" => Ok(LoopKind::Unrolled),
        "threads" => Ok(LoopKind::Threads(l.number()?)),
        "lanes" => Ok(LoopKind::Lanes),
        other => Err(l.error(format!("no kind of loop is called `{other}`"))),
    }
}

fn condition(l: &mut Line) -> Read<Cond> {
    if !l.eat_word("all") {
        let a = expr(l)?;
        l.expect('<')?;
        l.expect('=')?;
        return Ok(Cond::Le(a, expr(l)?));
    }
    l.expect('(')?;
    let mut all = Vec::new();
    while !l.eat(')') {
        all.push(condition(l)?);
        l.eat(',');
    }
    Ok(Cond::All(all))
}

fn bracketed(l: &mut Line) -> Read<Vec<IExpr>> {
    l.expect('[')?;
    let mut all = Vec::new();
    while !l.eat(']') {
        all.push(expr(l)?);
        l.eat(',');
    }
    Ok(all)
}

fn place(l: &mut Line) -> Read<Place> {
    if l.eat_word("shared") {
        return Ok(Place::Shared { buffer: l.number()?, subscripts: bracketed(l)? });
    }
    if l.eat_word("buffer") {
        return Ok(Place::Buffer { param: l.number()?, subscripts: bracketed(l)? });
    }
    if l.eat_word("register") {
        return Ok(Place::Register { bank: l.number()?, index: l.number()? });
    }
    l.expect_word("global")?;
    let array = l.number()?;
    l.expect('@')?;
    Ok(Place::Global { array, rotation: expr(l)?, subscripts: bracketed(l)? })
}

/// `(a, b)` after a function's name.
fn two<A, B>(
    l: &mut Line,
    a: fn(&mut Line) -> Read<A>,
    b: fn(&mut Line) -> Read<B>,
) -> Read<(Box<A>, B)> {
    l.expect('(')?;
    let first = a(l)?;
    l.expect(',')?;
    let second = b(l)?;
    l.expect(')')?;
    Ok((Box::new(first), second))
}

fn divisor(l: &mut Line) -> Read<i64> {
    let c: i64 = l.number()?;
    if c > 0 { Ok(c) } else { Err(l.error("a divisor must be positive")) }
}

fn boxed(l: &mut Line) -> Read<Box<IExpr>> {
    expr(l).map(Box::new)
}

fn expr(l: &mut Line) -> Read<IExpr> {
    if l.eat('(') {
        let a = boxed(l)?;
        let make = if l.eat('+') {
            IExpr::Add
        } else if l.eat('-') {
            IExpr::Sub
        } else {
            l.expect('*')?;
            IExpr::Mul
        };
        let b = boxed(l)?;
        l.expect(')')?;
        return Ok(make(a, b));
    }
    if let Ok(c) = l.clone().number::<i64>() {
        l.number::<i64>()?;
        return Ok(IExpr::Const(c));
    }
    if let Ok(v) = l.clone().numbered("v") {
        l.ident()?;
        return Ok(IExpr::Var(v));
    }
    if let Ok(p) = l.clone().numbered("p") {
        l.ident()?;
        return Ok(IExpr::Param(p));
    }
    for (prefix, make) in
        [("block", IExpr::Block as fn(u8) -> IExpr), ("thread", IExpr::Thread as fn(u8) -> IExpr)]
    {
        if let Ok(axis) = l.clone().numbered(prefix) {
            l.ident()?;
            return Ok(make(axis as u8));
        }
    }
    match l.ident()?.as_str() {
        "floor" => two(l, expr, divisor).map(|(a, c)| IExpr::FloorDiv(a, c)),
        "opaque" => {
            l.expect('(')?;
            let inner = boxed(l)?;
            l.expect(')')?;
            Ok(IExpr::Opaque(inner))
        }
        "mod" => two(l, expr, divisor).map(|(a, c)| IExpr::Mod(a, c)),
        "min" => two(l, expr, boxed).map(|(a, b)| IExpr::Min(a, b)),
        "max" => two(l, expr, boxed).map(|(a, b)| IExpr::Max(a, b)),
        other => Err(l.error(format!("`{other}` is no expression"))),
    }
}

fn boxed_plan(l: &mut Line) -> Read<Box<PlanExpr>> {
    plan(l).map(Box::new)
}

fn plan(l: &mut Line) -> Read<PlanExpr> {
    if l.eat('(') {
        let a = boxed_plan(l)?;
        let sum = l.eat('+');
        let e = if sum {
            PlanExpr::Add(a, boxed_plan(l)?)
        } else {
            l.expect('*')?;
            PlanExpr::Mul(a, l.number()?)
        };
        l.expect(')')?;
        return Ok(e);
    }
    if let Ok(c) = l.clone().number::<i64>() {
        l.number::<i64>()?;
        return Ok(PlanExpr::Const(c));
    }
    for (prefix, make) in [
        ("lo", PlanExpr::SpaceLo as fn(u8) -> PlanExpr),
        ("hi", PlanExpr::SpaceHi),
        ("t", PlanExpr::Var),
        ("size", PlanExpr::Tunable),
    ] {
        if let Ok(i) = l.clone().numbered(prefix) {
            l.ident()?;
            return Ok(make(i as u8));
        }
    }
    match l.ident()?.as_str() {
        "steps" => Ok(PlanExpr::Steps),
        "floor" => two(l, plan, divisor).map(|(a, c)| PlanExpr::FloorDiv(a, c)),
        "min" => two(l, plan, boxed_plan).map(|(a, b)| PlanExpr::Min(a, b)),
        "max" => two(l, plan, boxed_plan).map(|(a, b)| PlanExpr::Max(a, b)),
        "quotient" => two(l, plan, boxed_plan).map(|(a, b)| PlanExpr::Quotient(a, b)),
        "product" => two(l, plan, boxed_plan).map(|(a, b)| PlanExpr::Product(a, b)),
        "pick" => {
            l.expect('(')?;
            let condition = boxed_plan(l)?;
            l.expect(',')?;
            let then = boxed_plan(l)?;
            l.expect(',')?;
            let otherwise = boxed_plan(l)?;
            l.expect(')')?;
            Ok(PlanExpr::Pick(condition, then, otherwise))
        }
        other => Err(l.error(format!("`{other}` is no expression"))),
    }
}
