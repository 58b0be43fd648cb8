//! A grid of rows that steps clone has another shape in each call. What was made is freed, once.

mod corpus;

use std::alloc::{GlobalAlloc, Layout, System};
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
fn run(mut u: Vec<Vec<f64>>, steps: usize) -> Vec<Vec<f64>> {
    let (n, m) = (u.len(), u[0].len());
    for _ in 0..steps {
        let mut next = u.clone();
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                next[i][j] = 0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
            }
        }
        u = next;
    }
    u
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let values = corpus::varied::<f64>(n * m, 1);
        let before = THERE.load(Relaxed);
        let mut u: Vec<Vec<f64>> = values.chunks(m).map(|row| row.to_vec()).collect();
        u = run(u, case.steps as usize);
        u.push(vec![0.5; m]);
        u = run(u, case.steps as usize);
        u.iter_mut().for_each(|row| row.push(2.0));
        u = run(u, case.steps as usize);
        let all = u.concat();
        output.case(&case);
        output.array("u", 0, &all);
        drop((all, u));
        output.array("left", 0, &[(THERE.load(Relaxed) - before) as f64]);
    }
}
