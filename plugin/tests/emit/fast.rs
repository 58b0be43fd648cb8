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

/// b = a·0.3 + (1/√r + (√r/9 + 2/r)) with r = a² + least, every operation with these flags.
fn problem(elem: ElemType, flags: FpFlags, least: f64) -> Problem {
    let mut p = support::Program::new(1, elem);
    let (a, b) = (p.array(1), p.array(1));
    p.statement(&[support::Bound::Inside(0, 1)], &[(a, 0, &[0])], &[(b, 0, &[0])]);
    let float = |x: f64| match elem {
        ElemType::F32 => Op::Float((x as f32).to_bits().into()),
        _ => Op::Float(x.to_bits()),
    };
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
    let problem = problem(elem, flags, least);
    let stencil = &problem.stencil;
    let program = directly(&problem).unwrap();
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
