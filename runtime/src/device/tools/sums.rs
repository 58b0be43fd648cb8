//! Kernels that a sum goes through chunks of terms with ([`crate::terms::chunks`]): what the terms of a chunk are about,
//! and what a chunk does to a sum.
//!
//! A warp has a chunk. To add it up roughly, or to copy it, each lane takes every 32nd term; to find what it does to a sum,
//! each lane takes 32 terms that follow each other, and lanes are put together in order.

use super::THREADS;
use crate::terms::chunks::{Passage, TERMS};
use hexpass_abi::ElemType;
use std::fmt::Write;

/// Lanes of a warp.
const LANES: usize = 32;
/// Terms of a lane.
const EACH: usize = TERMS / LANES;
/// Terms that a lane loads before it looks at any.
const AT_ONCE: usize = 8;
/// How far a sum moves, at most, in what is told of it: beyond what any range has.
const MOST: i64 = 1 << 29;

/// Words of what is told of a chunk.
pub const WORDS: usize = 2;

/// Starts below say which place of those for terms a chunk is to be copied to, counted from one.
pub const PLACES: u64 = 1 << 24;

/// Terms of one type, each with a factor or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sums {
    pub elem: ElemType,
    pub fused: bool,
}

/// Where terms lie, and factors: an array for each block along the second axis.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Address of the first, and bytes from array to array.
    pub at: [u64; 2],
    /// The same of the factors.
    pub factors: [u64; 2],
    /// Bytes from row to row, of both.
    pub stride: u64,
    /// Elements of a row.
    pub len: u64,
    /// Elements in all, fewer than 2^31.
    pub total: u64,
}

impl Terms {
    /// Chunks of an array.
    pub fn chunks(&self) -> u64 {
        self.total.div_ceil(TERMS as u64)
    }

    /// Blocks of a launch for so many arrays.
    pub fn blocks(&self, arrays: u64) -> [u64; 3] {
        [self.chunks().div_ceil(THREADS / LANES as u64), arrays, 1]
    }

    /// Parameters of a kernel that reads `starts` and writes to `out`, and to `copies`: for each array one after the
    /// other, the words of all chunks. The first kernel knows no `starts` and `copies`.
    pub fn params(&self, out: u64, starts: u64, copies: [u64; 2]) -> [u64; 11] {
        let t = self;
        let [(at, distance), (by, by_distance)] = [t.at, t.factors].map(|[a, d]| (a, d));
        let [copies, copies_by] = copies;
        [at, distance, by, by_distance, t.stride, t.len, t.total, out, starts, copies, copies_by]
    }
}

impl Sums {
    pub const ALL: [Sums; 4] = [
        Sums { elem: ElemType::F32, fused: false },
        Sums { elem: ElemType::F32, fused: true },
        Sums { elem: ElemType::F64, fused: false },
        Sums { elem: ElemType::F64, fused: true },
    ];

    /// The kernel that writes a double for each chunk: what its terms add up to, about.
    pub fn about(self) -> String {
        format!("hexrt_about_{}", self.word())
    }

    /// The kernel that writes [`WORDS`] words for each chunk that has a start, and copies the terms of those that have a
    /// place.
    pub fn passages(self) -> String {
        format!("hexrt_passages_{}", self.word())
    }

    pub fn word(self) -> &'static str {
        match (self.elem, self.fused) {
            (ElemType::F32, false) => "f32",
            (ElemType::F32, true) => "products_f32",
            (_, false) => "f64",
            (_, true) => "products_f64",
        }
    }

    /// Bytes of a term.
    fn size(self) -> usize {
        if self.is_wide() { 8 } else { 4 }
    }

    fn is_wide(self) -> bool {
        self.elem != ElemType::F32
    }

    /// Bits of a unit in what is told of how far sums move.
    fn shift(self) -> u32 {
        if self.is_wide() { 32 } else { 0 }
    }

    /// What the words of a chunk tell.
    pub fn passage(self, [moved, ways]: [u64; WORDS]) -> Passage {
        let even = moved as i64 >> 2;
        let odd = even + (moved & 3) as i64 - 1;
        let (lowest, highest) = (i64::from(ways as i32), i64::from((ways >> 32) as i32));
        Passage {
            even,
            odd,
            lowest: (lowest << self.shift()) - 1,
            highest: ((highest + 1) << self.shift()) + 1,
        }
    }

    /// The module of both kernels.
    pub fn text(self) -> String {
        let mut ptx = String::from(super::HEADER);
        self.entry(&mut ptx, &self.about(), &self.about_body());
        self.entry(&mut ptx, &self.passages(), &self.passages_body());
        ptx
    }

    fn entry(self, ptx: &mut String, name: &str, body: &str) {
        let params = [
            "at",
            "distance",
            "by",
            "by_distance",
            "stride",
            "len",
            "total",
            "out",
            "starts",
            "copies",
            "copies_by",
        ];
        let list: Vec<String> = params.iter().map(|p| format!(".param .b64 {p}")).collect();
        // Writing to a string can't fail.
        let _ = write!(ptx, "\n.visible .entry {name}({})\n{{\n", list.join(", "));
        let real = if self.is_wide() { "f64" } else { "f32" };
        let _ = write!(
            ptx,
            ".reg .pred %p<4>;\n.reg .b32 %r<48>;\n.reg .b64 %l<40>;\n.reg .b64 %a<{AT_ONCE}>;\n\
             .reg .f64 %d<8>;\n.reg .{real} %x<{AT_ONCE}>, %y<{AT_ONCE}>, %s<4>;\n.reg .pred %q<{AT_ONCE}>;\n\
             .reg .u64 %at, %by, %stride, %out, %starts, %copies, %copies_by, %word;\n\
             .reg .u32 %len, %total, %chunk, %lane, %element, %row, %column, %rows, %columns, %turn, %step;\n"
        );
        for (to, from) in [
            ("%at", "at"),
            ("%by", "by"),
            ("%stride", "stride"),
            ("%out", "out"),
            ("%starts", "starts"),
            ("%copies", "copies"),
            ("%copies_by", "copies_by"),
            ("%l0", "distance"),
            ("%l1", "by_distance"),
            ("%l2", "len"),
            ("%l3", "total"),
        ] {
            let _ = writeln!(ptx, "ld.param.u64 {to}, [{from}];");
        }
        // The chunk of the warp, and its place among the words of all arrays.
        let _ = write!(
            ptx,
            "cvt.u32.u64 %len, %l2;\ncvt.u32.u64 %total, %l3;\n\
             mov.u32 %r0, %tid.x;\nand.b32 %lane, %r0, 31;\nshr.u32 %r1, %r0, 5;\n\
             mov.u32 %r2, %ctaid.x;\nmad.lo.s32 %chunk, %r2, {}, %r1;\n\
             add.s32 %r3, %total, {};\nshr.u32 %r3, %r3, {};\n\
             setp.ge.u32 %p0, %chunk, %r3;\n@%p0 bra DONE;\n\
             mov.u32 %r4, %ctaid.y;\ncvt.u64.u32 %l4, %r4;\n\
             mul.lo.s64 %l0, %l0, %l4;\nadd.s64 %at, %at, %l0;\n\
             mul.lo.s64 %l1, %l1, %l4;\nadd.s64 %by, %by, %l1;\n\
             cvt.u64.u32 %l5, %r3;\ncvt.u64.u32 %l6, %chunk;\nmad.lo.s64 %word, %l4, %l5, %l6;\n",
            THREADS / LANES as u64,
            TERMS - 1,
            TERMS.trailing_zeros(),
        );
        let _ = write!(ptx, "{body}DONE:\nret;\n}}\n");
    }

    /// A lane goes through [`EACH`] terms, `step` apart, from one of its chunk on; what becomes of term `i` of those that are
    /// loaded together, `use_of` says. Terms that are not there are `nothing`, their factors one.
    fn terms(
        self,
        label: &str,
        step: usize,
        nothing: &str,
        use_of: impl Fn(usize) -> String,
    ) -> String {
        let (real, one) =
            if self.is_wide() { ("f64", "0d3FF0000000000000") } else { ("f32", "0f3F800000") };
        let (first, size) = (if step == 1 { EACH } else { 1 }, self.size());
        let mut body = format!(
            "shl.b32 %element, %chunk, {};\nmad.lo.s32 %element, %lane, {first}, %element;\n\
             div.u32 %row, %element, %len;\nrem.u32 %column, %element, %len;\n\
             mov.u32 %step, {step};\ndiv.u32 %rows, %step, %len;\nrem.u32 %columns, %step, %len;\n\
             mov.u32 %turn, {};\n{label}:\n",
            TERMS.trailing_zeros(),
            EACH / AT_ONCE,
        );
        for i in 0..AT_ONCE {
            let _ = write!(
                body,
                "setp.lt.u32 %q{i}, %element, %total;\nmov.{real} %x{i}, {nothing};\nmov.{real} %y{i}, {one};\n\
                 cvt.u64.u32 %l7, %row;\nmul.wide.u32 %l8, %column, {size};\nmad.lo.s64 %a{i}, %l7, %stride, %l8;\n\
                 add.s64 %l9, %at, %a{i};\n@%q{i} ld.global.{real} %x{i}, [%l9];\n"
            );
            if self.fused {
                let _ = write!(
                    body,
                    "add.s64 %l9, %by, %a{i};\n@%q{i} ld.global.{real} %y{i}, [%l9];\n"
                );
            }
            let _ = write!(
                body,
                "add.s32 %element, %element, {step};\nadd.s32 %row, %row, %rows;\nadd.s32 %column, %column, %columns;\n\
                 setp.ge.u32 %p1, %column, %len;\nsub.s32 %r5, %column, %len;\nselp.b32 %column, %r5, %column, %p1;\n\
                 add.s32 %r6, %row, 1;\nselp.b32 %row, %r6, %row, %p1;\n"
            );
        }
        for i in 0..AT_ONCE {
            body += &use_of(i);
        }
        let _ = write!(
            body,
            "sub.s32 %turn, %turn, 1;\nsetp.ne.u32 %p1, %turn, 0;\n@%p1 bra {label};\n"
        );
        body
    }

    fn about_body(self) -> String {
        let zero = if self.is_wide() { "0d0000000000000000" } else { "0f00000000" };
        let mut body = String::from("mov.f64 %d0, 0d0000000000000000;\n");
        body += &self.terms("TERMS", LANES, zero, |i| {
            let widen = |to: &str, from: &str| match self.is_wide() {
                true => format!("mov.f64 {to}, {from};\n"),
                false => format!("cvt.f64.f32 {to}, {from};\n"),
            };
            let mut of = widen("%d1", &format!("%x{i}"));
            if self.fused {
                of += &widen("%d2", &format!("%y{i}"));
                of += "mul.rn.f64 %d1, %d1, %d2;\n";
            }
            of + "add.rn.f64 %d0, %d0, %d1;\n"
        });
        for reach in [16, 8, 4, 2, 1] {
            body += "mov.b64 %l10, %d0;\n";
            body += &down("%l10", "%l11", reach);
            body += "mov.b64 %d1, %l11;\nadd.rn.f64 %d0, %d0, %d1;\n";
        }
        body + "setp.ne.u32 %p2, %lane, 0;\n@%p2 bra DONE;\n\
                shl.b64 %l12, %word, 3;\nadd.s64 %l12, %out, %l12;\nst.global.f64 [%l12], %d0;\n"
    }

    fn passages_body(self) -> String {
        let mut body = format!(
            "shl.b64 %l13, %word, 3;\nadd.s64 %l13, %starts, %l13;\nld.global.u64 %l14, [%l13];\n\
             setp.eq.u64 %p2, %l14, 0;\n@%p2 bra DONE;\n\
             setp.ge.u64 %p2, %l14, {PLACES};\n@%p2 bra THROUGH;\n"
        );
        body += &self.copying();
        body += "bra DONE;\nTHROUGH:\n";
        body += &self.through();
        for reach in [1, 2, 4, 8, 16] {
            body += &self.together(reach);
        }
        // How far an odd mantissa moves more than an even one, and one, in two bits.
        body + "setp.ne.u32 %p2, %lane, 0;\n@%p2 bra DONE;\n\
                sub.s64 %l20, %l17, %l16;\nadd.s64 %l20, %l20, 1;\nand.b64 %l20, %l20, 3;\n\
                shl.b64 %l21, %l16, 2;\nor.b64 %l20, %l20, %l21;\nmov.b64 %l22, {%r10, %r11};\n\
                shl.b64 %l12, %word, 4;\nadd.s64 %l12, %out, %l12;\n\
                st.global.b64 [%l12], %l20;\nst.global.b64 [%l12+8], %l22;\n"
    }

    /// Terms as they are, one after the other.
    fn copying(self) -> String {
        let (real, nothing) =
            if self.is_wide() { ("f64", "0d8000000000000000") } else { ("f32", "0f80000000") };
        let mut body = format!(
            "sub.s64 %l14, %l14, 1;\nmul.lo.s64 %l14, %l14, {TERMS};\ncvt.u64.u32 %l15, %lane;\nadd.s64 %l14, %l14, %l15;\n\
             mul.lo.s64 %l14, %l14, {};\nadd.s64 %copies, %copies, %l14;\nadd.s64 %copies_by, %copies_by, %l14;\n",
            self.size()
        );
        body += &self.terms("COPY", LANES, nothing, |i| {
            let further = LANES * self.size();
            let one = |to: &str, from: &str| {
                format!("st.global.{real} [{to}], {from}{i};\nadd.s64 {to}, {to}, {further};\n")
            };
            let by = if self.fused { one("%copies_by", "%y") } else { String::new() };
            one("%copies", "%x") + &by
        });
        body
    }

    /// From the start's magnitude, and from the odd one behind it, through the terms of a lane, with the other sign where the
    /// start is negative: `%l16` and `%l17` how far both have come, `%r10` and `%r11` the range of the former, in units.
    fn through(self) -> String {
        let (real, nothing) =
            if self.is_wide() { ("f64", "0d8000000000000000") } else { ("f32", "0f80000000") };
        let mut body = String::new();
        body += match self.is_wide() {
            true => {
                "and.b64 %l18, %l14, 0x8000000000000000;\nxor.b64 %l19, %l14, %l18;\nor.b64 %l23, %l19, 1;\n\
                 mov.b64 %s0, %l19;\nmov.b64 %s1, %l23;\nmov.b64 {%r12, %r13}, %l19;\n"
            }
            false => {
                "cvt.u32.u64 %r14, %l14;\nand.b32 %r15, %r14, 0x80000000;\nxor.b32 %r13, %r14, %r15;\nor.b32 %r16, %r13, 1;\n\
                 mov.b32 %s0, %r13;\nmov.b32 %s1, %r16;\n"
            }
        };
        body += "mov.b32 %r10, %r13;\nmov.b32 %r11, %r13;\n";
        body += &self.terms("GO", 1, nothing, |i| {
            let mut of = match self.is_wide() {
                true => format!(
                    "mov.b64 %l24, %x{i};\nxor.b64 %l24, %l24, %l18;\nmov.b64 %x{i}, %l24;\n"
                ),
                false => format!(
                    "mov.b32 %r17, %x{i};\nxor.b32 %r17, %r17, %r15;\nmov.b32 %x{i}, %r17;\n"
                ),
            };
            for s in ["%s0", "%s1"] {
                let _ = match self.fused {
                    true => writeln!(of, "fma.rn.{real} {s}, %x{i}, %y{i}, {s};"),
                    false => writeln!(of, "add.rn.{real} {s}, {s}, %x{i};"),
                };
            }
            of += match self.is_wide() {
                true => "mov.b64 {%r18, %r19}, %s0;\n",
                false => "mov.b32 %r19, %s0;\n",
            };
            of + "min.s32 %r10, %r10, %r19;\nmax.s32 %r11, %r11, %r19;\n"
        });
        body += match self.is_wide() {
            true => {
                "mov.b64 %l25, %s0;\nmov.b64 %l26, %s1;\nsub.s64 %l16, %l25, %l19;\nsub.s64 %l17, %l26, %l23;\n"
            }
            false => {
                "mov.b32 %r20, %s0;\nmov.b32 %r21, %s1;\nsub.s32 %r20, %r20, %r13;\nsub.s32 %r21, %r21, %r16;\n\
                 cvt.s64.s32 %l16, %r20;\ncvt.s64.s32 %l17, %r21;\n"
            }
        };
        // Of another sign it is very far, and stays a number.
        body + "max.s32 %r10, %r10, 0;\nsub.s32 %r10, %r10, %r13;\nsub.s32 %r11, %r11, %r13;\n"
            + &clamp("%r10")
            + &clamp("%r11")
    }

    /// What the lane does, and then the one `reach` lanes behind it ([`Passage::then`]).
    fn together(self, reach: u32) -> String {
        let mut body = down("%l16", "%l27", reach) + &down("%l17", "%l28", reach);
        let _ = write!(
            body,
            "shfl.sync.down.b32 %r22, %r10, {reach}, 31, -1;\nshfl.sync.down.b32 %r23, %r11, {reach}, 31, -1;\n\
             min.s64 %l29, %l16, %l17;\nmax.s64 %l30, %l16, %l17;\n\
             and.b64 %l31, %l16, 1;\nsetp.eq.u64 %p2, %l31, 0;\nselp.b64 %l32, %l27, %l28, %p2;\n\
             and.b64 %l31, %l17, 1;\nsetp.ne.u64 %p2, %l31, 0;\nselp.b64 %l33, %l27, %l28, %p2;\n\
             add.s64 %l16, %l16, %l32;\nadd.s64 %l17, %l17, %l33;\n\
             shr.s64 %l29, %l29, {shift};\nshr.s64 %l30, %l30, {shift};\n\
             max.s64 %l29, %l29, -{MOST};\nmin.s64 %l30, %l30, {MOST};\n\
             min.s64 %l29, %l29, {MOST};\nmax.s64 %l30, %l30, -{MOST};\n\
             cvt.u32.u64 %r24, %l29;\ncvt.u32.u64 %r25, %l30;\n\
             add.s32 %r24, %r24, %r22;\nadd.s32 %r25, %r25, %r23;\nadd.s32 %r25, %r25, 1;\n\
             min.s32 %r10, %r10, %r22;\nmin.s32 %r10, %r10, %r24;\nmax.s32 %r11, %r11, %r23;\nmax.s32 %r11, %r11, %r25;\n",
            shift = self.shift(),
        );
        body + &clamp("%r10") + &clamp("%r11")
    }
}

fn clamp(register: &str) -> String {
    format!("max.s32 {register}, {register}, -{MOST};\nmin.s32 {register}, {register}, {MOST};\n")
}

/// The word of the lane `reach` further.
fn down(from: &str, to: &str, reach: u32) -> String {
    format!(
        "mov.b64 {{%r30, %r31}}, {from};\nshfl.sync.down.b32 %r32, %r30, {reach}, 31, -1;\n\
         shfl.sync.down.b32 %r33, %r31, {reach}, 31, -1;\nmov.b64 {to}, {{%r32, %r33}};\n"
    )
}
