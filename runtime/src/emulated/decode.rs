//! One [`Entry`] → [`Program`]: names become slots, opcodes become [`Inst`]s, statements become
//! blocks. Refuses every opcode, modifier and operand that it does not know, with its line. Runs
//! before [`flow`](super::flow) orders the blocks and [`allocate`](super::allocate) packs registers;
//! until then a register slot's row is the number of the register. What single opcodes mean is in
//! [`opcodes`](super::opcodes) and [`opcodes_memory`](super::opcodes_memory).

use std::collections::HashMap;

use super::code::*;
use super::error::PtxError;
use super::layout::Layout;
use super::syntax::*;

pub(super) type Decoded<T> = Result<T, PtxError>;

/// A kernel before its registers are packed.
pub struct Program {
    pub blocks: Vec<Block>,
    /// Rows that each register takes.
    pub register_rows: Vec<u32>,
    pub predicates: u32,
    pub constants: Vec<Row>,
    pub fills: Vec<(Fill, Slot, u32)>,
}

/// Decodes the body of `entry`, whose variables `layout` has placed.
pub fn decode(entry: &Entry<'_>, layout: &Layout<'_>) -> Decoded<Program> {
    let mut decoder = Decoder::new(entry, layout);
    for statement in &entry.statements {
        decoder.statement(statement)?;
    }
    decoder.finish()
}

/// A block whose targets may still be unknown.
struct Draft<'a> {
    members: Option<Slot>,
    insts: Vec<Inst>,
    lines: Vec<u32>,
    end: Option<Ending<'a>>,
}

/// [`End`], or one that waits for the list that its label names.
enum Ending<'a> {
    Known(End),
    Switch { index: Slot, list: &'a str, line: u32 },
}

pub(super) struct Decoder<'a, 'u> {
    pub(super) entry: &'u Entry<'a>,
    pub(super) layout: &'u Layout<'a>,
    drafts: Vec<Draft<'a>>,
    current: usize,
    /// Block of each label, and the line of its first mention.
    labels: HashMap<&'a str, (u32, u32)>,
    defined: HashMap<&'a str, ()>,
    lists: HashMap<&'a str, Vec<u32>>,
    last_label: &'a str,
    registers: Vec<Home>,
    register_rows: Vec<u32>,
    predicates: u32,
    constants: Vec<Row>,
    numbers: HashMap<(u64, u32), Slot>,
    fills: HashMap<(Fill, u32), Slot>,
    /// Memory that other launches see has been accessed.
    pub(super) reached: bool,
    /// Line of the statement being decoded.
    pub(super) line: u32,
}

/// Where a named register lives.
#[derive(Clone, Copy)]
enum Home {
    Row(Slot),
    Pred(Pred),
}

impl<'a, 'u> Decoder<'a, 'u> {
    fn new(entry: &'u Entry<'a>, layout: &'u Layout<'a>) -> Self {
        let mut decoder = Decoder {
            entry,
            layout,
            drafts: Vec::new(),
            current: 0,
            labels: HashMap::new(),
            defined: HashMap::new(),
            lists: HashMap::new(),
            last_label: "",
            registers: Vec::new(),
            register_rows: Vec::new(),
            predicates: 0,
            constants: Vec::new(),
            numbers: HashMap::new(),
            fills: HashMap::new(),
            reached: false,
            line: 0,
        };
        decoder.draft();
        for &ty in &entry.registers {
            let home = match ty {
                Ty::Pred => Home::Pred(decoder.new_pred()),
                ty => Home::Row(decoder.new_row(ty.bytes())),
            };
            decoder.registers.push(home);
        }
        decoder
    }

    pub(super) fn fail<T>(&self, reason: impl Into<String>) -> Decoded<T> {
        Err(PtxError::new(self.line, reason))
    }

    // Blocks.

    /// True as long as every thread runs what is decoded: before the first branch.
    pub(super) fn is_on_the_way_in(&self) -> bool {
        self.current == 0
    }

    fn draft(&mut self) -> u32 {
        self.drafts.push(Draft { members: None, insts: Vec::new(), lines: Vec::new(), end: None });
        self.drafts.len() as u32 - 1
    }

    /// Ends the current block and goes on in `next`.
    fn close(&mut self, end: Ending<'a>, next: u32) {
        let draft = &mut self.drafts[self.current];
        draft.end = Some(end);
        draft.lines.push(self.line);
        self.current = next as usize;
    }

    pub(super) fn end(&mut self, end: End) {
        let next = self.draft();
        self.close(Ending::Known(end), next);
    }

    pub(super) fn end_with_list(&mut self, index: Slot, list: &'a str) {
        let next = self.draft();
        let line = self.line;
        self.close(Ending::Switch { index, list, line }, next);
    }

    /// Starts a block that runs only when the lanes of `members` have met.
    pub(super) fn meet(&mut self, members: Slot) {
        let next = self.draft();
        self.close(Ending::Known(End::Jump(next)), next);
        self.drafts[self.current].members = Some(members);
    }

    /// Ends with `end` under the instruction's guard; goes on in the block that it returns.
    pub(super) fn end_guarded(&mut self, guard: Option<(Pred, bool)>, end: End) {
        let Some((p, negated)) = guard else { return self.end(end) };
        let (yes, no) = (self.draft(), self.draft());
        self.close(Ending::Known(End::Branch { p, negated, yes, no }), yes);
        self.close(Ending::Known(end), no);
    }

    pub(super) fn branch(&mut self, guard: Option<(Pred, bool)>, target: u32) {
        let next = self.draft();
        let end = match guard {
            None => End::Jump(target),
            Some((p, negated)) => End::Branch { p, negated, yes: target, no: next },
        };
        self.close(Ending::Known(end), next);
    }

    /// A barrier ends its block: lanes wait at the start of the next.
    pub(super) fn barrier(&mut self, barrier: Barrier, number: Option<Slot>) {
        let next = self.draft();
        self.close(Ending::Known(End::Barrier { barrier, number, next }), next);
    }

    pub(super) fn label(&mut self, name: &'a str) -> u32 {
        if let Some(&(block, _)) = self.labels.get(name) {
            return block;
        }
        let block = self.draft();
        self.labels.insert(name, (block, self.line));
        block
    }

    fn statement(&mut self, statement: &'u Statement<'a>) -> Decoded<()> {
        match statement {
            Statement::Label(name, line) => {
                self.line = *line;
                if self.defined.insert(name, ()).is_some() {
                    return self.fail(format!("label `{name}` is defined twice"));
                }
                self.last_label = name;
                let next = self.label(name);
                self.close(Ending::Known(End::Jump(next)), next);
                Ok(())
            }
            Statement::Targets(names) => {
                let blocks = names.iter().map(|name| self.label(name)).collect();
                self.lists.insert(self.last_label, blocks);
                Ok(())
            }
            Statement::Instruction(instruction) => self.instruction(instruction),
        }
    }

    fn instruction(&mut self, instruction: &'u Instruction<'a>) -> Decoded<()> {
        self.line = instruction.line;
        let guard = match instruction.guard {
            None => None,
            Some((register, negated)) => Some((self.pred_register(register)?, negated)),
        };
        if self.flow(instruction, guard)? {
            return Ok(());
        }
        let (block, first) = (self.current, self.drafts[self.current].insts.len());
        self.opcode(instruction)?;
        let Some((p, negated)) = guard else { return Ok(()) };
        if block != self.current {
            return self.fail("a guard on an operation of the whole warp");
        }
        let insts = &mut self.drafts[block].insts;
        for inst in insts.split_off(first) {
            insts.push(Inst::Guarded { p, negated, inst: Box::new(inst) });
        }
        Ok(())
    }

    pub(super) fn emit(&mut self, inst: Inst) {
        let draft = &mut self.drafts[self.current];
        draft.insts.push(inst);
        draft.lines.push(self.line);
    }

    // Operands.

    pub(super) fn new_pred(&mut self) -> Pred {
        self.predicates += 1;
        self.predicates - 1
    }

    /// A register of the decoder's own.
    pub(super) fn new_row(&mut self, bytes: u32) -> Slot {
        self.register_rows.push(if bytes == 8 { 2 } else { 1 });
        Slot::new(Bank::Register, self.register_rows.len() as u32 - 1)
    }

    fn pred_register(&self, register: u32) -> Decoded<Pred> {
        match self.registers[register as usize] {
            Home::Pred(p) => Ok(p),
            Home::Row(_) => self.fail("a predicate register is needed here"),
        }
    }

    /// The slot and bytes of a register that is no predicate.
    pub(super) fn any_register(&self, register: u32) -> Decoded<(Slot, u32)> {
        let bytes = self.entry.registers[register as usize].bytes();
        match self.registers[register as usize] {
            Home::Row(slot) => Ok((slot, bytes)),
            Home::Pred(_) => self.fail("a predicate register is not allowed here"),
        }
    }

    pub(super) fn register(&self, register: u32, bytes: u32) -> Decoded<Slot> {
        let (slot, found) = self.any_register(register)?;
        if found != bytes {
            return self.fail(format!("a {found}-byte register where {bytes} bytes are needed"));
        }
        Ok(slot)
    }

    /// The row of a number that is the same in all lanes.
    pub(super) fn number(&mut self, bits: u64, bytes: u32) -> Slot {
        if let Some(&slot) = self.numbers.get(&(bits, bytes)) {
            return slot;
        }
        let slot = self.constant(bits, bytes);
        self.numbers.insert((bits, bytes), slot);
        slot
    }

    fn constant(&mut self, bits: u64, bytes: u32) -> Slot {
        let slot = Slot::new(Bank::Constant, self.constants.len() as u32);
        push_rows(&mut self.constants, bits, bytes);
        slot
    }

    /// The row of a value that the launch knows.
    pub(super) fn filled(&mut self, fill: Fill, bytes: u32) -> Slot {
        if let Some(&slot) = self.fills.get(&(fill, bytes)) {
            return slot;
        }
        let slot = self.constant(0, bytes);
        self.fills.insert((fill, bytes), slot);
        slot
    }

    /// A source operand of type `ty`.
    pub(super) fn source(&mut self, operand: &Operand<'a>, ty: Ty) -> Decoded<Slot> {
        let bytes = ty.bytes();
        match *operand {
            Operand::Register(register) => self.register(register, bytes),
            Operand::Immediate(immediate) => Ok(self.number(immediate.bits(ty), bytes)),
            Operand::Symbol(name, offset) => {
                let Some(address) = self.layout.address(name) else {
                    return self.fail(format!("unknown variable `{name}`"));
                };
                if bytes < 4 {
                    return self.fail("an address needs at least 4 bytes");
                }
                let bits = Immediate::Integer(address.wrapping_add(offset as u64)).bits(ty);
                Ok(self.number(bits, bytes))
            }
            Operand::Special(name) => self.special(name, bytes),
            _ => self.fail("an operand of a kind that does not fit here"),
        }
    }

    /// A destination register, or a throw-away one for `_`.
    pub(super) fn destination(&mut self, operand: &Operand<'a>, bytes: u32) -> Decoded<Slot> {
        match *operand {
            Operand::Register(register) => self.register(register, bytes),
            Operand::Sink => Ok(self.new_row(bytes)),
            _ => self.fail("the destination is no register"),
        }
    }

    pub(super) fn pred_destination(&mut self, operand: &Operand<'a>) -> Decoded<Pred> {
        match *operand {
            Operand::Register(register) => self.pred_register(register),
            Operand::Sink => Ok(self.new_pred()),
            _ => self.fail("the destination is no predicate register"),
        }
    }

    pub(super) fn pred_source(&mut self, operand: &Operand<'a>) -> Decoded<Pred> {
        match *operand {
            Operand::Register(register) => self.pred_register(register),
            Operand::Not(register) => {
                let (a, d) = (self.pred_register(register)?, self.new_pred());
                self.emit(Inst::Not { d, a });
                Ok(d)
            }
            Operand::Immediate(Immediate::Integer(value)) => {
                let d = self.new_pred();
                self.emit(Inst::SetPred { d, value: value != 0 });
                Ok(d)
            }
            _ => self.fail("a predicate is needed here"),
        }
    }

    fn special(&mut self, name: &str, bytes: u32) -> Decoded<Slot> {
        let axis = |name: &str| match name {
            "x" => Some(0u8),
            "y" => Some(1),
            "z" => Some(2),
            _ => None,
        };
        let stem = name.strip_prefix('%').unwrap_or(name);
        let (stem, axis) = match stem.split_once('.') {
            Some((stem, rest)) => (stem, axis(rest)),
            None => (stem, None),
        };
        let thread = |row| Slot::new(Bank::Thread, row);
        let slot = match (stem, axis) {
            ("tid", Some(axis)) => thread(thread_row::TID + u32::from(axis)),
            ("ctaid", Some(axis)) => Slot::new(Bank::Block, axis.into()),
            ("ntid", Some(axis)) => self.filled(Fill::BlockDim(axis), 4),
            ("nctaid", Some(axis)) => self.filled(Fill::GridDim(axis), 4),
            ("laneid", None) => thread(thread_row::LANE),
            ("warpid", None) => thread(thread_row::WARP),
            ("nwarpid", None) => self.filled(Fill::Warps, 4),
            ("lanemask_eq", None) => thread(thread_row::MASKS),
            ("lanemask_le", None) => thread(thread_row::MASKS + 1),
            ("lanemask_lt", None) => thread(thread_row::MASKS + 2),
            ("lanemask_ge", None) => thread(thread_row::MASKS + 3),
            ("lanemask_gt", None) => thread(thread_row::MASKS + 4),
            ("dynamic_smem_size", None) => self.filled(Fill::DynamicShared, 4),
            ("total_smem_size", None) => self.filled(Fill::TotalShared, 4),
            ("WARP_SZ", None) => self.number(32, 4),
            _ => return self.fail(format!("unknown register `{name}`")),
        };
        if bytes != 4 {
            return self.fail(format!("`{name}` has 32 bits"));
        }
        Ok(slot)
    }

    // The end.

    fn finish(mut self) -> Decoded<Program> {
        for (name, &(_, line)) in &self.labels {
            if !self.defined.contains_key(name) {
                return Err(PtxError::new(line, format!("label `{name}` is not defined")));
            }
        }
        let mut blocks = Vec::with_capacity(self.drafts.len());
        for mut draft in std::mem::take(&mut self.drafts) {
            // Falling off the end returns.
            let end = match draft.end {
                Some(Ending::Known(end)) => end,
                Some(Ending::Switch { index, list, line }) => match self.lists.get(list) {
                    Some(targets) => End::Switch { index, targets: targets.clone() },
                    None => {
                        return Err(PtxError::new(line, format!("no targets named `{list}`")));
                    }
                },
                None => {
                    draft.lines.push(self.line);
                    End::Exit
                }
            };
            let Draft { members, insts, lines, .. } = draft;
            blocks.push(Block { members, insts, lines, end });
        }
        if self.constants.len() as u64 >= Slot::ROWS.into() {
            return self.fail("too many numbers");
        }
        Ok(Program {
            blocks,
            register_rows: self.register_rows,
            predicates: self.predicates,
            constants: self.constants,
            fills: self
                .fills
                .into_iter()
                .map(|((fill, bytes), slot)| (fill, slot, bytes))
                .collect(),
        })
    }
}

/// Appends the rows that hold `bits` in all lanes.
pub(super) fn push_rows(rows: &mut Vec<Row>, bits: u64, bytes: u32) {
    let (low, high) = (bits as u32, (bits >> 32) as u32);
    match bytes {
        8 => {
            let pairs = Row(std::array::from_fn(|i| if i % 2 == 0 { low } else { high }));
            rows.extend([pairs, pairs]);
        }
        4 => rows.push(Row([low; 32])),
        _ => rows.push(Row([(low & 0xffff) * 0x0001_0001; 32])),
    }
}
