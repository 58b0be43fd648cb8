//! Every few steps the grid is written to a file of its own, line by line; where that fails, the simulation ends.

mod corpus;

use std::fs::File;
use std::io::{self, BufWriter, Write};

fn save(path: &str, u: &[f32], m: usize) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for row in u.chunks(m) {
        let words: Vec<String> = row.iter().map(|x| x.to_string()).collect();
        writeln!(file, "{}", words.join(" "))?;
    }
    file.flush()
}

#[inline(never)]
fn heat(u: &mut Vec<f32>, v: &mut Vec<f32>, n: usize, m: usize, steps: usize) -> io::Result<usize> {
    for t in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let p = i * m + j;
                v[p] = u[p] + 0.1 * (u[p - m] + u[p + m] + u[p - 1] + u[p + 1] - 4.0 * u[p]);
            }
        }
        std::mem::swap(u, v);
        if t % 8 == 7 {
            save("/dev/null", u, m)?;
        }
    }
    Ok(steps)
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f32>(n * m, 1);
        let mut v = corpus::varied::<f32>(n * m, 2);
        let taken = heat(&mut u, &mut v, n, m, case.steps as usize).unwrap_or(0);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
        output.array("taken", 0, &[taken as i32]);
    }
}
