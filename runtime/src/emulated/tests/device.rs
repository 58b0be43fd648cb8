//! Every operation, over special values, against what an H200 answered: `device.txt` holds for each
//! a hash of its results. Approximations are left out: here they are better than the device's.

use super::{Device, module, shape};

const RECORDED: &str = include_str!("../../../tests/emulated/device.txt");

const SINGLES: [u32; 29] = [
    0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f000000,
    0x3fc00000, 0x40200000, 0xbfc00000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc00001, 0x7f800001, 0x7fc12345, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x42ff0000,
    0x43000000, 0x437f8000, 0x477fff00, 0x4effffff,
];
const DOUBLES: [f64; 28] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -1.5,
    5e-324,
    2.2e-308,
    1.7e308,
    f64::INFINITY,
    f64::NEG_INFINITY,
    2147483647.5,
    -2147483648.5,
    4294967295.5,
    9.3e18,
    -9.3e18,
    1.9e19,
    1e-40,
    3.5e38,
    127.5,
    -128.5,
    255.5,
    65535.5,
    1e-46,
    -1e-46,
    0.1,
];
const NANS: [u64; 5] = [
    0x7ff8000000000000,
    0xfff8000000000000,
    0x7ff0000000000001,
    0x7ff8000000012345,
    0xfffc000000000777,
];
const INTEGERS: [u64; 25] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffffffffffff,
    0x100000000,
];

/// Operands a, b and c of each thread: all pairs of special values of one kind, and a third.
fn inputs() -> [Vec<u64>; 3] {
    let singles: Vec<u64> = SINGLES.iter().map(|&bits| bits.into()).collect();
    let doubles: Vec<u64> = DOUBLES.iter().map(|value| value.to_bits()).chain(NANS).collect();
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for kind in [&singles, &doubles, &INTEGERS.to_vec()] {
        for &x in kind {
            for &y in kind {
                a.push(x);
                b.push(y);
            }
        }
    }
    let all = [singles, doubles, INTEGERS.to_vec()].concat();
    a.resize(2560, 0);
    b.resize(2560, 5);
    let c = (0..2560).map(|index| all[index * 37 % all.len()]).collect();
    [a, b, c]
}

fn bits(ty: &str) -> u32 {
    ty.trim_start_matches(|c: char| c.is_alphabetic()).parse().unwrap()
}

fn register(ty: &str) -> &'static str {
    match bits(ty) {
        8 | 16 => "%h",
        32 => "%r",
        _ => "%d",
    }
}

/// The kernel of `opcode`, in which `%h1 %r1 %d1` and so on hold the operands.
fn kernel(name: &str, opcode: &str, sources: &[&str], to: &str) -> String {
    let operand = |index: usize, ty: &str| format!("{}{index}", register(ty));
    let mut list = vec![operand(0, to)];
    list.extend(sources.iter().enumerate().map(|(index, ty)| operand(index + 1, ty)));
    let body = if opcode.starts_with("setp") || opcode.starts_with("testp") {
        list[0] = "%p0".to_string();
        format!("{opcode} {};\nselp.b64 %d0, 1, 0, %p0;", list.join(", "))
    } else if opcode.starts_with("bfi.") {
        list.push("%r4".to_string());
        format!("shr.u64 %d4, %d3, 17; cvt.u32.u64 %r4, %d4;\n{opcode} {};", list.join(", "))
    } else if let Some((opcode, c)) = opcode.split_once('#') {
        format!(
            "{opcode} %r0|%p0, %r1, %r2, {c}, -1;\n\
             cvt.u64.u32 %d0, %r0; @%p0 or.b64 %d0, %d0, 0x100000000;"
        )
    } else {
        format!("{opcode} {};", list.join(", "))
    };
    let widen = match register(to) {
        "%h" => "cvt.u64.u16 %d0, %h0;",
        "%r" if !body.contains("%d0") => "cvt.u64.u32 %d0, %r0;",
        _ => "",
    };
    format!(
        ".visible .entry {name}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)
{{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b64 %a<9>; .reg .b32 %i<5>;
mov.u32 %i0, %tid.x; mov.u32 %i1, %ctaid.x; mov.u32 %i2, %ntid.x; mad.lo.u32 %i0, %i1, %i2, %i0;
mul.wide.u32 %a0, %i0, 8;
ld.param.u64 %a1, [pa]; ld.param.u64 %a2, [pb]; ld.param.u64 %a3, [pc]; ld.param.u64 %a4, [pd];
add.s64 %a1, %a1, %a0; add.s64 %a2, %a2, %a0; add.s64 %a3, %a3, %a0; add.s64 %a4, %a4, %a0;
ld.global.u64 %d1, [%a1]; ld.global.u64 %d2, [%a2]; ld.global.u64 %d3, [%a3];
cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2; cvt.u32.u64 %r3, %d3;
cvt.u16.u64 %h1, %d1; cvt.u16.u64 %h2, %d2; cvt.u16.u64 %h3, %d3;
mov.b64 %d0, 0; mov.b32 %r0, 0; mov.b16 %h0, 0;
{body}
{widen}
st.global.u64 [%a4], %d0; ret;
}}
"
    )
}

/// Opcode, types of sources and result, and hash of the results.
fn recorded() -> impl Iterator<Item = (&'static str, Vec<&'static str>, &'static str, u64)> {
    RECORDED.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut words = line.split(' ');
        let mut word = || words.next().unwrap();
        let (opcode, sources, to) = (word(), word(), word());
        let sources = sources.split(',').filter(|ty| *ty != "-").collect();
        (opcode, sources, to, u64::from_str_radix(word(), 16).unwrap())
    })
}

fn text() -> String {
    let mut text = ".version 7.8\n.target sm_90\n.address_size 64\n".to_string();
    for (index, (opcode, sources, to, _)) in recorded().enumerate() {
        text += &kernel(&format!("k{index}"), opcode, &sources, to);
    }
    text
}

/// FNV-1a over words.
fn hash(words: &[u64]) -> u64 {
    let step = |hash: u64, word: &u64| (hash ^ word).wrapping_mul(0x100_0000_01b3);
    words.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn operations_answer_as_the_device_does() {
    let module = module(&text());
    let mut device = Device::default();
    let mut args: Vec<u64> = inputs().iter().map(|input| device.put(input)).collect();
    args.push(device.put(&[0u64; 2560]));
    let mut wrong = Vec::new();
    for (index, (opcode, _, _, expected)) in recorded().enumerate() {
        let kernel = module.kernel(&format!("k{index}")).unwrap();
        device.run(kernel, shape(10, 256), &args).unwrap();
        if hash(&device.get(args[3], 2560)) != expected {
            wrong.push(opcode);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(recorded().count() > 500);
}

/// Writes what a device has to run to record `device.txt` anew: the module and its inputs.
#[test]
#[ignore = "for recording"]
fn write_what_the_device_runs() {
    let folder = std::env::temp_dir();
    std::fs::write(folder.join("device.ptx"), text()).unwrap();
    let bytes: Vec<u8> = inputs().concat().iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.join("device.bin"), bytes).unwrap();
}
