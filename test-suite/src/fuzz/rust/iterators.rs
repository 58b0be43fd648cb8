//! Loops over iterators: from a sweep to zipped windows of rows, elements with their numbers, or rows with theirs.
//! Refused, and left to loops over ranges, are sweeps that set several grids, count down, or touch other elements of what
//! they set.

use super::*;

/// What iterators hand to a sweep's innermost loop.
pub(super) struct Streams {
    /// The grid that is set, and whether its row is handed, or its element.
    written: Option<((usize, Level), bool)>,
    windows: Vec<Window>,
}

/// A row that is read at some distances from the point.
pub(super) struct Window {
    grid: (usize, Level),
    /// Subscripts but the last.
    outer: Vec<Index>,
    min: i32,
    max: i32,
}

impl Writer<'_> {
    /// The grid that a sweep sets, where iterators can hand it over: each element that is touched is the point's, or of its
    /// row if `row` says so. `None` inside if it sets nothing.
    pub(super) fn streamable(&self, sweep: &Sweep, row: bool) -> Option<Option<(usize, Level)>> {
        let rows = !matches!(self.kind(), Kind::Grid) && !self.p.is_cells() && !sweep.swapped;
        let up = sweep.axes.iter().all(|axis| !matches!(axis, Axis::Span { down: true, .. }));
        let looped = matches!(sweep.axes[self.p.dims - 1], Axis::Span { .. });
        if !rows || self.direct() || sweep.moving.is_some() || !up || !looped {
            return None;
        }
        let written = written(&sweep.body);
        let grid = match written[..] {
            [] => return Some(None),
            [grid] => grid,
            _ => return None,
        };
        let last = self.p.dims - 1;
        let own = |at: &[Index]| {
            at[..last].iter().all(|i| *i == Index::Near(0))
                && (at[last] == Index::Near(0) || row && !matches!(at[last], Index::At(_)))
        };
        let mut fine = true;
        let mut look = |place: &Place| fine &= (place.field, place.level) != grid || own(&place.at);
        each_store(&sweep.body, &mut look);
        for stmt in &sweep.body {
            stmt.each_expr(&mut |expr| {
                if let Expr::Load(place) = expr {
                    look(place);
                }
            });
        }
        fine.then_some(Some(grid))
    }

    /// An element that an iterator hands over.
    pub(super) fn streamed(
        &self,
        place: &Place,
        streams: &Streams,
        scope: Scope,
    ) -> Option<String> {
        let grid = (place.field, place.level);
        let last = self.p.dims - 1;
        if let Some((written, row)) = streams.written
            && written == grid
        {
            if row {
                let j = self.subscript(last, place.at[last], scope.axes[last], scope.view);
                return Some(format!("row[{}]", self.as_index(&j)));
            }
            return Some("*x".to_owned());
        }
        let Index::Near(o) = place.at[last] else { return None };
        let fits = |w: &&Window| w.grid == grid && w.outer == place.at[..last];
        let (number, window) = streams
            .windows
            .iter()
            .enumerate()
            .find(|(_, w)| fits(w) && w.min <= o && o <= w.max)?;
        Some(match window.min == window.max {
            true => format!("(*w{number})"),
            false => format!("w{number}[{}]", o - window.min),
        })
    }

    /// Where a row of a grid begins, as a prefix of subscripts and a first element.
    pub(super) fn row_of(
        &self,
        grid: (usize, Level),
        outer: &[Index],
        sweep: &Sweep,
        view: View,
    ) -> (String, String) {
        let name = self.grid(grid.0, grid.1, view);
        let outer: Vec<String> = outer
            .iter()
            .enumerate()
            .map(|(d, i)| self.subscript(d, *i, sweep.axes[d], view))
            .collect();
        if matches!(self.kind(), Kind::Nested | Kind::Array) {
            let text = outer.iter().fold(name, |text, s| format!("{text}[{}]", self.as_index(s)));
            return (text, String::new());
        }
        let start = match &outer[..] {
            [] => String::new(),
            [i] => format!("{} * {} + ", wrapped(i), self.size(1, view)),
            [i, j, ..] => format!(
                "({} * {} + {}) * {} + ",
                wrapped(i),
                self.size(1, view),
                wrapped(j),
                self.size(2, view)
            ),
        };
        (name, start)
    }

    /// The elements of a row between two distances from the loop's bounds.
    pub(super) fn row_slice(
        &self,
        grid: (usize, Level),
        outer: &[Index],
        (min, max): (i32, i32),
        sweep: &Sweep,
        view: View,
    ) -> String {
        let last = self.p.dims - 1;
        let Axis::Span { lo, hi, .. } = sweep.axes[last] else { unreachable!("a loop") };
        let (name, start) = self.row_of(grid, outer, sweep, view);
        let n = self.size(last, view);
        let from = self.as_index(&format!("{start}{}", lo + min));
        let to = self.as_index(&format!("{start}{n}{}", signed(max - hi)));
        format!("{name}[{from}..{to}]")
    }

    /// Zipped windows of all rows that are read: where nothing asks for the innermost counter.
    pub(super) fn by_windows(&self, sweep: &Sweep, view: View, out: &mut Lines) -> bool {
        let Some(written) = self.streamable(sweep, false) else { return false };
        let windows = self.windows(sweep, written);
        if windows.len() > 6 || windows.is_empty() {
            return false;
        }
        let streams = Streams { written: written.map(|grid| (grid, false)), windows };
        let scope = Scope { axes: &sweep.axes, view, streams: Some(&streams) };
        let last = self.p.dims - 1;
        let mut all: Vec<(String, String)> = Vec::new();
        if let Some(grid) = written {
            let here = vec![Index::Near(0); last];
            let slice = self.row_slice(grid, &here, (0, 0), sweep, view);
            all.push(("x".to_owned(), format!("{slice}.iter_mut()")));
        }
        for (k, w) in streams.windows.iter().enumerate() {
            let slice = self.row_slice(w.grid, &w.outer, (w.min, w.max), sweep, view);
            let width = w.max - w.min + 1;
            let each = if width == 1 { ".iter()".to_owned() } else { format!(".windows({width})") };
            all.push((format!("w{k}"), format!("{slice}{each}")));
        }
        let (mut pattern, mut iterator) = all[0].clone();
        for (name, more) in &all[1..] {
            pattern = format!("({pattern}, {name})");
            let more = more.strip_suffix(".iter()").map_or(more.clone(), |s| format!("&{s}"));
            iterator = format!("{iterator}.zip({more})");
        }
        let outer: Vec<Loop> = (0..last).filter_map(|d| sweep.loop_along(d)).collect();
        let mut inner = Lines::at(out.depth);
        self.open_loops(&outer, view, &mut inner);
        let mut body = Lines::at(inner.depth + 1);
        sweep.body.iter().for_each(|s| self.stmt(s, scope, &mut body));
        if words(&body.text).contains(&COUNTERS[last]) {
            return false;
        }
        match &sweep.body[..] {
            [Stmt::Fold(fold, value)] if self.p.ways.often(FOLDS, 60) && self.folds(*fold) => {
                let value = self.expr(value, scope);
                inner.line(&self.fold_over(*fold, &iterator, &pattern, &value));
            }
            _ => {
                inner.open(&format!("for {pattern} in {iterator} {{"));
                inner.text += &body.text;
                inner.shut("}");
            }
        }
        outer.iter().for_each(|_| inner.shut("}"));
        out.text += &inner.text;
        true
    }

    pub(super) fn folds(&self, fold: usize) -> bool {
        matches!(self.p.folds[fold].collects, Collects::Most | Collects::Least | Collects::Sum)
    }

    /// A fold as an expression.
    pub(super) fn fold_over(
        &self,
        fold: usize,
        iterator: &str,
        pattern: &str,
        value: &str,
    ) -> String {
        let v = self.value();
        match self.p.folds[fold].collects {
            Collects::Most => {
                format!("r{fold} = {iterator}.map(|{pattern}| {value}).fold(r{fold}, {v}::max);")
            }
            Collects::Least => {
                format!("r{fold} = {iterator}.map(|{pattern}| {value}).fold(r{fold}, {v}::min);")
            }
            _ if self.is_real() => {
                format!("r{fold} += {iterator}.map(|{pattern}| {value}).sum::<{v}>();")
            }
            _ => format!("r{fold} += {iterator}.map(|{pattern}| i64::from({value})).sum::<i64>();"),
        }
    }

    /// Rows that are read at distances within the loop's bounds.
    pub(super) fn windows(&self, sweep: &Sweep, written: Option<(usize, Level)>) -> Vec<Window> {
        let last = self.p.dims - 1;
        let Axis::Span { lo, hi, .. } = sweep.axes[last] else { return Vec::new() };
        let mut all: Vec<Window> = Vec::new();
        for stmt in &sweep.body {
            stmt.each_expr(&mut |expr| {
                let Expr::Load(place) = expr else { return };
                let Index::Near(o) = place.at[last] else { return };
                let grid = (place.field, place.level);
                if Some(grid) == written || o < -lo || o > hi {
                    return;
                }
                let outer = &place.at[..last];
                match all.iter_mut().find(|w| w.grid == grid && w.outer == outer) {
                    Some(w) => {
                        w.min = w.min.min(o);
                        w.max = w.max.max(o);
                    }
                    None => all.push(Window { grid, outer: outer.to_vec(), min: o, max: o }),
                }
            });
        }
        all
    }

    /// The elements that are set, with their numbers; others are read by subscript.
    pub(super) fn by_elements(&self, sweep: &Sweep, view: View, out: &mut Lines) -> bool {
        let Some(Some(grid)) = self.streamable(sweep, false) else { return false };
        let last = self.p.dims - 1;
        let Axis::Span { lo, .. } = sweep.axes[last] else { return false };
        let streams = Streams { written: Some((grid, false)), windows: Vec::new() };
        let scope = Scope { axes: &sweep.axes, view, streams: Some(&streams) };
        let outer: Vec<Loop> = (0..last).filter_map(|d| sweep.loop_along(d)).collect();
        self.open_loops(&outer, view, out);
        let here = vec![Index::Near(0); last];
        let slice = self.row_slice(grid, &here, (0, 0), sweep, view);
        let (x, t) = (COUNTERS[last], self.counter());
        out.open(&format!("for (at, x) in {slice}.iter_mut().enumerate() {{"));
        let at = if t == "usize" { "at".to_owned() } else { format!("at as {t}") };
        out.line(&format!("let {x} = {at}{};", signed(lo)));
        sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
        (0..=outer.len()).for_each(|_| out.shut("}"));
        true
    }

    /// The rows that are set, with their numbers.
    pub(super) fn by_rows(&self, sweep: &Sweep, view: View, out: &mut Lines) -> bool {
        let Some(Some(grid)) = self.streamable(sweep, true) else { return false };
        let (2, Axis::Span { lo, hi, .. }) = (self.p.dims, sweep.axes[0]) else { return false };
        let streams = Streams { written: Some((grid, true)), windows: Vec::new() };
        let scope = Scope { axes: &sweep.axes, view, streams: Some(&streams) };
        let name = self.grid(grid.0, grid.1, view);
        let rows = match self.kind() {
            Kind::Nested | Kind::Array => format!("{name}.iter_mut()"),
            _ => format!("{name}.chunks_exact_mut({})", self.as_index(&self.size(1, view))),
        };
        let n = self.as_index(&self.size(0, view));
        let n = if n.contains(' ') { format!("({n})") } else { n };
        let take = if lo + hi == 0 { n } else { format!("{n} - {}", lo + hi) };
        let t = self.counter();
        out.open(&format!("for (i, row) in {rows}.enumerate().skip({lo}).take({take}) {{"));
        if t != "usize" {
            out.line(&format!("let i = i as {t};"));
        }
        let inner: Vec<Loop> = sweep.loop_along(1).into_iter().collect();
        self.open_loops(&inner, view, out);
        sweep.body.iter().for_each(|s| self.stmt(s, scope, out));
        (0..=inner.len()).for_each(|_| out.shut("}"));
        true
    }
}
