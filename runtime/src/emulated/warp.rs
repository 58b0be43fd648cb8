//! One warp at work. Lanes that take different branches become fragments, each a block and its
//! lanes; the fragment that stands first in the order of [`flow`](super::flow) runs, and fragments
//! that reach the same block become one again. A warp runs until all its lanes wait at a barrier
//! or have exited.

use super::code::*;
use super::copies::Copies;
use super::error::Fault;
use super::lanes::{Lanes, each, lanes_of};
use super::layout::{GLOBAL_WINDOW, WINDOW};
use super::transfer::{Trouble, View, window};

/// The part of a warp that has its own place in the program.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    pub block: u32,
    pub mask: u32,
    pub state: State,
    /// The block that ended in the barrier it waits at.
    pub from: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Ready,
    /// Waits for other lanes of the warp before it runs its block.
    Meeting,
    Waiting(Barrier),
}

/// What a warp keeps while other warps run.
#[derive(Default)]
pub struct Warp {
    pub fragments: Vec<Fragment>,
    /// Lanes that have not exited.
    pub live: u32,
    pub predicates: Vec<u32>,
    pub copies: Copies,
}

/// A fault, where the program was, and in which lane.
#[derive(Debug)]
pub struct Stop {
    pub lane: u32,
    pub line: u32,
    pub fault: Fault,
}

impl Warp {
    pub fn start(&mut self, live: u32) {
        self.live = live;
        self.fragments.clear();
        if live != 0 {
            self.fragments.push(Fragment { block: 0, mask: live, state: State::Ready, from: 0 });
        }
        self.predicates.fill(0);
        self.copies = Copies::default();
    }

    /// The barrier that the whole warp waits at; none once it has exited.
    pub fn barrier(&self) -> Option<Barrier> {
        match self.fragments.first()?.state {
            State::Waiting(barrier) => Some(barrier),
            _ => None,
        }
    }

    /// True if it has neither ended nor waits.
    pub fn can_run(&self) -> bool {
        self.live != 0 && self.barrier().is_none()
    }

    /// Lets the warp go on.
    pub fn release(&mut self) {
        self.fragments.iter_mut().for_each(|fragment| fragment.state = State::Ready);
    }
}

/// Runs `warp` on the instruction set that this machine has.
pub(super) fn run(
    blocks: &[Block],
    warp: &mut Warp,
    banks: [*mut Row; 4],
    view: &mut View<'_>,
    budget: &mut u64,
) -> Result<(), Stop> {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn run_x86_64_v3(
            blocks: &[Block],
            warp: &mut Warp,
            banks: [*mut Row; 4],
            view: &mut View<'_>,
            budget: &mut u64,
        ) -> Result<(), Stop> {
            Run::new(blocks, warp, banks, view, budget).run()
        }
        let vector = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let bits = is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2");
        let counts = is_x86_feature_detected!("lzcnt") && is_x86_feature_detected!("popcnt");
        if vector && bits && counts {
            // SAFETY: this machine has the features.
            return unsafe { run_x86_64_v3(blocks, warp, banks, view, budget) };
        }
    }
    Run::new(blocks, warp, banks, view, budget).run()
}

struct Run<'w, 'v, 'm> {
    blocks: &'w [Block],
    fragments: &'w mut Vec<Fragment>,
    live: &'w mut u32,
    lanes: Lanes,
    view: &'v mut View<'m>,
    budget: &'w mut u64,
}

impl<'w, 'v, 'm> Run<'w, 'v, 'm> {
    #[inline(always)]
    fn new(
        blocks: &'w [Block],
        warp: &'w mut Warp,
        banks: [*mut Row; 4],
        view: &'v mut View<'m>,
        budget: &'w mut u64,
    ) -> Self {
        let predicates = warp.predicates.as_mut_ptr();
        let lanes = Lanes { banks, predicates, mask: 0, full: false };
        let Warp { fragments, live, .. } = warp;
        Run { blocks, fragments, live, lanes, view, budget }
    }

    #[inline(always)]
    fn run(mut self) -> Result<(), Stop> {
        while let Some((fragment, limit)) = self.pick() {
            self.run_fragment(fragment, limit)?;
        }
        self.stopped()
    }

    /// Takes the first fragment that can run, joined with all that stand where it stands, and the
    /// block from which on it might meet another.
    fn pick(&mut self) -> Option<(Fragment, u32)> {
        let ready = self.fragments.iter().filter(|fragment| fragment.state == State::Ready);
        let mut picked = *ready.min_by_key(|fragment| fragment.block)?;
        picked.mask = 0;
        let mut limit = u32::MAX;
        self.fragments.retain(|fragment| {
            let waits = matches!(fragment.state, State::Waiting(_));
            let joins = fragment.block == picked.block && !waits;
            if joins {
                picked.mask |= fragment.mask;
            } else if !waits {
                limit = limit.min(fragment.block);
            }
            !joins
        });
        Some((picked, limit))
    }

    /// Runs until the fragment splits, waits, exits, or comes to block `limit`.
    #[inline(always)]
    fn run_fragment(&mut self, mut fragment: Fragment, limit: u32) -> Result<(), Stop> {
        self.lanes.mask = fragment.mask;
        self.lanes.full = fragment.mask == *self.live;
        let blocks = self.blocks;
        loop {
            let block = &blocks[fragment.block as usize];
            if let Some(members) = block.members
                && !self.met(block, members)?
            {
                fragment.state = State::Meeting;
                self.fragments.push(fragment);
                return Ok(());
            }
            self.spend(block)?;
            for (index, inst) in block.insts.iter().enumerate() {
                if let Err(Trouble { lane, fault }) = step(&mut self.lanes, self.view, inst) {
                    return Err(Stop { lane, line: block.lines[index], fault });
                }
            }
            match &block.end {
                End::Jump(next) => fragment.block = *next,
                End::Branch { p, negated, yes, no } => {
                    let p = self.lanes.pred(*p);
                    let taken = (if *negated { !p } else { p }) & fragment.mask;
                    if taken == fragment.mask {
                        fragment.block = *yes;
                    } else if taken == 0 {
                        fragment.block = *no;
                    } else {
                        let rest =
                            Fragment { block: *no, mask: fragment.mask & !taken, ..fragment };
                        let taken = Fragment { block: *yes, mask: taken, ..fragment };
                        self.fragments.extend([taken, rest]);
                        return Ok(());
                    }
                }
                other => return self.leave(fragment, block, other),
            }
            if fragment.block >= limit {
                self.fragments.push(fragment);
                return Ok(());
            }
        }
    }

    #[inline(always)]
    fn spend(&mut self, block: &Block) -> Result<(), Stop> {
        let cost = block.insts.len() as u64 + 1;
        match self.budget.checked_sub(cost) {
            Some(rest) => {
                *self.budget = rest;
                Ok(())
            }
            None => Err(self.stop(block.lines[0], Fault::Budget(0))),
        }
    }

    fn stop(&self, line: u32, fault: Fault) -> Stop {
        Stop { lane: self.lanes.mask.trailing_zeros() & 31, line, fault }
    }

    /// The rarer ways to end a block.
    #[inline(never)]
    fn leave(&mut self, mut fragment: Fragment, block: &Block, end: &End) -> Result<(), Stop> {
        let line = block.lines.last().copied().unwrap_or(0);
        match end {
            End::Exit => {
                *self.live &= !fragment.mask;
                // Lanes that waited for these ones wait no longer.
                let meeting = self.fragments.iter_mut().filter(|f| f.state == State::Meeting);
                meeting.for_each(|fragment| fragment.state = State::Ready);
            }
            End::Trap => return Err(self.stop(line, Fault::Trap)),
            End::Barrier { barrier, number, next } => {
                let barrier = match number {
                    Some(slot) => self.numbered(*barrier, *slot, line)?,
                    None => *barrier,
                };
                fragment.from = fragment.block;
                fragment.block = *next;
                fragment.state = State::Waiting(barrier);
                self.fragments.push(fragment);
            }
            End::Switch { index, targets } => {
                for lane in lanes_of(fragment.mask) {
                    let value = self.lanes.lane::<u32>(*index, lane);
                    let Some(&block) = targets.get(value as usize) else {
                        return Err(Stop { lane, line, fault: Fault::BranchIndex(value) });
                    };
                    self.fragments.push(Fragment { block, mask: 1 << lane, ..fragment });
                }
            }
            End::Jump(block) => self.fragments.push(Fragment { block: *block, ..fragment }),
            End::Branch { .. } => (),
        }
        Ok(())
    }

    /// The barrier whose number all lanes have in a register.
    fn numbered(&self, barrier: Barrier, number: Slot, line: u32) -> Result<Barrier, Stop> {
        let mut found = None;
        for lane in lanes_of(self.lanes.mask) {
            let number = self.lanes.lane::<u32>(number, lane);
            if u64::from(number) > LAST_BARRIER {
                return Err(Stop { lane, line, fault: Fault::NoBarrier { barrier: number } });
            }
            if *found.get_or_insert(number) != number {
                let fault = Fault::BarrierDivergence { barrier: number };
                return Err(Stop { lane, line, fault });
            }
        }
        Ok(Barrier { number: found.unwrap_or(barrier.number), ..barrier })
    }

    /// Whether all lanes that `members` names, and that still live, are here.
    fn met(&self, block: &Block, members: Slot) -> Result<bool, Stop> {
        let mut wanted = 0;
        for lane in lanes_of(self.lanes.mask) {
            let members = self.lanes.lane::<u32>(members, lane);
            if members & (1 << lane) == 0 {
                let fault = Fault::NotAMember { members };
                return Err(Stop { lane, line: block.lines[0], fault });
            }
            wanted |= members;
        }
        Ok(wanted & *self.live & !self.lanes.mask == 0)
    }

    /// Nothing can run: either everything has exited, or it waits at one barrier, or never ends.
    fn stopped(&mut self) -> Result<(), Stop> {
        let Some(first) = self.fragments.first().copied() else { return Ok(()) };
        for fragment in self.fragments.iter() {
            let lane = fragment.mask.trailing_zeros() & 31;
            let State::Waiting(barrier) = fragment.state else {
                let block = &self.blocks[fragment.block as usize];
                let slot = block.members.unwrap_or_default();
                let members = self.lanes.lane::<u32>(slot, lane);
                let fault = Fault::WarpDeadlock { members, arrived: fragment.mask };
                return Err(Stop { lane, line: block.lines[0], fault });
            };
            let same =
                fragment.from == first.from || (!barrier.aligned && first.state == fragment.state);
            if !same {
                let lines = &self.blocks[fragment.from as usize].lines;
                let fault = Fault::BarrierDivergence { barrier: barrier.number };
                return Err(Stop { lane, line: lines.last().copied().unwrap_or(0), fault });
            }
        }
        Ok(())
    }
}

/// Executes one instruction for the active lanes.
#[inline(always)]
fn step(lanes: &mut Lanes, view: &mut View<'_>, inst: &Inst) -> Result<(), Trouble> {
    match inst {
        Inst::Alu { op, d, s } => op.run(lanes, *d, *s),
        Inst::Compare { op, d, a, b } => lanes.set_pred(*d, op.run(lanes, *a, *b)),
        Inst::Load(access) => return view.load(lanes, access),
        Inst::Store(access) => return view.store(lanes, access),
        Inst::Logic { op, d, a, b } => {
            let (a, b) = (lanes.pred(*a), lanes.pred(*b));
            let value = match op {
                Logic::And => a & b,
                Logic::Or => a | b,
                Logic::Xor => a ^ b,
            };
            lanes.set_pred(*d, value);
        }
        Inst::Not { d, a } => lanes.set_pred(*d, !lanes.pred(*a)),
        Inst::Select { bytes: 8, d, a, b, p } => lanes.select::<u64>(*d, *a, *b, *p),
        Inst::Select { bytes: 4, d, a, b, p } => lanes.select::<u32>(*d, *a, *b, *p),
        Inst::Select { d, a, b, p, .. } => lanes.select::<u16>(*d, *a, *b, *p),
        other => return rare(lanes, view, other),
    }
    Ok(())
}

#[inline(never)]
fn rare(lanes: &mut Lanes, view: &mut View<'_>, inst: &Inst) -> Result<(), Trouble> {
    match inst {
        Inst::Guarded { p, negated, inst } => return guarded(lanes, view, *p, *negated, inst),
        Inst::SetPred { d, value } => lanes.set_pred(*d, if *value { u32::MAX } else { 0 }),
        Inst::Test { class, double, d, a } => lanes.set_pred(*d, test(lanes, *class, *double, *a)),
        Inst::Convert { kind, d, a } => {
            let row: [u64; 32] = match kind.from_register {
                8 => lanes.get(*a),
                4 => lanes.get::<u32>(*a).map(u64::from),
                _ => lanes.get::<u16>(*a).map(u64::from),
            };
            let value = row.map(|bits| kind.apply(bits));
            match kind.to_register {
                8 => lanes.put(*d, &value),
                4 => lanes.put(*d, &value.map(|bits| bits as u32)),
                _ => lanes.put(*d, &value.map(|bits| bits as u16)),
            }
        }
        Inst::InWindow { area, d, a } => {
            let row = lanes.get::<u64>(*a);
            let inside = |address: u64| match (area, window(address)) {
                (Window::Shared, Some((space, _))) => space == super::Space::Shared,
                (Window::Local, Some((space, _))) => space == super::Space::Local,
                (Window::Global, None) => address < GLOBAL_WINDOW + WINDOW,
                _ => false,
            };
            lanes.set_pred(*d, super::lanes::gather_bits(&row.map(inside)));
        }
        Inst::ActiveMask { d } => lanes.fill(*d, |_| lanes.mask),
        Inst::Shuffle(shuffle) => exchange(lanes, shuffle),
        Inst::Vote { kind, d, p, members } => {
            let p = lanes.pred(*p);
            let rows = group_rows(lanes, *members);
            let holds = |group: u32| match kind {
                Vote::All => p & group == group,
                Vote::Any => p & group != 0,
                Vote::Uniform => p & group == group || p & group == 0,
            };
            lanes.set_pred(*d, super::lanes::gather_bits(&rows.map(holds)));
        }
        Inst::Ballot { d, p, members } => {
            let p = lanes.pred(*p);
            lanes.put(*d, &group_rows(lanes, *members).map(|group| p & group));
        }
        Inst::Reduce { kind, d, a, members } => {
            let row = lanes.get::<u32>(*a);
            let groups = group_rows(lanes, *members);
            lanes.put(*d, &groups.map(|group| reduce(*kind, group, &row)));
        }
        Inst::Copy(copy) => return view.copy(lanes, copy),
        Inst::CopyGroup => view.copies.group(lanes.mask),
        Inst::CopyWait { but } => view.arrive(lanes, *but),
        Inst::Fence => std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst),
        _ => (),
    }
    Ok(())
}

fn guarded(
    lanes: &mut Lanes,
    view: &mut View<'_>,
    p: Pred,
    negated: bool,
    inst: &Inst,
) -> Result<(), Trouble> {
    let p = lanes.pred(p);
    let mask = lanes.mask & if negated { !p } else { p };
    if mask == 0 {
        return Ok(());
    }
    let mut inner = Lanes {
        banks: lanes.banks,
        predicates: lanes.predicates,
        mask,
        full: lanes.full && mask == lanes.mask,
    };
    step(&mut inner, view, inst)
}

fn test(lanes: &Lanes, class: Class, double: bool, a: Slot) -> u32 {
    // Zero counts as normal, as on the device.
    let is = |number: f64, subnormal: bool| match class {
        Class::Finite => number.is_finite(),
        Class::Infinite => number.is_infinite(),
        Class::Number => !number.is_nan(),
        Class::NotANumber => number.is_nan(),
        Class::Normal => number.is_finite() && !subnormal,
        Class::Subnormal => subnormal,
    };
    let flags = if double {
        lanes.get::<f64>(a).map(|number| is(number, number.is_subnormal()))
    } else {
        let row = lanes.get::<f32>(a);
        row.map(|number| is(number.into(), number.is_subnormal()))
    };
    super::lanes::gather_bits(&flags)
}

/// Each lane's member mask, without lanes that are not here.
fn group_rows(lanes: &Lanes, members: Slot) -> [u32; 32] {
    lanes.get::<u32>(members).map(|members| members & lanes.mask)
}

fn reduce(kind: Reduction, group: u32, row: &[u32; 32]) -> u32 {
    let values = lanes_of(group).map(|lane| row[lane as usize]);
    let signed = |value: u32| value as i32;
    let result = match kind {
        Reduction::Add => values.reduce(u32::wrapping_add),
        Reduction::And => values.reduce(|a, b| a & b),
        Reduction::Or => values.reduce(|a, b| a | b),
        Reduction::Xor => values.reduce(|a, b| a ^ b),
        Reduction::MinU => values.min(),
        Reduction::MaxU => values.max(),
        Reduction::MinS => values.min_by_key(|&value| signed(value)),
        Reduction::MaxS => values.max_by_key(|&value| signed(value)),
    };
    result.unwrap_or(0)
}

/// What `shfl` reads from a lane that does not take part: PTX leaves it open; this is the same in
/// every run, and shows in results that depend on it.
pub const ABSENT_LANE: u32 = 0xdead_beef;

fn exchange(lanes: &Lanes, shuffle: &Shuffle) {
    let [a, b, c] = [shuffle.a, shuffle.b, shuffle.c].map(|slot| lanes.get::<u32>(slot));
    let groups = group_rows(lanes, shuffle.members);
    let source = |lane: usize| source_lane(shuffle.mode, lane as u32, b[lane], c[lane]);
    let value = each(|lane| match source(lane) {
        None => a[lane],
        Some(from) if groups[lane] >> from & 1 == 1 => a[from as usize],
        Some(_) => ABSENT_LANE,
    });
    let inside = each(|lane| source(lane).is_some());
    lanes.put(shuffle.d, &value);
    if let Some(p) = shuffle.p {
        lanes.set_pred(p, super::lanes::gather_bits(&inside));
    }
}

/// The lane that `lane` reads, if it lies within the segment and clamp of `c`.
fn source_lane(mode: ShuffleMode, lane: u32, b: u32, c: u32) -> Option<u32> {
    let (by, clamp, segment) = (b & 31, c & 31, (c >> 8) & 31);
    let low = lane & segment;
    let high = low | (clamp & !segment);
    match mode {
        ShuffleMode::Up => lane.checked_sub(by).filter(|&from| from >= high),
        ShuffleMode::Down => Some(lane + by).filter(|&from| from <= high),
        ShuffleMode::Butterfly => Some(lane ^ by).filter(|&from| from <= high),
        ShuffleMode::Index => Some(low | (by & !segment)).filter(|&from| from <= high),
    }
}
