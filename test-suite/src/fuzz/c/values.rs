//! Expressions and conditions: from their trees to text.

use super::*;

impl Arithmetic for Writer<'_> {
    const WORDS: Words = Words { yes: "1", ..OF_C };

    fn is_real(&self) -> bool {
        self.p.is_real()
    }

    fn number(&self, n: i32) -> String {
        numeral(n, self.is_real(), if self.single() { "f" } else { "" })
    }

    fn call(&self, function: &str, arguments: &[String]) -> String {
        let all = arguments.join(", ");
        let suffix = if self.single() { "f" } else { "" };
        let own = !self.is_real() || self.p.style.ternary;
        match function {
            "abs" if !self.is_real() => format!("abs({all})"),
            "abs" => format!("fabs{suffix}({all})"),
            "min" if own => format!("least({all})"),
            "max" if own => format!("most({all})"),
            "min" | "max" => format!("f{function}{suffix}({all})"),
            _ => format!("{function}{suffix}({all})"),
        }
    }
}

impl Writer<'_> {
    /// Whether arithmetic is done in `float`.
    fn single(&self) -> bool {
        self.p.element == Element::Float && !self.p.style.wide
    }

    pub(super) fn expr(&self, expr: &Expr, axes: &[Axis], view: View) -> String {
        let of = |e: &Expr| self.expr(e, axes, view);
        match expr {
            Expr::Load(place) => self.place(place, axes, view),
            Expr::Input(input, at) => self.input(*input, at, axes),
            Expr::Scalar(Scalar::Step) => format!("({})(t % 16)", self.value()),
            Expr::Scalar(Scalar::Series) => "series[t]".to_owned(),
            Expr::Coordinate(d) => format!("({})({})", self.value(), self.coordinate(*d, axes)),
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

    fn coordinate(&self, dim: usize, axes: &[Axis]) -> String {
        self.subscript(dim, Index::Near(0), axes[dim])
    }

    pub(super) fn cond(&self, cond: &Cond, axes: &[Axis], view: View) -> String {
        let x = |d: usize| self.coordinate(d, axes);
        match cond {
            Cond::Inside(margins) => inside::<Self>(margins, |d, lo, hi| {
                (format!("{} >= {lo}", x(d)), format!("{} < {} - {hi}", x(d), self.size(d)))
            }),
            Cond::Before(d) => format!("{} < {} / 2", x(*d), self.size(*d)),
            Cond::Even { step } => {
                let mut sum: Vec<String> = (0..self.p.dims).map(x).collect();
                sum.extend(step.then(|| "t".to_owned()));
                format!("({}) % 2 == 0", sum.join(" + "))
            }
            Cond::Mask(input, at) => {
                let zero = if self.p.inputs[*input].mask { "0" } else { &self.number(0) };
                format!("{} > {zero}", self.input(*input, at, axes))
            }
            _ => condition::<Self>(cond, &|e| self.expr(e, axes, view), &|c| {
                self.cond(c, axes, view)
            }),
        }
    }
}
