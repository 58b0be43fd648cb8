//! Checks that conditions on data may leave out: bounds checks of the source behind `if wall[k] { continue; }`, and those that
//! the addresses of loads rest on. The statement whose body has the condition holds them.
//!
//! Consumes the bounds checks of a loop, and bodies in the making; produces checks, each with the value under which it
//! is asked. What no statement has is asked whatever the conditions are. Refuses nothing of its own.

use super::super::body::BodyBuilder;
use super::super::context::Context;
use super::super::guards::Guard;
use super::{Look, Refusal, Statements};
use crate::llvm::{Block, LoopRef, Value};
use hexpass_poly::body::ValueId;
use hexpass_poly::facts::AccessFact;

/// A bounds check of the source.
pub(super) struct Asked<'a> {
    branch: Value<'a>,
    stays: Block<'a>,
    block: Block<'a>,
    /// For each kind of iterations, a statement has it.
    pub(super) is_placed: bool,
}

impl<'a> Asked<'a> {
    pub(super) fn new(branch: Value<'a>, stays: Block<'a>, block: Block<'a>) -> Asked<'a> {
        Asked { branch, stays, block, is_placed: false }
    }
}

impl<'a> Statements<'a> {
    /// The first statement that stores, or loads, under a condition has what is asked under one.
    pub(super) fn ask(
        &self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        written: &[(AccessFact, ValueId)],
        b: &mut BodyBuilder<'a>,
        look: &mut Look,
    ) -> Result<(), Refusal> {
        // What stores nothing is no statement.
        let conditional = b.maybe.contains(&true) || written.iter().any(|(a, _)| a.maybe);
        if written.is_empty() || !conditional {
            return Ok(());
        }
        for (number, asked) in self.asked.iter().enumerate() {
            let is_placed = asked.is_placed || look.asked.contains(&number);
            if c.a.loop_of(asked.block) != Some(l) || is_placed {
                continue;
            }
            let Some(guard) = self.guard(c, l, asked.block, b)? else { continue };
            let mut found = Vec::new();
            let looked_up = c.entries.len();
            let result = match guard {
                Guard::Never => Ok(()),
                Guard::Always | Guard::If(_) => {
                    c.never_fails(asked.branch, asked.stays, &mut found)
                }
            };
            match result {
                Ok(()) => {
                    let under = if let Guard::If(v) = guard { Some(v) } else { None };
                    if under.is_some() {
                        look.entries.extend(c.entries.split_off(looked_up.min(c.entries.len())));
                    }
                    b.asked.extend(found.into_iter().map(|f| (f, under)));
                    look.asked.push(number);
                }
                Err(refusal) if c.split.is_some() => return Err(refusal.into()),
                Err(_) => {}
            }
        }
        // Conditions may load, too.
        let mut next = 0;
        while next < b.loads.len() {
            let (load, maybe) = (b.loads[next], b.maybe[next]);
            next += 1;
            let Some(block) = load.block().filter(|_| maybe) else { continue };
            if let Some(Guard::If(under)) = self.guard(c, l, block, b)? {
                b.under.insert(load, under);
            }
        }
        Ok(())
    }

    /// Under which condition the loop's iterations come to a block; none where that can't be said in this statement.
    fn guard(
        &self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        block: Block<'a>,
        b: &mut BodyBuilder<'a>,
    ) -> Result<Option<Guard>, Refusal> {
        if c.a.loop_of(block) != Some(l) {
            return Ok(None);
        }
        if !c.reachable(l, block)? {
            return Ok(Some(Guard::Never));
        }
        let mut next = b.clone();
        match next.guard(c, l, (l.header(), block), self.how) {
            Ok(guard) if next.used_late == b.used_late => {
                *b = next;
                Ok(Some(guard))
            }
            Err(refusal) if c.split.is_some() => Err(refusal.into()),
            _ => Ok(None),
        }
    }

    /// What is left of a loop's, when all its statements are known.
    pub(super) fn rest_of_asked(
        &mut self,
        c: &mut Context<'a>,
        l: LoopRef<'a>,
        loops: &[u16],
    ) -> Result<(), Refusal> {
        let is_mine = |asked: &Asked<'a>| c.a.loop_of(asked.block) == Some(l);
        let (mine, others) = std::mem::take(&mut self.asked).into_iter().partition(is_mine);
        self.asked = others;
        let mine: Vec<Asked<'a>> = mine;
        for asked in mine.into_iter().filter(|asked| !asked.is_placed) {
            self.check(c, l, (asked.branch, asked.stays), loops)?;
        }
        Ok(())
    }
}
