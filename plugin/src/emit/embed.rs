//! The record and the header as globals of the user's module.
//!
//! Consumes a [`NestRecord`] and the host kernels; produces the writable [`NestHeader`](hexpass_abi::NestHeader) that
//! generated code passes to the runtime. Its fields are those of the ABI crate, whose layout is asserted there.

use super::fault::{Emitted, Fault};
use hexpass_abi::{MAGIC, NestHeader, NestRecord, VERSION};
use inkwell::AddressSpace;
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicValue, FunctionValue, GlobalValue, UnnamedAddress};

/// Globals of one nest; [`Embedded::remove`] takes them out again.
pub struct Embedded<'ctx> {
    /// The [`NestHeader`].
    pub header: GlobalValue<'ctx>,
    others: Vec<GlobalValue<'ctx>>,
}

/// Adds the globals of a nest called `name`; `otherwise` is the header of the version that is asked after this one.
pub fn embed<'ctx>(
    module: &Module<'ctx>,
    name: &str,
    record: &NestRecord,
    host_kernels: &[FunctionValue<'ctx>],
    otherwise: Option<GlobalValue<'ctx>>,
) -> Emitted<Embedded<'ctx>> {
    let bytes =
        record.to_bytes().map_err(|e| Fault::new(format!("the record can't be written: {e}")))?;
    let ctx = module.get_context();
    let (i32, i64) = (ctx.i32_type(), ctx.i64_type());
    let pointer = ctx.ptr_type(AddressSpace::default());
    let text =
        constant(module, &format!("hexpass.record.{name}"), &ctx.const_string(&bytes, false));
    let table: Vec<_> =
        host_kernels.iter().map(|f| f.as_global_value().as_pointer_value()).collect();
    let table = constant(module, &format!("hexpass.kernels.{name}"), &pointer.const_array(&table));
    let header = ctx.const_struct(
        &[
            i64.const_int(MAGIC, false).into(),
            i32.const_int(u64::from(VERSION), false).into(),
            i32.const_int(size_of::<NestHeader>() as u64, false).into(),
            text.as_pointer_value().into(),
            i64.const_int(bytes.len() as u64, false).into(),
            table.as_pointer_value().into(),
            i64.const_int(host_kernels.len() as u64, false).into(),
            pointer.const_null().into(),
            otherwise.map_or(pointer.const_null(), |h| h.as_pointer_value()).into(),
        ],
        false,
    );
    let global = module.add_global(header.get_type(), None, &format!("hexpass.nest.{name}"));
    global.set_initializer(&header);
    global.set_linkage(Linkage::Internal);
    global.set_alignment(8);
    Ok(Embedded { header: global, others: vec![text, table] })
}

fn constant<'ctx>(
    module: &Module<'ctx>,
    name: &str,
    value: &dyn BasicValue<'ctx>,
) -> GlobalValue<'ctx> {
    let global = module.add_global(value.as_basic_value_enum().get_type(), None, name);
    global.set_initializer(value);
    global.set_linkage(Linkage::Private);
    global.set_constant(true);
    global.set_unnamed_address(UnnamedAddress::Global);
    global.set_alignment(8);
    global
}

impl Embedded<'_> {
    /// Takes the globals out of the module. Nothing may use the header.
    pub fn remove(self) {
        for global in std::iter::once(self.header).chain(self.others) {
            // SAFETY: the globals were made by `embed`; only the header refers to the others, and nothing to it.
            unsafe { global.delete() }
        }
    }
}
