//! The time loop: from the parts of a step and the idiom to the statements of `run`.

use super::*;

impl Writer<'_> {
    pub(super) fn part(&mut self, number: usize, part: &Part, turn: usize, out: &mut Lines) {
        let view = View::Loop { turn };
        let nowhere = nowhere(self.p);
        match part {
            Part::Sweep(sweep) => self.sweep(number, sweep, turn, out),
            Part::Point { place, add, value } => {
                self.store(place, *add, value, &nowhere, view, out);
            }
            Part::Clear { field, level } => {
                let points = self.points(view);
                out.line(&format!("clear({}, {points});", self.grid(*field, *level, view)));
            }
            Part::Print { every, place } => out.line(&format!(
                "if (t % {every} == 0) std::printf(\"step %d: %a\\n\", t, seen({}));",
                self.looked_at(place, &nowhere, view)
            )),
            Part::Trace(place) => {
                out.line(&format!("trace[t] = {};", self.looked_at(place, &nowhere, view)));
            }
            Part::Settled { fold, below } => {
                let settled = match self.p.folds[*fold].collects {
                    Collects::Flag => format!("!r{fold}"),
                    Collects::Count => format!("r{fold} < {below}"),
                    _ => format!("r{fold} < {}", self.number(*below)),
                };
                way_out(&format!("if ({settled}) {{"), "settled = t;", out);
            }
            Part::Report { every, fold } => out.line(&format!(
                "if (t % {every} == 0) std::printf(\"step %d: so far %a\\n\", t, seen(static_cast<double>(r{fold})));"
            )),
            Part::Stalled { fold } => {
                way_out(&format!("if (static_cast<double>(r{fold}) > 1.5 * last{fold}) {{"), "settled = t;", out);
                out.line(&format!("last{fold} = static_cast<double>(r{fold});"));
            }
            Part::Look { every, place } => {
                let place = self.place(place, &nowhere, view);
                out.line(&format!("if (t % {every} == 0) look({place}, kept[3]);"));
            }
            Part::Touch { every, place } => {
                let place = self.place(place, &nowhere, view);
                out.line(&format!("if (t % {every} == 0) touch({place});"));
            }
        }
    }

    pub(super) fn parts(&mut self, turn: usize, out: &mut Lines) {
        let led = self.p.led(|_| true);
        if !led.is_empty() {
            let nowhere = nowhere(self.p);
            let call = self.function("one_step", &[], &stored(led), turn, |w, view, lines| {
                each_led(
                    led,
                    lines,
                    |sweep, out| w.loops(sweep, view, out),
                    |place, add, value, out| w.store(place, add, value, &nowhere, view, out),
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
            Idiom::Swap => (0..self.p.grids()).for_each(|field| self.swap(field, out)),
            Idiom::Turn if self.p.buffers() == 3 => {
                out.line("std::swap(old, now);");
                out.line("std::swap(now, next);");
            }
            Idiom::Turn if self.p.buffers() == 2 => out.line("std::swap(now, next);"),
            _ => {}
        }
    }

    pub(super) fn swap(&self, field: usize, out: &mut Lines) {
        let at = if self.by_address() { "at_" } else { "" };
        let [now, next, old] = LEVELS.map(|level| format!("{at}{}", self.p.buffer(field, level)));
        let one = |a: &str, b: &str| match (self.way(SWAP, 4), self.kind()) {
            (1, Kind::Vector | Kind::Unique | Kind::Nested) => vec![format!("{a}.swap({b});")],
            (2, _) => vec![
                format!("auto kept_{a} = std::move({a});"),
                format!("{a} = std::move({b});"),
                format!("{b} = std::move(kept_{a});"),
            ],
            _ => vec![format!("std::swap({a}, {b});")],
        };
        let lines = match self.p.buffers_of(field) {
            2 => one(&now, &next),
            3 => [one(&old, &now), one(&now, &next)].concat(),
            _ => Vec::new(),
        };
        lines.iter().for_each(|line| out.line(line));
    }

    /// A buffer takes what another holds.
    pub(super) fn assign(&self, to: &str, from: &str, view: View) -> String {
        let arrays = self.kind() == Kind::Static && self.p.ways.often(ARRAYS, 50);
        let whole = matches!(self.kind(), Kind::Vector | Kind::Nested | Kind::Class) || arrays;
        if whole && !self.p.ways.often(COPIES, 40) {
            return format!("{to} = {from};");
        }
        format!("duplicate({from}, {to}, {});", self.points(view))
    }

    pub(super) fn copy_back(&self, out: &mut Lines) {
        let view = View::Loop { turn: 0 };
        for field in self.p.renewed() {
            let [now, next, old] = LEVELS.map(|level| self.p.buffer(field, level));
            if self.p.buffers_of(field) == 3 {
                out.line(&self.assign(&old, &now, view));
            }
            out.line(&self.assign(&now, &next, view));
        }
    }

    pub(super) fn fresh(&mut self, out: &mut Lines) {
        let fields = self.p.renewed();
        let sizes = self.p.sizes().join(", ");
        let view = View::Loop { turn: 0 };
        for f in &fields {
            let (now, next) = (self.p.buffer(*f, Level::Now), self.p.buffer(*f, Level::Next));
            let points = self.points(view);
            let cleared = self.p.style.cleared;
            match self.kind() {
                Kind::Vector if cleared => {
                    out.line(&format!("Buffer {next}({now}.size());"));
                    continue;
                }
                Kind::Vector | Kind::Class => out.line(&format!("Buffer {next}({now});")),
                Kind::Pointer if cleared => {
                    out.line(&format!("Buffer {next} = new Element[{points} + 1]();"));
                    continue;
                }
                Kind::Pointer => {
                    out.line(&format!("Buffer {next} = new Element[{points} + 1];"));
                    out.line(&format!("duplicate({now}, {next}, {points});"));
                }
                _ => out.line(&format!("Buffer {next} = make(&{now}[0], {sizes});")),
            }
            if cleared {
                out.line(&format!("clear({next}, {points});"));
            }
        }
        self.parts(0, out);
        for f in &fields {
            let (now, next) = (self.p.buffer(*f, Level::Now), self.p.buffer(*f, Level::Next));
            match (self.kind(), self.way(SWAP, 3)) {
                (Kind::Pointer, _) => {
                    out.line(&self.assign(&now, &next, view));
                    out.line(&format!("delete[] {next};"));
                }
                (_, 0) => out.line(&format!("{now} = std::move({next});")),
                (_, 1) => out.line(&format!("std::swap({now}, {next});")),
                _ => out.line(&self.assign(&now, &next, view)),
            }
        }
    }

    pub(super) fn step(&mut self, out: &mut Lines) {
        for (f, fold) in self.p.folds.iter().enumerate() {
            if fold.renewed {
                out.line(&format!("r{f} = {};", self.fold_start(f)));
            }
        }
        if self.p.ways.often(THROWS, 15) {
            out.line("if (t > 1000000) throw std::runtime_error(\"too many steps\");");
        }
        if self.p.ways.often(REFERENCES, 40) {
            for f in self.p.indexed() {
                for level in self.p.levels(f) {
                    let name = self.p.buffer(f, level);
                    out.line(&format!("auto &{name}_here = {};", self.slot(f, level)));
                }
            }
        }
        for piece in self.p.pieces() {
            match piece {
                Piece::Parts { turn } => self.parts(*turn, out),
                Piece::ByTurns => {
                    out.open("if (t % 2 == 0) {");
                    self.parts(0, out);
                    out.shut("} else {");
                    out.deeper();
                    self.parts(1, out);
                    out.shut("}");
                }
                Piece::CopyBack => self.copy_back(out),
                Piece::Fresh => self.fresh(out),
                Piece::Exchange => self.exchange(out),
            }
        }
        if self.p.uses(Scalar::Collected) {
            out.line(if self.is_real() {
                "before = static_cast<Value>(0.1 * r0 / (1.0 + 0.5 * std::abs(static_cast<double>(r0))));"
            } else {
                "before = static_cast<Value>(r0 % 1000);"
            });
        }
        if self.p.uses(Scalar::Wave) {
            out.line(if self.is_real() {
                "wave = wave * 0.5 + 0.1;"
            } else {
                "wave = (wave + 3) % 16;"
            });
        }
        if let Some(stop) = self.p.style.stop {
            out.line(&format!("if (t == {stop}) break;"));
        }
    }

    pub(super) fn time_loop(&mut self, out: &mut Lines) {
        let start = |out: &mut Lines, line: &str| {
            out.line("t = 0;");
            out.open(line);
        };
        match self.p.style.clock {
            Clock::Up => out.open("for (t = 0; t < steps; ++t) {"),
            Clock::FromOne => out.open("for (t = 1; t <= steps; ++t) {"),
            Clock::Down => out.open("for (t = steps; t > 0; --t) {"),
            Clock::While => start(out, "while (t < steps) {"),
            Clock::Real => {
                out.line("const double dt = 0.125, end = steps * dt;");
                out.line("double time = 0.0;");
                start(out, "while (time < end) {");
            }
            Clock::DoWhile => start(out, "if (steps > 0) do {"),
        }
        self.step(out);
        match self.p.style.clock {
            Clock::Up | Clock::FromOne | Clock::Down => {}
            Clock::While | Clock::DoWhile => out.line("++t;"),
            Clock::Real => {
                out.line("time += dt;");
                out.line("++t;");
            }
        }
        out.shut(if self.p.style.clock == Clock::DoWhile { "} while (t < steps);" } else { "}" });
    }

    /// The statements of the time loop's function.
    pub(super) fn run(&mut self) -> String {
        let mut out = Lines::at(1);
        let mut head = Lines::at(1);
        head.line("int t = 0, settled = -1;");
        if self.p.uses(Scalar::Wave) {
            head.line(&format!("Value wave = {};", if self.is_real() { "0.25" } else { "5" }));
        }
        if self.p.uses(Scalar::Collected) {
            head.line("Value before = 0;");
        }
        if self.p.turns() {
            let old = if self.p.buffers() == 3 { ", old = 2" } else { "" };
            head.line(&format!("int now = 0, next = 1{old};"));
        }
        for f in 0..self.p.folds.len() {
            head.line(&format!("{} r{f} = {};", self.fold_type(f), self.fold_start(f)));
        }
        for f in self.p.remembered() {
            head.line(&format!("double last{f} = 1e30;"));
        }
        let pointed = if self.by_address() { self.p.renewed() } else { Vec::new() };
        for f in &pointed {
            for level in self.p.levels(*f) {
                let name = self.p.buffer(*f, level);
                head.line(&format!("Buffer *at_{name} = &{name};"));
            }
        }
        if self.p.style.rounds > 1 {
            out.open(&format!("for (int round = 0; round < {}; ++round) {{", self.p.style.rounds));
        }
        if self.p.style.twice {
            let start = out.text.len();
            out.open("{");
            self.time_loop(&mut out);
            out.shut("}");
            out.again(start);
        } else {
            self.time_loop(&mut out);
        }
        if self.p.style.rounds > 1 {
            out.line("kept[8] += round + t;");
            out.shut("}");
        }
        out.line("kept[0] = t;");
        out.line("kept[1] = settled;");
        for f in 0..self.p.folds.len() {
            out.line(&format!("kept[{}] = r{f};", 2 + f));
        }
        for f in pointed {
            let name = self.p.buffer(f, Level::Now);
            out.line(&format!("kept[{}] = at_{name} == &{name};", 4 + f));
        }
        if self.p.turns() {
            out.line("kept[7] = now;");
        }
        head.text + &std::mem::take(&mut self.lambdas) + &out.text
    }
}
