//! What the runtime must know of one nest.

use crate::{Fence, IntExpr, KernelCost, LaunchPlan, Poly};
use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt;
use core::str::Utf8Error;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One transformed nest. Decode once per process: strings are owned here, what is [`Embedded`] stays where the bytes are.
///
/// Objects hold it with its variants apart ([`NestRecord::to_bytes`]): they are nearly all of it, and most executions of
/// small nests end before one is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(serialize = "V: Serialize", deserialize = "V: Deserialize<'de>, 'de: 'static"))]
pub struct NestRecord<V = Variant> {
    /// Function that holds the nest.
    pub function: String,
    /// Source file as in the debug info.
    pub file: Option<String>,
    /// Line of the time loop.
    pub line: Option<u32>,
    /// How rounding was decided.
    pub fp: FpMode,
    /// Number of iterations of the time loop; not positive: the nest is empty.
    pub steps: IntExpr,
    /// Number of space dimensions, 1 to 3.
    pub dims: u8,
    /// Neither bodies nor subscripts speak of the time step: the steps may be run in stretches, each of which begins
    /// at step 0 with its slots turned.
    pub timeless: bool,
    /// Storage.
    pub arrays: Vec<Array>,
    /// Tables of rows and sizes.
    pub tables: Vec<Table>,
    /// What is looked up in them beside what statements read.
    pub lookups: Vec<Lookup>,
    /// Masks that keep sweeps inside.
    pub fences: Vec<Fence>,
    /// In the order of one time step.
    pub statements: Vec<StatementRecord>,
    /// What detection assumed; all must hold or the original loop runs.
    pub checks: Vec<Check>,
    /// Pairs of indices into `NestArgs::pointers` that are known not to overlap (restrict, distinct objects).
    pub disjoint_pointers: Vec<(u16, u16)>,
    /// Largest and smallest values of a step, which the program looks at after each.
    pub reductions: Vec<Reduction>,
    /// Arrays that the program has not: the runtime makes them, and nobody reads what they hold before or afterwards.
    pub aside: Vec<u16>,
    /// Words that the steps exchange in memory: what the nest reads and writes lies apart from them.
    pub exchanged: Vec<Exchanged>,
    /// Kernels to choose from; the first of a target is the default.
    pub variants: Vec<V>,
}

/// A word in which each step leaves another one's value (`q = s->now; s->now = s->next; s->next = q`), and which is an array
/// of one element and no dimension to the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchanged {
    /// Index into `NestArgs::pointers`.
    pub pointer: u16,
    /// Bytes from there.
    pub offset: i64,
    /// How many it has.
    pub bytes: u8,
}

/// Where a [`Variant`] of a record in an object is: behind the rest, in the record's order. A record's variants take up to
/// megabytes, so that only reading where each begins would bring in page after page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed {
    /// As [`Variant::target`]: who looks for the host's kernels need not read those of devices.
    pub target: VariantTarget,
    /// postcard bytes.
    bytes: u64,
}

impl NestRecord {
    /// The bytes that objects hold.
    pub fn to_bytes(&self) -> postcard::Result<Vec<u8>> {
        let bodies: Vec<Vec<u8>> =
            self.variants.iter().map(postcard::to_allocvec).collect::<Result<_, _>>()?;
        let packed = self.variants.iter().zip(&bodies);
        let packed = packed.map(|(v, body)| Packed { target: v.target, bytes: body.len() as u64 });
        let r = self.clone();
        let record = NestRecord {
            function: r.function,
            file: r.file,
            line: r.line,
            fp: r.fp,
            steps: r.steps,
            dims: r.dims,
            timeless: r.timeless,
            arrays: r.arrays,
            tables: r.tables,
            lookups: r.lookups,
            fences: r.fences,
            statements: r.statements,
            checks: r.checks,
            disjoint_pointers: r.disjoint_pointers,
            reductions: r.reductions,
            aside: r.aside,
            exchanged: r.exchanged,
            variants: packed.collect(),
        };
        let mut bytes = postcard::to_allocvec(&record)?;
        bodies.iter().for_each(|body| bytes.extend(body));
        Ok(bytes)
    }
}

impl NestRecord<Packed> {
    /// Reads [`NestRecord::to_bytes`], and where each variant's bytes are, at which nobody has looked.
    pub fn from_bytes(bytes: &'static [u8]) -> postcard::Result<(Self, Vec<&'static [u8]>)> {
        let (record, mut rest): (Self, _) = postcard::take_from_bytes(bytes)?;
        let body = |packed: &Packed| {
            let length = usize::try_from(packed.bytes).ok();
            let (body, after) = length
                .and_then(|n| rest.split_at_checked(n))
                .ok_or(postcard::Error::DeserializeUnexpectedEnd)?;
            rest = after;
            Ok(body)
        };
        let bodies = record.variants.iter().map(body).collect::<Result<_, _>>()?;
        Ok((record, bodies))
    }
}

impl<V> NestRecord<V> {
    /// Something is stored under a condition only: each host kernel is followed by one that stores what changes alone.
    pub fn has_careful_kernels(&self) -> bool {
        self.statements.iter().any(|s| !s.unsure_writes.is_empty())
    }

    /// The runtime makes this array: the program's memory has none of it.
    pub fn is_own(&self, array: usize) -> bool {
        self.reductions.iter().any(|r| usize::from(r.array) == array)
            || self.aside.iter().any(|&a| usize::from(a) == array)
    }
}

/// The largest or smallest of what the instances of a step compute, or their sum.
///
/// The nest keeps it in an array of its own, where each instance replaces an element by its own value where that is
/// larger (smaller), or adds to it. The runtime makes the array, empty at first, and may let elements share memory as
/// long as no two threads do; the result is the largest (smallest) of all. A step has the slot of its number.
///
/// A sum is followed by its [`Reduces::Magnitudes`]; the results of the two are bounds between which the sum lies that
/// the loop itself would compute. Of [`Reduces::Terms`], each instance has an element of its own, which it only writes; they
/// lie in the order in which the loop adds them up, and so the result is the loop's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduction {
    /// Index into `NestRecord::arrays`; of floating-point elements, `f64` for sums between bounds.
    pub array: u16,
    pub kind: Reduces,
    /// NaNs are kept in the array, and make the order matter; else they are passed over.
    pub counts_nans: bool,
    /// A NaN that the reduction begins with gives way to any number (Fortran's `maxval`); else it stays.
    pub yields: bool,
    /// Zeros of both signs may compete, so that the order matters where the result is zero; of a sum, values of both
    /// signs are added.
    pub sign_of_zero: bool,
    /// What equals the largest (smallest) so far does not take its place: a zero that the reduction begins with stays
    /// where nothing is larger (smaller), whatever zeros there are.
    pub strict: bool,
    /// The loop computes with `f32`.
    pub single: bool,
    /// A NaN is an alarm: the loop's own step may end, or say something, where it comes to it, and must find all of the
    /// grid as the step before has left it.
    pub alarm: bool,
}

/// What becomes of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reduces {
    Largest,
    Smallest,
    /// Added up, in double precision. Products may be rounded once before, and once in between.
    Sum,
    /// The values of the sum before it, without signs; in the same array where they have none.
    Magnitudes,
    /// Added up in the order of the array.
    Terms,
    /// By what the terms before it are multiplied, without being rounded before they are added; in the same array where
    /// they are squares.
    Factors,
}

impl Reduces {
    /// Each instance keeps an element of its own, and all of them are wanted in order.
    pub fn is_ordered(self) -> bool {
        matches!(self, Reduces::Terms | Reduces::Factors)
    }

    /// The loop adds up, each addition after the one before.
    pub fn is_a_sum(self) -> bool {
        matches!(self, Reduces::Terms | Reduces::Sum)
    }
}

/// How floating-point rounding was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FpMode {
    /// Every operation rounds as written.
    Exact,
    /// Multiply-adds were fused where the source and target allow; the same everywhere.
    Contract,
    /// Reassociation or approximation was allowed: results within a tolerance.
    Fast,
}

impl FpMode {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            FpMode::Exact => "exact",
            FpMode::Contract => "contract",
            FpMode::Fast => "fast",
        }
    }
}

/// Type of an array element or a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ElemType {
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
}

impl ElemType {
    /// Size in bytes.
    pub fn size(self) -> u64 {
        match self {
            ElemType::I8 => 1,
            ElemType::I16 => 2,
            ElemType::F32 | ElemType::I32 => 4,
            ElemType::F64 | ElemType::I64 => 8,
        }
    }

    /// True for `F32` and `F64`.
    pub fn is_float(self) -> bool {
        matches!(self, ElemType::F32 | ElemType::F64)
    }
}

/// An array of `dims` dimensions with one or more slots (buffers that time steps go round).
///
/// The element of slot `r` at subscripts `x` lies at
/// `pointers[slots[r].pointer] + slots[r].offset + Σ x[d] · strides[d]` bytes.
/// An access of time step `t` with rotation `c` means slot `(t + c + rotation) mod slots.len()` (floored).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Array {
    /// For messages.
    pub name: String,
    /// Element type.
    pub elem: ElemType,
    /// One entry per slot, at least one.
    pub slots: Vec<Slot>,
    /// Run-time part of the rotation; zero unless slots are chosen by an index such as `t % 2`.
    pub rotation: Poly,
    /// Byte stride of each dimension, outermost first; the last is the element size. May be fewer than the nest's
    /// dimensions (coefficient arrays).
    pub strides: Vec<Poly>,
}

/// Where one slot of an array lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// Index into `NestArgs::pointers`.
    pub pointer: u16,
    /// Bytes from there to subscript zero.
    pub offset: Poly,
}

/// One access of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Access {
    /// Index into `NestRecord::arrays`.
    pub array: u16,
    /// Slot relative to the time step; 0 for arrays of one slot.
    pub rotation: i32,
    /// One for each dimension of the array.
    pub subscripts: Vec<Subscript>,
}

/// One subscript of an access: a space coordinate of the statement, or nothing, plus an offset.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subscript {
    /// Space dimension whose coordinate is used.
    pub dim: Option<u8>,
    /// Added, over `Int`; in arrays that the nest only reads also over `Time`, in others that keep all steps the step plus
    /// a constant. With `dim`, a constant unless [`Subscript::is_far`].
    pub offset: Poly,
}

impl Subscript {
    /// True if a size shifts it against the statement's coordinate, such as that of the face before the last.
    pub fn is_far(&self) -> bool {
        self.dim.is_some() && self.offset.as_constant().is_none()
    }
}

/// Rows that are found through tables of pointers (`double **u`, a vector of vectors), and numbers that stand in arrays:
/// what the entries must be for the rows to be an array, for sizes in a table to be one size, or for numbers to be those of
/// neighbours.
///
/// Entry `(x…)` of slot `s` lies where `pointers[root] + bytes` leads to, at `fields[0] + strides[0]·x[0]`; with a second
/// level, that entry is itself the address of a table, and so on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// For messages.
    pub name: String,
    /// `(pointer, bytes)` for each slot; slots go round with the time step as those of an array.
    pub roots: Vec<(u16, i64)>,
    /// Bytes from entry to entry of each level.
    pub strides: Vec<i64>,
    /// Where in its stride the entry lies.
    pub fields: Vec<i64>,
    /// What the last level holds.
    pub entries: TableEntries,
}

/// What the entries of a [`Table`] must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableEntries {
    /// For each slot: `pointers[base] + Σ ints[pitch]·(x − first)`, with `(first, pitch)` for each level.
    Rows(Vec<(u16, Vec<(i64, u16)>)>),
    /// `ints[i]`, all of them.
    Same(u16),
    /// Each is so many more than the word `bytes` before it: `ints[i]`.
    Apart {
        /// Index into `NestArgs::ints`.
        ahead: u16,
        /// From the other word to the entry.
        bytes: i64,
    },
    /// Entry `x` is the number `step·x + start`: that of a neighbour, say.
    Numbers {
        /// How large an entry is, four or eight; it has a sign.
        bytes: u8,
        /// From entry to entry.
        step: i64,
        /// Over `Int`.
        start: Poly,
    },
}

impl TableEntries {
    /// Bytes of an entry.
    pub fn size(&self) -> u64 {
        match self {
            TableEntries::Numbers { bytes, .. } => u64::from(*bytes),
            TableEntries::Rows(_) | TableEntries::Same(_) | TableEntries::Apart { .. } => 8,
        }
    }
}

/// Entries of a table that the nest looks at, whatever its statements do there: bounds checks compare with them, loops run
/// so often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    /// Index into `NestRecord::tables`.
    pub table: u16,
    /// Slot relative to the time step.
    pub rotation: u16,
    /// The first and the last for each level, over `Int`; none where the last comes before the first.
    pub index: Vec<(IntExpr, IntExpr)>,
}

/// Entries of a table that a statement reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Index into `NestRecord::tables`.
    pub table: u16,
    /// Slot relative to the time step.
    pub rotation: u16,
    /// One for each level, over `Int` and at most one counter of the statement, which steps by one entry.
    pub index: Vec<Poly>,
}

/// One statement: its box of instances and what they touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatementRecord {
    /// Smallest coordinate in each space dimension.
    pub lo: Vec<IntExpr>,
    /// Largest, inclusive; the statement is empty where `hi < lo` in any dimension.
    pub hi: Vec<IntExpr>,
    /// Loads.
    pub reads: Vec<Access>,
    /// Stores.
    pub writes: Vec<Access>,
    /// Those of `reads` that the original makes in some instances only: everything that they cover must be readable.
    pub unsure_reads: Vec<Access>,
    /// Those of `writes` that write back what was there where the original stores nothing: everything that they cover
    /// must be writable, and where it is not known to be the array's, what does not change is not stored.
    pub unsure_writes: Vec<Access>,
    /// Entries of tables through which it finds its rows.
    pub entries: Vec<Entry>,
    /// Arithmetic operations of one instance, for the estimate of work.
    pub operations: u32,
}

/// `value >= 0` must hold for every instance of `statement` (or once, if `None`) at every time step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Over `Int`, `Time` and, with a statement, `Iv(d)` as its space coordinates.
    pub value: Poly,
    /// Whose coordinates `Iv` means; an empty statement passes.
    pub statement: Option<u16>,
    /// What it protects.
    pub kind: CheckKind,
}

/// Why a [`Check`] is there, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckKind {
    /// An unsigned or narrow expression must not wrap.
    Wrap,
    /// A bounds check of the source must not fail.
    Bounds,
    /// Sizes must be what the model assumes (a rotated loop runs at least once, a time index is not negative).
    Size,
    /// The loop must not have to do what it hardly ever does (allocate memory in the first step): then it is left, and
    /// begun anew when that is done.
    Rare,
    /// Asked only where no statement has any instances: the original must not do anything either (a loop over `n*m`
    /// elements was taken for one over n rows, and both sizes are negative).
    Idle,
}

/// Kernels for one architecture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct PtxModule {
    /// 75 for sm_75.
    pub arch: u32,
    /// PTX.
    pub text: Embedded,
    /// Machine code made of it, for this architecture's GPUs and later ones of the same generation; empty where the
    /// compiler had no assembler.
    pub code: Embedded,
}

impl PtxModule {
    /// True if every kernel waits for the launch before by itself (`griddepcontrol.wait`, PTX ISA 7.8), so that it may be
    /// launched while that still runs.
    pub fn waits(&self) -> bool {
        self.arch >= 90
    }

    /// True if there is machine code for a GPU of this compute capability (90 for 9.0).
    pub fn runs_on(&self, capability: u32) -> bool {
        let same = self.arch / 10 == capability / 10 && self.arch <= capability;
        same && !self.code.as_bytes().is_empty()
    }
}

/// Many bytes of which most programs never need one. Decoding copies nothing and looks at nothing of them: megabytes would
/// take longer than many a program runs.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Embedded(Cow<'static, [u8]>);

impl Embedded {
    /// As text; an error if it is none.
    pub fn as_str(&self) -> Result<&str, Utf8Error> {
        core::str::from_utf8(&self.0)
    }

    /// As they are.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Embedded {
    fn from(bytes: Vec<u8>) -> Embedded {
        Embedded(Cow::Owned(bytes))
    }
}

impl From<String> for Embedded {
    fn from(text: String) -> Embedded {
        text.into_bytes().into()
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl Serialize for Embedded {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(&self.0)
    }
}

impl Deserialize<'static> for Embedded {
    fn deserialize<D: Deserializer<'static>>(from: D) -> Result<Embedded, D::Error> {
        struct Bytes;
        impl Visitor<'static> for Bytes {
            type Value = Embedded;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes that stay in place")
            }
            fn visit_borrowed_bytes<E: Error>(self, bytes: &'static [u8]) -> Result<Embedded, E> {
                Ok(Embedded(Cow::Borrowed(bytes)))
            }
        }
        from.deserialize_bytes(Bytes)
    }
}

/// One way to run the nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Variant {
    /// Strategy that made it.
    pub strategy: String,
    /// Tile sizes by name, in the order of the strategy: `h`, `w0`, `w1`, …
    pub sizes: Vec<(String, i64)>,
    /// Where its blocks keep their values, as `HEXPASS_STORAGE` names it; empty where there is one place only.
    pub storage: String,
    /// Where it runs.
    pub target: VariantTarget,
    /// PTX texts, one per architecture, each holding this variant's kernels; none on the host.
    pub ptx: Vec<PtxModule>,
    /// The kernels rely on rows that are aligned to [`crate::ALIGNMENT`] and padded to multiples of it.
    pub aligned: bool,
    /// Kernels that `plan` launches.
    pub kernels: Vec<KernelRecord>,
    /// What the host does.
    pub plan: LaunchPlan,
    /// Sizes that are chosen when the plan runs.
    pub tunables: Vec<Tunable>,
    /// Buffers besides the arrays' own slots, on the device or beside the program's memory: `scratch[i]` gives the array;
    /// the buffer is laid out as one slot of it, and is `slots + (number of earlier entries for this array)` in [`KernelParam::Buffer`].
    pub scratch: Vec<u16>,
    /// Kernels take elements that the nest reads but never writes, of an array that it writes, from any of its buffers:
    /// they must be equal in all slots, and scratch buffers must be given them.
    pub alike: bool,
    /// Points that the space must have at least in each dimension, whose kernels look round a torus; empty where any number
    /// will do.
    pub least: Vec<i64>,
}

/// A size that doesn't shape the code: a plan speaks of it as `PlanExpr::Tunable`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tunable {
    /// As in reports and `HEXPASS_TILE`.
    pub name: String,
    /// Values to choose from, the default first; all positive, all right.
    pub values: Vec<i64>,
}

/// Where a variant runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VariantTarget {
    /// Blocks over the threads of a pool.
    Host,
    /// PTX: on a GPU or on the emulated grid.
    Device,
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelRecord {
    /// Where its code is.
    pub code: KernelCode,
    /// Threads of a block (1, 1, 1 on the host).
    pub threads: [u32; 3],
    /// Dynamic shared memory in bytes (all of a kernel's shared memory; may exceed 48 KiB).
    pub shared_bytes: u32,
    /// Parameters in order.
    pub params: Vec<KernelParam>,
    /// Of which arrays its threads keep one element each.
    pub folds: Option<Folds>,
    /// What a block does, for the time model; all zero where nothing is known.
    pub cost: KernelCost,
}

/// Arrays of what a step is reduced from, of which each thread of a launch changes one element, that is its own, of the slot of
/// each of its steps; other kernels change that of each instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folds {
    /// Indices into [`NestRecord::arrays`], of [`NestRecord::reductions`].
    pub arrays: Vec<u16>,
    /// Steps of a launch, from its time on.
    pub steps: u32,
    /// Such elements lie in the first rows of the array's first dimension only: so many for each block along an axis of the grid.
    /// `None`: anywhere.
    pub rows: Option<(u8, u32)>,
}

/// Where a kernel's code is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelCode {
    /// Entry name in the PTX.
    Ptx(String),
    /// Index into `NestHeader::host_kernels`.
    Host(u16),
}

/// What a kernel parameter is. Each takes eight bytes: `.param .b64` in PTX, a `u64` in a host kernel's list;
/// narrower values lie in the low bytes, integers sign-extended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KernelParam {
    /// Address of subscript zero of slot `(time + rotation + Array::rotation) mod slots` of an array, `time` being
    /// the launch's.
    Slot { array: u16, rotation: u16 },
    /// Stride of an array's dimension, in elements.
    Stride { array: u16, dim: u8 },
    /// Smallest subscript of an array's dimension that any access touches.
    ArrayLo { array: u16, dim: u8 },
    /// Largest, inclusive.
    ArrayHi { array: u16, dim: u8 },
    /// `StatementRecord::lo`.
    StatementLo { statement: u16, dim: u8 },
    /// `StatementRecord::hi`.
    StatementHi { statement: u16, dim: u8 },
    /// A polynomial over `Int`.
    Int(Poly),
    /// `NestArgs::scalars[i]`.
    Scalar(u16),
    /// Number of iterations of the time loop.
    Steps,
    /// `args[i]` of the launch.
    Launch(u8),
    /// Address of subscript zero in one of two buffers: `even` if `args[arg]` of the launch is even, else `odd`.
    /// A buffer below the array's number of slots is that slot at time 0, that is slot
    /// `(buffer + Array::rotation) mod slots`; further ones are the variant's scratch buffers of this array.
    Buffer { array: u16, even: u16, odd: u16, arg: u8 },
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

    #[test]
    fn decoded_texts_lie_where_the_bytes_are() {
        let of = |text: &str| PtxModule {
            arch: 75,
            text: text.to_string().into(),
            code: text.as_bytes().to_vec().into(),
        };
        let written = vec![of("first"), of(""), of("third")];
        let bytes: &'static [u8] = postcard::to_allocvec(&written).unwrap().leak();
        let read: Vec<PtxModule> = postcard::from_bytes(bytes).unwrap();
        assert_eq!(read, written);
        for module in &read {
            let text = module.text.as_str().unwrap();
            assert!(text.is_empty() || bytes.as_ptr_range().contains(&text.as_ptr()));
            assert_eq!(module.code.as_bytes(), text.as_bytes());
        }
        // The length of the last code, and what stands there.
        let cut: Result<Vec<PtxModule>, _> = postcard::from_bytes(&bytes[..bytes.len() - 1]);
        assert!(cut.is_err());
    }

    #[test]
    fn machine_code_runs_on_its_own_generation() {
        let of = |code: &[u8]| PtxModule {
            arch: 86,
            text: Default::default(),
            code: code.to_vec().into(),
        };
        let runs = [75, 80, 86, 89, 90].map(|capability| of(&[1]).runs_on(capability));
        assert_eq!(runs, [false, false, true, true, false]);
        assert!(!of(&[]).runs_on(86));
    }

    fn record() -> NestRecord {
        let variant = |target| Variant {
            strategy: "s".to_string(),
            sizes: vec![("h".to_string(), 3)],
            storage: String::new(),
            target,
            ptx: vec![PtxModule {
                arch: 75,
                text: "text".to_string().into(),
                code: Default::default(),
            }],
            aligned: false,
            kernels: vec![],
            plan: LaunchPlan { ops: vec![], vars: 0 },
            tunables: vec![],
            scratch: vec![],
            alike: true,
            least: vec![5],
        };
        NestRecord {
            function: "f".to_string(),
            file: None,
            line: None,
            fp: FpMode::Exact,
            steps: Poly::constant(7).into(),
            dims: 1,
            timeless: true,
            arrays: vec![],
            tables: vec![],
            lookups: vec![],
            fences: vec![],
            statements: vec![],
            checks: vec![],
            disjoint_pointers: vec![],
            reductions: vec![],
            aside: vec![],
            exchanged: vec![],
            variants: vec![variant(VariantTarget::Host), variant(VariantTarget::Device)],
        }
    }

    #[test]
    fn variants_lie_behind_the_rest_and_are_read_when_they_are_wanted() {
        let whole = record();
        let bytes: &'static [u8] = whole.to_bytes().unwrap().leak();
        let (read, bodies) = NestRecord::from_bytes(bytes).unwrap();
        assert_eq!(read.function, "f");
        for (i, body) in bodies.iter().enumerate() {
            assert_eq!(read.variants[i].target, whole.variants[i].target);
            assert_eq!(postcard::from_bytes::<Variant>(body).unwrap(), whole.variants[i]);
        }
        assert!(bodies[1].as_ptr_range().end == bytes.as_ptr_range().end);
        assert!((0..bytes.len()).all(|cut| NestRecord::from_bytes(&bytes[..cut]).is_err()));
    }

    #[test]
    fn what_is_no_text_is_found_out_when_it_is_wanted() {
        let bytes: &'static [u8] = &[75, 2, 0xc3, 0x28, 0];
        let read: PtxModule = postcard::from_bytes(bytes).unwrap();
        assert!(read.text.as_str().is_err());
    }
}
