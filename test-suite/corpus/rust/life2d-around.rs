//! Cells of a torus in rows that are vectors of their own: neighbours by a table of offsets and remainders. A row of the
//! one grid is looked up by its own number under a condition only.

mod corpus;

const AROUND: [(isize, isize); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

fn next(cells: &Vec<Vec<u8>>, other: &mut Vec<Vec<u8>>) {
    let (n, m) = (cells.len() as isize, cells[0].len() as isize);
    for i in 0..n {
        for j in 0..m {
            let mut alive = 0u8;
            for &(di, dj) in AROUND.iter() {
                let (a, b) = ((i + di + n) % n, (j + dj + m) % m);
                alive = alive.wrapping_add(cells[a as usize][b as usize]);
            }
            let (i, j) = (i as usize, j as usize);
            other[i][j] = if alive == 3 || (alive == 2 && cells[i][j] == 1) { 1 } else { 0 };
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
            next(&cells, &mut other);
            std::mem::swap(&mut cells, &mut other);
        }
        output.case(&case);
        output.array("cells", 0, &cells.concat());
        output.array("other", 0, &other.concat());
    }
}
