//! Loops, dominance and memory of one function.
//!
//! Consumes: a working copy. Produces: [`Analyses`], which answers for the function as it is when
//! they are made; inserting code through [`Analyses::expand`] keeps them right, anything else that
//! changes the function makes them stale.

use super::Location;
use super::handle::{Block, Type, Value};
use super::sys;
use super::{ScevKind, ScevRef};
use inkwell::llvm_sys::core::LLVMGetNamedFunction;
use inkwell::llvm_sys::prelude::*;
use std::fmt;
use std::marker::PhantomData;

/// The analyses of one function.
pub struct Analyses<'f> {
    pub(super) raw: *mut sys::ShimAnalyses,
    module: LLVMModuleRef,
    function: PhantomData<&'f ()>,
}

/// A natural loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopRef<'a> {
    raw: sys::ShimLoopRef,
    of: PhantomData<&'a ()>,
}

/// What the root of a pointer is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// Nothing: an argument without `noalias`, a loaded pointer, a phi.
    Unknown,
    /// A variable on the stack.
    Alloca,
    /// A global variable.
    Global,
    /// An argument that is `restrict` in C, `&mut` in Rust.
    NoAliasArgument,
    /// An aggregate passed by value.
    ByValArgument,
    /// The result of malloc, operator new, `__rust_alloc` and the like.
    Allocation,
}

impl ObjectKind {
    /// Two different objects of identified kinds never overlap.
    pub fn is_identified(self) -> bool {
        self != ObjectKind::Unknown
    }
}

/// How two pieces of memory lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// Apart.
    No,
    /// Nobody knows.
    May,
    /// Overlapping in part.
    Partial,
    /// At the same address.
    Must,
}

/// What executing an instruction may do besides computing its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects {
    /// Reads memory.
    pub reads: bool,
    /// Writes memory.
    pub writes: bool,
    /// Is a volatile access.
    pub volatile: bool,
    /// Is atomic, in any ordering.
    pub atomic: bool,
    /// May leave by an exception.
    pub may_throw: bool,
    /// Always hands control to what comes next.
    pub returns: bool,
    /// Touches nothing but what its pointer arguments point to.
    pub only_arguments: bool,
    /// May be executed where the original would not.
    pub speculatable: bool,
}

impl<'f> Analyses<'f> {
    /// # Safety
    /// `raw` is fresh from `shim_analyses_new`, not null, owned by the result; its function outlives
    /// `'f`.
    pub(super) unsafe fn from_raw(raw: *mut sys::ShimAnalyses, module: LLVMModuleRef) -> Self {
        Analyses { raw, module, function: PhantomData }
    }

    /// Ends the analyses after the function was changed; the host computes its own anew.
    pub fn invalidate(self) {
        // SAFETY: `raw` is alive and, with drop skipped, not used again.
        unsafe { sys::shim_analyses_free(self.raw, true) }
        std::mem::forget(self);
    }

    /// The outermost loops in program order.
    pub fn top_loops(&self) -> Vec<LoopRef<'_>> {
        // SAFETY: the analyses are alive; `list` passes as much room as it says.
        loops(sys::list(|out, room| unsafe { sys::shim_top_loops(self.raw, out, room) }))
    }

    /// The innermost loop around a block.
    pub fn loop_of(&self, block: Block<'_>) -> Option<LoopRef<'_>> {
        // SAFETY: the analyses and the block are alive.
        LoopRef::from_raw(unsafe { sys::shim_loop_of(self.raw, block.raw()) })
    }

    /// Every way to `under` leads through `over`.
    pub fn dominates(&self, over: Block<'_>, under: Block<'_>) -> bool {
        // SAFETY: the analyses and the blocks are alive.
        unsafe { sys::shim_dominates(self.raw, over.raw(), under.raw()) }
    }

    /// Every way from `under` to a return leads through `over`.
    pub fn post_dominates(&self, over: Block<'_>, under: Block<'_>) -> bool {
        // SAFETY: the analyses and the blocks are alive.
        unsafe { sys::shim_post_dominates(self.raw, over.raw(), under.raw()) }
    }

    /// The value of `definition` is available to the instruction `user`.
    pub fn is_available(&self, definition: Value<'_>, user: Value<'_>) -> bool {
        // SAFETY: the analyses and the values are alive.
        unsafe { sys::shim_value_dominates(self.raw, definition.raw(), user.raw()) }
    }

    /// How `left_bytes` at `left` lie to `right_bytes` at `right`; `None` is any number of bytes.
    pub fn alias(
        &self,
        (left, left_bytes): (Value<'_>, Option<u64>),
        (right, right_bytes): (Value<'_>, Option<u64>),
    ) -> Alias {
        let size = |bytes: Option<u64>| bytes.unwrap_or(u64::MAX);
        // SAFETY: the analyses and the values are alive.
        let answer = unsafe {
            sys::shim_alias(self.raw, left.raw(), size(left_bytes), right.raw(), size(right_bytes))
        };
        match answer {
            sys::ShimAliasNo => Alias::No,
            sys::ShimAliasPartial => Alias::Partial,
            sys::ShimAliasMust => Alias::Must,
            _ => Alias::May,
        }
    }

    /// The load gives one value for a whole run of the loop: its address is the same and nothing in
    /// the loop may write there. It may still be unsafe to execute where the loop never reaches it.
    pub fn is_invariant_load(&self, load: Value<'_>, within: LoopRef<'_>) -> bool {
        // SAFETY: the analyses, the value and the loop are alive.
        unsafe { sys::shim_load_is_invariant(self.raw, load.raw(), within.raw) }
    }

    /// The instruction is executed in each iteration of the loop that goes all the way round.
    pub fn executes_each_iteration(&self, instruction: Value<'_>, within: LoopRef<'_>) -> bool {
        // SAFETY: the analyses, the value and the loop are alive.
        unsafe { sys::shim_executes_each_iteration(self.raw, instruction.raw(), within.raw) }
    }

    /// The C library function that a call means (`sqrtf`), where the target has it.
    pub fn library_function(&self, call: Value<'_>) -> Option<String> {
        // SAFETY: the analyses and the value are alive.
        let name = sys::text(|sink, state| unsafe {
            sys::shim_library_function(self.raw, call.raw(), sink, state);
        });
        (!name.is_empty()).then_some(name)
    }

    /// The memory of a local variable, or of one of the module, is written in the function only, by what can be seen to
    /// write there.
    pub fn is_written_here_only(&self, variable: Value<'_>) -> bool {
        // SAFETY: the analyses and the value are alive.
        unsafe { sys::shim_is_written_here_only(self.raw, variable.raw()) }
    }

    /// What a number that is loaded from a fixed place in a table, or passed from there, is likely to be.
    pub fn likely_number(&self, number: Value<'_>) -> Option<i64> {
        let mut is = 0;
        // SAFETY: the analyses and the value are alive.
        unsafe { sys::shim_likely_number(self.raw, number.raw(), &mut is) }.then_some(is)
    }

    /// Something in the unit asks where errno is.
    pub fn uses_errno(&self) -> bool {
        // SAFETY: the module is alive, the name a string that ends in zero.
        unsafe { !LLVMGetNamedFunction(self.module, c"__errno_location".as_ptr()).is_null() }
    }

    /// Bytes from one element of this type to the next in an array.
    pub fn alloc_size(&self, ty: Type<'_>) -> u64 {
        // SAFETY: the module and the type are alive, and share a context.
        unsafe { sys::shim_type_alloc_size(self.module, ty.raw()) }
    }

    /// Bytes that a store of this type writes.
    pub fn store_size(&self, ty: Type<'_>) -> u64 {
        // SAFETY: the module and the type are alive, and share a context.
        unsafe { sys::shim_type_store_size(self.module, ty.raw()) }
    }

    /// Exact number of times that the loop's back edge is taken, if there is a formula.
    pub fn backedge_taken(&self, of: LoopRef<'_>) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses and the loop are alive.
        self.computed(unsafe { sys::shim_backedge_taken(self.raw, of.raw) })
    }

    /// The same, if `exiting` were the only way out of the loop.
    pub fn exit_count(&self, of: LoopRef<'_>, exiting: Block<'_>) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses, the loop and the block are alive.
        self.computed(unsafe { sys::shim_exit_count(self.raw, of.raw, exiting.raw()) })
    }

    /// How often the loop would go on if it were left only where the condition is true (or not).
    pub fn condition_count(
        &self,
        of: LoopRef<'_>,
        condition: Value<'_>,
        leaves_if: bool,
    ) -> Option<ScevRef<'_>> {
        // SAFETY: the analyses, the loop and the condition are alive.
        self.computed(unsafe {
            sys::shim_condition_count(self.raw, of.raw, condition.raw(), leaves_if)
        })
    }

    pub(super) fn computed(&self, raw: sys::ShimScevRef) -> Option<ScevRef<'_>> {
        ScevRef::from_raw(raw).filter(|scev| scev.kind() != ScevKind::CouldNotCompute)
    }
}

impl Drop for Analyses<'_> {
    fn drop(&mut self) {
        // SAFETY: `raw` is alive and not used again.
        unsafe { sys::shim_analyses_free(self.raw, false) }
    }
}

fn loops<'a>(raw: Vec<sys::ShimLoopRef>) -> Vec<LoopRef<'a>> {
    raw.into_iter().filter_map(LoopRef::from_raw).collect()
}

fn blocks<'a>(raw: Vec<LLVMBasicBlockRef>) -> Vec<Block<'a>> {
    raw.into_iter().filter_map(Block::from_raw).collect()
}

impl<'a> LoopRef<'a> {
    pub(super) fn from_raw(raw: sys::ShimLoopRef) -> Option<Self> {
        (!raw.is_null()).then_some(LoopRef { raw, of: PhantomData })
    }

    pub(super) fn raw(self) -> sys::ShimLoopRef {
        self.raw
    }

    /// The loops directly inside, in program order.
    pub fn children(self) -> Vec<LoopRef<'a>> {
        // SAFETY: the loop is alive; `list` passes as much room as it says.
        loops(sys::list(|out, room| unsafe { sys::shim_loop_children(self.raw, out, room) }))
    }

    /// The loop around this one.
    pub fn parent(self) -> Option<LoopRef<'a>> {
        // SAFETY: the loop is alive.
        LoopRef::from_raw(unsafe { sys::shim_loop_parent(self.raw) })
    }

    /// 1 for an outermost loop.
    pub fn depth(self) -> u32 {
        // SAFETY: the loop is alive.
        unsafe { sys::shim_loop_depth(self.raw) }
    }

    /// The block that every iteration starts with.
    pub fn header(self) -> Block<'a> {
        // SAFETY: the loop is alive.
        Block::from_raw(unsafe { sys::shim_loop_header(self.raw) }).expect("a loop has a header")
    }

    /// The block outside that leads only to the header.
    pub fn preheader(self) -> Option<Block<'a>> {
        // SAFETY: the loop is alive.
        Block::from_raw(unsafe { sys::shim_loop_preheader(self.raw) })
    }

    /// The block that jumps back to the header, if there is one only.
    pub fn latch(self) -> Option<Block<'a>> {
        // SAFETY: the loop is alive.
        Block::from_raw(unsafe { sys::shim_loop_latch(self.raw) })
    }

    /// Its blocks, those of inner loops included; the header first.
    pub fn blocks(self) -> Vec<Block<'a>> {
        // SAFETY: the loop is alive; `list` passes as much room as it says.
        blocks(sys::list(|out, room| unsafe { sys::shim_loop_blocks(self.raw, out, room) }))
    }

    /// Its blocks that may leave it.
    pub fn exiting_blocks(self) -> Vec<Block<'a>> {
        // SAFETY: as above.
        blocks(sys::list(|out, room| unsafe { sys::shim_loop_exiting_blocks(self.raw, out, room) }))
    }

    /// The blocks outside that it may leave to, each once.
    pub fn exit_blocks(self) -> Vec<Block<'a>> {
        // SAFETY: as above.
        blocks(sys::list(|out, room| unsafe { sys::shim_loop_exit_blocks(self.raw, out, room) }))
    }

    /// The block is part of the loop.
    pub fn contains(self, block: Block<'_>) -> bool {
        // SAFETY: the loop and the block are alive.
        unsafe { sys::shim_loop_contains(self.raw, block.raw()) }
    }

    /// Control never comes back from `block`, neither to the loop nor to the caller: a panic, say, with what it
    /// cleans up. Or the loop is left there for what it hardly ever does.
    pub fn fails_at(self, block: Block<'_>) -> bool {
        // SAFETY: the loop and the block are alive.
        unsafe { sys::shim_loop_fails_at(self.raw, block.raw()) }
    }

    /// It has lost what it hardly ever does.
    pub fn is_settled(self) -> bool {
        // SAFETY: the loop is alive.
        unsafe { sys::shim_is_settled(self.raw) }
    }

    /// It is such a loop and what that has lost.
    pub fn resumes_settled(self) -> bool {
        // SAFETY: the loop is alive.
        unsafe { sys::shim_resumes_settled(self.raw) }
    }

    /// `inner` is this loop or one inside it.
    pub fn contains_loop(self, inner: LoopRef<'_>) -> bool {
        // SAFETY: both loops are alive.
        unsafe { sys::shim_loop_contains_loop(self.raw, inner.raw) }
    }

    /// Marks it, the time loop of a nest that is taken, and all loops in it, wherever they are inlined.
    pub fn mark_taken(self) {
        // SAFETY: the loop is alive.
        unsafe { sys::shim_mark_taken(self.raw) }
    }

    /// It belongs to a nest that has been taken, and stands for the case that the runtime refuses.
    pub fn is_taken(self) -> bool {
        // SAFETY: the loop is alive.
        unsafe { sys::shim_is_taken(self.raw) }
    }

    /// It, or a loop in it, belongs to such a nest.
    pub fn holds_taken(self) -> bool {
        // SAFETY: the loop is alive.
        unsafe { sys::shim_holds_taken(self.raw) }
    }

    /// It has a preheader, one latch, and exits of its own.
    pub fn is_simplified(self) -> bool {
        // SAFETY: the loop is alive.
        unsafe { sys::shim_loop_is_simplified(self.raw) }
    }

    /// Where the loop starts in the source.
    pub fn location(self) -> Option<Location> {
        // SAFETY: the loop is alive, and with it its debug info.
        Location::from_raw(unsafe { sys::shim_loop_location(self.raw) })
    }

    /// The symbol of the function that it was inlined from, as far as is known.
    pub fn inlined_from(self) -> Option<String> {
        // SAFETY: the loop is alive, and with it its debug info; `text` passes a sink with its state.
        let name = sys::text(|sink, state| unsafe {
            sys::shim_loop_inlined_from(self.raw, sink, state);
        });
        Some(name).filter(|name| !name.is_empty())
    }

    /// The loop and those inside it, outermost first.
    pub fn with_descendants(self) -> Vec<LoopRef<'a>> {
        let mut all = vec![self];
        all.extend(self.children().into_iter().flat_map(LoopRef::with_descendants));
        all
    }
}

impl fmt::Debug for LoopRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loop at {:?}, depth {}", self.header(), self.depth())
    }
}

pub(super) fn location_of(value: LLVMValueRef) -> Option<Location> {
    // SAFETY: called with live handles only.
    Location::from_raw(unsafe { sys::shim_value_location(value) })
}

pub(super) fn underlying_object(pointer: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: called with live handles only.
    unsafe { sys::shim_underlying_object(pointer) }
}

pub(super) fn object_kind(object: LLVMValueRef) -> ObjectKind {
    // SAFETY: called with live handles only.
    match unsafe { sys::shim_object_kind(object) } {
        sys::ShimObjectAlloca => ObjectKind::Alloca,
        sys::ShimObjectGlobal => ObjectKind::Global,
        sys::ShimObjectNoAliasArgument => ObjectKind::NoAliasArgument,
        sys::ShimObjectByValArgument => ObjectKind::ByValArgument,
        sys::ShimObjectAllocation => ObjectKind::Allocation,
        _ => ObjectKind::Unknown,
    }
}

pub(super) fn effects_of(value: LLVMValueRef) -> Effects {
    // SAFETY: called with live handles only.
    let raw = unsafe { sys::shim_effects(value) };
    Effects {
        reads: raw.reads,
        writes: raw.writes,
        volatile: raw.is_volatile,
        atomic: raw.atomic,
        may_throw: raw.may_throw,
        returns: raw.returns,
        only_arguments: raw.only_arguments,
        speculatable: raw.speculatable,
    }
}
