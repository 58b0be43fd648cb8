//! What each opcode means, memory apart. `.ftz` and `.sat` are not variants of every operation but
//! operations around it: operands are flushed before, the result is flushed and saturated after.

use super::alu::{Alu, Cmp};
use super::code::*;
use super::convert::{Conversion, Round};
use super::decode::{Decoded, Decoder};
use super::layout::{LOCAL_WINDOW, SHARED_WINDOW};
use super::syntax::*;

impl<'a, 'u> Decoder<'a, 'u> {
    /// Handles what ends a block; false where `instruction` is no such thing.
    pub(super) fn flow(
        &mut self,
        instruction: &'u Instruction<'a>,
        guard: Option<(Pred, bool)>,
    ) -> Decoded<bool> {
        let operands = instruction.operands.as_slice();
        match instruction.opcode {
            "bra" | "bra.uni" => {
                let [Operand::Symbol(label, 0)] = operands else {
                    return self.fail("expected a label");
                };
                let target = self.label(label);
                self.branch(guard, target);
            }
            "brx.idx" | "brx.idx.uni" if guard.is_none() => {
                let [index, Operand::Symbol(list, 0)] = operands else {
                    return self.fail("expected an index and a list of labels");
                };
                let index = self.source(index, Ty::U32)?;
                self.end_with_list(index, list);
            }
            "ret" | "ret.uni" | "exit" if operands.is_empty() => self.end_guarded(guard, End::Exit),
            "trap" if operands.is_empty() => self.end_guarded(guard, End::Trap),
            opcode if is_block_barrier(opcode) => {
                if guard.is_some() {
                    return self.fail("a guarded barrier is not supported");
                }
                let aligned = opcode.starts_with("bar.") || opcode.contains(".aligned");
                let (barrier, number) = self.barrier_operands(operands, aligned)?;
                self.barrier(barrier, number);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A barrier, and the register that holds its number if it is not a plain one.
    fn barrier_operands(
        &mut self,
        operands: &[Operand<'a>],
        aligned: bool,
    ) -> Decoded<(Barrier, Option<Slot>)> {
        let (number, threads) = match operands {
            [number] => (number, None),
            [number, Operand::Immediate(Immediate::Integer(threads))] => (number, Some(*threads)),
            [_, _] => return self.fail("the threads of a barrier have to be a plain number"),
            _ => return self.fail("expected a barrier and perhaps a number of threads"),
        };
        let (number, register) = match number {
            Operand::Immediate(Immediate::Integer(number)) => (*number, None),
            register => (0, Some(self.source(register, Ty::U32)?)),
        };
        if number > LAST_BARRIER || threads.is_some_and(|n| !is_barrier_size(n)) {
            return self.fail("a barrier out of range");
        }
        let threads = threads.map(|n| n as u32);
        Ok((Barrier { number: number as u32, threads, aligned }, register))
    }

    /// Every opcode that leaves the flow alone.
    pub(super) fn opcode(&mut self, instruction: &'u Instruction<'a>) -> Decoded<()> {
        let opcode = instruction.opcode;
        let operands = instruction.operands.as_slice();
        let (head, rest) = opcode.split_once('.').unwrap_or((opcode, ""));
        match (head, rest) {
            ("ld" | "ldu", _) => self.load(rest, operands),
            ("st", _) => self.store(rest, operands),
            ("prefetch", _) => self.prefetch(rest, operands),
            ("cp", _) => self.shared_copy(rest, operands),
            ("membar", "cta" | "gl" | "sys") => self.fence(operands),
            ("fence", _) => self.fence_form(rest, operands),
            ("cvta", _) => self.address_conversion(rest, operands),
            ("isspacep", _) => self.window_test(rest, operands),
            ("mov", _) => self.mov(opcode, rest, operands),
            ("and" | "or" | "xor" | "not", "pred") => self.predicate_logic(head, operands),
            ("setp", _) => self.setp(rest, operands),
            ("set", _) => self.set(rest, operands),
            ("selp", _) => self.selp(rest, operands),
            ("testp", _) => self.testp(rest, operands),
            ("cvt", _) => self.cvt(rest, operands),
            ("bfi", "b32" | "b64") => self.bfi(rest, operands),
            ("shfl", _) => self.shuffle(rest, operands),
            ("vote", _) => self.vote(rest, operands),
            ("redux", _) => self.reduce(rest, operands),
            ("activemask", "b32") => {
                let [d] = operands else { return self.fail("expected one operand") };
                let d = self.destination(d, 4)?;
                self.emit(Inst::ActiveMask { d });
                Ok(())
            }
            ("griddepcontrol", "launch_dependents") if operands.is_empty() => Ok(()),
            ("griddepcontrol", "wait") if operands.is_empty() => self.wait_for_launch(),
            ("bar", "warp.sync") => {
                let [members] = operands else { return self.fail("expected one operand") };
                let members = self.source(members, Ty::B32)?;
                self.meet(members);
                self.emit(Inst::Meet { members });
                Ok(())
            }
            _ => self.arithmetic(opcode, operands),
        }
    }

    // Arithmetic.

    pub(super) fn alu(&mut self, op: Alu, d: Slot, sources: &[Slot]) {
        let mut s = [d; 3];
        s[..sources.len()].copy_from_slice(sources);
        self.emit(Inst::Alu { op, d, s });
    }

    fn arithmetic(&mut self, opcode: &'a str, operands: &[Operand<'a>]) -> Decoded<()> {
        let (op, flush, saturate) = match Alu::spelled(opcode) {
            Some(op) => (op, false, false),
            None => match modified(opcode) {
                Some(found) => found,
                None => return self.fail(format!("unknown or unsupported opcode `{opcode}`")),
            },
        };
        let types = op.sources();
        let Some((d, from)) = operands.split_first().filter(|(_, s)| s.len() == types.len()) else {
            return self.fail(format!("expected {} operands", types.len() + 1));
        };
        let mut sources = [Slot::default(); 3];
        for ((slot, operand), &ty) in sources.iter_mut().zip(from).zip(types) {
            *slot = self.source(operand, ty)?;
            if flush {
                *slot = self.flushed(*slot, ty);
            }
        }
        let ty = op.result();
        let d = self.destination(d, ty.bytes())?;
        self.alu(op, d, &sources[..types.len()]);
        if flush {
            self.alu(if ty.bytes() == 8 { Alu::FlushF64 } else { Alu::FlushF32 }, d, &[d]);
        }
        if saturate {
            self.alu(if ty.bytes() == 8 { Alu::SaturateF64 } else { Alu::SaturateF32 }, d, &[d]);
        }
        Ok(())
    }

    fn flushed(&mut self, slot: Slot, ty: Ty) -> Slot {
        let d = self.new_row(ty.bytes());
        self.alu(if ty.bytes() == 8 { Alu::FlushF64 } else { Alu::FlushF32 }, d, &[slot]);
        d
    }

    fn bfi(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, a, b, start, length] = operands else { return self.fail("expected 5 operands") };
        // PTX defines positions up to 255; past that the device takes their low bytes, or all 64 bits.
        let (op, ty, limit) = match rest {
            "b64" => (Alu::Bfi64, Ty::B64, Alu::MinU32),
            _ => (Alu::Bfi32, Ty::B32, Alu::And32),
        };
        let (a, b) = (self.source(a, ty)?, self.source(b, ty)?);
        let (start, length) = (self.source(start, Ty::U32)?, self.source(length, Ty::U32)?);
        let (low, place) = (self.new_row(4), self.new_row(4));
        let (byte, eight) = (self.number(0xff, 4), self.number(8, 4));
        self.alu(limit, low, &[start, byte]);
        self.alu(limit, place, &[length, byte]);
        self.alu(Alu::Shl32, place, &[place, eight]);
        self.alu(Alu::Or32, place, &[place, low]);
        let d = self.destination(d, ty.bytes())?;
        self.alu(op, d, &[a, b, place]);
        Ok(())
    }

    // Moves.

    fn mov(&mut self, opcode: &str, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, a] = operands else { return self.fail("expected 2 operands") };
        if rest == "pred" {
            return self.mov_pred(d, a);
        }
        let (Some(op), Some(ty)) = (Alu::spelled(opcode), Ty::named(rest)) else {
            return self.fail(format!("unknown or unsupported opcode `{opcode}`"));
        };
        match (d, a) {
            (Operand::Tuple(parts), a) => self.unpack(ty, parts, a),
            (d, Operand::Tuple(parts)) => self.pack(ty, d, parts),
            (d, a) => {
                let a = self.source(a, ty)?;
                let d = self.destination(d, ty.bytes())?;
                self.alu(op, d, &[a]);
                Ok(())
            }
        }
    }

    fn mov_pred(&mut self, d: &Operand<'a>, a: &Operand<'a>) -> Decoded<()> {
        let a = self.pred_source(a)?;
        let d = self.pred_destination(d)?;
        self.emit(Inst::Logic { op: Logic::And, d, a, b: a });
        Ok(())
    }

    fn pack(&mut self, ty: Ty, d: &Operand<'a>, parts: &[Operand<'a>]) -> Decoded<()> {
        let d = self.destination(d, ty.bytes())?;
        let part = match (ty.bytes(), parts.len()) {
            (4, 2) | (8, 4) => Ty::B16,
            (8, 2) => Ty::B32,
            _ => return self.fail("an unsupported way to pack a register"),
        };
        let parts: Vec<Slot> = parts
            .iter()
            .map(|part_operand| self.source(part_operand, part))
            .collect::<Decoded<_>>()?;
        match parts[..] {
            [a, b] if ty.bytes() == 4 => self.alu(Alu::Pair16, d, &[a, b]),
            [a, b] => self.alu(Alu::Pair32, d, &[a, b]),
            [a, b, e, f] => {
                let (low, high) = (self.new_row(4), self.new_row(4));
                self.alu(Alu::Pair16, low, &[a, b]);
                self.alu(Alu::Pair16, high, &[e, f]);
                self.alu(Alu::Pair32, d, &[low, high]);
            }
            _ => return self.fail("an unsupported way to pack a register"),
        }
        Ok(())
    }

    /// Parts go to rows of the decoder's own first: a part may be the source itself.
    fn unpack(&mut self, ty: Ty, parts: &[Operand<'a>], a: &Operand<'a>) -> Decoded<()> {
        let a = self.source(a, ty)?;
        let halves = |decoder: &mut Self, a| {
            let (low, high) = (decoder.new_row(2), decoder.new_row(2));
            decoder.alu(Alu::Low16, low, &[a]);
            decoder.alu(Alu::High16, high, &[a]);
            [low, high]
        };
        let mut words = [a, a];
        if ty.bytes() == 8 {
            words = [self.new_row(4), self.new_row(4)];
            self.alu(Alu::Truncate64To32, words[0], &[a]);
            self.alu(Alu::High32, words[1], &[a]);
        }
        let pieces = match (ty.bytes(), parts.len()) {
            (4, 2) => halves(self, a).to_vec(),
            (8, 2) => words.to_vec(),
            (8, 4) => [halves(self, words[0]), halves(self, words[1])].concat(),
            _ => return self.fail("an unsupported way to unpack a register"),
        };
        let (op, bytes) =
            if ty.bytes() == 8 && parts.len() == 2 { (Alu::Mov32, 4) } else { (Alu::Mov16, 2) };
        for (part, piece) in parts.iter().zip(pieces) {
            if !matches!(part, Operand::Sink) {
                let d = self.destination(part, bytes)?;
                self.alu(op, d, &[piece]);
            }
        }
        Ok(())
    }

    fn address_conversion(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, a] = operands else { return self.fail("expected 2 operands") };
        let (to, space) = match rest.strip_prefix("to.") {
            Some(space) => (true, space),
            None => (false, rest),
        };
        let base = match space {
            "global.u64" | "const.u64" => 0,
            "shared.u64" | "shared::cta.u64" => SHARED_WINDOW,
            "local.u64" => LOCAL_WINDOW,
            _ => return self.fail(format!("unknown or unsupported opcode `cvta.{rest}`")),
        };
        let a = self.source(a, Ty::U64)?;
        let d = self.destination(d, 8)?;
        if base == 0 {
            self.alu(Alu::Mov64, d, &[a]);
        } else {
            let base = self.number(base, 8);
            self.alu(if to { Alu::Sub64 } else { Alu::Add64 }, d, &[a, base]);
        }
        Ok(())
    }

    fn window_test(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, a] = operands else { return self.fail("expected 2 operands") };
        let area = match rest {
            "global" => Window::Global,
            "shared" | "shared::cta" => Window::Shared,
            "local" => Window::Local,
            _ => return self.fail(format!("unknown or unsupported opcode `isspacep.{rest}`")),
        };
        let (a, d) = (self.source(a, Ty::U64)?, self.pred_destination(d)?);
        self.emit(Inst::InWindow { area, d, a });
        Ok(())
    }

    // Predicates.

    fn predicate_logic(&mut self, head: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let (d, sources) = match (head, operands) {
            ("not", [d, a]) => (d, vec![self.pred_source(a)?]),
            ("and" | "or" | "xor", [d, a, b]) => {
                (d, vec![self.pred_source(a)?, self.pred_source(b)?])
            }
            _ => return self.fail("the wrong number of operands"),
        };
        let d = self.pred_destination(d)?;
        match (head, &sources[..]) {
            ("and", &[a, b]) => self.emit(Inst::Logic { op: Logic::And, d, a, b }),
            ("or", &[a, b]) => self.emit(Inst::Logic { op: Logic::Or, d, a, b }),
            ("xor", &[a, b]) => self.emit(Inst::Logic { op: Logic::Xor, d, a, b }),
            (_, sources) => self.emit(Inst::Not { d, a: sources[0] }),
        }
        Ok(())
    }

    /// `lt.and.ftz.s32` → the comparison and what joins it with a third operand.
    fn comparison(
        &mut self,
        rest: &str,
        a: &Operand<'a>,
        b: &Operand<'a>,
        d: Option<Pred>,
    ) -> Decoded<(Pred, Option<Logic>)> {
        let mut parts: Vec<&str> = rest.split('.').collect();
        let flush = take(&mut parts, "ftz");
        let logic = match parts.get(1).copied() {
            Some("and") => Some(Logic::And),
            Some("or") => Some(Logic::Or),
            Some("xor") => Some(Logic::Xor),
            _ => None,
        };
        if logic.is_some() {
            parts.remove(1);
        }
        let found = Cmp::spelled(&parts.join("."));
        let Some(op) = found.filter(|op| !flush || op.source() == Ty::F32) else {
            return self.fail(format!("unknown or unsupported comparison `{rest}`"));
        };
        let ty = op.source();
        let (mut a, mut b) = (self.source(a, ty)?, self.source(b, ty)?);
        if flush {
            (a, b) = (self.flushed(a, ty), self.flushed(b, ty));
        }
        let d = d.unwrap_or_else(|| self.new_pred());
        self.emit(Inst::Compare { op, d, a, b });
        Ok((d, logic))
    }

    fn setp(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, a, b, joined @ ..] = operands else { return self.fail("expected 3 operands") };
        // The third predicate is read before a destination may overwrite it.
        let joined = match joined {
            [] => None,
            [c] => Some(self.pred_source(c)?),
            _ => return self.fail("too many operands"),
        };
        if joined.is_none() && !matches!(d, Operand::Pair(..)) {
            let d = self.pred_destination(d)?;
            return match self.comparison(rest, a, b, Some(d))?.1 {
                None => Ok(()),
                Some(_) => self.fail("a Boolean operation without its operand"),
            };
        }
        let (plain, logic) = self.comparison(rest, a, b, None)?;
        let (d, opposite) = match d {
            Operand::Pair(d, q) => (&**d, Some(&**q)),
            d => (d, None),
        };
        let result = |decoder: &mut Self, p: Pred| match (logic, joined) {
            (None, None) => Ok(p),
            (Some(op), Some(c)) => {
                let d = decoder.new_pred();
                decoder.emit(Inst::Logic { op, d, a: p, b: c });
                Ok(d)
            }
            _ => decoder.fail("a Boolean operation and its operand come together"),
        };
        let first = result(self, plain)?;
        let second = match opposite {
            Some(_) => {
                let negated = self.new_pred();
                self.emit(Inst::Not { d: negated, a: plain });
                result(self, negated)?
            }
            None => first,
        };
        let d = self.pred_destination(d)?;
        self.emit(Inst::Logic { op: Logic::And, d, a: first, b: first });
        if let Some(q) = opposite {
            let d = self.pred_destination(q)?;
            self.emit(Inst::Logic { op: Logic::And, d, a: second, b: second });
        }
        Ok(())
    }

    /// `set.lt.u32.f32 d, a, b`: all ones (or 1.0) where the comparison holds.
    fn set(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, a, b] = operands else { return self.fail("expected 3 operands") };
        let mut parts: Vec<&str> = rest.split('.').collect();
        let at = parts.len().saturating_sub(2);
        let yes = match parts.get(at).copied() {
            Some("u32" | "s32") => u64::from(u32::MAX),
            Some("f32") => 1f32.to_bits().into(),
            _ => return self.fail(format!("unknown or unsupported opcode `set.{rest}`")),
        };
        parts.remove(at);
        let (p, logic) = self.comparison(&parts.join("."), a, b, None)?;
        if logic.is_some() {
            return self.fail("`set` with a Boolean operation is not supported");
        }
        let (yes, no) = (self.number(yes, 4), self.number(0, 4));
        let d = self.destination(d, 4)?;
        self.emit(Inst::Select { bytes: 4, d, a: yes, b: no, p });
        Ok(())
    }

    fn selp(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, a, b, p] = operands else { return self.fail("expected 4 operands") };
        let Some(ty) = Ty::named(rest).filter(|ty| ty.bytes() >= 2) else {
            return self.fail(format!("unknown or unsupported opcode `selp.{rest}`"));
        };
        let (a, b) = (self.source(a, ty)?, self.source(b, ty)?);
        let p = self.pred_source(p)?;
        let d = self.destination(d, ty.bytes())?;
        self.emit(Inst::Select { bytes: ty.bytes() as u8, d, a, b, p });
        Ok(())
    }

    fn testp(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, a] = operands else { return self.fail("expected 2 operands") };
        let (name, ty) = rest.split_once('.').unwrap_or((rest, ""));
        let class = match name {
            "finite" => Class::Finite,
            "infinite" => Class::Infinite,
            "number" => Class::Number,
            "notanumber" => Class::NotANumber,
            "normal" => Class::Normal,
            "subnormal" => Class::Subnormal,
            _ => return self.fail(format!("unknown or unsupported opcode `testp.{rest}`")),
        };
        let Some(ty) = Ty::named(ty).filter(|ty| ty.float()) else {
            return self.fail(format!("unknown or unsupported opcode `testp.{rest}`"));
        };
        let (a, d) = (self.source(a, ty)?, self.pred_destination(d)?);
        self.emit(Inst::Test { class, double: ty == Ty::F64, d, a });
        Ok(())
    }

    // Conversions.

    fn cvt(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, a] = operands else { return self.fail("expected 2 operands") };
        let mut parts: Vec<&str> = rest.split('.').collect();
        let (from, to) = (parts.pop().and_then(Ty::named), parts.pop().and_then(Ty::named));
        let (Some(from), Some(to)) = (from, to) else {
            return self.fail(format!("unknown or unsupported opcode `cvt.{rest}`"));
        };
        let (flush, saturate) = (take(&mut parts, "ftz"), take(&mut parts, "sat"));
        let (round, integral) = match parts[..] {
            [] => (None, false),
            [mode] => match rounding(mode) {
                Some(found) => found,
                None => return self.fail(format!("unknown or unsupported opcode `cvt.{rest}`")),
            },
            _ => return self.fail(format!("unknown or unsupported opcode `cvt.{rest}`")),
        };
        let mut kind = Conversion {
            to,
            from,
            round,
            integral,
            flush,
            saturate,
            to_register: 0,
            from_register: 0,
        };
        if !is_conversion(kind) {
            return self.fail(format!("unknown or unsupported opcode `cvt.{rest}`"));
        }
        let (a, from_register) = self.wide_source(a, from)?;
        let (d, to_register) = self.wide_destination(d, to)?;
        kind.from_register = from_register as u8;
        kind.to_register = to_register as u8;
        match fast_conversion(kind) {
            Some(op) => self.alu(op, d, &[a]),
            None => self.emit(Inst::Convert { kind, d, a }),
        }
        Ok(())
    }

    /// A source whose register may be wider than its type, as `cvt`, `ld` and `st` allow.
    pub(super) fn wide_source(&mut self, operand: &Operand<'a>, ty: Ty) -> Decoded<(Slot, u32)> {
        if let Operand::Register(register) = *operand {
            let (slot, bytes) = self.any_register(register)?;
            if bytes < ty.bytes() || ty.float() && bytes != ty.bytes() {
                return self.fail("a register too small or too large for its type");
            }
            return Ok((slot, bytes));
        }
        let ty = match ty {
            Ty::U8 | Ty::B8 => Ty::U16,
            Ty::S8 => Ty::S16,
            ty => ty,
        };
        Ok((self.source(operand, ty)?, ty.bytes()))
    }

    pub(super) fn wide_destination(
        &mut self,
        operand: &Operand<'a>,
        ty: Ty,
    ) -> Decoded<(Slot, u32)> {
        match *operand {
            Operand::Register(register) => {
                let (slot, bytes) = self.any_register(register)?;
                if bytes < ty.bytes() || ty.float() && bytes != ty.bytes() {
                    return self.fail("a register too small or too large for its type");
                }
                Ok((slot, bytes))
            }
            Operand::Sink => {
                let bytes = ty.bytes().max(2);
                Ok((self.new_row(bytes), bytes))
            }
            _ => self.fail("the destination is no register"),
        }
    }
}

fn is_block_barrier(opcode: &str) -> bool {
    matches!(
        opcode,
        "bar.sync"
            | "bar.cta.sync"
            | "barrier.sync"
            | "barrier.sync.aligned"
            | "barrier.cta.sync"
            | "barrier.cta.sync.aligned"
    )
}

fn is_barrier_size(threads: u64) -> bool {
    threads > 0 && threads <= 1024 && threads.is_multiple_of(32)
}

/// Removes `word` from `parts`; whether it was there.
pub(super) fn take(parts: &mut Vec<&str>, word: &str) -> bool {
    let found = parts.iter().position(|part| *part == word);
    found.map(|at| parts.remove(at)).is_some()
}

/// The operation of an opcode with `.ftz` or `.sat`, and which of both it has.
fn modified(opcode: &str) -> Option<(Alu, bool, bool)> {
    let mut parts: Vec<&str> = opcode.split('.').collect();
    let (flush, saturate) = (take(&mut parts, "ftz"), take(&mut parts, "sat"));
    let op = Alu::spelled(&parts.join("."))?;
    let ty = Ty::named(parts.last()?)?;
    let may_flush = ty == Ty::F32 || matches!(op, Alu::RcpF64 | Alu::RsqrtF64);
    let arithmetic = !matches!(op, Alu::Mov32 | Alu::Mov64 | Alu::SlctS32 | Alu::SlctF32);
    (ty.float() && arithmetic && (!flush || may_flush)).then_some((op, flush, saturate))
}

fn rounding(mode: &str) -> Option<(Option<Round>, bool)> {
    let round = match mode.get(..2)? {
        "rn" => Round::Nearest,
        "rz" => Round::Zero,
        "rm" => Round::Down,
        "rp" => Round::Up,
        _ => return None,
    };
    match &mode[2..] {
        "" => Some((Some(round), false)),
        "i" => Some((Some(round), true)),
        _ => None,
    }
}

/// Whether PTX has this conversion: rounding is given where, and only where, it has a meaning.
fn is_conversion(kind: Conversion) -> bool {
    let (from, to) = (kind.from, kind.to);
    let typed =
        |ty: Ty| ty.float() || !matches!(ty, Ty::Pred | Ty::B8 | Ty::B16 | Ty::B32 | Ty::B64);
    let shape = match (from.float(), to.float()) {
        (false, false) => kind.round.is_none(),
        (true, false) => kind.integral,
        (false, true) => kind.round.is_some() && !kind.integral,
        (true, true) if from == to => kind.integral || kind.round.is_none(),
        (true, true) if to == Ty::F64 => kind.round.is_none(),
        (true, true) => kind.round.is_some() && !kind.integral,
    };
    let flush = !kind.flush || from == Ty::F32 || to == Ty::F32;
    typed(from) && typed(to) && shape && flush
}

fn fast_conversion(kind: Conversion) -> Option<Alu> {
    let exact = u32::from(kind.to_register) == kind.to.bytes()
        && u32::from(kind.from_register) == kind.from.bytes();
    let nearest = matches!(kind.round, None | Some(Round::Nearest));
    if !exact || !nearest || kind.integral || kind.flush || kind.saturate {
        return None;
    }
    Some(match (kind.from, kind.to) {
        (Ty::U32, Ty::U64 | Ty::S64) => Alu::ZeroExtend32To64,
        (Ty::S32, Ty::U64 | Ty::S64) => Alu::SignExtend32To64,
        (Ty::U64 | Ty::S64, Ty::U32 | Ty::S32) => Alu::Truncate64To32,
        (Ty::S32, Ty::F32) => Alu::S32ToF32,
        (Ty::U32, Ty::F32) => Alu::U32ToF32,
        (Ty::S32, Ty::F64) => Alu::S32ToF64,
        (Ty::U32, Ty::F64) => Alu::U32ToF64,
        (Ty::F32, Ty::F64) => Alu::F32ToF64,
        (Ty::F64, Ty::F32) => Alu::F64ToF32,
        _ => return None,
    })
}
