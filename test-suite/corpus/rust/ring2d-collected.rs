//! A grid that wraps round by signed remainders; of the two vectors, one is collected, the other one made by a call, and they
//! exchange places with their capacities.

mod corpus;

/// Neither vector is the one that it was, if the number of steps is odd.
#[inline(never)]
fn ring(given: &[f64], n: usize, m: usize, steps: usize, output: &mut corpus::Output) {
    let mut u: Vec<f64> = given.iter().map(|x| 0.5 * x).collect();
    let mut v = vec![1.0; n * m + 5];
    v.truncate(n * m);
    let (rows, columns) = (n as i32, m as i64);
    let beside = |j: usize, by: i64| (j as i64 + by).rem_euclid(columns) as usize;
    let over = |i: usize, by: i32| ((i as i32 + by + rows) % rows) as usize;
    for _ in 0..steps {
        for i in 0..n {
            for j in 0..m {
                let sum = u[over(i, 1) * m + j] + u[over(i, -1) * m + j] + u[i * m + beside(j, 1)] + u[i * m + beside(j, -1)];
                v[i * m + j] = u[i * m + j] + 0.2 * (sum - 4.0 * u[i * m + j]);
            }
        }
        std::mem::swap(&mut u, &mut v);
    }
    output.array("u", 0, &u);
    output.array("v", 0, &v);
    output.array("room", 0, &[u.capacity() as f64, v.capacity() as f64]);
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let given = corpus::varied::<f64>(n * m, 1);
        output.case(&case);
        ring(&given, n, m, case.steps as usize, &mut output);
    }
}
