//! Arrays that stay on a device between nests of a frame: what is copied when, and that memory is right whenever the
//! program may look. The emulated grid has memory of its own, so that a copy that is missing shows.

mod common;

use common::*;
use hexpass_abi::{DONE, Frame, HOME_LEAVES, HOME_READS, HOME_WRITES, NOT_DONE, NestRecord};
use serde_json::Value;
use std::process::{Command, Output};

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
    for case in ["reads", "swap", "writes", "look", "refused", "shapes", "objects", "abandoned"] {
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
