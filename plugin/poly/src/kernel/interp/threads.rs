//! One block whose threads run every node ([`Style::Thread`](crate::kernel::ir::Style::Thread)), in lockstep: node by
//! node, all threads that are active.
//!
//! What is undefined on a device is `None` here: registers that nothing has written, results of instances that don't
//! exist, loads from beside a row, shuffles that leave the warp, and what is computed from these. It may be moved
//! between registers and shared memory; where it would be stored to global memory, the run ends.

use super::arithmetic::{defined, evaluate};
use super::elements::{Element, Elements};
use super::launch::{Launch, Shared, leaf, race, shared_index};
use super::races::Who;
use super::{Fault, Ran};
use crate::kernel::ir::{Cond, IExpr, Node, Place};
use crate::kernel::pieces::Code;

/// Threads of a warp.
const WARP: usize = 32;

/// Largest magnitude of a variable.
const MOST: i64 = 3 << 29;

/// Runs the block at these indices.
pub fn run(
    launch: &mut Launch<'_>,
    block: [i64; 3],
    elements: &mut Elements<'_>,
    ran: &mut Ran,
) -> Result<(), Fault> {
    let kernel = launch.kernel;
    let threads = kernel.threads.iter().product::<u32>() as usize;
    let number = launch.number(block);
    let mut run = Block {
        block,
        number,
        epoch: 0,
        together: 0,
        threads,
        vars: vec![None; usize::from(kernel.vars)],
        registers: kernel.registers.iter().map(|b| vec![None; b.len as usize * threads]).collect(),
        shared: Shared::all(kernel),
        groups: vec![0; threads],
        fetched: Vec::new(),
        launch,
        elements,
        ran,
    };
    let all: Vec<usize> = (0..threads).collect();
    run.nodes(&kernel.body, &all)
}

/// An integer of each thread.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Each {
    Same(i64),
    Different(Vec<i64>),
}

impl Each {
    fn of(&self, thread: usize) -> i64 {
        match self {
            Each::Same(x) => *x,
            Each::Different(all) => all[thread],
        }
    }

    fn map(self, f: impl Fn(i64) -> i64) -> Each {
        match self {
            Each::Same(x) => Each::Same(f(x)),
            Each::Different(all) => Each::Different(all.into_iter().map(f).collect()),
        }
    }

    fn with(self, other: Each, f: impl Fn(i64, i64) -> i64) -> Each {
        match (self, other) {
            (a, Each::Same(y)) => a.map(|x| f(x, y)),
            (Each::Same(x), b) => b.map(|y| f(x, y)),
            (Each::Different(a), Each::Different(b)) => {
                Each::Different(a.into_iter().zip(b).map(|(x, y)| f(x, y)).collect())
            }
        }
    }
}

struct Block<'l, 'a, 'e> {
    launch: &'l mut Launch<'a>,
    elements: &'l mut Elements<'e>,
    ran: &'l mut Ran,
    block: [i64; 3],
    number: i64,
    epoch: u64,
    /// The same when all threads met last.
    together: u64,
    threads: usize,
    vars: Vec<Option<Each>>,
    /// For each bank the threads' values of register 0, then of register 1, …
    registers: Vec<Vec<Option<u64>>>,
    shared: Vec<Shared>,
    /// Groups of copies that each thread has asked for, and what is on its way.
    groups: Vec<u32>,
    fetched: Vec<Fetched>,
}

/// An element on its way to shared memory.
struct Fetched {
    thread: usize,
    /// How many groups the thread had asked for before.
    group: u32,
    buffer: usize,
    at: usize,
    bits: Option<u64>,
}

impl Block<'_, '_, '_> {
    fn each(&self, e: &IExpr) -> Result<Each, Fault> {
        let two = |a: &IExpr, b: &IExpr, f: fn(i64, i64) -> i64| {
            Ok::<_, Fault>(self.each(a)?.with(self.each(b)?, f))
        };
        match e {
            IExpr::Const(c) => Ok(Each::Same(*c)),
            IExpr::Var(v) => {
                let value = self.vars.get(usize::from(*v)).cloned().flatten();
                value.ok_or_else(|| Fault(format!("variable {v} is not bound")))
            }
            IExpr::Param(_) | IExpr::Block(_) => leaf(e, &self.launch.params, self.block)
                .map(Each::Same)
                .ok_or_else(|| Fault(format!("{e:?} is not there"))),
            IExpr::Thread(axis) => self.thread(usize::from(*axis)),
            IExpr::Add(a, b) => two(a, b, i64::wrapping_add),
            IExpr::Sub(a, b) => two(a, b, i64::wrapping_sub),
            IExpr::Mul(a, b) => two(a, b, i64::wrapping_mul),
            IExpr::Min(a, b) => two(a, b, i64::min),
            IExpr::Max(a, b) => two(a, b, i64::max),
            IExpr::FloorDiv(a, c) => Ok(self.each(a)?.map(|x| x.div_euclid(*c))),
            IExpr::Opaque(a) => self.each(a),
            IExpr::Mod(a, c) => Ok(self.each(a)?.map(|x| x.rem_euclid(*c))),
        }
    }

    fn thread(&self, axis: usize) -> Result<Each, Fault> {
        let threads = self.launch.kernel.threads.map(|n| n as usize);
        let own = *threads.get(axis).ok_or("no such axis")?;
        let below: usize = threads[..axis].iter().product();
        Ok(Each::Different((0..self.threads).map(|t| (t / below % own) as i64).collect()))
    }

    /// A value that all these threads agree on.
    fn uniform(&self, e: &IExpr, active: &[usize]) -> Result<i64, Fault> {
        let each = self.each(e)?;
        let first = active.first().map_or(0, |&t| each.of(t));
        match active.iter().all(|&t| each.of(t) == first) {
            true => Ok(first),
            false => Err(format!("{e:?} differs between threads").into()),
        }
    }

    /// The threads for which the condition holds.
    fn holds(&self, c: &Cond, active: &[usize]) -> Result<Vec<usize>, Fault> {
        match c {
            Cond::Le(a, b) => {
                let (a, b) = (self.each(a)?, self.each(b)?);
                Ok(active.iter().copied().filter(|&t| a.of(t) <= b.of(t)).collect())
            }
            Cond::All(all) => {
                all.iter().try_fold(active.to_vec(), |active, c| self.holds(c, &active))
            }
        }
    }

    fn nodes(&mut self, nodes: &[Node], active: &[usize]) -> Result<(), Fault> {
        if active.is_empty() {
            return Ok(());
        }
        nodes.iter().try_for_each(|n| self.node(n, active))
    }

    fn node(&mut self, node: &Node, active: &[usize]) -> Result<(), Fault> {
        match node {
            Node::Let { var, value } => {
                let value = self.each(value)?;
                self.bind(*var, value)
            }
            Node::For { var, lo, hi, step, body, .. } => {
                let (lo, hi) = (self.uniform(lo, active)?, self.uniform(hi, active)?);
                let mut at = lo;
                while at <= hi {
                    self.bind(*var, Each::Same(at))?;
                    self.nodes(body, active)?;
                    at += step;
                }
                Ok(())
            }
            Node::If { cond, then, otherwise } => {
                let yes = self.holds(cond, active)?;
                let no: Vec<usize> =
                    active.iter().copied().filter(|t| yes.binary_search(t).is_err()).collect();
                self.nodes(then, &yes)?;
                self.nodes(otherwise, &no)
            }
            Node::Copy { to, from } => self.copy(to, from, 1, active),
            Node::Vector { to, from, count } => self.copy(to, from, *count, active),
            Node::Shuffle { to, from, lanes } => self.shuffle(to, from, *lanes, active),
            Node::Select { to, cond, then, otherwise } => {
                self.select(to, cond, then, otherwise, active)
            }
            Node::Prefetch { from, cond } => {
                let (from, yes) = (self.spot(from)?, self.holds(cond, active)?);
                yes.iter().try_for_each(|&thread| self.load(&from, thread, 0).map(|_| ()))
            }
            Node::Instance { statement, piece, time, coords, reads, writes } => {
                let (stencil, kernel) = (self.launch.stencil, self.launch.kernel);
                let code = Code::of(stencil, kernel, *statement, *piece);
                let code = code.ok_or("no such statement, or piece of it")?;
                self.instance(usize::from(*statement), code, time, coords, reads, writes, active)
            }
            Node::Fetch { copies, count } => self.fetch(copies, *count, active),
            Node::Await { but } => self.arrive(*but, active),
            Node::Barrier => {
                self.all_threads("a barrier", active)?;
                self.epoch += 1;
                self.together = self.epoch;
                Ok(())
            }
            Node::BarrierBeside => {
                self.all_threads("a barrier", active)?;
                self.epoch += 1;
                Ok(())
            }
        }
    }

    fn all_threads(&self, what: &str, active: &[usize]) -> Result<(), Fault> {
        match active.len() == self.threads {
            true => Ok(()),
            false => {
                Err(format!("{} of {} threads come to {what}", active.len(), self.threads).into())
            }
        }
    }

    fn bind(&mut self, var: u16, value: Each) -> Result<(), Fault> {
        if (0..self.threads).any(|t| value.of(t).abs() > MOST) {
            return Err(format!("variable {var} is {value:?}").into());
        }
        *self.vars.get_mut(usize::from(var)).ok_or("no such variable")? = Some(value);
        Ok(())
    }

    fn copy(
        &mut self,
        to: &Place,
        from: &Place,
        count: u32,
        active: &[usize],
    ) -> Result<(), Fault> {
        let (to, from) = (self.spot(to)?, self.spot(from)?);
        for &thread in active {
            for spot in [&to, &from] {
                self.aligned(spot, thread, count)?;
            }
            for i in 0..count {
                let bits = self.load(&from, thread, i)?;
                self.store(&to, thread, i, bits)?;
                self.ran.copies += 1;
            }
        }
        Ok(())
    }

    fn fetch(
        &mut self,
        copies: &[(Place, Place)],
        count: u32,
        active: &[usize],
    ) -> Result<(), Fault> {
        for (to, from) in copies {
            let (to, from) = (self.spot(to)?, self.spot(from)?);
            let Kind::Shared(buffer) = to.kind else { return Err("fetched elsewhere".into()) };
            for &thread in active {
                self.aligned(&to, thread, count)?;
                self.aligned(&from, thread, count)?;
                for i in 0..count {
                    let bits = self.load(&from, thread, i)?;
                    self.store(&to, thread, i, None)?;
                    let at = self.shared_index(buffer, &to.at(thread, i))?;
                    let group = self.groups[thread];
                    self.fetched.push(Fetched { thread, group, buffer, at, bits });
                }
            }
        }
        active.iter().for_each(|&thread| self.groups[thread] += 1);
        Ok(())
    }

    /// What all groups of these threads but the last ones copy is there.
    fn arrive(&mut self, but: u32, active: &[usize]) -> Result<(), Fault> {
        let groups = &self.groups;
        let is_there = |f: &Fetched| {
            f.group + but < groups[f.thread] && active.binary_search(&f.thread).is_ok()
        };
        let (there, rest) = std::mem::take(&mut self.fetched).into_iter().partition(is_there);
        self.fetched = rest;
        for f in there {
            let who = self.who(f.thread);
            let shared = &mut self.shared[f.buffer];
            if !shared.history[f.at].write(who) {
                return Err(format!("{who:?}: a race for what was fetched").into());
            }
            shared.bits[f.at] = f.bits;
        }
        Ok(())
    }

    fn shuffle(
        &mut self,
        to: &Place,
        from: &Place,
        lanes: i32,
        active: &[usize],
    ) -> Result<(), Fault> {
        self.all_threads("a shuffle", active)?;
        let (to, from) = (self.spot(to)?, self.spot(from)?);
        let before =
            active.iter().map(|&t| self.load(&from, t, 0)).collect::<Result<Vec<_>, _>>()?;
        for &thread in active {
            let source = (thread % WARP) as i64 + i64::from(lanes);
            let bits = match (0..WARP as i64).contains(&source) {
                true => before.get(thread - thread % WARP + source as usize).copied().flatten(),
                false => None,
            };
            self.store(&to, thread, 0, bits)?;
        }
        Ok(())
    }

    fn select(
        &mut self,
        to: &Place,
        cond: &Cond,
        then: &Place,
        otherwise: &Place,
        active: &[usize],
    ) -> Result<(), Fault> {
        let yes = self.holds(cond, active)?;
        let (to, then, otherwise) = (self.spot(to)?, self.spot(then)?, self.spot(otherwise)?);
        for &thread in active {
            let from = if yes.binary_search(&thread).is_ok() { &then } else { &otherwise };
            let bits = self.load(from, thread, 0)?;
            self.store(&to, thread, 0, bits)?;
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one node")]
    fn instance(
        &mut self,
        statement: usize,
        code: Code<'_>,
        time: &IExpr,
        coords: &[IExpr],
        reads: &[Place],
        writes: &[Vec<Place>],
        active: &[usize],
    ) -> Result<(), Fault> {
        let sizes = self.launch.sizes;
        let written = code.writes();
        if writes.len() != written.len() {
            return Err("a write is missing".into());
        }
        let places = || reads.iter().chain(writes.iter().flatten());
        let must_exist = !places().all(|p| matches!(p, Place::Register { .. }));
        let time = self.each(time)?;
        let coords = coords.iter().map(|e| self.each(e)).collect::<Result<Vec<_>, _>>()?;
        let reads = self.spots(reads)?;
        let writes = writes.iter().map(|w| self.spots(w)).collect::<Result<Vec<_>, _>>()?;
        for &thread in active {
            let t = time.of(thread);
            let at: Vec<i64> = coords.iter().map(|e| e.of(thread)).collect();
            let inside = |(x, b): (&i64, &(i64, i64))| b.0 <= *x && *x <= b.1;
            let round = |d: usize| !must_exist && self.launch.kernel.round.contains(&(d as u8));
            let mut along = at.iter().zip(sizes.bounds(statement)).enumerate();
            let exists = (0..sizes.steps).contains(&t) && along.all(|(d, x)| round(d) || inside(x));
            if !exists && must_exist {
                return Err(
                    format!("statement {statement} at t = {t}, {at:?} does not exist").into()
                );
            }
            let loads =
                reads.iter().map(|r| self.load(r, thread, 0)).collect::<Result<Vec<_>, _>>()?;
            let known = defined(code.body, &loads);
            let values = match exists && known.contains(&true) {
                true => {
                    let loads: Vec<u64> = loads.iter().map(|l| l.unwrap_or(0)).collect();
                    evaluate(code.body, &loads, sizes, t, &at)?
                }
                false => Vec::new(),
            };
            self.ran.instances += u64::from(exists);
            for (&value, spots) in written.iter().zip(&writes) {
                let known = *known.get(usize::from(value)).ok_or("a store of no value")?;
                let bits = values.get(usize::from(value)).copied().filter(|_| known);
                for spot in spots {
                    self.store(spot, thread, 0, bits)?;
                }
            }
        }
        Ok(())
    }

    fn spots<'p>(&self, places: &'p [Place]) -> Result<Vec<Spot<'p>>, Fault> {
        places.iter().map(|p| self.spot(p)).collect()
    }

    /// A place with its subscripts for each thread.
    fn spot<'p>(&self, place: &'p Place) -> Result<Spot<'p>, Fault> {
        let (kind, subscripts): (_, &[IExpr]) = match place {
            Place::Global { array, rotation, subscripts } => {
                (Kind::Slot { array: *array, rotation: self.each(rotation)? }, subscripts)
            }
            Place::Buffer { param, subscripts } => {
                let (array, buffer) = self.launch.buffer(*param)?;
                (Kind::Buffer { array, buffer }, subscripts)
            }
            Place::Shared { buffer, subscripts } => {
                (Kind::Shared(usize::from(*buffer)), subscripts)
            }
            Place::Register { bank, index } => {
                let bank = usize::from(*bank);
                let len = self.launch.kernel.registers.get(bank).ok_or("no such bank")?.len;
                (Kind::Register { bank, first: *index, len }, &[])
            }
        };
        let subscripts = subscripts.iter().map(|e| self.each(e)).collect::<Result<Vec<_>, _>>()?;
        Ok(Spot { place, kind, subscripts })
    }

    /// Fails where the first of `count` elements doesn't begin a vector.
    fn aligned(&self, spot: &Spot<'_>, thread: usize, count: u32) -> Result<(), Fault> {
        let first = match &spot.kind {
            Kind::Register { .. } => 0,
            Kind::Shared(buffer) => self.shared_index(*buffer, &spot.at(thread, 0))? as i64,
            Kind::Slot { .. } | Kind::Buffer { .. } => {
                spot.subscripts.last().map_or(0, |e| e.of(thread))
            }
        };
        match first.rem_euclid(i64::from(count)) {
            0 => Ok(()),
            _ => Err(format!(
                "{count} elements of {:?} from {:?} on are not aligned",
                spot.place,
                spot.at(thread, 0)
            )
            .into()),
        }
    }

    fn shared_index(&self, buffer: usize, subscripts: &[i64]) -> Result<usize, Fault> {
        shared_index(self.launch.kernel.shared.get(buffer).ok_or("no such buffer")?, subscripts)
    }

    fn who(&self, thread: usize) -> Who {
        let across = u64::from(self.launch.kernel.threads[0]).max(1);
        let (thread, all) = (thread as u64, self.threads as u64);
        let warp = (thread / across, all.div_ceil(across));
        Who { block: self.number, epoch: self.epoch, thread, warp, together: self.together }
    }

    /// An element of global memory; `None` beside a row.
    fn element(&self, spot: &Spot<'_>, thread: usize, i: u32) -> Result<Option<Element>, Fault> {
        let subscripts = spot.at(thread, i);
        match &spot.kind {
            Kind::Slot { array, rotation } => {
                let slot = self.launch.slot(*array, rotation.of(thread))?;
                self.elements.of_slot(*array, slot, &subscripts)
            }
            Kind::Buffer { array, buffer } => self.elements.of_buffer(*array, *buffer, &subscripts),
            Kind::Shared(_) | Kind::Register { .. } => Err("no place in global memory".into()),
        }
    }

    /// Bits of element `i` from a place on.
    fn load(&mut self, spot: &Spot<'_>, thread: usize, i: u32) -> Result<Option<u64>, Fault> {
        let who = self.who(thread);
        match spot.kind {
            Kind::Register { bank, first, len } if first + i < len => {
                Ok(self.registers[bank][(first + i) as usize * self.threads + thread])
            }
            Kind::Register { .. } => Err(format!("{:?} is not there", spot.place).into()),
            Kind::Shared(buffer) => {
                let at = self.shared_index(buffer, &spot.at(thread, i))?;
                match self.shared[buffer].history[at].read(who) {
                    true => Ok(self.shared[buffer].bits[at]),
                    false => Err(race("read", spot.place, who)),
                }
            }
            Kind::Slot { .. } | Kind::Buffer { .. } => match self.element(spot, thread, i)? {
                Some(e) => {
                    self.launch.reads(e.at, spot.place, who)?;
                    self.elements.load(e)
                }
                None => Ok(None),
            },
        }
    }

    fn store(
        &mut self,
        spot: &Spot<'_>,
        thread: usize,
        i: u32,
        bits: Option<u64>,
    ) -> Result<(), Fault> {
        let who = self.who(thread);
        match spot.kind {
            Kind::Register { bank, first, len } if first + i < len => {
                self.registers[bank][(first + i) as usize * self.threads + thread] = bits;
                Ok(())
            }
            Kind::Register { .. } => Err(format!("{:?} is not there", spot.place).into()),
            Kind::Shared(buffer) => {
                let at = self.shared_index(buffer, &spot.at(thread, i))?;
                if !self.shared[buffer].history[at].write(who) {
                    return Err(race("write", spot.place, who));
                }
                self.shared[buffer].bits[at] = bits;
                Ok(())
            }
            Kind::Slot { .. } | Kind::Buffer { .. } => {
                let e = self.element(spot, thread, i)?.ok_or_else(|| {
                    Fault(format!("{who:?} stores beside a row: {:?}", spot.at(thread, i)))
                })?;
                self.launch.writes(e.at, spot.place, who)?;
                match self.elements.store(e, bits)? {
                    true => Ok(()),
                    false => Err(format!(
                        "{who:?} stores an undefined value to {:?} at {:?}",
                        spot.place,
                        spot.at(thread, i)
                    )
                    .into()),
                }
            }
        }
    }
}

/// A place as all threads see it.
struct Spot<'p> {
    place: &'p Place,
    kind: Kind,
    subscripts: Vec<Each>,
}

enum Kind {
    Slot { array: u16, rotation: Each },
    Buffer { array: u16, buffer: i64 },
    Shared(usize),
    Register { bank: usize, first: u32, len: u32 },
}

impl Spot<'_> {
    /// Subscripts of the element `i` further on in the innermost dimension.
    fn at(&self, thread: usize, i: u32) -> Vec<i64> {
        let mut all: Vec<i64> = self.subscripts.iter().map(|e| e.of(thread)).collect();
        if let Some(last) = all.last_mut() {
            *last += i64::from(i);
        }
        all
    }
}
