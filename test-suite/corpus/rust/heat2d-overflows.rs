//! Sums, differences and products of sizes are asked whether they overflow, as all are where rustc is told to.

mod corpus;

fn place(i: usize, j: usize, m: usize) -> usize {
    i.checked_mul(m).and_then(|row| row.checked_add(j)).expect("a place")
}

#[inline(never)]
fn heat(u: &mut Vec<f64>, v: &mut Vec<f64>, n: i32, m: i32, steps: usize) {
    let columns = m as usize;
    for _ in 0..steps {
        for i in 1..n.checked_sub(1).expect("rows") {
            for j in 1..m.checked_sub(1).expect("columns") {
                let at = |di: i32, dj: i32| {
                    let row = i.checked_add(di).expect("a row");
                    let column = j.checked_add(dj).expect("a column");
                    place(row as usize, column as usize, columns)
                };
                v[at(0, 0)] = 0.25 * (u[at(-1, 0)] + u[at(1, 0)] + u[at(0, -1)] + u[at(0, 1)]);
            }
        }
        std::mem::swap(u, v);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let all = (case.nx * case.ny) as usize;
        let mut u = corpus::varied::<f64>(all, 1);
        let mut v = corpus::varied::<f64>(all, 2);
        heat(&mut u, &mut v, case.nx, case.ny, case.steps as usize);
        output.case(&case);
        output.array("u", 0, &u);
        output.array("v", 0, &v);
    }
}
