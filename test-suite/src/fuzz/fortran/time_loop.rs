//! The time loop: from the parts of a step and the idiom to the statements of `run`, and to what they declare.

use super::*;

impl Writer<'_> {
    pub(super) fn part(&mut self, number: usize, part: &Part, turn: usize, out: &mut Lines) {
        let view = View::Loop { turn };
        let nowhere = nowhere(self.p);
        let scope = Scope { axes: &nowhere, view, section: false };
        match part {
            Part::Sweep(sweep) => self.sweep(number, sweep, turn, out),
            Part::Point { place, add, value } => self.store(place, *add, value, scope, out),
            Part::Clear { field, level } => {
                let grid = self.whole_grid(*field, *level, view);
                let member =
                    if self.p.is_cells() { format!("%{}", FIELDS[*field]) } else { String::new() };
                out.line(&format!("{grid}{member} = 0"));
            }
            Part::Print { every, place } => {
                let shown = self.load(self.place(place, scope));
                out.line(&format!("if (mod(t, {every}) == 0) {}", self.print("step ", &shown)));
            }
            Part::Trace(place) => {
                out.line(&format!("trace(t) = {}", self.place(place, scope)));
            }
            Part::Settled { fold, below } => {
                let bound = match self.p.folds[*fold].collects {
                    Collects::Flag => "1".to_owned(),
                    Collects::Count => below.to_string(),
                    _ => self.number(*below),
                };
                out.open(&format!("if (r{fold} < {bound}) then"));
                out.line("settled = t");
                out.line("exit");
                out.shut("end if");
            }
            Part::Report { every, fold } => {
                let line = self.print("so far ", &format!("r{fold}"));
                out.line(&format!("if (mod(t, {every}) == 0) {line}"));
            }
            Part::Stalled { fold } => {
                out.open(&format!("if (real(r{fold}, real64) > 1.5_real64*last{fold}) then"));
                out.line("settled = t");
                out.line("exit");
                out.shut("end if");
                out.line(&format!("last{fold} = real(r{fold}, real64)"));
            }
            Part::Look { every, place } => {
                let place = self.place(place, scope);
                out.line(&format!("if (mod(t, {every}) == 0) call look({place}, kept(3))"));
            }
            Part::Touch { every, place } => {
                let place = self.place(place, scope);
                out.line(&format!("if (mod(t, {every}) == 0) call touch({place})"));
            }
        }
    }

    pub(super) fn print(&self, what: &str, shown: &str) -> String {
        if self.p.ways.often(PRINTS, 40) {
            return format!("print *, '{what}', t, {shown}");
        }
        format!("write (*, '(a,i0,a,z16.16)') '{what}', t, ': ', seen(real({shown}, real64))")
    }

    pub(super) fn parts(&mut self, turn: usize, out: &mut Lines) {
        let led = self.p.led(|_| self.calls());
        if !led.is_empty() {
            let nowhere = nowhere(self.p);
            let call = self.procedure("advance", &[], &stored(led), turn, |w, view, lines| {
                let scope = Scope { axes: &nowhere, view, section: false };
                each_led(
                    led,
                    lines,
                    |sweep, out| w.loops(sweep, view, out),
                    |place, add, value, out| w.store(place, add, value, scope, out),
                );
            });
            out.line(&call);
        }
        for (number, part) in self.p.parts.iter().enumerate().skip(led.len()) {
            self.part(number, part, turn, out);
        }
    }

    pub(super) fn exchange(&self, out: &mut Lines) {
        match self.p.idiom {
            Idiom::Swap => {
                for field in self.p.renewed() {
                    let [now, next, old] = LEVELS
                        .map(|level| format!("{}{}", self.reach(), self.p.buffer(field, level)));
                    let kept = format!("kept_{}", self.p.stem(field));
                    let mut round = vec![&kept, &now, &next, &kept];
                    if self.p.buffers_of(field) == 3 {
                        round = vec![&kept, &old, &now, &next, &kept];
                    }
                    for pair in round.windows(2) {
                        out.line(&match self.points() {
                            true => format!("{} => {}", pair[0], pair[1]),
                            false => format!("call move_alloc({}, {})", pair[1], pair[0]),
                        });
                    }
                }
            }
            Idiom::Turn if self.p.buffers() == 3 => {
                ["kept_index = old", "old = now", "now = next", "next = kept_index"]
                    .iter()
                    .for_each(|line| out.line(line));
            }
            Idiom::Turn if self.p.buffers() == 2 => {
                out.line("now = 1 - now");
                out.line("next = 1 - now");
            }
            _ => {}
        }
    }

    pub(super) fn copy_back(&self, out: &mut Lines) {
        let view = View::Loop { turn: 0 };
        let plain = self.way(COPIES, 2) == 0;
        for f in self.p.renewed() {
            let [now, next, old] = LEVELS.map(|level| {
                let grid = self.whole_grid(f, level, view);
                let all = plain || grid.contains('(');
                if all { grid } else { format!("{grid}({})", self.colons(self.p.dims)) }
            });
            if self.p.buffers_of(f) == 3 {
                out.line(&format!("{old} = {now}"));
            }
            out.line(&format!("{now} = {next}"));
        }
    }

    pub(super) fn fresh(&mut self, out: &mut Lines) {
        let fields = self.p.renewed();
        let view = View::Loop { turn: 0 };
        let names =
            |f: usize| (self.p.buffer(f, Level::Next), self.whole_grid(f, Level::Now, view));
        if self.stacked() {
            out.open("block");
            for f in &fields {
                out.line(&format!("{} :: {}({})", self.item(), names(*f).0, self.bounds()));
            }
        }
        for f in &fields {
            let (next, now) = names(*f);
            let start = if self.p.style.cleared { "0".to_owned() } else { now };
            match (self.stacked(), self.p.style.cleared || self.way(MOVES, 2) == 0) {
                (true, _) => out.line(&format!("{next} = {start}")),
                (false, true) => {
                    out.line(&format!("allocate ({next}({}))", self.bounds()));
                    out.line(&format!("{next} = {start}"));
                }
                (false, false) => {
                    out.line(&format!("allocate ({next}({}), source={start})", self.bounds()));
                }
            }
        }
        self.parts(0, out);
        for f in &fields {
            let (next, now) =
                (self.p.buffer(*f, Level::Next), self.whole_grid(*f, Level::Now, view));
            let moved = self.kind() == Kind::Allocatable && self.way(COPIES, 2) == 1;
            if moved && !self.stacked() {
                out.line(&format!("call move_alloc({next}, {now})"));
                continue;
            }
            out.line(&format!("{now} = {next}"));
            if !self.stacked() {
                out.line(&format!("deallocate ({next})"));
            }
        }
        if self.stacked() {
            out.shut("end block");
        }
    }

    /// Whether grids that each step makes are automatic.
    fn stacked(&self) -> bool {
        self.p.idiom == Idiom::Fresh && self.p.ways.often(STACKED, 40)
    }

    pub(super) fn step(&mut self, out: &mut Lines) {
        for (f, fold) in self.p.folds.iter().enumerate() {
            if fold.renewed {
                out.line(&format!("r{f} = {}", self.fold_start(f)));
            }
        }
        let associated = self.associated();
        if associated {
            let mut all = Vec::new();
            for f in self.p.indexed() {
                for level in self.p.levels(f) {
                    let (array, slot) = self.slot(f, level);
                    let slot = format!("{array}({}, {slot})", self.colons(self.p.dims));
                    all.push(format!("{}_here => {slot}", self.p.buffer(f, level)));
                }
            }
            out.open(&format!("associate ({})", all.join(", ")));
        }
        for piece in self.p.pieces() {
            match piece {
                Piece::Parts { turn } => self.parts(*turn, out),
                Piece::ByTurns => {
                    out.open("if (mod(t, 2) == 0) then");
                    self.parts(0, out);
                    out.shut("else");
                    out.deeper();
                    self.parts(1, out);
                    out.shut("end if");
                }
                Piece::CopyBack => self.copy_back(out),
                Piece::Fresh => self.fresh(out),
                Piece::Exchange => {
                    if associated {
                        out.shut("end associate");
                    }
                    self.exchange(out);
                }
            }
        }
        if self.p.uses(Scalar::Collected) {
            let long = self.fold_type(0) == "integer(int64)";
            out.line(match (self.is_real(), long) {
                (true, _) => {
                    "before = real(0.1_real64*r0/(1.0_real64 + 0.5_real64*abs(real(r0, real64))), wp)"
                }
                (false, true) => "before = int(mod(r0, 1000_int64))",
                (false, false) => "before = mod(r0, 1000)",
            });
        }
        if self.p.uses(Scalar::Wave) {
            out.line(match self.is_real() {
                true => "wave = wave*0.5_wp + 0.1_wp",
                false => "wave = mod(wave + 3, 16)",
            });
        }
        if let Some(stop) = self.p.style.stop {
            out.line(&format!("if (t == {stop}) exit"));
        }
    }

    pub(super) fn time_loop(&mut self, out: &mut Lines) {
        let start = |out: &mut Lines, line: &str| {
            out.line("t = 0");
            out.open(line);
        };
        match self.p.style.clock {
            Clock::Up => out.open("do t = 0, steps - 1"),
            Clock::FromOne => out.open("do t = 1, steps"),
            Clock::Down => out.open("do t = steps, 1, -1"),
            Clock::While => start(out, "do while (t < steps)"),
            Clock::Real => {
                out.line("time = 0.0_real64");
                start(out, "do while (time < steps*0.125_real64)");
            }
            Clock::DoWhile => {
                out.open("if (steps > 0) then");
                start(out, "do");
            }
        }
        self.step(out);
        match self.p.style.clock {
            Clock::Up | Clock::FromOne | Clock::Down => {}
            Clock::While => out.line("t = t + 1"),
            Clock::DoWhile => {
                out.line("t = t + 1");
                out.line("if (t >= steps) exit");
            }
            Clock::Real => {
                out.line("time = time + 0.125_real64");
                out.line("t = t + 1");
            }
        }
        out.shut("end do");
        if self.p.style.clock == Clock::DoWhile {
            out.shut("end if");
        }
    }

    /// Declarations and statements of the time loop.
    pub(super) fn run(&mut self) -> (String, String) {
        let mut out = Lines::at(2);
        out.line("t = 0");
        out.line("settled = -1");
        if self.kind() == Kind::Pointer {
            self.point(&mut out);
        }
        if self.p.uses(Scalar::Wave) {
            out.line(if self.is_real() { "wave = 0.25_wp" } else { "wave = 5" });
        }
        if self.p.uses(Scalar::Collected) {
            out.line("before = 0");
        }
        let turns = self.p.turns();
        if turns {
            out.line("now = 0");
            out.line("next = 1");
            out.line("old = 2");
        }
        for f in 0..self.p.folds.len() {
            out.line(&format!("r{f} = {}", self.fold_start(f)));
        }
        for f in self.p.remembered() {
            out.line(&format!("last{f} = 1.0e30_real64"));
        }
        if self.p.style.rounds > 1 {
            out.open(&format!("do round = 0, {}", self.p.style.rounds - 1));
        }
        let start = out.text.len();
        self.time_loop(&mut out);
        if self.p.style.twice {
            out.again(start);
        }
        if self.p.style.rounds > 1 {
            out.line("kept(8) = kept(8) + round + t");
            out.shut("end do");
        }
        out.line("kept(0) = t");
        out.line("kept(1) = settled");
        for f in 0..self.p.folds.len() {
            out.line(&format!("kept({}) = r{f}", 2 + f));
        }
        if self.kind() == Kind::Pointer && !self.block() {
            for f in self.p.renewed() {
                let name = self.p.buffer(f, Level::Now);
                out.line(&format!(
                    "kept({}) = merge(1, 0, associated({name}, {name}_home))",
                    4 + f
                ));
            }
        }
        if turns {
            out.line("kept(7) = now");
        }
        let mut head = Lines::at(2);
        self.run_locals(&out.text, &mut head);
        (head.text, out.text)
    }

    /// The time loop's own pointers, to what it was handed.
    pub(super) fn point(&self, out: &mut Lines) {
        let open = self.order().iter().map(|_| format!("{}:", self.base())).collect::<Vec<_>>();
        let open = open.join(", ");
        for f in 0..self.p.grids() {
            for level in self.p.levels(f) {
                let name = self.p.buffer(f, level);
                let home = match self.block() {
                    true => {
                        format!("block({}, {})", self.colons(self.p.dims), self.plane(f, level))
                    }
                    false => format!("{name}_home"),
                };
                out.line(&format!("{name}({open}) => {home}"));
            }
        }
    }

    pub(super) fn run_locals(&self, text: &str, out: &mut Lines) {
        out.line("integer :: t, settled");
        if self.p.style.rounds > 1 {
            out.line("integer :: round");
        }
        if self.p.style.clock == Clock::Real {
            out.line("real(real64) :: time");
        }
        if self.p.turns() {
            out.line("integer :: now, next, old, kept_index");
        }
        for scalar in ["wave", "before"] {
            if words(text).contains(&scalar) {
                out.line(&format!("{} :: {scalar}", self.value()));
            }
        }
        for f in 0..self.p.folds.len() {
            out.line(&format!("{} :: r{f}", self.fold_type(f)));
        }
        for f in self.p.remembered() {
            out.line(&format!("real(real64) :: last{f}"));
        }
        let attribute = if self.points() { "pointer" } else { "allocatable" };
        let (item, dims) = (self.item(), self.colons(self.p.dims));
        for f in self.p.renewed() {
            if self.p.idiom == Idiom::Swap {
                out.line(&format!("{item}, {attribute} :: kept_{}({dims})", self.p.stem(f)));
            }
            if self.p.idiom == Idiom::Fresh && !self.stacked() {
                let next = self.p.buffer(f, Level::Next);
                out.line(&format!("{item}, allocatable :: {next}({dims})"));
            }
        }
        if self.kind() == Kind::Pointer {
            for f in 0..self.p.grids() {
                for level in self.p.levels(f) {
                    out.line(&format!("{item}, pointer :: {}({dims})", self.p.buffer(f, level)));
                }
            }
        }
        self.locals(text, out);
    }
}
