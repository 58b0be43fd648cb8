//! The arithmetic of one statement instance, as a graph without control flow.
//!
//! Rounding is decided before a body exists: there is no `fmuladd` here and, where results must be exact, no `contract`
//! flag, only [`Op::Fma`] or separate operations. What host, device and emulated grid run is written from the same body.

use hexpass_abi::{ElemType, Poly, Sym};

/// Index into [`Body::values`].
pub type ValueId = u16;

/// Values in evaluation order: operands come before their users.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Body {
    pub values: Vec<Value>,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub op: Op,
    pub ty: Ty,
    /// Only flags that the source gave.
    pub flags: FpFlags,
}

/// Type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// Result of a comparison.
    Bool,
    /// A number.
    Elem(ElemType),
}

impl Ty {
    /// Registers of four bytes.
    pub fn words(self) -> i64 {
        match self {
            Ty::Bool => 1,
            Ty::Elem(elem) => elem.size().div_ceil(4) as i64,
        }
    }
}

/// Fast-math flags that licence reassociation or approximation (LLVM's names).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct FpFlags {
    pub nnan: bool,
    pub ninf: bool,
    pub nsz: bool,
    pub arcp: bool,
    pub afn: bool,
    pub reassoc: bool,
    /// Only beside one of the others that allow another result (see the module's head): a device that has fused
    /// multiply-adds may use them where the host has none.
    pub contract: bool,
}

impl FpFlags {
    /// A function may give another result than the library's or the nearest, and knows no infinities and NaN.
    pub fn allow_approximation(&self) -> bool {
        self.afn && self.nnan && self.ninf
    }
}

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Value of load `i` of the statement, read before any store of the instance.
    Load(u16),
    /// Floating constant, as the bits of its type (low 32 for `F32`).
    Float(u64),
    /// Integer constant.
    Integer(i64),
    /// `NestArgs::scalars[i]`.
    Scalar(u16),
    /// An integer made of counters and integer parameters: over `Int`, `Time` and `Iv` (in facts: loops; after
    /// alignment: space coordinates). Truncated to the value's type.
    Index(Poly),
    Unary(UnaryOp, ValueId),
    Binary(BinaryOp, ValueId, ValueId),
    /// a · b + c, rounded once.
    Fma(ValueId, ValueId, ValueId),
    Compare(Predicate, ValueId, ValueId),
    /// condition, then, else
    Select(ValueId, ValueId, ValueId),
    Convert(Conversion, ValueId),
}

impl Op {
    /// The values that it computes with, in order.
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            Op::Load(_) | Op::Float(_) | Op::Integer(_) | Op::Scalar(_) | Op::Index(_) => {
                Vec::new()
            }
            Op::Unary(_, a) | Op::Convert(_, a) => vec![*a],
            Op::Binary(_, a, b) | Op::Compare(_, a, b) => vec![*a, *b],
            Op::Fma(a, b, c) | Op::Select(a, b, c) => vec![*a, *b, *c],
        }
    }

    /// The same of other values; `None` where one has no new name.
    pub fn renamed(&self, name: impl Fn(ValueId) -> Option<ValueId>) -> Option<Op> {
        Some(match self {
            Op::Load(_) | Op::Float(_) | Op::Integer(_) | Op::Scalar(_) | Op::Index(_) => {
                self.clone()
            }
            Op::Unary(op, a) => Op::Unary(*op, name(*a)?),
            Op::Convert(op, a) => Op::Convert(*op, name(*a)?),
            Op::Binary(op, a, b) => Op::Binary(*op, name(*a)?, name(*b)?),
            Op::Compare(op, a, b) => Op::Compare(*op, name(*a)?, name(*b)?),
            Op::Fma(a, b, c) => Op::Fma(name(*a)?, name(*b)?, name(*c)?),
            Op::Select(a, b, c) => Op::Select(name(*a)?, name(*b)?, name(*c)?),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// LLVM's fneg: flips the sign, NaN included.
    Neg,
    /// llvm.fabs
    Abs,
    /// llvm.sqrt, correctly rounded.
    Sqrt,
    /// Bitwise not of a Bool.
    Not,
    /// llvm.floor, llvm.ceil, llvm.trunc: to a whole number downwards, upwards, towards zero.
    Floor,
    Ceil,
    Trunc,
    /// llvm.rint and its kin: to the nearest whole number, halves to the even one.
    RoundEven,
    /// llvm.round: halves away from zero.
    Round,
    /// Functions of the host's libm. Only host kernels call them, since their bits are the library's own; where the source
    /// allows others, devices compute most of them ([`Value::libm_of_host`]).
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Cbrt,
}

impl UnaryOp {
    /// The function of libm for doubles.
    pub fn libm(self) -> Option<&'static str> {
        Some(match self {
            UnaryOp::Sin => "sin",
            UnaryOp::Cos => "cos",
            UnaryOp::Tan => "tan",
            UnaryOp::Asin => "asin",
            UnaryOp::Acos => "acos",
            UnaryOp::Atan => "atan",
            UnaryOp::Sinh => "sinh",
            UnaryOp::Cosh => "cosh",
            UnaryOp::Tanh => "tanh",
            UnaryOp::Exp => "exp",
            UnaryOp::Exp2 => "exp2",
            UnaryOp::Expm1 => "expm1",
            UnaryOp::Log => "log",
            UnaryOp::Log2 => "log2",
            UnaryOp::Log10 => "log10",
            UnaryOp::Log1p => "log1p",
            UnaryOp::Cbrt => "cbrt",
            _ => return None,
        })
    }

    /// The operation that a function of libm is.
    pub fn of_libm(name: &str) -> Option<UnaryOp> {
        use UnaryOp::*;
        let all = [
            Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Exp, Exp2, Expm1, Log, Log2, Log10,
            Log1p, Cbrt,
        ];
        all.into_iter().find(|op| op.libm() == Some(name))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// llvm.minnum / llvm.maxnum
    FMinNum,
    FMaxNum,
    /// llvm.copysign
    CopySign,
    /// Functions of the host's libm, as those of [`UnaryOp`].
    Pow,
    Atan2,
    Hypot,
    Fmod,
    IAdd,
    ISub,
    IMul,
    /// Quotient and remainder, rounded towards zero. Where the divisor is zero, or the quotient too large, the value is
    /// any: nobody uses it, and nothing traps.
    SDiv,
    UDiv,
    SRem,
    URem,
    And,
    Or,
    Xor,
    Shl,
    AShr,
    LShr,
    SMin,
    SMax,
    UMin,
    UMax,
}

impl BinaryOp {
    /// The function of libm for doubles.
    pub fn libm(self) -> Option<&'static str> {
        Some(match self {
            BinaryOp::Pow => "pow",
            BinaryOp::Atan2 => "atan2",
            BinaryOp::Hypot => "hypot",
            BinaryOp::Fmod => "fmod",
            _ => return None,
        })
    }

    /// The operation that a function of libm is.
    pub fn of_libm(name: &str) -> Option<BinaryOp> {
        use BinaryOp::*;
        [Pow, Atan2, Hypot, Fmod].into_iter().find(|op| op.libm() == Some(name))
    }
}

impl Value {
    /// The function of libm that it calls.
    pub fn libm(&self) -> Option<&'static str> {
        match self.op {
            Op::Unary(op, _) => op.libm(),
            Op::Binary(op, ..) => op.libm(),
            _ => None,
        }
    }

    /// The same where only the host has it: devices have functions of their own where the source allows results that
    /// are not the library's.
    pub fn libm_of_host(&self) -> Option<&'static str> {
        let on_devices = !matches!(
            self.op,
            Op::Unary(UnaryOp::Asin | UnaryOp::Acos, _)
                | Op::Binary(BinaryOp::Atan2 | BinaryOp::Fmod, ..)
        );
        self.libm().filter(|_| !(on_devices && self.flags.allow_approximation()))
    }

    /// What a function of libm comes to on a device: exponentials and logarithms each take about as much, circular
    /// functions two of them, and others are made of several. 0 for other operations.
    pub fn exponentials(&self) -> u64 {
        match self.op {
            _ if self.libm().is_none() => 0,
            Op::Unary(UnaryOp::Exp | UnaryOp::Exp2 | UnaryOp::Log | UnaryOp::Log2, _) => 1,
            Op::Binary(BinaryOp::Pow, ..) | Op::Unary(UnaryOp::Cbrt | UnaryOp::Expm1, _) => 3,
            Op::Unary(UnaryOp::Sinh | UnaryOp::Tanh, _) => 4,
            _ => 2,
        }
    }
}

impl Body {
    /// For each value, whether `root` is made of it.
    pub fn needed_by(&self, root: ValueId) -> Vec<bool> {
        let mut needed = vec![false; self.values.len()];
        needed[usize::from(root)] = true;
        for i in (0..self.values.len()).rev().filter(|i| *i <= usize::from(root)) {
            if needed[i] {
                for operand in self.values[i].op.operands() {
                    needed[usize::from(operand)] = true;
                }
            }
        }
        needed
    }

    /// About how long a compiler takes for it, in instructions: quotients and roots are many where nothing may be
    /// approximated, and integers are looked at by passes that look for addresses.
    pub fn length(&self) -> usize {
        let of = |v: &Value| match v.op {
            Op::Unary(UnaryOp::Sqrt, _) | Op::Binary(BinaryOp::FDiv, ..) => 12,
            Op::Binary(BinaryOp::IAdd | BinaryOp::ISub | BinaryOp::IMul, ..) => 4,
            Op::Float(_) | Op::Integer(_) | Op::Scalar(_) => 0,
            _ if v.libm_of_host().is_none() => 1 + 160 * v.exponentials() as usize,
            _ => 1,
        };
        self.values.iter().map(of).sum()
    }

    /// A function of libm that it calls and that only the host has: it then runs there only.
    pub fn libm(&self) -> Option<&'static str> {
        self.values.iter().find_map(Value::libm_of_host)
    }

    /// All that it calls of libm is the same for all points of a step.
    pub fn libm_by_steps(&self) -> bool {
        // By value: whether it differs from point to point.
        let mut varies: Vec<bool> = Vec::with_capacity(self.values.len());
        for v in &self.values {
            let own = match &v.op {
                Op::Load(_) => true,
                Op::Index(p) => p.mentions_any(|s| matches!(s, Sym::Iv(_))),
                _ => false,
            };
            let differs = own || v.op.operands().iter().any(|&a| varies[usize::from(a)]);
            if differs && v.libm_of_host().is_some() {
                return false;
            }
            varies.push(differs);
        }
        true
    }
}

/// LLVM's comparison predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    FOeq,
    FOgt,
    FOge,
    FOlt,
    FOle,
    FOne,
    FOrd,
    FUno,
    FUeq,
    FUgt,
    FUge,
    FUlt,
    FUle,
    FUne,
    IEq,
    INe,
    ISgt,
    ISge,
    ISlt,
    ISle,
    IUgt,
    IUge,
    IUlt,
    IUle,
}

impl Predicate {
    /// False of a NaN.
    pub fn is_ordered(self) -> bool {
        use Predicate::*;
        matches!(self, FOeq | FOgt | FOge | FOlt | FOle | FOne | FOrd)
    }

    /// What holds of `b` and `a` where this holds of `a` and `b`.
    pub fn swapped(self) -> Predicate {
        use Predicate::*;
        match self {
            FOgt => FOlt,
            FOge => FOle,
            FOlt => FOgt,
            FOle => FOge,
            FUgt => FUlt,
            FUge => FUle,
            FUlt => FUgt,
            FUle => FUge,
            ISgt => ISlt,
            ISge => ISle,
            ISlt => ISgt,
            ISle => ISge,
            IUgt => IUlt,
            IUge => IUle,
            IUlt => IUgt,
            IUle => IUge,
            FOeq | FOne | FOrd | FUno | FUeq | FUne | IEq | INe => self,
        }
    }
}

/// Conversions to the value's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    FpExtend,
    FpTruncate,
    SignedToFp,
    UnsignedToFp,
    /// Towards zero; any value where the result does not fit.
    FpToSigned,
    FpToUnsigned,
    /// Towards zero; the nearest value that fits, and 0 for a NaN (Rust's `as`).
    FpToSignedSaturating,
    FpToUnsignedSaturating,
    SignExtend,
    ZeroExtend,
    Truncate,
}
