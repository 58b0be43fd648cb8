//! Steps clone a grid of rows. In the last one an index is too large, while both grids are there: what was made is freed, once.

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

#[inline(never)]
fn run(mut u: Vec<Vec<f64>>, seen: &mut f64, steps: usize) {
    let (n, m) = (u.len(), u[0].len());
    for t in 0..steps {
        let mut next = u.clone();
        for i in 1..n {
            for j in 1..m {
                next[i][j] = 0.2 * (u[i][j] + u[i - 1][j] + u[i - 1][j - 1] + u[i][j - 1] + u[i - 1][j]);
            }
        }
        if t == steps - 1 {
            next[0][0] += u[n][0];
        }
        *seen = u[1][1];
        u = next;
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let values = corpus::varied::<f64>(n * m, 1);
        let before = THERE.load(Relaxed);
        let u = values.chunks(m).map(|row| row.to_vec()).collect();
        let mut seen = 0.0;
        let fails = catch_unwind(AssertUnwindSafe(|| run(u, &mut seen, case.steps as usize))).is_err();
        output.case(&case);
        output.array("left", 0, &[fails as u8 as f64, seen, (THERE.load(Relaxed) - before) as f64]);
    }
}
