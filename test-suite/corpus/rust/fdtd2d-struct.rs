//! FDTD: three fields of a structure, updated in place, and a source along an edge.

mod corpus;

struct Fdtd {
    n: usize,
    m: usize,
    ex: Vec<f32>,
    ey: Vec<f32>,
    hz: Vec<f32>,
}

impl Fdtd {
    fn at(&self, i: usize, j: usize) -> usize {
        i * self.m + j
    }

    fn step(&mut self, t: usize) {
        for j in 0..self.m {
            let p = self.at(0, j);
            self.ey[p] = t as f32;
        }
        for i in 1..self.n {
            for j in 0..self.m {
                let p = self.at(i, j);
                self.ey[p] -= 0.5 * (self.hz[p] - self.hz[p - self.m]);
            }
        }
        for i in 0..self.n {
            for j in 1..self.m {
                let p = self.at(i, j);
                self.ex[p] -= 0.5 * (self.hz[p] - self.hz[p - 1]);
            }
        }
        for i in 0..self.n - 1 {
            for j in 0..self.m - 1 {
                let p = self.at(i, j);
                self.hz[p] -= 0.7 * (self.ex[p + 1] - self.ex[p] + self.ey[p + self.m] - self.ey[p]);
            }
        }
    }

    #[inline(never)]
    fn run(&mut self, steps: usize) {
        for t in 0..steps {
            self.step(t);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let (ex, ey, hz) = (corpus::varied(n * m, 1), corpus::varied(n * m, 2), corpus::varied(n * m, 3));
        let mut fdtd = Fdtd { n, m, ex, ey, hz };
        fdtd.run(case.steps as usize);
        output.case(&case);
        output.array("ex", 0, &fdtd.ex);
        output.array("ey", 0, &fdtd.ey);
        output.array("hz", 0, &fdtd.hz);
    }
}
