//! (a), (e) The plan, for every number of steps T.
//!
//! With P a common multiple of what the plan divides by, and T = P·q + r, every expression of the plan is a linear function
//! of q for each r, once q is so large that no comparison changes its answer. So the plan is walked once for each r with
//! linear functions instead of numbers, which proves it for all large q; smaller ones are walked with their numbers.
//!
//! A walk follows the steps: each loop must take, in each iteration, the steps that follow those of the iteration before.

use super::{illegal, slots};
use crate::rejection::{Reason, Rejection};
use crate::schedule::Overlapped;
use crate::schedule::overlapped::plan::{INDEX, TIME};
use crate::stencil::StencilProgram;
use hexpass_abi::{PlanExpr, PlanOp};

/// Largest P, and the most numbers of steps that are walked one by one.
const MOST: i128 = 1 << 14;

/// `q`·q + `var`·v + `c`, v being the variable of the loop around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Linear {
    q: i128,
    var: i128,
    c: i128,
}

impl Linear {
    const fn constant(c: i128) -> Linear {
        Linear { q: 0, var: 0, c }
    }

    fn plus(self, o: Linear) -> Linear {
        Linear { q: self.q + o.q, var: self.var + o.var, c: self.c + o.c }
    }

    fn times(self, by: i128) -> Linear {
        Linear { q: self.q * by, var: self.var * by, c: self.c * by }
    }

    fn minus(self, o: Linear) -> Linear {
        self.plus(o.times(-1))
    }
}

/// Why a walk ends.
enum Stop {
    Verdict(Rejection),
    /// P must be a multiple of so much more.
    Factor(i128),
}

impl From<Rejection> for Stop {
    fn from(r: Rejection) -> Stop {
        Stop::Verdict(r)
    }
}

fn wrong(why: impl Into<String>) -> Stop {
    Stop::Verdict(illegal(why))
}

fn unclear() -> Stop {
    Stop::Verdict(Rejection::new(Reason::Budget, "the launch plan is too complicated to be judged"))
}

/// What direct launches must do besides.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// Steps before the first time tile.
    pub begin: i64,
    /// Statements, each of which may be done again when its step has ended, and must be after the last time tile.
    pub again: &'a [u16],
    /// Steps after it.
    pub finish: i64,
}

/// All T >= 1.
pub fn check(
    program: &StencilProgram,
    schedule: &Overlapped,
    around: Around<'_>,
) -> Result<(), Rejection> {
    let mut period = 1;
    loop {
        match all(program, schedule, around, period) {
            Ok(()) => return Ok(()),
            Err(Stop::Verdict(why)) => return Err(why),
            Err(Stop::Factor(more)) => period *= more,
        }
        if period > MOST {
            return match unclear() {
                Stop::Verdict(why) => Err(why),
                Stop::Factor(_) => Ok(()),
            };
        }
    }
}

fn all(
    program: &StencilProgram,
    schedule: &Overlapped,
    around: Around<'_>,
    period: i128,
) -> Result<(), Stop> {
    let mut walked = 0;
    for residue in 0..period {
        let steps = Linear { q: period, var: 0, c: residue };
        let from = Walk::new(program, schedule, around, steps).run()?;
        walked += from;
        if walked > MOST {
            return Err(unclear());
        }
        for q in 0..from {
            let steps = period * q + residue;
            if steps > 0 {
                let walk = Walk::new(program, schedule, around, Linear::constant(steps));
                walk.run().map_err(|e| match e {
                    Stop::Verdict(r) => wrong(format!("{}, with {steps} steps", r.detail)),
                    factor => factor,
                })?;
            }
        }
    }
    Ok(())
}

struct Walk<'a> {
    program: &'a StencilProgram,
    schedule: &'a Overlapped,
    around: Around<'a>,
    steps: Linear,
    /// All comparisons hold from this q on.
    from: i128,
    vars: Vec<Option<Linear>>,
    in_loop: bool,
    /// Steps taken, and of the next one the statements that direct launches have run.
    time: Linear,
    statement: usize,
    /// Time tiles so far, and the steps that they took.
    tiles: Linear,
    tiled: Linear,
    /// The same without those that stand for direct launches.
    apart: Linear,
    /// Steps before the first time tile, and whether direct launches have followed one.
    before: Linear,
    direct: bool,
    /// Of [`Around::again`], how many have been done again since the last time tile.
    again: usize,
}

impl<'a> Walk<'a> {
    fn new(
        program: &'a StencilProgram,
        schedule: &'a Overlapped,
        around: Around<'a>,
        steps: Linear,
    ) -> Walk<'a> {
        let zero = Linear::constant(0);
        Walk {
            program,
            schedule,
            around,
            steps,
            from: 0,
            vars: vec![None; usize::from(schedule.plan.vars)],
            in_loop: false,
            time: zero,
            statement: 0,
            tiles: zero,
            tiled: zero,
            apart: zero,
            before: zero,
            direct: false,
            again: 0,
        }
    }

    /// The q from which on the walk holds.
    fn run(mut self) -> Result<i128, Stop> {
        self.ops(&self.schedule.plan.ops)?;
        if self.time != self.steps || self.statement != 0 {
            return Err(wrong("(a) the plan does not end with the last step"));
        }
        if self.is_negative(Linear::constant(0).minus(self.tiles))? {
            let finish = Linear::constant(i128::from(self.around.finish));
            if self.is_negative(self.steps.minus(self.apart).minus(finish))? {
                return Err(wrong("(e) too few direct launches follow the last time tile"));
            }
            let begin = Linear::constant(i128::from(self.around.begin));
            if self.is_negative(self.before.minus(begin))? {
                return Err(wrong("(f) too few direct launches come before the first time tile"));
            }
            if self.again != self.around.again.len() {
                return Err(wrong("(f) cells beyond the grid are not filled after time tiles"));
            }
            self.homes()?;
        }
        Ok(self.from)
    }

    /// (e) After the last time tile each carried slot lies in its home.
    fn homes(&self) -> Result<(), Stop> {
        let side = modulo(self.tiles, 2)?;
        for c in &self.schedule.carried {
            let slots = i128::from(slots(self.program, c.array));
            let slot = modulo(self.tiled.plus(Linear::constant(i128::from(c.rotation))), slots)?;
            if slot != i128::from(c.buffers[side as usize]) {
                return Err(wrong(format!(
                    "(e) {c:?} is not in its home after the last time tile"
                )));
            }
        }
        // Before the first one it must lie there as well.
        for c in &self.schedule.carried {
            let slots = i128::from(slots(self.program, c.array));
            let slot = modulo(self.before.plus(Linear::constant(i128::from(c.rotation))), slots)?;
            if slot != i128::from(c.buffers[0]) {
                return Err(wrong(format!(
                    "(e) {c:?} is not in its home before the first time tile"
                )));
            }
        }
        Ok(())
    }

    fn ops(&mut self, ops: &[PlanOp]) -> Result<(), Stop> {
        for op in ops {
            match op {
                PlanOp::Launch { kernel, time, args, .. } => {
                    self.launch(usize::from(*kernel), time, args)?;
                }
                PlanOp::Loop { var, lo, hi, body } => {
                    let (lo, hi) = (self.value(lo)?, self.value(hi)?);
                    if lo == hi {
                        self.with(*var, lo, |walk| walk.ops(body))?;
                    } else if !self.is_negative(hi.minus(lo))? {
                        self.iterate(*var, lo, hi, body)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `body` with a variable bound.
    fn with(
        &mut self,
        var: u8,
        value: Linear,
        body: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let at = usize::from(var);
        if self.vars.get(at).is_none_or(Option::is_some) {
            return Err(wrong("(a) a variable of the plan is bound twice, or not counted"));
        }
        self.vars[at] = Some(value);
        body(self)?;
        self.vars[at] = None;
        Ok(())
    }

    /// A loop with iterations: what one takes, the next takes after it.
    fn iterate(&mut self, var: u8, lo: Linear, hi: Linear, body: &[PlanOp]) -> Result<(), Stop> {
        if std::mem::replace(&mut self.in_loop, true) {
            return Err(unclear());
        }
        let (time, tiles, tiled, apart) = (self.time, self.tiles, self.tiled, self.apart);
        let (each_time, each_tiles) = self.advance(body)?;
        let v = Linear { q: 0, var: 1, c: 0 };
        let done = v.minus(lo);
        self.time = time.plus(done.times(each_time));
        self.tiles = tiles.plus(done.times(each_tiles));
        self.with(var, v, |walk| walk.ops(body))?;
        if self.statement != 0 {
            return Err(wrong("(a) a loop of the plan ends inside a step"));
        }
        let count = hi.minus(lo).plus(Linear::constant(1));
        self.time = time.plus(count.times(each_time));
        self.tiles = tiles.plus(count.times(each_tiles));
        self.tiled = if each_tiles > 0 { self.time } else { tiled };
        self.apart = if body.iter().any(|op| self.is_apart(op)) { self.time } else { apart };
        if self.tiles == Linear::constant(0) {
            self.before = self.time;
        }
        self.in_loop = false;
        Ok(())
    }

    /// Steps and time tiles of the launches in a loop's body.
    fn advance(&self, body: &[PlanOp]) -> Result<(i128, i128), Stop> {
        let (mut steps, mut tiles, mut statements) = (0, 0, 0);
        for op in body {
            let PlanOp::Launch { kernel, .. } = op else { return Err(unclear()) };
            match self.schedule.tiles.get(usize::from(*kernel)) {
                Some(tile) => {
                    steps += i128::from(tile.steps);
                    tiles += 1;
                }
                None => statements += 1,
            }
        }
        if tiles > 0 && statements > 0 {
            return Err(unclear());
        }
        Ok((steps + statements / self.program.statements.len().max(1) as i128, tiles))
    }

    /// True for a launch of a time tile that stands for no direct launches.
    fn is_apart(&self, op: &PlanOp) -> bool {
        let PlanOp::Launch { kernel, .. } = op else { return false };
        self.schedule.tiles.get(usize::from(*kernel)).is_some_and(|tile| !tile.in_place)
    }

    /// (e) Before a time tile that goes from one of two slots to the other, each carried slot lies in its own.
    fn starts_at_home(&self) -> Result<(), Stop> {
        for c in &self.schedule.carried {
            let own = self.time.plus(Linear::constant(i128::from(c.rotation)));
            let buffer = self.tiles.plus(Linear::constant(i128::from(c.buffers[0])));
            if modulo(own.minus(buffer), 2)? != 0 {
                return Err(wrong(format!("(e) {c:?} is not in its home before a step in place")));
            }
        }
        Ok(())
    }

    fn launch(&mut self, kernel: usize, time: &PlanExpr, args: &[PlanExpr]) -> Result<(), Stop> {
        let arg = |walk: &mut Self, i: u8| match args.get(usize::from(i)) {
            Some(e) => walk.value(e),
            None => Err(wrong("(a) a launch argument is missing")),
        };
        let (time, told) = (self.value(time)?, arg(self, TIME)?);
        if time == told && time == self.time.minus(Linear::constant(1)) && self.is_again(kernel)? {
            return Ok(());
        }
        if time != self.time || told != self.time {
            return Err(wrong("(a) a launch takes a step too early, too late or twice"));
        }
        let Some(tile) = self.schedule.tiles.get(kernel) else {
            return self.statement(kernel - self.schedule.tiles.len());
        };
        if self.direct || self.statement != 0 {
            return Err(wrong("(e) a time tile follows direct launches"));
        }
        self.again = 0;
        if arg(self, INDEX)? != self.tiles {
            return Err(wrong("(e) time tiles are not numbered in order"));
        }
        if tile.in_place {
            self.starts_at_home()?;
        }
        self.time = self.time.plus(Linear::constant(i128::from(tile.steps)));
        self.tiles = self.tiles.plus(Linear::constant(1));
        self.tiled = self.time;
        if !tile.in_place {
            self.apart = self.time;
        }
        Ok(())
    }

    /// A statement of the last time tile's last step, done again.
    fn is_again(&mut self, kernel: usize) -> Result<bool, Stop> {
        let Some(&next) = self.around.again.get(self.again) else { return Ok(false) };
        let follows_tile = !self.direct
            && self.time == self.tiled
            && self.is_negative(Linear::constant(0).minus(self.tiles))?;
        let is_next = follows_tile && kernel == self.schedule.tiles.len() + usize::from(next);
        self.again += usize::from(is_next);
        Ok(is_next)
    }

    fn statement(&mut self, statement: usize) -> Result<(), Stop> {
        if statement != self.statement {
            return Err(wrong("(a) the statements of a step are not launched in order"));
        }
        let is_first = self.tiles == Linear::constant(0);
        if !is_first && self.again != self.around.again.len() {
            return Err(wrong("(f) cells beyond the grid are not filled after time tiles"));
        }
        self.direct = !is_first;
        self.statement += 1;
        if self.statement == self.program.statements.len() {
            self.statement = 0;
            self.time = self.time.plus(Linear::constant(1));
            if is_first {
                self.before = self.time;
            }
        }
        Ok(())
    }

    fn value(&mut self, e: &PlanExpr) -> Result<Linear, Stop> {
        Ok(match e {
            PlanExpr::Const(c) => Linear::constant(i128::from(*c)),
            PlanExpr::Steps => self.steps,
            PlanExpr::Var(v) => match self.vars.get(usize::from(*v)) {
                Some(Some(value)) => *value,
                _ => return Err(wrong("(a) the plan speaks of a variable that is not bound")),
            },
            PlanExpr::Add(a, b) => self.value(a)?.plus(self.value(b)?),
            PlanExpr::Mul(a, c) => self.value(a)?.times(i128::from(*c)),
            PlanExpr::FloorDiv(a, c) => divided(self.value(a)?, i128::from(*c))?,
            PlanExpr::Max(a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                if self.is_negative(a.minus(b))? { b } else { a }
            }
            PlanExpr::Min(a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                if self.is_negative(a.minus(b))? { a } else { b }
            }
            PlanExpr::Pick(c, a, b) => {
                let c = self.value(c)?;
                if self.is_negative(c)? { self.value(b)? } else { self.value(a)? }
            }
            PlanExpr::SpaceLo(_)
            | PlanExpr::SpaceHi(_)
            | PlanExpr::Tunable(_)
            | PlanExpr::Quotient(..)
            | PlanExpr::Product(..) => return Err(unclear()),
        })
    }

    /// Whether a value is negative, for all q from some on.
    fn is_negative(&mut self, x: Linear) -> Result<bool, Stop> {
        if x.var != 0 {
            return Err(unclear());
        }
        // The first q from which on q·x.q + x.c keeps the sign of x.q.
        let settled = match x.q {
            0 => 0,
            q if q > 0 => (-x.c + q - 1).div_euclid(q),
            q => x.c.div_euclid(-q) + 1,
        };
        self.from = self.from.max(settled);
        Ok(if x.q == 0 { x.c < 0 } else { x.q < 0 })
    }
}

/// ⌊x / c⌋, if it is linear.
fn divided(x: Linear, c: i128) -> Result<Linear, Stop> {
    if c <= 0 {
        return Err(wrong("(a) the plan divides by what is not positive"));
    }
    if x.var % c != 0 {
        return Err(unclear());
    }
    match x.q % c {
        0 => Ok(Linear { q: x.q / c, var: x.var / c, c: x.c.div_euclid(c) }),
        _ => Err(Stop::Factor(c / gcd(x.q.abs(), c))),
    }
}

/// x modulo n, if it is a constant.
fn modulo(x: Linear, n: i128) -> Result<i128, Stop> {
    let quotient = divided(x, n)?;
    Ok(x.minus(quotient.times(n)).c)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}
