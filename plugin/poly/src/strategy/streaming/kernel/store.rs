//! What a launch leaves: of each carried slot, the elements that the nest may write in the box that the block owns.

use super::bounds::{Bounds, Interval, within};
use super::load::widest;
use super::masks::{Mask, bit};
use super::{Builder, Turn};
use crate::kernel::ir::{Cond, IExpr, Node};

/// A row of a plane that is stored.
struct Target {
    version: u16,
    array: u16,
    /// Where it is stored by launches of even and of odd number.
    buffers: [u16; 2],
    plane: IExpr,
    row: i64,
}

pub fn when(cond: Cond, then: Vec<Node>) -> Node {
    Node::If { cond, then, otherwise: Vec::new() }
}

/// Both ends of an interval.
fn constant((lo, hi): (i64, i64)) -> Interval {
    (IExpr::Const(lo), IExpr::Const(hi))
}

impl Builder<'_> {
    /// Stores a version, just made, to every slot that it is left in. Nothing where none of the statements that make it has
    /// instances, and nobody wants what was there before.
    pub(super) fn store(&mut self, bounds: &Bounds, turn: &Turn, version: u16) -> Vec<Node> {
        let mut out = Vec::new();
        let seen = self.seen(version, turn.mode);
        let is_made = self.tile.versions[usize::from(seen)].level.is_some();
        if !is_made && !self.loaded(turn.mode).contains(&seen) {
            return out;
        }
        for (i, c) in self.carried.iter().enumerate() {
            if self.tile.left[i] == version {
                let buffers = [c.buffers[1], c.buffers[0]];
                out.extend(self.store_to(bounds, turn, version, c.array, buffers));
            }
        }
        out
    }

    fn store_to(
        &mut self,
        bounds: &Bounds,
        turn: &Turn,
        version: u16,
        array: u16,
        buffers: [u16; 2],
    ) -> Vec<Node> {
        let mut out = Vec::new();
        let plane = turn.plane(self.tile.delay_of(version));
        let near = match turn.mode.has_ends() {
            false => None,
            true => {
                let mask = self.stored_by(bounds, array);
                Some(self.here(&mut out, bounds, turn, array, &plane, mask))
            }
        };
        for row in 0..self.shape.sizes.rows {
            let to = Target { version, array, buffers, plane: plane.clone(), row };
            match &near {
                None => out.extend(self.store_owned(bounds, turn, &to)),
                Some(mask) => out.extend(self.store_near(bounds, turn, &to, mask)),
            }
        }
        out
    }

    /// Where all columns may be written: the row as a whole, or the part that the thread owns.
    fn store_owned(&mut self, bounds: &Bounds, turn: &Turn, to: &Target) -> Vec<Node> {
        let (s, count) = (self.shape.sizes, self.stored_at_once(to.array));
        let row = self.owned(bounds, turn, to, to.row);
        let mut out = vec![when(row, self.stores(bounds, turn, to, count))];
        let part = self.shape.part_at_once(count);
        let parts = if part > 0 { self.stores(bounds, turn, to, part) } else { Vec::new() };
        for (i, store) in (0..).zip(parts) {
            let bit = s.rows + to.row * s.vector + i * part;
            out.push(when(self.owned(bounds, turn, to, bit), vec![store]));
        }
        out
    }

    /// Near the border: what of the row the mask says.
    fn store_near(&mut self, bounds: &Bounds, turn: &Turn, to: &Target, mask: &Mask) -> Vec<Node> {
        let (s, count) = (self.shape.sizes, self.stored_at_once(to.array));
        let mut out = Vec::new();
        for (i, store) in (0..).zip(self.stores(bounds, turn, to, count)) {
            out.push(when(mask.has(to.row * s.vector + i * count), vec![store]));
        }
        let parts = if count > 1 { self.stores(bounds, turn, to, 1) } else { Vec::new() };
        for (column, store) in (0..).zip(parts) {
            out.push(when(mask.has((s.rows + to.row) * s.vector + column), vec![store]));
        }
        out
    }

    /// All of a thread's columns of a row, so many with each store.
    fn stores(&mut self, bounds: &Bounds, turn: &Turn, to: &Target, count: i64) -> Vec<Node> {
        let (array, [even, odd], columns) = (to.array, to.buffers, self.shape.sizes.vector);
        let seen = usize::from(self.seen(to.version, turn.mode));
        let from = self.rings[seen].plane(turn.index - self.tile.delay_of(to.version));
        let one = |column: i64| {
            let coords = self.coordinates(bounds, &to.plane, to.row, column);
            let at = self.subscripts(array, &coords);
            let place = self.buffer(array, even, odd, at);
            let from = from.at(to.row, column);
            match count {
                1 => Node::Copy { to: place, from },
                _ => Node::Vector { to: place, from, count: count as u32 },
            }
        };
        (0..columns).step_by(count as usize).map(one).collect()
    }

    /// Elements of one store.
    fn stored_at_once(&self, array: u16) -> i64 {
        let anchor = self.flow.anchor(array).unwrap_or_default();
        match anchor.last().is_none_or(|a| a % self.shape.sizes.vector == 0) {
            true => widest(self.elem(array), self.shape.sizes.vector),
            false => 1,
        }
    }

    /// Near the border, what the thread stores of an array; see [`Builder::stored`].
    fn stored_by(&mut self, bounds: &Bounds, array: u16) -> Mask {
        if let Some(known) = self.stored.get(&array) {
            return known.clone();
        }
        let bits = self.stored(bounds, array);
        let mask = Mask::new(self, bits);
        self.stored.insert(array, mask.clone());
        mask
    }

    /// A mask where a plane is owned and may be written, else nothing.
    fn here(
        &mut self,
        out: &mut Vec<Node>,
        bounds: &Bounds,
        turn: &Turn,
        array: u16,
        plane: &IExpr,
        mask: Mask,
    ) -> Mask {
        let Some(stream) = &bounds.stream else { return mask };
        let owned = bit(plane, &stream.owned);
        let bit = match turn.mode.has_end_planes() {
            true => owned.lesser(bit(plane, &bounds.written[&array][0])),
            false => owned,
        };
        mask.only(self, out, &bit)
    }

    /// Which points of the thread are owned and may be written, apart from the streamed dimension: bit `row · V + column`
    /// where a whole store begins, bit `(R + row) · V + column` where the element is stored alone.
    fn stored(&self, bounds: &Bounds, array: u16) -> Vec<IExpr> {
        let count = self.stored_at_once(array);
        let one = |row: i64, column: i64| {
            let within = bounds.within(row, column, &bounds.written[&array]);
            self.owned_point(bounds, row, column).lesser(within)
        };
        let whole = |row: i64, column: i64| {
            let first = column / count * count;
            one(row, first).lesser(one(row, first + count - 1))
        };
        let begins = |(row, column): (i64, i64)| match column % count {
            0 => whole(row, column),
            _ => IExpr::Const(0),
        };
        let apart = |row: i64, column: i64| IExpr::Const(1).minus(whole(row, column));
        let alone = |(row, column): (i64, i64)| one(row, column).lesser(apart(row, column));
        self.points().map(begins).chain(self.points().map(alone)).collect()
    }

    /// Where all columns may be written, the condition that the thread stores what a bit stands for, in a plane: bit `row` for a
    /// whole row, bit `R + row · V + column` for what is stored where it owns a part of one. But for the plane it is always the
    /// same.
    fn owned(&mut self, bounds: &Bounds, turn: &Turn, to: &Target, number: i64) -> Cond {
        if self.owned.is_none() {
            let rows = 0..self.shape.sizes.rows;
            let mut bits: Vec<IExpr> = rows.map(|r| self.owned_row(bounds, r)).collect();
            if self.shape.shared_columns() > 0 {
                let apart = |r| IExpr::Const(1).minus(self.owned_row(bounds, r));
                let part = |(r, c)| self.owned_point(bounds, r, c).lesser(apart(r));
                bits.extend(self.points().map(part));
            }
            self.owned = Some(Mask::new(self, bits));
        }
        let owned = self.owned.iter().map(|mask| mask.has(number));
        let planes = bounds.stream.iter().flat_map(|s| within(&to.plane, &s.owned));
        let ends = turn.mode.has_end_planes().then(|| &bounds.written[&to.array][0]);
        let written = ends.into_iter().flat_map(|ends| within(&to.plane, ends));
        Cond::All(planes.chain(written).chain(owned).collect())
    }

    /// 1 where the thread owns all of a row that it has, or else 0.
    fn owned_row(&self, bounds: &Bounds, row: i64) -> IExpr {
        let (v, (first, last)) = (self.shape.sizes.vector, bounds.columns);
        let lanes = ((first + v - 1) / v, (last + 1) / v - 1);
        self.in_rows(bounds, row, bit(&IExpr::Thread(0), &constant(lanes)))
    }

    /// 1 where the thread owns one of its points, apart from the streamed dimension.
    pub(super) fn owned_point(&self, bounds: &Bounds, row: i64, column: i64) -> IExpr {
        if self.shape.shared_columns() == 0 {
            return self.owned_row(bounds, row);
        }
        let at = IExpr::Thread(0).times(self.shape.sizes.vector).plus(IExpr::Const(column));
        self.in_rows(bounds, row, bit(&at, &constant(bounds.columns)))
    }

    /// The bit where the block owns a row of the thread, or else 0.
    fn in_rows(&self, bounds: &Bounds, row: i64, across: IExpr) -> IExpr {
        if bounds.y.is_none() {
            return across;
        }
        let at = IExpr::Thread(1).times(self.shape.sizes.rows).plus(IExpr::Const(row));
        across.lesser(bit(&at, &constant(bounds.rows)))
    }
}
