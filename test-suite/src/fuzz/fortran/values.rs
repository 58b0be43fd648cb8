//! Expressions and conditions: from their trees to text, of elements or of sections.

use super::*;

impl Arithmetic for Writer<'_> {
    const WORDS: Words =
        Words { times: "*", over: "/", and: " .and. ", or: " .or. ", not: ".not. ", yes: ".true." };

    fn is_real(&self) -> bool {
        self.p.is_real()
    }

    fn number(&self, n: i32) -> String {
        numeral(n, self.is_real(), "_wp")
    }

    fn call(&self, function: &str, arguments: &[String]) -> String {
        let function = if function == "floor" { "aint" } else { function };
        format!("{function}({})", arguments.join(", "))
    }

    fn whole(&self, op: Whole, a: &str, k: i32) -> String {
        match op {
            Whole::Quotient if k < 0 => format!("({a}/({k}))"),
            Whole::Quotient => format!("({a}/{k})"),
            Whole::Remainder => format!("mod({a}, {k})"),
            Whole::And => format!("iand({a}, {k})"),
            Whole::ShiftRight => format!("shifta({a}, {k})"),
            Whole::Xor => format!("ieor({a}, {k})"),
        }
    }
}

impl Writer<'_> {
    pub(super) fn load(&self, text: String) -> String {
        if self.p.element == Element::Byte { format!("int({text})") } else { text }
    }

    pub(super) fn expr(&self, expr: &Expr, scope: Scope) -> String {
        let of = |e: &Expr| self.expr(e, scope);
        match expr {
            Expr::Load(place) => self.load(self.place(place, scope)),
            Expr::Input(input, at) => self.load(self.input(*input, at, scope)),
            Expr::Scalar(Scalar::Step) if self.is_real() => "real(mod(t, 16), wp)".to_owned(),
            Expr::Scalar(Scalar::Step) => "mod(t, 16)".to_owned(),
            Expr::Scalar(Scalar::Series) => self.load("series(t)".to_owned()),
            Expr::Coordinate(d) => {
                let x = self.coordinate(*d, scope);
                if self.is_real() { format!("real({x}, wp)") } else { format!("int({x})") }
            }
            Expr::Choose(when, a, b) => {
                let when = self.cond(when, scope);
                let along = match (&**a, &**b) {
                    (Expr::Load(a), Expr::Load(b)) if self.p.style.places && !scope.section => {
                        apart_along(a, b, scope.axes).map(|d| (a, b, d))
                    }
                    _ => None,
                };
                match along {
                    Some((a, b, d)) => self.load(self.either(&when, (a, b), d, scope)),
                    None => format!("merge({}, {}, {when})", of(a), of(b)),
                }
            }
            _ => arithmetic(self, expr, &of),
        }
    }

    /// Counted from 0.
    fn coordinate(&self, dim: usize, scope: Scope) -> String {
        let x = match scope.axes[dim] {
            Axis::Span { .. } => COUNTERS[dim].to_owned(),
            Axis::At(spot) => self.spot(dim, spot, 0, scope.view),
        };
        format!("{x}{}", signed(-self.base()))
    }

    pub(super) fn cond(&self, cond: &Cond, scope: Scope) -> String {
        match cond {
            Cond::Inside(margins) => {
                inside::<Self>(margins, |d, lo, hi| self.within(d, lo, hi, scope))
            }
            Cond::Before(d) => {
                format!("{} < {}/2", self.coordinate(*d, scope), self.size(*d, scope.view))
            }
            Cond::Even { step } => {
                let mut sum: Vec<String> =
                    (0..self.p.dims).map(|d| self.coordinate(d, scope)).collect();
                sum.extend(step.then(|| "t".to_owned()));
                match is_looped(scope.axes) {
                    true => format!("mod({}, {}) == 0", sum.join(" + "), self.literal(2)),
                    false => format!("mod(int({}), 2) == 0", sum.join(" + ")),
                }
            }
            Cond::Mask(input, at) => {
                let zero = if self.p.inputs[*input].mask { "0" } else { &self.number(0) };
                format!("{} > {zero}", self.input(*input, at, scope))
            }
            _ => condition::<Self>(cond, &|e| self.expr(e, scope), &|c| self.cond(c, scope)),
        }
    }

    /// That the point lies so far from both borders along a dimension.
    fn within(&self, dim: usize, lo: i32, hi: i32, scope: Scope) -> (String, String) {
        let base = self.base();
        let x = match scope.axes[dim] {
            Axis::Span { .. } => COUNTERS[dim].to_owned(),
            Axis::At(_) => self.subscript(dim, Index::Near(0), scope),
        };
        let size = self.size(dim, scope.view);
        (format!("{x} >= {}", lo + base), format!("{x} < {size}{}", signed(base - hi)))
    }
}
