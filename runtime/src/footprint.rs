//! Boxes of array elements, and unions of them.
//!
//! Consumes nothing but integers; produces exact unions ([`Region`]) of the boxes that accesses touch. They decide
//! both what the guard compares and what is copied, so that neither sees more than the program would touch.

pub use hexpass_abi::MAX_DIMS;

/// Integer points between `lo` and `hi`, both included, in `dims` dimensions. Never empty; unused dimensions are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cuboid {
    /// Number of dimensions in use.
    pub dims: usize,
    /// Smallest coordinates.
    pub lo: [i64; MAX_DIMS],
    /// Largest coordinates.
    pub hi: [i64; MAX_DIMS],
}

impl Cuboid {
    /// The box with these bounds, `None` if it holds no point.
    pub fn new(bounds: &[(i64, i64)]) -> Option<Cuboid> {
        let mut c = Cuboid { dims: bounds.len(), lo: [0; MAX_DIMS], hi: [0; MAX_DIMS] };
        for (d, &(lo, hi)) in bounds.iter().enumerate() {
            if hi < lo {
                return None;
            }
            (c.lo[d], c.hi[d]) = (lo, hi);
        }
        Some(c)
    }

    /// Smallest and largest coordinate of each dimension.
    pub fn bounds(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        (0..self.dims).map(|d| (self.lo[d], self.hi[d]))
    }

    /// Number of points along a dimension.
    pub fn extent(&self, dim: usize) -> i64 {
        self.hi[dim] - self.lo[dim] + 1
    }

    /// Number of points.
    pub fn volume(&self) -> f64 {
        (0..self.dims).map(|d| self.extent(d) as f64).product()
    }

    /// Smallest box around both.
    pub fn hull(&self, o: &Cuboid) -> Cuboid {
        let mut c = *self;
        for d in 0..self.dims {
            c.lo[d] = c.lo[d].min(o.lo[d]);
            c.hi[d] = c.hi[d].max(o.hi[d]);
        }
        c
    }

    /// True if an element of the box lies in these bytes, counted from subscript zero.
    pub fn meets_bytes(&self, strides: &[i64], elem: u64, bytes: (i128, i128)) -> bool {
        meets_bytes(&self.bounds().collect::<Vec<_>>(), strides, elem, bytes)
    }

    /// True if every point of `o` is a point of `self`.
    pub fn contains(&self, o: &Cuboid) -> bool {
        (0..self.dims).all(|d| self.lo[d] <= o.lo[d] && o.hi[d] <= self.hi[d])
    }

    /// Byte offsets of the first and last point for these strides (positive).
    pub fn span(&self, strides: &[i64]) -> (i128, i128) {
        let at = |x: &[i64; MAX_DIMS]| {
            (0..self.dims).map(|d| i128::from(x[d]) * i128::from(strides[d])).sum()
        };
        (at(&self.lo), at(&self.hi))
    }

    /// The innermost dimension whose rows are longer than the stride between them, and their length in bytes: elements of
    /// the box then have several subscripts. For strides that grow outwards.
    pub fn overlong_rows(&self, strides: &[i64], elem: u64) -> Option<(usize, i128)> {
        let mut inner = i128::from(elem);
        for d in (0..self.dims).rev() {
            if d + 1 < self.dims && inner > i128::from(strides[d]) && self.extent(d) > 1 {
                return Some((d, inner));
            }
            inner += i128::from(self.extent(d) - 1) * i128::from(strides[d]);
        }
        None
    }
}

/// A union of boxes, kept as disjoint boxes.
pub type Region = Vec<Cuboid>;

/// Smallest box around all, `None` for no boxes.
pub fn hull<'a>(boxes: impl IntoIterator<Item = &'a Cuboid>) -> Option<Cuboid> {
    boxes.into_iter().copied().reduce(|a, b| a.hull(&b))
}

/// Points of any box of `plus` that lie in no box of `minus`, as disjoint boxes.
///
/// Cuts space at every bound of every box, marks the cells, and joins neighbours, innermost dimension first.
pub fn difference(plus: &[Cuboid], minus: &[Cuboid]) -> Region {
    let plus = without_covered(plus);
    let Some(first) = plus.first() else { return Region::new() };
    if plus.len() == 1 && minus.is_empty() {
        return plus;
    }
    let dims = first.dims;
    let cuts: Vec<Vec<i64>> = (0..dims).map(|d| cuts(&plus, minus, d)).collect();
    let counts: Vec<usize> = cuts.iter().map(|c| c.len() - 1).collect();
    let mut cells = vec![false; counts.iter().product()];
    for (boxes, value) in [(plus.as_slice(), true), (minus, false)] {
        for b in boxes {
            mark(&mut cells, &counts, &cuts, b, value);
        }
    }
    let mut pieces = Region::new();
    let mut index = vec![0usize; dims];
    for &cell in &cells {
        if cell {
            let mut c = *first;
            for d in 0..dims {
                (c.lo[d], c.hi[d]) = (cuts[d][index[d]], cuts[d][index[d] + 1] - 1);
            }
            pieces.push(c);
        }
        for d in (0..dims).rev() {
            index[d] += 1;
            if index[d] < counts[d] {
                break;
            }
            index[d] = 0;
        }
    }
    for d in (0..dims).rev() {
        join(&mut pieces, d);
    }
    pieces.sort_by_key(|c| c.lo);
    pieces
}

/// Drops boxes that another one contains.
fn without_covered(boxes: &[Cuboid]) -> Region {
    let mut kept = Region::new();
    for b in boxes {
        if !kept.iter().any(|k| k.contains(b)) {
            kept.retain(|k| !b.contains(k));
            kept.push(*b);
        }
    }
    kept
}

/// Sorted coordinates at which some box starts, or has just ended, along `d`.
fn cuts(plus: &[Cuboid], minus: &[Cuboid], d: usize) -> Vec<i64> {
    let mut all: Vec<i64> = plus.iter().chain(minus).flat_map(|b| [b.lo[d], b.hi[d] + 1]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Sets the cells inside `b`.
fn mark(cells: &mut [bool], counts: &[usize], cuts: &[Vec<i64>], b: &Cuboid, value: bool) {
    let at = |d: usize, x: i64| cuts[d].partition_point(|&c| c < x);
    let from: Vec<usize> = (0..b.dims).map(|d| at(d, b.lo[d])).collect();
    let to: Vec<usize> = (0..b.dims).map(|d| at(d, b.hi[d] + 1)).collect();
    let mut index = from.clone();
    'cells: loop {
        let flat = (0..b.dims).fold(0, |flat, d| flat * counts[d] + index[d]);
        cells[flat] = value;
        for d in (0..b.dims).rev() {
            index[d] += 1;
            if index[d] < to[d] {
                continue 'cells;
            }
            index[d] = from[d];
        }
        return;
    }
}

/// Joins boxes that touch along `d` and agree in all other dimensions.
fn join(pieces: &mut Region, d: usize) {
    let others = |c: &Cuboid| {
        let mut key = *c;
        (key.lo[d], key.hi[d]) = (0, 0);
        (key.lo, key.hi)
    };
    pieces.sort_by_key(|c| (others(c), c.lo[d]));
    let mut out = Region::with_capacity(pieces.len());
    for c in pieces.drain(..) {
        match out.last_mut() {
            Some(last) if others(last) == others(&c) && last.hi[d] + 1 == c.lo[d] => {
                last.hi[d] = c.hi[d];
            }
            _ => out.push(c),
        }
    }
    *pieces = out;
}

/// True if the boxes, laid out with the same strides, share a byte.
///
/// `distance` is the byte address of `b`'s origin minus that of `a`'s; elements are `elem` bytes wide. Looks for a
/// difference of subscripts that brings two elements within `elem` of each other. Answers true when the search
/// grows too large.
pub fn boxes_meet(a: &Cuboid, b: &Cuboid, strides: &[i64], distance: i128, elem: i64) -> bool {
    // addr_a(x) = Σ x·s, addr_b(y) = distance + Σ y·s; with δ = x − y they meet if |Σ δ·s − distance| < elem.
    let range = |d: usize| (i128::from(a.lo[d] - b.hi[d]), i128::from(a.hi[d] - b.lo[d]));
    let mut budget = 4096;
    meets_from(0, a.dims, &range, strides, distance, i128::from(elem), &mut budget)
}

fn meets_from(
    dim: usize,
    dims: usize,
    range: &dyn Fn(usize) -> (i128, i128),
    strides: &[i64],
    distance: i128,
    elem: i128,
    budget: &mut u32,
) -> bool {
    if dim == dims {
        return distance.abs() < elem;
    }
    let rest = |pick: fn((i128, i128)) -> i128| -> i128 {
        (dim + 1..dims).map(|d| pick(range(d)) * i128::from(strides[d])).sum()
    };
    let (rest_low, rest_high) = (rest(|r| r.0), rest(|r| r.1));
    let stride = i128::from(strides[dim]);
    // distance − δ·stride must lie within (rest_low − elem, rest_high + elem)
    let smallest = -(rest_high + elem - distance).div_euclid(stride);
    let largest = (distance - rest_low + elem).div_euclid(stride);
    let (lo, hi) = range(dim);
    let mut delta = lo.max(smallest);
    while delta <= hi.min(largest) {
        if *budget == 0 {
            return true;
        }
        *budget -= 1;
        let left = distance - delta * stride;
        if meets_from(dim + 1, dims, range, strides, left, elem, budget) {
            return true;
        }
        delta += 1;
    }
    false
}

/// The same from these dimensions on.
fn meets_bytes(
    bounds: &[(i64, i64)],
    strides: &[i64],
    elem: u64,
    (start, end): (i128, i128),
) -> bool {
    let Some((&(lo, hi), inner)) = bounds.split_first() else {
        return start < i128::from(elem) && end > 0;
    };
    let (&stride, strides) = strides.split_first().expect("a stride for each dimension");
    let stride = i128::from(stride);
    // What the inner dimensions add, least and most.
    let (mut least, mut most) = (0, i128::from(elem));
    for (&(lo, hi), &s) in inner.iter().zip(strides) {
        least += i128::from(lo) * i128::from(s);
        most += i128::from(hi) * i128::from(s);
    }
    let first = (start - most).div_euclid(stride).max(i128::from(lo));
    let last = (end - least).div_euclid(stride).min(i128::from(hi));
    (first..=last)
        .any(|x| meets_bytes(inner, strides, elem, (start - x * stride, end - x * stride)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuboid(bounds: &[(i64, i64)]) -> Cuboid {
        Cuboid::new(bounds).unwrap()
    }

    fn inside(boxes: &[Cuboid], x: i64, y: i64) -> usize {
        boxes.iter().filter(|b| b.contains(&cuboid(&[(x, x), (y, y)]))).count()
    }

    /// A small generator, so that the test needs no crate and repeats itself.
    fn random(state: &mut u64) -> i64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) as i64
    }

    #[test]
    fn elements_between_rows_are_not_touched() {
        // Rows of four bytes, ten apart, subscripts 0..=2 and 0..=3.
        let touched =
            |bytes: (i128, i128)| cuboid(&[(0, 2), (0, 3)]).meets_bytes(&[10, 1], 1, bytes);
        for (bytes, expected) in [
            ((0, 1), true),
            ((3, 4), true),
            ((4, 10), false),
            ((4, 11), true),
            ((14, 20), false),
            ((23, 30), true),
            ((24, 99), false),
            ((-5, 0), false),
            ((-5, 1), true),
        ] {
            assert_eq!(touched(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_star_becomes_three_boxes() {
        let star = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]
            .map(|(y, x)| cuboid(&[(1 + y, 8 + y), (1 + x, 6 + x)]));
        let region = difference(&star, &[]);
        assert_eq!(
            region,
            [cuboid(&[(0, 0), (1, 6)]), cuboid(&[(1, 8), (0, 7)]), cuboid(&[(9, 9), (1, 6)])]
        );
    }

    #[test]
    fn unions_and_differences_hold_each_point_once() {
        let mut state = 7;
        for _ in 0..300 {
            let mut boxes = |n: i64| -> Vec<Cuboid> {
                (0..n)
                    .map(|_| {
                        let (x, y) = (random(&mut state) % 12, random(&mut state) % 12);
                        let (w, h) = (random(&mut state) % 6, random(&mut state) % 6);
                        cuboid(&[(x, x + w), (y, y + h)])
                    })
                    .collect()
            };
            let (plus, minus) = (boxes(4), boxes(2));
            let region = difference(&plus, &minus);
            for x in -1..20 {
                for y in -1..20 {
                    let expected = inside(&plus, x, y) > 0 && inside(&minus, x, y) == 0;
                    assert_eq!(inside(&region, x, y), usize::from(expected));
                }
            }
        }
    }

    #[test]
    fn meeting_boxes_are_those_that_share_a_byte() {
        let mut state = 3;
        for _ in 0..2000 {
            let mut small = || {
                let (x, y) = (random(&mut state) % 4, random(&mut state) % 5);
                let (w, h) = (random(&mut state) % 3, random(&mut state) % 3);
                cuboid(&[(x, x + w), (y, y + h)])
            };
            let (a, b) = (small(), small());
            let strides = [4 * (1 + random(&mut state) % 12), 4];
            let distance = random(&mut state) % 200 - 100;
            let bytes = |c: &Cuboid, base: i64| -> std::collections::BTreeSet<i64> {
                let mut all = std::collections::BTreeSet::new();
                for x in c.lo[0]..=c.hi[0] {
                    for y in c.lo[1]..=c.hi[1] {
                        let at = base + x * strides[0] + y * strides[1];
                        all.extend(at..at + 4);
                    }
                }
                all
            };
            let expected = !bytes(&a, 0).is_disjoint(&bytes(&b, distance));
            assert_eq!(boxes_meet(&a, &b, &strides, i128::from(distance), 4), expected);
        }
    }
}
