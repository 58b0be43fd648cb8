//! One block that works as one ([`Style::Block`](crate::kernel::ir::Style::Block)), by walking the kernel once for all
//! threads.
//!
//! Outside a `Threads` loop all threads do the same; inside, an iteration belongs to one thread of that axis. So one
//! walk serves, and [`History`](super::races::History) tells who touched what.

use super::arithmetic::evaluate;
use super::elements::{Element, Elements};
use super::launch::{Launch, Shared, leaf, race, shared_index};
use super::memory::Address;
use super::races::Who;
use super::{Fault, Ran};
use crate::kernel::ir::{Cond, IExpr, LoopKind, Node, Place};
use hexpass_abi::ElemType;

/// Runs the block at these indices.
pub fn run(
    launch: &mut Launch<'_>,
    block: [i64; 3],
    elements: &mut Elements<'_>,
    ran: &mut Ran,
) -> Result<(), Fault> {
    let kernel = launch.kernel;
    let vars = vec![None; usize::from(kernel.vars)];
    let (number, shared) = (launch.number(block), Shared::all(kernel));
    let mut run =
        Block { launch, elements, ran, block, number, epoch: 0, vars, thread: [None; 3], shared };
    run.nodes(&kernel.body)
}

struct Block<'l, 'a, 'e> {
    launch: &'l mut Launch<'a>,
    elements: &'l mut Elements<'e>,
    ran: &'l mut Ran,
    block: [i64; 3],
    number: i64,
    epoch: u64,
    vars: Vec<Option<i64>>,
    thread: [Option<i64>; 3],
    shared: Vec<Shared>,
}

impl Block<'_, '_, '_> {
    fn value(&self, e: &IExpr) -> Result<i64, Fault> {
        e.eval(&|l| match l {
            IExpr::Var(v) => self.vars.get(usize::from(*v)).copied().flatten(),
            _ => leaf(l, &self.launch.params, self.block),
        })
        .ok_or_else(|| Fault(format!("{e:?} speaks of something unbound")))
    }

    fn values(&self, all: &[IExpr]) -> Result<Vec<i64>, Fault> {
        all.iter().map(|e| self.value(e)).collect()
    }

    fn holds(&self, c: &Cond) -> Result<bool, Fault> {
        match c {
            Cond::Le(a, b) => Ok(self.value(a)? <= self.value(b)?),
            Cond::All(all) => {
                for c in all {
                    if !self.holds(c)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    fn nodes(&mut self, nodes: &[Node]) -> Result<(), Fault> {
        nodes.iter().try_for_each(|n| self.node(n))
    }

    fn node(&mut self, node: &Node) -> Result<(), Fault> {
        match node {
            Node::Let { var, value } => {
                let v = self.value(value)?;
                self.bind(*var, v)
            }
            Node::For { var, lo, hi, step, kind, body } => {
                self.repeat(*var, lo, hi, *step, *kind, body)
            }
            Node::If { cond, then, otherwise } => {
                if self.holds(cond)? {
                    self.nodes(then)
                } else {
                    self.nodes(otherwise)
                }
            }
            Node::Copy { to, from } => {
                let thread = self.thread()?;
                let bits = self.load(from, thread)?;
                self.ran.copies += 1;
                self.store(to, bits, thread)
            }
            Node::Instance { piece: Some(_), .. } => Err("a piece in a kernel for blocks".into()),
            Node::Instance { statement, piece: None, time, coords, reads, writes } => {
                self.instance(usize::from(*statement), time, coords, reads, writes)
            }
            Node::Vector { .. }
            | Node::Shuffle { .. }
            | Node::Select { .. }
            | Node::Prefetch { .. }
            | Node::Fetch { .. }
            | Node::Await { .. }
            | Node::BarrierBeside => Err("a node for threads in a kernel for blocks".into()),
            Node::Barrier if self.thread.iter().any(Option::is_some) => {
                Err("a barrier inside a loop over threads".into())
            }
            Node::Barrier => {
                self.epoch += 1;
                Ok(())
            }
        }
    }

    fn bind(&mut self, var: u16, v: i64) -> Result<(), Fault> {
        *self.vars.get_mut(usize::from(var)).ok_or("no such variable")? = Some(v);
        Ok(())
    }

    fn repeat(
        &mut self,
        var: u16,
        lo: &IExpr,
        hi: &IExpr,
        step: i64,
        kind: LoopKind,
        body: &[Node],
    ) -> Result<(), Fault> {
        let (lo, hi) = (self.value(lo)?, self.value(hi)?);
        let axis = match kind {
            LoopKind::Threads(axis) => Some(usize::from(axis)),
            _ => None,
        };
        if let Some(axis) = axis
            && self.thread.get(axis).copied().flatten().is_some()
        {
            return Err(format!("two loops over axis {axis}").into());
        }
        let mut at = lo;
        while at <= hi {
            self.bind(var, at)?;
            if let Some(axis) = axis {
                let threads = i64::from(self.launch.kernel.threads[axis]);
                self.thread[axis] = Some(((at - lo) / step).rem_euclid(threads));
            }
            self.nodes(body)?;
            at += step;
        }
        if let Some(axis) = axis {
            self.thread[axis] = None;
        }
        Ok(())
    }

    /// The thread at work; every axis with more than one must be shared out.
    fn thread(&self) -> Result<u64, Fault> {
        let mut id = 0;
        for axis in (0..3).rev() {
            let threads = u64::from(self.launch.kernel.threads[axis]);
            let at = match self.thread[axis] {
                Some(t) => t as u64,
                None if threads == 1 => 0,
                None => return Err(format!("all threads of axis {axis} do the same work").into()),
            };
            id = id * threads + at;
        }
        Ok(id)
    }

    fn instance(
        &mut self,
        statement: usize,
        time: &IExpr,
        coords: &[IExpr],
        reads: &[Place],
        writes: &[Vec<Place>],
    ) -> Result<(), Fault> {
        let thread = self.thread()?;
        let (t, coords) = (self.value(time)?, self.values(coords)?);
        let (stencil, sizes) = (self.launch.stencil, self.launch.sizes);
        let s = stencil.statements.get(statement).ok_or("no such statement")?;
        let round = |d: usize| self.launch.kernel.round.contains(&(d as u8));
        let mut along = coords.iter().zip(sizes.bounds(statement)).enumerate();
        let exists = (0..sizes.steps).contains(&t)
            && along.all(|(d, (x, b))| round(d) || b.0 <= *x && *x <= b.1);
        if !exists {
            return Err(
                format!("statement {statement} at t = {t}, {coords:?} does not exist").into()
            );
        }
        let mut loads = Vec::new();
        for place in reads {
            loads.push(self.load(place, thread)?);
        }
        let values = evaluate(&s.body, &loads, sizes, t, &coords)?;
        if writes.len() != s.writes.len() {
            return Err("a write is missing".into());
        }
        for (w, places) in s.writes.iter().zip(writes) {
            let bits = *values.get(usize::from(w.value)).ok_or("a store of no value")?;
            for place in places {
                self.store(place, bits, thread)?;
            }
        }
        self.ran.instances += 1;
        Ok(())
    }

    fn who(&self, thread: u64) -> Who {
        let (epoch, warp) = (self.epoch, (0, 1));
        Who { block: self.number, epoch, thread, warp, together: epoch }
    }

    fn load(&mut self, place: &Place, thread: u64) -> Result<u64, Fault> {
        let who = self.who(thread);
        match place {
            Place::Global { array, rotation, subscripts } => {
                let (at, elem) = self.address(*array, rotation, subscripts)?;
                self.launch.reads(at, place, who)?;
                self.elements.memory.load(at, elem)
            }
            Place::Buffer { param, subscripts } => {
                let e = self.in_buffer(*param, subscripts)?;
                self.launch.reads(e.at, place, who)?;
                let bits = self.elements.load(e)?;
                bits.ok_or_else(|| Fault(format!("{place:?} is read before it is filled")))
            }
            Place::Register { .. } => Err("a place for threads in a kernel for blocks".into()),
            Place::Shared { buffer, subscripts } => {
                let at = self.shared_index(*buffer, subscripts)?;
                let shared = &mut self.shared[usize::from(*buffer)];
                if !shared.history[at].read(who) {
                    return Err(race("read", place, who));
                }
                shared.bits[at]
                    .ok_or_else(|| Fault(format!("{place:?} is read before it is filled")))
            }
        }
    }

    fn store(&mut self, place: &Place, bits: u64, thread: u64) -> Result<(), Fault> {
        let who = self.who(thread);
        match place {
            Place::Global { array, rotation, subscripts } => {
                let (at, elem) = self.address(*array, rotation, subscripts)?;
                self.launch.writes(at, place, who)?;
                self.elements.memory.store(at, elem, bits)
            }
            Place::Buffer { param, subscripts } => {
                let e = self.in_buffer(*param, subscripts)?;
                self.launch.writes(e.at, place, who)?;
                self.elements.store(e, Some(bits)).map(|_| ())
            }
            Place::Register { .. } => Err("a place for threads in a kernel for blocks".into()),
            Place::Shared { buffer, subscripts } => {
                let at = self.shared_index(*buffer, subscripts)?;
                let shared = &mut self.shared[usize::from(*buffer)];
                if !shared.history[at].write(who) {
                    return Err(race("write", place, who));
                }
                shared.bits[at] = Some(bits);
                Ok(())
            }
        }
    }

    /// An element of a buffer; its strides must be among the kernel's parameters.
    fn in_buffer(&self, param: u16, subscripts: &[IExpr]) -> Result<Element, Fault> {
        let (array, buffer) = self.launch.buffer(param)?;
        let subscripts = self.values(subscripts)?;
        let found = self.elements.of_buffer(array, buffer, &subscripts)?;
        found.ok_or_else(|| Fault(format!("{subscripts:?} lies beside a row")))
    }

    /// Address of a global place; its slot and strides must be among the kernel's parameters.
    fn address(
        &self,
        array: u16,
        rotation: &IExpr,
        subscripts: &[IExpr],
    ) -> Result<(Address, ElemType), Fault> {
        let l = &*self.launch;
        let slot = l.slot(array, self.value(rotation)?)?;
        let subscripts = self.values(subscripts)?;
        let elem = l.stencil.arrays[usize::from(array)].elem;
        Ok((l.sizes.address(l.stencil, array, slot, &subscripts)?, elem))
    }

    fn shared_index(&self, buffer: u16, subscripts: &[IExpr]) -> Result<usize, Fault> {
        let b = self.launch.kernel.shared.get(usize::from(buffer)).ok_or("no such buffer")?;
        shared_index(b, &self.values(subscripts)?)
    }
}
