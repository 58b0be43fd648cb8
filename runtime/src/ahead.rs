//! Sweeps that run ahead of the program, for time loops that look at the largest change of each step, or at a sum.
//!
//! Consumes a nest with reductions and what its loop has said ([`Ahead`]); produces the results of several steps at a
//! time. What the steps overwrite is saved first, on a device there: when the loop stops before it has come to all of
//! them, or looks at the arrays, [`settle`] brings that back and runs the steps that count. Between runs the arrays stay
//! where they are ([`crate::resident`]). A step whose result depends on the order in which
//! instances are compared (NaNs, zeros of both signs) is left to the original loop.
//!
//! One of the few files with unsafe code: it reads what an [`Ahead`] points to, and saves and restores what the guard
//! has found to be the program's arrays.

use crate::bounds;
use crate::choice::Pick;
use crate::device::{cpu, cuda};
use crate::error::{Reason, Refusal};
use crate::footprint::{Cuboid, MAX_DIMS};
use crate::fresh;
use crate::gate;
use crate::guard::apart::are_apart_in;
use crate::guard::{ArrayShape, Extent, Shape};
use crate::options::{DeviceChoice, Mode, Options};
use crate::paired::{Arrival, Expected, ORIGINAL_FOR_GOOD, Way};
use crate::purse::PURSE;
use crate::record::Nest;
use crate::report;
use crate::resident::{Held, PARTS, Resident};
use crate::run::{self, Call, Where};
use crate::terms::{self, Form, Terms};
use crate::transfer::{Rows, Side};
use hexpass_abi::{Ahead, Bystander, ElemType, Frame, HostKernel, Reduces, Reduction};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Bytes of all threads' rows, at most.
const MOST_ROW_BYTES: i64 = 32 << 20;
/// Bytes of the terms of sums, at most, or those of one step: memory that nobody has touched before takes longer than a step. On
/// a device, twice as many as the nest's arrays have, or what a GPU has room for.
const MOST_TERM_BYTES: f64 = (64 << 20) as f64;
/// Steps of a run that shows what running ahead is worth.
const FULL: u64 = 16;
/// Bytes that are saved in one go.
const PIECE: u64 = 1 << 20;

/// What is remembered of runs ahead.
#[derive(Debug, Default)]
pub struct Memory {
    /// How far sweeps ran ahead until somebody looked, the last time.
    looked: AtomicU64,
    /// Nanoseconds of a step of the run that was quickest, and the key of its sizes; 0 before the first.
    step: AtomicU64,
    key: AtomicU64,
}

impl Memory {
    /// So many steps of these sizes have taken so long. The first run of a number of steps takes much longer, in memory
    /// that nobody has touched before.
    fn took(&self, key: u64, time: Duration, steps: i64) {
        let each = (time.as_nanos() as u64 / steps.max(1) as u64).max(1);
        let known = self.key.swap(key, Ordering::Relaxed) == key;
        let before = self.step.load(Ordering::Relaxed);
        let step = if known && before > 0 { before.min(each) } else { each };
        self.step.store(step, Ordering::Relaxed);
    }

    /// Seconds of a step of these sizes, if there was one.
    fn seconds(&self, key: u64) -> Option<f64> {
        let step = self.step.load(Ordering::Relaxed);
        let known = step > 0 && self.key.load(Ordering::Relaxed) == key;
        known.then_some(step as f64 * 1e-9)
    }

    /// Steps to run next when so many have been run since somebody looked: up to where that was last time, else twice
    /// as far.
    fn next(&self, done: u64, most: u64) -> u64 {
        let last = self.looked.load(Ordering::Relaxed);
        let wanted = if last > done { last - done } else { done };
        wanted.clamp(1, most)
    }
}

/// What [`Ahead::state`] points to.
struct State {
    nest: &'static Nest,
    ints: Vec<i64>,
    pointers: Vec<u64>,
    scalars: Vec<u64>,
    host_kernels: &'static [Option<HostKernel>],
    batch: Batch,
    /// Where the arrays may stay.
    frame: *mut Frame,
    /// Steps since somebody looked, those ahead included.
    done: u64,
}

/// Steps that are run together, and how to take them back.
#[derive(Debug, Default)]
pub struct Batch {
    /// How many.
    pub steps: i64,
    /// Of any statement, in a step, at most.
    instances: f64,
    /// Where they have run.
    pub ran: Option<(Where, Vec<Pick>)>,
    pieces: Vec<Piece>,
    saved: Vec<u8>,
    has_memory: bool,
    /// The nest has run on copies of rows, and what is saved is the program's.
    has_rows: bool,
    /// For each reduction; empty where one before it has the array.
    cells: Vec<Cells>,
    /// What each reduction begins with.
    pub initials: Vec<u64>,
}

/// The first of them that is kept in the same array.
fn keeper(reductions: &[Reduction], of: usize) -> usize {
    reductions.iter().position(|r| r.array == reductions[of].array).unwrap_or(of)
}

/// Bytes of the program that are saved.
#[derive(Clone, Copy, Debug)]
struct Piece {
    address: u64,
    at: usize,
    bytes: usize,
}

/// The elements in which a reduction is kept: `copies × slots × padded`, of which the first `used` of each row count.
#[derive(Debug, Default)]
struct Cells {
    words: Vec<u64>,
    wide: bool,
    copies: usize,
    slots: usize,
    /// In words.
    padded: usize,
    /// In elements.
    used: usize,
    /// Each of them is written in each step.
    is_full: bool,
    /// For each step, its slot.
    of_step: Vec<usize>,
    /// By slot, the sums of its terms that a device has found; else empty.
    sums: Vec<u64>,
}

impl Batch {
    /// True if steps have been run on the CPU's threads: what they keep has memory.
    pub fn has_memory(&self) -> bool {
        self.has_memory
    }

    /// Fewer steps where rows are very long, or where there are many terms.
    pub fn limit(&self, nest: &Nest, extent: &mut Extent, threads: usize, room: Option<f64>) {
        let row = extent.space.extent(extent.space.dims - 1);
        let bytes = row.saturating_mul(8 * threads as i64).max(1);
        extent.steps = extent.steps.min(self.steps).min((MOST_ROW_BYTES / bytes).max(1));
        let terms = gate::bytes_of_terms(nest, extent);
        if terms > 0.0 {
            let arrays = 2.0 * gate::footprint(nest, extent);
            let room = room.map_or(0.0, |room| room.max(arrays));
            let most = (MOST_TERM_BYTES.max(room) / terms).max(1.0);
            extent.steps = extent.steps.min(most as i64);
        }
    }

    /// So many steps, or fewer, as [`Batch::limit`] says.
    fn fitting(nest: &Nest, call: &Call, options: &Options, steps: u64, room: Option<f64>) -> u64 {
        if !nest.record.reductions.iter().any(|r| r.kind.is_ordered()) {
            return steps;
        }
        let Ok(Some(mut extent)) = Extent::of(nest, call.ints) else { return steps };
        extent.steps = steps as i64;
        let wanted = Batch { steps: steps as i64, ..Batch::default() };
        wanted.limit(nest, &mut extent, options.thread_count(), room);
        extent.steps as u64
    }

    /// Gives the reductions their memory: the arrays as the kernels are to see them,
    /// and which of them are a thread's own.
    pub fn prepare(
        &mut self,
        nest: &Nest,
        shape: &Shape,
        place: Where,
        threads: usize,
    ) -> Result<(Shape, Vec<(u16, u64)>), Refusal> {
        self.steps = shape.extent.steps;
        self.instances = shape.extent.space.volume();
        let (mut shape, mut private) = (shape.clone(), Vec::new());
        self.cells.resize_with(nest.record.reductions.len(), Cells::default);
        let all = &nest.record.reductions;
        for (i, (reduction, cells)) in all.iter().zip(&mut self.cells).enumerate() {
            if keeper(all, i) < i {
                continue;
            }
            let own = place == Where::Cpu;
            let distance = cells.place(nest, reduction, &mut shape, own.then_some(threads))?;
            if own && !reduction.kind.is_ordered() {
                private.push((reduction.array, distance));
            }
        }
        Ok((shape, private))
    }

    /// The results as a device has left them.
    pub fn take(&mut self, nest: &Nest, resident: &mut Resident) {
        let found = resident.parts.iter_mut().zip(&mut resident.sums);
        let all = self.cells.iter_mut().zip(&nest.record.reductions);
        for ((cells, of), (parts, sums)) in all.zip(found) {
            cells.sums = std::mem::take(sums);
            let elem = if cells.wide { 8 } else { 4 };
            if !of.kind.is_ordered() {
                (cells.padded, cells.used) = (PARTS * elem / 8, PARTS);
            }
            cells.words = std::mem::take(parts);
        }
    }

    /// Saves what will be overwritten in the program's memory. One step writes again what it only writes; of several, the later ones may not run
    /// again.
    pub fn save(&mut self, nest: &Nest, shape: &Shape, threads: usize) {
        self.has_memory = true;
        self.pieces.clear();
        let mut at = 0;
        for (index, array) in shape.arrays.iter().enumerate() {
            if nest.record.reductions.iter().any(|r| usize::from(r.array) == index) {
                continue;
            }
            let elem = nest.record.arrays[index].elem.size();
            for slot in &array.slots {
                if shape.extent.steps == 1 && slot.inputs.is_empty() && !nest.may_alarm() {
                    continue;
                }
                let side = Side { origin: slot.origin, strides: &array.strides };
                for rows in slot.outputs.iter().map(|c| Rows::of(c, elem, side, side)) {
                    for row in 0..rows.count() {
                        let start = rows.host + rows.offsets(row).0;
                        for from in (0..rows.bytes).step_by(PIECE as usize) {
                            let bytes = (rows.bytes - from).min(PIECE) as usize;
                            self.pieces.push(Piece { address: start + from, at, bytes });
                            at += bytes;
                        }
                    }
                }
            }
        }
        self.save_pieces(at, threads);
    }

    /// Saves what the nest writes in rows that it finds anywhere ([`crate::gather`]); it runs on copies of them.
    pub fn save_rows(&mut self, written: impl Iterator<Item = (u64, usize)>, threads: usize) {
        self.has_rows = true;
        self.pieces.clear();
        let mut at = 0;
        for (address, bytes) in written {
            self.pieces.push(Piece { address, at, bytes });
            at += bytes;
        }
        self.save_pieces(at, threads);
    }

    /// True if the nest has run on copies of its rows.
    pub fn has_rows(&self) -> bool {
        self.has_rows
    }

    /// A run begins on the program's own memory, for all that is known.
    pub fn forget_rows(&mut self) {
        self.has_rows = false;
    }

    fn save_pieces(&mut self, all: usize, threads: usize) {
        if self.saved.len() != all {
            self.saved = vec![0; all];
            fresh::in_large_pages(&mut self.saved);
        }
        let saved = Address(self.saved.as_mut_ptr());
        each(&self.pieces, threads, |piece| {
            // SAFETY: the guard has found this to be what the nest writes; the pieces lie apart in `saved`.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    piece.address as *const u8,
                    saved.at(piece),
                    piece.bytes,
                );
            }
        });
    }

    fn restore(&mut self, threads: usize) {
        let saved = Address(self.saved.as_mut_ptr());
        each(&self.pieces, threads, |piece| {
            // SAFETY: as in `save`; the loop waits for this.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    saved.at(piece),
                    piece.address as *mut u8,
                    piece.bytes,
                );
            }
        });
    }

    /// Writes the results of all steps; how many of the first don't depend on order.
    fn reduce(&self, nest: &Nest, initials: &[u64], results: &mut [u64], threads: usize) -> usize {
        let all = &nest.record.reductions;
        for i in (0..all.len()).filter(|&i| all[i].kind == Reduces::Terms) {
            let Some(sums) = self.add_up(nest, i, initials[i], threads) else { return 0 };
            sums.into_iter()
                .enumerate()
                .for_each(|(step, sum)| results[step * all.len() + i] = sum);
        }
        for step in 0..self.steps as usize {
            let results = &mut results[step * all.len()..][..all.len()];
            for i in 0..all.len() {
                let known = match all[i].kind {
                    Reduces::Largest | Reduces::Smallest => {
                        self.cells[i].best(&all[i], step, initials[i]).map(|best| results[i] = best)
                    }
                    Reduces::Sum => self.sum(all, i, step, initials[i]).map(|(low, high)| {
                        (results[i], results[i + 1]) = (low, high);
                    }),
                    Reduces::Magnitudes | Reduces::Terms | Reduces::Factors => Some(()),
                };
                if known.is_none() {
                    return step;
                }
            }
        }
        self.steps as usize
    }

    /// The sums of all steps, as the loop adds them up. `None` where terms that are missing would change the result.
    fn add_up(&self, nest: &Nest, at: usize, initial: u64, threads: usize) -> Option<Vec<u64>> {
        let all = &nest.record.reductions;
        let of = |i: usize| &self.cells[keeper(all, i)];
        let factors = all.get(at + 1).filter(|r| r.kind == Reduces::Factors).map(|_| of(at + 1));
        let terms = of(at);
        // The square of a negative zero is a positive one.
        let squares = factors.is_some_and(|f| std::ptr::eq(f, terms));
        if squares && float(initial, terms.wide) == 0.0 && !terms.is_full {
            return None;
        }
        let found = &self.cells[at].sums;
        if !found.is_empty() {
            return Some(terms.of_step.iter().map(|&slot| found[slot]).collect());
        }
        let form = Form { count: terms.used, wide: terms.wide, initial };
        let steps: Vec<Terms> = (0..self.steps as usize)
            .map(|s| Terms { words: terms.of(s), factors: factors.map(|f| f.of(s)) })
            .collect();
        Some(terms::add_up(&steps, form, threads, &nest.hard_sums[at]))
    }

    /// Between which numbers the sum of a step lies.
    fn sum(&self, all: &[Reduction], at: usize, step: usize, initial: u64) -> Option<(u64, u64)> {
        let Reduction { sign_of_zero: signed, single, .. } = all[at];
        let add = |i: usize| self.cells[keeper(all, i)].values(step).sum::<f64>();
        let sum = add(at);
        let known = bounds::Sum {
            sum,
            magnitudes: if signed { add(at + 1) } else { sum },
            initial: float(initial, !single),
            terms: self.instances,
            single,
            signed,
        };
        bounds::of(known).map(|(low, high)| (bits(low, !single), bits(high, !single)))
    }
}

/// A word as the loop writes its values.
fn bits(value: f64, wide: bool) -> u64 {
    if wide { value.to_bits() } else { u64::from((value as f32).to_bits()) }
}

fn float(word: u64, wide: bool) -> f64 {
    if wide { f64::from_bits(word) } else { f64::from(f32::from_bits(word as u32)) }
}

/// Where `Batch::saved` lies, for several threads.
#[derive(Clone, Copy)]
struct Address(*mut u8);

// SAFETY: pieces that don't overlap are all that is done with it.
unsafe impl Sync for Address {}

impl Address {
    fn at(&self, piece: &Piece) -> *mut u8 {
        self.0.wrapping_add(piece.at)
    }
}

/// Does it for all pieces, on the pool's threads where there is much to do and they run.
fn each(pieces: &[Piece], threads: usize, work: impl Fn(&Piece) + Sync) {
    let bytes: usize = pieces.iter().map(|p| p.bytes).sum();
    if bytes < 4 * PIECE as usize || threads == 1 || !cpu::is_running(threads) {
        pieces.iter().for_each(work);
        return;
    }
    let share = pieces.len().div_ceil(threads);
    let shared = cpu::within(threads, || {
        rayon::scope(|scope| {
            for part in pieces.chunks(share) {
                let work = &work;
                scope.spawn(move |_| part.iter().for_each(work));
            }
        });
    });
    if shared.is_err() {
        run::abandon("the threads of the pool are gone");
    }
}

impl Cells {
    /// Memory for a reduction, empty: a row for each of these threads; or, on a device, its shape, the memory being the
    /// device's. Bytes from thread to thread.
    fn place(
        &mut self,
        nest: &Nest,
        reduction: &Reduction,
        shape: &mut Shape,
        threads: Option<usize>,
    ) -> Result<u64, Refusal> {
        let index = usize::from(reduction.array);
        let steps = shape.extent.steps;
        let array = &mut shape.arrays[index];
        self.sums.clear();
        self.wide = nest.record.arrays[index].elem == ElemType::F64;
        self.of_step = slots_of_steps(nest, reduction, array, steps);
        let Some(hull) = array.hull else {
            (self.copies, self.slots, self.padded, self.used) = (0, 0, 0, 0);
            return Ok(0);
        };
        let elem = nest.record.arrays[index].elem.size();
        let last = hull.dims.saturating_sub(1);
        let ordered = reduction.kind.is_ordered();
        self.is_full = gate::instances(nest, &shape.extent, reduction.array) == hull.volume();
        let elements = match threads {
            _ if hull.dims == 0 => 1.0,
            Some(_) if !ordered => hull.extent(last) as f64,
            _ => hull.volume(),
        };
        let mut inner = elem as i64;
        for d in (0..hull.dims).rev() {
            array.strides[d] = if threads.is_some() && d < last && !ordered { 0 } else { inner };
            inner = inner.saturating_mul(hull.extent(d));
        }
        for slot in &mut array.slots {
            (slot.inputs, slot.outputs) = (Vec::new(), Vec::new());
        }
        let Some(threads) = threads else {
            (self.copies, self.slots) = (1, array.slots.len());
            self.used = elements as usize;
            self.padded = (self.used * elem as usize).div_ceil(8);
            return Ok(0);
        };
        self.slots = 0;
        let slot_of: Vec<usize> = array
            .slots
            .iter()
            .map(|s| {
                self.slots += usize::from(s.hull.is_some());
                self.slots.saturating_sub(1)
            })
            .collect();
        self.of_step.iter_mut().for_each(|s| *s = slot_of[*s]);
        self.copies = if ordered { 1 } else { threads };
        self.used = elements as usize;
        // Rows of different threads share no line of the cache.
        self.padded = (self.used * elem as usize).next_multiple_of(128) / 8 + 16;
        let neutral = neutral(reduction.kind, nest.record.arrays[index].elem);
        let before = self.words.capacity();
        let words = self.copies * self.slots * self.padded;
        if !(ordered && self.is_full && self.words.len() == words) {
            self.words.clear();
            self.words.reserve_exact(words);
            if self.words.capacity() > before {
                fresh::in_large_pages(&mut self.words);
            }
            self.words.resize(words, neutral);
        }
        let base = self.words.as_mut_ptr() as u64;
        let first = first_of(&hull, &array.strides);
        for (slot, place) in array.slots.iter_mut().zip(slot_of) {
            slot.origin = (base + (place * self.padded * 8) as u64).wrapping_sub(first as u64);
        }
        Ok((self.slots * self.padded * 8) as u64)
    }

    /// The elements of a step that are kept once.
    fn of(&self, step: usize) -> &[u64] {
        let start = self.of_step[step] * self.padded;
        let words = if self.wide { self.used } else { self.used.div_ceil(2) };
        &self.words[start..start + words]
    }

    fn values(&self, step: usize) -> impl Iterator<Item = f64> + '_ {
        let slot = self.of_step[step];
        let (wide, used) = (self.wide, self.used);
        (0..self.copies).flat_map(move |copy| {
            let start = (copy * self.slots + slot) * self.padded;
            (0..used).map(move |i| {
                if wide {
                    return f64::from_bits(self.words[start + i]);
                }
                let half = self.words[start + i / 2] >> (i % 2 * 32);
                f64::from(f32::from_bits(half as u32))
            })
        })
    }

    /// The result of a step as the loop takes it; `None` where the order of instances matters.
    fn best(&self, reduction: &Reduction, step: usize, initial: u64) -> Option<u64> {
        let largest = reduction.kind == Reduces::Largest;
        let nothing = if largest { f64::NEG_INFINITY } else { f64::INFINITY };
        let initial = match float(initial, self.wide) {
            none if none.is_nan() && reduction.yields => nothing,
            nan if nan.is_nan() => return None,
            first => first,
        };
        let (mut best, mut nan) = (initial, false);
        if largest {
            self.values(step).for_each(|v| {
                nan |= v.is_nan();
                best = if v > best { v } else { best };
            });
        } else {
            self.values(step).for_each(|v| {
                nan |= v.is_nan();
                best = if v < best { v } else { best };
            });
        }
        let signs = reduction.sign_of_zero || initial.is_sign_negative();
        if reduction.strict && !nan && initial == 0.0 && best == 0.0 {
            return Some(bits(initial, self.wide));
        }
        // Where all of them are NaNs, which the loop would begin with, one of those is left.
        if nan || (best == 0.0 && signs) || (best == nothing && reduction.yields) {
            return None;
        }
        Some(bits(best, self.wide))
    }
}

/// Eight bytes of what nothing is better than.
pub fn neutral(kind: Reduces, elem: ElemType) -> u64 {
    let worst = match kind {
        Reduces::Largest => f64::NEG_INFINITY,
        Reduces::Smallest => f64::INFINITY,
        Reduces::Sum | Reduces::Magnitudes => 0.0,
        Reduces::Terms => -0.0,
        Reduces::Factors => 1.0,
    };
    if elem == ElemType::F64 {
        return worst.to_bits();
    }
    let bits = u64::from((worst as f32).to_bits());
    bits << 32 | bits
}

/// Bytes from subscript zero to the first element.
fn first_of(hull: &Cuboid, strides: &[i64]) -> i64 {
    debug_assert!(hull.dims <= MAX_DIMS);
    (0..hull.dims).map(|d| hull.lo[d].wrapping_mul(strides[d])).fold(0, i64::wrapping_add)
}

/// The slot that each step keeps its part in.
pub fn slots_of_steps(
    nest: &Nest,
    reduction: &Reduction,
    array: &ArrayShape,
    steps: i64,
) -> Vec<usize> {
    let writes = nest.record.statements.iter().flat_map(|s| &s.writes);
    let rotation =
        writes.filter(|w| w.array == reduction.array).map(|w| i64::from(w.rotation)).next();
    let shift = rotation.unwrap_or(0) + array.rotation;
    (0..steps).map(|t| (t + shift).rem_euclid(array.slots.len() as i64) as usize).collect()
}

/// Runs steps and writes their results; false where the original loop must run one.
pub fn run(
    nest: &'static Nest,
    call: &Call<'static>,
    options: &Options,
    touched: &AtomicBool,
    ahead: &mut Ahead,
    (frame, resident): (*mut Frame, &mut Resident),
) -> bool {
    let (count, most) = (nest.record.reductions.len(), u64::from(ahead.most));
    if count == 0 || ahead.reductions as usize != count || most == 0 {
        let message = "the object's loop expects other reductions than its record has";
        run::refused(Some(nest), Refusal::new(Reason::BadRecord, message), options);
        return false;
    }
    // SAFETY: as `Ahead` says, both lists are there, and nobody else looks at them meanwhile.
    let (initials, results) = unsafe {
        (
            std::slice::from_raw_parts(ahead.initials, count),
            std::slice::from_raw_parts_mut(ahead.results, count * ahead.most as usize),
        )
    };
    if options.mode == Mode::Off && !report::is_wanted(options) {
        return false;
    }
    let mut state = take(ahead).unwrap_or_else(|| {
        let batch = resident.spare.take().unwrap_or_default();
        let none = (Vec::new(), Vec::new(), Vec::new());
        Box::new(State {
            nest,
            ints: none.0,
            pointers: none.1,
            scalars: none.2,
            host_kernels: &[],
            batch,
            frame,
            done: 0,
        })
    });
    resident.forget();
    (state.nest, state.frame) = (nest, frame);
    state.batch.steps = nest.ahead.next(state.done, most) as i64;
    state.batch.ran = None;
    let (mut sure, start) = (0, Instant::now());
    let room = room_on_a_device(options, resident);
    let fits = |steps: u64| Batch::fitting(nest, call, options, steps, room);
    let (now, most) = (fits(state.batch.steps as u64), fits(most));
    state.batch.steps = now as i64;
    state.batch.initials = initials.to_vec();
    if options.device == DeviceChoice::Auto && nest.pause.holds() {
        let message = if nest.may_alarm() {
            "something was said, or the loop was left, in a step before"
        } else {
            "the largest or smallest of a step before depended on the order of the grid's points"
        };
        run::refused(Some(nest), Refusal::new(Reason::SmallProblem, message), options);
    } else if !is_worth_it(nest, call, options, state.batch.steps, most) {
        run::refused(Some(nest), run::small_problem(options), options);
    } else if run::run_in(nest, call, options, touched, resident, Some(&mut state.batch)) {
        // Memory is ahead of the loop: a fault from here on can't be left to the original.
        touched.store(true, Ordering::Release);
        state.ints = call.ints.to_vec();
        state.pointers = call.pointers.to_vec();
        state.scalars = call.scalars.to_vec();
        state.host_kernels = call.host_kernels;
        sure = state.batch.reduce(nest, initials, results, options.thread_count());
        nest.ahead.took(nest.key(call.ints, 0), start.elapsed(), state.batch.steps);
        if sure < state.batch.steps as usize {
            // The loop may not come to all of these either.
            state.again(sure as u64, true, options, resident);
        } else if ahead.most == 1 && !nest.record.reductions.iter().any(|r| r.kind == Reduces::Sum)
        {
            // The loop comes to the only step there is, and nothing takes it back but a sum between bounds: whoever
            // wants all that is newer from here on wants what it has made, too.
            resident.forget();
        }
        touched.store(false, Ordering::Release);
        nest.pause.after(sure > 0);
    } else {
        nest.gate.ahead.was_left();
    }
    state.done += sure.max(1) as u64;
    ahead.credit = sure as u64;
    ahead.taken = 0;
    ahead.state = Box::into_raw(state).cast();
    sure > 0
}

/// The user has named a device that is not the CPU, or the arrays are on one.
fn is_for_a_device(options: &Options, resident: &Resident) -> bool {
    resident.place().is_some() || !matches!(options.device, DeviceChoice::Auto | DeviceChoice::Cpu)
}

/// Bytes that a GPU has room for beside the program's arrays, where steps run ahead on a device; 0 for the emulated grid.
pub fn room_on_a_device(options: &Options, resident: &Resident) -> Option<f64> {
    let named = match options.device {
        DeviceChoice::Cuda(ordinal) => Some(Where::Cuda(ordinal)),
        _ => None,
    };
    let room = || match resident.place().or(named) {
        Some(Where::Cuda(ordinal)) => cuda::room(ordinal).map_or(0.0, |bytes| bytes as f64),
        _ => 0.0,
    };
    is_for_a_device(options, resident).then(room)
}

/// A step is left to the original loop unseen.
pub fn leave(ahead: &mut Ahead) {
    (ahead.credit, ahead.taken) = (0, 0);
    let state: *mut State = ahead.state.cast();
    // SAFETY: not null, it is what `run` has left there, and nobody else looks at it meanwhile.
    if let Some(state) = unsafe { state.as_mut() } {
        state.done += 1;
    }
}

/// Whether steps run ahead, rather than one by the original loop: by turns, from where there are enough of them. Who names
/// a device wants them to.
fn is_worth_it(nest: &Nest, call: &Call, options: &Options, steps: i64, most: u64) -> bool {
    if options.device != DeviceChoice::Auto {
        return true;
    }
    if (steps as u64) < most.min(FULL) {
        return true;
    }
    let key = nest.key(call.ints, steps as u64);
    let threads = options.thread_count();
    let start = gate::cpu_start(threads, cpu::is_running(threads));
    // Runs of fewer steps have shown what one takes.
    let kernels = nest.ahead.seconds(nest.key(call.ints, 0));
    let expected = Expected { original: 0.0, kernels, start, is_long: false };
    let (steps, unseen, now) = (steps as u32, nest.rest.unseen(), Instant::now());
    let turn = nest.gate.ahead.arrive(&PURSE, &Arrival { key, steps, unseen, expected, now });
    if turn == ORIGINAL_FOR_GOOD {
        nest.rest.found_nothing(nest.key(call.ints, 0));
    }
    turn.way == Way::Kernels
}

/// Takes back the steps that the loop has not come to, and lets go of everything but what may stay on a device.
pub fn settle(ahead: &mut Ahead) {
    let Some(mut state) = take(ahead) else { return };
    state.nest.ahead.looked.store(state.done - ahead.credit, Ordering::Relaxed);
    // SAFETY: the frame is on the stack of the activation that settles, and nobody else looks at it meanwhile.
    let frame = unsafe { state.frame.as_mut() };
    let mut resident = Held::of(frame);
    if ahead.credit > 0 {
        state.again(ahead.taken, false, Options::of_process(), &mut resident);
        ahead.credit = 0;
    }
    resident.forget();
    resident.spare = Some(state.batch);
}

/// True unless the bytes lie apart from all that the steps ahead touch.
pub fn meets(ahead: &Ahead, bytes: Bystander) -> bool {
    let state: *const State = ahead.state.cast();
    // SAFETY: not null, it is what `run` has left there, and nobody else looks at it meanwhile.
    let Some(state) = (unsafe { state.as_ref() }) else { return true };
    let at = (&state.ints[..], &state.pointers[..]);
    state.batch.ran.is_none() || !are_apart_in(state.nest, at, &[bytes], state.batch.steps)
}

fn take(ahead: &mut Ahead) -> Option<Box<State>> {
    let state: *mut State = std::mem::replace(&mut ahead.state, std::ptr::null_mut()).cast();
    // SAFETY: not null, it is what `run` has left there, once.
    (!state.is_null()).then(|| unsafe { Box::from_raw(state) })
}

impl State {
    /// Back to before the batch, and only so many steps of it; `saves`: which may be taken back as well.
    fn again(&mut self, steps: u64, saves: bool, options: &Options, resident: &mut Resident) {
        let Some((place, picks)) = self.batch.ran.clone() else { return };
        let restored = match place {
            _ if self.batch.has_rows => {
                self.batch.restore(options.thread_count());
                Ok(())
            }
            Where::Cpu => {
                self.batch.restore(options.thread_count());
                Ok(())
            }
            _ => resident.restore(options),
        };
        let call = Call {
            ints: &self.ints,
            pointers: &self.pointers,
            scalars: &self.scalars,
            host_kernels: self.host_kernels,
        };
        self.batch.steps = steps as i64;
        let again = || match steps {
            0 => Ok(()),
            _ => {
                let batch = (&mut self.batch, saves);
                run::again(self.nest, &call, options, (place, picks), batch, resident)
            }
        };
        if let Err(refusal) = restored.and_then(|()| again()) {
            run::abandon(&format!("{}: {refusal}", self.nest.place()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quickest_run_says_what_a_step_takes() {
        let memory = Memory::default();
        assert_eq!(memory.seconds(1), None);
        memory.took(1, Duration::from_millis(5), 1);
        memory.took(1, Duration::from_millis(400), 4);
        assert_eq!((memory.seconds(1), memory.seconds(2)), (Some(5e-3), None));
        memory.took(2, Duration::from_millis(8), 4);
        assert_eq!((memory.seconds(1), memory.seconds(2)), (None, Some(2e-3)));
    }

    #[test]
    fn the_next_batch_ends_where_somebody_looked_last_time() {
        let memory = Memory::default();
        let mut done = 0;
        let batches: Vec<u64> = (0..6)
            .map(|_| {
                let steps = memory.next(done, 16);
                done += steps;
                steps
            })
            .collect();
        assert_eq!(batches, [1, 1, 2, 4, 8, 16]);
        memory.looked.store(20, Ordering::Relaxed);
        assert_eq!([0, 16, 20, 40].map(|done| memory.next(done, 16)), [16, 4, 16, 16]);
    }

    fn best(values: &[f64], initial: f64, reduction: &Reduction) -> Option<f64> {
        let cells = Cells {
            words: values.iter().map(|v| v.to_bits()).collect(),
            wide: true,
            copies: 1,
            slots: 1,
            padded: values.len(),
            used: values.len(),
            is_full: true,
            of_step: vec![0],
            sums: vec![],
        };
        cells.best(reduction, 0, initial.to_bits()).map(f64::from_bits)
    }

    #[test]
    fn what_depends_on_order_is_left_to_the_loop() {
        let nan = f64::NAN;
        let largest = Reduction {
            array: 0,
            kind: Reduces::Largest,
            counts_nans: true,
            yields: false,
            sign_of_zero: true,
            strict: false,
            single: false,
            alarm: false,
        };
        let strict = Reduction { strict: true, ..largest.clone() };
        let smallest =
            Reduction { kind: Reduces::Smallest, sign_of_zero: false, ..largest.clone() };
        let yields = Reduction { counts_nans: false, yields: true, ..largest.clone() };
        let cases: [(&[f64], f64, &Reduction, Option<f64>); 15] = [
            (&[1.0, 3.0, 2.0], 0.0, &largest, Some(3.0)),
            (&[1.0, 3.0, 2.0], 4.0, &largest, Some(4.0)),
            (&[1.0, nan], 0.0, &largest, None),
            (&[1.0], nan, &largest, None),
            (&[0.0, -0.0], -1.0, &largest, None),
            (&[0.0, -0.0], 0.0, &largest, None),
            (&[0.0, -0.0], 0.0, &strict, Some(0.0)),
            (&[-3.0, -0.0], 0.0, &strict, Some(0.0)),
            (&[0.0, -0.0], -1.0, &strict, None),
            (&[f64::NEG_INFINITY], 1.0, &largest, Some(1.0)),
            (&[1.0, 0.0], 5.0, &smallest, Some(0.0)),
            (&[1.0, 0.0], -0.0, &smallest, None),
            (&[1.0, 3.0], nan, &yields, Some(3.0)),
            (&[f64::NEG_INFINITY], nan, &yields, None),
            (&[], nan, &yields, None),
        ];
        for (values, initial, reduction, wanted) in cases {
            assert_eq!(best(values, initial, reduction), wanted, "{values:?} from {initial}");
        }
    }
}
