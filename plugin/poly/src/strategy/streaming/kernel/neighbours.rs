//! Values that other threads hold.
//!
//! A row's edge columns are shuffled once, at the first plane of the stream at which some level reads them, and kept in
//! registers with the row. Edge rows of a warp go to shared memory when they are made; levels load what they need from
//! there, columns beside the thread's own included.

use super::load::widest;
use super::registers::{Plane, Rows};
use super::{Builder, Turn, Where};
use crate::kernel::ir::{IExpr, Node, Place, SharedBuffer};
use crate::strategy::streaming::counts::{EdgeRows, is_long};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A column of another thread: lanes further along, and which of its columns.
type Edge = (i64, i64);

/// What is known while one body is written.
#[derive(Default)]
pub struct Neighbours {
    pub shared: Vec<SharedBuffer>,
    /// For each version whose edge rows are shared, where they lie.
    buffers: BTreeMap<u16, Edges>,
    /// Those that this body shares.
    active: BTreeSet<u16>,
    /// How many planes after a row of a version was made its edge is first read, and last. A thread's rows differ: its
    /// first is another's neighbour above only, at another plane than below.
    read: HashMap<(u16, i64, Edge), (i64, i64)>,
    /// Rings of edges, for each row of a version.
    edges: BTreeMap<(u16, i64, Edge), Rows>,
    /// Rows of other warps and edges of this turn.
    done: HashSet<(u16, i64, i64, Edge)>,
    found: HashMap<(u16, i64, i64), Plane>,
    found_beside: HashMap<(u16, i64, i64, i64), Place>,
}

/// The edge rows of a version in shared memory.
#[derive(Clone, Debug)]
struct Edges {
    buffer: u16,
    rows: EdgeRows,
    /// Columns beside those of a warp.
    beside: i64,
    /// The last warp of the block, where the outermost warps read rows of their own instead of others'.
    last: Option<i64>,
}

impl Edges {
    /// The buffer's row where row `row` of the thread lies, which another warp may hold; `tall` rows a thread.
    fn row(&self, row: i64, tall: i64) -> IExpr {
        let warp = IExpr::Thread(1);
        let first = |warp: IExpr| warp.times(self.rows.of_thread.len() as i64);
        match self.last {
            Some(last) => {
                let warp = warp.plus(IExpr::Const(row.div_euclid(tall)));
                let warp = warp.greater(IExpr::Const(0)).lesser(IExpr::Const(last));
                first(warp).plus(IExpr::Const(self.rows.row(row.rem_euclid(tall), tall)))
            }
            None => {
                let at = self.rows.before + self.rows.row(row, tall);
                first(warp).plus(IExpr::Const(at))
            }
        }
    }
}

impl Neighbours {
    pub fn begin(&mut self) {
        self.active.clear();
        self.read.clear();
        self.next_turn();
    }

    pub fn next_turn(&mut self) {
        self.done.clear();
        self.found.clear();
        self.found_beside.clear();
    }

    pub fn exchanges(&self) -> bool {
        !self.active.is_empty()
    }

    /// All rings of edges.
    pub fn rings(&self) -> impl Iterator<Item = &Rows> {
        self.edges.values()
    }

    /// True if warps look at rows of those beside them only.
    pub fn are_beside(&self) -> bool {
        self.buffers.values().all(|edges| edges.rows.away <= 1)
    }
}

/// A value that a level reads of a version.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub version: u16,
    /// Planes since it was made.
    pub age: i64,
    /// Place in the ring.
    pub plane: i64,
    /// Relative to the thread's first; outside of its own ones: another thread's.
    pub row: i64,
    pub column: i64,
}

impl Builder<'_> {
    /// All that a level reads of versions at plane `index`, for all points of a thread.
    pub(super) fn wanted(&self, level: usize, mode: Where, index: i64) -> Vec<Wanted> {
        let s = self.shape.sizes;
        let reads = self.tile.levels[level].reads.len();
        let all = (0..reads)
            .flat_map(|i| (0..s.rows).flat_map(move |r| (0..s.vector).map(move |c| (i, r, c))));
        all.filter_map(|(i, r, c)| self.want(level, mode, index, i, r, c)).collect()
    }

    /// What read i of a level wants at a point of the thread, where the plane that is computed lags the level's delay behind
    /// plane `index`; `None` if the array is only read.
    pub(super) fn want(
        &self,
        level: usize,
        mode: Where,
        index: i64,
        read: usize,
        row: i64,
        column: i64,
    ) -> Option<Wanted> {
        let l = &self.tile.levels[level];
        let version = self.seen(l.reads[read]?, mode);
        let distance = self.flow.distance(&self.statement(level).reads[read])?;
        let along = self.tile.streamed.map_or(0, |d| distance[d]);
        let across = if self.dims() == 3 { distance[1] } else { 0 };
        let lead = self.cuts[level].as_ref().map_or(0, |c| c.cut.leads[read]);
        Some(Wanted {
            version,
            age: l.delay - lead - along - self.tile.delay_of(version),
            plane: index - l.delay + along,
            row: row + across,
            column: column + distance[self.dims() - 1],
        })
    }

    fn edge(&self, column: i64) -> Edge {
        let v = self.shape.sizes.vector;
        (column.div_euclid(v), column.rem_euclid(v))
    }

    /// Buffers for the edge rows that either body shares.
    ///
    /// Rows of the outermost warps whose neighbours are other blocks' are never right, and never stored. Where they come from
    /// rows that nobody writes, one address does for all rows of a thread; but these may hold anything, for which
    /// divisions and roots take their rare ways.
    pub(super) fn share(&mut self) {
        let mut wanted: BTreeMap<u16, BTreeSet<i64>> = BTreeMap::new();
        let mut beside = 0;
        let s = self.shape.sizes;
        for mode in [Where::Inside, Where::Border] {
            for level in 0..self.tile.levels.len() {
                for w in self.wanted(level, mode, 0) {
                    if !(0..s.rows).contains(&w.row) {
                        wanted.entry(w.version).or_default().insert(w.row);
                        beside = beside.max(-w.column).max(w.column - s.vector + 1);
                    }
                }
            }
        }
        let beside = (beside + s.vector - 1).div_euclid(s.vector) * s.vector;
        let long = is_long(self.flow);
        for (version, wanted) in wanted {
            let rows = EdgeRows::of(&wanted, s.rows, long);
            let array = self.tile.versions[usize::from(version)].array;
            let columns = 32 * s.vector + 2 * beside;
            let extents = vec![self.shape.unroll, rows.height(s.warps), columns];
            let buffer = self.neighbours.shared.len() as u16;
            let name = format!("v{version}");
            self.neighbours.shared.push(SharedBuffer { name, elem: self.elem(array), extents });
            let last = long.then_some(s.warps - 1);
            self.neighbours.buffers.insert(version, Edges { buffer, rows, beside, last });
        }
    }

    /// What this body shares, and when its edges are first read.
    pub(super) fn find_neighbours(&mut self, mode: Where) {
        let s = self.shape.sizes;
        for level in 0..self.tile.levels.len() {
            if mode.lacks(self.statement(level)) {
                continue;
            }
            for w in self.wanted(level, mode, 0) {
                if !(0..s.rows).contains(&w.row) {
                    self.neighbours.active.insert(w.version);
                } else if !(0..s.vector).contains(&w.column) {
                    let key = (w.version, w.row, self.edge(w.column));
                    let read = self.neighbours.read.entry(key).or_insert((w.age, w.age));
                    *read = (w.age.min(read.0), w.age.max(read.1));
                }
            }
        }
    }

    /// True for an edge that is shuffled now and read at later planes too.
    pub(super) fn is_kept(&self, w: &Wanted) -> bool {
        let s = self.shape.sizes;
        let is_edge = (0..s.rows).contains(&w.row) && !(0..s.vector).contains(&w.column);
        let read = self.neighbours.read.get(&(w.version, w.row, self.edge(w.column)));
        is_edge && read.is_some_and(|&(first, last)| w.age == first && last > first)
    }

    /// The register that holds it; what must be done before goes to `out`.
    pub(super) fn obtain(&mut self, out: &mut Vec<Node>, w: Wanted) -> Place {
        let s = self.shape.sizes;
        let ring = self.rings[usize::from(w.version)];
        if !(0..s.rows).contains(&w.row) {
            return self.obtain_shared(out, w);
        }
        if (0..s.vector).contains(&w.column) {
            return ring.plane(w.plane).at(w.row, w.column);
        }
        let edge = self.edge(w.column);
        let edges = self.edge_ring(w.version, w.row, edge);
        let to = edges.plane(w.plane).at(0, 0);
        let plane = w.plane.rem_euclid(self.shape.unroll);
        let (first, _) = self.neighbours.read[&(w.version, w.row, edge)];
        if w.age == first && self.neighbours.done.insert((w.version, plane, w.row, edge)) {
            let from = ring.plane(w.plane).at(w.row, edge.1);
            out.push(Node::Shuffle { to: to.clone(), from, lanes: edge.0 as i32 });
        }
        to
    }

    fn edge_ring(&mut self, version: u16, row: i64, edge: Edge) -> Rows {
        let elem = self.elem(self.tile.versions[usize::from(version)].array);
        let unroll = self.shape.unroll;
        let registers = &mut self.registers;
        *self
            .neighbours
            .edges
            .entry((version, row, edge))
            .or_insert_with(|| registers.rows(elem, unroll, 1, 1))
    }

    /// A value of another warp's row.
    fn obtain_shared(&mut self, out: &mut Vec<Node>, w: Wanted) -> Place {
        let s = self.shape.sizes;
        let elem = self.elem(self.tile.versions[usize::from(w.version)].array);
        let plane = w.plane.rem_euclid(self.shape.unroll);
        let edges = &self.neighbours.buffers[&w.version];
        let (buffer, beside, row) = (edges.buffer, edges.beside, edges.row(w.row, s.rows));
        let place = |column: i64| Place::Shared {
            buffer,
            subscripts: vec![
                IExpr::Const(plane),
                row.clone(),
                IExpr::Thread(0).times(s.vector).plus(IExpr::Const(column + beside)),
            ],
        };
        if !(0..s.vector).contains(&w.column) {
            let key = (w.version, plane, w.row, w.column);
            if let Some(found) = self.neighbours.found_beside.get(&key) {
                return found.clone();
            }
            let to = self.registers.rows(elem, 1, 1, 1).plane(0).at(0, 0);
            out.push(Node::Copy { to: to.clone(), from: place(w.column) });
            self.neighbours.found_beside.insert(key, to.clone());
            return to;
        }
        let key = (w.version, plane, w.row);
        if let Some(found) = self.neighbours.found.get(&key) {
            return found.at(0, w.column);
        }
        let to = self.registers.rows(elem, 1, 1, s.vector).plane(0);
        let count = widest(elem, s.vector);
        for column in (0..s.vector).step_by(count as usize) {
            let (to, from) = (to.at(0, column), place(column));
            out.push(match count {
                1 => Node::Copy { to, from },
                _ => Node::Vector { to, from, count: count as u32 },
            });
        }
        self.neighbours.found.insert(key, to);
        to.at(0, w.column)
    }

    /// Puts a version's edge rows, just made, where other warps find them.
    pub(super) fn publish(&mut self, turn: &Turn, version: u16) -> Vec<Node> {
        if !self.neighbours.active.contains(&version) {
            return Vec::new();
        }
        let s = self.shape.sizes;
        let elem = self.elem(self.tile.versions[usize::from(version)].array);
        let plane = turn.index - self.tile.delay_of(version);
        let from = self.rings[usize::from(version)].plane(plane);
        let edges = &self.neighbours.buffers[&version];
        let buffer = edges.buffer;
        let count = widest(elem, s.vector);
        let mut out = Vec::new();
        for &row in &edges.rows.of_thread {
            for column in (0..s.vector).step_by(count as usize) {
                let subscripts = vec![
                    IExpr::Const(plane.rem_euclid(self.shape.unroll)),
                    edges.row(row, s.rows),
                    IExpr::Thread(0).times(s.vector).plus(IExpr::Const(column + edges.beside)),
                ];
                let (to, from) = (Place::Shared { buffer, subscripts }, from.at(row, column));
                out.push(match count {
                    1 => Node::Copy { to, from },
                    _ => Node::Vector { to, from, count: count as u32 },
                });
            }
        }
        out
    }
}
