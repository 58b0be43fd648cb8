//! Two fields of one structure, of fixed and different lengths, one behind the other; the border's last element of the first lies
//! beside the second.

mod corpus;

const N: usize = 300;

#[repr(C)]
struct Wave {
    electric: [f64; N],
    magnetic: [f64; N - 1],
}

#[inline(never)]
fn travel(wave: &mut Wave, steps: usize) {
    for _ in 0..steps {
        let (e, h) = (&mut wave.electric, &mut wave.magnetic);
        for i in 1..N - 1 {
            e[i] += 0.5 * (h[i] - h[i - 1]);
        }
        e[0] = 0.125;
        e[N - 1] = 0.25;
        for i in 0..N - 1 {
            h[i] += 0.5 * (e[i + 1] - e[i]);
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let all = corpus::varied::<f64>(2 * N, case.nx as u64);
        let mut wave = Box::new(Wave { electric: [0.0; N], magnetic: [0.0; N - 1] });
        wave.electric.copy_from_slice(&all[..N]);
        wave.magnetic.copy_from_slice(&all[N..2 * N - 1]);
        travel(&mut wave, case.steps as usize);
        output.case(&case);
        output.array("electric", 0, &wave.electric);
        output.array("magnetic", 0, &wave.magnetic);
    }
}
