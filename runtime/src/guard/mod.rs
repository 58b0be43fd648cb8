//! Decides, before anything is written, whether a nest may run as its record says.
//!
//! Consumes a [`Nest`] and the integers and addresses of one execution; produces an [`Extent`] (cheap: what the
//! gate needs) and from it a [`Shape`] (everything that transfers and launches need); refuses whatever the model
//! behind the kernels does not cover. Arithmetic on integers and addresses; only the entries of
//! tables of rows and elements of masks are read.

pub mod apart;
pub(crate) mod fences;
pub(crate) mod mapped;
mod overlap;
pub(crate) mod tables;

use crate::error::{Reason, Refusal};
use crate::footprint::{Cuboid, MAX_DIMS, Region, difference, hull};
use crate::record::Nest;
use hexpass_abi::{
    Access, Array, Check, CheckKind, IntExpr, Poly,
    expr::{OutOfRange, Sym},
};

/// Coordinates, subscripts and step counts stay below this in size, so that kernels may add and scale them freely.
pub const COORDINATE_LIMIT: i64 = 1 << 30;
/// Elements of one slot, for device kernels.
pub const DEVICE_ELEMENT_LIMIT: i128 = 1 << 31;

/// How large one execution is.
#[derive(Clone, Debug, PartialEq)]
pub struct Extent {
    /// Iterations of the time loop, positive.
    pub steps: i64,
    /// Each statement's box, `None` where it is empty; at least one is not.
    pub statements: Vec<Option<Cuboid>>,
    /// Hull of all of them.
    pub space: Cuboid,
}

/// Where everything lies in one execution that has passed the guard.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// How large it is.
    pub extent: Extent,
    /// For each array of the record.
    pub arrays: Vec<ArrayShape>,
}

/// One array of a [`Shape`].
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayShape {
    /// Byte strides.
    pub strides: Vec<i64>,
    /// Hull of all subscripts of all accesses, `None` if nothing touches the array.
    pub hull: Option<Cuboid>,
    /// [`Array::rotation`], reduced to `0..slots`.
    pub rotation: i64,
    /// For each slot.
    pub slots: Vec<SlotShape>,
    /// Of what is written back as it was, not all is known to be the array's: only what changes may be stored.
    pub careful: bool,
}

/// One slot of an [`ArrayShape`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlotShape {
    /// Host address of subscript zero; that element itself need not exist.
    pub origin: u64,
    /// Hull of what this execution reads or writes there, `None` for a slot it leaves alone.
    pub hull: Option<Cuboid>,
    /// Elements whose value before the nest may matter to it.
    pub inputs: Region,
    /// Elements that the nest writes.
    pub outputs: Region,
}

impl Shape {
    /// Refuses (`unmapped`) what must be stored with care ([`ArrayShape::careful`]), where nobody does.
    pub fn check_plain(&self, nest: &Nest) -> Result<(), Refusal> {
        let Some(careful) = self.arrays.iter().position(|a| a.careful) else { return Ok(()) };
        let message = format!(
            "array {} is written under a condition only, also where nothing says that it has elements",
            nest.record.arrays[careful].name
        );
        Err(Refusal::new(Reason::Unmapped, message))
    }

    /// Some array must be stored with care.
    pub fn is_careful(&self) -> bool {
        self.arrays.iter().any(|a| a.careful)
    }
}

impl Extent {
    /// The extent of an execution, `None` if the nest does nothing.
    pub fn of(nest: &Nest, ints: &[i64]) -> Result<Option<Extent>, Refusal> {
        let value = int_values(ints);
        let steps = nest.record.steps.eval(&value).map_err(|_| range("the number of steps"))?;
        if steps <= 0 {
            return Ok(None);
        }
        // One that can't be computed doesn't hold.
        let hold = |kind: CheckKind, asked: fn(&Check) -> bool| {
            let mut checks = nest.record.checks.iter().filter(|c| c.kind == kind && asked(c));
            match checks.all(|c| matches!(c.value.eval(&value), Ok(v) if v >= 0)) {
                true => Ok(()),
                false => Err(refusal(kind)),
            }
        };
        // Sizes may be said by what is equal to them only where these hold. Those that speak of more than sizes are
        // looked at when that is known.
        hold(CheckKind::Rare, |c| !c.value.mentions_any(|s| !matches!(s, Sym::Int(_))))?;
        let mut statements = Vec::with_capacity(nest.record.statements.len());
        let mut space: Option<Cuboid> = None;
        for s in &nest.record.statements {
            let b = statement_box(&s.lo, &s.hi, &value)?;
            space = match (space, b) {
                (Some(a), Some(b)) => Some(a.hull(&b)),
                (a, b) => a.or(b),
            };
            statements.push(b);
        }
        let Some(space) = space else {
            hold(CheckKind::Idle, |_| true)?;
            return Ok(None);
        };
        if steps >= COORDINATE_LIMIT {
            return Err(range("the number of steps"));
        }
        Ok(Some(Extent { steps, statements, space }))
    }

    /// Instances of all statements over all steps.
    pub fn instances(&self) -> f64 {
        self.steps as f64 * self.statements.iter().flatten().map(Cuboid::volume).sum::<f64>()
    }

    /// Grid points updated, over all steps: a point counts once a step however many statements sweep over it.
    pub fn points(&self) -> f64 {
        let largest = self.statements.iter().flatten().map(Cuboid::volume).fold(0.0, f64::max);
        self.steps as f64 * largest
    }

    /// A statement's box; for an empty one an empty box that adds nothing to a hull of others.
    pub fn bounds(&self, statement: usize, dim: usize) -> (i64, i64) {
        match &self.statements[statement] {
            Some(b) => (b.lo[dim], b.hi[dim]),
            None => (self.space.hi[dim] + 1, self.space.lo[dim] - 1),
        }
    }
}

/// The box between these bounds, `None` if empty. Bounds of an empty statement may be anything.
fn statement_box(
    lo: &[IntExpr],
    hi: &[IntExpr],
    value: &dyn Fn(Sym) -> Option<i64>,
) -> Result<Option<Cuboid>, Refusal> {
    let mut bounds = [(0, 0); 3];
    let mut far = false;
    for (d, (lo, hi)) in lo.iter().zip(hi).enumerate() {
        let eval = |e: &IntExpr| e.eval(value).map_err(|_| range("a loop bound"));
        bounds[d] = (eval(lo)?, eval(hi)?);
        if bounds[d].1 < bounds[d].0 {
            return Ok(None);
        }
        far |= bounds[d].0 <= -COORDINATE_LIMIT || bounds[d].1 >= COORDINATE_LIMIT;
    }
    if far {
        return Err(range("a loop bound"));
    }
    Ok(Cuboid::new(&bounds[..lo.len()]))
}

fn range(what: &str) -> Refusal {
    Refusal::new(Reason::Range, format!("{what} is outside what the kernels compute in"))
}

pub(crate) fn int_values(ints: &[i64]) -> impl Fn(Sym) -> Option<i64> + '_ {
    move |s| match s {
        Sym::Int(i) => ints.get(usize::from(i)).copied(),
        _ => None,
    }
}

/// Bytes of tables and masks that the guard reads.
pub fn looked_at(
    nest: &Nest,
    extent: &Extent,
    ints: &[i64],
    pointers: &[u64],
) -> Result<Vec<std::ops::Range<u64>>, Refusal> {
    let mut read = tables::check(nest, extent, ints, pointers)?;
    read.extend(fences::check(nest, ints, pointers, &|_, at| Ok(at))?);
    Ok(read)
}

/// The whole guard: where everything lies, or why the original loop must run.
pub fn check(
    nest: &Nest,
    extent: Extent,
    ints: &[i64],
    pointers: &[u64],
) -> Result<Shape, Refusal> {
    for check in &nest.record.checks {
        holds(check, &extent, ints)?;
    }
    let read = looked_at(nest, &extent, ints, pointers)?;
    check_arrays(nest, extent, ints, pointers, &read)
}

/// The same where tables have been looked at, and these bytes of them were read.
pub(crate) fn check_behind_tables(
    nest: &Nest,
    extent: Extent,
    ints: &[i64],
    pointers: &[u64],
    read: &[std::ops::Range<u64>],
) -> Result<Shape, Refusal> {
    for check in &nest.record.checks {
        holds(check, &extent, ints)?;
    }
    check_arrays(nest, extent, ints, pointers, read)
}

fn check_arrays(
    nest: &Nest,
    extent: Extent,
    ints: &[i64],
    pointers: &[u64],
    read: &[std::ops::Range<u64>],
) -> Result<Shape, Refusal> {
    let mut arrays = Vec::with_capacity(nest.record.arrays.len());
    for (index, array) in nest.record.arrays.iter().enumerate() {
        let touches = Touches::of(nest, index as u16, &extent, ints)?;
        arrays.push(array_shape(array, touches, &extent, ints, pointers)?);
    }
    overlap::check(&nest.record, &arrays)?;
    overlap::check_exchanged(&nest.record, &arrays, pointers, read)?;
    tables::apart(nest, &arrays, read)?;
    for array in mapped::check(nest, &extent, &arrays, ints)? {
        arrays[array].careful = true;
    }
    Ok(Shape { extent, arrays })
}

/// One check of the record, over the whole box of its statement and all steps.
fn holds(check: &Check, extent: &Extent, ints: &[i64]) -> Result<(), Refusal> {
    if check.kind == CheckKind::Idle {
        return Ok(());
    }
    let cuboid = match check.statement {
        None => None,
        Some(s) => match &extent.statements[usize::from(s)] {
            None => return Ok(()),
            b => b.as_ref(),
        },
    };
    let interval = |s: Sym| match s {
        Sym::Int(i) => ints.get(usize::from(i)).map(|&v| (v, v)),
        Sym::Time => Some((0, extent.steps - 1)),
        Sym::Iv(d) => cuboid.map(|b| (b.lo[usize::from(d)], b.hi[usize::from(d)])),
        Sym::Mod(_) => None,
    };
    let smallest = check.value.range(&interval).map(|(low, _)| low);
    if matches!(smallest, Ok(low) if low >= 0)
        || matches!(smallest_at_corners(&check.value, &interval), Some(low) if low >= 0)
    {
        return Ok(());
    }
    Err(refusal(check.kind))
}

/// Why the original loop runs where such a check fails.
fn refusal(kind: CheckKind) -> Refusal {
    let (reason, what) = match kind {
        CheckKind::Wrap => (Reason::CheckWrap, "an index expression may wrap round"),
        CheckKind::Bounds => (Reason::CheckBounds, "a bounds check of the source may fail"),
        CheckKind::Size | CheckKind::Idle => {
            (Reason::CheckSize, "a size is not what the loop was modelled for")
        }
        CheckKind::Rare => {
            (Reason::CheckRare, "the next step allocates memory, or does what is as rare")
        }
    };
    Refusal::new(reason, what)
}

/// The exact minimum over the intervals, if no varying symbol occurs squared: it lies at a corner.
fn smallest_at_corners(value: &Poly, interval: &dyn Fn(Sym) -> Option<(i64, i64)>) -> Option<i64> {
    let mut varying: Vec<Sym> = Vec::new();
    for term in value.terms() {
        let ours = |s: &&Sym| !matches!(s, Sym::Int(_));
        if term.symbols.windows(2).any(|w| w[0] == w[1] && ours(&&w[0])) {
            return None;
        }
        varying.extend(term.symbols.iter().filter(ours));
    }
    varying.sort_unstable();
    varying.dedup();
    (0..1u32 << varying.len())
        .map(|corner| {
            let at = |s: Sym| {
                let (lo, hi) = interval(s)?;
                let upper =
                    varying.iter().position(|&v| v == s).is_some_and(|i| corner >> i & 1 == 1);
                Some(if upper { hi } else { lo })
            };
            value.eval(&at).ok()
        })
        .try_fold(i64::MAX, |low, v| Some(low.min(v?)))
}

/// One access in one execution.
struct Touch {
    bounds: Cuboid,
    /// Slots `(time + shift) mod slots`.
    shift: i64,
    statement: usize,
    /// True if the instances of the statement touch every element of `bounds`.
    fills: bool,
}

/// All accesses to one array.
struct Touches {
    reads: Vec<Touch>,
    writes: Vec<Touch>,
    rotation: i64,
}

impl Touches {
    fn of(nest: &Nest, array: u16, extent: &Extent, ints: &[i64]) -> Result<Touches, Refusal> {
        let a = &nest.record.arrays[usize::from(array)];
        let slots = a.slots.len() as i64;
        let rotation = a
            .rotation
            .eval(&int_values(ints))
            .map_err(|_| range("a time index"))?
            .rem_euclid(slots);
        let mut all = Touches { reads: Vec::new(), writes: Vec::new(), rotation };
        for (index, s) in nest.record.statements.iter().enumerate() {
            let Some(cuboid) = &extent.statements[index] else { continue };
            for (accesses, touches) in [(&s.reads, &mut all.reads), (&s.writes, &mut all.writes)] {
                for access in accesses.iter().filter(|x| x.array == array) {
                    touches.push(Touch {
                        bounds: subscript_box(access, cuboid, ints, extent.steps)
                            .map_err(|_| range("a subscript"))?,
                        shift: (i64::from(access.rotation) + rotation).rem_euclid(slots),
                        statement: index,
                        fills: fills(access),
                    });
                }
            }
        }
        Ok(all)
    }
}

/// Of an array, the subscripts that are touched, and whether all of them are; `None` if nothing touches it.
pub(crate) fn touched(
    nest: &Nest,
    array: u16,
    extent: &Extent,
    ints: &[i64],
) -> Result<Option<(Cuboid, bool)>, Refusal> {
    let touches = Touches::of(nest, array, extent, ints)?;
    let all = || touches.reads.iter().chain(&touches.writes);
    Ok(hull(all().map(|t| &t.bounds)).map(|hull| (hull, all().all(|t| t.fills))))
}

/// True if the nest works on the same elements of its arrays, in the same steps, under either of these integers.
pub(crate) fn touches_the_same(nest: &Nest, extent: &Extent, a: &[i64], b: &[i64]) -> bool {
    let under = |ints: &[i64]| {
        let again = Extent::of(nest, ints).ok()??;
        let mut places = Vec::new();
        for index in 0..nest.record.arrays.len() {
            let touches = Touches::of(nest, index as u16, extent, ints).ok()?;
            let boxes = touches.reads.iter().chain(&touches.writes).map(|t| (t.bounds, t.shift));
            places.push((touches.rotation, boxes.collect::<Vec<_>>()));
        }
        Some((again, places))
    };
    let (a, b) = (under(a), under(b));
    a.is_some() && a == b
}

/// Everything that the access touches in all steps while its statement runs through `cuboid`.
fn subscript_box(
    access: &Access,
    cuboid: &Cuboid,
    ints: &[i64],
    steps: i64,
) -> Result<Cuboid, OutOfRange> {
    let mut bounds = [(0, 0); MAX_DIMS];
    for (s, b) in access.subscripts.iter().zip(&mut bounds) {
        let (first, last) = s.offset.range(&|symbol| match symbol {
            Sym::Time => Some((0, steps - 1)),
            other => int_values(ints)(other).map(|v| (v, v)),
        })?;
        let (lo, hi) =
            s.dim.map_or((0, 0), |d| (cuboid.lo[usize::from(d)], cuboid.hi[usize::from(d)]));
        *b = (lo.checked_add(first).ok_or(OutOfRange)?, hi.checked_add(last).ok_or(OutOfRange)?);
        if b.0 <= -COORDINATE_LIMIT || b.1 >= COORDINATE_LIMIT {
            return Err(OutOfRange);
        }
    }
    Cuboid::new(&bounds[..access.subscripts.len()]).ok_or(OutOfRange)
}

/// True if no space dimension occurs twice: then the subscripts run through a whole box.
fn fills(access: &Access) -> bool {
    let dims: Vec<u8> = access.subscripts.iter().filter_map(|s| s.dim).collect();
    dims.iter().enumerate().all(|(i, d)| !dims[..i].contains(d))
}

fn array_shape(
    array: &Array,
    touches: Touches,
    extent: &Extent,
    ints: &[i64],
    pointers: &[u64],
) -> Result<ArrayShape, Refusal> {
    let value = int_values(ints);
    let hull = hull(touches.reads.iter().chain(&touches.writes).map(|t| &t.bounds));
    let too_far = || range(&format!("the layout of array {}", array.name));
    let mut shape = ArrayShape {
        strides: Vec::with_capacity(array.strides.len()),
        hull,
        rotation: touches.rotation,
        slots: vec![SlotShape::default(); array.slots.len()],
        careful: false,
    };
    let Some(hull) = hull else {
        // Nothing touches it: strides may be anything.
        shape.strides = array.strides.iter().map(|s| s.eval(&value).unwrap_or(0)).collect();
        return Ok(shape);
    };
    for stride in &array.strides {
        shape.strides.push(stride.eval(&value).map_err(|_| too_far())?);
    }
    strides_fit(array, &shape.strides, &hull, !touches.writes.is_empty())?;
    for (index, slot) in array.slots.iter().enumerate() {
        let offset = slot.offset.eval(&value).map_err(|_| too_far())?;
        let origin = i128::from(pointers[usize::from(slot.pointer)]) + i128::from(offset);
        let s = &mut shape.slots[index];
        s.origin = i64::try_from(origin).map_err(|_| too_far())? as u64;
        touch_slot(s, &touches, index as i64, array.slots.len() as i64, extent.steps);
        if let Some(hull) = &s.hull {
            address_fits(array, origin, hull, &shape.strides)?;
        }
    }
    Ok(shape)
}

/// Strides grow outwards, in whole elements, and rows of a written array don't reach into each other.
fn strides_fit(
    array: &Array,
    strides: &[i64],
    hull: &Cuboid,
    written: bool,
) -> Result<(), Refusal> {
    let name = &array.name;
    let refuse = |what: String| Err(Refusal::new(Reason::Strides, what));
    let elem = array.elem.size() as i64;
    if let Some(bad) = strides.iter().find(|&&s| s <= 0 || s % elem != 0) {
        return refuse(format!("array {name} has a stride of {bad} bytes"));
    }
    if strides.last() != Some(&elem) {
        return refuse(format!("the elements of array {name} don't lie side by side"));
    }
    match hull.overlong_rows(strides, array.elem.size()).filter(|_| written) {
        Some((d, bytes)) => refuse(format!(
            "in array {name} one subscript runs into the next row: {bytes} bytes in rows of {}",
            strides[d]
        )),
        None => Ok(()),
    }
}

/// First step at which an access of the slots `(time + shift) mod slots` reaches `slot`, if within `steps`.
fn first_step(shift: i64, slot: i64, slots: i64, steps: i64) -> Option<i64> {
    Some((slot - shift).rem_euclid(slots)).filter(|&t| t < steps)
}

/// Fills in what one slot's inputs and outputs are.
fn touch_slot(s: &mut SlotShape, touches: &Touches, slot: i64, slots: i64, steps: i64) {
    // Ordered by the statement run in which each first happens.
    let when = |t: &Touch| first_step(t.shift, slot, slots, steps).map(|step| (step, t.statement));
    let boxes = |touches: &[Touch], keep: &dyn Fn(&Touch, (i64, usize)) -> bool| -> Vec<Cuboid> {
        touches.iter().filter(|t| when(t).is_some_and(|w| keep(t, w))).map(|t| t.bounds).collect()
    };
    let reads = boxes(&touches.reads, &|_, _| true);
    let writes = boxes(&touches.writes, &|_, _| true);
    // What a statement has overwritten completely before any other touches it needs no value from before.
    let first_read = touches.reads.iter().filter_map(when).min();
    let overwritten = boxes(&touches.writes, &|t, w| t.fills && first_read.is_none_or(|r| w < r));
    // Elements between those of a box that is not filled are written back as they were.
    let mut inputs = reads.clone();
    inputs.extend(boxes(&touches.writes, &|t, _| !t.fills));
    s.hull = hull(reads.iter().chain(&writes));
    s.inputs = difference(&inputs, &overwritten);
    s.outputs = difference(&writes, &[]);
}

fn address_fits(
    array: &Array,
    origin: i128,
    hull: &Cuboid,
    strides: &[i64],
) -> Result<(), Refusal> {
    let (low, high) = hull.span(strides);
    let elem = i128::from(array.elem.size());
    let refuse =
        |what: &str| Err(Refusal::new(Reason::Address, format!("array {} {what}", array.name)));
    if origin + low <= 0 {
        return refuse("starts at no valid address");
    }
    if origin + high + elem > i128::from(i64::MAX) {
        return refuse("wraps round the address space");
    }
    if origin % elem != 0 {
        return refuse("is not aligned to its elements");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
