//! What the threads of a block do, counted on the kernel itself: for the time model ([`hexpass_abi::cost`]).
//!
//! Consumes a kernel of [`Style::Thread`] with what its strategy says of it (registers, turns, bytes of memory); replaces
//! instructions and the chains of those that wait for each other by what stands in the body, blocks at the ends of the
//! grid apart from those inside. Kernels of [`Style::Block`] stay as their strategy counted them.

mod differences;
mod operations;

pub use operations::{chain, has_rare_ways, instructions};

use super::ir::{Cond, IExpr, Kernel, Node, Place, Style};
use super::pieces::Code;
use crate::body::Op;
use crate::stencil::StencilProgram;
use differences::Differences;
use hexpass_abi::{BlockWork, BorderCost, ElemType, KernelCost};
use operations::{LATENCY, Operation, usual_operations};
use std::collections::HashMap;

/// Lanes of a warp.
const LANES: u64 = 32;
/// Cycles until a result is there: of a shuffle, of a word of shared memory.
const SHUFFLE_LATENCY: u64 = 24;
const SHARED_LATENCY: u64 = 30;
/// Of a value from memory that is used in the pass of a loop that asks for it.
const MEMORY_LATENCY: u64 = 600;
/// Of what is fetched ahead: the address, and the asking.
const PREFETCH_INSTRUCTIONS: u64 = 3;

/// The kernel's cost, with what can be counted on it.
pub fn counted(stencil: &StencilProgram, kernel: &Kernel) -> KernelCost {
    let known = &kernel.cost;
    if kernel.style != Style::Thread || *known == KernelCost::default() {
        return known.clone();
    }
    let body = |blocks: Blocks| {
        let mut count = Count::new(stencil, kernel, blocks);
        count.nodes(&kernel.body, 1);
        count.cost(known)
    };
    // How often loops of unknown length turn, the strategy has to say.
    let Some((start, turn, code)) = body(Blocks::Inside) else { return known.clone() };
    let axes = axes(kernel);
    let border = body(Blocks::Border).filter(|_| axes != [false; 3]);
    // Where there are more of them than the first and the last of an axis, and how far they go, the strategy has to say.
    let given = known.border.clone().unwrap_or_default();
    let row = (given.rows > 0 && has_rows(kernel)).then(|| body(Blocks::Rows)).flatten();
    let ends = |axis: usize| match axes[axis] {
        false => 0,
        // Layers are counted apart.
        true if axis == 1 && row.is_some() => 0,
        true => given.ends[axis].max(2),
    };
    let border = border.map(|(start, turn, code)| BorderCost {
        ends: std::array::from_fn(ends),
        turns: given.turns,
        start,
        turn,
        code,
        rows: if row.is_some() { given.rows } else { 0 },
        row_turns: if row.is_some() { given.row_turns } else { 0 },
        row: row.map_or(BlockWork::default(), |(_, turn, _)| turn),
    });
    KernelCost { start, turn, code, border, ..known.clone() }
}

/// Axes of the grid whose ends the kernel tells apart.
fn axes(kernel: &Kernel) -> [bool; 3] {
    let (mut scope, mut found) = (Scope::new(kernel), [false; 3]);
    let mut add = |of: [bool; 3]| found = std::array::from_fn(|axis| found[axis] | of[axis]);
    for node in &kernel.body {
        scope.see(node);
        if let Some(of) = scope.tells_apart(node) {
            add(of);
        }
        if let Node::For { body, .. } = node {
            scope.alternative(body).into_iter().for_each(&mut add);
        }
    }
    found
}

/// True if blocks near the border, apart from those inside, go through planes near rows on their own.
fn has_rows(kernel: &Kernel) -> bool {
    let mut scope = Scope::new(kernel);
    kernel.body.iter().any(|node| {
        scope.see(node);
        let Node::If { otherwise, .. } = node else { return false };
        otherwise.iter().any(|node| {
            scope.see(node);
            scope.is_part(node)
        })
    })
}

/// Blocks that do the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    Inside,
    Border,
    /// Those with planes near rows, and what they do there.
    Rows,
}

/// True for a loop whose length is not known.
fn is_long(node: &Node) -> bool {
    let Node::For { lo, hi, .. } = node else { return false };
    !matches!((lo, hi), (IExpr::Const(_), IExpr::Const(_)))
}

fn is_instance(node: &Node) -> bool {
    matches!(node, Node::Instance { .. })
}

/// What the variables of a kernel depend on: block indices by axis, and the thread.
struct Scope(Vec<Mentions>);

#[derive(Clone, Copy, Default)]
struct Mentions {
    block: [bool; 3],
    thread: bool,
}

impl Scope {
    fn new(kernel: &Kernel) -> Scope {
        Scope(vec![Mentions::default(); usize::from(kernel.vars)])
    }

    fn see(&mut self, node: &Node) {
        if let Node::Let { var, value } = node {
            let mut of = Mentions::default();
            self.expression(value, &mut of);
            self.0[usize::from(*var)] = of;
        }
    }

    fn expression(&self, e: &IExpr, of: &mut Mentions) {
        match e {
            IExpr::Const(_) | IExpr::Param(_) => (),
            IExpr::Var(v) => {
                let more = self.0[usize::from(*v)];
                of.block = std::array::from_fn(|axis| of.block[axis] | more.block[axis]);
                of.thread |= more.thread;
            }
            IExpr::Block(axis) => of.block[usize::from(*axis).min(2)] = true,
            IExpr::Thread(_) => of.thread = true,
            IExpr::Add(a, b)
            | IExpr::Sub(a, b)
            | IExpr::Mul(a, b)
            | IExpr::Min(a, b)
            | IExpr::Max(a, b) => {
                self.expression(a, of);
                self.expression(b, of);
            }
            IExpr::FloorDiv(a, _) | IExpr::Mod(a, _) | IExpr::Opaque(a) => self.expression(a, of),
        }
    }

    fn condition(&self, cond: &Cond, of: &mut Mentions) {
        match cond {
            Cond::Le(a, b) => {
                self.expression(a, of);
                self.expression(b, of);
            }
            Cond::All(all) => all.iter().for_each(|c| self.condition(c, of)),
        }
    }

    /// True for a choice between two bodies that all threads make alike, turn by turn: the first is the usual one.
    fn is_usual(&self, node: &Node) -> bool {
        let Node::If { cond, otherwise, .. } = node else { return false };
        let mut of = Mentions::default();
        self.condition(cond, &mut of);
        !otherwise.is_empty() && !of.thread
    }

    /// True for instances that all threads of a block pass over alike, turn by turn: a row has one plane, and few blocks have
    /// columns of walls.
    fn is_rare(&self, node: &Node) -> bool {
        let Node::If { cond, then, otherwise } = node else { return false };
        let mut of = Mentions::default();
        self.condition(cond, &mut of);
        otherwise.is_empty() && !of.thread && then.iter().any(is_instance)
    }

    /// The axes that a choice between two bodies depends on, where all threads of a block choose alike.
    fn tells_apart(&self, node: &Node) -> Option<[bool; 3]> {
        let Node::If { cond, otherwise, .. } = node else { return None };
        self.axes_of(cond).filter(|_| !otherwise.is_empty())
    }

    /// The axes that a condition depends on, if there are some and all threads of a block decide alike.
    fn axes_of(&self, cond: &Cond) -> Option<[bool; 3]> {
        let mut of = Mentions::default();
        self.condition(cond, &mut of);
        (!of.thread && of.block != [false; 3]).then_some(of.block)
    }

    /// True for long loops that some blocks only go through, all threads alike, or for a choice between such.
    fn is_part(&self, node: &Node) -> bool {
        let Node::If { cond, then, otherwise } = node else { return false };
        let has_loop = |node: &Node| match node {
            Node::If { then, .. } => then.iter().any(is_long),
            node => is_long(node),
        };
        then.iter().any(has_loop) && otherwise.is_empty() && self.axes_of(cond).is_some()
    }

    /// Where a long loop is followed by another under a condition that all threads of a block decide alike, and that
    /// depends on these axes of the grid: blocks at their ends go through the first, those inside mostly through the
    /// second.
    fn alternative(&self, body: &[Node]) -> Option<[bool; 3]> {
        let [.., border, Node::If { cond, then, otherwise }] = body else { return None };
        let loops = is_long(border) && then.iter().any(is_long) && otherwise.is_empty();
        self.axes_of(cond).filter(|_| loops)
    }
}

/// A count on its way: of one warp.
struct Count<'a> {
    stencil: &'a StencilProgram,
    kernel: &'a Kernel,
    blocks: Blocks,
    scope: Scope,
    /// Once in a block, and in each turn of loops whose length is not known.
    start: BlockWork,
    turn: BlockWork,
    /// Instructions of the longest stretch of code that a loop goes through, or of everything.
    code: u64,
    in_turn: bool,
    /// When each register's value is there, and what lies in shared memory, in cycles.
    ready: HashMap<(u16, u32), u64>,
    shared: u64,
    stored: u64,
    last: u64,
    differences: Differences,
    /// Registers whose values have been stored, and where: the parameter or the array.
    written: HashMap<(u16, u32), Vec<(bool, u16)>>,
}

impl<'a> Count<'a> {
    fn new(stencil: &'a StencilProgram, kernel: &'a Kernel, blocks: Blocks) -> Count<'a> {
        Count {
            stencil,
            kernel,
            blocks,
            scope: Scope::new(kernel),
            start: BlockWork::default(),
            turn: BlockWork::default(),
            code: 0,
            in_turn: false,
            ready: HashMap::new(),
            shared: 0,
            stored: 0,
            last: 0,
            differences: Differences::default(),
            written: HashMap::new(),
        }
    }

    /// Start, turn and code of a block, with what the strategy knows of memory.
    fn cost(mut self, known: &KernelCost) -> Option<(BlockWork, BlockWork, u32)> {
        if known.turns.is_none() && self.code > 0 {
            return None;
        }
        if self.code == 0 {
            self.code = self.start.instructions;
            self.start.chain = self.last;
        }
        let warps: u64 =
            self.kernel.threads.iter().map(|&n| u64::from(n)).product::<u64>().div_ceil(LANES);
        let of_block = |w: BlockWork, known: &BlockWork| BlockWork {
            instances: known.instances,
            redundant: known.redundant,
            instructions: w.instructions * warps,
            doubles: w.doubles * warps,
            special: w.special * warps,
            shuffles: w.shuffles * warps,
            bytes: known.bytes,
            cached: w.cached * warps,
            words: w.words * warps,
            barriers: w.barriers,
            beside: w.beside,
            chain: w.chain,
        };
        let (start, turn) = (of_block(self.start, &known.start), of_block(self.turn, &known.turn));
        Some((start, turn, u32::try_from(self.code).unwrap_or(u32::MAX)))
    }

    fn work(&mut self) -> &mut BlockWork {
        if self.in_turn { &mut self.turn } else { &mut self.start }
    }

    fn issue(&mut self, instructions: u64) {
        self.work().instructions += instructions;
    }

    /// Nodes that run `times` times.
    fn nodes(&mut self, nodes: &[Node], times: u64) {
        for node in nodes {
            self.node(node, times);
        }
    }

    fn node(&mut self, node: &Node, times: u64) {
        self.scope.see(node);
        match node {
            Node::Let { .. } => self.issue(2 * times),
            Node::For { lo, hi, step, body, .. } => match (lo, hi) {
                (IExpr::Const(lo), IExpr::Const(hi)) => {
                    let trips = (hi - lo).div_euclid(*step) + 1;
                    match self.scope.alternative(body) {
                        Some(_) => self.alternatives(body, times),
                        None => self.nodes(body, times * trips.max(0) as u64),
                    }
                }
                _ => self.turns(body, (*step).max(1) as u64, times),
            },
            Node::If { cond, then, otherwise } => {
                if self.scope.tells_apart(node).is_some() {
                    self.issue(4 * times);
                    match self.blocks {
                        Blocks::Inside => self.nodes(then, times),
                        Blocks::Border | Blocks::Rows => self.near(otherwise, times),
                    }
                    return;
                }
                self.issue(comparisons(cond) * times);
                if self.blocks == Blocks::Rows && self.scope.is_rare(node) {
                    return;
                }
                self.nodes(then, times);
                if !self.scope.is_usual(node) {
                    self.nodes(otherwise, times);
                }
            }
            Node::Copy { to, from } => self.moves(to, from, 1, times),
            Node::Vector { to, from, count } => self.moves(to, from, u64::from(*count), times),
            Node::Shuffle { to, from, .. } => {
                let words = self.words(from);
                let ready = self.ready_at(from) + SHUFFLE_LATENCY;
                self.work().shuffles += words * times;
                self.issue(words * times);
                self.set(to, ready);
            }
            Node::Select { to, cond, then, otherwise } => {
                let words = self.words(to);
                let ready = self.ready_at(then).max(self.ready_at(otherwise)) + LATENCY;
                self.issue((words + comparisons(cond)) * times);
                self.set(to, ready);
            }
            Node::Instance { statement, piece, reads, writes, .. } => {
                let Some(code) = Code::of(self.stencil, self.kernel, *statement, *piece) else {
                    return;
                };
                let ready = self.instance(code, reads, times);
                for (at, place) in
                    writes.iter().enumerate().flat_map(|(i, w)| w.iter().map(move |p| (i, p)))
                {
                    let ready = ready.get(at).copied().unwrap_or(0);
                    self.access(place, 1, times);
                    self.set(place, ready);
                }
            }
            Node::Prefetch { .. } => self.issue(PREFETCH_INSTRUCTIONS * times),
            Node::Fetch { copies, count } => {
                for (to, from) in copies {
                    self.access(to, u64::from(*count), times);
                    self.access(from, u64::from(*count), times);
                }
                self.issue(times);
            }
            Node::Await { .. } => self.issue(2 * times),
            Node::Barrier | Node::BarrierBeside => {
                self.work().barriers += times;
                self.work().beside += if matches!(node, Node::BarrierBeside) { times } else { 0 };
                self.issue(times);
                self.shared = self.stored;
            }
        }
    }

    /// What blocks near the border do: where planes near rows are gone through first, on their own, one of the two.
    fn near(&mut self, nodes: &[Node], times: u64) {
        let mut apart = false;
        for node in nodes {
            self.scope.see(node);
            match node {
                Node::If { then, .. } if self.scope.is_part(node) => {
                    apart = true;
                    if self.blocks == Blocks::Rows {
                        self.first_ways(then, times);
                    }
                }
                // Those before them or those after them: hardly ever both.
                Node::For { body, .. } if apart && self.blocks == Blocks::Border => {
                    self.first_ways(body, times);
                }
                Node::For { .. } if apart => (),
                other => self.node(other, times),
            }
        }
    }

    /// Nodes, of choices the first way.
    fn first_ways(&mut self, nodes: &[Node], times: u64) {
        for node in nodes {
            match node {
                Node::If { then, .. } => self.nodes(then, times),
                other => self.node(other, times),
            }
        }
    }

    /// Of two long loops the one that blocks inside, or those at the ends of the grid, go through.
    fn alternatives(&mut self, body: &[Node], times: u64) {
        let [before @ .., border, choice] = body else { return };
        self.nodes(before, times);
        match (choice, self.blocks) {
            (Node::If { then, .. }, Blocks::Inside) => self.nodes(then, times),
            _ => self.node(border, times),
        }
    }

    /// A loop whose length is not known, written out so many turns at a time: what one of them takes. Nothing of the next
    /// pass starts before this one ends: the assembler does not move instructions that far.
    fn turns(&mut self, body: &[Node], written: u64, times: u64) {
        let (was, outside) = (self.in_turn, self.turn);
        self.in_turn = true;
        self.turn = BlockWork::default();
        self.ready.clear();
        self.differences = Differences::default();
        (self.shared, self.stored, self.last) = (0, 0, 0);
        self.nodes(body, times);
        self.issue(4 * times);
        self.code = self.code.max(self.turn.instructions);
        let chain = self.last;
        let each = |n: u64| n.div_ceil(written);
        let one = BlockWork {
            instructions: each(self.turn.instructions),
            doubles: each(self.turn.doubles),
            special: each(self.turn.special),
            shuffles: each(self.turn.shuffles),
            cached: each(self.turn.cached),
            words: each(self.turn.words),
            barriers: each(self.turn.barriers),
            beside: each(self.turn.beside),
            chain: each(chain),
            ..BlockWork::default()
        };
        self.turn = sum(outside, one);
        self.in_turn = was;
    }

    /// Elements from place to place; between registers nothing moves, they are renamed.
    fn moves(&mut self, to: &Place, from: &Place, count: u64, times: u64) {
        if let (Place::Register { .. }, Place::Register { .. }) = (to, from) {
            let ready = self.ready_at(from);
            self.set(to, ready);
            return self.differences.copy(to, from);
        }
        match self.stores_again(to, from, count) {
            true => self.issue(((self.bytes(to) * count).div_ceil(16) + 1) * times),
            false => self.access(to, count, times),
        }
        self.access(from, count, times);
        let ready = match from {
            Place::Shared { .. } => self.shared + SHARED_LATENCY,
            Place::Global { .. } | Place::Buffer { .. } => self.last + MEMORY_LATENCY,
            Place::Register { .. } => 0,
        };
        for i in 0..count as u32 {
            let ready = ready.max(self.ready_from(from, i));
            match to {
                // What nobody waits for in this pass has been asked for in time.
                Place::Register { bank, index } => {
                    self.overwrite((*bank, index + i));
                    self.ready.insert((*bank, index + i), ready);
                }
                _ => self.set_at(to, i, ready),
            }
        }
    }

    /// True for a store of values that have been stored to the same memory: whole vectors, or single elements of them, of
    /// which only one thing happens.
    fn stores_again(&mut self, to: &Place, from: &Place, count: u64) -> bool {
        let (Place::Register { bank, index }, Some(memory)) = (from, memory(to)) else {
            return false;
        };
        let mut again = true;
        for i in 0..count as u32 {
            let known = self.written.entry((*bank, index + i)).or_default();
            if !known.contains(&memory) {
                known.push(memory);
                again = false;
            }
        }
        again
    }

    /// A register's value is another one.
    fn overwrite(&mut self, register: (u16, u32)) {
        self.differences.forget(register);
        self.written.remove(&register);
    }

    /// Counts an access; registers take none.
    fn access(&mut self, place: &Place, count: u64, times: u64) {
        let bytes = self.bytes(place) * count;
        match place {
            Place::Register { .. } => (),
            Place::Shared { .. } => {
                self.work().words += LANES * bytes.div_ceil(4) * times;
                self.issue(bytes.div_ceil(16) * times);
            }
            Place::Global { .. } | Place::Buffer { .. } => {
                self.work().cached += LANES * bytes * times;
                self.issue((bytes.div_ceil(16) + 1) * times);
            }
        }
    }

    /// Counts a statement's instance; when each of the values that it writes is there.
    fn instance(&mut self, code: Code<'_>, reads: &[Place], times: u64) -> Vec<u64> {
        let mut ready: Vec<u64> = Vec::with_capacity(code.body.values.len());
        let usual = usual_operations(code.body);
        for (at, (value, of)) in code.body.values.iter().zip(usual).enumerate() {
            let of = match self.differences.is_known(code.body, at, reads) {
                true => Operation::default(),
                false => of,
            };
            self.issue(of.issued * times);
            self.work().doubles += of.doubles * times;
            self.work().special += of.special * times;
            let operands = match &value.op {
                Op::Load(i) => reads.get(usize::from(*i)).map_or(0, |p| self.ready_at(p)),
                op => op.operands().into_iter().map(|v| ready[usize::from(v)]).max().unwrap_or(0),
            };
            ready.push(operands + of.latency);
        }
        for place in reads {
            self.access(place, 1, times);
        }
        let of = |value: u16| ready.get(usize::from(value)).copied().unwrap_or(0);
        code.writes().into_iter().map(of).collect()
    }

    fn elem(&self, place: &Place) -> Option<ElemType> {
        let of_array = |array: u16| Some(self.stencil.arrays.get(usize::from(array))?.elem);
        match place {
            Place::Global { array, .. } => of_array(*array),
            Place::Buffer { param, .. } => match self.kernel.params.get(usize::from(*param))? {
                hexpass_abi::KernelParam::Buffer { array, .. }
                | hexpass_abi::KernelParam::Slot { array, .. } => of_array(*array),
                _ => None,
            },
            Place::Shared { buffer, .. } => {
                Some(self.kernel.shared.get(usize::from(*buffer))?.elem)
            }
            Place::Register { bank, .. } => {
                Some(self.kernel.registers.get(usize::from(*bank))?.elem)
            }
        }
    }

    fn bytes(&self, place: &Place) -> u64 {
        self.elem(place).map_or(4, ElemType::size)
    }

    fn words(&self, place: &Place) -> u64 {
        self.bytes(place).div_ceil(4)
    }

    fn ready_from(&self, place: &Place, further: u32) -> u64 {
        match place {
            Place::Register { bank, index } => {
                self.ready.get(&(*bank, index + further)).copied().unwrap_or(0)
            }
            Place::Shared { .. } => self.shared + SHARED_LATENCY,
            _ => 0,
        }
    }

    fn ready_at(&self, place: &Place) -> u64 {
        self.ready_from(place, 0)
    }

    fn set(&mut self, place: &Place, ready: u64) {
        self.set_at(place, 0, ready);
    }

    fn set_at(&mut self, place: &Place, further: u32, ready: u64) {
        self.last = self.last.max(ready);
        match place {
            Place::Register { bank, index } => {
                self.overwrite((*bank, index + further));
                self.ready.insert((*bank, index + further), ready);
            }
            Place::Shared { .. } => self.stored = self.stored.max(ready),
            _ => (),
        }
    }
}

/// Both together.
fn sum(a: BlockWork, b: BlockWork) -> BlockWork {
    BlockWork {
        instances: a.instances + b.instances,
        redundant: a.redundant + b.redundant,
        instructions: a.instructions + b.instructions,
        doubles: a.doubles + b.doubles,
        special: a.special + b.special,
        shuffles: a.shuffles + b.shuffles,
        bytes: a.bytes + b.bytes,
        cached: a.cached + b.cached,
        words: a.words + b.words,
        barriers: a.barriers + b.barriers,
        beside: a.beside + b.beside,
        chain: a.chain + b.chain,
    }
}

fn comparisons(cond: &Cond) -> u64 {
    match cond {
        Cond::Le(..) => 1,
        Cond::All(all) => all.iter().map(comparisons).sum(),
    }
}

/// What a place in the device's memory is an element of.
fn memory(place: &Place) -> Option<(bool, u16)> {
    match place {
        Place::Global { array, .. } => Some((true, *array)),
        Place::Buffer { param, .. } => Some((false, *param)),
        Place::Shared { .. } | Place::Register { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::ir::{LoopKind, RegisterBank};

    fn register(index: u32) -> Place {
        Place::Register { bank: 0, index }
    }

    fn shuffle(to: u32, from: u32) -> Node {
        Node::Shuffle { to: register(to), from: register(from), lanes: 1 }
    }

    fn kernel(body: Vec<Node>) -> Kernel {
        let known = BlockWork { bytes: 7, ..BlockWork::default() };
        Kernel {
            name: "k".into(),
            threads: [32, 4, 1],
            style: Style::Thread,
            shared: Vec::new(),
            registers: vec![RegisterBank { name: "r".into(), elem: ElemType::F64, len: 8 }],
            params: Vec::new(),
            pieces: Vec::new(),
            vars: 2,
            body,
            general: false,
            round: Vec::new(),
            folds: None,
            cost: KernelCost {
                registers: 40,
                turn: known,
                turns: Some(hexpass_abi::PlanExpr::Const(9)),
                ..KernelCost::default()
            },
        }
    }

    fn sequential(step: i64, body: Vec<Node>) -> Node {
        Node::For {
            var: 0,
            lo: IExpr::Const(0),
            hi: IExpr::Block(1),
            step,
            kind: LoopKind::Sequential,
            body,
        }
    }

    fn stencil() -> StencilProgram {
        StencilProgram {
            function: "f".into(),
            file: None,
            line: None,
            dims: 1,
            ints: Vec::new(),
            steps: hexpass_abi::Poly::constant(1).into(),
            arrays: Vec::new(),
            reductions: vec![],
            aside: vec![],
            granted: Default::default(),
            tables: Vec::new(),
            lookups: Vec::new(),
            fences: Vec::new(),
            statements: Vec::new(),
            checks: Vec::new(),
            disjoint_pointers: Vec::new(),
            scalars: Vec::new(),
            fp: hexpass_abi::FpMode::Exact,
        }
    }

    #[test]
    fn a_turn_waits_for_its_own_values() {
        // Two turns written out: the second shuffles what the first has made, and something that never changes.
        let body = vec![sequential(2, vec![shuffle(1, 0), shuffle(0, 1), shuffle(2, 3)])];
        let cost = counted(&stencil(), &kernel(body));
        assert_eq!((cost.turn.chain, cost.turn.shuffles), (SHUFFLE_LATENCY, 4 * 3));
        assert_eq!((cost.turn.bytes, cost.registers, cost.border), (7, 40, None));
        assert_eq!(cost.code, 3 * 2 + 4);
    }

    #[test]
    fn blocks_at_the_ends_of_axes_are_counted_apart() {
        let end = |otherwise: Vec<Node>| Node::If {
            cond: Cond::Le(IExpr::Const(1), IExpr::Var(1)),
            then: vec![sequential(1, vec![shuffle(1, 0)])],
            otherwise,
        };
        let block = Node::Let { var: 1, value: IExpr::Block(1) };
        let twice = vec![sequential(1, vec![shuffle(1, 0), shuffle(2, 0), shuffle(3, 0)])];
        let cost = counted(&stencil(), &kernel(vec![block.clone(), end(twice)]));
        let border = cost.border.unwrap();
        assert_eq!(border.ends, [0, 2, 0]);
        assert_eq!((cost.turn.shuffles, border.turn.shuffles), (8, 24));
        let thread = Node::Let { var: 1, value: IExpr::Thread(0) };
        assert_eq!(counted(&stencil(), &kernel(vec![thread, end(Vec::new())])).border, None);
    }

    #[test]
    fn of_two_loops_in_rounds_blocks_go_through_one() {
        let loops = |cond: Cond| {
            let inside = sequential(1, vec![shuffle(1, 0)]);
            let near = sequential(1, vec![shuffle(1, 0), shuffle(2, 0), shuffle(3, 0)]);
            Node::For {
                var: 0,
                lo: IExpr::Const(0),
                hi: IExpr::Const(1),
                step: 1,
                kind: LoopKind::Sequential,
                body: vec![near, Node::If { cond, then: vec![inside], otherwise: Vec::new() }],
            }
        };
        let block = Node::Let { var: 1, value: IExpr::Block(1) };
        let cond = Cond::Le(IExpr::Const(1), IExpr::Var(1));
        let cost = counted(&stencil(), &kernel(vec![block, loops(cond)]));
        let border = cost.border.unwrap();
        assert_eq!(border.ends, [0, 2, 0]);
        assert_eq!((cost.turn.shuffles, border.turn.shuffles), (8, 24));
    }

    #[test]
    fn elements_that_are_stored_alone_or_together_move_once() {
        let place = |at: i64| Place::Buffer { param: 0, subscripts: vec![IExpr::Const(at)] };
        let from = |index: u32| Place::Register { bank: 0, index };
        let together = Node::Vector { to: place(0), from: from(0), count: 2 };
        let alone = |i: u32| Node::Copy { to: place(i64::from(i)), from: from(i) };
        let cost = |nodes: Vec<Node>| counted(&stencil(), &kernel(vec![sequential(1, nodes)])).turn;
        let whole = cost(vec![together.clone()]);
        let both = cost(vec![together.clone(), alone(0), alone(1)]);
        assert_eq!(both.cached, whole.cached);
        assert!(both.instructions > whole.instructions);
        let later = cost(vec![together.clone(), shuffle(0, 1), together]);
        assert_eq!(later.cached, 2 * whole.cached);
    }
}
