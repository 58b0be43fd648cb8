//! Writes one kernel into one LLVM function: loops, branches, copies and statement instances.
//!
//! Consumes a [`Kernel`] with the [`StencilProgram`] whose arrays and bodies it speaks of; produces the function's
//! blocks. What host and device do differently is behind [`Machine`]; everything else is the same code, so that both run
//! the same instances in the same way.

use super::affine::{Affine, AtomId, Range};
use super::blocks::Pass;
use super::body::elem_type;
use super::fault::{Emitted, Fault};
use super::index::{COORDINATE, Indexer, Test, too_large};
use super::places::Places;
use super::threads::Registers;
use hexpass_abi::{ElemType, KernelParam};
use hexpass_poly::kernel::cost::instructions;
use hexpass_poly::kernel::ir::{IExpr, Kernel, LoopKind, Node, Place, Style};
use hexpass_poly::stencil::StencilProgram;
use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    BasicValueEnum, FunctionValue, InstructionValue, IntValue, MetadataValue, PointerValue,
};
use std::num::NonZero;

/// Instances, shuffles and accesses of memory that one kernel may hold after unrolling.
const MAX_LEAVES: u32 = 20_000;

/// A loop over threads is written out when it holds at most this many instances and copies.
const MAX_WRITTEN_OUT: u32 = 16;
/// Instructions of an instance that count as one of those.
const LONG_INSTANCE: u64 = 64;

/// A counter that stays below this is 32 bits wide on the device.
const MAX_NARROW_TRIP: i128 = 1 << 30;

/// What host and device do differently.
pub trait Machine<'ctx> {
    /// True where 32-bit index arithmetic is cheaper.
    fn narrow(&self) -> bool;
    /// Kernel parameter `i`, available everywhere in the function.
    fn param(&self, i: usize) -> BasicValueEnum<'ctx>;
    /// Start of a shared buffer.
    fn shared(&self, buffer: usize) -> Emitted<PointerValue<'ctx>>;
    /// Index of the thread along an axis (32 bits); `None` where a block is one thread along it.
    fn thread(&self, axis: u8) -> Option<(IntValue<'ctx>, u32)>;
    /// A loop's counter as its body sees it.
    fn counter(&self, b: &Builder<'ctx>, counter: IntValue<'ctx>) -> Emitted<IntValue<'ctx>>;
    /// True where rows that need what is rare are computed a second time.
    fn repeats_rows(&self) -> bool;
    /// What is there already is not stored to the program's arrays: it may not be theirs.
    fn is_careful(&self) -> bool {
        false
    }
    /// True where a whole block can be computed a second time: its threads can agree on that.
    fn repeats_blocks(&self) -> bool {
        false
    }
    /// True if the condition holds in one of the block's threads, all of which have come here.
    fn any_in_block(
        &self,
        _: &Module<'ctx>,
        _: &Builder<'ctx>,
        _condition: IntValue<'ctx>,
    ) -> Emitted<IntValue<'ctx>> {
        Err(Fault::new("blocks are not computed twice here"))
    }
    /// True where divisions and roots are better written out than left to the code generator.
    fn writes_out_divisions(&self) -> bool;
    /// All threads of the block meet.
    fn barrier(&self, b: &Builder<'ctx>) -> Emitted<()>;
    /// Each warp waits for those beside it.
    fn barrier_beside(&self, b: &Builder<'ctx>) -> Emitted<()>;
    /// What is written from here on comes from this line of the source, or from the nest's.
    fn line(&self, b: &Builder<'ctx>, line: Option<u32>);
    /// True if [`Machine::store_where`] can store so many elements.
    fn stores_where(&self, elem: ElemType, count: u32) -> bool;
    /// Stores `count` elements to global memory where the condition holds, without a branch.
    fn store_where(
        &self,
        b: &Builder<'ctx>,
        condition: IntValue<'ctx>,
        pointer: PointerValue<'ctx>,
        elements: &[BasicValueEnum<'ctx>],
        elem: ElemType,
    ) -> Emitted<()>;
    /// Asks for what will be loaded from global memory soon, where the condition holds, without a branch; nothing where
    /// caches see to that by themselves.
    fn prefetch(
        &self,
        _: &Builder<'ctx>,
        _condition: IntValue<'ctx>,
        _pointer: PointerValue<'ctx>,
    ) -> Emitted<()> {
        Ok(())
    }
    /// Copies so many bytes from global to shared memory, on their own; the host has no such copies.
    fn fetch(
        &self,
        _: &Builder<'ctx>,
        _to: PointerValue<'ctx>,
        _from: PointerValue<'ctx>,
        _bytes: u64,
    ) -> Emitted<()> {
        Err(Fault::new("copies on their own are a device's"))
    }
    /// What was to be copied so far is a group.
    fn fetches(&self, _: &Builder<'ctx>) -> Emitted<()> {
        Err(Fault::new("copies on their own are a device's"))
    }
    /// All groups but the last ones are there.
    fn fetched(&self, _: &Builder<'ctx>, _but: u32) -> Emitted<()> {
        Err(Fault::new("copies on their own are a device's"))
    }
    /// True if a bit of a word of 32 bits is set; `None` where a comparison does as well.
    fn bit(&self, _: &Builder<'ctx>, _: IntValue<'ctx>, _: u32) -> Emitted<Option<IntValue<'ctx>>> {
        Ok(None)
    }
    /// One of two values, without a branch.
    fn select(
        &self,
        b: &Builder<'ctx>,
        condition: IntValue<'ctx>,
        then: BasicValueEnum<'ctx>,
        otherwise: BasicValueEnum<'ctx>,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        Ok(b.build_select(condition, then, otherwise, "")?)
    }
    /// What `value` is in the thread so many lanes further.
    fn shuffle(
        &self,
        module: &Module<'ctx>,
        b: &Builder<'ctx>,
        value: BasicValueEnum<'ctx>,
        lanes: i32,
    ) -> Emitted<BasicValueEnum<'ctx>>;
    /// Called for each load from global memory; `param` holds the address that it counts from, where that is known.
    fn global_load(
        &self,
        load: InstructionValue<'ctx>,
        array: u16,
        param: Option<usize>,
    ) -> Emitted<()>;
    /// What memory accesses of a loop of independent iterations carry.
    fn lane_group(&mut self) -> Emitted<Option<MetadataValue<'ctx>>>;
    /// Marks an access of such a loop, and its back edge.
    fn lane_access(
        &self,
        access: InstructionValue<'ctx>,
        group: MetadataValue<'ctx>,
    ) -> Emitted<()>;
    fn lane_loop(&self, back: InstructionValue<'ctx>, group: MetadataValue<'ctx>) -> Emitted<()>;
}

/// Writes one kernel.
pub struct KernelWriter<'a, 'ctx, M> {
    pub ctx: ContextRef<'ctx>,
    pub module: &'a Module<'ctx>,
    pub builder: Builder<'ctx>,
    pub function: FunctionValue<'ctx>,
    pub stencil: &'a StencilProgram,
    pub kernel: &'a Kernel,
    pub machine: M,
    pub(super) index: Indexer<'ctx>,
    pub(super) registers: Registers<'ctx>,
    places: Places,
    threads: Vec<(IntValue<'ctx>, AtomId)>,
    group: Option<MetadataValue<'ctx>>,
    /// Says that a row ([`super::rows`]) or the block ([`super::blocks`]) must be computed again, where it may have to be.
    pub(super) again: Option<PointerValue<'ctx>>,
    /// Instances take rare choices as usual.
    pub(super) usual: bool,
    /// The block's indices.
    blocks: Vec<IntValue<'ctx>>,
    /// What is written of a kernel whose blocks may be computed twice ([`super::blocks`]).
    pub(super) pass: Pass,
    leaves: u32,
}

impl<'a, 'ctx, M: Machine<'ctx>> KernelWriter<'a, 'ctx, M> {
    /// For a function whose entry block `builder` stands in; `blocks` are the block's indices.
    pub fn new(
        module: &'a Module<'ctx>,
        builder: Builder<'ctx>,
        function: FunctionValue<'ctx>,
        stencil: &'a StencilProgram,
        kernel: &'a Kernel,
        machine: M,
        blocks: &[IntValue<'ctx>],
    ) -> Emitted<KernelWriter<'a, 'ctx, M>> {
        let ctx = module.get_context();
        let mut index = Indexer::new(ctx, machine.narrow(), kernel.vars, kernel.params.len());
        blocks.iter().enumerate().for_each(|(axis, &block)| index.set_block(axis, block));
        for (i, param) in kernel.params.iter().enumerate() {
            if let (true, BasicValueEnum::IntValue(v)) = (is_integer(param), machine.param(i)) {
                index.set_param(i, v, range(param, kernel.style));
            }
        }
        let places = Places::new(kernel);
        let registers = Registers::new(ctx, &builder, kernel)?;
        let mut writer = KernelWriter {
            ctx,
            module,
            builder,
            function,
            stencil,
            kernel,
            machine,
            index,
            registers,
            places,
            threads: Vec::new(),
            group: None,
            again: None,
            usual: false,
            blocks: blocks.to_vec(),
            pass: Pass::Only,
            leaves: 0,
        };
        if kernel.style == Style::Thread {
            writer.thread_indices();
        }
        Ok(writer)
    }

    fn thread_indices(&mut self) {
        for axis in 0..3 {
            let index = match self.machine.thread(axis) {
                Some((thread, count)) => Affine::atom(self.thread_atom(thread, count)),
                None => Affine::default(),
            };
            self.index.set_thread(usize::from(axis), index);
        }
    }

    /// From here on indices and parameters are values that code generators have not seen, so that nothing that was made of
    /// them is kept for what follows.
    pub(super) fn hide_indices(&mut self) -> Emitted<()> {
        for axis in 0..self.blocks.len() {
            let block = self.machine.counter(&self.builder, self.blocks[axis])?;
            self.index.set_block(axis, block);
        }
        for (i, param) in self.kernel.params.iter().enumerate() {
            if let (true, BasicValueEnum::IntValue(v)) = (is_integer(param), self.machine.param(i))
            {
                let v = self.machine.counter(&self.builder, v)?;
                self.index.set_param(i, v, range(param, self.kernel.style));
            }
        }
        for axis in 0..3 {
            if let Some((thread, count)) = self.machine.thread(axis) {
                let thread = self.machine.counter(&self.builder, thread)?;
                let atom = self.thread_atom(thread, count);
                self.index.set_thread(usize::from(axis), Affine::atom(atom));
            }
        }
        Ok(())
    }

    /// Writes the body and the return.
    pub fn write(mut self) -> Emitted<()> {
        self.prepare_rows()?;
        self.body()?;
        self.builder.build_return(None)?;
        Ok(())
    }

    pub(super) fn nodes(&mut self, nodes: &[Node]) -> Emitted<()> {
        let mut rest = nodes;
        while let [first, ..] = rest {
            let together = self.together(rest);
            match together {
                0 | 1 => self.node(first)?,
                n => self.instances(&rest[..n])?,
            }
            rest = &rest[together.max(1)..];
        }
        Ok(())
    }

    fn node(&mut self, node: &Node) -> Emitted<()> {
        match node {
            Node::Let { var, value } => {
                let mut sum = self.index.affine(&self.builder, value)?;
                if self.kernel.style == Style::Thread {
                    sum = self.index.narrowed(&self.builder, sum)?;
                }
                if let (IExpr::Opaque(_), None) = (value, sum.as_constant()) {
                    let seen = self.index.value(&self.builder, &sum)?;
                    let seen = self.machine.counter(&self.builder, seen)?;
                    sum = self.index.opaque(seen, &sum);
                }
                self.index.bind(*var, sum)
            }
            Node::For { var, lo, hi, step, kind, body } => {
                if *step <= 0 {
                    return Err(Fault::new(format!("a loop of step {step}")));
                }
                let lo = self.index.affine(&self.builder, lo)?;
                let hi = self.index.affine(&self.builder, hi)?;
                self.loop_over(*var, lo, hi, *step, *kind, body)
            }
            // On its second way the kernel takes every choice's second way: it is hardly ever gone, and should be short.
            Node::If { otherwise, .. } if self.pass == Pass::Exact && !otherwise.is_empty() => {
                self.nodes(otherwise)
            }
            Node::If { cond, then, otherwise } => match self.test(cond)? {
                Test::Always => self.nodes(then),
                Test::Never => self.nodes(otherwise),
                Test::Value(c) => {
                    if otherwise.is_empty() && self.stores_where(c, then)? {
                        return Ok(());
                    }
                    self.branch(c, then, otherwise)
                }
            },
            Node::Copy { to, from } => self.copy(to, from),
            Node::Instance { .. } => self.instances(std::slice::from_ref(node)),
            Node::Vector { to, from, count } => self.vector(to, from, *count),
            Node::Shuffle { to, from, lanes } => self.shuffle(to, from, *lanes),
            Node::Select { to, cond, then, otherwise } => self.select(to, cond, then, otherwise),
            Node::Prefetch { from, cond } => self.prefetch(from, cond),
            Node::Fetch { copies, count } => self.fetch(copies, *count),
            Node::Await { but } => self.machine.fetched(&self.builder, *but),
            Node::Barrier => self.machine.barrier(&self.builder),
            Node::BarrierBeside => self.machine.barrier_beside(&self.builder),
        }
    }

    pub(super) fn block(&self, name: &str) -> BasicBlock<'ctx> {
        self.ctx.append_basic_block(self.function, name)
    }

    fn branch(&mut self, c: IntValue<'ctx>, then: &[Node], otherwise: &[Node]) -> Emitted<()> {
        self.guarded(c, |w| w.nodes(then), otherwise)
    }

    fn guarded(
        &mut self,
        c: IntValue<'ctx>,
        then: impl FnOnce(&mut Self) -> Emitted<()>,
        otherwise: &[Node],
    ) -> Emitted<()> {
        let (yes, after) = (self.block("then"), self.block("after"));
        let no = if otherwise.is_empty() { after } else { self.block("else") };
        self.builder.build_conditional_branch(c, yes, no)?;
        self.builder.position_at_end(yes);
        let scope = self.index.enter();
        then(self)?;
        self.index.leave(scope);
        self.builder.build_unconditional_branch(after)?;
        if !otherwise.is_empty() {
            self.builder.position_at_end(no);
            self.nodes(otherwise)?;
            self.index.leave(scope);
            self.builder.build_unconditional_branch(after)?;
        }
        self.builder.position_at_end(after);
        Ok(())
    }

    fn loop_over(
        &mut self,
        var: u16,
        lo: Affine,
        hi: Affine,
        step: i64,
        kind: LoopKind,
        body: &[Node],
    ) -> Emitted<()> {
        let span = hi.add_scaled(&lo, -1).ok_or_else(too_large)?;
        if self.index.upper_bound(&span) < 0 {
            return Ok(());
        }
        if let (LoopKind::Unrolled, Some(span)) = (kind, span.as_constant()) {
            return self.written_out(var, &lo, span, step, body);
        }
        if let LoopKind::Threads(axis) = kind
            && let Some((thread, count)) = self.machine.thread(axis)
        {
            return self.over_threads(var, lo, span, step, (thread, count), body);
        }
        if self.index.upper_bound(&span) < i128::from(step) {
            let test = self.index.not_above(&self.builder, &Affine::default(), &span)?;
            return self.once(test, var, lo, body);
        }
        self.in_sequence(var, lo, hi, span, step, kind, body)
    }

    /// Each iteration's text, with the variable's value known.
    fn written_out(
        &mut self,
        var: u16,
        lo: &Affine,
        span: i64,
        step: i64,
        body: &[Node],
    ) -> Emitted<()> {
        let mut at = 0;
        while at <= span {
            self.index.bind(var, lo.offset(at).ok_or_else(too_large)?)?;
            self.nodes(body)?;
            at += step;
        }
        Ok(())
    }

    /// `body` with `var` = `value`, if the test holds.
    fn once(&mut self, test: Test<'ctx>, var: u16, value: Affine, body: &[Node]) -> Emitted<()> {
        self.index.bind(var, value)?;
        match test {
            Test::Never => Ok(()),
            Test::Always => self.nodes(body),
            Test::Value(c) => self.branch(c, body, &[]),
        }
    }

    /// One atom for each thread index, so that equal expressions are seen to be equal.
    fn thread_atom(&mut self, thread: IntValue<'ctx>, count: u32) -> AtomId {
        if let Some(&(_, atom)) = self.threads.iter().find(|(v, _)| *v == thread) {
            return atom;
        }
        let atom = self.index.atom(thread, Range::new(0, i128::from(count) - 1));
        self.threads.push((thread, atom));
        atom
    }

    /// Iterations dealt out cyclically: thread t takes t, t + count, …; written out where that is short.
    fn over_threads(
        &mut self,
        var: u16,
        lo: Affine,
        span: Affine,
        step: i64,
        (thread, count): (IntValue<'ctx>, u32),
        body: &[Node],
    ) -> Emitted<()> {
        let own = Affine::atom(self.thread_atom(thread, count));
        let own = own.scale(step).ok_or_else(too_large)?;
        let stride = step * i64::from(count);
        let bound = self.index.upper_bound(&span);
        let rounds = bound / i128::from(stride) + 1;
        let weight = i128::from(weight(body, self.stencil).max(1));
        if rounds == 1 || rounds * weight <= i128::from(MAX_WRITTEN_OUT) {
            for round in 0..rounds as i64 {
                let at = own.offset(round * stride).ok_or_else(too_large)?;
                let test = self.index.not_above(&self.builder, &at, &span)?;
                let value = lo.add_scaled(&at, 1).ok_or_else(too_large)?;
                self.once(test, var, value, body)?;
            }
            return Ok(());
        }
        self.offset_loop(var, &lo, &own, &span, stride, None, body)
    }

    #[allow(clippy::too_many_arguments)] // a loop has that many parts
    fn in_sequence(
        &mut self,
        var: u16,
        lo: Affine,
        hi: Affine,
        span: Affine,
        step: i64,
        kind: LoopKind,
        body: &[Node],
    ) -> Emitted<()> {
        let group = if kind == LoopKind::Lanes { self.machine.lane_group()? } else { None };
        if self.machine.narrow() && self.index.upper_bound(&span) < MAX_NARROW_TRIP {
            return self.offset_loop(var, &lo, &Affine::default(), &span, step, group, body);
        }
        let b = &self.builder;
        let entered = self.index.not_above(b, &lo, &hi)?;
        let range = Range::new(self.index.range(&lo).lo, self.index.range(&hi).hi);
        let (first, last) = (self.index.wide(b, &lo)?, self.index.wide(b, &hi)?);
        let iteration = |w: &mut Self, counter| {
            let atom = w.index.counter(counter, range);
            w.index.bind(var, Affine::atom(atom))?;
            w.nodes(body)
        };
        if kind != LoopKind::Lanes || !self.is_rare_row(body) {
            return self.counted(entered, first, last, step, group, iteration);
        }
        let rows = |w: &mut Self| {
            w.usual_and_again(|w| w.counted(Test::Always, first, last, step, group, iteration))
        };
        match entered {
            Test::Never => Ok(()),
            Test::Always => rows(self),
            Test::Value(c) => self.guarded(c, rows, &[]),
        }
    }

    /// `var` = `lo` + a counter from `first` to `span`: the counter is small where the span is.
    #[allow(clippy::too_many_arguments)] // a loop has that many parts
    fn offset_loop(
        &mut self,
        var: u16,
        lo: &Affine,
        first: &Affine,
        span: &Affine,
        step: i64,
        group: Option<MetadataValue<'ctx>>,
        body: &[Node],
    ) -> Emitted<()> {
        let bound = self.index.upper_bound(span);
        let b = &self.builder;
        let entered = self.index.not_above(b, first, span)?;
        let (start, end) = if bound >= MAX_NARROW_TRIP || !self.machine.narrow() {
            (self.index.wide(b, first)?, self.index.wide(b, span)?)
        } else if self.index.is_narrow(span) {
            (self.index.value(b, first)?, self.index.value(b, span)?)
        } else {
            (self.index.value(b, first)?, self.index.clamped(b, span)?)
        };
        self.counted(entered, start, end, step, group, |w, counter| {
            let atom = Affine::atom(w.index.counter(counter, Range::new(0, bound)));
            w.index.bind(var, lo.add_scaled(&atom, 1).ok_or_else(too_large)?)?;
            w.nodes(body)
        })
    }

    /// A loop in the form that LLVM likes: guarded, tested at its end, one latch.
    fn counted(
        &mut self,
        entered: Test<'ctx>,
        first: IntValue<'ctx>,
        last: IntValue<'ctx>,
        step: i64,
        group: Option<MetadataValue<'ctx>>,
        body: impl FnOnce(&mut Self, IntValue<'ctx>) -> Emitted<()>,
    ) -> Emitted<()> {
        match entered {
            Test::Never => return Ok(()),
            Test::Always => {}
            Test::Value(c) => {
                return self.guarded(
                    c,
                    |w| w.counted(Test::Always, first, last, step, group, body),
                    &[],
                );
            }
        }
        let (head, exit) = (self.block("loop"), self.block("done"));
        let before = self.builder.get_insert_block().ok_or_else(|| Fault::new("no block"))?;
        self.builder.build_unconditional_branch(head)?;
        self.builder.position_at_end(head);
        let ty = first.get_type();
        let phi = self.builder.build_phi(ty, "i")?;
        let counter = phi.as_basic_value().into_int_value();
        let outer_group = self.group;
        self.group = group.or(outer_group);
        let scope = self.index.enter_loop();
        let seen = self.machine.counter(&self.builder, counter)?;
        body(self, seen)?;
        self.index.leave_loop(scope);
        self.group = outer_group;
        let latch = self.builder.get_insert_block().ok_or_else(|| Fault::new("no block"))?;
        let next =
            self.builder.build_int_nsw_add(counter, ty.const_int(step as u64, true), "next")?;
        let back = if step == 1 {
            let done = self.builder.build_int_compare(IntPredicate::EQ, counter, last, "")?;
            self.builder.build_conditional_branch(done, exit, head)?
        } else {
            let more = self.builder.build_int_compare(IntPredicate::SLE, next, last, "")?;
            self.builder.build_conditional_branch(more, head, exit)?
        };
        phi.add_incoming(&[(&first, before), (&next, latch)]);
        if let Some(group) = group {
            self.machine.lane_loop(back, group)?;
        }
        self.builder.position_at_end(exit);
        Ok(())
    }

    fn copy(&mut self, to: &Place, from: &Place) -> Emitted<()> {
        let value = self.load(from)?;
        self.store(to, value)
    }

    pub(super) fn count_leaf(&mut self) -> Emitted<()> {
        self.leaves += 1;
        if self.leaves > MAX_LEAVES {
            return Err(Fault::too_long(format!(
                "kernel {} is longer than {MAX_LEAVES} operations",
                self.kernel.name
            )));
        }
        Ok(())
    }

    /// Where the condition holds, which it hardly ever does.
    pub(super) fn rarely(
        &mut self,
        condition: IntValue<'ctx>,
        then: impl FnOnce(&mut Self) -> Emitted<()>,
    ) -> Emitted<()> {
        let (yes, after) = (self.block("again"), self.block("after"));
        let branch = self.builder.build_conditional_branch(condition, yes, after)?;
        self.mark_rare(branch)?;
        self.builder.position_at_end(yes);
        let scope = self.index.enter();
        then(self)?;
        self.index.leave(scope);
        self.builder.build_unconditional_branch(after)?;
        self.builder.position_at_end(after);
        Ok(())
    }

    pub(super) fn here(&self) -> Emitted<BasicBlock<'ctx>> {
        self.builder.get_insert_block().ok_or_else(|| Fault::new("the writer stands nowhere"))
    }

    /// Says that a branch's first way is hardly ever taken.
    pub(super) fn mark_rare(&self, branch: InstructionValue<'ctx>) -> Emitted<()> {
        let weight = |n: u64| self.ctx.i32_type().const_int(n, false).into();
        let words = self.ctx.metadata_string("branch_weights").into();
        let node = self.ctx.metadata_node(&[words, weight(1), weight(1 << 20)]);
        let kind = self.ctx.get_kind_id("prof");
        branch.set_metadata(node, kind).map_err(|e| Fault::new(format!("not marked: {e:?}")))
    }

    pub(super) fn element(&self, place: &Place) -> Emitted<ElemType> {
        let of = |array: u16| self.stencil.arrays.get(usize::from(array)).map(|a| a.elem);
        match place {
            Place::Global { array, .. } => of(*array),
            Place::Shared { buffer, .. } => {
                self.kernel.shared.get(usize::from(*buffer)).map(|b| b.elem)
            }
            Place::Buffer { .. } => self.kernel.array_of(place).and_then(of),
            Place::Register { bank, .. } => {
                self.kernel.registers.get(usize::from(*bank)).map(|b| b.elem)
            }
        }
        .ok_or_else(|| Fault::new("a place in storage that is not there"))
    }

    pub(super) fn pointer(&mut self, place: &Place) -> Emitted<PointerValue<'ctx>> {
        if let Place::Register { bank, index } = place {
            return self.registers.slot(*bank, *index);
        }
        self.places.pointer(
            &self.builder,
            &mut self.index,
            &self.machine,
            (self.stencil, self.kernel),
            place,
        )
    }

    pub(super) fn load(&mut self, place: &Place) -> Emitted<BasicValueEnum<'ctx>> {
        if !matches!(place, Place::Register { .. }) {
            self.count_leaf()?;
        }
        let ty = elem_type(self.ctx, self.element(place)?);
        self.load_as(place, ty, 1)
    }

    /// `count` elements, as one value of type `ty`.
    pub(super) fn load_as(
        &mut self,
        place: &Place,
        ty: BasicTypeEnum<'ctx>,
        count: u32,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let bytes = self.element(place)?.size() as u32 * count;
        let pointer = self.pointer(place)?;
        let value = self.builder.build_load(ty, pointer, "")?;
        let load = value_instruction(value)?;
        load.set_alignment(bytes)?;
        if let Some(group) = self.group {
            self.machine.lane_access(load, group)?;
        }
        if let Some(array) = self.kernel.array_of(place) {
            self.machine.global_load(load, array, self.places.param(place))?;
        }
        Ok(value)
    }

    pub(super) fn store(&mut self, place: &Place, value: BasicValueEnum<'ctx>) -> Emitted<()> {
        if value.get_type() != elem_type(self.ctx, self.element(place)?) {
            return Err(Fault::new("a store of a value of another type"));
        }
        self.store_as(place, value, 1)
    }

    /// `count` elements, as one value.
    pub(super) fn store_as(
        &mut self,
        place: &Place,
        value: BasicValueEnum<'ctx>,
        count: u32,
    ) -> Emitted<()> {
        self.see_stored(place, value, None)?;
        let bytes = self.element(place)?.size() as u32 * count;
        let pointer = self.pointer(place)?;
        let careful = self.machine.is_careful() && self.kernel.array_of(place).is_some();
        let after = match careful {
            true => Some(self.unless_there(pointer, value, bytes)?),
            false => None,
        };
        let store = self.builder.build_store(pointer, value)?;
        store.set_alignment(bytes)?;
        if let Some(group) = self.group {
            self.machine.lane_access(store, group)?;
        }
        if let Some(after) = after {
            self.builder.build_unconditional_branch(after)?;
            self.builder.position_at_end(after);
        }
        Ok(())
    }

    /// Goes on where the value is not what lies at the address, bit by bit; the block behind that.
    fn unless_there(
        &mut self,
        pointer: PointerValue<'ctx>,
        value: BasicValueEnum<'ctx>,
        bytes: u32,
    ) -> Emitted<BasicBlock<'ctx>> {
        let bits = NonZero::new(8 * bytes).ok_or_else(|| Fault::new("an element of no size"))?;
        let ty = self.ctx.custom_width_int_type(bits).map_err(Fault::new)?;
        let before = self.builder.build_load(ty, pointer, "")?;
        let load = value_instruction(before)?;
        load.set_alignment(bytes)?;
        if let Some(group) = self.group {
            self.machine.lane_access(load, group)?;
        }
        let bits = self.builder.build_bit_cast(value, ty, "")?.into_int_value();
        let before = before.into_int_value();
        let changes = self.builder.build_int_compare(IntPredicate::NE, bits, before, "")?;
        let then = self.ctx.append_basic_block(self.function, "changes");
        let after = self.ctx.append_basic_block(self.function, "stored");
        self.builder.build_conditional_branch(changes, then, after)?;
        self.builder.position_at_end(then);
        Ok(after)
    }
}

/// What an integer parameter may be.
fn range(param: &KernelParam, style: Style) -> Range {
    match (style, param) {
        // A buffer has fewer elements than 2³¹, so that the distance of two rows is less.
        (Style::Thread, KernelParam::Stride { .. }) => Range::new(0, i32::MAX.into()),
        (Style::Block, _) | (_, KernelParam::Int(_)) => Range::UNKNOWN,
        (Style::Thread, _) => COORDINATE,
    }
}

/// True for parameters that index expressions may speak of.
fn is_integer(param: &KernelParam) -> bool {
    match param {
        KernelParam::Slot { .. } | KernelParam::Buffer { .. } | KernelParam::Scalar(_) => false,
        KernelParam::Stride { .. }
        | KernelParam::ArrayLo { .. }
        | KernelParam::ArrayHi { .. }
        | KernelParam::StatementLo { .. }
        | KernelParam::StatementHi { .. }
        | KernelParam::Int(_)
        | KernelParam::Steps
        | KernelParam::Launch(_) => true,
    }
}

fn value_instruction(v: BasicValueEnum<'_>) -> Emitted<InstructionValue<'_>> {
    match v {
        BasicValueEnum::IntValue(v) => v.as_instruction(),
        BasicValueEnum::FloatValue(v) => v.as_instruction(),
        BasicValueEnum::VectorValue(v) => v.as_instruction(),
        _ => None,
    }
    .ok_or_else(|| Fault::new("a load gave no instruction"))
}

/// Loads and instances in a piece of a kernel, long ones several times, loops counted once unless they are written out.
fn weight(nodes: &[Node], stencil: &StencilProgram) -> u32 {
    nodes.iter().fold(0, |sum, node| sum.saturating_add(weight_of(node, stencil)))
}

fn weight_of(node: &Node, stencil: &StencilProgram) -> u32 {
    let weight = |nodes: &[Node]| weight(nodes, stencil);
    match node {
        Node::Copy { .. } => 1,
        Node::Instance { statement, .. } => {
            let length = stencil.statements.get(usize::from(*statement)).map_or(0, instructions);
            u32::try_from(length / LONG_INSTANCE).unwrap_or(u32::MAX).max(4)
        }
        Node::If { then, otherwise, .. } => weight(then).saturating_add(weight(otherwise)),
        Node::For { lo, hi, step, kind, body, .. } => {
            let trips = match (kind, lo, hi) {
                (LoopKind::Unrolled, IExpr::Const(lo), IExpr::Const(hi)) => (hi - lo) / step + 1,
                (LoopKind::Threads(_), ..) => 1,
                _ => 8,
            };
            weight(body).saturating_mul(u32::try_from(trips).unwrap_or(0))
        }
        Node::Vector { .. }
        | Node::Shuffle { .. }
        | Node::Select { .. }
        | Node::Prefetch { .. }
        | Node::Await { .. } => 1,
        Node::Fetch { copies, .. } => copies.len() as u32,
        Node::Let { .. } | Node::Barrier | Node::BarrierBeside => 0,
    }
}
