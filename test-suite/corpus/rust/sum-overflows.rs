//! A sum of few bits that overflows in the last row: the loop writes until then, and fails.

mod corpus;

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, n: i32, m: i32, shift: i32, steps: usize) {
    let columns = m as usize;
    for _ in 0..steps {
        for i in 1..n - 1 {
            let row = i.checked_add(shift).expect("a row").wrapping_sub(shift) as usize;
            for j in 1..m - 1 {
                let at = row * columns + j as usize;
                v[at] = 0.25 * (u[at - columns] + u[at + columns] + u[at - 1] + u[at + 1]);
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let all = (case.nx * case.ny) as usize;
        let mut u = corpus::varied::<f64>(all, 1);
        let mut v = corpus::varied::<f64>(all, 2);
        let shift = i32::MAX - (case.nx - 3);
        let run = || heat(&mut u, &mut v, case.nx, case.ny, shift, case.steps as usize);
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err();
        assert!(failed);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
