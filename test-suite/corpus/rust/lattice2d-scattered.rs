//! Lattice Boltzmann whose populations are added up where they arrive: at the neighbour, or, where that is a wall, back at
//! the point that they come from.

mod corpus;

#[inline(never)]
fn flow(read: &mut Vec<[f32; 9]>, write: &mut Vec<[f32; 9]>, walls: &[bool], n: usize, m: usize, steps: usize) {
    for _ in 0..steps {
        for cell in read.iter_mut() {
            let density: f32 = cell.iter().sum();
            for q in cell.iter_mut() {
                *q += 1.8 * (density / 9.0 - *q);
            }
        }
        write.fill([0.0; 9]);
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                if walls[i * m + j] {
                    continue;
                }
                for a in -1i32..=1 {
                    for b in -1i32..=1 {
                        let to = (i as i32 + a) as usize * m + (j as i32 + b) as usize;
                        let q = (b + 1 + 3 * (a + 1)) as usize;
                        if walls[to] {
                            write[i * m + j][8 - q] += read[i * m + j][q];
                        } else {
                            write[to][q] += read[i * m + j][q];
                        }
                    }
                }
            }
        }
        std::mem::swap(read, write);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let values = corpus::varied::<f32>(n * m * 9, 1);
        let mut read: Vec<[f32; 9]> = values.chunks_exact(9).map(|c| c.try_into().unwrap()).collect();
        let mut write = read.clone();
        let walls: Vec<bool> = (0..n * m)
            .map(|p| p / m == 0 || p / m == n - 1 || p % m == 0 || p % m == m - 1 || p % 13 == 5)
            .collect();
        flow(&mut read, &mut write, &walls, n, m, case.steps as usize);
        output.case(&case);
        output.array("read", 0, read.as_flattened());
        output.array("write", 0, write.as_flattened());
    }
}
