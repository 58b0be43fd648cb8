//! Shallow water in cells that are structures; the time step by the fastest wave; walls by copies of whole cells.

mod corpus;

#[derive(Clone, Copy)]
struct State {
    h: f64,
    hu: f64,
    hv: f64,
}

const GRAVITY: f64 = 9.81;

fn along_x(s: State) -> State {
    let u = s.hu / s.h;
    State { h: s.hu, hu: s.hu * u + 0.5 * GRAVITY * s.h * s.h, hv: s.hv * u }
}

fn along_y(s: State) -> State {
    let v = s.hv / s.h;
    State { h: s.hv, hu: s.hu * v, hv: s.hv * v + 0.5 * GRAVITY * s.h * s.h }
}

fn walls(q: &mut [State], n: usize, m: usize) {
    for j in 0..m {
        q[j] = q[m + j];
        q[j].hu = -q[j].hu;
        q[(n - 1) * m + j] = q[(n - 2) * m + j];
        q[(n - 1) * m + j].hu = -q[(n - 1) * m + j].hu;
    }
    for i in 0..n {
        q[i * m] = q[i * m + 1];
        q[i * m].hv = -q[i * m].hv;
        q[i * m + m - 1] = q[i * m + m - 2];
        q[i * m + m - 1].hv = -q[i * m + m - 1].hv;
    }
}

fn fastest(q: &[State]) -> f64 {
    q.iter().map(|s| (s.hu / s.h).abs().max((s.hv / s.h).abs()) + (GRAVITY * s.h).sqrt()).fold(0.0, f64::max)
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (n, m) = (case.nx as usize, case.ny as usize);
        let (h, u): (Vec<f64>, Vec<f64>) = (corpus::varied(n * m, 1), corpus::varied(n * m, 2));
        let moderate = |x: f64| x.clamp(-1.0, 1.0);
        let mut q: Vec<State> = h
            .iter()
            .zip(&u)
            .map(|(&h, &u)| State { h: 2.0 + moderate(h), hu: 0.1 * moderate(u), hv: -0.2 * moderate(u) })
            .collect();
        let mut next = q.clone();
        let mut time = 0.0;
        for _ in 0..case.steps {
            let dt = 0.4 / fastest(&q);
            let l = 0.5 * dt;
            for i in 1..n - 1 {
                for j in 1..m - 1 {
                    let p = i * m + j;
                    let (e, w, o, s) = (q[p + m], q[p - m], q[p + 1], q[p - 1]);
                    let (fe, fw, go, gs) = (along_x(e), along_x(w), along_y(o), along_y(s));
                    next[p] = State {
                        h: 0.25 * (e.h + w.h + o.h + s.h) - l * (fe.h - fw.h + go.h - gs.h),
                        hu: 0.25 * (e.hu + w.hu + o.hu + s.hu) - l * (fe.hu - fw.hu + go.hu - gs.hu),
                        hv: 0.25 * (e.hv + w.hv + o.hv + s.hv) - l * (fe.hv - fw.hv + go.hv - gs.hv),
                    };
                }
            }
            walls(&mut next, n, m);
            std::mem::swap(&mut q, &mut next);
            time += dt;
        }
        output.case(&case);
        let all: Vec<f64> = q.iter().flat_map(|s| [s.h, s.hu, s.hv]).collect();
        output.array("q", 0, &all);
        output.array("time", 0, &[time]);
    }
}
