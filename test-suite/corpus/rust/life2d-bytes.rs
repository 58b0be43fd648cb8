//! Life on bytes in two vectors, the border clamped, swapped.

mod corpus;

#[inline(never)]
fn live(world: &mut Vec<u8>, next: &mut Vec<u8>, n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for i in 0..n {
            for j in 0..m {
                let mut count = 0;
                for di in -1i64..=1 {
                    for dj in -1i64..=1 {
                        let (x, y) = (i as i64 + di, j as i64 + dj);
                        if (di, dj) != (0, 0) && x >= 0 && x < n as i64 && y >= 0 && y < m as i64 {
                            count += world[x as usize * m + y as usize];
                        }
                    }
                }
                next[i * m + j] = u8::from(count == 3 || count == 2 && world[i * m + j] == 1);
            }
        }
        std::mem::swap(world, next);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut world: Vec<u8> = corpus::varied::<f64>(n * m, 1).iter().map(|&x| u8::from(x > 0.1)).collect();
        let mut next = vec![0; n * m];
        live(&mut world, &mut next, n, m, case.steps as usize);
        let shown = |world: &[u8]| -> Vec<f64> { world.iter().map(|&x| f64::from(x)).collect() };
        output.case(&case);
        output.array("world", 0, &shown(&world));
        output.array("next", 0, &shown(&next));
    }
}
