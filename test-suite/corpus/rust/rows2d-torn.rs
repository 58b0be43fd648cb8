//! What is behind `&mut self` is renewed by a clone in each step. A row is longer than the others, and then
//! one too short: a step panics, and what it has left is looked at. Everything that was made is freed, once.

mod corpus;

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// Counts the bytes that are there.
struct Counting;

static THERE: AtomicI64 = AtomicI64::new(0);

// SAFETY: it is the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        THERE.fetch_add(layout.size() as i64, Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        THERE.fetch_sub(layout.size() as i64, Relaxed);
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Life {
    rows: usize,
    columns: usize,
    cells: Vec<Vec<i32>>,
}

impl Life {
    fn step(&mut self) {
        let mut next = self.cells.clone();
        for i in 1..self.rows - 1 {
            for j in 1..self.columns - 1 {
                let (above, here, below) = (&self.cells[i - 1], &self.cells[i], &self.cells[i + 1]);
                next[i][j] = (above[j] + 2 * here[j - 1] + 3 * here[j + 1] + below[j] + here[j]) % 1000;
            }
        }
        self.cells = next;
    }

    #[inline(never)]
    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (rows, columns, steps) = (case.nx as usize, case.ny as usize, case.steps as usize);
        let values = corpus::varied::<f64>(rows * columns, 1);
        let before = THERE.load(Relaxed);
        let row = |row: &[f64]| row.iter().map(|x| (x * 1000.0) as i32).collect::<Vec<_>>();
        let cells = values.chunks(columns).map(row).collect();
        let mut life = Life { rows, columns, cells };
        life.cells[1].push(9);
        life.run(steps);
        life.cells[rows / 2].truncate(columns / 2);
        let fails = catch_unwind(AssertUnwindSafe(|| life.run(steps))).is_err();
        let all: Vec<f64> = life.cells.concat().into_iter().map(f64::from).collect();
        output.case(&case);
        output.array("fails", 0, &[f64::from(u8::from(fails))]);
        output.array("u", 0, &all);
        drop((all, life));
        output.array("left", 0, &[(THERE.load(Relaxed) - before) as f64]);
    }
}
