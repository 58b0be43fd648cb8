//! Kernels for the host's cores.
//!
//! Consumes the kernels of a nest's host variants; produces internal functions `void (ptr params, i64 block)` in the
//! user's module ([`hexpass_abi::HostKernel`]), compiled for the same CPU and features as the function that held the
//! nest. A function that doesn't verify is a fault and is removed again.
//!
//! Loops over lanes carry LLVM's own metadata for independent iterations, so its vectoriser takes them as it takes a
//! loop under `#pragma clang loop vectorize(assume_safety)`.

mod metadata;

use super::body::elem_type;
use super::fault::{Emitted, Fault};
use super::writer::{KernelWriter, Machine};
use hexpass_abi::{ElemType, KernelParam};
use hexpass_poly::arms;
use hexpass_poly::kernel::ir::Kernel;
use hexpass_poly::kernel::pieces::Code;
use hexpass_poly::stencil::StencilProgram;
use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{
    BasicValueEnum, FunctionValue, InstructionValue, IntValue, MetadataValue, PointerValue,
};

/// Marks functions that hexpass does not look at (again).
pub const SEEN: &str = "hexpass-seen";

/// What a block may keep on its thread's stack.
const MAX_STACK_BYTES: u64 = 512 << 10;

/// Attributes of the original function that its kernels share: what code to generate, and how.
const INHERITED: [&str; 11] = [
    "target-cpu",
    "target-features",
    "tune-cpu",
    "denormal-fp-math",
    "denormal-fp-math-f32",
    "frame-pointer",
    "prefer-vector-width",
    "min-legal-vector-width",
    "no-trapping-math",
    "no-builtins",
    "probe-stack",
];

/// Adds a kernel to the module that holds `original`; a careful one stores to the program's arrays only what is not there.
pub fn add<'ctx>(
    module: &Module<'ctx>,
    original: FunctionValue<'ctx>,
    name: &str,
    stencil: &StencilProgram,
    kernel: &Kernel,
    careful: bool,
) -> Emitted<FunctionValue<'ctx>> {
    let ctx = module.get_context();
    let pointer = ctx.ptr_type(AddressSpace::default());
    let ty = ctx.void_type().fn_type(&[pointer.into(), ctx.i64_type().into()], false);
    let function = module.add_function(name, ty, Some(Linkage::Internal));
    inherit(ctx, original, function);
    let written = write(module, function, stencil, kernel, careful).and_then(|()| finish(function));
    if let Err(e) = written {
        // SAFETY: nothing refers to the function yet.
        unsafe { function.delete() };
        return Err(e.within(&format!("host kernel {name}")));
    }
    Ok(function)
}

fn write<'ctx>(
    module: &Module<'ctx>,
    function: FunctionValue<'ctx>,
    stencil: &StencilProgram,
    kernel: &Kernel,
    careful: bool,
) -> Emitted<()> {
    let ctx = module.get_context();
    let builder = ctx.create_builder();
    builder.position_at_end(ctx.append_basic_block(function, "entry"));
    let core = Core::new(ctx, &builder, function, stencil, kernel, careful)?;
    let block = function.get_nth_param(1).ok_or_else(|| Fault::new("no block index"))?;
    let block = block.into_int_value();
    KernelWriter::new(module, builder, function, stencil, kernel, core, &[block])?.write()
}

/// Simplifies and verifies.
fn finish(function: FunctionValue<'_>) -> Emitted<()> {
    let verified = || {
        if function.verify(false) { Ok(()) } else { Err(Fault::new("not well formed")) }
    };
    verified()?;
    metadata::simplify(function)?;
    verified()
}

fn inherit<'ctx>(
    ctx: ContextRef<'ctx>,
    original: FunctionValue<'ctx>,
    function: FunctionValue<'ctx>,
) {
    let at = AttributeLoc::Function;
    for key in INHERITED {
        if let Some(attribute) = original.get_string_attribute(at, key) {
            function.add_attribute(at, attribute);
        }
    }
    let uwtable = Attribute::get_named_enum_kind_id("uwtable");
    if let Some(attribute) = original.get_enum_attribute(at, uwtable) {
        function.add_attribute(at, attribute);
    }
    for name in ["nounwind", "mustprogress", "noinline"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(at, ctx.create_enum_attribute(kind, 0));
    }
    function.add_attribute(at, ctx.create_string_attribute(SEEN, ""));
    if has_wide_vectors(original) {
        function.add_attribute(at, ctx.create_string_attribute("prefer-vector-width", "512"));
    }
}

/// The unit's CPU has 512-bit vectors and its author has not chosen a width: tiles keep data in cache, where the wider
/// vectors pay.
fn has_wide_vectors(original: FunctionValue<'_>) -> bool {
    let at = AttributeLoc::Function;
    let features = original.get_string_attribute(at, "target-features");
    features.is_some_and(|f| f.get_string_value().to_string_lossy().contains("+avx512f"))
        && original.get_string_attribute(at, "prefer-vector-width").is_none()
}

/// A core working on one block.
struct Core<'ctx> {
    ctx: ContextRef<'ctx>,
    params: Vec<BasicValueEnum<'ctx>>,
    shared: Vec<PointerValue<'ctx>>,
    access_group: u32,
    loop_id: u32,
    careful: bool,
    /// Instances ask before they call libm: loops over them stay as they are.
    asks: bool,
}

/// True if a statement or a piece of one calls libm in an arm of a choice.
fn asks(stencil: &StencilProgram, kernel: &Kernel) -> bool {
    let whole = (0..stencil.statements.len()).map(|s| (s as u16, None));
    let pieces = kernel.pieces.iter().enumerate().map(|(at, p)| (p.statement, Some(at as u16)));
    let mut all = whole.chain(pieces).filter_map(|(s, p)| Code::of(stencil, kernel, s, p));
    all.any(|code| arms::ask(code.body, &code.writes()))
}

impl<'ctx> Core<'ctx> {
    fn new(
        ctx: ContextRef<'ctx>,
        b: &Builder<'ctx>,
        function: FunctionValue<'ctx>,
        stencil: &StencilProgram,
        kernel: &Kernel,
        careful: bool,
    ) -> Emitted<Core<'ctx>> {
        let list = function.get_nth_param(0).ok_or_else(|| Fault::new("no parameters"))?;
        let list = list.into_pointer_value();
        let mut params = Vec::with_capacity(kernel.params.len());
        for (i, param) in kernel.params.iter().enumerate() {
            let at = ctx.i64_type().const_int(i as u64, false);
            // SAFETY: one index; the list holds eight bytes for each parameter.
            let at = unsafe { b.build_in_bounds_gep(ctx.i64_type(), list, &[at], "") }?;
            let ty = match param {
                KernelParam::Slot { .. } | KernelParam::Buffer { .. } => {
                    ctx.ptr_type(AddressSpace::default()).into()
                }
                KernelParam::Scalar(s) => {
                    let elem = stencil.scalars.get(usize::from(*s)).copied();
                    elem_type(ctx, elem.ok_or_else(|| Fault::new(format!("no scalar {s}")))?)
                }
                _ => ctx.i64_type().into(),
            };
            params.push(b.build_load(ty, at, "")?);
        }
        Ok(Core {
            ctx,
            params,
            shared: buffers(ctx, b, kernel)?,
            access_group: ctx.get_kind_id("llvm.access.group"),
            loop_id: ctx.get_kind_id("llvm.loop"),
            careful,
            asks: asks(stencil, kernel),
        })
    }
}

/// The block's own buffers, on its thread's stack.
fn buffers<'ctx>(
    ctx: ContextRef<'ctx>,
    b: &Builder<'ctx>,
    kernel: &Kernel,
) -> Emitted<Vec<PointerValue<'ctx>>> {
    if kernel.shared_bytes() > MAX_STACK_BYTES {
        return Err(Fault::new(format!("{} bytes of buffers", kernel.shared_bytes())));
    }
    let mut starts = Vec::with_capacity(kernel.shared.len());
    for buffer in &kernel.shared {
        let ty = ctx.i8_type().array_type(buffer.bytes() as u32);
        let start = b.build_alloca(ty, &buffer.name)?;
        let alloca = start.as_instruction().ok_or_else(|| Fault::new("no alloca"))?;
        alloca.set_alignment(64)?;
        starts.push(start);
    }
    Ok(starts)
}

impl<'ctx> Machine<'ctx> for Core<'ctx> {
    fn narrow(&self) -> bool {
        false
    }

    fn repeats_rows(&self) -> bool {
        // What is computed again has been stored before.
        !self.careful
    }

    fn is_careful(&self) -> bool {
        self.careful
    }

    fn writes_out_divisions(&self) -> bool {
        false
    }

    fn param(&self, i: usize) -> BasicValueEnum<'ctx> {
        self.params[i]
    }

    fn shared(&self, buffer: usize) -> Emitted<PointerValue<'ctx>> {
        let start = self.shared.get(buffer).copied();
        start.ok_or_else(|| Fault::new(format!("there is no buffer {buffer}")))
    }

    fn thread(&self, _: u8) -> Option<(IntValue<'ctx>, u32)> {
        None
    }

    fn counter(&self, _: &Builder<'ctx>, counter: IntValue<'ctx>) -> Emitted<IntValue<'ctx>> {
        Ok(counter)
    }

    fn barrier(&self, _: &Builder<'ctx>) -> Emitted<()> {
        Ok(())
    }

    fn barrier_beside(&self, _: &Builder<'ctx>) -> Emitted<()> {
        Err(Fault::new("the host has no warps"))
    }

    fn line(&self, _: &Builder<'ctx>, _: Option<u32>) {}

    fn stores_where(&self, _: ElemType, _: u32) -> bool {
        false
    }

    fn store_where(
        &self,
        _: &Builder<'ctx>,
        _: IntValue<'ctx>,
        _: PointerValue<'ctx>,
        _: &[BasicValueEnum<'ctx>],
        _: ElemType,
    ) -> Emitted<()> {
        Err(Fault::new("a core stores in branches"))
    }

    fn shuffle(
        &self,
        _: &Module<'ctx>,
        _: &Builder<'ctx>,
        _: BasicValueEnum<'ctx>,
        _: i32,
    ) -> Emitted<BasicValueEnum<'ctx>> {
        Err(Fault::new("a core has no lanes to shuffle"))
    }

    fn global_load(&self, _: InstructionValue<'ctx>, _: u16, _: Option<usize>) -> Emitted<()> {
        Ok(())
    }

    fn lane_group(&mut self) -> Emitted<Option<MetadataValue<'ctx>>> {
        metadata::access_group(self.ctx).map(Some)
    }

    fn lane_access(
        &self,
        access: InstructionValue<'ctx>,
        group: MetadataValue<'ctx>,
    ) -> Emitted<()> {
        access
            .set_metadata(group, self.access_group)
            .map_err(|e| Fault::new(format!("access not marked: {e:?}")))
    }

    fn lane_loop(&self, back: InstructionValue<'ctx>, group: MetadataValue<'ctx>) -> Emitted<()> {
        back.set_metadata(metadata::parallel_loop(self.ctx, group, !self.asks), self.loop_id)
            .map_err(|e| Fault::new(format!("loop not marked: {e:?}")))
    }
}
