//! The kernel form: structured loops over instances, with address spaces and barriers, no addresses.

use hexpass_abi::{ElemType, KernelParam, LaunchPlan};

/// Kernels and the plan that launches them.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelProgram {
    pub kernels: Vec<Kernel>,
    pub plan: LaunchPlan,
}

/// One kernel: what each block does.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Unique in the nest; made of letters, digits and `_`.
    pub name: String,
    /// Threads of a block along x, y, z; (1, 1, 1) on the host.
    pub threads: [u32; 3],
    pub shared: Vec<SharedBuffer>,
    /// Every parameter that the body may need, no duplicates.
    pub params: Vec<KernelParam>,
    /// Number of variables; each is bound once ([`Node::Let`] or [`Node::For`]).
    pub vars: u16,
    pub body: Vec<Node>,
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

impl Kernel {
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
    /// Index of the block, from 0.
    Block,
    Add(Box<IExpr>, Box<IExpr>),
    Sub(Box<IExpr>, Box<IExpr>),
    Mul(Box<IExpr>, Box<IExpr>),
    /// ⌊a / c⌋, c > 0.
    FloorDiv(Box<IExpr>, i64),
    /// a − c·⌊a / c⌋, c > 0.
    Mod(Box<IExpr>, i64),
    Min(Box<IExpr>, Box<IExpr>),
    Max(Box<IExpr>, Box<IExpr>),
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
    /// One statement instance: reads all `reads` (as `Statement::reads`), evaluates the body, then stores the value of
    /// write w to every place of `writes[w]`.
    Instance {
        statement: u16,
        time: IExpr,
        coords: Vec<IExpr>,
        reads: Vec<Place>,
        writes: Vec<Vec<Place>>,
    },
    /// All threads of the block have come here and see each other's effects, shared and global.
    Barrier,
}

/// One element of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Element at `subscripts` of the slot that a [`KernelParam::Slot`] of that rotation (taken modulo the array's
    /// slots) points to.
    Global { array: u16, rotation: IExpr, subscripts: Vec<IExpr> },
    /// Element of `Kernel::shared[buffer]`.
    Shared { buffer: u16, subscripts: Vec<IExpr> },
}
