//! Expressions and conditions: from their trees to text.

use super::*;

impl Arithmetic for Writer<'_> {
    fn is_real(&self) -> bool {
        self.p.is_real()
    }

    fn number(&self, n: i32) -> String {
        let single = self.p.element == Element::Float && !self.p.style.wide;
        numeral(n, self.is_real(), if single { "f" } else { "" })
    }

    fn call(&self, function: &str, arguments: &[String]) -> String {
        let all = arguments.join(", ");
        let extreme = matches!(function, "min" | "max");
        if extreme && self.is_real() && !self.p.style.ternary {
            return format!("std::f{function}({all})");
        }
        let wide = self.p.style.wide && self.p.element == Element::Float;
        match (extreme, wide) {
            (true, true) => format!("std::{function}<double>({all})"),
            (true, false) => format!("std::{function}<Value>({all})"),
            (false, _) => format!("std::{function}({all})"),
        }
    }
}

impl Writer<'_> {
    pub(super) fn expr(&self, expr: &Expr, axes: &[Axis], view: View) -> String {
        let of = |e: &Expr| self.expr(e, axes, view);
        match expr {
            Expr::Load(place) => self.place(place, axes, view),
            Expr::Input(input, at) => self.input(*input, at, axes, view),
            Expr::Scalar(Scalar::Step) => "static_cast<Value>(t % 16)".to_owned(),
            Expr::Scalar(Scalar::Series) => "series[t]".to_owned(),
            Expr::Coordinate(d) => {
                format!("static_cast<Value>({})", self.coordinate(*d, axes, view))
            }
            Expr::Choose(when, a, b) => {
                let when = self.cond(when, axes, view);
                match (&**a, &**b) {
                    (Expr::Load(a), Expr::Load(b)) if self.p.style.places => {
                        self.either(&when, (a, b), axes, view)
                    }
                    _ => format!("({when} ? {} : {})", of(a), of(b)),
                }
            }
            _ => arithmetic(self, expr, &of),
        }
    }

    fn coordinate(&self, dim: usize, axes: &[Axis], view: View) -> String {
        self.subscript(dim, Index::Near(0), axes[dim], view)
    }

    pub(super) fn cond(&self, cond: &Cond, axes: &[Axis], view: View) -> String {
        let x = |d: usize| self.coordinate(d, axes, view);
        let n = |d: usize| self.size(d, view);
        match cond {
            Cond::Inside(margins) => inside::<Self>(margins, |d, lo, hi| {
                (format!("{} >= {lo}", x(d)), format!("{} < {} - {hi}", x(d), n(d)))
            }),
            Cond::Before(d) => format!("{} < {} / 2", x(*d), n(*d)),
            Cond::Even { step } => {
                let mut sum: Vec<String> = (0..self.p.dims).map(x).collect();
                sum.extend(step.then(|| "t".to_owned()));
                format!("({}) % 2 == 0", sum.join(" + "))
            }
            Cond::Mask(input, at) => {
                let zero = if self.p.inputs[*input].mask { "0" } else { &self.number(0) };
                format!("{} > {zero}", self.input(*input, at, axes, view))
            }
            _ => condition::<Self>(cond, &|e| self.expr(e, axes, view), &|c| {
                self.cond(c, axes, view)
            }),
        }
    }
}
