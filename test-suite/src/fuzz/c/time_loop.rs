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
                let target = self.start_of(self.grid(*field, *level, view));
                out.line(&format!("memset({target}, 0, {});", self.bytes()));
            }
            Part::Print { every, place } => {
                out.line(&format!(
                    "if (t % {every} == 0) printf(\"step %d: %a\\n\", t, seen({}));",
                    self.place(place, &nowhere, view)
                ));
            }
            Part::Trace(place) => {
                out.line(&format!("trace[t] = {};", self.place(place, &nowhere, view)));
            }
            Part::Settled { fold, below } => {
                let bound = match self.p.folds[*fold].collects {
                    Collects::Flag => "1".to_owned(),
                    Collects::Count => below.to_string(),
                    _ => self.number(*below),
                };
                way_out(&format!("if (r{fold} < {bound}) {{"), "settled = t;", out);
            }
            Part::Report { every, fold } => out.line(&format!(
                "if (t % {every} == 0) printf(\"step %d: so far %a\\n\", t, seen((double)r{fold}));"
            )),
            Part::Stalled { fold } => {
                way_out(
                    &format!("if ((double)r{fold} > 1.5 * last{fold}) {{"),
                    "settled = t;",
                    out,
                );
                out.line(&format!("last{fold} = (double)r{fold};"));
            }
            Part::Look { every, place } => {
                let place = self.place(place, &nowhere, view);
                out.line(&format!("if (t % {every} == 0) look(&{place}, &kept[3]);"));
            }
            Part::Touch { every, place } => {
                let place = self.place(place, &nowhere, view);
                out.line(&format!("if (t % {every} == 0) touch(&{place});"));
            }
        }
    }

    pub(super) fn parts(&mut self, turn: usize, out: &mut Lines) {
        let led = self.p.led(|_| true);
        if !led.is_empty() {
            let nowhere = nowhere(self.p);
            let call = self.function("step", "", &[], turn, |inner, view, lines| {
                each_led(
                    led,
                    lines,
                    |sweep, out| inner.loops(sweep, view, out),
                    |place, add, value, out| inner.store(place, add, value, &nowhere, view, out),
                );
            });
            out.line(&call);
        }
        for (number, part) in self.p.parts.iter().enumerate().skip(led.len()) {
            self.part(number, part, turn, out);
        }
    }

    /// Declares a pointer variable of the time loop's.
    pub(super) fn variable(&self, name: &str) -> String {
        let mut p = self.p.clone();
        p.style.restricted = false;
        let plain = Writer { p: &p, helpers: String::new() };
        plain.pointer(name, false)
    }

    pub(super) fn exchange(&self, out: &mut Lines) {
        match self.p.idiom {
            Idiom::Swap => self.swap(out),
            Idiom::Turn if self.p.buffers() == 3 => {
                out.line("int kept_index = old;");
                out.line("old = now;");
                out.line("now = next;");
                out.line("next = kept_index;");
            }
            Idiom::Turn if self.p.buffers() == 2 => {
                out.line("now = 1 - now;");
                out.line("next = 1 - now;");
            }
            _ => {}
        }
    }

    pub(super) fn swap(&self, out: &mut Lines) {
        for field in self.p.renewed() {
            let [now, next, old] = self.buffers(field);
            let tmp = format!("tmp_{}", self.p.stem(field));
            let three = self.p.buffers_of(field) == 3;
            let oldest = if three { &old } else { &now };
            out.line(&format!("{} = {oldest};", self.variable(&tmp)));
            if three {
                out.line(&format!("{old} = {now};"));
            }
            out.line(&format!("{now} = {next};"));
            out.line(&format!("{next} = {tmp};"));
        }
    }

    /// The buffers of a field, as the time loop reaches them.
    fn buffers(&self, field: usize) -> [String; 3] {
        LEVELS.map(|level| format!("{}{}", self.reach(), self.p.buffer(field, level)))
    }

    /// Bytes of one buffer.
    pub(super) fn bytes(&self) -> String {
        format!("{} * sizeof({})", self.points(), self.item())
    }

    pub(super) fn copy_back(&self, out: &mut Lines) {
        for field in self.p.renewed() {
            let [now, next, old] = self.buffers(field);
            if self.p.buffers_of(field) == 3 {
                out.line(&format!("memcpy({old}, {now}, {});", self.bytes()));
            }
            out.line(&format!("memcpy({now}, {next}, {});", self.bytes()));
        }
    }

    pub(super) fn step(&mut self, out: &mut Lines) {
        for (f, fold) in self.p.folds.iter().enumerate() {
            if fold.renewed {
                out.line(&format!("r{f} = {};", self.fold_start(f)));
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
            let value = self.value();
            out.line(&if self.p.element.is_real() {
                format!("before = ({value})(0.1 * r0 / (1.0 + 0.5 * fabs((double)r0)));")
            } else {
                "before = (int)(r0 % 1000);".to_owned()
            });
        }
        if self.p.uses(Scalar::Wave) {
            out.line(if self.p.element.is_real() {
                "wave = wave * 0.5 + 0.1;"
            } else {
                "wave = (wave + 3) % 16;"
            });
        }
        if let Some(stop) = self.p.style.stop {
            out.line(&format!("if (t == {stop}) break;"));
        }
    }

    pub(super) fn fresh(&mut self, out: &mut Lines) {
        let fresh = self.p.renewed();
        let stacked = self.p.ways.often(STACKED, 50);
        for f in &fresh {
            let (new, now) = (self.p.buffer(*f, Level::Next), self.p.buffer(*f, Level::Now));
            let (element, bytes) = (self.element(), self.bytes());
            out.line(&match stacked {
                true => format!("{element} {new}[{} + 1];", self.points()),
                false => format!("{element} *{new} = malloc({bytes} + 1);"),
            });
            out.line(&match self.p.style.cleared {
                true => format!("memset({new}, 0, {bytes});"),
                false => format!("memcpy({new}, {now}, {bytes});"),
            });
        }
        self.parts(0, out);
        for f in &fresh {
            let (new, now) = (self.p.buffer(*f, Level::Next), self.p.buffer(*f, Level::Now));
            out.line(&format!("memcpy({now}, {new}, {});", self.bytes()));
            if !stacked {
                out.line(&format!("free({new});"));
            }
        }
    }

    pub(super) fn time_loop(&mut self, out: &mut Lines) {
        match self.p.style.clock {
            Clock::Up => out.open("for (t = 0; t < steps; t++) {"),
            Clock::FromOne => out.open("for (t = 1; t <= steps; t++) {"),
            Clock::Down => out.open("for (t = steps; t > 0; t--) {"),
            Clock::While => {
                out.line("t = 0;");
                out.open("while (t < steps) {");
            }
            Clock::Real => {
                out.line("t = 0;");
                out.line("double dt = 0.125, time = 0.0, end = steps * dt;");
                out.open("while (time < end) {");
            }
            Clock::DoWhile => {
                out.line("t = 0;");
                out.open("if (steps > 0) do {");
            }
        }
        self.step(out);
        match self.p.style.clock {
            Clock::Up | Clock::FromOne | Clock::Down => {}
            Clock::While | Clock::DoWhile => out.line("t++;"),
            Clock::Real => {
                out.line("time += dt;");
                out.line("t++;");
            }
        }
        out.shut(match self.p.style.clock {
            Clock::DoWhile => "} while (t < steps);",
            _ => "}",
        });
    }

    /// The statements of the time loop's function.
    pub(super) fn run(&mut self) -> String {
        let mut out = Lines::at(if self.p.style.home == Home::Main { 2 } else { 1 });
        let out = &mut out;
        out.line("int t = 0, settled = -1;");
        if self.p.uses(Scalar::Wave) {
            let start = if self.p.element.is_real() { "0.25" } else { "5" };
            out.line(&format!("{} wave = {start};", self.value()));
        }
        if self.p.uses(Scalar::Collected) {
            out.line(&format!("{} before = 0;", self.value()));
        }
        if self.p.turns() {
            out.line(match self.p.buffers() {
                2 => "int now = 0, next = 1;",
                _ => "int now = 0, next = 1, old = 2;",
            });
        }
        for f in 0..self.p.folds.len() {
            out.line(&format!("{} r{f} = {};", self.fold_type(f), self.fold_start(f)));
        }
        for f in self.p.remembered() {
            out.line(&format!("double last{f} = 1e30;"));
        }
        let first = self.watched();
        for (was, now) in &first {
            out.line(&format!("const void *{was} = {now};"));
        }
        if self.p.style.rounds > 1 {
            out.open(&format!("for (int round = 0; round < {}; round++) {{", self.p.style.rounds));
        }
        if self.p.style.twice {
            let start = out.text.len();
            out.open("{");
            self.time_loop(out);
            out.shut("}");
            out.again(start);
        } else {
            self.time_loop(out);
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
        for (k, (was, now)) in first.iter().enumerate() {
            out.line(&format!("kept[{}] = {was} == (const void *){now};", 4 + k));
        }
        if self.p.turns() {
            out.line("kept[7] = now;");
        }
        std::mem::take(&mut out.text)
    }

    /// Pointers that the time loop swaps, and names for what they were.
    pub(super) fn watched(&self) -> Vec<(String, String)> {
        if self.p.idiom != Idiom::Swap {
            return Vec::new();
        }
        let reach = self.reach();
        let stems = self.p.renewed().into_iter().map(|f| self.p.stem(f));
        stems.map(|stem| (format!("first_{stem}"), format!("{reach}{stem}"))).collect()
    }
}
