//! What a step does: sweeps, borders, sources, copies, and what stands beside them.

use super::*;

impl<'a> Maker<'a> {
    pub(super) fn step(&mut self) {
        for field in 0..self.p.fields.len() {
            match self.p.fields[field].buffers {
                1 => self.in_place(field),
                _ => self.new_values(field),
            }
            if self.choice.chance(30) {
                self.borders(field);
            }
            if self.choice.chance(10) {
                self.source(field);
            }
        }
        if self.choice.chance(12) {
            self.more_values();
        }
        self.collect_apart();
        if self.p.idiom == Idiom::CopyLoop {
            self.copies();
        }
    }

    pub(super) fn new_values(&mut self, field: usize) {
        let axes = self.axes();
        if self.choice.chance(7) && !matches!(self.p.storage, Storage::Rows(_)) {
            self.p.parts.push(Part::Clear { field, level: Level::Next });
        }
        let mut reads = vec![(field, Level::Now)];
        if self.p.fields[field].buffers == 3 {
            reads.push((field, Level::Old));
        }
        for other in 0..self.p.fields.len() {
            if other != field && self.choice.chance(45) {
                reads.push((other, Level::Now));
            }
            if other < field && self.p.fields[other].buffers > 1 && self.choice.chance(35) {
                reads.push((other, Level::Next));
            }
        }
        let level = Level::Next;
        let body = self.body(field, level, &reads, &axes, false);
        self.sweep(axes, body);
    }

    /// Another sweep over what the first has made.
    pub(super) fn more_values(&mut self) {
        let field = self.choice.below(self.p.fields.len());
        let other = self.choice.below(self.p.fields.len());
        let last = |f: usize, p: &Program| {
            if p.fields[f].buffers > 1 { Level::Next } else { Level::Now }
        };
        let (to, from) = (last(field, &self.p), last(other, &self.p));
        if field == other {
            return;
        }
        let axes = self.axes();
        let body = self.body(field, to, &[(other, from), (other, Level::Now)], &axes, true);
        self.sweep(axes, body);
    }

    /// A field of one buffer: from others, from itself at the same point, or from itself at points that are overwritten
    /// later; rarely from its own new values.
    pub(super) fn in_place(&mut self, field: usize) {
        let axes = self.axes();
        let others: Vec<(usize, Level)> = (0..self.p.fields.len())
            .filter(|f| *f != field)
            .map(|f| {
                let new = self.p.fields[f].buffers > 1 && f < field && self.choice.chance(60);
                (f, if new { Level::Next } else { Level::Now })
            })
            .collect();
        let alone = others.is_empty();
        if self.choice.chance(if alone { 30 } else { 6 }) {
            // Its own new values, wherever they lie.
            let body = self.body(field, Level::Now, &[(field, Level::Now)], &axes, true);
            return self.sweep(axes, body);
        }
        if alone || self.choice.chance(15) {
            return self.ahead(field, axes);
        }
        let body = self.body(field, Level::Now, &others, &axes, true);
        self.sweep(axes, body);
    }

    /// Reads of what the sweep overwrites later: in the direction of the loops.
    pub(super) fn ahead(&mut self, field: usize, axes: Vec<Axis>) {
        let mut at = vec![Index::Near(0); self.p.dims];
        let first = self.choice.below(self.p.dims);
        if let Axis::Span { hi, lo, down } = axes[first] {
            let far = if down { -lo } else { hi };
            at[first] = Index::Near(far);
        }
        for (d, index) in at.iter_mut().enumerate().skip(first + 1) {
            *index = Index::Near(self.offset(axes[d]));
        }
        let there = Expr::Load(Place { field, level: Level::Now, at });
        let here = Expr::Load(self.here(field, Level::Now));
        let value = self.blend(&[here, there]);
        let value = self.fit(value);
        let place = self.here(field, Level::Now);
        self.sweep(axes, vec![Stmt::Store { place, add: false, value }]);
    }

    pub(super) fn sweep(&mut self, axes: Vec<Axis>, body: Vec<Stmt>) {
        let apart = self.choice.chance(22);
        let swapped = self.p.dims > 1 && self.choice.chance(8);
        self.p.parts.push(Part::Sweep(Sweep { axes, body, apart, swapped, moving: None }));
    }

    pub(super) fn axes(&mut self) -> Vec<Axis> {
        let whole = self.border != Border::KeptAway;
        let odd = self.choice.chance(15);
        let down = self.choice.chance(6);
        (0..self.p.dims)
            .map(|d| {
                let (mut lo, mut hi) = if whole { (0, 0) } else { self.reach[d] };
                if odd {
                    lo += self.choice.between(0, 2);
                    hi += self.choice.between(0, 2);
                }
                Axis::Span { lo, hi, down }
            })
            .collect()
    }

    /// An offset that stays within the grid.
    pub(super) fn offset(&mut self, axis: Axis) -> i32 {
        match axis {
            Axis::Span { lo, hi, .. } => self.choice.between(-lo, hi),
            Axis::At(_) => 0,
        }
    }

    pub(super) fn here(&self, field: usize, level: Level) -> Place {
        Place { field, level, at: vec![Index::Near(0); self.p.dims] }
    }

    /// The statements of a sweep that sets a field's level from `reads`; `own` if it may look at what it sets, at the
    /// same point.
    pub(super) fn body(
        &mut self,
        field: usize,
        level: Level,
        reads: &[(usize, Level)],
        axes: &[Axis],
        own: bool,
    ) -> Vec<Stmt> {
        self.locals = 0;
        let branch = self.border == Border::Branch;
        let mut body = Vec::new();
        let inner: Vec<Axis> = if branch { self.inner(axes) } else { axes.to_vec() };
        let mut value = self.value(reads, &inner);
        if own && self.choice.chance(60) {
            let here = Expr::Load(self.here(field, level));
            value = self.blend(&[here, value]);
        }
        value = self.fit(value);
        let mut place = self.here(field, level);
        if level == Level::Next && !branch && self.choice.chance(4) {
            // Somewhere else.
            for (d, index) in place.at.iter_mut().enumerate() {
                let (lo, hi) = self.bounds(d, inner[d]);
                let offset = self.choice.between(-lo.min(1), hi.min(1));
                *index = self.near(offset);
            }
        }
        if self.choice.chance(25) && !branch {
            body.push(Stmt::Let(0, value));
            self.locals = 1;
            value = self.change(Expr::Local(0), reads, &inner);
            value = self.fit(value);
        }
        let fold = self.fold_of(field, level, reads);
        let add = self.p.element.is_real() && level == Level::Now && own && self.choice.chance(20);
        let store = Stmt::Store { place, add, value };
        let store = self.conditional(store, reads, &inner);
        if branch {
            let margins = inner
                .iter()
                .map(|axis| match axis {
                    Axis::Span { lo, hi, .. } => (*lo, *hi),
                    Axis::At(_) => (0, 0),
                })
                .collect();
            let other = self.edge(field, level, reads);
            body.push(Stmt::If { when: Cond::Inside(margins), then: vec![store], other });
        } else {
            body.push(store);
        }
        body.extend(fold);
        body
    }

    pub(super) fn edge(
        &mut self,
        field: usize,
        level: Level,
        reads: &[(usize, Level)],
    ) -> Vec<Stmt> {
        let value = match self.choice.below(3) {
            0 => return Vec::new(),
            1 => Expr::Number(self.choice.between(0, 40)),
            _ => Expr::Load(self.here(reads[0].0, reads[0].1)),
        };
        vec![Stmt::Store { place: self.here(field, level), add: false, value }]
    }

    pub(super) fn inner(&self, axes: &[Axis]) -> Vec<Axis> {
        axes.iter()
            .zip(self.reach)
            .map(|(axis, (lo, hi))| match *axis {
                Axis::Span { lo: a, hi: b, down } => {
                    Axis::Span { lo: a.max(lo), hi: b.max(hi), down }
                }
                at => at,
            })
            .collect()
    }

    /// Now and then a store depends on a condition.
    pub(super) fn conditional(
        &mut self,
        store: Stmt,
        reads: &[(usize, Level)],
        axes: &[Axis],
    ) -> Stmt {
        if !self.choice.chance(14) {
            return store;
        }
        let when = self.cond(reads, axes);
        let other = match (&store, self.choice.below(3)) {
            (Stmt::Store { place, .. }, 0) => {
                let value = Expr::Load(self.here(reads[0].0, reads[0].1));
                vec![Stmt::Store { place: place.clone(), add: false, value }]
            }
            (Stmt::Store { place, .. }, 1) => {
                let value = self.value(reads, axes);
                let value = self.fit(value);
                vec![Stmt::Store { place: place.clone(), add: false, value }]
            }
            _ => Vec::new(),
        };
        Stmt::If { when, then: vec![store], other }
    }

    /// What the sweep collects, in half of the programs that collect at all.
    pub(super) fn fold_of(
        &mut self,
        field: usize,
        level: Level,
        reads: &[(usize, Level)],
    ) -> Vec<Stmt> {
        if self.p.folds.is_empty() || !self.choice.chance(60) {
            return Vec::new();
        }
        vec![Stmt::Fold(0, self.change_of((field, level), reads[0]))]
    }

    /// The magnitude of a difference, or its square.
    pub(super) fn change_of(&mut self, a: (usize, Level), b: (usize, Level)) -> Expr {
        let of = |(field, level)| Box::new(Expr::Load(self.here(field, level)));
        let difference = Expr::Binary(Binary::Subtract, of(a), of(b));
        let square = self.p.element.is_real() && self.choice.chance(40);
        let value = if square {
            Expr::Binary(Binary::Multiply, Box::new(difference.clone()), Box::new(difference))
        } else {
            Expr::Unary(Unary::Absolute, Box::new(difference))
        };
        if self.p.element.is_real() {
            value
        } else {
            Expr::Whole(Whole::Remainder, Box::new(value), 1000)
        }
    }

    pub(super) fn collect_apart(&mut self) {
        let collected = |part: &Part| match part {
            Part::Sweep(sweep) => sweep.body.iter().any(|s| matches!(s, Stmt::Fold(..))),
            _ => false,
        };
        if self.p.folds.is_empty() || self.p.parts.iter().any(collected) {
            return;
        }
        let (now, next) = ((0, Level::Now), (0, Level::Next));
        let other = if self.p.fields[0].buffers > 1 { next } else { now };
        let value = self.change_of(other, now);
        let axes = self.axes();
        self.sweep(axes, vec![Stmt::Fold(0, value)]);
    }

    pub(super) fn copies(&mut self) {
        let whole = self.choice.chance(40);
        let joined = self.choice.chance(40);
        let levels = [(Level::Old, Level::Now), (Level::Now, Level::Next)];
        let mut all = Vec::new();
        for (f, field) in self.p.fields.clone().into_iter().enumerate() {
            for (to, from) in levels.iter().skip(3usize.saturating_sub(field.buffers)) {
                if field.buffers > 1 {
                    let value = Expr::Load(self.here(f, *from));
                    all.push(Stmt::Store { place: self.here(f, *to), add: false, value });
                }
            }
        }
        let back = !joined && self.choice.chance(25) && self.border == Border::KeptAway;
        for stmts in if joined { vec![all] } else { all.into_iter().map(|s| vec![s]).collect() } {
            if stmts.is_empty() {
                continue;
            }
            let mut axes = self.axes();
            if whole {
                axes.iter_mut().for_each(|a| *a = Axis::Span { lo: 0, hi: 0, down: false });
            }
            let body = if back { self.computed_back(stmts, &axes) } else { stmts };
            self.sweep(axes, body);
        }
    }

    /// From a to b and back: the way back computes, too.
    pub(super) fn computed_back(&mut self, stmts: Vec<Stmt>, axes: &[Axis]) -> Vec<Stmt> {
        stmts
            .into_iter()
            .map(|stmt| match stmt {
                Stmt::Store { place, value: Expr::Load(from), .. } => {
                    let value = self.value(&[(from.field, from.level)], axes);
                    Stmt::Store { place, add: false, value: self.fit(value) }
                }
                other => other,
            })
            .collect()
    }

    /// Faces of the grid: a constant, a copy of the neighbour, or of the opposite side.
    pub(super) fn borders(&mut self, field: usize) {
        let level = if self.p.fields[field].buffers > 1 { Level::Next } else { Level::Now };
        let kind = self.choice.below(3);
        let dims: Vec<usize> = (0..self.p.dims).filter(|_| self.choice.chance(60)).collect();
        for d in dims {
            for front in [true, false] {
                if self.choice.chance(15) {
                    continue;
                }
                self.face(field, level, kind, d, front);
            }
        }
    }

    pub(super) fn face(
        &mut self,
        field: usize,
        level: Level,
        kind: usize,
        dim: usize,
        front: bool,
    ) {
        let edge = if front { Spot::Front(0) } else { Spot::Back(0) };
        let inside = if self.choice.chance(50) { 0 } else { 1 };
        let mut axes = vec![Axis::Span { lo: inside, hi: inside, down: false }; self.p.dims];
        axes[dim] = Axis::At(edge);
        let place = self.here(field, level);
        let mut from = place.clone();
        let value = match kind {
            0 => Expr::Number(self.choice.between(0, 90)),
            1 => {
                from.at[dim] = Index::Near(if front { 1 } else { -1 });
                Expr::Load(from)
            }
            _ => {
                from.at[dim] = Index::At(if front { Spot::Back(1) } else { Spot::Front(1) });
                Expr::Load(from)
            }
        };
        let body = vec![Stmt::Store { place, add: false, value }];
        let (apart, swapped) = (false, false);
        self.p.parts.push(Part::Sweep(Sweep { axes, body, apart, swapped, moving: None }));
    }

    pub(super) fn source(&mut self, field: usize) {
        let level = if self.p.fields[field].buffers > 1 { Level::Next } else { Level::Now };
        let place = Place { field, level, at: self.spots() };
        let add = self.p.element.is_real() && self.choice.chance(60);
        let scalar = self.choice.of(&[Scalar::Alpha, Scalar::Step, Scalar::Wave, Scalar::Series]);
        let scalar = Expr::Scalar(scalar);
        let value = if self.p.element.is_real() {
            Expr::Binary(Binary::Multiply, Box::new(Expr::Number(10)), Box::new(scalar))
        } else {
            scalar
        };
        self.p.parts.push(Part::Point { place, add, value });
    }

    pub(super) fn spots(&mut self) -> Vec<Index> {
        (0..self.p.dims)
            .map(|_| {
                let k = self.choice.between(0, 3);
                Index::At(self.choice.weighted(&[
                    (50, Spot::Middle),
                    (25, Spot::Front(k)),
                    (25, Spot::Back(k)),
                ]))
            })
            .collect()
    }

    /// What a step does beside its sweeps.
    pub(super) fn side(&mut self) {
        let field = self.choice.below(self.p.fields.len());
        let level = if self.p.fields[field].buffers > 1 && self.p.idiom != Idiom::Fresh {
            self.choice.of(&[Level::Now, Level::Next])
        } else {
            Level::Now
        };
        let at = self.spots();
        let place = Place { field, level, at };
        let every = self.choice.between(1, 7);
        if self.choice.chance(12) {
            self.beside(Part::Print { every, place: place.clone() });
        }
        if self.choice.chance(9) {
            self.beside(Part::Trace(place));
        }
        if self.p.folds.is_empty() {
            return;
        }
        let leaves = matches!(self.p.idiom, Idiom::Fresh | Idiom::ThereAndBack);
        if !leaves && self.choice.chance(60) {
            let below = self.choice.between(0, 30);
            self.p.parts.push(Part::Settled { fold: 0, below });
        }
        if self.choice.chance(25) {
            self.p.parts.push(Part::Report { every, fold: 0 });
        }
    }

    /// At the step's end, mostly; at its beginning, or in between.
    pub(super) fn beside(&mut self, part: Part) {
        let end = self.p.parts.len();
        let at = match self.choice.below(6) {
            0 => self.choice.below(end + 1),
            1 => 0,
            _ => end,
        };
        self.p.parts.insert(at, part);
    }
}
