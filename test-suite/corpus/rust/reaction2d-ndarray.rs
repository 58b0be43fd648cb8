//! Two substances that spread and react, in a structure of four of ndarray's arrays with a method for a step.

mod corpus;

use ndarray::Array2;

struct Dish {
    u: Array2<f64>,
    v: Array2<f64>,
    next_u: Array2<f64>,
    next_v: Array2<f64>,
}

fn laplacian(a: &Array2<f64>, i: usize, j: usize) -> f64 {
    a[[i - 1, j]] + a[[i + 1, j]] + a[[i, j - 1]] + a[[i, j + 1]] - 4.0 * a[[i, j]]
}

impl Dish {
    fn step(&mut self, feed: f64, kill: f64) {
        let (rows, columns) = self.u.dim();
        for i in 1..rows - 1 {
            for j in 1..columns - 1 {
                let (u, v) = (self.u[[i, j]], self.v[[i, j]]);
                let eaten = u * v * v;
                self.next_u[[i, j]] =
                    u + 0.16 * laplacian(&self.u, i, j) - eaten + feed * (1.0 - u);
                self.next_v[[i, j]] =
                    v + 0.08 * laplacian(&self.v, i, j) + eaten - (feed + kill) * v;
            }
        }
        std::mem::swap(&mut self.u, &mut self.next_u);
        std::mem::swap(&mut self.v, &mut self.next_v);
    }

    #[inline(never)]
    fn run(&mut self, steps: i32) {
        for _ in 0..steps {
            self.step(0.035, 0.065);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let field = |seed| Array2::from_shape_vec((n, m), corpus::varied(n * m, seed)).unwrap();
        let mut dish = Dish { u: field(1), v: field(2), next_u: field(3), next_v: field(4) };
        dish.run(case.steps);
        output.case(&case);
        output.array("u", 0, dish.u.as_slice().unwrap());
        output.array("v", 0, dish.v.as_slice().unwrap());
        output.array("next_u", 0, dish.next_u.as_slice().unwrap());
        output.array("next_v", 0, dish.next_v.as_slice().unwrap());
    }
}
