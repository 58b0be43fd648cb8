//! Arithmetic whose bits depend on how x86 does it: our instructions beside the stock compiler's.

use super::host::native;
use hexpass::emit::body::{BodyWriter, Leaves};
use hexpass::emit::fault::{Emitted, Fault};
use hexpass_abi::{ElemType, Poly};
use hexpass_poly::body::{BinaryOp, Body, Conversion, FpFlags, Op, Ty, UnaryOp, Value};
use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::values::{BasicValueEnum, IntValue};

const F64: Ty = Ty::Elem(ElemType::F64);

struct Arguments<'ctx>(Vec<BasicValueEnum<'ctx>>);

impl<'ctx> Leaves<'ctx> for Arguments<'ctx> {
    fn load(&mut self, i: u16) -> Emitted<BasicValueEnum<'ctx>> {
        Ok(self.0[usize::from(i)])
    }

    fn scalar(&mut self, _: u16, _: ElemType) -> Emitted<BasicValueEnum<'ctx>> {
        Err(Fault::new("no scalar here"))
    }

    fn index(&mut self, _: &Poly) -> Emitted<IntValue<'ctx>> {
        Err(Fault::new("no index here"))
    }
}

/// Values with edges: signed zeros, subnormals, infinities, NaN.
const SPECIAL: [f64; 10] =
    [0.0, -0.0, 1.5, -2.25, 5e-324, -5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX];

type Function = unsafe extern "C" fn(f64, f64) -> f64;

/// `double ours(double, double)` from the body, `double stock(double, double)` from text: the same bits for all pairs,
/// except that a NaN equals any NaN.
fn same(ops: &[(Op, Ty)], stock: &str) {
    let values = ops
        .iter()
        .map(|(op, ty)| Value { op: op.clone(), ty: *ty, flags: FpFlags::default() })
        .collect();
    let body = Body { values };
    let ctx = Context::create();
    let machine = native();
    let text = format!(
        "define double @stock(double %a, double %b) {{\n{stock}\n}}\n\
         declare double @llvm.minnum.f64(double, double)\n\
         declare double @llvm.maxnum.f64(double, double)\n\
         declare double @llvm.sqrt.f64(double)\n\
         declare double @llvm.fabs.f64(double)\n\
         declare double @llvm.copysign.f64(double, double)\n\0"
    );
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "stock");
    let module = ctx.create_module_from_ir(buffer).unwrap();
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    let ty = ctx.f64_type().fn_type(&[ctx.f64_type().into(), ctx.f64_type().into()], false);
    let ours = module.add_function("ours", ty, None);
    let builder = ctx.create_builder();
    builder.position_at_end(ctx.append_basic_block(ours, "entry"));
    let ctx = module.get_context();
    let writer =
        BodyWriter { ctx, module: &module, builder: &builder, rounding: None, approximation: None };
    let mut arguments = Arguments(ours.get_params());
    let last = [(body.values.len() - 1) as u16];
    let written = writer.write(&body, &last, &mut arguments).unwrap();
    builder.build_return(Some(written.last().unwrap())).unwrap();
    module.verify().unwrap();
    let engine = module.create_jit_execution_engine(OptimizationLevel::Default).unwrap();
    let [ours, stock_fn] = ["ours", "stock"].map(|name| {
        let address = engine.get_function_address(name).unwrap();
        // SAFETY: both functions have this type and live as long as the engine.
        unsafe { std::mem::transmute::<usize, Function>(address) }
    });
    for a in SPECIAL {
        for b in SPECIAL {
            // SAFETY: as above.
            let (x, y) = unsafe { (ours(a, b), stock_fn(a, b)) };
            let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
            assert!(equal, "{stock}: {a} {b}: {x} {y}");
        }
    }
}

fn loads() -> Vec<(Op, Ty)> {
    vec![(Op::Load(0), F64), (Op::Load(1), F64)]
}

fn with(more: &[(Op, Ty)]) -> Vec<(Op, Ty)> {
    [loads(), more.to_vec()].concat()
}

#[test]
fn smallest_and_largest_are_those_of_x86() {
    for (op, name) in [(BinaryOp::FMinNum, "minnum"), (BinaryOp::FMaxNum, "maxnum")] {
        let call = |a: &str, b: &str| {
            format!("%r = call double @llvm.{name}.f64(double {a}, double {b})\nret double %r")
        };
        same(&with(&[(Op::Binary(op, 0, 1), F64)]), &call("%a", "%b"));
        for zero in ["0.0", "-0.0"] {
            let bits = zero.parse::<f64>().unwrap().to_bits();
            let constant = (Op::Float(bits), F64);
            same(&with(&[constant.clone(), (Op::Binary(op, 0, 2), F64)]), &call("%a", zero));
            same(&with(&[constant, (Op::Binary(op, 2, 0), F64)]), &call(zero, "%a"));
        }
        let integer = [
            (Op::Compare(hexpass_poly::body::Predicate::FOgt, 0, 1), Ty::Bool),
            (Op::Convert(Conversion::UnsignedToFp, 2), F64),
        ];
        let made = "%c = fcmp ogt double %a, %b\n%i = uitofp i1 %c to double\n";
        same(
            &with(&[&integer[..], &[(Op::Binary(op, 0, 3), F64)]].concat()),
            &format!("{made}{}", call("%a", "%i")),
        );
        same(
            &with(&[&integer[..], &[(Op::Binary(op, 3, 0), F64)]].concat()),
            &format!("{made}{}", call("%i", "%a")),
        );
        let nested = [(Op::Binary(op, 0, 1), F64), (Op::Binary(op, 2, 0), F64)];
        same(
            &with(&nested),
            &format!(
                "%m = call double @llvm.{name}.f64(double %a, double %b)\n{}",
                call("%m", "%a")
            ),
        );
    }
}

#[test]
fn roots_and_signs_are_exact() {
    let one = |op: UnaryOp| with(&[(Op::Unary(op, 0), F64)]);
    let call = |f: &str| format!("%r = call double @llvm.{f}.f64(double %a)\nret double %r");
    same(&one(UnaryOp::Sqrt), &call("sqrt"));
    same(&one(UnaryOp::Abs), &call("fabs"));
    same(&one(UnaryOp::Neg), "%r = fneg double %a\nret double %r");
    same(
        &with(&[(Op::Binary(BinaryOp::CopySign, 0, 1), F64)]),
        "%r = call double @llvm.copysign.f64(double %a, double %b)\nret double %r",
    );
    same(
        &with(&[(Op::Binary(BinaryOp::FDiv, 0, 1), F64)]),
        "%r = fdiv double %a, %b\nret double %r",
    );
}
