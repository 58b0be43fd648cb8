//! Kernels that run one statement at one step, in the arrays' own slots: a thread for each point of its box, or for
//! those of a few rows.
//!
//! Consumes a statement; produces its kernel and what a plan needs to launch it ([`Launch`]). Refuses (`dependence`)
//! a statement whose instances of one step need each other.
//!
//! Threads lie along the innermost dimension in units of a warp's 128 bytes, so that loads and stores are coalesced;
//! a dimension in which the statement is one element thick at most has one thread.

use super::{Draft, is_thin};
use crate::body::{BinaryOp, Op, UnaryOp, Value};
use crate::deps;
use crate::kernel::ir::{self, Cond, IExpr, Kernel, LoopKind, Node, Place, RegisterBank, Style};
use crate::problem::Problem;
use crate::rare::usually_computed;
use crate::rejection::Rejection;
use crate::schedule::overlapped::Start;
use crate::schedule::overlapped::plan::{self, Launch, blocks_over};
use crate::stencil::{Statement, Write};
use hexpass_abi::{BlockWork, ElemType, KernelCost, KernelParam, PlanExpr};
use std::collections::BTreeMap;

/// How points are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Threads of a block along x, y, z.
    pub threads: [u32; 3],
    /// Rows of the block (along y) that a thread takes together, its loads of all of them before it waits.
    pub rows: u32,
}

impl Shape {
    /// Points along an axis of what a block does in one turn.
    fn own(&self, axis: usize) -> i64 {
        i64::from(self.threads[axis]) * if axis == 1 { i64::from(self.rows) } else { 1 }
    }
}

/// Threads of a block.
const THREADS: u32 = 256;
/// Threads along the innermost of several dimensions.
const ROW: u32 = 64;
/// Rows that a thread takes together, at most: one load a thread doesn't fill the time that memory takes to answer.
const ROWS: u32 = 4;
/// What these may come to: words that are loaded, for which a thread needs registers, and operations, all of which are
/// written out.
const WORDS: u64 = 128;
const OPERATIONS: u64 = 1024;
/// Columns of a block start at multiples of so many elements.
const ALIGN: i64 = 32;
/// Blocks of a grid along y and z at most.
const MOST_BLOCKS: i64 = 65535;

/// The launch argument that holds the turns of a thread along axis `axis` (1 or 2).
fn turns_arg(axis: usize) -> u8 {
    plan::TIME + axis as u8
}

/// A shape that suits a statement.
pub fn shape(s: &Statement) -> Shape {
    let mut threads = [1; 3];
    let mut left = THREADS;
    let thick: Vec<usize> = axes(s).filter(|&(_, d)| !is_thin(s, d)).map(|(a, _)| a).collect();
    for (at, &axis) in thick.iter().enumerate() {
        let most = if axis == 2 { ir::MOST_DEEP } else { THREADS };
        threads[axis] = if at == 0 && thick.len() > 1 { ROW } else { left.min(most) };
        left /= threads[axis];
    }
    let rows = if thick.contains(&1) && thick.contains(&0) { rows(s) } else { 1 };
    Shape { threads, rows }
}

/// Rows that a thread of a statement takes together.
fn rows(s: &Statement) -> u32 {
    let of = |v: &Value| match v.op {
        Op::Load(_) => v.ty.words().max(1) as u64,
        _ => 0,
    };
    let words: u64 = s.body.values.iter().map(of).sum();
    let fits = |rows: &u32| {
        u64::from(*rows) * words <= WORDS && u64::from(*rows) * operations(s) <= OPERATIONS
    };
    [ROWS, ROWS / 2].into_iter().find(fits).unwrap_or(1)
}

/// Each axis of the grid with its space dimension.
fn axes(s: &Statement) -> impl Iterator<Item = (usize, usize)> {
    let dims = s.lo.len();
    (0..dims).map(move |a| (a, dims - 1 - a))
}

/// Kernels of all statements, in order, and their launches; the first is kernel `first` of the program.
pub fn kernels(problem: &Problem, first: u16) -> Result<(Vec<Kernel>, Vec<Launch>), Rejection> {
    deps::check_parallel(&problem.stencil)?;
    let (mut kernels, mut launches) = (Vec::new(), Vec::new());
    for (i, s) in problem.stencil.statements.iter().enumerate() {
        let shape = shape(s);
        kernels.push(kernel(problem, i, shape, format!("statement_{i}")));
        launches.push(launch(s, shape, first + i as u16));
    }
    Ok((kernels, launches))
}

/// The kernel of one statement, whose instances of one step must not need each other.
pub fn kernel(problem: &Problem, statement: usize, shape: Shape, name: String) -> Kernel {
    let mut draft = Draft::new(&problem.stencil);
    let s = &problem.stencil.statements[statement];
    let mut registers = Vec::new();
    let body = body(&mut draft, s, statement, shape, &mut registers);
    let (params, vars) = draft.finish();
    Kernel {
        name,
        threads: shape.threads,
        style: Style::Thread,
        shared: Vec::new(),
        registers,
        params,
        pieces: Vec::new(),
        vars,
        body,
        general: false,
        round: Vec::new(),
        folds: None,
        cost: cost(problem, s, shape),
    }
}

/// How to launch the kernel of a statement.
pub fn launch(s: &Statement, shape: Shape, kernel: u16) -> Launch {
    let mut blocks = [const { PlanExpr::Const(1) }; 3];
    let mut args = vec![PlanExpr::Const(1); s.lo.len().saturating_sub(1)];
    for (axis, d) in axes(s).filter(|&(_, d)| !is_thin(s, d)) {
        let threads = shape.own(axis);
        if axis == 0 {
            blocks[0] = blocks_over(d as u8, PlanExpr::Const(threads), Start::aligned(ALIGN));
            continue;
        }
        let turns = turns(d as u8, shape, axis);
        blocks[axis] = blocks_over(d as u8, turns.clone() * threads, Start::ANY);
        args[axis - 1] = turns;
    }
    Launch { kernel, blocks, args }
}

/// Turns of a thread along an axis: one, or as many as the largest grid leaves.
fn turns(dim: u8, shape: Shape, axis: usize) -> PlanExpr {
    let needed = blocks_over(dim, PlanExpr::Const(MOST_BLOCKS * shape.own(axis)), Start::ANY);
    PlanExpr::Max(Box::new(PlanExpr::Const(1)), Box::new(needed))
}

fn body(
    draft: &mut Draft,
    s: &Statement,
    statement: usize,
    shape: Shape,
    registers: &mut Vec<RegisterBank>,
) -> Vec<Node> {
    let dims = draft.dims();
    let vars: Vec<u16> = (0..dims).map(|_| draft.var()).collect();
    let mut nodes = points(draft, s, statement, (shape, &vars), registers);
    let mut first = Vec::new();
    for (axis, d) in axes(s) {
        let lo = draft.statement_lo(statement, d);
        let threads = i64::from(shape.threads[axis]);
        let thread = if threads > 1 { IExpr::Thread(axis as u8) } else { IExpr::Const(0) };
        let place = |first: IExpr, unit: IExpr| Node::Let {
            var: vars[d],
            value: first.plus(unit.times(shape.own(axis))).plus(thread),
        };
        let block = IExpr::Block(axis as u8);
        if is_thin(s, d) {
            first.push(Node::Let { var: vars[d], value: lo });
        } else if axis == 0 {
            first.push(place(lo.floor_div(ALIGN).times(ALIGN), block));
        } else {
            let turn = draft.var();
            let turns = draft.param(KernelParam::Launch(turns_arg(axis)));
            nodes.insert(0, place(lo, block.product(turns.clone()).plus(IExpr::Var(turn))));
            let (lo, hi) = (IExpr::Const(0), turns.plus(IExpr::Const(-1)));
            let kind = LoopKind::Sequential;
            nodes = vec![Node::For { var: turn, lo, hi, step: 1, kind, body: nodes }];
        }
    }
    first.extend(nodes);
    first
}

/// The points of a thread's turn: one, or those of several rows. Where all of those are inside, nothing stands between
/// their loads; elsewhere each is asked about by itself, one after the other.
fn points(
    draft: &mut Draft,
    s: &Statement,
    statement: usize,
    (shape, vars): (Shape, &[u16]),
    registers: &mut Vec<RegisterBank>,
) -> Vec<Node> {
    let inside = |draft: &mut Draft, d: usize| {
        let (lo, hi, x) = (
            draft.statement_lo(statement, d),
            draft.statement_hi(statement, d),
            IExpr::Var(vars[d]),
        );
        [Cond::Le(lo, x.clone()), Cond::Le(x, hi)]
    };
    // What is one element thick at most may have none.
    let unsure: Vec<usize> = (0..vars.len()).filter(|&d| s.lo[d] != s.hi[d]).collect();
    let all: Vec<Cond> = unsure.iter().flat_map(|&d| inside(draft, d)).collect();
    let place = |v: &u16| IExpr::Var(*v);
    if shape.rows == 1 {
        let instance = instance(draft, s, statement, &vars.iter().map(place).collect::<Vec<_>>());
        return vec![Node::If { cond: Cond::All(all), then: vec![instance], otherwise: vec![] }];
    }
    let (d, rows) = (vars.len() - 2, i64::from(shape.rows));
    let step = i64::from(shape.threads[1]);
    let further = |rows: IExpr| IExpr::Var(vars[d]).plus(rows.times(step));
    let row = |draft: &mut Draft, number: IExpr| {
        let y = draft.var();
        let mut coords: Vec<IExpr> = vars.iter().map(place).collect();
        coords[d] = IExpr::Var(y);
        let instance = instance(draft, s, statement, &coords);
        (y, [Node::Let { var: y, value: further(number) }, instance])
    };
    let mut then: Vec<Node> = (0..rows).flat_map(|r| row(draft, IExpr::Const(r)).1).collect();
    if overwrites(s) {
        then = loads_first(draft, then, registers);
    }
    let number = draft.var();
    let (y, [at, instance]) = row(draft, IExpr::Var(number));
    let hi = draft.statement_hi(statement, d);
    let mut own = all.clone();
    own.push(Cond::Le(IExpr::Var(y), hi.clone()));
    let own = Node::If { cond: Cond::All(own), then: vec![instance], otherwise: vec![] };
    let apart = Node::For {
        var: number,
        lo: IExpr::Const(0),
        hi: IExpr::Const(rows - 1),
        step: 1,
        kind: LoopKind::Sequential,
        body: vec![at, own],
    };
    let mut together = all;
    together.push(Cond::Le(further(IExpr::Const(rows - 1)), hi));
    vec![Node::If { cond: Cond::All(together), then, otherwise: vec![apart] }]
}

/// True for a statement that writes where it reads: no compiler knows that what a row stores is not what the next one loads.
fn overwrites(s: &Statement) -> bool {
    let is_read = |w: &Write| {
        s.reads.iter().any(|r| (r.array, r.rotation) == (w.access.array, w.access.rotation))
    };
    s.writes.iter().any(is_read)
}

/// The same instances, all that they read in registers before any of them stores: instances of a step don't need each other.
fn loads_first(draft: &Draft, nodes: Vec<Node>, registers: &mut Vec<RegisterBank>) -> Vec<Node> {
    let mut register = |array: u16| {
        let elem = draft.program.arrays[usize::from(array)].elem;
        let bank = registers.iter().position(|b| b.elem == elem).unwrap_or_else(|| {
            let name = format!("r{}", registers.len());
            registers.push(RegisterBank { name, elem, len: 0 });
            registers.len() - 1
        });
        registers[bank].len += 1;
        Place::Register { bank: bank as u16, index: registers[bank].len - 1 }
    };
    let (mut loads, mut instances) = (Vec::new(), Vec::new());
    for mut node in nodes {
        let Node::Instance { statement, reads, .. } = &mut node else {
            loads.push(node);
            continue;
        };
        let accesses = &draft.program.statements[usize::from(*statement)].reads;
        for (read, access) in reads.iter_mut().zip(accesses) {
            let to = register(access.array);
            let from = std::mem::replace(read, to.clone());
            loads.push(Node::Copy { to, from });
        }
        instances.push(node);
    }
    loads.into_iter().chain(instances).collect()
}

/// The instance at coordinates, at the launch's step, in the arrays' own slots.
pub fn instance(draft: &mut Draft, s: &Statement, statement: usize, coords: &[IExpr]) -> Node {
    let time = &draft.param(KernelParam::Launch(plan::TIME));
    let mut place = |access: &hexpass_abi::Access| draft.access(access, 0, time, coords);
    let reads = s.reads.iter().map(&mut place).collect();
    let writes = s.writes.iter().map(|w| vec![place(&w.access)]).collect();
    draft.body(s, time, coords);
    let (time, coords) = (time.clone(), coords.to_vec());
    Node::Instance { statement: statement as u16, piece: None, time, coords, reads, writes }
}

/// A block that takes one turn; bytes are those of its own points, cached ones also those around it.
fn cost(problem: &Problem, s: &Statement, shape: Shape) -> KernelCost {
    let program = &problem.stencil;
    let threads: u64 = shape.threads.iter().map(|&t| u64::from(t)).product();
    let instances = threads * u64::from(shape.rows);
    let warps = instances.div_ceil(32);
    let operations = operations(s);
    let accesses = (s.reads.len() + s.writes.len()) as u64;
    let element = |array: u16| &program.arrays[usize::from(array)];
    let full = |array: u16| element(array).strides.len() == program.dims;
    let double = s.writes.iter().any(|w| element(w.access.array).elem == ElemType::F64);
    let mut work = BlockWork {
        instances,
        instructions: warps * (operations + 2 * accesses + 8),
        doubles: if double { warps * operations } else { 0 },
        special: warps * special(s),
        chain: 600 + 4 * operations,
        ..BlockWork::default()
    };
    for ((array, _), reach) in reaches(s) {
        if full(array) {
            let around: u64 = (0..program.dims)
                .map(|d| {
                    let own = shape.own(program.dims - 1 - d) as u64;
                    own + reach.get(d).map_or(0, |r| (r.1 - r.0) as u64)
                })
                .product();
            work.bytes += instances * element(array).elem.size();
            work.cached += around * element(array).elem.size();
        }
    }
    for w in &s.writes {
        let bytes = instances * element(w.access.array).elem.size();
        work.bytes += bytes;
        work.cached += bytes;
    }
    KernelCost { start: work, ..KernelCost::default() }
}

/// For each array and slot that a statement reads, how far its reads reach.
fn reaches(s: &Statement) -> BTreeMap<(u16, i32), Vec<(i64, i64)>> {
    let mut out: BTreeMap<(u16, i32), Vec<(i64, i64)>> = BTreeMap::new();
    for a in &s.reads {
        let hull =
            out.entry((a.array, a.rotation)).or_insert_with(|| vec![(0, 0); a.subscripts.len()]);
        for (subscript, (lo, hi)) in a.subscripts.iter().zip(hull) {
            let c = subscript.offset.as_constant().unwrap_or(0);
            (*lo, *hi) = ((*lo).min(c), (*hi).max(c));
        }
    }
    out
}

/// Arithmetic operations of an instance, but those that are hardly ever needed.
pub fn operations(s: &Statement) -> u64 {
    let arithmetic = |op: &Op| {
        !matches!(op, Op::Load(_) | Op::Float(_) | Op::Integer(_) | Op::Scalar(_) | Op::Index(_))
    };
    let computed = usually_computed(&s.body);
    s.body.values.iter().zip(computed).filter(|(v, is)| *is && arithmetic(&v.op)).count() as u64
}

/// Those for the special-function units.
pub fn special(s: &Statement) -> u64 {
    let special =
        |op: &Op| matches!(op, Op::Unary(UnaryOp::Sqrt, _) | Op::Binary(BinaryOp::FDiv, _, _));
    s.body.values.iter().filter(|v| special(&v.op)).count() as u64
}
