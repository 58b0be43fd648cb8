//! Neighbours by a table of offsets that is gone through by reference, in rows that are vectors of their own.

mod corpus;

const AROUND: [(isize, isize); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

fn next(cells: &Vec<Vec<u8>>, other: &mut Vec<Vec<u8>>, n: usize, m: usize) {
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            let mut alive = 0u8;
            for &(di, dj) in AROUND.iter() {
                let (a, b) = ((i as isize + di) as usize, (j as isize + dj) as usize);
                alive = alive.wrapping_add(cells[a][b]);
            }
            other[i][j] = match (cells[i][j], alive) {
                (1, 2) | (_, 3) => 1,
                _ => 0,
            };
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let values = corpus::varied::<u8>(n * m, 1);
        let mut cells: Vec<Vec<u8>> =
            values.chunks(m).map(|row| row.iter().map(|x| x & 1).collect()).collect();
        let mut other = cells.clone();
        for _ in 0..case.steps {
            next(&cells, &mut other, n, m);
            std::mem::swap(&mut cells, &mut other);
        }
        output.case(&case);
        output.array("cells", 0, &cells.concat());
        output.array("other", 0, &other.concat());
    }
}
