//! Expressions and conditions: what is said alike of every point. Elements, coordinates and steps are the writer's own.

use crate::fuzz::program::{Binary, Cond, Expr, Scalar, Unary, Whole};

/// How a language says arithmetic.
pub trait Arithmetic {
    const WORDS: Words = OF_C;

    /// Whether it is done in floating-point numbers.
    fn is_real(&self) -> bool;

    /// So many hundredths; whole numbers where grids hold integers.
    fn number(&self, n: i32) -> String;

    /// One of `abs`, `sqrt`, `floor`, `sin`, `min`, `max`.
    fn call(&self, function: &str, arguments: &[String]) -> String;

    fn whole(&self, op: Whole, a: &str, k: i32) -> String {
        let op = match op {
            Whole::Quotient => "/",
            Whole::Remainder => "%",
            Whole::And => "&",
            Whole::ShiftRight => ">>",
            Whole::Xor => "^",
        };
        format!("({a} {op} {k})")
    }
}

/// A language's operators.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    pub times: &'static str,
    pub over: &'static str,
    pub and: &'static str,
    pub or: &'static str,
    pub not: &'static str,
    pub yes: &'static str,
}

/// C's, and those of its kin.
pub const OF_C: Words =
    Words { times: " * ", over: " / ", and: " && ", or: " || ", not: "!", yes: "true" };

/// An expression; `of` says those in it.
pub fn arithmetic<A: Arithmetic>(by: &A, expr: &Expr, of: &dyn Fn(&Expr) -> String) -> String {
    let call = |function: &str, a: String| by.call(function, &[a]);
    match expr {
        Expr::Number(n) => by.number(*n),
        Expr::Local(local) => format!("x{local}"),
        Expr::Scalar(Scalar::Alpha) => "alpha".to_owned(),
        Expr::Scalar(Scalar::Wave) => "wave".to_owned(),
        Expr::Scalar(Scalar::Collected) => "before".to_owned(),
        Expr::Unary(Unary::Negate, a) => format!("(-{})", of(a)),
        Expr::Unary(Unary::Absolute, a) => call("abs", of(a)),
        Expr::Unary(_, a) if !by.is_real() => of(a),
        Expr::Unary(Unary::Root, a) => call("sqrt", call("abs", of(a))),
        Expr::Unary(Unary::Floor, a) => call("floor", of(a)),
        Expr::Unary(Unary::Sine, a) => call("sin", of(a)),
        Expr::Binary(op, a, b) => binary(by, *op, of(a), of(b)),
        Expr::Whole(op, a, k) => by.whole(*op, &of(a), *k),
        Expr::Load(_)
        | Expr::Input(..)
        | Expr::Scalar(Scalar::Step | Scalar::Series)
        | Expr::Coordinate(_)
        | Expr::Choose(..) => unreachable!("the writer says {expr:?} itself"),
    }
}

fn binary<A: Arithmetic>(by: &A, op: Binary, a: String, b: String) -> String {
    let Words { times, over, .. } = A::WORDS;
    match op {
        Binary::Add => format!("({a} + {b})"),
        Binary::Subtract => format!("({a} - {b})"),
        Binary::Multiply => format!("({a}{times}{b})"),
        Binary::Divide => {
            let one = by.number(if by.is_real() { 100 } else { 1 });
            format!("({a}{over}({one} + {}))", by.call("abs", &[b]))
        }
        Binary::Least => by.call("min", &[a, b]),
        Binary::Most => by.call("max", &[a, b]),
    }
}

/// A condition on values, or one made of others; `of` says the values and `also` the others.
pub fn condition<A: Arithmetic>(
    cond: &Cond,
    of: &dyn Fn(&Expr) -> String,
    also: &dyn Fn(&Cond) -> String,
) -> String {
    let Words { and, or, not, .. } = A::WORDS;
    match cond {
        Cond::Less(a, b) => format!("{} < {}", of(a), of(b)),
        Cond::Equal(a, b) => format!("{} == {}", of(a), of(b)),
        Cond::Not(a) => format!("{not}({})", also(a)),
        Cond::And(a, b) => format!("({}){and}({})", also(a), also(b)),
        Cond::Or(a, b) => format!("({}){or}({})", also(a), also(b)),
        Cond::Inside(_) | Cond::Before(_) | Cond::Even { .. } | Cond::Mask(..) => {
            unreachable!("the writer says {cond:?} itself")
        }
    }
}

/// That the point lies so far from the borders: `within` says the two comparisons for one dimension.
pub fn inside<A: Arithmetic>(
    margins: &[(i32, i32)],
    within: impl Fn(usize, i32, i32) -> (String, String),
) -> String {
    let mut all = Vec::new();
    for (d, (lo, hi)) in margins.iter().enumerate() {
        let (above, below) = within(d, *lo, *hi);
        all.extend((*lo > 0).then_some(above));
        all.extend((*hi > 0).then_some(below));
    }
    if all.is_empty() { A::WORDS.yes.to_owned() } else { all.join(A::WORDS.and) }
}

/// Hundredths, or whole numbers, with what their type asks for behind them.
pub fn numeral(n: i32, real: bool, suffix: &str) -> String {
    let text = match real {
        true => format!("{:?}{suffix}", f64::from(n) / 100.0),
        false => n.to_string(),
    };
    if n < 0 { format!("({text})") } else { text }
}
