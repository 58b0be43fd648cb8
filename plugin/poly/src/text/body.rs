//! Bodies: `v3 f64 = fadd v1 v2 nnan`.

use super::{Line, Names, TextError, elem_name, parse_elem};
use crate::body::{BinaryOp, Body, Conversion, FpFlags, Op, Predicate, Ty, UnaryOp, Value};

macro_rules! words {
    ($name:ident, $parse:ident, $ty:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        fn $name(x: $ty) -> &'static str {
            match x { $($ty::$variant => $word,)+ }
        }
        fn $parse(word: &str) -> Option<$ty> {
            match word { $($word => Some($ty::$variant),)+ _ => None }
        }
    };
}

words!(unary, parse_unary, UnaryOp {
    Neg = "neg", Abs = "abs", Sqrt = "sqrt", Not = "not", Floor = "floor",
    Ceil = "ceil", Trunc = "ftrunc", RoundEven = "roundeven", Round = "round",
    Sin = "sin", Cos = "cos", Tan = "tan", Asin = "asin", Acos = "acos", Atan = "atan", Sinh = "sinh", Cosh = "cosh", Tanh = "tanh", Exp = "exp", Exp2 = "exp2", Expm1 = "expm1", Log = "log", Log2 = "log2", Log10 = "log10", Log1p = "log1p", Cbrt = "cbrt",
});
words!(binary, parse_binary, BinaryOp {
    FAdd = "fadd", FSub = "fsub", FMul = "fmul", FDiv = "fdiv", FMinNum = "fminnum",
    FMaxNum = "fmaxnum", CopySign = "copysign", Pow = "pow", Atan2 = "atan2", Hypot = "hypot", Fmod = "fmod", IAdd = "iadd", ISub = "isub", IMul = "imul",
    SDiv = "sdiv", UDiv = "udiv", SRem = "srem", URem = "urem",
    And = "and", Or = "or", Xor = "xor", Shl = "shl", AShr = "ashr", LShr = "lshr", SMin = "smin",
    SMax = "smax", UMin = "umin", UMax = "umax",
});
words!(predicate, parse_predicate, Predicate {
    FOeq = "foeq", FOgt = "fogt", FOge = "foge", FOlt = "folt", FOle = "fole", FOne = "fone",
    FOrd = "ford", FUno = "funo", FUeq = "fueq", FUgt = "fugt", FUge = "fuge", FUlt = "fult",
    FUle = "fule", FUne = "fune", IEq = "ieq", INe = "ine", ISgt = "isgt", ISge = "isge",
    ISlt = "islt", ISle = "isle", IUgt = "iugt", IUge = "iuge", IUlt = "iult", IUle = "iule",
});
words!(conversion, parse_conversion, Conversion {
    FpExtend = "fpext", FpTruncate = "fptrunc", SignedToFp = "sitofp", UnsignedToFp = "uitofp",
    FpToSigned = "fptosi", FpToUnsigned = "fptoui", FpToSignedSaturating = "fptosisat",
    FpToUnsignedSaturating = "fptouisat", SignExtend = "sext", ZeroExtend = "zext", Truncate = "trunc",
});

/// One line for each value.
pub fn body_lines(body: &Body, names: &Names) -> Vec<String> {
    body.values.iter().enumerate().map(|(i, v)| value_line(i, v, names)).collect()
}

fn value_line(index: usize, value: &Value, names: &Names) -> String {
    let ty = match value.ty {
        Ty::Bool => "bool",
        Ty::Elem(e) => elem_name(e),
    };
    let op = match &value.op {
        Op::Load(i) => format!("load {i}"),
        Op::Float(bits) => format!("float {bits:#x}"),
        Op::Integer(i) => format!("integer {i}"),
        Op::Scalar(i) => format!("scalar {i}"),
        Op::Index(p) => format!("index [{}]", names.poly(p)),
        Op::Unary(op, a) => format!("{} v{a}", unary(*op)),
        Op::Binary(op, a, b) => format!("{} v{a} v{b}", binary(*op)),
        Op::Fma(a, b, c) => format!("fma v{a} v{b} v{c}"),
        Op::Compare(p, a, b) => format!("{} v{a} v{b}", predicate(*p)),
        Op::Select(a, b, c) => format!("select v{a} v{b} v{c}"),
        Op::Convert(c, a) => format!("{} v{a}", conversion(*c)),
    };
    let mut out = format!("v{index} {ty} = {op}");
    for (set, word) in flag_words(value.flags) {
        if set {
            out.extend([" ", word]);
        }
    }
    out
}

fn flag_words(f: FpFlags) -> [(bool, &'static str); 7] {
    [
        (f.nnan, "nnan"),
        (f.ninf, "ninf"),
        (f.nsz, "nsz"),
        (f.arcp, "arcp"),
        (f.afn, "afn"),
        (f.reassoc, "reassoc"),
        (f.contract, "contract"),
    ]
}

/// Reads value `index` of a body.
pub fn parse_value(line: &mut Line, index: usize, names: &Names) -> Result<Value, TextError> {
    if usize::from(line.numbered("v")?) != index {
        return Err(line.error(format!("v{index} was expected")));
    }
    let ty = if line.eat_word("bool") { Ty::Bool } else { Ty::Elem(parse_elem(line)?) };
    line.expect('=')?;
    let op = parse_op(line, index, names)?;
    let flags = FpFlags {
        nnan: line.eat_word("nnan"),
        ninf: line.eat_word("ninf"),
        nsz: line.eat_word("nsz"),
        arcp: line.eat_word("arcp"),
        afn: line.eat_word("afn"),
        reassoc: line.eat_word("reassoc"),
        contract: line.eat_word("contract"),
    };
    line.end()?;
    Ok(Value { op, ty, flags })
}

fn parse_op(line: &mut Line, index: usize, names: &Names) -> Result<Op, TextError> {
    let word = line.ident()?;
    let operand = |line: &mut Line| {
        let v = line.numbered("v")?;
        if usize::from(v) < index { Ok(v) } else { Err(line.error(format!("v{v} comes later"))) }
    };
    Ok(match word.as_str() {
        "load" => Op::Load(line.number()?),
        "float" => Op::Float(line.number()?),
        "integer" => Op::Integer(line.number()?),
        "scalar" => Op::Scalar(line.number()?),
        "index" => {
            line.expect('[')?;
            let p = names.parse_poly(line)?;
            line.expect(']')?;
            Op::Index(p)
        }
        "fma" => Op::Fma(operand(line)?, operand(line)?, operand(line)?),
        "select" => Op::Select(operand(line)?, operand(line)?, operand(line)?),
        word => {
            if let Some(op) = parse_unary(word) {
                Op::Unary(op, operand(line)?)
            } else if let Some(op) = parse_binary(word) {
                Op::Binary(op, operand(line)?, operand(line)?)
            } else if let Some(p) = parse_predicate(word) {
                Op::Compare(p, operand(line)?, operand(line)?)
            } else if let Some(c) = parse_conversion(word) {
                Op::Convert(c, operand(line)?)
            } else {
                return Err(line.error(format!("no operation is called `{word}`")));
            }
        }
    })
}
