//! Sums that are hard to go through in chunks, on threads and on a device.

use super::chunks::{NONE, TERMS, Walk};
use super::device::Steps;
use super::in_order::abreast;
use super::real::{Numbers, Real};
use super::{Form, Terms, lanes, threads};
use crate::device::tools::sums::{self, Sums};
use crate::device::{Device, emulated::Emulated};
use crate::footprint::Cuboid;
use crate::transfer::{Rows, Side};
use hexpass_abi::ElemType;

/// Numbers as they come, and as they make it hard.
fn hard_terms(kind: usize, count: usize) -> Vec<f64> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(kind as u64 + 1);
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count)
        .map(|i| match kind {
            0 => random(),
            1 => -random(),
            2 => random() - 0.5,
            3 => random() - 0.499,
            // Half-way between two sums, over and over.
            4 => (random() * 8.0).floor() * 0.5,
            5 => (random() * 3.0).floor() - 1.0,
            6 => 1.0,
            7 => 2f64.powi((random() * 60.0) as i32 - 50),
            8 if i == count / 2 => f64::NAN,
            9 if i == count / 2 => f64::INFINITY,
            10 if i == count / 2 => -1e30,
            11 => random() * 1e-310,
            12 => random() * 1e30 * if i % 2 == 0 { 1.0 } else { -1.0 },
            13 => -0.0,
            14 => (random() - 0.5) * 2f64.powi((random() * 40.0) as i32),
            15 => {
                if i < count / 2 {
                    1.0
                } else {
                    -1.0
                }
            }
            16 => (random() * 2f64.powi(24)).floor() * 2f64.powi(-20),
            _ => random() * 0.1,
        })
        .collect()
}

/// A step's terms in words, and what they are multiplied with.
struct Hard {
    words: Vec<u64>,
    by: Vec<u64>,
    initial: u64,
}

const KINDS: usize = 18;

impl Hard {
    fn of<R: Real>(kind: usize, count: usize, initial: f64) -> Hard {
        let by: Vec<f64> = hard_terms((kind + 3) % 7, count).iter().map(|y| y + 0.25).collect();
        let half = |t: Option<&f64>| u64::from((*t.unwrap_or(&0.0) as f32).to_bits());
        let pack = |terms: &[f64]| -> Vec<u64> {
            match R::WIDE {
                true => terms.iter().map(|t| t.to_bits()).collect(),
                false => terms.chunks(2).map(|t| half(t.first()) | half(t.get(1)) << 32).collect(),
            }
        };
        Hard {
            words: pack(&hard_terms(kind, count)),
            by: pack(&by),
            initial: if R::WIDE { initial.to_bits() } else { half(Some(&initial)) },
        }
    }

    fn terms(&self, fused: bool) -> Terms<'_> {
        Terms { words: &self.words, factors: fused.then_some(&self.by[..]) }
    }

    /// As the loop does it.
    fn expected<R: Real>(&self, count: usize, fused: bool) -> R {
        let numbers = Numbers::of(self.terms(fused), count);
        abreast::<R, 1>([numbers], [R::from_bits(self.initial)])[0]
    }
}

fn assert_same<R: Real>(found: u64, expected: R, what: &str) {
    let number = R::from_bits(found);
    let both_nan = number.widened().is_nan() && expected.widened().is_nan();
    assert!(
        both_nan || found == expected.to_bits(),
        "{what}: {:e}, not {:e}",
        number.widened(),
        expected.widened()
    );
}

#[test]
fn threads_add_up_to_what_terms_do() {
    fn check<R: Real>(kind: usize, count: usize, initial: f64, fused: bool) {
        let hard = Hard::of::<R>(kind, count, initial);
        let form = Form { count, wide: R::WIDE, initial: hard.initial };
        let threads = 1 + (kind + count) % 3;
        let (found, _) = threads::add_up::<R>(hard.terms(fused), form, threads);
        let what = format!("{count} of kind {kind}, from {initial}, {fused}, {threads} threads");
        assert_same(found, hard.expected::<R>(count, fused), &what);
    }
    for kind in 0..KINDS {
        for count in [1, 1023, 1024, 5000, 70_001] {
            for initial in [0.0, -0.0, 1.0, -3e4, 1e9] {
                for fused in [false, true] {
                    check::<f64>(kind, count, initial, fused);
                    check::<f32>(kind, count, initial, fused);
                }
            }
        }
    }
}

/// Steps of so many rows, with room behind each that holds NaNs.
fn on_a_device<R: Real>(kinds: &[usize], rows: usize, len: usize, fused: bool) {
    let (size, count) = (if R::WIDE { 8 } else { 4 }, rows * len);
    let stride = 8 * (len * size).div_ceil(8) + 24;
    let all: Vec<Hard> = kinds.iter().map(|&k| Hard::of::<R>(k, count, 0.5)).collect();
    let spread = |of: &dyn Fn(&Hard) -> &[u64]| -> Vec<u64> {
        let mut bytes = vec![0xFFu8; stride * rows * all.len()];
        for (step, hard) in all.iter().enumerate() {
            let words: Vec<u8> = of(hard).iter().flat_map(|w| w.to_le_bytes()).collect();
            for row in 0..rows {
                let to = (step * rows + row) * stride;
                bytes[to..to + len * size]
                    .copy_from_slice(&words[row * len * size..][..len * size]);
            }
        }
        bytes.chunks(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let (terms, by) = (spread(&|h| &h.words), spread(&|h| &h.by));
    let mut device = Emulated::open(None, 2);
    let mut put = |words: &[u64]| {
        let buffer = device.alloc(8 * words.len() as u64).unwrap();
        let whole = Cuboid::new(&[(0, words.len() as i64 - 1)]).unwrap();
        let side = |origin| Side { origin, strides: &[8] };
        let here = words.as_ptr() as u64;
        device.upload(&Rows::of(&whole, 8, side(here), side(buffer.address))).unwrap();
        buffer
    };
    let (terms, by) = (put(&terms), put(&by));
    let steps = Steps {
        sums: Sums { elem: if R::WIDE { ElemType::F64 } else { ElemType::F32 }, fused },
        terms: sums::Terms {
            at: [terms.address, (rows * stride) as u64],
            factors: [by.address, (rows * stride) as u64],
            stride: stride as u64,
            len: len as u64,
            total: count as u64,
        },
        arrays: kinds.len() as u64,
    };
    let room = device.alloc(steps.room()).unwrap();
    let initial = all[0].initial;
    let (sums, _) = steps.add_up(&mut device, initial, room.address).unwrap();
    let sums = sums.unwrap_or_else(|| panic!("{kinds:?} of {rows} rows of {len} were given up"));
    for ((hard, sum), kind) in all.iter().zip(sums).zip(kinds) {
        let what = format!("kind {kind} of {rows} rows of {len}, {fused}");
        assert_same(sum, hard.expected::<R>(count, fused), &what);
    }
}

#[test]
fn devices_add_up_to_what_terms_do() {
    for (rows, len) in [(1, 1), (1, 5000), (70, 71), (5000, 1), (3, 1024), (9, 1500)] {
        for fused in [false, true] {
            on_a_device::<f64>(&[0, 1, 3, 4, 16], rows, len, fused);
            on_a_device::<f32>(&[0, 4, 6, 7], rows, len, fused);
        }
    }
    let all: Vec<usize> = (0..KINDS).collect();
    on_a_device::<f64>(&all, 33, 250, false);
    on_a_device::<f32>(&all, 33, 250, true);
}

/// Rounds of guesses, and chunks that were added up term by term, where all of a sum is guessed at once, as on a device.
fn effort<R: Real>(kind: usize, count: usize) -> (usize, usize) {
    let hard = Hard::of::<R>(kind, count, 0.0);
    let all = Numbers::<R>::of(hard.terms(false), count);
    let chunk = |c: usize| all.part(c * TERMS..count.min((c + 1) * TERMS));
    let about =
        (0..count.div_ceil(TERMS)).map(|c| chunk(c).terms.iter().map(|x| x.widened()).sum());
    let mut walk = Walk::new(R::WIDE, hard.initial, about.collect());
    let (mut rounds, mut lone) = (0, 0);
    while !walk.is_done() {
        assert!(!walk.is_lost());
        rounds += 1;
        let starts = walk.starts().to_vec();
        walk.go(
            |c| lanes::in_order(chunk(c), starts[c]),
            |c, sum| {
                (starts[c] == NONE).then(|| {
                    lone += 1;
                    abreast::<R, 1>([chunk(c)], [R::from_bits(sum)])[0].to_bits()
                })
            },
        );
    }
    assert_eq!(walk.sum(), hard.expected::<R>(count, false).to_bits());
    (rounds, lone)
}

#[test]
fn sums_of_one_sign_take_few_guesses() {
    for kind in [0, 1, 6, 17] {
        for count in [100_000, 3_000_000] {
            let (wide, narrow) = (effort::<f64>(kind, count), effort::<f32>(kind, count));
            let chunks = count / TERMS;
            assert!(wide.0 <= 3 && wide.1 <= 8 + 2 * chunks.ilog2() as usize, "{kind}: {wide:?}");
            assert!(narrow.0 <= 6 && narrow.1 <= 16 + chunks / 8, "{kind}: {narrow:?}");
        }
    }
}

#[test]
fn sums_that_go_up_and_down_take_few_guesses() {
    for kind in [2, 3, 12] {
        let (wide, narrow) = (effort::<f64>(kind, 3_000_000), effort::<f32>(kind, 3_000_000));
        let most = 3_000_000 / TERMS * 3 / 5;
        assert!(wide.0 <= 8 && wide.1 <= most, "{kind}: {wide:?}");
        assert!(narrow.0 <= 8 && narrow.1 <= most, "{kind}: {narrow:?}");
    }
}
