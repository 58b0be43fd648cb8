//! Heat on a plate by a scheme that is chosen behind a trait.

mod corpus;

trait Scheme {
    fn step(&self, u: &[f64], v: &mut [f64], n: usize, m: usize);
}

struct Average;

struct Explicit {
    rate: f64,
}

impl Scheme for Average {
    fn step(&self, u: &[f64], v: &mut [f64], n: usize, m: usize) {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i * m + j] = 0.25
                    * (u[(i - 1) * m + j]
                        + u[(i + 1) * m + j]
                        + u[i * m + j - 1]
                        + u[i * m + j + 1]);
            }
        }
    }
}

impl Scheme for Explicit {
    fn step(&self, u: &[f64], v: &mut [f64], n: usize, m: usize) {
        for i in 1..n - 1 {
            for j in 1..m - 1 {
                v[i * m + j] = u[i * m + j]
                    + self.rate
                        * (u[(i - 1) * m + j]
                            + u[(i + 1) * m + j]
                            + u[i * m + j - 1]
                            + u[i * m + j + 1]
                            - 4.0 * u[i * m + j]);
            }
        }
    }
}

#[inline(never)]
fn heat(
    scheme: &dyn Scheme,
    u: &mut Vec<f64>,
    v: &mut Vec<f64>,
    n: usize,
    m: usize,
    steps: usize,
) {
    for _ in 0..steps {
        scheme.step(u, v, n, m);
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let mut u = corpus::varied::<f64>(n * m, 1);
        let mut v = corpus::varied::<f64>(n * m, 2);
        let schemes: [Box<dyn Scheme>; 2] = [Box::new(Average), Box::new(Explicit { rate: 0.1 })];
        if n > 2 && m > 2 {
            for scheme in &schemes {
                heat(scheme.as_ref(), &mut u, &mut v, n, m, case.steps as usize);
            }
        }
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
