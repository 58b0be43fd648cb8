//! Arrays that stay on a device between nests of a frame: what is copied when, and that memory is right whenever the
//! program may look. The emulated grid has memory of its own, so that a copy that is missing shows.

mod common;

use common::*;
use hexpass_abi::{
    Array, DONE, Frame, HOME_LEAVES, HOME_READS, HOME_REPEATS, HOME_WRITES, KernelParam, NOT_DONE,
    NestRecord, Poly,
};
use hexrt::options::{DeviceChoice, Options};
use hexrt::record::Nest;
use hexrt::resident::Resident;
use hexrt::run::Call;
use serde_json::Value;
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

/// One grid, updated in place of the other, through a frame.
struct Grid {
    object: Object,
    frame: Box<Frame>,
    /// As the nests leave them, and as plain loops do.
    arrays: [Vec<f64>; 2],
    expected: [Vec<f64>; 2],
    ints: [i64; 4],
    /// Which array is the older one.
    first: usize,
}

const N: i64 = 20;

/// As [`jacobi2d`], from one array to another and in all columns: beside a row's ends lie those of the rows before and
/// behind it, which are written under other subscripts.
fn coil() -> NestRecord {
    let mut record = jacobi2d();
    let mut array = record.arrays[0].clone();
    array.slots = slots(&[1]);
    record.arrays[0].slots = slots(&[0]);
    record.arrays.push(Array { name: "b".into(), ..array });
    let statement = &mut record.statements[0];
    (statement.lo[1], statement.hi[1]) = (Poly::zero().into(), affine(1, 1, -1).into());
    statement.writes = vec![access(1, 0, vec![at(0, 0), at(1, 0)])];
    let kernels = record.variants.iter_mut().flat_map(|v| &mut v.kernels);
    kernels.for_each(|kernel| {
        kernel.params[1] = KernelParam::Slot { array: 1, rotation: 0 };
        kernel.params[3] = KernelParam::Stride { array: 1, dim: 0 };
    });
    record
}

/// What the original loop of [`coil`] does in one step.
fn coil_original(from: &[f64], to: &mut [f64]) {
    for i in 1..N - 1 {
        for j in 0..N {
            let a = |y: i64, x: i64| from[((i + y) * N + j + x) as usize];
            to[(i * N + j) as usize] = 0.2 * (a(0, 0) + a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1));
        }
    }
}

impl Grid {
    fn new(record: &NestRecord) -> Grid {
        let arrays = [noise((N * N) as usize, 1), noise((N * N) as usize, 2)];
        let expected = arrays.clone();
        let frame = Box::new(Frame { state: std::ptr::null_mut() });
        let object = Object::new(record);
        Grid { object, frame, arrays, expected, ints: [N, N, 2, N], first: 0 }
    }

    /// So many steps; the program has swapped its pointers where `self.first` is 1.
    fn step(&mut self, steps: i64) {
        self.ints[2] = steps;
        let [a, b] = &mut self.arrays;
        let mut pointers = [a.as_mut_ptr(), b.as_mut_ptr()];
        pointers.swap(0, self.first);
        let answer = self.object.run_in(&self.ints, &pointers, &[0.2], &mut *self.frame);
        self.expected.swap(0, self.first);
        if answer == DONE {
            jacobi2d_original(N, N, steps, N, 0.2, &mut self.expected);
        }
        self.expected.swap(0, self.first);
        println!("answer {answer}");
        if answer == NOT_DONE {
            self.check("where the original runs");
        }
    }

    fn home(&mut self, how: u32) {
        if !self.frame.state.is_null() {
            // SAFETY: the frame is ours, as the runtime has left it.
            unsafe { hexrt::entry::hexrt_home(&mut *self.frame, how) };
        }
    }

    fn check(&self, when: &str) {
        let same = self
            .arrays
            .iter()
            .zip(&self.expected)
            .all(|(a, b)| a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits())));
        println!("{when} {}", if same { "right" } else { "WRONG" });
    }
}

/// The programs, by `TEST_CASE`.
#[test]
#[ignore = "a program for the other tests to run"]
fn program() {
    let mut g = Grid::new(&jacobi2d());
    match std::env::var("TEST_CASE").unwrap_or_default().as_str() {
        "reads" => {
            for _ in 0..4 {
                g.step(3);
            }
            g.home(HOME_READS);
            g.check("read");
            g.step(2);
            g.home(HOME_LEAVES);
            g.check("left");
        }
        "swap" => {
            for step in 0..5 {
                g.step(1);
                g.first = 1 - g.first;
                if step == 2 {
                    g.home(HOME_READS);
                    g.check("read");
                }
            }
            g.home(HOME_LEAVES);
            g.check("left");
        }
        "writes" => {
            g.step(3);
            g.home(HOME_WRITES);
            g.check("written");
            let at = (N * 4 + 5) as usize;
            (g.arrays[1][at], g.expected[1][at]) = (7.0, 7.0);
            (g.arrays[0][2], g.expected[0][2]) = (9.0, 9.0);
            g.step(2);
            g.home(HOME_LEAVES);
            g.check("left");
        }
        "look" => {
            g.step(2);
            let apart = [0.0f64; 4];
            let inside = g.arrays[0].as_ptr().wrapping_add((N * 3 + 3) as usize);
            for at in [apart.as_ptr(), inside] {
                // SAFETY: as above.
                unsafe { hexrt::entry::hexrt_look(&mut *g.frame, HOME_READS, at.cast(), 8) };
                println!("looked");
            }
            let at = (N * 3 + 3) as usize;
            let same = g.arrays[0][at].to_bits() == g.expected[0][at].to_bits();
            println!("looked {}", if same { "right" } else { "WRONG" });
            // One element is written: no other goes to the device again.
            // SAFETY: as above.
            unsafe { hexrt::entry::hexrt_look(&mut *g.frame, HOME_WRITES, inside.cast(), 8) };
            (g.arrays[0][at], g.expected[0][at]) = (5.0, 5.0);
            g.step(2);
            g.home(HOME_LEAVES);
            g.check("left");
        }
        "refused" => {
            g.step(2);
            // The nest's arrays overlap now: the original has to run.
            let a = g.arrays[0].as_mut_ptr();
            let answer = g.object.run_in(&g.ints, &[a, a], &[0.2], &mut *g.frame);
            println!("answer {answer}");
            g.check("refused");
            g.step(2);
            g.home(HOME_LEAVES);
            g.check("left");
        }
        "shapes" => {
            // The same memory with rows of another length: as another array.
            g.step(2);
            let ints = [10, 10, 3, 40];
            let [a, b] = &mut g.arrays;
            let pointers = [a.as_mut_ptr(), b.as_mut_ptr()];
            println!("answer {}", g.object.run_in(&ints, &pointers, &[0.2], &mut *g.frame));
            jacobi2d_original(10, 10, 3, 40, 0.2, &mut g.expected);
            g.step(2);
            g.home(HOME_LEAVES);
            g.check("left");
        }
        "objects" => {
            // Another nest on the same memory.
            let mut other = Object::new(&jacobi2d());
            for _ in 0..3 {
                g.step(2);
                let [a, b] = &mut g.arrays;
                let pointers = [a.as_mut_ptr(), b.as_mut_ptr()];
                println!("answer {}", other.run_in(&g.ints, &pointers, &[0.3], &mut *g.frame));
                jacobi2d_original(N, N, 2, N, 0.3, &mut g.expected);
            }
            g.home(HOME_LEAVES);
            g.check("left");
        }
        "coil" => {
            let mut other = Object::new(&coil());
            g.ints[2] = 1;
            for step in 0..4 {
                let [a, b] = &mut g.arrays;
                let mut pointers = [a.as_mut_ptr(), b.as_mut_ptr()];
                pointers.swap(0, step % 2);
                println!("answer {}", other.run_in(&g.ints, &pointers, &[0.2], &mut *g.frame));
                let [a, b] = &mut g.expected;
                match step % 2 {
                    0 => coil_original(a, b),
                    _ => coil_original(b, a),
                }
            }
            g.home(HOME_LEAVES);
            g.check("left");
        }
        "repeats" => {
            g.step(2);
            for _ in 0..2 {
                if !g.frame.state.is_null() {
                    g.home(HOME_REPEATS);
                    g.check("before the program does it");
                    g.ints[2] = 1;
                    let [a, b] = &mut g.arrays;
                    let pointers = [a.as_mut_ptr(), b.as_mut_ptr()];
                    let answer = g.object.run_in(&g.ints, &pointers, &[0.2], &mut *g.frame);
                    println!("answer {answer}");
                    g.check("still before");
                }
                // One step there and one back.
                for back in [false, true] {
                    if back {
                        g.home(HOME_WRITES);
                    }
                    for arrays in [&mut g.arrays, &mut g.expected] {
                        arrays.swap(0, usize::from(back));
                        jacobi2d_original(N, N, 1, N, 0.2, arrays);
                        arrays.swap(0, usize::from(back));
                    }
                    if !back && !g.frame.state.is_null() {
                        g.home(HOME_READS);
                        g.check("it has done it too");
                    }
                }
                g.step(2);
            }
            g.home(HOME_LEAVES);
            g.check("left");
        }
        "abandoned" => {
            // The activation has gone without a word; a later one stands at the same place.
            g.step(2);
            g.frame.state = std::ptr::null_mut();
            g.arrays.clone_from(&g.expected);
            let at = (N * 4 + 5) as usize;
            (g.arrays[0][at], g.expected[0][at]) = (7.0, 7.0);
            g.step(2);
            g.home(HOME_LEAVES);
            g.check("left");
        }
        other => panic!("no case {other}"),
    }
    assert!(g.frame.state.is_null());
}

fn start(case: &str, device: &str, stats: &std::path::Path) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "program", "--nocapture", "--test-threads=1"]);
    for row in hexrt::options::TABLE {
        command.env_remove(row.name);
    }
    command.env("TEST_CASE", case).env("HEXPASS_DEVICE", device).env("HEXPASS_STATS", stats);
    command.output().unwrap()
}

/// Bytes in and out of each line of statistics.
fn bytes(stats: &std::path::Path) -> Vec<(u64, u64)> {
    let text = std::fs::read_to_string(stats).unwrap();
    let lines = text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    lines.map(|l| (l["bytes_in"].as_u64().unwrap(), l["bytes_out"].as_u64().unwrap())).collect()
}

#[test]
fn memory_is_right_whenever_the_program_may_look() {
    let folder = tempfile::tempdir().unwrap();
    for case in [
        "reads",
        "swap",
        "writes",
        "look",
        "refused",
        "shapes",
        "objects",
        "coil",
        "repeats",
        "abandoned",
    ] {
        for device in ["cpu", "emulated"] {
            let output = start(case, device, &folder.path().join(format!("{case}.{device}")));
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{case} on {device}: {output:?}");
            assert!(
                said.contains("right") && !said.contains("WRONG"),
                "{case} on {device}: {said}"
            );
        }
    }
}

#[test]
fn only_what_one_side_lacks_is_copied() {
    let folder = tempfile::tempdir().unwrap();
    let interior = 8 * ((N - 2) * (N - 2)) as u64;
    // A cross: the corners are not read.
    let read = 8 * (N * N - 4) as u64;
    let border = read - interior;
    let cases: [(&str, &[(u64, u64)]); 4] = [
        // Of the second array the first step overwrites what the next would read, but for the border.
        (
            "reads",
            &[
                (read + border, 0),
                (0, 0),
                (0, 0),
                (0, 0),
                (0, 2 * interior),
                (0, 0),
                (0, 2 * interior),
            ],
        ),
        (
            "swap",
            &[(read, 0), (border, 0), (0, 0), (0, 2 * interior), (0, 0), (0, 0), (0, 2 * interior)],
        ),
        ("writes", &[(read + border, 0), (0, 2 * interior), (read + border, 0), (0, 2 * interior)]),
        ("look", &[(read + border, 0), (0, 8), (8, 0), (0, 2 * interior)]),
    ];
    for (case, expected) in cases {
        let stats = folder.path().join(case);
        let output = start(case, "emulated", &stats);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(bytes(&stats), expected, "{case}");
    }
}

/// Threads of the CPU, or the original loop, do what another nest of the frame does: what they touch comes home, and no more.
#[test]
fn the_host_takes_what_it_touches() {
    let record = jacobi2d();
    let object = Object::new(&record);
    // SAFETY: the header lists its one kernel.
    let host_kernels = unsafe { std::slice::from_raw_parts(object.header.host_kernels.cast(), 1) };
    let nest = Nest::new(record).unwrap();
    let mut arrays = [noise((N * N) as usize, 1), noise((N * N) as usize, 2)];
    let mut expected = arrays.clone();
    let mut resident = Resident::staying();
    let scalars = [0.2f64.to_bits()];
    let far = (N * 15 + 7) as usize;
    for (device, rows) in [
        (DeviceChoice::Emulated, N),
        (DeviceChoice::Cpu, 8),
        (DeviceChoice::Emulated, N),
        (DeviceChoice::Auto, 9),
        (DeviceChoice::Emulated, N),
    ] {
        let [a, b] = &mut arrays;
        let pointers = [a.as_mut_ptr() as u64, b.as_mut_ptr() as u64];
        let ints = [rows, N, 2, N];
        let call = Call { ints: &ints, pointers: &pointers, scalars: &scalars, host_kernels };
        let options = Options { device, ..Options::default() };
        let touched = AtomicBool::new(false);
        let done = hexrt::run::run_in(&nest, &call, &options, &touched, &mut resident, None);
        assert_eq!(done, device != DeviceChoice::Auto, "{device:?}");
        jacobi2d_original(rows, N, 2, N, 0.2, &mut expected);
        if !done {
            hexrt::run::hand_over(&nest, &call, &options, &mut resident);
            jacobi2d_original(rows, N, 2, N, 0.2, &mut arrays);
        }
        if device != DeviceChoice::Emulated {
            // Rows that the host does not work on are the device's still.
            assert_ne!(arrays[0][far].to_bits(), expected[0][far].to_bits(), "{device:?}");
            assert!(resident.is_warm(&nest, &pointers));
        }
    }
    resident.home(HOME_LEAVES, &Options::default());
    for (a, b) in arrays.iter().zip(&expected) {
        assert!(a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits())));
    }
}
