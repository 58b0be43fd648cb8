//! A structure of the program's own that looks like what is handed over to be printed, a place and a way to write what lies
//! there: it changes what it points to, and that is no copy. What is printed beside it may be one.

mod corpus;

use std::fmt::{Display, Formatter, Result};

struct Doubled {
    place: *mut f64,
    way: fn(&f64, &mut Formatter) -> Result,
}

impl Display for Doubled {
    fn fmt(&self, f: &mut Formatter) -> Result {
        // SAFETY: the variable is there for as long as this is.
        unsafe {
            *self.place *= 2.0;
            (self.way)(&*self.place, f)
        }
    }
}

#[inline(never)]
fn halve(of: &Doubled) {
    // SAFETY: as above.
    unsafe { *of.place *= 0.5 }
}

#[inline(never)]
fn smooth(u: &mut Vec<f64>, v: &mut Vec<f64>, n: usize, steps: usize) -> f64 {
    let mut all = 1.0;
    for _ in 0..steps {
        for i in 1..n - 1 {
            v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
        }
        std::mem::swap(u, v);
        let shown = Doubled { place: &mut all, way: <f64 as Display>::fmt };
        halve(&shown);
        println!("{shown} {}", u[n / 2]);
        all += u[0];
    }
    println!("{all}");
    all
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let n = case.nx as usize;
        let mut u = corpus::varied::<f64>(n, 1);
        let mut v = corpus::varied::<f64>(n, 2);
        let all = smooth(&mut u, &mut v, n, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
        output.array("all", 0, &[all]);
    }
}
