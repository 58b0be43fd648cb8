//! Expressions and conditions: from their trees to text.

use super::*;

impl Arithmetic for Writer<'_> {
    fn is_real(&self) -> bool {
        self.p.is_real()
    }

    fn number(&self, n: i32) -> String {
        numeral(n, self.is_real(), "")
    }

    fn call(&self, function: &str, arguments: &[String]) -> String {
        let all = arguments.join(", ");
        match (function, self.p.style.ternary) {
            ("min", true) => format!("least({all})"),
            ("max", true) => format!("most({all})"),
            _ => format!("{}::{function}({all})", self.value()),
        }
    }
}

impl Writer<'_> {
    pub(super) fn load(&self, text: String) -> String {
        if self.p.element == Element::Byte { format!("i32::from({text})") } else { text }
    }

    pub(super) fn expr(&self, expr: &Expr, scope: Scope) -> String {
        let of = |e: &Expr| self.expr(e, scope);
        let v = self.value();
        match expr {
            Expr::Load(place) => self.load(self.place(place, scope)),
            Expr::Input(input, at) => {
                let text = self.input(*input, at, scope);
                match (self.p.inputs[*input].mask, v) {
                    (false, _) => self.load(text),
                    (true, "i32") => text,
                    (true, _) => format!("({text} as {v})"),
                }
            }
            Expr::Scalar(Scalar::Step) => format!("((t % 16) as {v})"),
            Expr::Scalar(Scalar::Series) => self.load(format!("series[{}]", self.step_as("usize"))),
            Expr::Coordinate(d) => format!("(({}) as {v})", self.coordinate(*d, scope)),
            Expr::Binary(op, a, b) => match self.wrapping(*op) {
                Some(function) => format!("i32::wrapping_{function}({}, {})", of(a), of(b)),
                None => arithmetic(self, expr, &of),
            },
            Expr::Choose(when, a, b) => {
                let when = self.cond(when, scope);
                match (&**a, &**b) {
                    (Expr::Load(a), Expr::Load(b)) if self.p.style.places => {
                        self.load(self.either(&when, (a, b), scope))
                    }
                    _ => format!("(if {when} {{ {} }} else {{ {} }})", of(a), of(b)),
                }
            }
            _ => arithmetic(self, expr, &of),
        }
    }

    /// What an operator of whole numbers is where it is said that it may wrap.
    fn wrapping(&self, op: Binary) -> Option<&'static str> {
        let wrapping = !self.is_real() && self.p.ways.often(WRAPPING, 40);
        match op {
            Binary::Add if wrapping => Some("add"),
            Binary::Subtract if wrapping => Some("sub"),
            Binary::Multiply if wrapping => Some("mul"),
            _ => None,
        }
    }

    fn coordinate(&self, dim: usize, scope: Scope) -> String {
        self.subscript(dim, Index::Near(0), scope.axes[dim], scope.view)
    }

    pub(super) fn cond(&self, cond: &Cond, scope: Scope) -> String {
        let x = |d: usize| self.coordinate(d, scope);
        let n = |d: usize| self.size(d, scope.view);
        match cond {
            Cond::Inside(margins) => inside::<Self>(margins, |d, lo, hi| {
                (format!("{} >= {lo}", x(d)), format!("{} < {} - {hi}", x(d), n(d)))
            }),
            Cond::Before(d) => format!("{} < {} / 2", x(*d), n(*d)),
            Cond::Even { step } => {
                let mut sum: Vec<String> = (0..self.p.dims).map(x).collect();
                sum.extend(step.then(|| self.step_as(self.counter())));
                format!("({}) % 2 == 0", sum.join(" + "))
            }
            Cond::Mask(input, at) => {
                let zero = if self.p.inputs[*input].mask { "0" } else { &self.number(0) };
                format!("{} > {zero}", self.input(*input, at, scope))
            }
            _ => condition::<Self>(cond, &|e| self.expr(e, scope), &|c| self.cond(c, scope)),
        }
    }
}
