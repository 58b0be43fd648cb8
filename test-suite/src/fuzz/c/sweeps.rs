//! Sweeps: from statements and axes to loops where they stand, or to a function and its call. A sweep that collects
//! into two variables is no function.

use super::*;

impl Writer<'_> {
    pub(super) fn stmt(&self, stmt: &Stmt, axes: &[Axis], view: View, out: &mut Lines) {
        match stmt {
            Stmt::Let(local, value) => {
                out.line(&format!("{} x{local} = {};", self.value(), self.expr(value, axes, view)));
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
            Element::Byte => out.line(&format!("{target} {op} (unsigned char)({value});")),
            _ => out.line(&format!("{target} {op} {value};")),
        }
    }

    pub(super) fn fold(&self, fold: usize, value: &str, out: &mut Lines) {
        let small = self.number(1);
        let one = &self.p.folds[fold];
        out.line(&match one.collects {
            Collects::Most => {
                format!("r{fold} = {};", self.call("max", &[format!("r{fold}"), value.to_owned()]))
            }
            Collects::Least => format!("r{fold} = least(r{fold}, {value});"),
            Collects::Sum => format!("r{fold} += {value};"),
            Collects::Flag => format!("if ({value} > {small}) r{fold} = 1;"),
            Collects::Count => format!("if ({value} > {small}) r{fold}++;"),
        });
    }

    pub(super) fn fold_type(&self, fold: usize) -> &'static str {
        match self.p.folds[fold].collects {
            Collects::Most | Collects::Least => self.value(),
            Collects::Sum if self.is_real() => self.value(),
            Collects::Sum => "long",
            Collects::Flag | Collects::Count => "int",
        }
    }

    pub(super) fn fold_start(&self, fold: usize) -> String {
        match self.p.folds[fold].collects {
            Collects::Least => self.number(10_000),
            Collects::Most => self.number(-10_000),
            Collects::Sum | Collects::Flag | Collects::Count => "0".to_owned(),
        }
    }

    pub(super) fn loops(&self, sweep: &Sweep, view: View, out: &mut Lines) {
        let loops = sweep.loops();
        loops.iter().for_each(|head| out.open(&format!("{} {{", self.head(*head))));
        if loops.is_empty() {
            out.open("{");
        }
        sweep.body.iter().for_each(|s| self.stmt(s, &sweep.axes, view, out));
        (0..loops.len().max(1)).for_each(|_| out.shut("}"));
    }

    pub(super) fn head(&self, one: Loop) -> String {
        let (x, t, n) = (COUNTERS[one.dim], self.counter(), self.size(one.dim));
        let (lo, end) = (one.first(0, "t"), one.behind(&n, 1, "t"));
        let unsigned = matches!(self.p.style.counter, Counter::Size | Counter::Unsigned);
        match (one.down, unsigned) {
            (false, _) => format!("for ({t} {x} = {lo}; {x} < {end}; {x}++)"),
            (true, false) => {
                let last = one.behind(&n, 0, "t");
                format!("for ({t} {x} = {last}; {x} >= {lo}; {x}--)")
            }
            (true, true) => format!("for ({t} {x} = {end}; {x}-- > {lo};)"),
        }
    }

    /// A pointer to a grid of the program's, as functions take it.
    pub(super) fn pointer(&self, name: &str, constant: bool) -> String {
        let constant = if constant { "const " } else { "" };
        let element = self.item();
        let restrict = if self.p.style.restricted { "restrict " } else { "" };
        let inner: String = (1..self.p.dims).map(|d| format!("[{}]", self.size(d))).collect();
        match self.p.storage {
            Storage::Rows(_) => format!("{element} {}{name}", "*".repeat(self.p.dims)),
            _ if self.by_rows() && self.p.dims > 1 => {
                format!("{constant}{element} (*{restrict}{name}){inner}")
            }
            _ => format!("{constant}{element} *{restrict}{name}"),
        }
    }

    /// What functions may be handed.
    pub(super) fn names(&self, turn: usize, whole: bool) -> Vec<Name> {
        let mut all = Vec::new();
        if whole {
            let declared = "struct grid *g".to_owned();
            all.push(Name { name: "g".to_owned(), declared, actual: "g".to_owned() });
        }
        let told = |handed: &Handed| match handed {
            Handed::Size(_) => !(whole && self.far()),
            Handed::Grid(..) => !whole,
            _ => true,
        };
        let handed = self.p.handed().into_iter().filter(told);
        all.extend(handed.map(|handed| self.name(handed, turn)));
        all
    }

    fn name(&self, handed: Handed, turn: usize) -> Name {
        let element = self.element();
        let same = |t: &str, name: &str| Name {
            name: name.to_owned(),
            declared: format!("{t}{name}"),
            actual: name.to_owned(),
        };
        match handed {
            Handed::Size(d) => {
                let size = same(&format!("{} ", self.counter()), SIZES[d]);
                Name { actual: self.size(d), ..size }
            }
            Handed::Grid(field, level) => {
                let name = self.p.buffer(field, level);
                let declared = self.pointer(&name, false);
                let actual = self.start_of(self.grid(field, level, View::Loop { turn }));
                Name { name, declared, actual }
            }
            Handed::Input(i) => same(&format!("const {} *", self.input_type(i)), INPUTS[i]),
            Handed::Series => same(&format!("const {element} *"), "series"),
            Handed::Scalar(scalar) => same(&format!("{} ", self.value()), scalar),
            Handed::Step => same("int ", "t"),
        }
    }

    pub(super) fn input_type(&self, input: usize) -> &'static str {
        if self.p.inputs[input].mask { "int" } else { self.element() }
    }

    /// Sizes that functions know by their small names, whatever the time loop calls them.
    pub(super) fn inside_function<T>(&self, whole: bool, write: impl FnOnce(&Writer) -> T) -> T {
        let mut p = self.p.clone();
        p.style.far &= whole;
        write(&Writer { p: &p, helpers: String::new() })
    }

    /// Whether functions take the structure with all pointers.
    pub(super) fn whole(&self) -> bool {
        self.p.storage == Storage::Members
            && self.p.style.far
            && !self.p.goes_back()
            && self.p.idiom != Idiom::Modulo
            && !self.p.is_indexed(self.p.buffers())
    }

    /// Makes a function of these lines and gives the call. A variable that they collect into is handed in and returned.
    pub(super) fn function(
        &mut self,
        stem: &str,
        key: &str,
        folds: &[usize],
        turn: usize,
        body: impl Fn(&Writer, View, &mut Lines),
    ) -> String {
        let whole = self.whole();
        let view = if whole { View::Loop { turn: 0 } } else { View::Function };
        let mut lines = Lines::at(1);
        self.inside_function(whole, |inner| body(inner, view, &mut lines));
        let words = words(&lines.text);
        let mut used = self.inside_function(whole, |inner| {
            let declared = inner.names(0, whole);
            let actual = self.names(turn, whole);
            declared
                .into_iter()
                .zip(actual)
                .map(|(d, a)| Name { actual: a.actual, ..d })
                .collect::<Vec<_>>()
        });
        // Sizes appear in the types of the others.
        let declarations: String = used
            .iter()
            .filter(|n| words.contains(&n.name.as_str()))
            .fold(String::new(), |text, n| text + &n.declared + ";");
        let mut more = self::words(&declarations);
        if words.contains(&"AT") {
            more.extend(["m", "l"]);
        }
        used.retain(|n| words.contains(&n.name.as_str()) || more.contains(&n.name.as_str()));
        let mut formal: Vec<String> = used.iter().map(|n| n.declared.clone()).collect();
        let mut actual: Vec<String> = used.iter().map(|n| n.actual.clone()).collect();
        let result = folds.first().map_or("void", |f| self.fold_type(*f));
        if let Some(fold) = folds.first() {
            formal.push(format!("{result} r{fold}"));
            actual.push(format!("r{fold}"));
            lines.line(&format!("return r{fold};"));
        }
        let name = format!("{stem}{key}");
        if turn == 0 {
            let formal = if formal.is_empty() { "void".to_owned() } else { formal.join(", ") };
            let _ =
                write!(self.helpers, "static {result} {name}({formal})\n{{\n{}}}\n\n", lines.text);
        }
        let call = format!("{name}({});", actual.join(", "));
        folds.first().map_or(call.clone(), |f| format!("r{f} = {call}"))
    }

    pub(super) fn sweep(&mut self, number: usize, sweep: &Sweep, turn: usize, out: &mut Lines) {
        let folds = folds_of(&sweep.body);
        if !sweep.apart || folds.len() > 1 {
            return self.loops(sweep, View::Loop { turn }, out);
        }
        let key = number.to_string();
        let call = self.function("sweep", &key, &folds, turn, |inner, view, lines| {
            inner.loops(sweep, view, lines);
        });
        out.line(&call);
    }
}
