//! Branches that store, of which some also read what they store to: by place, and by what a cell is made of.

mod corpus;

#[inline(never)]
fn relax(a: &[f64], b: &mut [f64], kind: &[u8], n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let k = i * m + j;
                if i == j {
                    b[k] = a[k];
                } else {
                    b[k] += 0.1 * (a[k] - b[k]);
                }
            }
        }
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                let k = i * m + j;
                match kind[k] {
                    0 => b[k] = a[k - 1],
                    1 => b[k] *= 0.5,
                    2 => b[k] -= 0.25 * a[k + 1],
                    _ => b[k] = 0.25 * (a[k - m] + a[k + m]),
                }
            }
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let a = corpus::varied::<f64>(n * m, 1);
        let mut b = corpus::varied::<f64>(n * m, 2);
        let kind: Vec<u8> = a.iter().map(|x| (x.abs() * 1000.0) as u8 & 3).collect();
        relax(&a, &mut b, &kind, n, m, case.steps as usize);
        output.case(&case);
        output.array("a", 0, &a);
        output.array("b", 0, &b);
    }
}
