//! A grid of rows that are vectors of their own; the outer vectors are swapped.

mod corpus;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// One piece of memory behind another, as a fresh heap gives them.
struct Fresh {
    used: AtomicUsize,
}

const BYTES: usize = 1 << 28;

static mut MEMORY: [u64; BYTES / 8] = [0; BYTES / 8];

#[global_allocator]
static FRESH: Fresh = Fresh { used: AtomicUsize::new(0) };

// SAFETY: pieces don't overlap, and each is aligned.
unsafe impl GlobalAlloc for Fresh {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let bytes = layout.size().next_multiple_of(16) + 16;
        let at = self.used.fetch_add(bytes, Ordering::Relaxed);
        if layout.align() > 8 || at + bytes > BYTES {
            return unsafe { System.alloc(layout) };
        }
        unsafe { (&raw mut MEMORY).cast::<u8>().add(at) }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[inline(never)]
fn relax(u: &mut Vec<Vec<f64>>, v: &mut Vec<Vec<f64>>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
            }
        }
        std::mem::swap(u, v);
    }
}

fn rows(all: &[f64], n: usize, m: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| all[i * m..(i + 1) * m].to_vec()).collect()
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = rows(&corpus::varied::<f64>(n * m, 1), n, m);
        let mut v = rows(&corpus::varied::<f64>(n * m, 2), n, m);
        relax(&mut u, &mut v, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u.concat());
        output.array("v", 0, &v.concat());
    }
}
