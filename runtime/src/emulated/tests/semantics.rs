//! PTX by hand: what LLVM rarely writes, and how lanes meet.

use super::{Device, Shape, module, shape, warp_results, wrapped};
use crate::emulated::ABSENT_LANE;

#[test]
fn guarded_instructions_touch_active_lanes_only() {
    let found = warp_results(
        "mov.b32 %r0, 7; setp.lt.u32 %p1, %r98, 5;\n\
         @%p1 mov.b32 %r0, 1; @!%p1 add.s32 %r0, %r0, %r98;",
    );
    let expected: Vec<u32> = (0..32).map(|lane| if lane < 5 { 1 } else { 7 + lane }).collect();
    assert_eq!(found, expected);
}

#[test]
fn setp_with_two_results_and_a_third_operand() {
    let found = warp_results(
        "setp.ge.u32 %p1, %r98, 8;\n\
         setp.lt.and.u32 %p2|%p3, %r98, 16, %p1;\n\
         setp.eq.or.u32 %p4, %r98, 3, !%p1;\n\
         @%p2 or.b32 %r0, %r0, 1; @%p3 or.b32 %r0, %r0, 2; @%p4 or.b32 %r0, %r0, 4;",
    );
    let one = |lane| match lane {
        0..8 => 4,
        8..16 => 1,
        _ => 2,
    };
    assert_eq!(found, (0..32).map(one).collect::<Vec<u32>>());
}

#[test]
fn set_and_slct_and_selp() {
    let found = warp_results(
        "set.lt.u32.s32 %r1, %r98, 4; sub.s32 %r2, %r98, 16; slct.b32.s32 %r3, 5, 9, %r2;\n\
         setp.gt.u32 %p1, %r98, 30; selp.b32 %r4, 100, 0, %p1;\n\
         and.b32 %r1, %r1, 1000; add.s32 %r0, %r1, %r3; add.s32 %r0, %r0, %r4;",
    );
    let one = |lane: u32| {
        let (a, b) = (u32::from(lane < 4) * 1000, if lane < 16 { 9 } else { 5 });
        a + b + if lane > 30 { 100 } else { 0 }
    };
    assert_eq!(found, (0..32).map(one).collect::<Vec<u32>>());
}

#[test]
fn packing_and_unpacking() {
    let found = warp_results(
        "mov.b32 %r1, 0x11112222; mov.b32 {%h1, %h2}, %r1; mov.b32 %r2, {%h2, %h1};\n\
         mov.b64 %d1, {%r2, %r98}; mov.b64 {_, %r3}, %d1; mov.b64 {%r4, %r5}, %d1;\n\
         mov.b64 %d2, {%h1, %h1, %h2, %h2}; shr.u64 %d2, %d2, 24; cvt.u32.u64 %r6, %d2;\n\
         add.s32 %r0, %r3, %r4; xor.b32 %r0, %r0, %r6;",
    );
    let packed = 0x1111_1111_2222_2222u64 >> 24;
    let one = |lane: u32| lane.wrapping_add(0x2222_1111) ^ packed as u32;
    assert_eq!(found, (0..32).map(one).collect::<Vec<u32>>());
}

#[test]
fn shuffles_without_the_last_lanes_read_the_sign_of_absence() {
    let text = wrapped(
        "mov.u32 %r98, %tid.x; mul.wide.u32 %d27, %r98, 4; add.s64 %d28, %d28, %d27;\n\
         shfl.sync.down.b32 %r0, %r98, 2, 31, -1;\nst.global.b32 [%d28], %r0;\nret;",
    );
    let module = module(&text);
    let mut device = Device::default();
    let out = device.put(&[0u32; 20]);
    device.run(module.kernel("k").unwrap(), shape(1, 20), &[out]).unwrap();
    let one = |lane: u32| if lane < 18 { lane + 2 } else { ABSENT_LANE };
    assert_eq!(device.get::<u32>(out, 20), (0..20).map(one).collect::<Vec<u32>>());
}

#[test]
fn lanes_meet_for_a_shuffle_after_different_paths() {
    let found = warp_results(
        "and.b32 %r1, %r98, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra EVEN;\n\
         add.s32 %r2, %r98, 100; bra.uni JOIN;\n\
         EVEN: add.s32 %r2, %r98, 200;\n\
         JOIN: shfl.sync.bfly.b32 %r0|%p2, %r2, 1, 31, -1;\n\
         activemask.b32 %r3; setp.eq.s32 %p3, %r3, -1; @!%p3 mov.b32 %r0, 0;",
    );
    let one = |lane: u32| (lane ^ 1) + if lane % 2 == 1 { 200 } else { 100 };
    assert_eq!(found, (0..32).map(one).collect::<Vec<u32>>());
}

#[test]
fn a_part_of_the_warp_votes_and_reduces() {
    let found = warp_results(
        "setp.ge.u32 %p1, %r98, 12; @%p1 bra END;\n\
         setp.lt.u32 %p2, %r98, 3;\n\
         vote.sync.ballot.b32 %r1, %p2, 0xfff; vote.sync.any.pred %p3, %p2, 0xfff;\n\
         vote.sync.all.pred %p4, %p2, 0xfff; vote.sync.uni.pred %p5, %p3, 0xfff;\n\
         redux.sync.add.u32 %r2, %r98, 0xfff; redux.sync.max.s32 %r3, %r98, 0xfff;\n\
         bar.warp.sync 0xfff;\n\
         mad.lo.u32 %r0, %r2, 1000, %r1; mad.lo.u32 %r0, %r3, 1000000, %r0;\n\
         @%p3 add.s32 %r0, %r0, 100; @%p4 add.s32 %r0, %r0, 200; @%p5 add.s32 %r0, %r0, 400;\n\
         END:",
    );
    let voted = 11_000_000 + 66_000 + 7 + 100 + 400;
    let one = |lane| if lane < 12 { voted } else { 0 };
    assert_eq!(found, (0..32).map(one).collect::<Vec<u32>>());
}

#[test]
fn lanes_that_exit_are_not_waited_for() {
    let found = warp_results(
        "setp.lt.u32 %p1, %r98, 4; @%p1 bra GONE; bra.uni STAY;\n\
         GONE: mov.b32 %r0, 1; st.global.b32 [%d28], %r0; exit;\n\
         STAY: shfl.sync.idx.b32 %r0, %r98, 9, 31, -1; bar.sync 0;",
    );
    assert_eq!(found, (0..32).map(|lane| if lane < 4 { 1 } else { 9 }).collect::<Vec<u32>>());
}

#[test]
fn special_registers() {
    let text = wrapped(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;\n\
         mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ctaid.x;\n\
         mad.lo.u32 %r7, %r3, %r5, %r2; mad.lo.u32 %r7, %r7, %r4, %r1;\n\
         mov.u32 %r8, %laneid; mov.u32 %r9, %warpid; shl.b32 %r9, %r9, 8; add.s32 %r8, %r8, %r9;\n\
         mov.u32 %r10, %ctaid.y; shl.b32 %r10, %r10, 16; add.s32 %r8, %r8, %r10;\n\
         mov.u32 %r11, %nctaid.x; mad.lo.u32 %r6, %r11, 0, %r6;\n\
         mov.u32 %r12, %ctaid.y; mad.lo.u32 %r6, %r12, %r11, %r6; mad.lo.u32 %r7, %r6, 60, %r7;\n\
         mul.wide.u32 %d1, %r7, 4; add.s64 %d28, %d28, %d1; st.global.b32 [%d28], %r8; ret;",
    );
    let module = module(&text);
    let mut device = Device::default();
    let out = device.put(&[0u32; 240]);
    let shape = Shape { grid: [2, 2, 1], block: [5, 4, 3], shared: 0, threads: 2 };
    device.run(module.kernel("k").unwrap(), shape, &[out]).unwrap();
    let one = |i: u32| {
        let (block, thread) = (i / 60, i % 60);
        (thread % 32) + ((thread / 32) << 8) + ((block / 2) << 16)
    };
    assert_eq!(device.get::<u32>(out, 240), (0..240).map(one).collect::<Vec<u32>>());
}

#[test]
fn generic_addresses_reach_every_space() {
    let found = warp_results(
        ".shared .align 4 .b8 s[128]; .local .align 4 .b8 l[8]; mov.b64 %d1, s;\n\
         mul.wide.u32 %d2, %r98, 4; add.s64 %d1, %d1, %d2; cvta.shared.u64 %d1, %d1;\n\
         mov.b64 %d3, l; cvta.local.u64 %d3, %d3;\n\
         and.b32 %r1, %r98, 1; setp.eq.u32 %p1, %r1, 0; selp.b64 %d4, %d1, %d3, %p1;\n\
         st.b32 [%d4], %r98; ld.b32 %r2, [%d4]; isspacep.shared %p2, %d4; isspacep.global %p3, %d28;\n\
         mov.b32 %r0, %r2; @%p2 add.s32 %r0, %r0, 100; @%p3 add.s32 %r0, %r0, 1000;",
    );
    let one = |lane: u32| lane + 1000 + if lane.is_multiple_of(2) { 100 } else { 0 };
    assert_eq!(found, (0..32).map(one).collect::<Vec<u32>>());
}

#[test]
fn module_variables_keep_their_values() {
    let text = ".version 7.8\n.target sm_90\n.address_size 64\n\
        .global .align 4 .u32 count = 5;\n.const .align 8 .b8 table[16] = {1, 2, 3, 4, 5};\n\
        .visible .entry k(.param .u64 p)\n{ .reg .b32 %r<9>; .reg .b64 %d<9>;\n\
        ld.param.u64 %d1, [p]; ld.global.u32 %r1, [count]; add.s32 %r1, %r1, 1;\n\
        st.global.u32 [count], %r1; ld.const.u8 %r2, [table+4]; mad.lo.u32 %r1, %r2, 100, %r1;\n\
        st.global.u32 [%d1], %r1; ret; }";
    let module = module(text);
    let mut device = Device::default();
    let out = device.put(&[0u32]);
    for expected in [506, 507] {
        device.run(module.kernel("k").unwrap(), shape(1, 1), &[out]).unwrap();
        assert_eq!(device.get::<u32>(out, 1), [expected]);
    }
}

#[test]
fn shared_memory_begins_unwritten_in_every_block() {
    let text = wrapped(
        ".shared .align 4 .b8 s[4]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d1, %r1, 4;\n\
         add.s64 %d28, %d28, %d1; ld.shared.b32 %r2, [s]; st.global.b32 [%d28], %r2;\n\
         st.shared.b32 [s], 1; ret;",
    );
    let module = module(&text);
    let mut device = Device::default();
    let out = device.put(&[0u32; 3]);
    device.run(module.kernel("k").unwrap(), shape(3, 1), &[out]).unwrap();
    assert_eq!(device.get::<u32>(out, 3), [u32::MAX; 3]);
}

#[test]
fn copies_are_there_when_they_are_waited_for() {
    let found = warp_results(
        ".shared .align 16 .b8 s[256]; .reg .u64 %s; .reg .u64 %t;\n\
         mov.u64 %s, s; add.s64 %s, %s, %d27; add.s32 %r1, %r98, 100; st.global.b32 [%d28], %r1;\n\
         st.shared.b32 [%s], 7; st.shared.b32 [%s+128], 8; setp.lt.u32 %p1, %r98, 5;\n\
         @%p1 cp.async.ca.shared.global [%s], [%d28], 4; cp.async.commit_group;\n\
         cp.async.ca.shared.global [%s+128], [%d28], 4; cp.async.commit_group;\n\
         ld.shared.b32 %r2, [%s]; cp.async.wait_group 1;\n\
         ld.shared.b32 %r3, [%s]; ld.shared.b32 %r4, [%s+128]; cp.async.wait_group 0;\n\
         ld.shared.b32 %r5, [%s+128]; mul.lo.s32 %r2, %r2, 1000000; mul.lo.s32 %r3, %r3, 1000;\n\
         mul.lo.s32 %r4, %r4, 10000000; add.s32 %r0, %r2, %r3; add.s32 %r0, %r0, %r4;\n\
         add.s32 %r0, %r0, %r5;",
    );
    let one = |lane: u32| {
        let first = if lane < 5 { 100 + lane } else { 7 };
        8 * 10_000_000 + 7 * 1_000_000 + first * 1000 + 100 + lane
    };
    assert_eq!(found, (0..32).map(one).collect::<Vec<u32>>());
}

#[test]
fn copies_take_whole_sixteens() {
    let found = warp_results(
        ".shared .align 16 .b8 s[128]; st.global.b32 [%d28], %r98; setp.eq.u32 %p1, %r98, 0;\n\
         @%p1 cp.async.cg.shared.global [s+16], [%d28], 16;\n\
         @%p1 cp.async.ca.shared.global [s+32], [%d28+16], 8; cp.async.wait_all; bar.sync 0;\n\
         mov.u64 %d1, s; add.s64 %d1, %d1, %d27; ld.shared.b32 %r0, [%d1];",
    );
    let copied = [0, 1, 2, 3, 4, 5];
    let unwritten = |n| std::iter::repeat_n(u32::MAX, n);
    let expected: Vec<u32> = unwritten(4).chain(copied).chain(unwritten(22)).collect();
    assert_eq!(found, expected);
}

#[test]
fn approximations_are_the_rounded_values() {
    let found = warp_results(
        "cvt.rn.f32.u32 %r1, %r98; ex2.approx.f32 %r2, %r1; lg2.approx.f32 %r3, %r2;\n\
         div.approx.f32 %r4, %r3, 0f40400000; div.full.f32 %r5, %r4, 0f40000000;\n\
         sqrt.approx.f32 %r6, %r5; rsqrt.approx.ftz.f32 %r7, %r1; rcp.approx.ftz.f32 %r7, %r7;\n\
         add.f32 %r0, %r6, %r7;",
    );
    let one = |lane: u32| {
        let x = lane as f32;
        let rsqrt = (1.0 / f64::from(x).sqrt()) as f32;
        ((x / 3.0 / 2.0).sqrt() + 1.0 / rsqrt).to_bits()
    };
    assert_eq!(found, (0..32).map(one).collect::<Vec<u32>>());
}

#[test]
fn nested_scopes_have_registers_of_their_own() {
    let found = warp_results(
        "mov.b32 %r0, 5;\n{ .reg .b32 %r<2>; mov.b32 %r0, 9; }\n\
         { .reg .b32 t; mov.b32 t, 1; add.s32 %r0, %r0, t; }",
    );
    assert_eq!(found, [6; 32]);
}

#[test]
fn debug_directives_are_passed_over() {
    let text = ".version 7.8\n.target sm_90, debug\n.address_size 64\n.file 1 \"a.c\"\n\
        .visible .entry k()\n{\n.loc 1 2 3\n.reg .b32 %r<2>;\n.loc 1 4 5, function_name $L, inlined_at 1 2 3\n\
        mov.b32 %r0, 1;\n.pragma \"nounroll\";\nret;\n}\n\
        .section .debug_abbrev\n{\n.b8 1 // x\n.b8 17\n}\n.section .debug_loc { }\n";
    let module = module(text);
    Device::default().run(module.kernel("k").unwrap(), shape(1, 1), &[]).unwrap();
}

#[test]
fn the_number_of_threads_does_not_matter() {
    // Loops of barriers over several warps; a different number of rounds in each block.
    let text = wrapped(
        ".shared .align 4 .b8 s[512]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n\
         mul.wide.u32 %d1, %r1, 4; mov.b64 %d2, s; add.s64 %d3, %d2, %d1; mov.b32 %r3, 0;\n\
         cvt.rn.f32.u32 %r4, %r1; add.s32 %r9, %r1, 1; and.b32 %r9, %r9, 127; mul.wide.u32 %d4, %r9, 4;\n\
         add.s64 %d4, %d2, %d4;\n\
         LOOP: st.shared.b32 [%d3], %r4; barrier.sync 0; ld.shared.b32 %r5, [%d4];\n\
         fma.rn.f32 %r4, %r5, 0f3EAAAAAB, %r4; bar.sync 1, 128; add.s32 %r3, %r3, 1;\n\
         setp.lt.u32 %p1, %r3, %r2; @%p1 bra LOOP;\n\
         mad.lo.u32 %r6, %r2, 128, %r1; mul.wide.u32 %d5, %r6, 4; add.s64 %d28, %d28, %d5;\n\
         st.global.b32 [%d28], %r4; ret;",
    );
    let module = module(&text);
    let mut results = Vec::new();
    for threads in [1, 2, 5] {
        let mut device = Device::default();
        let out = device.put(&[0u32; 2560]);
        let shape = Shape { threads, ..shape(20, 128) };
        device.run(module.kernel("k").unwrap(), shape, &[out]).unwrap();
        results.push(device.get::<u32>(out, 2560));
    }
    let mut line: Vec<f32> = (0..128).map(|x| x as f32).collect();
    for _ in 0..19 {
        line = (0..128).map(|x| line[(x + 1) % 128].mul_add(1.0 / 3.0, line[x])).collect();
    }
    let last: Vec<u32> = line.iter().map(|x| x.to_bits()).collect();
    assert_eq!(results[0][19 * 128..], last);
    assert!(results.iter().all(|result| *result == results[0]));
}

#[test]
fn warps_meet_two_by_two_at_barriers_in_registers() {
    // Four warps; each adds up what the one after it has, the last what the first has, three times over.
    let text = wrapped(
        ".shared .align 4 .b8 s[1024]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; mov.b64 %d2, s;\n\
         or.b32 %r3, %r2, 1; add.s32 %r5, %r2, 1; and.b32 %r5, %r5, 2; mov.b32 %r4, %r1; mov.b32 %r6, 0;\n\
         add.s32 %r7, %r1, 32; and.b32 %r7, %r7, 127;\n\
         LOOP: and.b32 %r8, %r6, 1; mad.lo.u32 %r9, %r8, 128, %r1; mul.wide.u32 %d3, %r9, 4;\n\
         add.s64 %d3, %d2, %d3; st.shared.b32 [%d3], %r4; bar.sync %r3, 64; barrier.sync %r5, 64;\n\
         mad.lo.u32 %r9, %r8, 128, %r7; mul.wide.u32 %d3, %r9, 4; add.s64 %d3, %d2, %d3;\n\
         ld.shared.b32 %r9, [%d3]; add.s32 %r4, %r4, %r9; add.s32 %r6, %r6, 1;\n\
         setp.lt.u32 %p1, %r6, 3; @%p1 bra LOOP;\n\
         mul.wide.u32 %d5, %r1, 4; add.s64 %d28, %d28, %d5; st.global.b32 [%d28], %r4; ret;",
    );
    let module = module(&text);
    let mut device = Device::default();
    let out = device.put(&[0u32; 128]);
    device.run(module.kernel("k").unwrap(), shape(1, 128), &[out]).unwrap();
    let mut all: Vec<u32> = (0..128).collect();
    for _ in 0..3 {
        all = (0..128).map(|x| all[x] + all[(x + 32) % 128]).collect();
    }
    assert_eq!(device.get::<u32>(out, 128), all);
}
