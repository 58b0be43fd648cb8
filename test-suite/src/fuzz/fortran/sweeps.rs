//! Sweeps: from statements and axes to loops, sections or `do concurrent` where they stand, or to a procedure and its
//! call.

use super::*;

/// A loop's counter, its bounds, and whether it counts down.
struct Head {
    x: &'static str,
    lo: String,
    hi: String,
    down: bool,
}

impl Writer<'_> {
    pub(super) fn stmt(&self, stmt: &Stmt, scope: Scope, out: &mut Lines) {
        match stmt {
            Stmt::Let(local, value) => {
                out.line(&format!("x{local} = {}", self.expr(value, scope)));
            }
            Stmt::Store { place, add, value } => self.store(place, *add, value, scope, out),
            Stmt::If { when, then, other } => {
                let skips = self.p.style.continues && other.is_empty() && is_looped(scope.axes);
                if skips && !scope.section {
                    out.line(&format!("if (.not. ({})) cycle", self.cond(when, scope)));
                    return then.iter().for_each(|s| self.stmt(s, scope, out));
                }
                let word = if scope.section { "where" } else { "if" };
                let opened = if scope.section { "" } else { " then" };
                out.open(&format!("{word} ({}){opened}", self.cond(when, scope)));
                then.iter().for_each(|s| self.stmt(s, scope, out));
                if !other.is_empty() {
                    out.shut(&format!("else{}", if scope.section { "where" } else { "" }));
                    out.deeper();
                    other.iter().for_each(|s| self.stmt(s, scope, out));
                }
                out.shut(&format!("end {word}"));
            }
            Stmt::Fold(fold, value) if scope.section => {
                self.reduction(*fold, &self.expr(value, scope), out);
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
        let target = self.place(place, scope);
        let mut value = self.expr(value, scope);
        if add {
            value = format!("{} + {value}", self.load(target.clone()));
        }
        if self.p.element == Element::Byte {
            value = format!("int(iand({value}, 127), int8)");
        }
        out.line(&format!("{target} = {value}"));
    }

    pub(super) fn fold(&self, fold: usize, value: &str, out: &mut Lines) {
        let small = self.number(1);
        let result = format!("r{fold}");
        out.line(&match self.p.folds[fold].collects {
            Collects::Most => format!("{result} = max({result}, {value})"),
            Collects::Least => format!("{result} = min({result}, {value})"),
            Collects::Sum => format!("{result} = {result} + {value}"),
            Collects::Flag => format!("if ({value} > {small}) {result} = 1"),
            Collects::Count => format!("if ({value} > {small}) {result} = {result} + 1"),
        });
    }

    /// The same of a whole array.
    pub(super) fn reduction(&self, fold: usize, values: &str, out: &mut Lines) {
        let small = self.number(1);
        let result = format!("r{fold}");
        out.line(&match self.p.folds[fold].collects {
            Collects::Most => format!("{result} = max({result}, maxval({values}))"),
            Collects::Least => format!("{result} = min({result}, minval({values}))"),
            Collects::Sum => format!("{result} = {result} + sum({values})"),
            Collects::Flag => format!("if (any({values} > {small})) {result} = 1"),
            Collects::Count => format!("{result} = {result} + count({values} > {small})"),
        });
    }

    pub(super) fn fold_type(&self, fold: usize) -> &'static str {
        match self.p.folds[fold].collects {
            Collects::Most | Collects::Least => self.value(),
            Collects::Sum if self.is_real() => self.value(),
            Collects::Sum => "integer(int64)",
            Collects::Flag | Collects::Count => "integer",
        }
    }

    pub(super) fn fold_start(&self, fold: usize) -> String {
        match self.p.folds[fold].collects {
            Collects::Least => self.number(10_000),
            Collects::Most => self.number(-10_000),
            Collects::Sum | Collects::Flag | Collects::Count => "0".to_owned(),
        }
    }

    fn head(&self, one: Loop, view: View) -> Head {
        let (n, base) = (self.size(one.dim, view), self.base());
        let hi = one.behind(&n, base, "t");
        Head { x: COUNTERS[one.dim], lo: one.first(base, "t"), hi, down: one.down }
    }

    pub(super) fn shape(&self) -> String {
        if self.p.ways.often(SHAPES, 50) { self.open_bounds() } else { self.bounds() }
    }

    pub(super) fn input_shape(&self, input: usize, assumed: bool) -> String {
        let open = if self.base() == 1 { ":" } else { "0:" };
        match self.p.inputs[input].axis {
            Some(_) if assumed => open.to_owned(),
            Some(d) if self.base() == 1 => SIZES[d].to_owned(),
            Some(d) => format!("0:{} - 1", SIZES[d]),
            None if assumed => self.open_bounds(),
            None => self.bounds(),
        }
    }

    pub(super) fn input_type(&self, input: usize) -> &'static str {
        if self.p.inputs[input].mask { "integer" } else { self.element() }
    }

    /// What procedures may be handed.
    fn names(&self, turn: usize, written: &[(usize, Level)]) -> Vec<Name> {
        let mut all: Vec<Name> =
            self.p.handed().into_iter().map(|handed| self.name(handed, turn, written)).collect();
        if self.whole() {
            // The structure stands where the grids stood.
            let grids = self.p.buffer_names();
            let first = all.iter().position(|n| grids.contains(&n.name)).unwrap_or(0);
            all.retain(|n| !grids.contains(&n.name));
            let declared = "type(grid), intent(inout) :: g".to_owned();
            let structure = Name { name: "g".to_owned(), declared, actual: "g".to_owned() };
            all.insert(first, structure);
        }
        all
    }

    fn name(&self, handed: Handed, turn: usize, written: &[(usize, Level)]) -> Name {
        let view = View::Loop { turn };
        let same = |t: &str, name: &str, shape: &str| Name {
            name: name.to_owned(),
            declared: format!("{t}, intent(in) :: {name}{shape}"),
            actual: name.to_owned(),
        };
        match handed {
            Handed::Size(d) => {
                Name { actual: self.size(d, view), ..same(self.counter(), SIZES[d], "") }
            }
            Handed::Grid(field, level) => {
                let name = self.p.buffer(field, level);
                let stored = self.p.is_cells() || written.contains(&(field, level));
                let intent = if stored { "inout" } else { "in" };
                let (item, shape) = (self.item(), self.shape());
                let declared = format!("{item}, intent({intent}) :: {name}({shape})");
                Name { name, declared, actual: self.whole_grid(field, level, view) }
            }
            Handed::Input(i) => {
                let shape = self.input_shape(i, self.p.ways.often(SHAPES, 50));
                same(self.input_type(i), INPUTS[i], &format!("({shape})"))
            }
            Handed::Series => same(self.element(), "series", "(0:*)"),
            Handed::Scalar(scalar) => same(self.value(), scalar, ""),
            Handed::Step => same("integer", "t", ""),
        }
    }

    /// Makes a procedure of these lines and gives the call.
    pub(super) fn procedure(
        &mut self,
        name: &str,
        folds: &[usize],
        written: &[(usize, Level)],
        turn: usize,
        body: impl Fn(&Self, View, &mut Lines),
    ) -> String {
        let view = if self.whole() { View::Loop { turn: 0 } } else { View::Function };
        let mut lines = Lines::at(2);
        body(self, view, &mut lines);
        let names = self.names(turn, written);
        let inside = words(&lines.text);
        let declarations: String = names
            .iter()
            .filter(|n| inside.contains(&n.name.as_str()))
            .fold(String::new(), |text, n| text + &n.declared + ";");
        let more = words(&declarations);
        let module = self.whole() && self.kind() != Kind::Members;
        let mut used: Vec<Name> = names
            .into_iter()
            .filter(|n| inside.contains(&n.name.as_str()) || more.contains(&n.name.as_str()))
            .filter(|n| !(module && n.name == "g"))
            .collect();
        for fold in folds {
            let result = format!("r{fold}");
            used.push(Name {
                declared: format!("{}, intent(inout) :: {result}", self.fold_type(*fold)),
                actual: result.clone(),
                name: result,
            });
        }
        let actual: Vec<String> = used.iter().map(|n| n.actual.clone()).collect();
        if turn == 0 {
            let formal: Vec<String> = used.iter().map(|n| n.name.clone()).collect();
            let mut head = Lines::at(1);
            head.open(&format!("subroutine {name}({})", formal.join(", ")));
            used.iter().for_each(|n| head.line(&n.declared));
            self.locals(&lines.text, &mut head);
            self.procedures += &head.text;
            self.procedures += &lines.text;
            let _ = writeln!(self.procedures, "    end subroutine {name}\n");
        }
        format!("call {name}({})", actual.join(", "))
    }

    /// Declares the counters and the local variables of these lines.
    pub(super) fn locals(&self, text: &str, out: &mut Lines) {
        let words = words(text);
        let used = |names: &[&str]| -> Vec<String> {
            names.iter().filter(|x| words.contains(x)).map(|x| (*x).to_owned()).collect()
        };
        let counters = used(&COUNTERS[..self.p.dims]);
        if !counters.is_empty() {
            out.line(&format!("{} :: {}", self.counter(), counters.join(", ")));
        }
        let values = used(&["x0", "x1", "x2"]);
        if !values.is_empty() {
            out.line(&format!("{} :: {}", self.value(), values.join(", ")));
        }
    }

    pub(super) fn sweep(&mut self, number: usize, sweep: &Sweep, turn: usize, out: &mut Lines) {
        if !sweep.apart || !self.calls() {
            return self.loops(sweep, View::Loop { turn }, out);
        }
        let (folds, written) = (folds_of(&sweep.body), written(&sweep.body));
        let name = format!("sweep{number}");
        let call = self.procedure(&name, &folds, &written, turn, |w, view, lines| {
            w.loops(sweep, view, lines);
        });
        out.line(&call);
    }

    pub(super) fn loops(&self, sweep: &Sweep, view: View, out: &mut Lines) {
        let scope = Scope { axes: &sweep.axes, view, section: false };
        if self.p.ways.often(SECTIONS, 35) && self.sectionable(sweep) {
            let scope = Scope { section: is_looped(&sweep.axes), ..scope };
            return sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
        }
        let heads: Vec<Head> = sweep.loops().iter().map(|one| self.head(*one, view)).collect();
        let concurrent = self.p.ways.often(CONCURRENT, 15) && independent(sweep);
        if concurrent && !heads.is_empty() {
            let all: Vec<String> =
                heads.iter().map(|Head { x, lo, hi, .. }| format!("{x} = {lo}:{hi}")).collect();
            out.open(&format!("do concurrent ({})", all.join(", ")));
            sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
            return out.shut("end do");
        }
        for Head { x, lo, hi, down } in &heads {
            out.open(&match down {
                false => format!("do {x} = {lo}, {hi}"),
                true => format!("do {x} = {hi}, {lo}, -1"),
            });
        }
        sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
        heads.iter().for_each(|_| out.shut("end do"));
    }
}
