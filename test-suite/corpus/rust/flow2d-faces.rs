//! Cells exchange what flows through the faces between them, `0..=n` of them in a row of `n` cells; indices are 32 bits wide.

mod corpus;

struct Plate {
    rows: i32,
    columns: i32,
    heat: Vec<f64>,
    across: Vec<f64>,
    along: Vec<f64>,
}

impl Plate {
    fn cell(&self, i: i32, j: i32) -> usize {
        ((i + 1) * (self.columns + 2) + j + 1) as usize
    }
}

#[inline(never)]
fn flow(p: &mut Plate, steps: i32) {
    let width = (p.columns + 2) as usize;
    for _ in 0..steps {
        for i in 0..=p.rows {
            for j in 0..=p.columns {
                let at = p.cell(i, j);
                p.across[at] = p.heat[at - width] - p.heat[at];
                p.along[at] = p.heat[at - 1] - p.heat[at];
            }
        }
        for i in 0..=p.rows - 1 {
            for j in 0..=p.columns - 1 {
                let at = p.cell(i, j);
                p.heat[at] += 0.125
                    * (p.across[at] - p.across[at + width] + p.along[at] - p.along[at + 1]);
            }
        }
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let all = (case.nx * case.ny) as usize;
        let mut p = Plate {
            rows: case.nx - 2,
            columns: case.ny - 2,
            heat: corpus::varied(all, 1),
            across: corpus::varied(all, 2),
            along: corpus::varied(all, 3),
        };
        flow(&mut p, case.steps);
        output.case(&case);
        output.array("heat", 0, &p.heat);
        output.array("across", 0, &p.across);
        output.array("along", 0, &p.along);
    }
}
