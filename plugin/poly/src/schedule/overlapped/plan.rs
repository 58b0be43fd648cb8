//! Where carried slots lie between launches, and the launch plan that takes all steps of the nest, whatever their
//! number.
//!
//! Consumes carried slots and the kernels of each kind of launch; produces buffers ([`buffers`]) and a [`LaunchPlan`]
//! ([`plan`]). Refuses nothing: where no time tile fits, direct launches take the step.
//!
//! With T steps, of which the last F must be taken by direct launches, the plan lets m time tiles take S <= T − F steps,
//! `m − c` of them B steps each and c of them B − 1, and direct launches take the rest. Direct launches work in the
//! arrays' own slots, so that after m launches every carried slot must lie in its home: the buffer before an even or
//! an odd launch, as m says, must be the slot itself. That is a condition on S modulo N, the common period of the slots:
//!
//! - m even: the slots are where they were at time 0, which is right if N divides S;
//! - m odd: they are in their other buffers, which may be the homes after a steps, for one a modulo N, or never.
//!
//! For both, the plan tries the two numbers of launches around (T − F) / B and takes what leaves the fewest steps.
//!
//! A time tile of one step that leaves all slots where a direct step does ([`is_in_place`]) may stand for that.
//!
//! Where direct launches must take steps at the beginning, they take a multiple of N, and what stands here is of the others.

use super::{Carried, Start};
use crate::stencil::StencilProgram;
use hexpass_abi::{LaunchPlan, PlanExpr, PlanOp};

/// Launch argument of every kernel: the first step.
pub const TIME: u8 = 0;
/// Launch argument of a time tile: its place among the time tiles, from 0, whose parity tells buffers apart.
pub const INDEX: u8 = 1;
/// Index of the first argument of [`Launch::args`] of a time tile; of a direct launch it is `TIME + 1`.
pub const FURTHER: u8 = 2;

/// A kernel with what its launches need; no expression speaks of [`PlanExpr::Var`].
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Index into the kernels.
    pub kernel: u16,
    /// As [`PlanOp::Launch`].
    pub blocks: [PlanExpr; 3],
    /// Arguments after [`TIME`] and [`INDEX`].
    pub args: Vec<PlanExpr>,
}

/// What a plan is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Launches {
    /// Steps of a time tile, B; at least 1.
    pub steps: i64,
    /// A time tile of B steps.
    pub tile: Launch,
    /// A time tile of B − 1 steps, if there is one; never with B = 1.
    pub shorter: Option<Launch>,
    /// One step: a launch for each statement, in order.
    pub direct: Vec<Launch>,
    /// Steps that direct launches take before any time tile: so many, or a few more.
    pub begin: i64,
    /// Direct launches that are made once more after the last time tile, as of its last step.
    pub again: Vec<Launch>,
    /// A time tile of one step that takes the place of [`Launches::direct`], of which there are none then.
    pub in_place: Option<Launch>,
}

/// True if a time tile of one step leaves every slot as the statements themselves do, one after the other: each array that they
/// write has two slots, one of which is carried, and all that is written is left, in the other of the two.
pub fn is_in_place(program: &StencilProgram, carried: &[Carried], versioned: &[u16]) -> bool {
    let of = |array: u16| {
        let mut all = carried.iter().filter(move |c| c.array == array);
        all.next().filter(|_| all.next().is_none())
    };
    let writes = |array: u16| {
        let all = program.statements.iter().flat_map(|s| &s.writes).map(|w| &w.access);
        all.filter(move |a| a.array == array)
    };
    versioned.iter().all(|&array| {
        let slots = program.arrays[usize::from(array)].slots.len();
        of(array).is_some_and(|c| {
            let home = c.rotation.rem_euclid(2) as u16;
            slots == 2
                && c.buffers == [home, 1 - home]
                && writes(array).all(|a| (a.rotation - c.rotation).rem_euclid(2) == 1)
        })
    })
}

/// For each carried slot of one array, given by its rotation, the buffers where it lies before an even and before an odd
/// launch; and the number of scratch buffers that this takes besides the array's slots.
///
/// Before an even launch, it is the slot's home at time 0. Before an odd one, it is one of the other slots where there
/// are enough, all of them turned by the same number of steps if that is possible.
pub fn buffers(slots: usize, rotations: &[i32]) -> (Vec<[u16; 2]>, usize) {
    let slots = slots.max(1) as i32;
    let home = |rotation: i32| rotation.rem_euclid(slots) as u16;
    let even: Vec<u16> = rotations.iter().map(|&r| home(r)).collect();
    let turned = |by: i32| rotations.iter().map(|&r| home(r + by)).collect::<Vec<u16>>();
    let apart = |odd: &Vec<u16>| odd.iter().all(|b| !even.contains(b));
    let free = (0..).filter(|b| !even.contains(b)).take(even.len()).collect();
    let odd: Vec<u16> = (1..slots).map(turned).find(apart).unwrap_or(free);
    let scratch = odd.iter().filter(|&&b| i32::from(b) >= slots).count();
    (even.into_iter().zip(odd).map(|(a, b)| [a, b]).collect(), scratch)
}

/// The plan; `slots[a]` is the number of slots of array a, `finish` the number of steps that direct launches must take
/// at the end (or all, if there are fewer).
pub fn plan(slots: &[usize], carried: &[Carried], finish: i64, launches: &Launches) -> LaunchPlan {
    let homes = Homes::of(slots, carried);
    let mut plan = Builder::default();
    // After so many steps all slots are where they were at time 0.
    let begin = (launches.begin + homes.period - 1) / homes.period * homes.period;
    let left = plan.bind(at_least_zero(PlanExpr::Steps + constant(-finish - begin)));
    let candidates: Vec<Candidate> = homes
        .counts(&left, launches)
        .map(|c| Candidate::new(&mut plan, c, &left, launches))
        .collect();
    let best = candidates.iter().map(|c| c.steps.clone()).reduce(greater);
    let steps = plan.bind(at_least_zero(best.unwrap_or(constant(0))));
    let first = |all: PlanExpr, c: &Candidate| {
        PlanExpr::Pick(
            Box::new(c.steps.clone() + steps.clone() * -1),
            Box::new(c.count.clone()),
            Box::new(all),
        )
    };
    let count = candidates.iter().rev().fold(constant(0), first);
    let count = plan.bind(count);
    plan.finish(body(begin, &steps, &count, launches))
}

/// Steps without time tiles (or with those of one step), launches of B steps, of B − 1 steps, then steps without time tiles again.
fn body(
    begin: i64,
    steps: &PlanExpr,
    count: &PlanExpr,
    launches: &Launches,
) -> impl FnOnce(u8) -> Vec<PlanOp> {
    let b = launches.steps;
    let (steps, count, launches) = (steps.clone(), count.clone(), launches.clone());
    move |var| {
        let turn = PlanExpr::Var(var);
        let long = match launches.shorter {
            Some(_) => steps.clone() + count.clone() * (1 - b),
            None => count.clone(),
        };
        let after = |time: PlanExpr| if begin > 0 { time + constant(begin) } else { time };
        let each = |all: &[Launch]| all.iter().map(|l| direct(l, turn.clone())).collect();
        let mut ops = Vec::new();
        if begin > 0 {
            let hi = lesser(constant(begin), PlanExpr::Steps) + constant(-1);
            ops.push(PlanOp::Loop { var, lo: constant(0), hi, body: each(&launches.direct) });
        }
        ops.push(PlanOp::Loop {
            var,
            lo: constant(0),
            hi: long.clone() + constant(-1),
            body: vec![tile(&launches.tile, after(turn.clone() * b), turn.clone())],
        });
        if let Some(shorter) = &launches.shorter {
            // The j-th launch is the (j − long)-th short one, after long · B steps.
            let time = after(turn.clone() * (b - 1) + long.clone());
            ops.push(PlanOp::Loop {
                var,
                lo: long,
                hi: count.clone() + constant(-1),
                body: vec![tile(shorter, time, turn.clone())],
            });
        }
        if !launches.again.is_empty() {
            let last = after(steps.clone()) + constant(-1);
            let some = steps.clone() + constant(-1);
            let hi = PlanExpr::Pick(Box::new(some), Box::new(last.clone()), Box::new(constant(-1)));
            ops.push(PlanOp::Loop { var, lo: last, hi, body: each(&launches.again) });
        }
        let body = match &launches.in_place {
            Some(one) => vec![tile(one, turn.clone(), turn + count + after(steps.clone()) * -1)],
            None => each(&launches.direct),
        };
        let hi = PlanExpr::Steps + constant(-1);
        ops.push(PlanOp::Loop { var, lo: after(steps), hi, body });
        ops
    }
}

fn tile(l: &Launch, time: PlanExpr, index: PlanExpr) -> PlanOp {
    launch(l, time.clone(), vec![time, index])
}

fn direct(l: &Launch, time: PlanExpr) -> PlanOp {
    launch(l, time.clone(), vec![time])
}

fn launch(l: &Launch, time: PlanExpr, mut args: Vec<PlanExpr>) -> PlanOp {
    args.extend(l.args.iter().cloned());
    PlanOp::Launch { kernel: l.kernel, blocks: l.blocks.clone(), time, args }
}

/// The plan of a nest without time tiles: every step by direct launches.
pub fn direct_plan(direct: &[Launch]) -> LaunchPlan {
    let body = direct.iter().map(|l| self::direct(l, PlanExpr::Var(0))).collect();
    let (lo, hi) = (constant(0), PlanExpr::Steps + constant(-1));
    LaunchPlan { ops: vec![PlanOp::Loop { var: 0, lo, hi, body }], vars: 1 }
}

/// Blocks of so many points that cover a dimension of the space, counted from its smallest coordinate rounded down to a
/// place.
pub fn blocks_over(dim: u8, width: PlanExpr, from: Start) -> PlanExpr {
    let align = from.align.max(1);
    let later = |bound: PlanExpr| match from.before {
        0 => bound,
        before => bound + constant(before),
    };
    let first = PlanExpr::FloorDiv(Box::new(later(PlanExpr::SpaceLo(dim))), align) * align;
    let points = later(PlanExpr::SpaceHi(dim)) + first * -1;
    PlanExpr::Quotient(Box::new(points), Box::new(width)) + constant(1)
}

/// When all carried slots lie in their homes.
struct Homes {
    /// N.
    period: i64,
    /// After an odd number of launches: the steps modulo N.
    odd: Option<i64>,
}

impl Homes {
    fn of(slots: &[usize], carried: &[Carried]) -> Homes {
        let of = |c: &Carried| slots.get(usize::from(c.array)).map_or(1, |&n| n.max(1) as i64);
        let period = carried.iter().map(of).fold(1, lcm);
        let home = |c: &Carried, steps: i64| (steps + i64::from(c.rotation)).rem_euclid(of(c));
        let right = |&a: &i64| carried.iter().all(|c| home(c, a) == i64::from(c.buffers[1]));
        Homes { period, odd: (0..period).find(right) }
    }

    /// Numbers of launches worth trying, the fewest that can take all steps last; each with what it asks of the steps.
    fn counts<'a>(
        &'a self,
        left: &'a PlanExpr,
        launches: &'a Launches,
    ) -> impl Iterator<Item = Count> + 'a {
        let b = launches.steps;
        let enough = move |odd: i64| {
            // 2·⌈(left − odd·B) / 2B⌉ + odd
            let pairs = left.clone() + constant(2 * b - 1 - odd * b);
            PlanExpr::FloorDiv(Box::new(pairs), 2 * b) * 2 + constant(odd)
        };
        let parities = [Some((0, 0)), self.odd.map(|residue| (1, residue))];
        let around = parities.into_iter().flatten().flat_map(move |(odd, residue)| {
            let count = enough(odd);
            [count.clone() + constant(-2), count].map(|count| Count {
                count,
                period: self.period,
                residue,
            })
        });
        // A number of whole tiles after which everything is where it was.
        let turns = lcm(2, self.period / gcd(self.period, b));
        let whole = PlanExpr::FloorDiv(Box::new(left.clone()), turns * b) * turns;
        around.chain([Count { count: whole, period: self.period, residue: 0 }])
    }
}

/// A number of launches; the steps that they take must be `residue` modulo `period`.
struct Count {
    count: PlanExpr,
    period: i64,
    residue: i64,
}

/// A number of launches with the most steps that they can take, negative if there is no such number of steps.
struct Candidate {
    count: PlanExpr,
    steps: PlanExpr,
}

impl Candidate {
    fn new(plan: &mut Builder, c: Count, left: &PlanExpr, launches: &Launches) -> Candidate {
        let b = launches.steps;
        let count = plan.bind(c.count);
        let most = lesser(count.clone() * b, left.clone());
        let turns = PlanExpr::FloorDiv(Box::new(most + constant(-c.residue)), c.period);
        let steps = plan.bind(turns * c.period + constant(c.residue));
        let least = count.clone() * if launches.shorter.is_some() { b - 1 } else { b };
        let fits = steps.clone() + least * -1;
        let steps = PlanExpr::Pick(Box::new(fits), Box::new(steps), Box::new(constant(-1)));
        Candidate { count, steps: plan.bind(steps) }
    }
}

/// A plan under construction. A value is bound by a loop that runs once.
#[derive(Default)]
struct Builder {
    bound: Vec<PlanExpr>,
}

impl Builder {
    fn bind(&mut self, value: PlanExpr) -> PlanExpr {
        self.bound.push(value);
        PlanExpr::Var(self.bound.len() as u8 - 1)
    }

    /// Everything bound, around the operations that `body` makes with a further variable.
    fn finish(self, body: impl FnOnce(u8) -> Vec<PlanOp>) -> LaunchPlan {
        let vars = self.bound.len() as u8 + 1;
        let around = |body, (var, value): (usize, PlanExpr)| {
            vec![PlanOp::Loop { var: var as u8, lo: value.clone(), hi: value, body }]
        };
        let ops = self.bound.into_iter().enumerate().rev().fold(body(vars - 1), around);
        LaunchPlan { ops, vars }
    }
}

fn constant(c: i64) -> PlanExpr {
    PlanExpr::Const(c)
}

fn greater(a: PlanExpr, b: PlanExpr) -> PlanExpr {
    PlanExpr::Max(Box::new(a), Box::new(b))
}

fn lesser(a: PlanExpr, b: PlanExpr) -> PlanExpr {
    PlanExpr::Min(Box::new(a), Box::new(b))
}

fn at_least_zero(e: PlanExpr) -> PlanExpr {
    greater(e, constant(0))
}

/// The largest number that divides both.
pub fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

fn lcm(a: i64, b: i64) -> i64 {
    a / gcd(a, b) * b
}

#[cfg(test)]
mod tests;
