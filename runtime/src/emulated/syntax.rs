//! The parsed module, before any opcode is understood: what [`parse`](super::parse) produces and
//! [`decode`](super::decode) consumes.

/// One PTX module.
#[derive(Default)]
pub struct Unit<'a> {
    pub variables: Vec<Variable<'a>>,
    pub entries: Vec<Entry<'a>>,
}

/// The state spaces of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    Global,
    Const,
    Shared,
    Local,
}

pub struct Variable<'a> {
    pub name: &'a str,
    pub area: Area,
    pub align: u64,
    /// In bytes; `None` for `.extern .shared x[]`, whose size the launch decides.
    pub size: Option<u64>,
    /// The initialiser's bytes; the rest is zero.
    pub bytes: Vec<u8>,
    pub line: u32,
}

/// One `.entry`.
pub struct Entry<'a> {
    pub name: &'a str,
    pub params: Vec<Param<'a>>,
    pub max_threads: Option<[u32; 3]>,
    pub required_threads: Option<[u32; 3]>,
    /// Type of each register, indexed by [`Operand::Register`].
    pub registers: Vec<Ty>,
    pub variables: Vec<Variable<'a>>,
    pub statements: Vec<Statement<'a>>,
}

pub struct Param<'a> {
    pub name: &'a str,
    pub offset: u32,
    pub size: u32,
}

pub enum Statement<'a> {
    Label(&'a str, u32),
    /// `.branchtargets`, which belongs to the label before it.
    Targets(Vec<&'a str>),
    Instruction(Instruction<'a>),
}

pub struct Instruction<'a> {
    /// `@%p` or `@!%p`: register and whether it is negated.
    pub guard: Option<(u32, bool)>,
    pub opcode: &'a str,
    pub operands: Vec<Operand<'a>>,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub enum Operand<'a> {
    Register(u32),
    /// `!%p`
    Not(u32),
    /// `%tid.x` and its like
    Special(&'a str),
    Immediate(Immediate),
    /// A variable, parameter or label, and bytes past it.
    Symbol(&'a str, i64),
    /// `[base + offset]`
    Address(Base<'a>, i64),
    /// `{a, b, …}`
    Tuple(Vec<Operand<'a>>),
    /// `%p|%q`
    Pair(Box<Operand<'a>>, Box<Operand<'a>>),
    /// `_`
    Sink,
}

#[derive(Clone, Copy, Debug)]
pub enum Base<'a> {
    Register(u32),
    Symbol(&'a str),
    Absolute,
}

#[derive(Clone, Copy, Debug)]
pub enum Immediate {
    Integer(u64),
    Single(u32),
    Double(u64),
}

impl Immediate {
    /// The bits that an operand of type `ty` gets.
    pub fn bits(self, ty: Ty) -> u64 {
        let single = ty == Ty::F32;
        let bits = match self {
            Immediate::Integer(value) => value,
            Immediate::Single(bits) if ty == Ty::F64 => f64::from(f32::from_bits(bits)).to_bits(),
            Immediate::Single(bits) => bits.into(),
            Immediate::Double(bits) if single => (f64::from_bits(bits) as f32).to_bits().into(),
            Immediate::Double(bits) => bits,
        };
        if ty.bytes() >= 8 { bits } else { bits & ((1u64 << (8 * ty.bytes())) - 1) }
    }
}

/// The fundamental types that this interpreter knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Pred,
    B8,
    U8,
    S8,
    B16,
    U16,
    S16,
    B32,
    U32,
    S32,
    B64,
    U64,
    S64,
    F32,
    F64,
}

impl Ty {
    /// From its name without the dot.
    pub fn named(name: &str) -> Option<Ty> {
        Some(match name {
            "pred" => Ty::Pred,
            "b8" => Ty::B8,
            "u8" => Ty::U8,
            "s8" => Ty::S8,
            "b16" => Ty::B16,
            "u16" => Ty::U16,
            "s16" => Ty::S16,
            "b32" => Ty::B32,
            "u32" => Ty::U32,
            "s32" => Ty::S32,
            "b64" => Ty::B64,
            "u64" => Ty::U64,
            "s64" => Ty::S64,
            "f32" => Ty::F32,
            "f64" => Ty::F64,
            _ => return None,
        })
    }

    /// Bytes of a value; a predicate has none.
    pub fn bytes(self) -> u32 {
        match self {
            Ty::Pred => 0,
            Ty::B8 | Ty::U8 | Ty::S8 => 1,
            Ty::B16 | Ty::U16 | Ty::S16 => 2,
            Ty::B32 | Ty::U32 | Ty::S32 | Ty::F32 => 4,
            Ty::B64 | Ty::U64 | Ty::S64 | Ty::F64 => 8,
        }
    }

    pub fn signed(self) -> bool {
        matches!(self, Ty::S8 | Ty::S16 | Ty::S32 | Ty::S64)
    }

    pub fn float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }
}
