//! One run of the pass over one module: its functions, working copies and remarks.
//!
//! Consumes: the module and the shim's context. Produces: [`Function`]s that may hold a nest, a
//! [`WorkingCopy`] of one at a time. Refuses a second copy while one is open.

use super::analyses::location_of;
use super::handle::{Function, Value};
use super::sys;
use super::{Analyses, LoopRef};
use hexpass_abi::Reduces;
use inkwell::llvm_sys::prelude::*;
use std::ffi::c_void;
use std::marker::PhantomData;

/// Where in the host's pipeline the pass stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// IR as the front end wrote it.
    PipelineStart,
    /// After inlining and the scalar optimiser, before vectorisation.
    OptimizerEarly,
    /// Link-time optimisation, full or thin, before its inliner.
    LinkTime,
    /// `opt -passes=hexpass`.
    Explicit,
    /// `opt -passes=hexpass-canonicalise`: every working copy is committed as it is.
    Canonicalise,
    /// `opt -passes=hexpass-describe`: what the analyses know goes to stderr.
    Describe,
}

/// What a remark tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// A nest was taken (`-Rpass=hexpass`).
    Passed,
    /// A nest was left (`-Rpass-missed=hexpass`).
    Missed,
    /// Why, and what was weighed (`-Rpass-analysis=hexpass`).
    Analysis,
}

/// What a remark points at.
#[derive(Clone, Copy)]
pub enum Where<'a> {
    /// The function's own line.
    Function,
    /// The line where a loop starts.
    Loop(LoopRef<'a>),
    /// The line of an instruction.
    Instruction(Value<'a>),
}

/// What is done to the time loops of a working copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyAs {
    /// Nothing.
    Written,
    /// They lose what they hardly ever do, and then begin where their steps are looked at.
    Turned,
    /// They lose what they hardly ever do.
    Separate,
    /// They keep for all steps what each has from the heap and gives back.
    Lent,
}

/// The pass's view of one module for one run.
pub struct Session<'h> {
    module: LLVMModuleRef,
    context: *mut sys::ShimContext,
    host: PhantomData<&'h ()>,
}

impl<'h> Session<'h> {
    /// Opens the session.
    ///
    /// # Safety
    /// Both are the host's of this run, outlive `'h`, and nobody else touches the module meanwhile.
    pub unsafe fn new(module: LLVMModuleRef, context: *mut sys::ShimContext) -> Self {
        Session { module, context, host: PhantomData }
    }

    /// The module, for inkwell or the C API.
    pub fn module(&self) -> LLVMModuleRef {
        self.module
    }

    /// Where in the host's pipeline we stand.
    pub fn point(&self) -> Point {
        // SAFETY: the context is alive for 'h.
        match unsafe { sys::shim_point(self.context) } {
            sys::ShimPointPipelineStart => Point::PipelineStart,
            sys::ShimPointOptimizerEarly => Point::OptimizerEarly,
            sys::ShimPointLinkTime => Point::LinkTime,
            sys::ShimPointCanonicalise => Point::Canonicalise,
            sys::ShimPointDescribe => Point::Describe,
            _ => Point::Explicit,
        }
    }

    /// Whether the link, where other units' bodies are seen, can look at what is deferred now.
    pub fn links_later(&self) -> bool {
        // SAFETY: the context is alive for 'h.
        unsafe { sys::shim_links_later(self.context) }
    }

    /// Has the link look at a function again.
    pub fn defer(&self, function: Function<'h>) {
        // SAFETY: the context and the function are alive for 'h.
        unsafe { sys::shim_defer(self.context, function.raw()) }
    }

    /// The functions that may hold a nest and have not been looked at, callees before callers.
    pub fn candidates(&self) -> Vec<Function<'h>> {
        // SAFETY: the context is alive for 'h; `list` passes as much room as it says.
        sys::list(|out, room| unsafe { sys::shim_candidates(self.context, out, room) })
            .into_iter()
            .filter_map(Function::from_raw)
            .collect()
    }

    /// Marks a function so that later runs over this module leave it alone.
    pub fn mark_seen(&self, function: Function<'h>) {
        // SAFETY: the context and the function are alive for 'h.
        unsafe { sys::shim_mark_seen(self.context, function.raw()) }
    }

    /// The function that has the only call of `function`, if that may be inlined and its caller may be rewritten.
    pub fn only_caller(&self, function: Function<'h>) -> Option<Function<'h>> {
        // SAFETY: the function is alive for 'h, and so is its caller.
        Function::from_raw(unsafe { sys::shim_only_caller(function.raw()) })
    }

    /// Nobody calls the function, and nobody will.
    pub fn is_unused(&self, function: Function<'h>) -> bool {
        // SAFETY: the function is alive for 'h.
        unsafe { sys::shim_is_unused(function.raw()) }
    }

    /// What `look` says while functions that are called once are not inlined.
    pub fn without<T>(&self, callees: &[Function<'h>], look: impl FnOnce() -> T) -> T {
        // SAFETY: the functions are alive for 'h.
        let keep_out =
            |out| callees.iter().for_each(|f| unsafe { sys::shim_keep_out(f.raw(), out) });
        keep_out(true);
        let found = look();
        keep_out(false);
        found
    }

    /// A copy of `function` with its callees inlined and its scalars in registers, to be read and
    /// rewritten at will; `None` where it may not be copied, or another copy is open.
    ///
    /// What is done to its time loops is in `how`.
    pub fn working_copy(&self, function: Function<'h>, how: CopyAs) -> Option<WorkingCopy<'_, 'h>> {
        let mut separate = how != CopyAs::Written;
        let mut lent = how == CopyAs::Lent;
        let mut turned = how == CopyAs::Turned;
        // SAFETY: the context and the function are alive for 'h.
        let copy = unsafe {
            sys::shim_clone_and_canonicalise(
                self.context,
                function.raw(),
                &mut separate,
                &mut lent,
                &mut turned,
            )
        };
        let copy = Function::from_raw(copy)?;
        Some(WorkingCopy { session: self, original: function, copy, separate, lent, turned })
    }

    /// Whether anybody would see a remark about `function`.
    pub fn remarks_enabled(&self, function: Function<'_>) -> bool {
        // SAFETY: the function is alive.
        unsafe { sys::shim_remarks_enabled(function.raw()) }
    }

    /// Sends a remark. `function` is the one that the user wrote, not a working copy of it; `at` may
    /// belong to the copy.
    pub fn remark(
        &self,
        kind: RemarkKind,
        function: Function<'_>,
        at: Where<'_>,
        name: &str,
        message: &str,
    ) {
        let kind = match kind {
            RemarkKind::Passed => sys::ShimRemarkPassed,
            RemarkKind::Missed => sys::ShimRemarkMissed,
            RemarkKind::Analysis => sys::ShimRemarkAnalysis,
        };
        let (at_loop, at_value) = match at {
            Where::Function => (std::ptr::null(), std::ptr::null_mut()),
            Where::Loop(at) => (at.raw(), std::ptr::null_mut()),
            Where::Instruction(at) => (std::ptr::null(), at.raw()),
        };
        // SAFETY: every handle is alive, and the texts are passed with their lengths; the shim
        // keeps none of them.
        unsafe {
            sys::shim_remark(
                self.context,
                kind,
                function.raw(),
                at_loop,
                at_value,
                name.as_ptr().cast(),
                name.len(),
                message.as_ptr().cast(),
                message.len(),
            );
        }
    }

    /// Makes a linker take the runtime's archive for this module.
    pub fn add_anchor(&self) {
        let name = hexpass_abi::ANCHOR;
        // SAFETY: the module is alive for 'h; the name is copied, by its length.
        unsafe { sys::shim_add_anchor(self.module, name.as_ptr().cast(), name.len()) }
    }

    /// The verifier's words about the whole module, if it is broken.
    pub fn verify(&self) -> Result<(), String> {
        super::target::verify_module(self.module)
    }
}

/// A private copy of a function, inlined and canonicalised. Dropping it erases it, and the module
/// is what it was.
pub struct WorkingCopy<'s, 'h> {
    session: &'s Session<'h>,
    original: Function<'h>,
    copy: Function<'h>,
    separate: bool,
    lent: bool,
    turned: bool,
}

impl<'h> WorkingCopy<'_, 'h> {
    /// A time loop of it has lost what it hardly ever does.
    pub fn is_separate(&self) -> bool {
        self.separate
    }

    /// The copy would be another one if its loops kept what their steps have from the heap.
    pub fn may_be_lent(&self) -> bool {
        self.lent
    }

    /// A time loop that has lost what it hardly ever does begins where its steps are looked at.
    pub fn is_turned(&self) -> bool {
        self.turned
    }

    /// The copy, to be read and rewritten.
    pub fn function(&self) -> Function<'_> {
        self.copy
    }

    /// The function that the user wrote.
    pub fn original(&self) -> Function<'h> {
        self.original
    }

    /// The copy's analyses, computed now.
    pub fn analyses(&self) -> Analyses<'_> {
        // SAFETY: the context is alive, the copy has a body and outlives the borrow of self.
        let raw = unsafe { sys::shim_analyses_new(self.session.context, self.copy.raw()) };
        // SAFETY: `raw` was just made, for a function with a body, and nobody else holds it.
        unsafe { Analyses::from_raw(raw, self.session.module) }
    }

    /// Looks for what of a time loop of the copy can be executed several steps at a time, and makes the function that
    /// does it; the copy stays as it is. `with_stores`: stores directly in the loop may be part of the sweeps.
    /// `keeps`: its sweeps leave values that are seldom looked at. `records`: elements are kept at places that are looked up.
    /// `reductions`: the sweeps may end in a largest or smallest value; then whether there are some.
    pub fn stretch(
        &self,
        analyses: &Analyses<'_>,
        time_loop: LoopRef<'_>,
        (with_stores, keeps, records): (bool, bool, bool),
        reductions: &mut bool,
    ) -> Result<Stretches<'_>, NotStretched> {
        let mut why = sys::ShimStretchNoSweep;
        let mut culprit: LLVMValueRef = std::ptr::null_mut();
        // SAFETY: the analyses, their loop and the two results are alive.
        let raw = unsafe {
            sys::shim_stretches_new(
                analyses.raw,
                time_loop.raw(),
                with_stores,
                keeps,
                records,
                &raw mut *reductions,
                &raw mut why,
                &raw mut culprit,
            )
        };
        let line = || (!culprit.is_null()).then(|| location_of(culprit)).flatten().map(|l| l.line);
        if raw.is_null() {
            return Err(match why {
                sys::ShimStretchMiddle => NotStretched::Middle(line()),
                sys::ShimStretchExit => NotStretched::Exit(line()),
                sys::ShimStretchValue => NotStretched::Value(line()),
                sys::ShimStretchPointer => NotStretched::Pointer(line()),
                sys::ShimStretchReduction => NotStretched::Reduction(line()),
                sys::ShimStretchBroken => NotStretched::Broken,
                _ => NotStretched::NoSweep,
            });
        }
        // SAFETY: it was just made.
        let stretch = Function::from_raw(unsafe { sys::shim_stretches_function(raw) });
        let stretch = stretch.expect("there is a stretch");
        Ok(Stretches { context: self.session.context, module: self.session.module, raw, stretch })
    }

    /// Looks for sweeps of a time loop that stand together, `most` at most and none of those whose headers are left out,
    /// and makes the function that does one step of them; with stores directly in the loop that may belong to them, or
    /// without.
    pub fn sweeps_apart(
        &self,
        analyses: &Analyses<'_>,
        time_loop: LoopRef<'_>,
        (most, with_stores): (usize, bool),
        left_out: &[LLVMBasicBlockRef],
        work: &mut usize,
    ) -> Option<Stretches<'_>> {
        // SAFETY: the analyses and their loop are alive; the headers are only compared.
        let raw = unsafe {
            sys::shim_stretches_apart(
                analyses.raw,
                time_loop.raw(),
                most,
                with_stores,
                left_out.as_ptr(),
                left_out.len(),
                work,
            )
        };
        if raw.is_null() {
            return None;
        }
        // SAFETY: it was just made.
        let stretch = Function::from_raw(unsafe { sys::shim_stretches_function(raw) })?;
        Some(Stretches { context: self.session.context, module: self.session.module, raw, stretch })
    }

    /// The line of an access of what would be a sweep of this loop, to a place that another array says; `None` if there is no
    /// such access.
    pub fn gather(&self, analyses: &Analyses<'_>, time_loop: LoopRef<'_>) -> Option<Option<u32>> {
        // SAFETY: the analyses and their loop are alive.
        let found = unsafe { sys::shim_gather(analyses.raw, time_loop.raw()) };
        (!found.is_null()).then(|| location_of(found).map(|l| l.line))
    }

    /// Something is called in the loop that another unit may have.
    pub fn calls_away(&self, analyses: &Analyses<'_>, time_loop: LoopRef<'_>) -> bool {
        // SAFETY: the analyses and their loop are alive.
        unsafe { sys::shim_calls_away(analyses.raw, time_loop.raw()) }
    }

    /// A sweep needs the largest value that a loop of the same step finds: nothing can wait there, but both can be taken.
    pub fn needs_extreme(&self, analyses: &Analyses<'_>, time_loop: LoopRef<'_>) -> bool {
        // SAFETY: the analyses and their loop are alive.
        unsafe { sys::shim_needs_extreme(analyses.raw, time_loop.raw()) }
    }

    /// Where arrays of a time loop that is taken whole may stay when it is left, if there is a loop around. The analyses
    /// are of no use afterwards.
    pub fn frame_around(
        &self,
        analyses: &Analyses<'_>,
        time_loop: LoopRef<'_>,
    ) -> Option<LLVMValueRef> {
        // SAFETY: the analyses and their loop are alive.
        let frame = unsafe { sys::shim_frame_around(analyses.raw, time_loop.raw()) };
        (!frame.is_null()).then_some(frame)
    }

    /// Takes back a frame that nobody uses.
    pub fn drop_frame(&self) {
        // SAFETY: the copy is alive.
        unsafe { sys::shim_drop_frame(self.copy.raw()) }
    }

    /// Arrays that stay in the copy's frame do so until the outermost loop around their nests is left; `originals` are the
    /// headers of nests that were taken whole. False: that can't be had, and the copy is of no use.
    pub fn stay(&self, originals: &[LLVMBasicBlockRef]) -> bool {
        // SAFETY: the copy is alive.
        if !unsafe { sys::shim_has_frame(self.copy.raw()) } {
            return true;
        }
        let analyses = self.analyses();
        // SAFETY: the analyses are alive, and the headers are only compared.
        let stays = unsafe { sys::shim_stay(analyses.raw, originals.as_ptr(), originals.len()) };
        analyses.invalidate();
        stays
    }

    /// The copy's body becomes the original's, which keeps its name, linkage and debug info.
    /// Where nothing but calls of the runtime was put into the copy, before these nests, the original may keep its body
    /// and get the calls instead. Check with [`Function::verify`] first: from here on there is no way back.
    pub fn commit(self, whole: &[LLVMBasicBlockRef]) {
        // SAFETY: both are alive; the copy's handle is not used again, because `forget` skips drop
        // and borrows of self have ended. The headers are blocks of the copy.
        unsafe {
            sys::shim_commit(
                self.session.context,
                self.original.raw(),
                self.copy.raw(),
                whole.as_ptr(),
                whole.len(),
            );
        }
        std::mem::forget(self);
    }
}

impl Drop for WorkingCopy<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: the copy is alive and, with the borrows of self ended, unused afterwards.
        unsafe { sys::shim_discard(self.session.context, self.copy.raw()) }
    }
}

/// Why a time loop's sweeps can't wait, with the source line of what stands in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotStretched {
    /// No inner loop is a sweep that could.
    NoSweep,
    /// Something between two sweeps of a step may touch what they touch.
    Middle(Option<u32>),
    /// The loop is left between two sweeps of a step.
    Exit(Option<u32>),
    /// A sweep needs a value that can't be kept for later.
    Value(Option<u32>),
    /// The same of a pointer.
    Pointer(Option<u32>),
    /// What might be a sweep leaves a value that the rest uses: a sum, a maximum.
    Reduction(Option<u32>),
    /// The function that was made of the sweeps is malformed.
    Broken,
}

/// Why sweeps that wait, or run ahead, do so for one step only, with the source line of what is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slow {
    /// Something in each step may look at what they touch.
    Look(Option<u32>),
    /// They run ahead, and need a value that each step computes.
    Value(Option<u32>),
    /// They run ahead, and what they touch moves on from step to step.
    Moves(Option<u32>),
    /// They run ahead, and pointers or sizes change in memory in a way that is not followed.
    Exchange(Option<u32>),
}

/// A reduction of a stretch, as [`hexpass_abi::Reduction`] says.
#[derive(Clone, Copy, Debug)]
pub struct Reduced {
    /// The argument that is the address of its array.
    pub grid: LLVMValueRef,
    pub kind: Reduces,
    pub counts_nans: bool,
    pub yields: bool,
    pub sign_of_zero: bool,
    pub strict: bool,
    pub single: bool,
    pub alarm: bool,
}

/// The sweeps of a time loop as a function that executes several steps of them. Dropping it erases that function.
pub struct Stretches<'c> {
    context: *mut sys::ShimContext,
    module: LLVMModuleRef,
    raw: *mut sys::ShimStretches,
    stretch: Function<'c>,
}

impl Stretches<'_> {
    /// The function; its only loop is the time loop.
    pub fn stretch(&self) -> Function<'_> {
        self.stretch
    }

    /// Headers of its sweeps, in order.
    pub fn sweeps(&self) -> Vec<LLVMBasicBlockRef> {
        let mut found: [LLVMBasicBlockRef; 64] = [std::ptr::null_mut(); 64];
        // SAFETY: the stretches are alive, and the array holds as many as are written.
        let count =
            unsafe { sys::shim_stretches_sweeps(self.raw, found.as_mut_ptr(), found.len()) };
        found[..count.min(found.len())].to_vec()
    }

    /// Stores directly in the loop belong to them.
    pub fn stores(&self) -> bool {
        // SAFETY: the stretches are alive.
        unsafe { sys::shim_stretches_store(self.raw) }
    }

    /// What its sweeps reduce, each in an array whose address is an argument.
    pub fn reductions(&self) -> Vec<Reduced> {
        let empty = || sys::ShimReduction {
            grid: std::ptr::null_mut(),
            kind: sys::ShimReductionLargest,
            counts_nans: false,
            yields: false,
            sign_of_zero: false,
            strict: false,
            single_: false,
            alarm: false,
        };
        let mut found: [sys::ShimReduction; 32] = std::array::from_fn(|_| empty());
        // SAFETY: the stretches are alive, and the array holds as many as are written.
        let count =
            unsafe { sys::shim_stretches_reductions(self.raw, found.as_mut_ptr(), found.len()) };
        let reduced = |r: &sys::ShimReduction| Reduced {
            grid: r.grid,
            kind: match r.kind {
                sys::ShimReductionLargest => Reduces::Largest,
                sys::ShimReductionSmallest => Reduces::Smallest,
                sys::ShimReductionSum => Reduces::Sum,
                sys::ShimReductionTerms => Reduces::Terms,
                sys::ShimReductionFactors => Reduces::Factors,
                _ => Reduces::Magnitudes,
            },
            counts_nans: r.counts_nans,
            yields: r.yields,
            sign_of_zero: r.sign_of_zero,
            strict: r.strict,
            single: r.single_,
            alarm: r.alarm,
        };
        found[..count.min(found.len())].iter().map(reduced).collect()
    }

    /// The argument that leads to `hexpass_abi::Ahead`, where there are reductions.
    pub fn ahead(&self) -> Option<LLVMValueRef> {
        // SAFETY: the stretches are alive.
        let argument = unsafe { sys::shim_stretches_ahead(self.raw) };
        (!argument.is_null()).then_some(argument)
    }

    /// The argument that leads to `hexpass_abi::Frame`.
    pub fn frame(&self) -> LLVMValueRef {
        // SAFETY: the stretches are alive.
        unsafe { sys::shim_stretches_frame(self.raw) }
    }

    /// What the nest exchanges in memory is as it was before, behind the nest: the loop exchanges it step by step.
    pub fn leaves_words(&self) -> bool {
        // SAFETY: the stretches are alive.
        unsafe { sys::shim_stretches_leave_words(self.raw) }
    }

    /// Why they run one step at a time, where they do.
    pub fn slow(&self) -> Option<Slow> {
        let mut culprit: LLVMValueRef = std::ptr::null_mut();
        // SAFETY: the stretches and the result are alive.
        let pace = unsafe { sys::shim_stretches_pace(self.raw, &raw mut culprit) };
        let line = (!culprit.is_null()).then(|| location_of(culprit)).flatten().map(|l| l.line);
        match pace {
            sys::ShimPaceLook => Some(Slow::Look(line)),
            sys::ShimPaceValue => Some(Slow::Value(line)),
            sys::ShimPaceMoves => Some(Slow::Moves(line)),
            sys::ShimPaceExchange => Some(Slow::Exchange(line)),
            _ => None,
        }
    }

    /// The function's analyses, computed now.
    pub fn analyses(&self) -> Analyses<'_> {
        // SAFETY: the context is alive, the function has a body and outlives the borrow of self.
        let raw = unsafe { sys::shim_analyses_new(self.context, self.stretch.raw()) };
        // SAFETY: `raw` was just made, for a function with a body, and nobody else holds it.
        unsafe { Analyses::from_raw(raw, self.module) }
    }

    /// Takes the sweeps out of the copy's loop, which calls the function instead. The copy's analyses are stale then.
    pub fn commit(self) {
        // SAFETY: alive, with the analyses and the copy that it was made from; not used again, as drop is skipped.
        unsafe { sys::shim_stretches_commit(self.raw) };
        std::mem::forget(self);
    }
}

impl Drop for Stretches<'_> {
    fn drop(&mut self) {
        // SAFETY: alive, and with the borrows of self ended, unused afterwards.
        unsafe { sys::shim_stretches_drop(self.context, self.raw) }
    }
}

/// Adds the pass to the host's pass builder.
///
/// # Safety
/// `builder` is the `llvm::PassBuilder` that the host passed to the plugin.
pub(crate) unsafe fn register(builder: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { sys::shim_register(builder) }
}
