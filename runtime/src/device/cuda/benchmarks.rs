//! PTX of the micro-benchmarks: each keeps one part of a GPU busy.
//!
//! All take a buffer (`at`), and two counts (`count`, `rounds`), so that they are launched alike.

use std::fmt::Write;

/// Copies `count` groups of 64 bytes from the buffer's start to behind them, four 16-byte parts a thread.
pub const COPY: &str = "hexpass_copy";
/// Each thread reads `rounds` times 64 bytes from `count` bytes (a power of two).
pub const READ: &str = "hexpass_read";
/// Makes a chain of 8-byte offsets: at each multiple of `rounds` bytes the next, `count` bytes in all, then back.
pub const CHAIN: &str = "hexpass_chain";
/// One thread follows a chain for `rounds` steps.
pub const CHASE: &str = "hexpass_chase";
/// Nothing.
pub const EMPTY: &str = "hexpass_empty";
/// `rounds` barriers.
pub const BARRIER: &str = "hexpass_barrier";

/// Instructions of one kind, `rounds` times [`REPEATED`] of them in each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Multiply-adds of floats.
    Float,
    /// Multiply-adds of doubles.
    Double,
    /// Approximate reciprocal roots, nothing else (without flushing, denormals would be scaled first).
    Special,
    /// Shuffles.
    Shuffle,
    /// Words from shared memory.
    Shared,
}

impl Unit {
    /// All of them.
    pub const ALL: [Unit; 5] =
        [Unit::Float, Unit::Double, Unit::Special, Unit::Shuffle, Unit::Shared];

    /// The kernel's name.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Float => "hexpass_float",
            Unit::Double => "hexpass_double",
            Unit::Special => "hexpass_special",
            Unit::Shuffle => "hexpass_shuffle",
            Unit::Shared => "hexpass_shared",
        }
    }

    /// One instruction on accumulator `i`, which depends on nothing but that accumulator.
    fn instruction(self, i: u32) -> String {
        match self {
            Unit::Float => format!("fma.rn.f32 %f{i}, %f{i}, %f{i}, %f{i};"),
            Unit::Double => format!("fma.rn.f64 %d{i}, %d{i}, %d{i}, %d{i};"),
            Unit::Special => format!("rsqrt.approx.ftz.f32 %f{i}, %f{i};"),
            Unit::Shuffle => format!("shfl.sync.bfly.b32 %x{i}, %x{i}, 1, 31, -1;"),
            Unit::Shared => format!("ld.volatile.shared.u32 %x{i}, [%x{i}];"),
        }
    }
}

/// Instructions of a kind in one round.
pub const REPEATED: u32 = 128;
/// Accumulators, so that latency hides.
const CHAINS: u32 = 8;
/// Words of shared memory that [`Unit::Shared`] goes round in; each holds its own address.
const SHARED_WORDS: u32 = 1024;

/// The module.
pub fn text() -> String {
    let mut ptx = String::from(".version 7.0\n.target sm_70\n.address_size 64\n");
    kernel(&mut ptx, EMPTY, "");
    kernel(&mut ptx, COPY, COPY_BODY);
    kernel(&mut ptx, READ, READ_BODY);
    kernel(&mut ptx, CHAIN, CHAIN_BODY);
    kernel(&mut ptx, CHASE, CHASE_BODY);
    kernel(&mut ptx, BARRIER, &looped("bar.sync 0;\n", ""));
    for unit in Unit::ALL {
        kernel(&mut ptx, unit.name(), &arithmetic(unit));
    }
    ptx
}

fn kernel(ptx: &mut String, name: &str, body: &str) {
    let params = [".param .b64 at", ".param .b64 count", ".param .b64 rounds"].join(", ");
    // Writing to a string can't fail.
    let _ = write!(
        ptx,
        "\n.visible .entry {name}({params})\n{{\n\
         .reg .pred %p<3>;\n.reg .b32 %r<24>;\n.reg .b64 %l<12>;\n.reg .b32 %x<{CHAINS}>;\n\
         .reg .f32 %f<{CHAINS}>;\n.reg .f64 %d<{CHAINS}>;\n\
         ld.param.u64 %l0, [at];\nld.param.u64 %l1, [count];\nld.param.u64 %l2, [rounds];\n\
         mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\n\
         {body}\nDONE:\nret;\n}}\n"
    );
}

/// `rounds` times `body`, at least once; then `end`.
fn looped(body: &str, end: &str) -> String {
    format!("LOOP:\n{body}sub.s64 %l2, %l2, 1;\nsetp.gt.s64 %p0, %l2, 0;\n@%p0 bra LOOP;\n{end}")
}

fn arithmetic(unit: Unit) -> String {
    let mut body = String::new();
    if unit == Unit::Shared {
        // Lanes start at neighbouring words, which point to themselves.
        let _ = write!(
            body,
            ".shared .align 4 .b32 words[{SHARED_WORDS}];\nmov.u32 %r3, words;\n\
             rem.u32 %r4, %r2, {SHARED_WORDS};\nshl.b32 %r4, %r4, 2;\nadd.u32 %r3, %r3, %r4;\n\
             st.shared.u32 [%r3], %r3;\nbar.sync 0;\n"
        );
    }
    for i in 0..CHAINS {
        let start = match unit {
            Unit::Shared => format!("mov.u32 %x{i}, %r3;"),
            Unit::Shuffle => format!("add.u32 %x{i}, %r2, {i};"),
            Unit::Double => format!("cvt.rn.f64.u32 %d{i}, %r2;"),
            Unit::Float | Unit::Special => format!("cvt.rn.f32.u32 %f{i}, %r2;"),
        };
        body.push_str(&start);
        body.push('\n');
    }
    let mut round = String::new();
    for n in 0..REPEATED {
        round.push_str(&unit.instruction(n % CHAINS));
        round.push('\n');
    }
    // No value is like this one: nothing is stored, but everything could be.
    let mut end = String::from("mov.u32 %r5, 0;\n");
    for i in 0..CHAINS {
        let fold = match unit {
            Unit::Shared | Unit::Shuffle => format!("xor.b32 %r5, %r5, %x{i};\n"),
            Unit::Double => format!("cvt.rzi.s32.f64 %r6, %d{i};\nxor.b32 %r5, %r5, %r6;\n"),
            Unit::Float | Unit::Special => format!("mov.b32 %r6, %f{i};\nxor.b32 %r5, %r5, %r6;\n"),
        };
        end.push_str(&fold);
    }
    end.push_str("setp.ne.u32 %p1, %r5, 305419896;\n@%p1 bra DONE;\nst.global.u32 [%l0], %r5;\n");
    body + &looped(&round, &end)
}

const COPY_BODY: &str = "\
shl.b64 %l6, %l1, 6;
mul.wide.u32 %l3, %r0, %r1;
shl.b64 %l3, %l3, 6;
mul.wide.u32 %l4, %r2, 16;
add.s64 %l3, %l3, %l4;
setp.ge.u64 %p0, %l3, %l6;
@%p0 bra DONE;
add.s64 %l3, %l3, %l0;
mul.wide.u32 %l4, %r1, 16;
add.s64 %l5, %l3, %l4;
add.s64 %l7, %l5, %l4;
add.s64 %l8, %l7, %l4;
ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%l3];
ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%l5];
ld.global.v4.u32 {%r12, %r13, %r14, %r15}, [%l7];
ld.global.v4.u32 {%r16, %r17, %r18, %r19}, [%l8];
add.s64 %l3, %l3, %l6;
add.s64 %l5, %l5, %l6;
add.s64 %l7, %l7, %l6;
add.s64 %l8, %l8, %l6;
st.global.v4.u32 [%l3], {%r4, %r5, %r6, %r7};
st.global.v4.u32 [%l5], {%r8, %r9, %r10, %r11};
st.global.v4.u32 [%l7], {%r12, %r13, %r14, %r15};
st.global.v4.u32 [%l8], {%r16, %r17, %r18, %r19};
";

const READ_BODY: &str = "\
mul.wide.u32 %l3, %r0, %r1;
cvt.u64.u32 %l4, %r2;
add.s64 %l3, %l3, %l4;
shl.b64 %l3, %l3, 4;
sub.s64 %l1, %l1, 1;
mul.wide.u32 %l4, %r1, 16;
mov.u32 %r3, %nctaid.x;
cvt.u64.u32 %l5, %r3;
mul.lo.s64 %l4, %l4, %l5;
mov.u32 %r20, 0;
LOOP:
and.b64 %l6, %l3, %l1;
add.s64 %l6, %l6, %l0;
ld.global.cg.v4.u32 {%r4, %r5, %r6, %r7}, [%l6];
add.s64 %l3, %l3, %l4;
and.b64 %l7, %l3, %l1;
add.s64 %l7, %l7, %l0;
ld.global.cg.v4.u32 {%r8, %r9, %r10, %r11}, [%l7];
add.s64 %l3, %l3, %l4;
and.b64 %l8, %l3, %l1;
add.s64 %l8, %l8, %l0;
ld.global.cg.v4.u32 {%r12, %r13, %r14, %r15}, [%l8];
add.s64 %l3, %l3, %l4;
and.b64 %l9, %l3, %l1;
add.s64 %l9, %l9, %l0;
ld.global.cg.v4.u32 {%r16, %r17, %r18, %r19}, [%l9];
add.s64 %l3, %l3, %l4;
xor.b32 %r20, %r20, %r4;
xor.b32 %r20, %r20, %r9;
xor.b32 %r20, %r20, %r14;
xor.b32 %r20, %r20, %r19;
sub.s64 %l2, %l2, 1;
setp.gt.s64 %p0, %l2, 0;
@%p0 bra LOOP;
setp.ne.u32 %p1, %r20, 305419896;
@%p1 bra DONE;
st.global.u32 [%l0], %r20;
";

const CHAIN_BODY: &str = "\
mul.wide.u32 %l3, %r0, %r1;
cvt.u64.u32 %l4, %r2;
add.s64 %l3, %l3, %l4;
mul.lo.s64 %l3, %l3, %l2;
setp.ge.u64 %p0, %l3, %l1;
@%p0 bra DONE;
add.s64 %l5, %l3, %l2;
setp.ge.u64 %p1, %l5, %l1;
selp.b64 %l5, 0, %l5, %p1;
add.s64 %l6, %l0, %l3;
st.global.u64 [%l6], %l5;
";

const CHASE_BODY: &str = "\
mov.u64 %l3, 0;
LOOP:
add.s64 %l4, %l0, %l3;
ld.global.cg.u64 %l3, [%l4];
sub.s64 %l2, %l2, 1;
setp.gt.s64 %p0, %l2, 0;
@%p0 bra LOOP;
add.s64 %l4, %l0, %l1;
st.global.u64 [%l4], %l3;
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulated::{Memory, Module, launch};

    /// Runs a kernel on `words` at an address of their own.
    fn run(name: &str, grid: u32, block: u32, counts: [u64; 2], words: &mut [u64]) {
        let base = 1u64 << 40;
        // The grid knows no flushing of denormals.
        let text = text().replace(".ftz", "");
        let module = Module::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let kernel = module.kernel(name).unwrap();
        let mut memory = Memory::new();
        let bytes = words.len() * 8;
        // SAFETY: the words outlive the memory and are left alone meanwhile.
        unsafe { memory.add_region(base, words.as_mut_ptr().cast(), bytes) }.unwrap();
        let params: Vec<u8> =
            [base, counts[0], counts[1]].iter().flat_map(|p| p.to_le_bytes()).collect();
        launch(kernel, [grid, 1, 1], [block, 1, 1], 0, &params, &memory, 1)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }

    #[test]
    fn copies_copy_and_chains_close() {
        // Three blocks of 32 threads, 64 bytes each.
        let mut words: Vec<u64> = (0..2 * 768).map(|i| if i < 768 { i + 1 } else { 0 }).collect();
        run(COPY, 3, 32, [96, 0], &mut words);
        assert_eq!(words[..768], words[768..]);
        let mut words = vec![7u64; 33];
        run(CHAIN, 1, 32, [256, 64], &mut words);
        assert_eq!([words[0], words[8], words[16], words[24], words[1]], [64, 128, 192, 0, 7]);
        run(CHASE, 1, 1, [256, 6], &mut words);
        assert_eq!(words[32], 128);
    }

    #[test]
    fn the_others_run_and_leave_memory_alone() {
        let mut words: Vec<u64> = (0..512).collect();
        let before = words.clone();
        run(EMPTY, 2, 32, [0, 0], &mut words);
        run(BARRIER, 2, 64, [0, 3], &mut words);
        run(READ, 2, 32, [4096, 5], &mut words);
        for unit in Unit::ALL {
            run(unit.name(), 1, 64, [0, 2], &mut words);
        }
        assert_eq!(words, before);
    }
}
