//! The kernel form: structured loops over instances, with address spaces and barriers, no addresses.

use super::pieces::Piece;
use crate::stencil::StencilProgram;
use hexpass_abi::{ElemType, Folds, KernelCost, KernelParam, LaunchPlan, Tunable};

/// Kernels and the plan that launches them.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelProgram {
    pub kernels: Vec<Kernel>,
    pub plan: LaunchPlan,
    /// As `Variant::tunables`.
    pub tunables: Vec<Tunable>,
    /// As `Variant::scratch`.
    pub scratch: Vec<u16>,
    /// As `Variant::alike`.
    pub alike: bool,
    /// As `Variant::least`.
    pub least: Vec<i64>,
}

impl KernelProgram {
    /// Kernels that want nothing but their plan.
    pub fn new(kernels: Vec<Kernel>, plan: LaunchPlan) -> KernelProgram {
        let (tunables, scratch, least) = (Vec::new(), Vec::new(), Vec::new());
        KernelProgram { kernels, plan, tunables, scratch, alike: false, least }
    }

    /// How long the kernels are: nodes of all of them.
    pub fn nodes(&self) -> usize {
        self.kernels.iter().flat_map(|k| &k.body).map(Node::count).sum()
    }

    /// About how long a compiler takes for them, in instructions.
    pub fn length(&self, program: &StencilProgram) -> usize {
        let of = |k: &Kernel| k.body.iter().map(|n| n.length(k, program)).sum::<usize>();
        self.kernels.iter().map(of).sum()
    }
}

/// Threads of a block along z at most (CUDA's compute capabilities, all of them).
pub const MOST_DEEP: u32 = 64;

/// One kernel: what each block does.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Unique in the nest; made of letters, digits and `_`.
    pub name: String,
    /// Threads of a block along x, y, z; (1, 1, 1) on the host.
    pub threads: [u32; 3],
    /// Who runs the nodes.
    pub style: Style,
    pub shared: Vec<SharedBuffer>,
    /// Of each thread; none in [`Style::Block`].
    pub registers: Vec<RegisterBank>,
    /// Every parameter that the body may need, no duplicates.
    pub params: Vec<KernelParam>,
    /// Parts of statements' arithmetic that instances may name.
    pub pieces: Vec<Piece>,
    /// Number of variables; each is bound once ([`Node::Let`] or [`Node::For`]).
    pub vars: u16,
    pub body: Vec<Node>,
    /// Where a choice has two ways ([`Node::If`]), the second is right whichever holds: the first only has less to do.
    pub general: bool,
    /// Dimensions without ends: instances that touch registers and shared memory only exist at all of their coordinates,
    /// whatever their statement's box says.
    pub round: Vec<u8>,
    /// What threads keep one element each of.
    pub folds: Option<Folds>,
    /// What a block does, for the time model.
    pub cost: KernelCost,
}

/// Who runs the nodes of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The block as one: work is shared out by loops of kind [`LoopKind::Threads`].
    Block,
    /// Every thread runs every node: effects differ by [`IExpr::Thread`]. No loop of kind `Threads` or `Lanes`. Bounds
    /// of loops are uniform for the block; what holds a barrier or a [`Node::Shuffle`] stands under conditions
    /// that speak of block indices and parameters only. Variables, launch arguments, subscripts and what conditions
    /// compare lie within ±3·2²⁹ for guarded sizes: devices compute with them in 32 bits.
    Thread,
}

/// Registers of one type that each thread has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterBank {
    /// For reading.
    pub name: String,
    pub elem: ElemType,
    /// Number of registers.
    pub len: u32,
}

/// A buffer in shared memory, row-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedBuffer {
    /// For reading.
    pub name: String,
    pub elem: ElemType,
    /// Constant extents, outermost first.
    pub extents: Vec<i64>,
}

/// Most warps of a block that can have barriers of their own with those beside them: PTX has as many barriers.
pub const MOST_NEIGHBOURS: u32 = 16;

impl Kernel {
    /// True if warps are rows of threads that can wait for those beside them ([`Node::BarrierBeside`]).
    pub fn has_neighbours(&self) -> bool {
        let [across, warps, deep] = self.threads;
        let paired = warps.is_multiple_of(2) && (2..=MOST_NEIGHBOURS).contains(&warps);
        self.style == Style::Thread && across == 32 && deep == 1 && paired
    }

    /// The array that a place in global memory is of, or holds a part of.
    pub fn array_of(&self, place: &Place) -> Option<u16> {
        match place {
            Place::Global { array, .. } => Some(*array),
            Place::Buffer { param, .. } => match self.params.get(usize::from(*param)) {
                Some(KernelParam::Buffer { array, .. }) => Some(*array),
                _ => None,
            },
            Place::Shared { .. } | Place::Register { .. } => None,
        }
    }

    /// The same of a program whose statement `of(s)` does what statement s did.
    pub fn of_statements(mut self, of: impl Fn(u16) -> u16) -> Kernel {
        for param in &mut self.params {
            if let KernelParam::StatementLo { statement, .. }
            | KernelParam::StatementHi { statement, .. } = param
            {
                *statement = of(*statement);
            }
        }
        self.pieces.iter_mut().for_each(|p| p.statement = of(p.statement));
        self.body.iter_mut().for_each(|n| n.of_statements(&of));
        self
    }

    /// Bytes of all shared buffers, each aligned to 16.
    pub fn shared_bytes(&self) -> u64 {
        self.shared.iter().map(|b| b.bytes().next_multiple_of(16)).sum()
    }
}

impl SharedBuffer {
    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.extents.iter().product::<i64>() as u64 * self.elem.size()
    }
}

/// Integer expression of a kernel; 64-bit arithmetic that never overflows for guarded sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IExpr {
    Const(i64),
    /// A bound variable.
    Var(u16),
    /// `Kernel::params[i]`, an integer one.
    Param(u16),
    /// Index of the block along an axis, from 0; axes 1 and 2 are the device's only.
    Block(u8),
    /// Index of the thread along an axis, in [`Style::Thread`].
    Thread(u8),
    Add(Box<IExpr>, Box<IExpr>),
    Sub(Box<IExpr>, Box<IExpr>),
    Mul(Box<IExpr>, Box<IExpr>),
    /// ⌊a / c⌋, c > 0.
    FloorDiv(Box<IExpr>, i64),
    /// a − c·⌊a / c⌋, c > 0.
    Mod(Box<IExpr>, i64),
    Min(Box<IExpr>, Box<IExpr>),
    Max(Box<IExpr>, Box<IExpr>),
    /// The same value. Where a variable is bound to it, code generators don't see how it was made: it is kept, not what it
    /// was made of.
    Opaque(Box<IExpr>),
}

/// Condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cond {
    /// a <= b
    Le(IExpr, IExpr),
    /// All of them.
    All(Vec<Cond>),
}

/// How the iterations of a loop run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// One after the other, uniform for the block; may hold barriers.
    Sequential,
    /// As `Sequential`, with constant bounds, written out.
    Unrolled,
    /// Shared out cyclically over the block's threads along axis 0, 1 or 2; no barrier inside. On the host: plain.
    Threads(u8),
    /// Independent iterations, innermost, for the host's vector units.
    Lanes,
}

/// A piece of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Binds a variable.
    Let { var: u16, value: IExpr },
    /// `var` from `lo` to `hi`, both included, by `step` > 0.
    For { var: u16, lo: IExpr, hi: IExpr, step: i64, kind: LoopKind, body: Vec<Node> },
    /// The condition is uniform for the block if a branch holds a barrier.
    If { cond: Cond, then: Vec<Node>, otherwise: Vec<Node> },
    /// One element.
    Copy { to: Place, from: Place },
    /// `count` elements side by side in the innermost dimension, in one access: one of the places is the first of
    /// `count` registers in sequence, the other the first element in memory, whose address is a multiple of
    /// `count · elem` bytes. In [`Style::Thread`].
    Vector { to: Place, from: Place, count: u32 },
    /// `to` = what register `from` is in the thread `lanes` further along axis 0 of the same warp; undefined where that
    /// leaves the warp. In [`Style::Thread`].
    Shuffle { to: Place, from: Place, lanes: i32 },
    /// `to` = `then` where the condition holds, else `otherwise`, without a branch; registers only. In
    /// [`Style::Thread`].
    Select { to: Place, cond: Cond, then: Place, otherwise: Place },
    /// One statement instance: reads all `reads` (as `Statement::reads`), evaluates the body, then stores the value of
    /// write w to every place of `writes[w]`. With a piece (an index into [`Kernel::pieces`]) that body, its reads and
    /// its writes. Where all places are registers, the instance need not exist: its values
    /// are then undefined, as are those computed from undefined ones; what is stored to memory must be defined.
    Instance {
        statement: u16,
        piece: Option<u16>,
        time: IExpr,
        coords: Vec<IExpr>,
        reads: Vec<Place>,
        writes: Vec<Vec<Place>>,
    },
    /// What lies at `from`, in the device's memory, will be loaded soon, where the condition holds: a hint, which changes
    /// nothing. The place exists. In [`Style::Thread`].
    Prefetch { from: Place, cond: Cond },
    /// A group of copies that go on by themselves: of `count` elements side by side, 4, 8 or 16 bytes, from each second
    /// place, in the device's memory, to each first one, in shared memory; both are multiples of so many bytes. Until the
    /// thread waits for the group, what it copies to is undefined. What it copies from isn't written by the launch. In
    /// [`Style::Thread`].
    Fetch { copies: Vec<(Place, Place)>, count: u32 },
    /// All groups that the thread has asked for are there, but for the last `but`: it sees them, others do behind a barrier.
    /// In [`Style::Thread`].
    Await { but: u32 },
    /// All threads of the block have come here and see each other's effects, shared and global.
    Barrier,
    /// Each warp waits for the two beside it, the first and the last are beside each other too; it sees their effects, shared
    /// and global. Blocks have an even number of warps, 16 at most, each a row of threads. In [`Style::Thread`].
    BarrierBeside,
}

/// Bank and index.
pub type Register = (u16, u32);

/// `count` registers from a place on, if it is one.
fn run(place: &Place, count: u32) -> Vec<Register> {
    match place {
        Place::Register { bank, index } => (0..count).map(|i| (*bank, index + i)).collect(),
        Place::Global { .. } | Place::Buffer { .. } | Place::Shared { .. } => Vec::new(),
    }
}

impl Node {
    /// Registers that it reads, but for nodes inside.
    pub fn registers_read(&self) -> Vec<Register> {
        match self {
            Node::Copy { from, .. } | Node::Shuffle { from, .. } => run(from, 1),
            Node::Vector { from, count, .. } => run(from, *count),
            Node::Select { then, otherwise, .. } => [run(then, 1), run(otherwise, 1)].concat(),
            Node::Instance { reads, .. } => reads.iter().flat_map(|p| run(p, 1)).collect(),
            Node::Let { .. }
            | Node::For { .. }
            | Node::If { .. }
            | Node::Prefetch { .. }
            | Node::Fetch { .. }
            | Node::Await { .. }
            | Node::Barrier
            | Node::BarrierBeside => Vec::new(),
        }
    }

    /// Registers that it writes, but for nodes inside.
    pub fn registers_written(&self) -> Vec<Register> {
        match self {
            Node::Copy { to, .. } | Node::Shuffle { to, .. } | Node::Select { to, .. } => {
                run(to, 1)
            }
            Node::Vector { to, count, .. } => run(to, *count),
            Node::Instance { writes, .. } => {
                writes.iter().flatten().flat_map(|p| run(p, 1)).collect()
            }
            Node::Let { .. }
            | Node::For { .. }
            | Node::If { .. }
            | Node::Prefetch { .. }
            | Node::Fetch { .. }
            | Node::Await { .. }
            | Node::Barrier
            | Node::BarrierBeside => Vec::new(),
        }
    }

    fn of_statements(&mut self, of: &impl Fn(u16) -> u16) {
        match self {
            Node::For { body, .. } => body.iter_mut().for_each(|n| n.of_statements(of)),
            Node::If { then, otherwise, .. } => {
                then.iter_mut().chain(otherwise).for_each(|n| n.of_statements(of));
            }
            Node::Instance { statement, .. } => *statement = of(*statement),
            _ => (),
        }
    }

    /// How many nodes it is, those inside included.
    fn count(&self) -> usize {
        let all = |nodes: &[Node]| nodes.iter().map(Node::count).sum::<usize>();
        1 + match self {
            Node::For { body, .. } => all(body),
            Node::If { then, otherwise, .. } => all(then) + all(otherwise),
            _ => 0,
        }
    }

    fn length(&self, kernel: &Kernel, program: &StencilProgram) -> usize {
        let all = |nodes: &[Node]| nodes.iter().map(|n| n.length(kernel, program)).sum::<usize>();
        1 + match self {
            Node::For { body, .. } => all(body),
            Node::If { then, otherwise, .. } => all(then) + all(otherwise),
            Node::Copy { to, from } | Node::Vector { to, from, .. } => to.length() + from.length(),
            Node::Fetch { copies, .. } => {
                copies.iter().map(|(to, from)| to.length() + from.length()).sum()
            }
            Node::Instance { statement, piece, reads, writes, .. } => {
                let body = match piece {
                    Some(piece) => &kernel.pieces[usize::from(*piece)].body,
                    None => &program.statements[usize::from(*statement)].body,
                };
                let places = reads.iter().chain(writes.iter().flatten());
                body.length() + places.map(Place::length).sum::<usize>()
            }
            _ => 0,
        }
    }
}

/// One element of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Element at `subscripts` of the slot that a [`KernelParam::Slot`] of that rotation (taken modulo the array's
    /// slots) points to.
    Global { array: u16, rotation: IExpr, subscripts: Vec<IExpr> },
    /// Element at `subscripts` of the buffer that `Kernel::params[param]`, a [`KernelParam::Buffer`], points to.
    ///
    /// On devices subscript zero of every slot and buffer, and every stride but the last, is a multiple of
    /// [`hexpass_abi::ALIGNMENT`] bytes, and each row holds whole units of so many bytes around the subscripts from
    /// `ArrayLo` to `ArrayHi`: what lies there beyond them may be loaded, is undefined, and must not be stored to.
    Buffer { param: u16, subscripts: Vec<IExpr> },
    /// Element of `Kernel::shared[buffer]`.
    Shared { buffer: u16, subscripts: Vec<IExpr> },
    /// Register of `Kernel::registers[bank]` of the thread.
    Register { bank: u16, index: u32 },
}

impl Place {
    /// About how many instructions lead there.
    fn length(&self) -> usize {
        match self {
            Place::Global { subscripts, .. }
            | Place::Buffer { subscripts, .. }
            | Place::Shared { subscripts, .. } => 1 + subscripts.len(),
            Place::Register { .. } => 0,
        }
    }
}
