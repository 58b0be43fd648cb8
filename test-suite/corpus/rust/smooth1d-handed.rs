//! A vector is handed on from step to step: each makes a new one of it.

mod corpus;

fn step(u: Vec<f32>) -> Vec<f32> {
    let end = u.len() - 1;
    let at = |i: usize| match i {
        0 => u[0],
        i if i == end => u[i],
        i => u[i] + 0.25 * (u[i - 1] - 2.0 * u[i] + u[i + 1]),
    };
    (0..u.len()).map(at).collect()
}

#[inline(never)]
fn run(mut u: Vec<f32>, steps: i64) -> Vec<f32> {
    for _ in 0..steps {
        u = step(u);
    }
    u
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let u = run(corpus::varied::<f32>(case.nx as usize, 1), case.steps as i64);
        output.case(&case);
        output.array("u", 0, &u);
    }
}
