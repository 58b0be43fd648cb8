//! Loads, stores and the operations of a whole warp: the second half of
//! [`opcodes`](super::opcodes).

use super::Space;
use super::alu::Alu;
use super::code::*;
use super::decode::{Decoded, Decoder};
use super::opcodes::take;
use super::syntax::*;

/// What `ld` and `st` say after their names.
struct Form {
    space: Option<Space>,
    param: bool,
    count: usize,
    ty: Ty,
}

impl<'a, 'u> Decoder<'a, 'u> {
    fn form(&mut self, rest: &str, store: bool) -> Decoded<Form> {
        let mut form = Form { space: None, param: false, count: 1, ty: Ty::Pred };
        let parts: Vec<&str> = rest.split('.').collect();
        let Some((last, modifiers)) = parts.split_last() else {
            return self.fail("a type is missing");
        };
        for &part in modifiers {
            match part {
                "global" | "const" => form.space = Some(Space::Global),
                "shared" | "shared::cta" => form.space = Some(Space::Shared),
                "local" => form.space = Some(Space::Local),
                "param" if !store => form.param = true,
                "v2" => form.count = 2,
                "v4" => form.count = 4,
                "v8" => form.count = 8,
                "nc" if !store => (),
                part if is_hint(part) => (),
                _ => return self.fail(format!("unknown or unsupported modifier `.{part}`")),
            }
        }
        match Ty::named(last) {
            Some(ty) if ty != Ty::Pred && ty.bytes() as usize * form.count <= 32 => form.ty = ty,
            _ => return self.fail(format!("unsupported type `.{last}`")),
        }
        Ok(form)
    }

    fn parts<'o>(&self, operand: &'o Operand<'a>, count: usize) -> Decoded<&'o [Operand<'a>]> {
        let parts = match operand {
            Operand::Tuple(parts) => parts.as_slice(),
            single => std::slice::from_ref(single),
        };
        if parts.len() != count {
            return self.fail(format!("expected {count} registers"));
        }
        Ok(parts)
    }

    /// The address of `[base + offset]`, in `access`.
    fn place(&mut self, operand: &Operand<'a>, access: &mut Access) -> Decoded<()> {
        let Operand::Address(base, offset) = *operand else {
            return self.fail("expected an address in brackets");
        };
        access.offset = offset;
        match base {
            Base::Register(register) => {
                let (slot, bytes) = self.any_register(register)?;
                if bytes < 4 {
                    return self.fail("an address needs at least 4 bytes");
                }
                (access.address, access.address_bytes) = (slot, bytes as u8);
            }
            Base::Symbol(name) => {
                access.address = self.source(&Operand::Symbol(name, 0), Ty::U64)?;
            }
            Base::Absolute => access.address = self.number(0, 8),
        }
        Ok(())
    }

    pub(super) fn load(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, address] = operands else { return self.fail("expected 2 operands") };
        let form = self.form(rest, false)?;
        let parts = self.parts(d, form.count)?;
        if form.param {
            return self.load_param(&form, parts, address);
        }
        let mut access = access(&form);
        for (slot, part) in access.registers.iter_mut().zip(parts) {
            let (d, bytes) = self.wide_destination(part, form.ty)?;
            let first = access.register_bytes == 0;
            if !first && bytes != u32::from(access.register_bytes) {
                return self.fail("registers of different sizes");
            }
            access.register_bytes = bytes as u8;
            *slot = d;
        }
        self.place(address, &mut access)?;
        self.reach(&access);
        self.emit(Inst::Load(Box::new(access)));
        Ok(())
    }

    /// Parameters are the same in all lanes: rows that the launch fills in.
    fn load_param(
        &mut self,
        form: &Form,
        parts: &[Operand<'a>],
        address: &Operand<'a>,
    ) -> Decoded<()> {
        let Operand::Address(Base::Symbol(name), offset) = *address else {
            return self.fail("parameters are read by name only");
        };
        let entry = self.entry;
        let Some(param) = entry.params.iter().find(|param| param.name == name) else {
            return self.fail(format!("unknown parameter `{name}`"));
        };
        let bytes = form.ty.bytes();
        let end = i64::from(bytes).saturating_mul(parts.len() as i64).saturating_add(offset);
        if offset < 0 || end > param.size.into() || offset % i64::from(bytes) != 0 {
            return self.fail("an access outside the parameter");
        }
        for (index, part) in parts.iter().enumerate() {
            let (d, register_bytes) = self.wide_destination(part, form.ty)?;
            let offset = param.offset + offset as u32 + index as u32 * bytes;
            let fill = Fill::Param { offset, bytes: bytes as u8, signed: form.ty.signed() };
            let value = self.filled(fill, register_bytes);
            let op = match register_bytes {
                8 => Alu::Mov64,
                4 => Alu::Mov32,
                _ => Alu::Mov16,
            };
            self.alu(op, d, &[value]);
        }
        Ok(())
    }

    pub(super) fn store(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [address, a] = operands else { return self.fail("expected 2 operands") };
        if rest.split('.').any(|part| part == "const") {
            return self.fail("constants can't be written");
        }
        let form = self.form(rest, true)?;
        let mut access = access(&form);
        for (slot, part) in access.registers.iter_mut().zip(self.parts(a, form.count)?) {
            let (a, bytes) = self.wide_source(part, form.ty)?;
            // Stores take the low bits, and rows are little-endian per lane, so that registers of
            // different sizes would need different strides.
            let first = access.register_bytes == 0;
            if !first && bytes != u32::from(access.register_bytes) {
                return self.fail("registers of different sizes");
            }
            access.register_bytes = bytes as u8;
            *slot = a;
        }
        self.place(address, &mut access)?;
        self.reach(&access);
        self.emit(Inst::Store(Box::new(access)));
        Ok(())
    }

    fn reach(&mut self, access: &Access) {
        self.reached |= matches!(access.space, Space::Global | Space::Generic);
    }

    /// Launches follow one another here, and none is waited for; but where a GPU may start them early, every thread has to
    /// wait before it touches memory.
    pub(super) fn wait_for_launch(&mut self) -> Decoded<()> {
        if self.reached || !self.is_on_the_way_in() {
            return self.fail("the launch before is waited for too late");
        }
        Ok(())
    }

    /// A hint, which here loads a byte that nobody wants: what is asked for ahead must be there.
    pub(super) fn prefetch(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [address] = operands else { return self.fail("expected an address in brackets") };
        let byte = match rest.split_once('.').unwrap_or(("", rest)) {
            ("global", "L1" | "L2") => "global.u8",
            ("", "L1" | "L2") => "u8",
            _ => return self.fail(format!("unknown or unsupported opcode `prefetch.{rest}`")),
        };
        self.load(byte, &[Operand::Sink, address.clone()])
    }

    /// `async.cg.shared.global [to], [from], 16`, groups of those, and waits for groups.
    pub(super) fn shared_copy(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let number = |operand: &Operand<'a>| match operand {
            Operand::Immediate(Immediate::Integer(n)) => u32::try_from(*n).ok(),
            _ => None,
        };
        match (rest, operands) {
            ("async.commit_group", []) => self.emit(Inst::CopyGroup),
            ("async.wait_all", []) => {
                self.emit(Inst::CopyGroup);
                self.emit(Inst::CopyWait { but: 0 });
            }
            ("async.wait_group", [but]) => match number(but) {
                Some(but) => self.emit(Inst::CopyWait { but }),
                None => return self.fail("groups have to be a plain number"),
            },
            ("async.ca.shared.global" | "async.cg.shared.global", [to, from, bytes]) => {
                let count = match (rest, number(bytes)) {
                    (_, Some(16)) => 4,
                    ("async.ca.shared.global", Some(4)) => 1,
                    ("async.ca.shared.global", Some(8)) => 2,
                    _ => return self.fail("a copy of so many bytes"),
                };
                let words =
                    |space| access(&Form { space: Some(space), param: false, count, ty: Ty::B32 });
                let mut copy = SharedCopy { from: words(Space::Global), to: words(Space::Shared) };
                self.place(to, &mut copy.to)?;
                self.place(from, &mut copy.from)?;
                self.reach(&copy.from);
                self.emit(Inst::Copy(Box::new(copy)));
            }
            _ => return self.fail(format!("unknown or unsupported opcode `cp.{rest}`")),
        }
        Ok(())
    }

    pub(super) fn fence(&mut self, operands: &[Operand<'a>]) -> Decoded<()> {
        if !operands.is_empty() {
            return self.fail("too many operands");
        }
        self.emit(Inst::Fence);
        Ok(())
    }

    pub(super) fn fence_form(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let mut parts: Vec<&str> = rest.split('.').collect();
        for word in ["sc", "acq_rel", "acquire", "release"] {
            take(&mut parts, word);
        }
        match parts[..] {
            ["cta" | "gpu" | "sys" | "cluster"] => self.fence(operands),
            _ => self.fail(format!("unknown or unsupported opcode `fence.{rest}`")),
        }
    }

    // A whole warp.

    /// `sync.down.b32 d|p, a, b, c, members`
    pub(super) fn shuffle(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let mode = match rest {
            "sync.up.b32" => ShuffleMode::Up,
            "sync.down.b32" => ShuffleMode::Down,
            "sync.bfly.b32" => ShuffleMode::Butterfly,
            "sync.idx.b32" => ShuffleMode::Index,
            _ => return self.fail(format!("unknown or unsupported opcode `shfl.{rest}`")),
        };
        let [d, a, b, c, members] = operands else { return self.fail("expected 5 operands") };
        let (d, p) = match d {
            Operand::Pair(d, p) => (self.destination(d, 4)?, Some(self.pred_destination(p)?)),
            d => (self.destination(d, 4)?, None),
        };
        let a = self.source(a, Ty::B32)?;
        let (b, c) = (self.source(b, Ty::B32)?, self.source(c, Ty::B32)?);
        let members = self.source(members, Ty::B32)?;
        self.meet(members);
        self.emit(Inst::Shuffle(Box::new(Shuffle { mode, d, p, a, b, c, members })));
        Ok(())
    }

    pub(super) fn vote(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, p, members] = operands else { return self.fail("expected 3 operands") };
        let p = self.pred_source(p)?;
        let members = self.source(members, Ty::B32)?;
        let kind = match rest {
            "sync.ballot.b32" => None,
            "sync.all.pred" => Some(Vote::All),
            "sync.any.pred" => Some(Vote::Any),
            "sync.uni.pred" => Some(Vote::Uniform),
            _ => return self.fail(format!("unknown or unsupported opcode `vote.{rest}`")),
        };
        let inst = match kind {
            None => Inst::Ballot { d: self.destination(d, 4)?, p, members },
            Some(kind) => Inst::Vote { kind, d: self.pred_destination(d)?, p, members },
        };
        self.meet(members);
        self.emit(inst);
        Ok(())
    }

    pub(super) fn reduce(&mut self, rest: &str, operands: &[Operand<'a>]) -> Decoded<()> {
        let [d, a, members] = operands else { return self.fail("expected 3 operands") };
        let kind = match rest {
            "sync.add.s32" | "sync.add.u32" => Reduction::Add,
            "sync.and.b32" => Reduction::And,
            "sync.or.b32" => Reduction::Or,
            "sync.xor.b32" => Reduction::Xor,
            "sync.min.u32" => Reduction::MinU,
            "sync.max.u32" => Reduction::MaxU,
            "sync.min.s32" => Reduction::MinS,
            "sync.max.s32" => Reduction::MaxS,
            _ => return self.fail(format!("unknown or unsupported opcode `redux.{rest}`")),
        };
        let (a, d) = (self.source(a, Ty::B32)?, self.destination(d, 4)?);
        let members = self.source(members, Ty::B32)?;
        self.meet(members);
        self.emit(Inst::Reduce { kind, d, a, members });
        Ok(())
    }
}

fn access(form: &Form) -> Access {
    Access {
        space: form.space.unwrap_or(Space::Generic),
        bytes: form.ty.bytes() as u8,
        register_bytes: 0,
        signed: form.ty.signed(),
        count: form.count as u8,
        registers: [Slot::default(); 8],
        address: Slot::default(),
        address_bytes: 8,
        offset: 0,
    }
}

/// Modifiers that say how to cache or order an access; here every access is made at once.
fn is_hint(part: &str) -> bool {
    matches!(
        part,
        "volatile" | "weak" | "relaxed" | "acquire" | "release" | "cta" | "gpu" | "sys" | "cluster"
    ) || matches!(part, "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt")
        || part.starts_with("L1::")
        || part.starts_with("L2::")
}
