//! What detection hands over: one loop nest as owned data. LLVM values are ids here; detection keeps the table that
//! maps them back.
//!
//! Counters: every loop counts its iterations from 0 ([`Sym::Time`] for the time loop, [`Sym::Iv`]`(i)` for
//! `loops[i]`), whatever the source's variable did; the source's start and step stand in the offsets.

use crate::body::{Body, Op, ValueId};
use hexpass_abi::expr::OutOfRange;
use hexpass_abi::{
    CheckKind, ElemType, Entry, FpMode, IntExpr, Lookup, Poly, Sym, Table, TableEntries,
};

/// One candidate nest.
#[derive(Clone, Debug, PartialEq)]
pub struct NestFacts {
    pub function: String,
    /// As in the debug info.
    pub file: Option<String>,
    /// Line of the time loop.
    pub line: Option<u32>,
    /// Names of the integer parameters, [`Sym::Int`].
    pub ints: Vec<String>,
    /// Names of the base pointers.
    pub pointers: Vec<String>,
    /// Pairs of `pointers` known not to overlap.
    pub disjoint_pointers: Vec<(u16, u16)>,
    /// What is known of Fortran's descriptors; it may be wrong.
    pub descriptors: Vec<DescriptorFact>,
    /// Loop-invariant values that bodies use.
    pub scalars: Vec<ScalarFact>,
    /// Modular terms, [`Sym::Mod`].
    pub mods: Vec<ModFact>,
    /// Pointers that the time loop swaps or rotates.
    pub rotations: Vec<RotationFact>,
    /// Tables through which rows are found.
    pub tables: Vec<Table>,
    /// What checks and trip counts rest on in them.
    pub lookups: Vec<Lookup>,
    /// Iterations of the time loop (not positive: none), over `Int`.
    pub steps: IntExpr,
    /// Space loops.
    pub loops: Vec<LoopFact>,
    /// Some of them are cut into blocks in the source: the order of a statement's instances is not that of its counters.
    pub blocked: bool,
    /// In the order of one time step.
    pub statements: Vec<StatementFact>,
    /// What must hold at run time.
    pub checks: Vec<CheckFact>,
    pub fp: FpMode,
}

impl NestFacts {
    /// Which level of a table of pointers leads to rows that far from one another, 0 the outermost; none if that is no such
    /// distance.
    pub fn level_of_pitch(&self, distance: Sym) -> Option<usize> {
        let is_pitch = |int: u16| Sym::Int(int) == distance;
        self.tables.iter().find_map(|t| match &t.entries {
            TableEntries::Rows(slots) => {
                let mut levels = slots.iter().map(|(_, levels)| levels);
                levels.find_map(|levels| levels.iter().position(|&(_, pitch)| is_pitch(pitch)))
            }
            TableEntries::Same(_) | TableEntries::Apart { .. } | TableEntries::Numbers { .. } => {
                None
            }
        })
    }
}

/// A base pointer that is read from a descriptor, and the parameter (`Int`) that the stride of one dimension is read to, in
/// bytes; the first is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescriptorFact {
    pub pointer: u16,
    pub stride: u16,
    pub dimension: u8,
}

/// A loop-invariant value.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarFact {
    pub name: String,
    pub ty: ElemType,
}

/// `inner mod modulus`, where `inner` (over `Int` and `Time`) is not negative: a check says so where it isn't proved.
#[derive(Clone, Debug, PartialEq)]
pub struct ModFact {
    pub inner: Poly,
    pub modulus: i64,
}

/// A cycle of pointers: in iteration t of the time loop, element j is what `initial[(j + t + turned) mod len]` was before it.
#[derive(Clone, Debug, PartialEq)]
pub struct RotationFact {
    /// Base pointer and bytes from it (over `Int`), one for each element; at least two.
    pub initial: Vec<(u16, Poly)>,
    /// How far it has gone round before the first iteration, over `Int`.
    pub turned: Poly,
}

impl RotationFact {
    /// One that starts with its first element.
    pub fn new(initial: Vec<(u16, Poly)>) -> RotationFact {
        RotationFact { initial, turned: Poly::zero() }
    }
}

/// A space loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopFact {
    /// Iterations (not positive: none), over `Int`.
    pub trip: IntExpr,
}

/// One basic block's loads and stores under the same loops: all loads happen, then all stores (in order).
///
/// Detection splits or refuses a block in which a load may see a store of its own instance.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementFact {
    /// Indices into `loops`, outermost first.
    pub loops: Vec<u16>,
    /// The iterations that the statement runs in: those where none of these is negative. Each is `Iv` of one of `loops`
    /// or its opposite, plus an expression over `Int`.
    pub conditions: Vec<Poly>,
    pub loads: Vec<AccessFact>,
    /// Entries of `tables` through which it finds what it loads and stores.
    pub entries: Vec<Entry>,
    pub body: Body,
    pub stores: Vec<StoreFact>,
    pub line: Option<u32>,
}

impl StatementFact {
    /// Changes every polynomial that may speak of counters.
    pub fn change_polynomials<E>(
        &mut self,
        mut change: impl FnMut(&mut Poly) -> Result<(), E>,
    ) -> Result<(), E> {
        self.conditions.iter_mut().try_for_each(&mut change)?;
        self.loads.iter_mut().try_for_each(|a| change(&mut a.offset))?;
        self.stores.iter_mut().try_for_each(|w| change(&mut w.access.offset))?;
        self.entries.iter_mut().flat_map(|e| &mut e.index).try_for_each(&mut change)?;
        self.body.values.iter_mut().try_for_each(|v| match &mut v.op {
            Op::Index(p) => change(p),
            _ => Ok(()),
        })
    }

    /// Everything that it touches.
    pub fn accesses(&self) -> impl Iterator<Item = &AccessFact> {
        self.loads.iter().chain(self.stores.iter().map(|w| &w.access))
    }

    /// Iterations of one of its loops, of `trip`, up to the last that it runs in; none where it is not known to run in
    /// one of the last.
    pub fn iterations(&self, counter: u16, trip: &Poly) -> Result<Option<Poly>, OutOfRange> {
        let mut most = trip.clone();
        for condition in &self.conditions {
            let Some((factor, rest)) = condition.split(Sym::Iv(counter)) else { continue };
            if factor.as_constant() != Some(-1) {
                continue;
            }
            let bound = rest.add(&Poly::constant(1))?;
            match bound.sub(&most)?.as_constant() {
                Some(less) if less < 0 => most = bound,
                Some(_) => {}
                None => return Ok(None),
            }
        }
        Ok(Some(most))
    }
}

/// One memory access.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessFact {
    pub base: Base,
    /// Bytes from the base, over `Int`, `Time`, `Iv` and `Mod`.
    pub offset: Poly,
    pub elem: ElemType,
    /// The original makes this access in some instances only, and a store then writes back what was there. The runtime
    /// asks whether all of it is memory that may be read (and, for a store, written).
    pub maybe: bool,
}

/// Where an access starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// `pointers[i]`.
    Pointer(u16),
    /// Element `index` of `rotations[rotation]`.
    Rotation { rotation: u16, index: u16 },
}

impl Base {
    /// It is the other one, or goes round with it, as the buffers do that are swapped: these share their shape.
    pub fn goes_with(&self, other: &Base) -> bool {
        match (self, other) {
            (Base::Rotation { rotation: a, .. }, Base::Rotation { rotation: b, .. }) => a == b,
            _ => self == other,
        }
    }
}

/// One store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreFact {
    pub access: AccessFact,
    pub value: ValueId,
}

/// `value >= 0` for every instance of `statement` and every time step; with no statement, for every time step.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckFact {
    /// Over `Int`, `Time` and the `Iv`s of the statement's loops.
    pub value: Poly,
    /// Index into `statements`.
    pub statement: Option<u16>,
    /// Of that statement's body, where this is true: elsewhere the original does not ask.
    pub under: Option<ValueId>,
    pub kind: CheckKind,
}

impl CheckFact {
    /// Of no statement.
    pub fn once(value: Poly, kind: CheckKind) -> CheckFact {
        CheckFact { value, statement: None, under: None, kind }
    }
}
