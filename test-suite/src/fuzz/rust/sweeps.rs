//! Sweeps: from statements and axes to loops where they stand, or to a function or method and its call. A sweep that
//! collects into two variables is no function.

use super::*;

impl Writer<'_> {
    pub(super) fn stmt(&self, stmt: &Stmt, scope: Scope, out: &mut Lines) {
        match stmt {
            Stmt::Let(local, value) => {
                let v = self.value();
                out.line(&format!("let x{local}: {v} = {};", self.expr(value, scope)));
            }
            Stmt::Store { place, add, value } => self.store(place, *add, value, scope, out),
            Stmt::If { when, then, other }
                if self.p.style.continues && other.is_empty() && is_looped(scope.axes) =>
            {
                out.open(&format!("if !({}) {{", self.cond(when, scope)));
                out.line("continue;");
                out.shut("}");
                then.iter().for_each(|s| self.stmt(s, scope, out));
            }
            Stmt::If { when, then, other } => {
                let head = format!("if {} {{", self.cond(when, scope));
                branches(&head, (then, other), out, |s, out| self.stmt(s, scope, out));
            }
            Stmt::Fold(fold, value) => self.fold(*fold, &self.expr(value, scope), out),
        }
    }

    pub(super) fn store(
        &self,
        place: &Place,
        add: bool,
        value: &Expr,
        scope: Scope,
        out: &mut Lines,
    ) {
        let op = if add { "+=" } else { "=" };
        let value = self.expr(value, scope);
        let target = self.place(place, scope);
        match self.p.element {
            Element::Byte => out.line(&format!("{target} {op} ({value}) as u8;")),
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
            Collects::Sum if self.is_real() => format!("{result} += {value};"),
            Collects::Sum => format!("{result} += i64::from({value});"),
            Collects::Flag => format!("if {value} > {small} {{ {result} = true; }}"),
            Collects::Count => format!("if {value} > {small} {{ {result} += 1; }}"),
        });
    }

    pub(super) fn fold_type(&self, fold: usize) -> &'static str {
        match self.p.folds[fold].collects {
            Collects::Most | Collects::Least => self.value(),
            Collects::Sum if self.is_real() => self.value(),
            Collects::Sum => "i64",
            Collects::Flag => "bool",
            Collects::Count => "i32",
        }
    }

    pub(super) fn fold_start(&self, fold: usize) -> String {
        match self.p.folds[fold].collects {
            Collects::Least => self.number(10_000),
            Collects::Most => self.number(-10_000),
            Collects::Flag => "false".to_owned(),
            Collects::Sum if self.is_real() => "0.0".to_owned(),
            Collects::Sum | Collects::Count => "0".to_owned(),
        }
    }

    /// A collected value as a floating-point number.
    pub(super) fn fold_shown(&self, fold: usize) -> String {
        match self.fold_type(fold) {
            "bool" => format!("f64::from(u8::from(r{fold}))"),
            _ => format!("(r{fold} as f64)"),
        }
    }

    pub(super) fn loops(&self, sweep: &Sweep, view: View, out: &mut Lines) {
        match self.way(ITERATORS, 5) {
            3 if self.by_windows(sweep, view, out) => return,
            3 | 4 if self.by_elements(sweep, view, out) => return,
            2..=4 if self.by_rows(sweep, view, out) => return,
            _ => {}
        }
        let scope = Scope { axes: &sweep.axes, view, streams: None };
        let loops = sweep.loops();
        self.open_loops(&loops, view, out);
        if loops.is_empty() {
            out.open("{");
        }
        sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
        (0..loops.len().max(1)).for_each(|_| out.shut("}"));
    }

    pub(super) fn open_loops(&self, loops: &[Loop], view: View, out: &mut Lines) {
        for one in loops {
            let (x, range) = (COUNTERS[one.dim], self.range(one, view));
            out.open(&match one.down {
                false => format!("for {x} in {range} {{"),
                true => format!("for {x} in ({range}).rev() {{"),
            });
        }
    }

    fn range(&self, one: &Loop, view: View) -> String {
        let step = wrapped(&self.step_as(self.counter()));
        let n = self.size(one.dim, view);
        format!("{}..{}", one.first(0, &step), one.behind(&n, 1, &step))
    }

    /// A grid as functions take it.
    pub(super) fn parameter(&self, name: &str, mutable: bool) -> String {
        let (item, reference) = (self.item(), if mutable { "&mut " } else { "&" });
        let vectors = self.p.ways.often(VECTORS, 30);
        let t = match self.kind() {
            Kind::Vec if vectors => format!("Vec<{item}>"),
            Kind::Vec | Kind::Slice => format!("[{item}]"),
            Kind::Grid => "Grid".to_owned(),
            Kind::Nested if vectors => self.buffer_type(),
            Kind::Nested => match self.p.dims {
                3 => format!("[Vec<Vec<{item}>>]"),
                2 => format!("[Vec<{item}>]"),
                _ => format!("[{item}]"),
            },
            Kind::Array => self.buffer_type(),
        };
        format!("{name}: {reference}{t}")
    }

    /// What functions may be handed.
    fn names(&self, turn: usize, written: &[(usize, Level)]) -> Vec<Name> {
        self.p.handed().into_iter().map(|handed| self.name(handed, turn, written)).collect()
    }

    fn name(&self, handed: Handed, turn: usize, written: &[(usize, Level)]) -> Name {
        let view = View::Loop { turn };
        let same = |name: &str, t: &str| Name {
            name: name.to_owned(),
            declared: format!("{name}: {t}"),
            actual: name.to_owned(),
        };
        match handed {
            Handed::Size(d) => {
                Name { actual: self.size(d, view), ..same(SIZES[d], self.counter()) }
            }
            Handed::Grid(field, level) => {
                let name = self.p.buffer(field, level);
                let stored =
                    written.iter().any(|(f, l)| *l == level && (self.p.is_cells() || *f == field));
                let declared = self.parameter(&name, stored);
                Name { name, declared, actual: self.lent(field, level, view, stored) }
            }
            Handed::Input(i) => same(INPUTS[i], &format!("&[{}]", self.input_type(i))),
            Handed::Series => same("series", &format!("&[{}]", self.element())),
            Handed::Scalar(scalar) => same(scalar, self.value()),
            Handed::Step => same("t", self.clock()),
        }
    }

    pub(super) fn input_type(&self, input: usize) -> &'static str {
        if self.p.inputs[input].mask { "i32" } else { self.element() }
    }

    /// Makes a function of these lines and gives the call; what it collects is handed in and returned.
    pub(super) fn function(
        &mut self,
        name: &str,
        fold: Option<usize>,
        written: &[(usize, Level)],
        turn: usize,
        body: impl Fn(&Self, View, &mut Lines),
    ) -> String {
        let whole = self.whole();
        let view = if whole { View::Loop { turn: 0 } } else { View::Function };
        let mut lines = Lines::at(1);
        body(self, view, &mut lines);
        let words = words(&lines.text);
        let grids = self.p.buffer_names();
        let mut used = self.names(turn, written);
        used.retain(|n| words.contains(&n.name.as_str()));
        if whole {
            used.retain(|n| !grids.contains(&n.name) && !SIZES.contains(&n.name.as_str()));
        }
        let mut formal: Vec<String> = used.iter().map(|n| n.declared.clone()).collect();
        let mut actual: Vec<String> = used.iter().map(|n| n.actual.clone()).collect();
        let mut result = String::new();
        if let Some(fold) = fold {
            let t = self.fold_type(fold);
            formal.push(format!("mut r{fold}: {t}"));
            actual.push(format!("r{fold}"));
            result = format!(" -> {t}");
            lines.line(&format!("r{fold}"));
        }
        if whole {
            formal.insert(0, "&mut self".to_owned());
        }
        if turn == 0 {
            let text = format!("fn {name}({}){result} {{\n{}}}\n\n", formal.join(", "), lines.text);
            self.functions += &text;
        }
        let object = if whole { "self." } else { "" };
        let call = format!("{object}{name}({});", actual.join(", "));
        fold.map_or(call.clone(), |fold| format!("r{fold} = {call}"))
    }

    pub(super) fn sweep(&mut self, number: usize, sweep: &Sweep, turn: usize, out: &mut Lines) {
        let folds = folds_of(&sweep.body);
        if !sweep.apart || self.direct() || folds.len() > 1 {
            return self.loops(sweep, View::Loop { turn }, out);
        }
        let written = written(&sweep.body);
        let name = format!("sweep{number}");
        let fold = folds.first().copied();
        let call = self.function(&name, fold, &written, turn, |w, view, lines| {
            w.loops(sweep, view, lines);
        });
        out.line(&call);
    }
}
