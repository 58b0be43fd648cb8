//! The wave equation on three vectors in an array that is taken apart in each step, and rotated behind it.

mod corpus;

#[inline(never)]
fn wave(levels: &mut [Vec<f64>; 3], n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        let [old, now, next] = levels;
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                let around = now[p - m] + now[p + m] + now[p - 1] + now[p + 1];
                next[p] = 2.0 * now[p] - old[p] + 0.2 * (around - 4.0 * now[p]);
            }
        }
        levels.rotate_left(1);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut levels = [1, 2, 3].map(|seed| corpus::varied::<f64>(n * m, seed));
        wave(&mut levels, n, m, case.steps as usize);
        output.case(&case);
        for (name, level) in ["old", "now", "next"].iter().zip(&levels) {
            output.array(name, 0, level);
        }
    }
}
