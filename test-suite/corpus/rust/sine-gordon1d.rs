//! The sine-Gordon equation: each point calls the library's sine, so that only the CPU's threads can run it.

mod corpus;

#[inline(never)]
fn pendulums(old: &mut Vec<f64>, now: &mut Vec<f64>, new: &mut Vec<f64>, n: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            let bend = now[i - 1] - 2.0 * now[i] + now[i + 1];
            new[i] = 2.0 * now[i] - old[i] + 0.25 * bend - 0.01 * now[i].sin();
        }
        std::mem::swap(old, now);
        std::mem::swap(now, new);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = case.nx as usize;
        let mut old = corpus::varied::<f64>(n, 1);
        let mut now = corpus::varied::<f64>(n, 2);
        let mut new = corpus::varied::<f64>(n, 3);
        pendulums(&mut old, &mut now, &mut new, n, case.steps as usize);
        output.case(&case);
        output.array("old", 0, &old);
        output.array("now", 0, &now);
        output.array("new", 0, &new);
    }
}
