//! Sweeps: from statements and axes to loops where they stand, or to a function, a member, a template or a lambda and
//! its call.

use super::*;

impl Writer<'_> {
    pub(super) fn stmt(&self, stmt: &Stmt, axes: &[Axis], view: View, out: &mut Lines) {
        match stmt {
            Stmt::Let(local, value) => {
                let kind = if self.p.style.far { "const Value" } else { "Value" };
                out.line(&format!("{kind} x{local} = {};", self.expr(value, axes, view)));
            }
            Stmt::Store { place, add, value } => self.store(place, *add, value, axes, view, out),
            Stmt::If { when, then, other } if self.p.style.continues && other.is_empty() => {
                out.line(&format!("if (!({}))", self.cond(when, axes, view)));
                out.line("    continue;");
                then.iter().for_each(|s| self.stmt(s, axes, view, out));
            }
            Stmt::If { when, then, other } => {
                let head = format!("if ({}) {{", self.cond(when, axes, view));
                branches(&head, (then, other), out, |s, out| self.stmt(s, axes, view, out));
            }
            Stmt::Fold(fold, value) => self.fold(*fold, &self.expr(value, axes, view), out),
        }
    }

    pub(super) fn store(
        &self,
        place: &Place,
        add: bool,
        value: &Expr,
        axes: &[Axis],
        view: View,
        out: &mut Lines,
    ) {
        let op = if add { "+=" } else { "=" };
        let value = self.expr(value, axes, view);
        let target = self.place(place, axes, view);
        match self.p.element {
            Element::Byte => out.line(&format!("{target} {op} static_cast<Element>({value});")),
            _ => out.line(&format!("{target} {op} {value};")),
        }
    }

    pub(super) fn fold(&self, fold: usize, value: &str, out: &mut Lines) {
        let small = self.number(1);
        let result = format!("r{fold}");
        let both = [result.clone(), value.to_owned()];
        out.line(&match self.p.folds[fold].collects {
            Collects::Most => format!("{result} = {};", self.call("max", &both)),
            Collects::Least => format!("{result} = {};", self.call("min", &both)),
            Collects::Sum => format!("{result} += {value};"),
            Collects::Flag => format!("if ({value} > {small}) {result} = true;"),
            Collects::Count => format!("if ({value} > {small}) ++{result};"),
        });
    }

    pub(super) fn fold_type(&self, fold: usize) -> &'static str {
        match self.p.folds[fold].collects {
            Collects::Most | Collects::Least => "Value",
            Collects::Sum if self.is_real() => "Value",
            Collects::Sum => "long",
            Collects::Flag => "bool",
            Collects::Count => "int",
        }
    }

    pub(super) fn fold_start(&self, fold: usize) -> String {
        match self.p.folds[fold].collects {
            Collects::Least => self.number(10_000),
            Collects::Most => self.number(-10_000),
            Collects::Flag => "false".to_owned(),
            Collects::Sum | Collects::Count => "0".to_owned(),
        }
    }

    pub(super) fn loops(&self, sweep: &Sweep, view: View, out: &mut Lines) {
        let loops = sweep.loops();
        if loops.is_empty() {
            out.open("do {");
        }
        loops.iter().for_each(|head| out.open(&format!("{} {{", self.head(*head, view))));
        sweep.body.iter().for_each(|s| self.stmt(s, &sweep.axes, view, out));
        loops.iter().for_each(|_| out.shut("}"));
        if loops.is_empty() {
            out.shut("} while (false);");
        }
    }

    pub(super) fn head(&self, one: Loop, view: View) -> String {
        let (x, t, n) = (COUNTERS[one.dim], self.counter(), self.size(one.dim, view));
        let (lo, end) = (one.first(0, "t"), one.behind(&n, 1, "t"));
        let unsigned = matches!(self.p.style.counter, Counter::Size | Counter::Unsigned);
        match (one.down, unsigned) {
            (false, _) if self.ranges() => format!("for ({t} {x} : Range({lo}, {end}))"),
            (false, _) => format!("for ({t} {x} = {lo}; {x} < {end}; ++{x})"),
            (true, false) => {
                let last = one.behind(&n, 0, "t");
                format!("for ({t} {x} = {last}; {x} >= {lo}; --{x})")
            }
            (true, true) => format!("for ({t} {x} = {end}; {x}-- > {lo};)"),
        }
    }

    pub(super) fn parameter(&self, name: &str, constant: bool) -> String {
        let constant = if constant { "const " } else { "" };
        match self.kind() {
            Kind::Pointer if self.p.style.restricted => {
                format!("{constant}Element *__restrict {name}")
            }
            Kind::Pointer => format!("{constant}Element *{name}"),
            _ => format!("{constant}Buffer &{name}"),
        }
    }

    /// A row of values that is read, or a grid that is.
    pub(super) fn values(&self, t: &str, name: &str, constant: bool) -> String {
        let constant = if constant { "const " } else { "" };
        if self.p.ways.often(VECTORS, 50) {
            format!("{constant}std::vector<{t}> &{name}")
        } else {
            format!("{constant}{t} *{name}")
        }
    }

    /// What functions may be handed.
    fn names(&self, turn: usize, written: &[(usize, Level)]) -> Vec<Name> {
        let told = |handed: &Handed| match handed {
            Handed::Size(_) => !self.members() && !self.far(),
            Handed::Grid(..) => !self.whole(),
            _ => true,
        };
        let handed = self.p.handed().into_iter().filter(told);
        handed.map(|handed| self.name(handed, turn, written)).collect()
    }

    fn name(&self, handed: Handed, turn: usize, written: &[(usize, Level)]) -> Name {
        let view = View::Loop { turn };
        let same = |declared: String, name: &str| {
            let name = name.to_owned();
            Name { declared, actual: name.clone(), name }
        };
        match handed {
            Handed::Size(d) => {
                let size = same(format!("{} {}", self.counter(), SIZES[d]), SIZES[d]);
                Name { actual: self.size(d, view), ..size }
            }
            Handed::Grid(field, level) => {
                let name = self.p.buffer(field, level);
                let stored = self.p.is_cells() || written.contains(&(field, level));
                let declared = self.parameter(&name, !stored);
                Name { name, declared, actual: self.grid(field, level, view) }
            }
            Handed::Input(i) => same(self.values(self.input_type(i), INPUTS[i], true), INPUTS[i]),
            Handed::Series => same(self.values("Element", "series", true), "series"),
            Handed::Scalar(scalar) => same(format!("Value {scalar}"), scalar),
            Handed::Step => same("int t".to_owned(), "t"),
        }
    }

    pub(super) fn input_type(&self, input: usize) -> &'static str {
        if self.p.inputs[input].mask { "int" } else { "Element" }
    }

    /// Makes a function, a template or a lambda of these lines, and gives the call.
    pub(super) fn function(
        &mut self,
        name: &str,
        folds: &[usize],
        written: &[(usize, Level)],
        turn: usize,
        body: impl Fn(&Self, View, &mut Lines),
    ) -> String {
        let view = if self.whole() { View::Loop { turn: 0 } } else { View::Function };
        let lambda = self.way(FUNCTION, 3) == 2 && !self.whole();
        let mut lines = Lines::at(if lambda { 2 } else { 1 });
        body(self, view, &mut lines);
        let words = words(&lines.text);
        let mut used = self.names(turn, written);
        used.retain(|n| words.contains(&n.name.as_str()));
        if lambda {
            // The rest is captured.
            let grids = self.p.buffer_names();
            used.retain(|n| grids.contains(&n.name));
        } else {
            for fold in folds {
                let result = format!("r{fold}");
                used.push(Name {
                    declared: format!("{} &{result}", self.fold_type(*fold)),
                    actual: result.clone(),
                    name: result,
                });
            }
        }
        let actual: Vec<String> = used.iter().map(|n| n.actual.clone()).collect();
        if turn == 0 {
            self.define(name, lambda, &used, &lines.text);
        }
        format!("{name}({});", actual.join(", "))
    }

    pub(super) fn define(&mut self, name: &str, lambda: bool, used: &[Name], text: &str) {
        let mut formal: Vec<String> = used.iter().map(|n| n.declared.clone()).collect();
        if lambda {
            let _ = write!(
                self.lambdas,
                "    auto {name} = [&]({}) {{\n{text}    }};\n",
                formal.join(", ")
            );
            return;
        }
        let home = if self.members() { "" } else { "static " };
        let mut template = String::new();
        if self.way(FUNCTION, 3) == 1 {
            let grids = formal.iter_mut().filter(|f| f.contains("Buffer &"));
            let types: Vec<String> = grids
                .enumerate()
                .map(|(k, f)| {
                    *f = f.replace("Buffer &", &format!("G{k} &"));
                    format!("class G{k}")
                })
                .collect();
            if !types.is_empty() {
                template = format!("template <{}> ", types.join(", "));
            }
        }
        let formal = formal.join(", ");
        let _ = write!(self.helpers, "{template}{home}void {name}({formal})\n{{\n{text}}}\n\n");
    }

    pub(super) fn sweep(&mut self, number: usize, sweep: &Sweep, turn: usize, out: &mut Lines) {
        if !sweep.apart {
            return self.loops(sweep, View::Loop { turn }, out);
        }
        let (folds, written) = (folds_of(&sweep.body), written(&sweep.body));
        let call =
            self.function(&format!("sweep{number}"), &folds, &written, turn, |w, view, lines| {
                w.loops(sweep, view, lines);
            });
        out.line(&call);
    }
}
