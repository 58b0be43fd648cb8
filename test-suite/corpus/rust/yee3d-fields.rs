//! Maxwell's equations in three dimensions: six fields in place, each from the differences of two others.

mod corpus;

struct Field {
    values: Vec<f32>,
    ny: usize,
    nz: usize,
}

impl Field {
    fn at(&self, i: usize, j: usize, k: usize) -> f32 {
        self.values[(i * self.ny + j) * self.nz + k]
    }

    fn add(&mut self, i: usize, j: usize, k: usize, by: f32) {
        self.values[(i * self.ny + j) * self.nz + k] += by;
    }
}

type Fields = [Field; 3];

fn magnetic(h: &mut Fields, e: &Fields, (nx, ny, nz): (usize, usize, usize)) {
    for i in 0..nx - 1 {
        for j in 0..ny - 1 {
            for k in 0..nz - 1 {
                let at = |f: usize| e[f].at(i, j, k);
                h[0].add(i, j, k, 0.3 * (e[1].at(i, j, k + 1) - at(1) - e[2].at(i, j + 1, k) + at(2)));
                h[1].add(i, j, k, 0.3 * (e[2].at(i + 1, j, k) - at(2) - e[0].at(i, j, k + 1) + at(0)));
                h[2].add(i, j, k, 0.3 * (e[0].at(i, j + 1, k) - at(0) - e[1].at(i + 1, j, k) + at(1)));
            }
        }
    }
}

fn electric(e: &mut Fields, h: &Fields, (nx, ny, nz): (usize, usize, usize)) {
    for i in 1..nx - 1 {
        for j in 1..ny - 1 {
            for k in 1..nz - 1 {
                let at = |f: usize| h[f].at(i, j, k);
                e[0].add(i, j, k, 0.3 * (at(2) - h[2].at(i, j - 1, k) - at(1) + h[1].at(i, j, k - 1)));
                e[1].add(i, j, k, 0.3 * (at(0) - h[0].at(i, j, k - 1) - at(2) + h[2].at(i - 1, j, k)));
                e[2].add(i, j, k, 0.3 * (at(1) - h[1].at(i - 1, j, k) - at(0) + h[0].at(i, j - 1, k)));
            }
        }
    }
}

#[inline(never)]
fn run(e: &mut Fields, h: &mut Fields, size: (usize, usize, usize), steps: usize) {
    for _ in 0..steps {
        magnetic(h, e, size);
        electric(e, h, size);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let size @ (nx, ny, nz) = (case.nx as usize, case.ny as usize, case.nz as usize);
        let field = |seed| Field { values: corpus::varied(nx * ny * nz, seed), ny, nz };
        let (mut e, mut h) = ([1, 2, 3].map(field), [4, 5, 6].map(field));
        run(&mut e, &mut h, size, case.steps as usize);
        output.case(&case);
        for (name, field) in ["ex", "ey", "ez", "hx", "hy", "hz"].iter().zip(e.iter().chain(&h)) {
            output.array(name, 0, &field.values);
        }
    }
}
