//! A string whose ends are fixed, free or joined, in a structure that a study makes anew for each of them.

mod corpus;

#[derive(Clone, Copy)]
enum Ends {
    Fixed,
    Free,
    Joined,
}

struct Wave {
    u: Vec<f64>,
    u1: Vec<f64>,
    u2: Vec<f64>,
    speed: f64,
    dx: f64,
    dt: f64,
    ends: Ends,
}

impl Wave {
    fn step(&mut self) {
        let n = self.u.len();
        let r = (self.speed * self.dt / self.dx).powi(2);
        for i in 1..n - 1 {
            self.u[i] =
                2.0 * self.u1[i] - self.u2[i] + r * (self.u1[i + 1] - 2.0 * self.u1[i] + self.u1[i - 1]);
        }
        match self.ends {
            Ends::Fixed => {
                self.u[0] = 0.0;
                self.u[n - 1] = 0.0;
            }
            Ends::Free => {
                self.u[0] = self.u[1];
                self.u[n - 1] = self.u[n - 2];
            }
            Ends::Joined => {
                self.u[0] = self.u[n - 2];
                self.u[n - 1] = self.u[1];
            }
        }
        std::mem::swap(&mut self.u2, &mut self.u1);
        std::mem::swap(&mut self.u1, &mut self.u);
    }
}

#[inline(never)]
fn study(field: &[f64], steps: usize, last: &mut [f64]) {
    let n = field.len();
    for (k, ends) in [Ends::Fixed, Ends::Free, Ends::Joined].into_iter().enumerate() {
        let u = field.to_vec();
        let mut wave =
            Wave { u1: u.clone(), u2: u.clone(), u, speed: 1.0, dx: 0.5, dt: 0.25 / (k + 1) as f64, ends };
        let (mut t, end) = (0.0, steps as f64 * 0.25);
        while t < end {
            wave.step();
            t += wave.dt;
        }
        last[k * n..(k + 1) * n].copy_from_slice(&wave.u1);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = case.nx as usize;
        let field = corpus::varied::<f64>(n, 1);
        let mut last = vec![0.0; 3 * n];
        study(&field, case.steps as usize, &mut last);
        output.case(&case);
        output.array("last", 0, &last);
    }
}
