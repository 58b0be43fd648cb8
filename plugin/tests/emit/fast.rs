//! Flags that allow other results are used as far as they go, and no further.

use super::device::compiled_with;
use super::support::{self, memory, sizes};
use super::threads::{directly, emulate};
use hexpass_abi::ElemType;
use hexpass_poly::body::{BinaryOp, Body, FpFlags, Op, Ty, UnaryOp, Value};
use hexpass_poly::kernel::interp::reference;
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::TileSizes;
use hexrt::emulated;

/// `-ffast-math`.
const FAST: FpFlags = FpFlags {
    nnan: true,
    ninf: true,
    nsz: true,
    arcp: true,
    afn: true,
    reassoc: true,
    contract: true,
};

/// A constant of this type.
fn number(elem: ElemType, x: f64) -> Op {
    match elem {
        ElemType::F32 => Op::Float((x as f32).to_bits().into()),
        _ => Op::Float(x.to_bits()),
    }
}

/// b = a·0.3 + (1/√r + (√r/9 + 2/r)) with r = a² + least, every operation with these flags.
fn problem(elem: ElemType, flags: FpFlags, least: f64) -> Problem {
    let mut p = support::Program::new(1, elem);
    let (a, b) = (p.array(1), p.array(1));
    p.statement(&[support::Bound::Inside(0, 1)], &[(a, 0, &[0])], &[(b, 0, &[0])]);
    let float = |x| number(elem, x);
    let binary = Op::Binary;
    let ops = vec![
        Op::Load(0),
        float(least),
        binary(BinaryOp::FMul, 0, 0),
        binary(BinaryOp::FAdd, 2, 1),
        Op::Unary(UnaryOp::Sqrt, 3),
        float(1.0),
        binary(BinaryOp::FDiv, 5, 4),
        float(9.0),
        binary(BinaryOp::FDiv, 4, 7),
        float(2.0),
        binary(BinaryOp::FDiv, 9, 3),
        binary(BinaryOp::FAdd, 8, 10),
        binary(BinaryOp::FAdd, 6, 11),
        float(0.3),
        binary(BinaryOp::FMul, 0, 13),
        binary(BinaryOp::FAdd, 14, 12),
    ];
    let statement = &mut p.statements_mut()[0];
    let ty = Ty::Elem(elem);
    statement.writes[0].value = ops.len() as u16 - 1;
    statement.body = Body { values: ops.into_iter().map(|op| Value { op, ty, flags }).collect() };
    p.problem()
}

/// The PTX, and the largest error relative to the reference.
fn run(elem: ElemType, flags: FpFlags, attributes: &[(&str, &str)]) -> (String, f64) {
    run_from(elem, flags, attributes, 0.01)
}

/// [`run`] with no radicand below `least`.
fn run_from(
    elem: ElemType,
    flags: FpFlags,
    attributes: &[(&str, &str)],
    least: f64,
) -> (String, f64) {
    found(&problem(elem, flags, least), attributes)
}

/// The PTX of a problem of two arrays of one dimension, and the largest error of the second.
fn found(problem: &Problem, attributes: &[(&str, &str)]) -> (String, f64) {
    let stencil = &problem.stencil;
    let elem = stencil.arrays[0].elem;
    let program = directly(problem).unwrap();
    let attributes = attributes.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let (text, records) = compiled_with(stencil, &TileSizes(Vec::new()), &program, 90, attributes);
    let module = emulated::Module::parse(&text).unwrap();
    let ints = [1, 1000];
    let sizes = sizes(stencil, &ints);
    let mut expected = memory(stencil, &ints);
    let mut found = expected.clone();
    reference::run(stencil, &sizes, &mut expected).unwrap();
    emulate(stencil, &program, &sizes, &mut found, &module, &records);
    let numbers = |bytes: &[u8]| -> Vec<f64> {
        match elem {
            ElemType::F32 => bytes
                .chunks_exact(4)
                .map(|c| f32::from_le_bytes(c.try_into().unwrap()).into())
                .collect(),
            _ => bytes.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect(),
        }
    };
    let (found, expected) = (numbers(&found.pointers[1]), numbers(&expected.pointers[1]));
    let error = found.iter().zip(&expected).map(|(f, e)| ((f - e) / e).abs()).fold(0.0, f64::max);
    (text, error)
}

fn holds(text: &str, words: &[&str], others: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no {word} in\n{text}");
    }
    for word in others {
        assert!(!text.contains(word), "{word} in\n{text}");
    }
}

#[test]
fn exact_without_flags() {
    for elem in [ElemType::F32, ElemType::F64] {
        let (text, error) = run(elem, FpFlags::default(), &[]);
        holds(&text, &["mul.rn.f", "add.rn.f", "div.rn.f", "sqrt.rn.f"], &[]);
        assert_eq!(error, 0.0, "{elem:?}");
    }
}

#[test]
fn fast_in_double_precision() {
    let (text, error) = run(ElemType::F64, FAST, &[]);
    let words = ["rsqrt.approx.ftz.f64", "rcp.approx.ftz.f64", "fma.rn.f64"];
    holds(&text, &words, &["div.rn", "sqrt.rn", "rcp.rn"]);
    assert!(0.0 < error && error < 1e-14, "{error}");
}

#[test]
fn fast_in_single_precision() {
    let others = ["div.rn", "sqrt.rn", "rcp.rn"];
    let (text, error) = run(ElemType::F32, FAST, &[]);
    // No radicand is subnormal: what the unit makes of those doesn't matter.
    holds(&text, &["rsqrt.approx.ftz.f32", "\tsqrt.approx.ftz.f32", "fma.rn.f32"], &others);
    assert!(0.0 < error && error < 1e-6, "{error}");
    let (text, error) = run_from(ElemType::F32, FAST, &[], 1e-40);
    holds(&text, &["rsqrt.approx.f32", "\tsqrt.approx.f32", "fma.rn.f32"], &others);
    assert!(0.0 < error && error < 1e-6, "{error}");
}

#[test]
fn subnormal_numbers_as_the_function_says() {
    let mode = "preserve-sign,preserve-sign";
    for key in ["denormal-fp-math", "denormal-fp-math-f32"] {
        let (text, error) = run(ElemType::F32, FAST, &[(key, mode)]);
        holds(&text, &["rsqrt.approx.ftz.f32", "fma.rn.ftz.f32"], &["fma.rn.f32"]);
        assert!(error < 1e-6, "{error}");
    }
}

#[test]
fn each_flag_on_its_own() {
    let only = |set: fn(&mut FpFlags)| {
        let mut flags = FpFlags::default();
        set(&mut flags);
        run(ElemType::F64, flags, &[]).0
    };
    // Without `arcp`, a quotient by a constant stays one; without `afn`, so does a root.
    holds(&only(|f| f.reassoc = true), &["div.rn.f64", "sqrt.rn.f64"], &["fma.rn.f64 "]);
    let text = only(|f| f.arcp = true);
    holds(&text, &["sqrt.rn.f64"], &["rsqrt.approx", "0d4022000000000000"]);
    holds(&only(|f| f.contract = true), &["fma.rn.f64", "div.rn.f64", "sqrt.rn.f64"], &[]);
}

/// b = f(a), or f(a, 1.5·a) of two operands, with a = scale · (the element, in [-1, 1]) + offset.
fn of_function(elem: ElemType, op: Op, (scale, offset): (f64, f64)) -> Problem {
    let mut p = support::Program::new(1, elem);
    let (a, b) = (p.array(1), p.array(1));
    p.statement(&[support::Bound::Inside(0, 1)], &[(a, 0, &[0])], &[(b, 0, &[0])]);
    let float = |x| number(elem, x);
    let exact = FpFlags::default();
    let ops = [
        (Op::Load(0), exact),
        (float(scale), exact),
        (Op::Binary(BinaryOp::FMul, 0, 1), exact),
        (float(offset), exact),
        (Op::Binary(BinaryOp::FAdd, 2, 3), exact),
        (float(1.5), exact),
        (Op::Binary(BinaryOp::FMul, 4, 5), exact),
        (op, FAST),
    ];
    let statement = &mut p.statements_mut()[0];
    let ty = Ty::Elem(elem);
    statement.writes[0].value = ops.len() as u16 - 1;
    statement.body =
        Body { values: ops.into_iter().map(|(op, flags)| Value { op, ty, flags }).collect() };
    p.problem()
}

#[test]
fn functions_of_libm() {
    use UnaryOp::*;
    // Where errors are the largest relative to the result: near zero, over many turns, at the ends of the range.
    let unary = [
        (Exp, (1.0, 0.0)),
        (Exp, (700.0, 0.0)),
        (Exp2, (1000.0, 0.0)),
        (Expm1, (1e-3, 0.0)),
        (Expm1, (40.0, 0.0)),
        (Log, (0.5, 1.0)),
        (Log, (1e300, 1.1e300)),
        (Log2, (3.0, 4.0)),
        (Log10, (30.0, 31.0)),
        (Log1p, (1e-3, 0.0)),
        (Log1p, (0.9, 0.0)),
        (Sin, (1.0, 0.0)),
        (Sin, (1e5, 0.0)),
        (Cos, (1.0, 0.0)),
        (Cos, (1e5, 0.0)),
        (Tan, (1.5, 0.0)),
        (Atan, (0.3, 0.0)),
        (Atan, (100.0, 0.0)),
        (Sinh, (1e-2, 0.0)),
        (Sinh, (300.0, 0.0)),
        (Cosh, (300.0, 0.0)),
        (Tanh, (1e-2, 0.0)),
        (Tanh, (30.0, 0.0)),
        (Cbrt, (1000.0, 0.0)),
    ];
    for (op, over) in unary {
        let (text, error) = found(&of_function(ElemType::F64, Op::Unary(op, 4), over), &[]);
        holds(&text, &["fma.rn.f64"], &["call"]);
        assert!(error < 6.0 * f64::EPSILON, "{op:?} over {over:?}: {error:e}");
    }
    let single = [(Exp, 80.0), (Log1p, 0.9), (Sin, 100.0), (Cos, 100.0), (Tanh, 4.0), (Cbrt, 1e3)];
    for (op, scale) in single {
        let (_, error) = found(&of_function(ElemType::F32, Op::Unary(op, 4), (scale, 0.0)), &[]);
        // The library is not right to the last bit either.
        assert!(error < 2.0 * f64::from(f32::EPSILON), "{op:?} over {scale}: {error:e}");
    }
    let binary = [
        (BinaryOp::Hypot, (1.0, 0.0), 6.0),
        (BinaryOp::Hypot, (1e200, 0.0), 6.0),
        (BinaryOp::Pow, (0.9, 1.0), 6.0),
        // The result is as large as e⁸⁴.
        (BinaryOp::Pow, (9.0, 10.0), 64.0),
    ];
    for (op, over, most) in binary {
        let (_, error) = found(&of_function(ElemType::F64, Op::Binary(op, 4, 6), over), &[]);
        assert!(error < most * f64::EPSILON, "{op:?} over {over:?}: {error:e}");
    }
}

#[test]
fn functions_that_only_the_host_has() {
    let problem = |op, flags| {
        let mut problem = of_function(ElemType::F64, op, (1.0, 0.0));
        problem.stencil.statements[0].body.values.last_mut().unwrap().flags = flags;
        problem
    };
    assert_eq!(problem(Op::Unary(UnaryOp::Exp, 4), FAST).stencil.libm(), None);
    assert_eq!(problem(Op::Unary(UnaryOp::Exp, 4), FpFlags::default()).stencil.libm(), Some("exp"));
    let only_approximate = FpFlags { afn: true, ..FpFlags::default() };
    assert_eq!(problem(Op::Unary(UnaryOp::Exp, 4), only_approximate).stencil.libm(), Some("exp"));
    assert_eq!(problem(Op::Unary(UnaryOp::Asin, 4), FAST).stencil.libm(), Some("asin"));
}
