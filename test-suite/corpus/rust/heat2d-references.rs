//! Heat within walls: of each point it is chosen which element it has beside it, by reference, itself at a wall.

mod corpus;

fn heat(first: &[f64], n: usize, m: usize, steps: usize) -> Vec<f64> {
    let (mut a, mut b) = (first.to_vec(), first.to_vec());
    for _ in 0..steps {
        for i in 0..n {
            for j in 0..m {
                let own = a.get(i * m + j).unwrap();
                let left = if j != 0 { a.get(i * m + (j - 1)).unwrap() } else { own };
                let right = if j != m - 1 { a.get(i * m + (j + 1)).unwrap() } else { own };
                let up = if i != 0 { a.get((i - 1) * m + j).unwrap() } else { own };
                let down = if i != n - 1 { a.get((i + 1) * m + j).unwrap() } else { own };
                *b.get_mut(i * m + j).unwrap() = own + 0.2 * (left + right + up + down - 4.0 * own);
            }
        }
        std::mem::swap(&mut a, &mut b);
    }
    a.extend(b);
    a
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let first = corpus::varied::<f64>(n * m, 1);
        let last = heat(&first, n, m, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &last);
    }
}
