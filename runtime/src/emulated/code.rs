//! The decoded kernel: what [`decode`](super::decode) produces and [`warp`](super::warp) runs. Every
//! name has become a row of the register file, every number a row of constants, and every jump the
//! index of a block; blocks stand in the order in which divergent lanes meet again.

use super::alu::{Alu, Cmp};
use super::convert::Conversion;

/// 32 lanes of 32 bits; a 64-bit register takes two rows, a smaller one part of one.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
pub struct Row(pub [u32; 32]);

/// Where an operand's rows are: a bank and the first row in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Slot(u32);

/// The four banks of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bank {
    /// The warp's registers.
    Register,
    /// Numbers, parameters and launch dimensions: the same for the whole launch.
    Constant,
    /// `%tid` and its like: the same for one warp in every block.
    Thread,
    /// `%ctaid`: the same for one block.
    Block,
}

impl Slot {
    pub const ROWS: u32 = 1 << 30;

    /// `row` is below [`Slot::ROWS`].
    pub fn new(bank: Bank, row: u32) -> Slot {
        debug_assert!(row < Slot::ROWS);
        Slot(((bank as u32) << 30) | (row & (Slot::ROWS - 1)))
    }

    #[inline(always)]
    pub fn bank(self) -> usize {
        (self.0 >> 30) as usize
    }

    #[inline(always)]
    pub fn row(self) -> usize {
        (self.0 & (Slot::ROWS - 1)) as usize
    }
}

/// The number of a predicate register.
pub type Pred = u32;

/// Rows of the thread bank.
pub mod thread_row {
    pub const TID: u32 = 0;
    pub const LANE: u32 = 3;
    pub const WARP: u32 = 4;
    /// `%lanemask_eq`, `le`, `lt`, `ge`, `gt`
    pub const MASKS: u32 = 5;
    pub const COUNT: usize = 10;
}

/// Rows of the block bank: `%ctaid`.
pub const BLOCK_ROWS: usize = 3;

/// A row of the constant bank that the launch fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    /// A piece of the parameters, widened to the register.
    Param {
        offset: u32,
        bytes: u8,
        signed: bool,
    },
    BlockDim(u8),
    GridDim(u8),
    Warps,
    DynamicShared,
    TotalShared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    And,
    Or,
    Xor,
}

/// One instruction of a warp. None of them changes the flow; see [`End`].
#[derive(Clone, Debug)]
pub enum Inst {
    Alu {
        op: Alu,
        d: Slot,
        s: [Slot; 3],
    },
    Compare {
        op: Cmp,
        d: Pred,
        a: Slot,
        b: Slot,
    },
    Logic {
        op: Logic,
        d: Pred,
        a: Pred,
        b: Pred,
    },
    Not {
        d: Pred,
        a: Pred,
    },
    /// `mov.pred` from a number.
    SetPred {
        d: Pred,
        value: bool,
    },
    Test {
        class: Class,
        double: bool,
        d: Pred,
        a: Slot,
    },
    Select {
        bytes: u8,
        d: Slot,
        a: Slot,
        b: Slot,
        p: Pred,
    },
    Convert {
        kind: Conversion,
        d: Slot,
        a: Slot,
    },
    Load(Box<Access>),
    Store(Box<Access>),
    /// See [`copies`](super::copies).
    Copy(Box<SharedCopy>),
    CopyGroup,
    CopyWait {
        but: u32,
    },
    /// `isspacep`
    InWindow {
        area: Window,
        d: Pred,
        a: Slot,
    },
    ActiveMask {
        d: Slot,
    },
    Shuffle(Box<Shuffle>),
    Vote {
        kind: Vote,
        d: Pred,
        p: Pred,
        members: Slot,
    },
    Ballot {
        d: Slot,
        p: Pred,
        members: Slot,
    },
    Reduce {
        kind: Reduction,
        d: Slot,
        a: Slot,
        members: Slot,
    },
    /// `bar.warp.sync`: the meeting itself is the block's [`Block::members`].
    Meet {
        members: Slot,
    },
    /// Orders memory between threads.
    Fence,
    Guarded {
        p: Pred,
        negated: bool,
        inst: Box<Inst>,
    },
}

/// `testp`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    Global,
    Shared,
    Local,
}

/// A load or store: up to eight registers, one after the other in memory.
#[derive(Clone, Debug)]
pub struct Access {
    pub space: super::Space,
    /// Bytes of one element in memory.
    pub bytes: u8,
    /// Bytes of a register.
    pub register_bytes: u8,
    pub signed: bool,
    pub count: u8,
    pub registers: [Slot; 8],
    pub address: Slot,
    /// 4 or 8
    pub address_bytes: u8,
    pub offset: i64,
}

/// `cp.async`: words from global to shared memory; registers are not used.
#[derive(Clone, Debug)]
pub struct SharedCopy {
    pub from: Access,
    pub to: Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Debug)]
pub struct Shuffle {
    pub mode: ShuffleMode,
    pub d: Slot,
    pub p: Option<Pred>,
    pub a: Slot,
    pub b: Slot,
    pub c: Slot,
    pub members: Slot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Uniform,
}

/// `redux.sync`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    Add,
    And,
    Or,
    Xor,
    MinU,
    MaxU,
    MinS,
    MaxS,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum End {
    Jump(u32),
    Branch {
        p: Pred,
        negated: bool,
        yes: u32,
        no: u32,
    },
    Switch {
        index: Slot,
        targets: Vec<u32>,
    },
    /// `number`: where lanes have the barrier's, instead of the one that stands in it.
    Barrier {
        barrier: Barrier,
        number: Option<Slot>,
        next: u32,
    },
    Exit,
    Trap,
}

/// Barriers of a block are 0 to this.
pub const LAST_BARRIER: u64 = 15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    pub number: u32,
    /// Threads that meet; all of the block where it is not given.
    pub threads: Option<u32>,
    /// Whether all lanes of a warp have to arrive by the same instruction.
    pub aligned: bool,
}

/// Instructions that are executed without a change of the active lanes.
#[derive(Clone, Debug)]
pub struct Block {
    /// The lanes that have to be here before the block runs: its first instruction's member mask.
    pub members: Option<Slot>,
    pub insts: Vec<Inst>,
    /// PTX line of each instruction, and of the end.
    pub lines: Vec<u32>,
    pub end: End,
}

/// The role of an operand, for register allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Use,
    Define,
    /// Defines only some lanes, so that the old value lives on.
    Modify,
}

impl Inst {
    /// Visits every row operand.
    pub fn operands(&mut self, visit: &mut dyn FnMut(&mut Slot, Role)) {
        use Role::{Define, Modify, Use};
        match self {
            Inst::Alu { op, d, s } => {
                s.iter_mut().take(op.sources().len()).for_each(|slot| visit(slot, Use));
                visit(d, Define);
            }
            Inst::Compare { a, b, .. } => [a, b].into_iter().for_each(|slot| visit(slot, Use)),
            Inst::Test { a, .. } | Inst::InWindow { a, .. } => visit(a, Use),
            Inst::Select { d, a, b, .. } => {
                [a, b].into_iter().for_each(|slot| visit(slot, Use));
                visit(d, Define);
            }
            Inst::Convert { d, a, .. } => {
                visit(a, Use);
                visit(d, Define);
            }
            Inst::Load(access) => {
                visit(&mut access.address, Use);
                let count = usize::from(access.count);
                access.registers[..count].iter_mut().for_each(|slot| visit(slot, Define));
            }
            Inst::Store(access) => {
                visit(&mut access.address, Use);
                let count = usize::from(access.count);
                access.registers[..count].iter_mut().for_each(|slot| visit(slot, Use));
            }
            Inst::Copy(copy) => {
                visit(&mut copy.from.address, Use);
                visit(&mut copy.to.address, Use);
            }
            Inst::ActiveMask { d } => visit(d, Define),
            Inst::Shuffle(shuffle) => {
                let Shuffle { d, a, b, c, members, .. } = &mut **shuffle;
                [a, b, c, members].into_iter().for_each(|slot| visit(slot, Use));
                visit(d, Define);
            }
            Inst::Vote { members, .. } | Inst::Meet { members } => visit(members, Use),
            Inst::Ballot { d, members, .. } => {
                visit(members, Use);
                visit(d, Define);
            }
            Inst::Reduce { d, a, members, .. } => {
                [a, members].into_iter().for_each(|slot| visit(slot, Use));
                visit(d, Define);
            }
            Inst::Guarded { inst, .. } => inst.operands(&mut |slot, role| {
                visit(slot, if role == Define { Modify } else { role });
            }),
            Inst::Logic { .. }
            | Inst::Not { .. }
            | Inst::SetPred { .. }
            | Inst::Fence
            | Inst::CopyGroup
            | Inst::CopyWait { .. } => (),
        }
    }
}

impl End {
    /// Visits the indices of the blocks that may come next.
    pub fn targets(&mut self, visit: &mut dyn FnMut(&mut u32)) {
        match self {
            End::Jump(next) | End::Barrier { next, .. } => visit(next),
            End::Branch { yes, no, .. } => [yes, no].into_iter().for_each(visit),
            End::Switch { targets, .. } => targets.iter_mut().for_each(visit),
            End::Exit | End::Trap => (),
        }
    }
}
