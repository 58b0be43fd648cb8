//! The time loop: from the parts of a step and the idiom to the statements of `run`.

use super::*;

impl Writer<'_> {
    pub(super) fn part(&mut self, number: usize, part: &Part, turn: usize, out: &mut Lines) {
        let view = View::Loop { turn };
        let nowhere = nowhere(self.p);
        let scope = Scope { axes: &nowhere, view, streams: None };
        match part {
            Part::Sweep(sweep) => self.sweep(number, sweep, turn, out),
            Part::Point { place, add, value } => self.store(place, *add, value, scope, out),
            Part::Clear { field, level } => self.clear(&self.grid(*field, *level, view), out),
            Part::Print { every, place } => {
                out.open(&format!("if t % {every} == 0 {{"));
                let shown = self.place(place, scope);
                out.line(&format!("println!(\"step {{t}}: {{:x}}\", seen({shown} as f64));"));
                out.shut("}");
            }
            Part::Trace(place) => {
                let at = self.step_as("usize");
                out.line(&format!("trace[{at}] = {};", self.place(place, scope)));
            }
            Part::Settled { fold, below } => {
                let settled = match self.p.folds[*fold].collects {
                    Collects::Flag => format!("!r{fold}"),
                    Collects::Count => format!("r{fold} < {below}"),
                    _ => format!("r{fold} < {}", self.number(*below)),
                };
                way_out(&format!("if {settled} {{"), "settled = t as i32;", out);
            }
            Part::Report { every, fold } => {
                out.open(&format!("if t % {every} == 0 {{"));
                let shown = self.fold_shown(*fold);
                out.line(&format!("println!(\"step {{t}}: so far {{:x}}\", seen({shown}));"));
                out.shut("}");
            }
            Part::Stalled { fold } => {
                let shown = self.fold_shown(*fold);
                way_out(&format!("if {shown} > 1.5 * last{fold} {{"), "settled = t as i32;", out);
                out.line(&format!("last{fold} = {shown};"));
            }
            Part::Look { every, place } => {
                out.open(&format!("if t % {every} == 0 {{"));
                out.line(&format!("look(&{}, &mut kept[3]);", self.place(place, scope)));
                out.shut("}");
            }
            Part::Touch { every, place } => {
                out.open(&format!("if t % {every} == 0 {{"));
                out.line(&format!("touch(&mut {});", self.place(place, scope)));
                out.shut("}");
            }
        }
    }

    pub(super) fn clear(&self, grid: &str, out: &mut Lines) {
        let zero = match (self.p.is_cells(), self.is_real()) {
            (true, _) => "Cell::default()",
            (_, true) => "0.0",
            _ => "0",
        };
        match self.kind() {
            Kind::Grid => out.line(&format!("{grid}.held.fill({zero});")),
            Kind::Array => {
                let flat = ".as_flattened_mut()".repeat(self.p.dims - 1);
                out.line(&format!("{grid}{flat}.fill({zero});"));
            }
            Kind::Nested if self.p.dims > 1 => {
                out.line(&format!("{grid}.iter_mut().flatten().for_each(|x| *x = {zero});"));
            }
            _ => out.line(&format!("{grid}.fill({zero});")),
        }
    }

    pub(super) fn parts(&mut self, turn: usize, out: &mut Lines) {
        let led = self.p.led(|_| !self.direct());
        if !led.is_empty() {
            let nowhere = nowhere(self.p);
            let call = self.function("advance", None, &stored(led), turn, |w, view, lines| {
                let scope = Scope { axes: &nowhere, view, streams: None };
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
            Idiom::Swap => (0..self.p.grids()).for_each(|field| self.swap(field, out)),
            Idiom::Turn if self.p.buffers() == 3 => {
                out.line("(old, now, next) = (now, next, old);");
            }
            Idiom::Turn if self.p.buffers() == 2 => {
                out.line("std::mem::swap(&mut now, &mut next);")
            }
            _ => {}
        }
    }

    pub(super) fn swap(&self, field: usize, out: &mut Lines) {
        let [now, next, old] = LEVELS.map(|level| {
            let name = self.p.buffer(field, level);
            match (self.members(), self.kind()) {
                (true, _) => format!("&mut self.{name}"),
                (false, Kind::Slice) => format!("&mut {name}"),
                (false, _) => name,
            }
        });
        let empty = matches!(self.kind(), Kind::Vec | Kind::Nested) && self.way(SWAP, 3) == 2;
        let one = |a: &str, b: &str| match empty {
            true => vec![
                format!("let kept = std::mem::take({a});"),
                format!("let kept = std::mem::replace({b}, kept);"),
                format!("let _ = std::mem::replace({a}, kept);"),
            ],
            false => vec![format!("std::mem::swap({a}, {b});")],
        };
        let lines = match self.p.buffers_of(field) {
            2 => one(&now, &next),
            3 => [one(&old, &now), one(&now, &next)].concat(),
            _ => Vec::new(),
        };
        lines.iter().for_each(|line| out.line(line));
    }

    /// A buffer takes what another holds.
    pub(super) fn assign(&self, to: &str, from: &str, out: &mut Lines) {
        let cloned = self.p.ways.often(COPIES, 40);
        let value = if to.starts_with("self.") { to.to_owned() } else { format!("*{to}") };
        out.line(&match self.kind() {
            Kind::Vec if cloned => format!("{value} = {from}.clone();"),
            Kind::Vec | Kind::Slice => format!("{to}.copy_from_slice(&{from}[..]);"),
            Kind::Grid if cloned => format!("{value} = {from}.clone();"),
            Kind::Grid => format!("{to}.held.copy_from_slice(&{from}.held);"),
            Kind::Nested if cloned => format!("{to}.clone_from(&{from});"),
            Kind::Nested if self.p.dims == 2 => format!(
                "for (a, b) in {to}.iter_mut().zip({from}.iter()) {{ a.copy_from_slice(b); }}"
            ),
            Kind::Nested => format!("{value} = {from}.clone();"),
            Kind::Array => format!("{value} = *{from};"),
        });
    }

    pub(super) fn copy_back(&self, out: &mut Lines) {
        let view = View::Loop { turn: 0 };
        for f in self.p.renewed() {
            let [now, next, old] = LEVELS.map(|level| self.grid(f, level, view));
            if self.p.buffers_of(f) == 3 {
                self.assign(&old, &now, out);
            }
            self.assign(&now, &next, out);
        }
    }

    pub(super) fn fresh(&mut self, out: &mut Lines) {
        let fields = self.p.renewed();
        let view = View::Loop { turn: 0 };
        for f in &fields {
            let next = self.p.buffer(*f, Level::Next);
            let now = self.grid(*f, Level::Now, view);
            let cleared = self.p.style.cleared;
            let flat = matches!(self.kind(), Kind::Vec | Kind::Slice);
            let zero = if self.is_real() { "0.0" } else { "0" };
            let made = match self.kind() {
                _ if flat && cleared => format!("vec![{zero}; {now}.len()]"),
                Kind::Slice => format!("{now}.to_vec()"),
                _ => format!("{now}.clone()"),
            };
            out.line(&format!("let mut {next}_held = {made};"));
            out.line(&format!("let {next} = &mut {next}_held;"));
            if cleared && !flat {
                self.clear(&next, out);
            }
        }
        self.parts(0, out);
        for f in &fields {
            let next = self.p.buffer(*f, Level::Next);
            let now = self.grid(*f, Level::Now, view);
            match (self.kind(), self.way(SWAP, 3)) {
                (Kind::Slice, _) | (_, 0) => self.assign(&now, &next, out),
                (_, 1) => out.line(&format!("std::mem::swap({now}, {next});")),
                _ => out.line(&format!("*{now} = {next}_held;")),
            }
        }
    }

    /// The slots of a step, borrowed one by one.
    pub(super) fn borrowed(&self, out: &mut Lines) {
        if !self.disjoint() {
            return;
        }
        let reach = self.reach();
        for f in self.p.indexed() {
            let names = self.p.levels(f).map(|level| format!("{}_here", self.p.buffer(f, level)));
            let names: Vec<String> = names.collect();
            let slots = self.p.levels(f).map(|level| self.slot(self.p.buffers_of(f), level));
            let slots: Vec<String> = slots.collect();
            out.line(&format!(
                "let [{}] = {reach}{}.get_disjoint_mut([{}]).unwrap();",
                names.join(", "),
                self.p.stem(f),
                slots.join(", ")
            ));
        }
    }

    pub(super) fn step(&mut self, out: &mut Lines) {
        for (f, fold) in self.p.folds.iter().enumerate() {
            if fold.renewed {
                out.line(&format!("r{f} = {};", self.fold_start(f)));
            }
        }
        self.borrowed(out);
        for piece in self.p.pieces() {
            match piece {
                Piece::Parts { turn } => self.parts(*turn, out),
                Piece::ByTurns => {
                    out.open("if t % 2 == 0 {");
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
            let (v, shown) = (self.value(), self.fold_shown(0));
            out.line(&match (self.is_real(), self.fold_type(0)) {
                (true, _) => {
                    format!("before = (0.1 * {shown} / (1.0 + 0.5 * f64::abs({shown}))) as {v};")
                }
                (false, "bool") => "before = i32::from(r0);".to_owned(),
                (false, _) => "before = (r0 % 1000) as i32;".to_owned(),
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
            out.open(&format!("if t == {stop} {{"));
            out.line("break;");
            out.shut("}");
        }
    }

    pub(super) fn time_loop(&mut self, out: &mut Lines) {
        let t = self.clock();
        let start = |out: &mut Lines, line: &str| {
            out.line(&format!("let mut t: {t} = 0;"));
            out.open(line);
        };
        match self.p.style.clock {
            Clock::Up => out.open("for t in 0..steps {"),
            Clock::FromOne => out.open("for t in 1..=steps {"),
            Clock::Down => out.open("for t in (1..=steps).rev() {"),
            Clock::While => start(out, "while t < steps {"),
            Clock::Real => {
                out.line("let (dt, mut time) = (0.125, 0.0);");
                out.line("let end = steps as f64 * dt;");
                start(out, "while time < end {");
            }
            Clock::DoWhile => {
                out.open("if steps > 0 {");
                start(out, "loop {");
            }
        }
        self.step(out);
        match self.p.style.clock {
            Clock::Up | Clock::FromOne | Clock::Down => {}
            Clock::While => out.line("t += 1;"),
            Clock::DoWhile => {
                out.line("t += 1;");
                out.line("if t >= steps { break; }");
            }
            Clock::Real => {
                out.line("time += dt;");
                out.line("t += 1;");
            }
        }
        out.shut("}");
        match self.p.style.clock {
            Clock::While | Clock::Real => out.line("kept[0] += t as f64;"),
            Clock::DoWhile => out.shut("}"),
            _ => {}
        }
    }

    /// The statements of the time loop's function.
    pub(super) fn run(&mut self) -> String {
        let mut out = Lines::at(1);
        out.line("let mut settled = -1;");
        if self.clock() == "usize" {
            out.line("let steps = steps.max(0) as usize;");
        }
        if self.p.ways.often(ASSERTS, 25)
            && matches!(self.kind(), Kind::Vec | Kind::Slice)
            && !self.members()
        {
            let sizes: Vec<String> =
                self.p.sizes().iter().map(|n| format!("({n} as usize)")).collect();
            for f in (0..self.p.grids()).filter(|f| !self.p.is_indexed(self.p.buffers_of(*f))) {
                for (name, _) in self.p.arrays_of(f) {
                    out.line(&format!("assert_eq!({name}.len(), {});", sizes.join(" * ")));
                }
            }
        }
        let v = self.value();
        if self.p.uses(Scalar::Wave) {
            let start = if self.is_real() { "0.25" } else { "5" };
            out.line(&format!("let mut wave: {v} = {start};"));
        }
        if self.p.uses(Scalar::Collected) {
            let zero = if self.is_real() { "0.0" } else { "0" };
            out.line(&format!("let mut before: {v} = {zero};"));
        }
        let turns = self.p.turns();
        if turns {
            out.line("let (mut now, mut next, mut old) = (0, 1, 2);");
        }
        for f in 0..self.p.folds.len() {
            let (t, start) = (self.fold_type(f), self.fold_start(f));
            out.line(&format!("let mut r{f}: {t} = {start};"));
        }
        for f in self.p.remembered() {
            out.line(&format!("let mut last{f} = 1e30_f64;"));
        }
        if self.p.style.rounds > 1 {
            out.open(&format!("for round in 0..{} {{", self.p.style.rounds));
        }
        let start = out.text.len();
        self.time_loop(&mut out);
        if self.p.style.twice {
            out.again(start);
        }
        if self.p.style.rounds > 1 {
            out.line("kept[8] += f64::from(round);");
            out.shut("}");
        }
        out.line("kept[1] = f64::from(settled);");
        for f in 0..self.p.folds.len() {
            out.line(&format!("kept[{}] = {};", 2 + f, self.fold_shown(f)));
        }
        if turns {
            out.line("kept[7] = now as f64;");
        }
        out.text
    }
}
