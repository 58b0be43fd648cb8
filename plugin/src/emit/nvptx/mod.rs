//! Kernels for NVIDIA GPUs and the emulated grid.
//!
//! Consumes the kernels of a nest's device variants; produces one LLVM module for the NVPTX target with one
//! `ptx_kernel` function for each, and from it ([`ptx`]) the text for each architecture.
//!
//! Every parameter is eight bytes wide. A slot is a pointer to global memory; a narrower scalar lies in the low bytes.
//! Shared memory is one array whose size the launch gives.

pub mod assemble;
mod beside;
pub mod carried;
mod constant;
mod copies;
mod lines;
mod older;
mod overlap;
pub mod ptx;
pub mod registers;
mod shuffle;
pub mod squares;
mod store;
pub mod straight;

use super::fault::{Emitted, Fault};
use super::writer::{KernelWriter, Machine};
use hexpass_abi::{ALIGNMENT, ElemType, KernelParam};
use hexpass_poly::kernel::ir::{Kernel, Style};
use hexpass_poly::stencil::StencilProgram;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::{AsContextRef, Context, ContextRef};
use inkwell::intrinsics::Intrinsic;
use inkwell::llvm_sys;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicType, BasicTypeEnum};
use inkwell::values::{
    BasicValueEnum, CallSiteValue, FunctionValue, InstructionValue, IntValue, MetadataValue,
    PointerValue,
};
use inkwell::{AddressSpace, IntPredicate};
use lines::Lines;

const GLOBAL: u16 = 1;
const SHARED: u16 = 3;

/// The sign of a word of 32 bits.
const SIGN: u32 = 1 << 31;

/// LLVM's number of the calling convention `ptx_kernel`.
const PTX_KERNEL: u32 = 71;

/// A block's indices, with the largest that a grid has, plus one.
const BLOCKS: [(&str, u64); 3] =
    [("ctaid.x", (1 << 31) - 1), ("ctaid.y", 65535), ("ctaid.z", 65535)];

/// Attributes of the original function that decide how denormal numbers are treated.
pub const DENORMALS: [&str; 2] = ["denormal-fp-math", "denormal-fp-math-f32"];

/// A module of kernels for one nest.
pub struct DeviceModule<'ctx> {
    ctx: ContextRef<'ctx>,
    pub module: Module<'ctx>,
    /// The kernels' names, in order.
    names: Vec<String>,
    /// A scope for each kernel; none where the source has no lines.
    lines: Vec<Lines>,
    /// Copied to every kernel.
    attributes: Vec<(String, String)>,
}

impl<'ctx> DeviceModule<'ctx> {
    /// A module for kernels of these names; `attributes` are put on every kernel ([`DENORMALS`]).
    pub fn new(
        ctx: &'ctx Context,
        stencil: &StencilProgram,
        names: Vec<String>,
        attributes: Vec<(String, String)>,
    ) -> Emitted<DeviceModule<'ctx>> {
        let (module, lines) = lines::module(ctx, stencil, &names)?;
        module.set_triple(&ptx::triple());
        Ok(DeviceModule { ctx: module.get_context(), module, names, lines, attributes })
    }

    /// Adds the kernel of this index.
    pub fn add(&self, index: usize, stencil: &StencilProgram, kernel: &Kernel) -> Emitted<()> {
        let name = self.names.get(index).ok_or_else(|| Fault::new("a kernel without a name"))?;
        let lines = self.lines.get(index).copied();
        let ctx = self.ctx;
        let global = ctx.ptr_type(AddressSpace::from(GLOBAL));
        let types: Vec<_> = kernel
            .params
            .iter()
            .map(|p| match p {
                KernelParam::Slot { .. } | KernelParam::Buffer { .. } => global.into(),
                _ => ctx.i64_type().into(),
            })
            .collect();
        let ty = ctx.void_type().fn_type(&types, false);
        let function = self.module.add_function(name, ty, None);
        function.set_call_conventions(PTX_KERNEL);
        self.describe(function, stencil, kernel);
        let builder = ctx.create_builder();
        builder.position_at_end(ctx.append_basic_block(function, "entry"));
        if let Some(lines) = lines {
            lines.attach(function);
            lines.set(ctx, &builder, None);
        }
        let grid = Grid::new(self, &builder, function, stencil, kernel, lines)?;
        let mut blocks = Vec::new();
        for (name, limit) in &BLOCKS {
            let block = self.special(&builder, name, *limit)?;
            blocks.push(builder.build_int_z_extend(block, ctx.i64_type(), "block")?);
        }
        KernelWriter::new(&self.module, builder, function, stencil, kernel, grid, &blocks)?.write()
    }

    fn describe(&self, function: FunctionValue<'ctx>, stencil: &StencilProgram, kernel: &Kernel) {
        let [x, y, z] = kernel.threads;
        let put = |key: &str, value: &str| {
            let attribute = self.ctx.create_string_attribute(key, value);
            function.add_attribute(AttributeLoc::Function, attribute);
        };
        put("nvvm.reqntid", &format!("{x},{y},{z}"));
        // What a thread may have decides how many blocks are resident: the kernel's builder knows what that is worth.
        if kernel.style == Style::Thread && kernel.cost.registers > 0 {
            put("nvvm.maxnreg", &kernel.cost.registers.to_string());
        }
        // A copy loop must not become a call of memcpy, which the target would expand byte by byte.
        put("no-builtins", "");
        for (key, value) in &self.attributes {
            put(key, value);
        }
        let nounwind = self.enumerated("nounwind", 0);
        function.add_attribute(AttributeLoc::Function, nounwind);
        let constant = constant::params(stencil, kernel);
        for (i, param) in kernel.params.iter().enumerate() {
            let (KernelParam::Slot { array, .. } | KernelParam::Buffer { array, .. }) = param
            else {
                continue;
            };
            let at = AttributeLoc::Param(i as u32);
            let align = match kernel.style {
                Style::Thread => Some(ALIGNMENT),
                Style::Block => stencil.arrays.get(usize::from(*array)).map(|a| a.elem.size()),
            };
            if let Some(align) = align {
                function.add_attribute(at, self.enumerated("align", align));
            }
            if constant[i] {
                function.add_attribute(at, self.enumerated("noalias", 0));
                function.add_attribute(at, self.enumerated("readonly", 0));
            }
        }
    }

    fn enumerated(&self, name: &str, value: u64) -> Attribute {
        self.ctx.create_enum_attribute(Attribute::get_named_enum_kind_id(name), value)
    }

    fn declare(&self, name: &str) -> Emitted<FunctionValue<'ctx>> {
        let missing = || Fault::new(format!("{name} is not there"));
        let intrinsic = Intrinsic::find(name).ok_or_else(missing)?;
        intrinsic.get_declaration(&self.module, &[]).ok_or_else(missing)
    }

    /// A special register whose value is below `limit`.
    fn special(&self, b: &Builder<'ctx>, name: &str, limit: u64) -> Emitted<IntValue<'ctx>> {
        let name = format!("llvm.nvvm.read.ptx.sreg.{name}");
        let call = b.build_call(self.declare(&name)?, &[], "")?;
        self.limit(call, limit);
        let value = call.try_as_basic_value().basic();
        Ok(value.ok_or_else(|| Fault::new("a register without a value"))?.into_int_value())
    }

    /// Says that a call's 32-bit result is in `0..limit`.
    fn limit(&self, call: CallSiteValue<'ctx>, limit: u64) {
        let kind = Attribute::get_named_enum_kind_id("range");
        // SAFETY: the context is alive; both bounds are one word long, as 32-bit integers are.
        let attribute = unsafe {
            Attribute::new(llvm_sys::core::LLVMCreateConstantRangeAttribute(
                self.ctx.as_ctx_ref(),
                kind,
                32,
                [0u64].as_ptr(),
                [limit].as_ptr(),
            ))
        };
        call.add_attribute(AttributeLoc::Return, attribute);
    }
}

/// The grid seen from one thread.
struct Grid<'ctx> {
    ctx: ContextRef<'ctx>,
    params: Vec<BasicValueEnum<'ctx>>,
    shared: Vec<PointerValue<'ctx>>,
    threads: [Option<(IntValue<'ctx>, u32)>; 3],
    barrier: FunctionValue<'ctx>,
    /// A barrier by number, of so many threads.
    barrier_of: FunctionValue<'ctx>,
    zero: IntValue<'ctx>,
    /// A block is one warp.
    one_warp: bool,
    /// Arrays, and parameters, whose memory no thread of the launch writes.
    read_only: Vec<bool>,
    constant: Vec<bool>,
    lines: Option<Lines>,
    invariant: (u32, MetadataValue<'ctx>),
}

impl<'ctx> Grid<'ctx> {
    fn new(
        device: &DeviceModule<'ctx>,
        b: &Builder<'ctx>,
        function: FunctionValue<'ctx>,
        stencil: &StencilProgram,
        kernel: &Kernel,
        lines: Option<Lines>,
    ) -> Emitted<Grid<'ctx>> {
        let ctx = device.ctx;
        let mut params = Vec::with_capacity(kernel.params.len());
        for (i, param) in kernel.params.iter().enumerate() {
            let raw = function.get_nth_param(i as u32);
            let raw = raw.ok_or_else(|| Fault::new("a parameter is missing"))?;
            params.push(match param {
                KernelParam::Scalar(s) => {
                    let elem = stencil.scalars.get(usize::from(*s)).copied();
                    let elem = elem.ok_or_else(|| Fault::new(format!("no scalar {s}")))?;
                    scalar(ctx, b, raw.into_int_value(), elem)?
                }
                _ => raw,
            });
        }
        let mut threads = [None; 3];
        for (axis, (name, &count)) in
            ["tid.x", "tid.y", "tid.z"].iter().zip(&kernel.threads).enumerate()
        {
            if count > 1 {
                threads[axis] = Some((device.special(b, name, u64::from(count))?, count));
            }
        }
        Ok(Grid {
            ctx,
            params,
            shared: shared_buffers(device, b, kernel)?,
            threads,
            barrier: device.declare("llvm.nvvm.barrier.cta.sync.aligned.all")?,
            barrier_of: device.declare("llvm.nvvm.barrier.cta.sync.aligned.count")?,
            zero: ctx.i32_type().const_zero(),
            one_warp: kernel.threads == [32, 1, 1],
            read_only: constant::arrays(stencil),
            constant: constant::params(stencil, kernel),
            lines,
            invariant: (ctx.get_kind_id("invariant.load"), ctx.metadata_node(&[])),
        })
    }
}

/// The low bytes of a 64-bit parameter as a scalar.
fn scalar<'ctx>(
    ctx: ContextRef<'ctx>,
    b: &Builder<'ctx>,
    raw: IntValue<'ctx>,
    elem: ElemType,
) -> Emitted<BasicValueEnum<'ctx>> {
    let bits = match elem.size() {
        1 => ctx.i8_type(),
        2 => ctx.i16_type(),
        4 => ctx.i32_type(),
        _ => return Ok(b.build_bit_cast(raw, super::body::elem_type(ctx, elem), "")?),
    };
    let low = b.build_int_truncate(raw, bits, "")?;
    Ok(b.build_bit_cast(low, super::body::elem_type(ctx, elem), "")?)
}

/// Each buffer's start in the kernel's shared memory, in order, aligned to 16 bytes.
fn shared_buffers<'ctx>(
    device: &DeviceModule<'ctx>,
    b: &Builder<'ctx>,
    kernel: &Kernel,
) -> Emitted<Vec<PointerValue<'ctx>>> {
    if kernel.shared.is_empty() {
        return Ok(Vec::new());
    }
    let ctx = device.ctx;
    let memory = device.module.get_global("hexpass_shared").unwrap_or_else(|| {
        let bytes = ctx.i8_type().array_type(0);
        let space = Some(AddressSpace::from(SHARED));
        let memory = device.module.add_global(bytes, space, "hexpass_shared");
        memory.set_linkage(Linkage::External);
        memory.set_alignment(16);
        memory
    });
    let mut at = 0;
    let mut starts = Vec::with_capacity(kernel.shared.len());
    for buffer in &kernel.shared {
        let by = ctx.i64_type().const_int(at, false);
        // SAFETY: one index over bytes, without an inbounds flag.
        let start = unsafe { b.build_gep(ctx.i8_type(), memory.as_pointer_value(), &[by], "") }?;
        starts.push(start);
        at += buffer.bytes().next_multiple_of(16);
    }
    Ok(starts)
}

impl<'ctx> Grid<'ctx> {
    /// One instruction of PTX that the optimiser does not look into; it has no effect but its value.
    fn instruction(
        &self,
        b: &Builder<'ctx>,
        text: &str,
        constraints: &str,
        ty: BasicTypeEnum<'ctx>,
        values: &[BasicValueEnum<'ctx>],
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let inputs: Vec<_> = values.iter().map(|v| v.get_type().into()).collect();
        let function = ty.fn_type(&inputs, false);
        let asm = self.ctx.create_inline_asm(
            function,
            text.to_owned(),
            constraints.to_owned(),
            false,
            false,
            None,
            false,
        );
        let values: Vec<_> = values.iter().map(|&v| v.into()).collect();
        let call = b.build_indirect_call(function, asm, &values, "")?;
        let value = call.try_as_basic_value().basic();
        value.ok_or_else(|| Fault::new(format!("no value of `{text}`")))
    }
}

impl<'ctx> Machine<'ctx> for Grid<'ctx> {
    fn narrow(&self) -> bool {
        true
    }

    fn repeats_rows(&self) -> bool {
        false
    }

    fn repeats_blocks(&self) -> bool {
        self.one_warp
    }

    fn any_in_block(
        &self,
        module: &Module<'ctx>,
        b: &Builder<'ctx>,
        condition: IntValue<'ctx>,
    ) -> Emitted<IntValue<'ctx>> {
        shuffle::any(self.ctx, module, b, condition)
    }

    fn writes_out_divisions(&self) -> bool {
        true
    }

    fn param(&self, i: usize) -> BasicValueEnum<'ctx> {
        self.params[i]
    }

    fn shared(&self, buffer: usize) -> Emitted<PointerValue<'ctx>> {
        let start = self.shared.get(buffer).copied();
        start.ok_or_else(|| Fault::new(format!("there is no buffer {buffer}")))
    }

    fn thread(&self, axis: u8) -> Option<(IntValue<'ctx>, u32)> {
        self.threads.get(usize::from(axis)).copied().flatten()
    }

    /// The same value, out of sight: the code generator's loop strength reduction would keep one address in registers
    /// for each access of a loop (it has no switch that a library could set).
    fn counter(&self, b: &Builder<'ctx>, counter: IntValue<'ctx>) -> Emitted<IntValue<'ctx>> {
        let ty = counter.get_type();
        let (text, constraints) = if ty.get_bit_width() == 32 {
            ("mov.b32 $0, $1;", "=r,r")
        } else {
            ("mov.b64 $0, $1;", "=l,l")
        };
        let value = self.instruction(b, text, constraints, ty.into(), &[counter.into()])?;
        Ok(value.into_int_value())
    }

    /// Out of sight: the code generator would shift every bit down before it looks at it. The sign, which no word has,
    /// is asked for too: tests of single bits the assembler gathers into one instruction for several predicates, and of
    /// some kernels that need nearly all registers it then made code that chose wrongly (CUDA 13.0).
    fn bit(
        &self,
        b: &Builder<'ctx>,
        word: IntValue<'ctx>,
        bit: u32,
    ) -> Emitted<Option<IntValue<'ctx>>> {
        let (ty, text) = (word.get_type(), format!("and.b32 $0, $1, {};", SIGN | 1 << bit));
        let alone = self.instruction(b, &text, "=r,r", ty.into(), &[word.into()])?;
        let zero = ty.const_zero();
        Ok(Some(b.build_int_compare(IntPredicate::NE, alone.into_int_value(), zero, "")?))
    }

    /// Out of sight: of two choices under one condition, one after the other, the optimiser would keep both values that
    /// the first chooses from until the second.
    fn select(
        &self,
        b: &Builder<'ctx>,
        condition: IntValue<'ctx>,
        then: BasicValueEnum<'ctx>,
        otherwise: BasicValueEnum<'ctx>,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        let ty = then.get_type();
        let (text, constraints) = match ty {
            BasicTypeEnum::FloatType(t) if t == self.ctx.f32_type() => {
                ("selp.f32 $0, $1, $2, $3;", "=f,f,f,b")
            }
            BasicTypeEnum::FloatType(t) if t == self.ctx.f64_type() => {
                ("selp.f64 $0, $1, $2, $3;", "=d,d,d,b")
            }
            _ => return Ok(b.build_select(condition, then, otherwise, "")?),
        };
        self.instruction(b, text, constraints, ty, &[then, otherwise, condition.into()])
    }

    fn barrier(&self, b: &Builder<'ctx>) -> Emitted<()> {
        b.build_call(self.barrier, &[self.zero.into()], "")?;
        Ok(())
    }

    fn barrier_beside(&self, b: &Builder<'ctx>) -> Emitted<()> {
        let (warp, warps) = self.threads[1].ok_or_else(|| Fault::new("a block of one warp"))?;
        beside::meet(b, self.barrier_of, warp, warps)
    }

    fn stores_where(&self, elem: ElemType, count: u32) -> bool {
        store::is_possible(elem, count)
    }

    fn store_where(
        &self,
        b: &Builder<'ctx>,
        condition: IntValue<'ctx>,
        pointer: PointerValue<'ctx>,
        elements: &[BasicValueEnum<'ctx>],
        elem: ElemType,
    ) -> Emitted<()> {
        store::write(self.ctx, b, condition, pointer, elements, elem)
    }

    fn prefetch(
        &self,
        b: &Builder<'ctx>,
        condition: IntValue<'ctx>,
        pointer: PointerValue<'ctx>,
    ) -> Emitted<()> {
        store::prefetch(self.ctx, b, condition, pointer)
    }

    fn fetch(
        &self,
        b: &Builder<'ctx>,
        to: PointerValue<'ctx>,
        from: PointerValue<'ctx>,
        bytes: u64,
    ) -> Emitted<()> {
        copies::fetch(self.ctx, b, to, from, bytes)
    }

    fn fetches(&self, b: &Builder<'ctx>) -> Emitted<()> {
        copies::fetches(self.ctx, b)
    }

    fn fetched(&self, b: &Builder<'ctx>, but: u32) -> Emitted<()> {
        copies::fetched(self.ctx, b, but)
    }

    fn line(&self, b: &Builder<'ctx>, line: Option<u32>) {
        if let Some(lines) = self.lines {
            lines.set(self.ctx, b, line);
        }
    }

    fn shuffle(
        &self,
        module: &Module<'ctx>,
        b: &Builder<'ctx>,
        value: BasicValueEnum<'ctx>,
        lanes: i32,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        shuffle::Shuffler { ctx: self.ctx, module, b }.shuffle(value, lanes)
    }

    fn global_load(
        &self,
        load: InstructionValue<'ctx>,
        array: u16,
        param: Option<usize>,
    ) -> Emitted<()> {
        let read_only = self.read_only.get(usize::from(array)).copied().unwrap_or(false);
        let constant = param.is_some_and(|p| self.constant.get(p).copied().unwrap_or(false));
        if read_only || constant {
            let (kind, node) = self.invariant;
            load.set_metadata(node, kind)
                .map_err(|e| Fault::new(format!("load not marked: {e:?}")))?;
        }
        Ok(())
    }

    fn lane_group(&mut self) -> Emitted<Option<MetadataValue<'ctx>>> {
        Ok(None)
    }

    fn lane_access(&self, _: InstructionValue<'ctx>, _: MetadataValue<'ctx>) -> Emitted<()> {
        Ok(())
    }

    fn lane_loop(&self, _: InstructionValue<'ctx>, _: MetadataValue<'ctx>) -> Emitted<()> {
        Ok(())
    }
}
