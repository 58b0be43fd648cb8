//! Cells of a kind each, in rows of their own, which a method goes through: only fluid has neighbours.

mod corpus;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Wall,
    Fluid,
}

struct Field {
    n: usize,
    m: usize,
    now: Vec<Vec<f64>>,
    next: Vec<Vec<f64>>,
    kind: Vec<Vec<Kind>>,
}

impl Field {
    fn step(&mut self) {
        for i in 0..self.n {
            for j in 0..self.m {
                if self.kind[i][j] == Kind::Wall {
                    continue;
                }
                let around = self.now[i - 1][j] + self.now[i + 1][j] + self.now[i][j - 1] + self.now[i][j + 1];
                self.next[i][j] = self.now[i][j] + 0.125 * (around - 4.0 * self.now[i][j]);
            }
        }
        std::mem::swap(&mut self.now, &mut self.next);
    }
}

#[inline(never)]
fn heat(field: &mut Field, steps: usize) {
    for _ in 0..steps {
        field.step();
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let first = corpus::varied::<f64>(n * m, 1);
        let kind = |i: usize, j: usize| match i == 0 || j == 0 || i == n - 1 || j == m - 1 || (7 * i + 3 * j) % 11 == 0 {
            true => Kind::Wall,
            false => Kind::Fluid,
        };
        let now: Vec<Vec<f64>> = (0..n).map(|i| first[i * m..(i + 1) * m].to_vec()).collect();
        let kind = (0..n).map(|i| (0..m).map(|j| kind(i, j)).collect()).collect();
        let mut field = Field { n, m, next: now.clone(), now, kind };
        heat(&mut field, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &field.now.concat());
        output.array("v", 0, &field.next.concat());
    }
}
