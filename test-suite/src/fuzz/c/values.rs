//! Expressions and conditions.

use super::*;

impl Writer<'_> {
    pub(super) fn single(&self) -> bool {
        self.p.element == Element::Float && !self.p.style.wide
    }

    pub(super) fn number(&self, n: i32) -> String {
        if !self.p.element.is_real() {
            return if n < 0 { format!("({n})") } else { n.to_string() };
        }
        let text = format!("{:?}{}", f64::from(n) / 100.0, if self.single() { "f" } else { "" });
        if n < 0 { format!("({text})") } else { text }
    }

    pub(super) fn math(&self, function: &str, arguments: &[String]) -> String {
        let suffix = if self.single() { "f" } else { "" };
        format!("{function}{suffix}({})", arguments.join(", "))
    }

    pub(super) fn magnitude(&self, x: &str) -> String {
        if self.p.element.is_real() {
            self.math("fabs", &[x.to_owned()])
        } else {
            format!("abs({x})")
        }
    }

    pub(super) fn expr(&self, expr: &Expr, axes: &[Axis], view: View) -> String {
        let of = |e: &Expr| self.expr(e, axes, view);
        let real = self.p.element.is_real();
        match expr {
            Expr::Number(n) => self.number(*n),
            Expr::Load(place) => self.place(place, axes, view),
            Expr::Input(input, at) => self.input(*input, at, axes),
            Expr::Local(local) => format!("x{local}"),
            Expr::Scalar(Scalar::Alpha) => "alpha".to_owned(),
            Expr::Scalar(Scalar::Step) => format!("({})(t % 16)", self.value()),
            Expr::Scalar(Scalar::Wave) => "wave".to_owned(),
            Expr::Scalar(Scalar::Series) => "series[t]".to_owned(),
            Expr::Scalar(Scalar::Collected) => "before".to_owned(),
            Expr::Coordinate(d) => format!("({})({})", self.value(), self.coordinate(*d, axes)),
            Expr::Unary(Unary::Negate, a) => format!("(-{})", of(a)),
            Expr::Unary(Unary::Absolute, a) => self.magnitude(&of(a)),
            Expr::Unary(_, a) if !real => of(a),
            Expr::Unary(Unary::Root, a) => self.math("sqrt", &[self.magnitude(&of(a))]),
            Expr::Unary(Unary::Floor, a) => self.math("floor", &[of(a)]),
            Expr::Unary(Unary::Sine, a) => self.math("sin", &[of(a)]),
            Expr::Binary(op, a, b) => self.binary(*op, of(a), of(b)),
            Expr::Whole(op, a, k) => format!("({} {} {k})", of(a), operator(*op)),
            Expr::Choose(when, a, b) => {
                format!("({} ? {} : {})", self.cond(when, axes, view), of(a), of(b))
            }
        }
    }

    pub(super) fn coordinate(&self, dim: usize, axes: &[Axis]) -> String {
        self.subscript(dim, Index::Near(0), axes[dim])
    }

    pub(super) fn binary(&self, op: Binary, a: String, b: String) -> String {
        let real = self.p.element.is_real();
        let one = self.number(if real { 100 } else { 1 });
        match op {
            Binary::Add => format!("({a} + {b})"),
            Binary::Subtract => format!("({a} - {b})"),
            Binary::Multiply => format!("({a} * {b})"),
            Binary::Divide => format!("({a} / ({one} + {}))", self.magnitude(&b)),
            Binary::Least if real && !self.p.style.ternary => self.math("fmin", &[a, b]),
            Binary::Most if real && !self.p.style.ternary => self.math("fmax", &[a, b]),
            Binary::Least => format!("least({a}, {b})"),
            Binary::Most => format!("most({a}, {b})"),
        }
    }

    pub(super) fn cond(&self, cond: &Cond, axes: &[Axis], view: View) -> String {
        let of = |e: &Expr| self.expr(e, axes, view);
        match cond {
            Cond::Less(a, b) => format!("{} < {}", of(a), of(b)),
            Cond::Equal(a, b) => format!("{} == {}", of(a), of(b)),
            Cond::Inside(margins) => self.inside(margins, axes),
            Cond::Before(d) => format!("{} < {} / 2", self.coordinate(*d, axes), self.size(*d)),
            Cond::Even { step } => {
                let mut sum: Vec<String> =
                    (0..self.p.dims).map(|d| self.coordinate(d, axes)).collect();
                if *step {
                    sum.push("t".to_owned());
                }
                format!("({}) % 2 == 0", sum.join(" + "))
            }
            Cond::Mask(input, at) => {
                let zero = if self.p.inputs[*input].mask { "0" } else { &self.number(0) };
                format!("{} > {zero}", self.input(*input, at, axes))
            }
            Cond::Not(a) => format!("!({})", self.cond(a, axes, view)),
            Cond::And(a, b) => {
                format!("({}) && ({})", self.cond(a, axes, view), self.cond(b, axes, view))
            }
            Cond::Or(a, b) => {
                format!("({}) || ({})", self.cond(a, axes, view), self.cond(b, axes, view))
            }
        }
    }

    pub(super) fn inside(&self, margins: &[(i32, i32)], axes: &[Axis]) -> String {
        let mut all = Vec::new();
        for (d, (lo, hi)) in margins.iter().enumerate() {
            let x = self.coordinate(d, axes);
            if *lo > 0 {
                all.push(format!("{x} >= {lo}"));
            }
            if *hi > 0 {
                all.push(format!("{x} < {} - {hi}", self.size(d)));
            }
        }
        if all.is_empty() { "1".to_owned() } else { all.join(" && ") }
    }
}
