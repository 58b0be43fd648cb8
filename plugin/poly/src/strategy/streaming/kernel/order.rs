//! Which tile a block of three dimensions takes: late in a launch, those near the border come first.
//!
//! Consumes the arguments that [`arguments`] makes; produces the tile's column, row and layer. Blocks start in the order
//! of their numbers, and the code of those near the border takes longer: what starts last should not (longest processing
//! time first). In the last [`LATE`] layers of the grid the tiles of the first and the last column come first, then, row
//! by row, the rest: the first row, the last one, and those between. In the layers before, tiles stay in order, so that
//! neighbours, which load the same elements, are at work together. Where all blocks of the first and the last layer go
//! the border's way ([`super::super::shape::Shape::ends_first`]), these two come first. Both are permutations.
//!
//! A block divides its number by that of columns through a fixed-point inverse ([`SCALE`]), which is exact for grids of
//! [`MOST_SIDE`] tiles a side and [`MOST_SCALED`] at most; larger ones, and those without a column between two others, go
//! through their tiles in order.

use super::{Builder, order_argument};
use crate::kernel::ir::IExpr;
use hexpass_abi::{KernelParam, PlanExpr};

/// Of the inverse: it is ⌊SCALE / d⌋ + 1 for d columns. ⌊n · inverse / SCALE⌋ = ⌊n / d⌋ where n · d < SCALE.
const SCALE: i64 = 1 << 20;
/// Most tiles along an axis: numbers times the inverse stay below 2³¹.
const MOST_SIDE: i64 = 1023;
/// Most tiles of a layer times columns.
const MOST_SCALED: i64 = SCALE - 1;
/// Layers: blocks of as many are at work at the end of a launch, mostly.
const LATE: i64 = 2;

/// Launch arguments for so many columns, rows and layers of tiles: those, whether the order of late layers is another than
/// the grid's (0 or 1), and the inverse of the columns between the outermost.
pub fn arguments([columns, rows, layers]: [PlanExpr; 3]) -> [PlanExpr; 5] {
    let fixed = PlanExpr::Const;
    let boxed = Box::new;
    let least = |e: &PlanExpr| PlanExpr::Min(boxed(e.clone()), boxed(fixed(MOST_SIDE + 1)));
    let product = |a, b| PlanExpr::Product(boxed(a), boxed(b));
    let scaled = product(product(least(&columns), least(&columns)), least(&rows));
    let room = [
        columns.clone() + fixed(-3),
        fixed(MOST_SIDE) + columns.clone() * -1,
        fixed(MOST_SIDE) + rows.clone() * -1,
        fixed(MOST_SCALED) + scaled * -1,
    ];
    let pick =
        |then, at_least_zero| PlanExpr::Pick(boxed(at_least_zero), boxed(then), boxed(fixed(0)));
    let ordered = room.into_iter().fold(fixed(1), pick);
    let between = PlanExpr::Max(boxed(columns.clone() + fixed(-2)), boxed(fixed(1)));
    let inverse = PlanExpr::Quotient(boxed(fixed(SCALE)), boxed(between)) + fixed(1);
    [columns, rows, layers, ordered.clone(), product(ordered, inverse)]
}

/// Column, row and layer of the tile of a block, from [`arguments`]; `bind` keeps a value that is needed more than once.
fn tile(
    arguments: [IExpr; 5],
    ends_first: bool,
    mut bind: impl FnMut(IExpr) -> IExpr,
) -> [IExpr; 3] {
    let [columns, rows, layers, ordered, inverse] = arguments;
    let at = IExpr::Const;
    let flag = |e: IExpr| e.greater(at(0)).lesser(at(1));
    let [x, y, z] = [0, 1, 2].map(IExpr::Block);
    let late = bind(flag(z.clone().minus(layers.clone()).plus(at(LATE + 1))));
    let ordered = bind(ordered.product(late.clone()));
    // Where the order is the grid's: a number within a row.
    let before = y.clone().product(columns.clone()).product(ordered.clone());
    let number = bind(x.plus(before));
    let past = bind(number.clone().minus(rows.clone().product(ordered.clone()).times(2)));
    // 1 in the two outermost columns.
    let outermost = bind(at(1).minus(flag(past.clone().plus(at(1)))));
    let past = past.greater(at(0));
    let row = bind(past.clone().product(inverse.product(late)).floor_div(SCALE));
    let between = columns.clone().minus(ordered.clone().times(2));
    let column = past.minus(row.clone().product(between));
    let side = number.clone().modulo(2).product(columns.minus(at(1))).minus(at(1));
    let column = column.plus(ordered.clone()).plus(outermost.clone().product(side));
    let row = ends(row, &rows, &mut bind)
        .plus(outermost.product(number.floor_div(2)))
        .plus(at(1).minus(ordered).product(y));
    let layer = if ends_first { ends(z, &layers, &mut bind) } else { z };
    [column, row, layer].map(bind)
}

/// Of 0, 1, 2, 3, … the first, the last, the second, the third, …
fn ends(number: IExpr, count: &IExpr, bind: &mut impl FnMut(IExpr) -> IExpr) -> IExpr {
    let at = IExpr::Const;
    let from_second = bind(number.clone().minus(at(1)).greater(at(0)));
    let is_last = number.lesser(at(1)).minus(from_second.clone().lesser(at(1)));
    from_second.plus(is_last.product(count.clone().minus(at(1))))
}

impl Builder<'_> {
    /// Column, row and layer of a block's tile.
    pub(super) fn tile_of_block(&mut self) -> [IExpr; 3] {
        if let Some(known) = &self.tile_at {
            return known.clone();
        }
        let first = order_argument(self.dims());
        let arguments = [0, 1, 2, 3, 4].map(|i| self.param(KernelParam::Launch(first + i)));
        let at = tile(arguments, self.shape.ends_first, |value| self.bind(value));
        self.tile_at = Some(at.clone());
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexpass_abi::plan::PlanValues;

    struct Nothing;

    impl PlanValues for Nothing {
        fn steps(&self) -> i64 {
            0
        }

        fn space(&self, _: u8) -> (i64, i64) {
            (0, 0)
        }

        fn tunable(&self, _: u8) -> i64 {
            1
        }
    }

    fn value(e: &IExpr, block: [i64; 3]) -> i64 {
        let v = |e: &IExpr| value(e, block);
        match e {
            IExpr::Const(c) => *c,
            IExpr::Block(axis) => block[usize::from(*axis)],
            IExpr::Add(a, b) => v(a) + v(b),
            IExpr::Sub(a, b) => v(a) - v(b),
            IExpr::Mul(a, b) => v(a) * v(b),
            IExpr::FloorDiv(a, c) => v(a).div_euclid(*c),
            IExpr::Mod(a, c) => v(a).rem_euclid(*c),
            IExpr::Min(a, b) => v(a).min(v(b)),
            IExpr::Max(a, b) => v(a).max(v(b)),
            IExpr::Opaque(a) => v(a),
            IExpr::Var(_) | IExpr::Param(_) | IExpr::Thread(_) => panic!("not of a block"),
        }
    }

    /// The tiles, (layer, row, column), in the order of the blocks.
    fn tiles([columns, rows, layers]: [i64; 3], ends_first: bool) -> Vec<(i64, i64, i64)> {
        let arguments = arguments([columns, rows, layers].map(PlanExpr::Const));
        let arguments = arguments.map(|e| IExpr::Const(e.eval(&Nothing, &[])));
        let [x, y, z] = tile(arguments, ends_first, |e| e);
        let of = |x| move |y| (0..columns).map(move |c| [c, y, x]);
        let blocks = (0..layers).flat_map(|z| (0..rows).flat_map(of(z)));
        blocks.map(|at| (value(&z, at), value(&y, at), value(&x, at))).collect()
    }

    #[test]
    fn every_tile_is_taken_once() {
        let sides = [1, 2, 3, 4, 5, 10, 33].map(|c| [1, 2, 3, 13, 30].map(|r| (c, r)));
        let large = [(3, 1023), (101, 102), (60, 291), (61, 291), (3, 1024), (1024, 1)];
        for (columns, rows) in sides.into_iter().flatten().chain(large) {
            for (layers, ends_first) in [(1, true), (2, true), (4, true), (3, false)] {
                let sizes = [columns, rows, layers];
                let mut found = tiles(sizes, ends_first);
                found.sort_unstable();
                let row = |z| move |y| (0..columns).map(move |x| (z, y, x));
                let all = (0..layers).flat_map(|z| (0..rows).flat_map(row(z)));
                assert_eq!(found, all.collect::<Vec<_>>(), "{sizes:?}");
            }
        }
    }

    #[test]
    fn late_layers_begin_with_tiles_near_the_border() {
        for (columns, rows) in [(3, 3), (10, 13), (7, 10), (3, 1), (101, 102)] {
            let layer = (columns * rows) as usize;
            let tiles = tiles([columns, rows, 4], false);
            let is_inside =
                |&(_, y, x): &(i64, i64, i64)| 0 < x && x < columns - 1 && 0 < y && y < rows - 1;
            let (early, late) = tiles.split_at(2 * layer);
            assert!(early.is_sorted(), "{columns} x {rows}");
            for layer in late.chunks(layer) {
                assert!(layer.is_sorted_by_key(is_inside), "{columns} x {rows}");
            }
        }
    }

    #[test]
    fn the_outermost_layers_may_come_first() {
        let layers: Vec<i64> = tiles([1, 1, 5], true).iter().map(|t| t.0).collect();
        assert_eq!(layers, [0, 4, 1, 2, 3]);
    }

    #[test]
    fn other_grids_keep_their_order() {
        for (columns, rows) in [(1, 9), (2, 5), (3, 1024), (1024, 1), (110, 110)] {
            assert!(tiles([columns, rows, 2], false).is_sorted(), "{columns} x {rows}");
        }
    }
}
