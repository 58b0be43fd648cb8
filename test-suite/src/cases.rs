//! The sizes and step counts that a program is run on.

use std::fmt;

use crate::table::Program;

/// One call of the program's main function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub sizes: [i32; 3],
    pub steps: i32,
}

/// As on a program's command line.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.sizes;
        write!(f, "{x}x{y}x{z}:{}", self.steps)
    }
}

/// Many small cases: empty, negative, prime, smaller than a tile, longer in one direction than in another.
pub fn small(program: &Program) -> Vec<Case> {
    select(program, [SMALL_1D, SMALL_2D, SMALL_3D][program.dims - 1])
}

/// A few cases of many tiles each.
pub fn large(program: &Program) -> Vec<Case> {
    select(program, [LARGE_1D, LARGE_2D, LARGE_3D][program.dims - 1])
}

fn select(program: &Program, cases: &[[i32; 4]]) -> Vec<Case> {
    cases
        .iter()
        .map(|&[x, y, z, steps]| Case { sizes: [x, y, z], steps })
        .filter(|case| {
            let sizes = &case.sizes[..program.dims];
            sizes.iter().all(|n| (program.least..=program.most).contains(n))
                && (case.steps >= 0 || program.negative_steps)
        })
        .collect()
}

const SMALL_1D: &[[i32; 4]] = &[
    [100, 1, 1, 0],
    [100, 1, 1, -1],
    [-5, 1, 1, 4],
    [0, 1, 1, 3],
    [1, 1, 1, 3],
    [2, 1, 1, 3],
    [3, 1, 1, 1],
    [3, 1, 1, 10],
    [4, 1, 1, 2],
    [5, 1, 1, 17],
    [6, 1, 1, 5],
    [7, 1, 1, 40],
    [8, 1, 1, 3],
    [9, 1, 1, 2],
    [10, 1, 1, 1],
    [13, 1, 1, 13],
    [16, 1, 1, 100],
    [17, 1, 1, 4],
    [31, 1, 1, 7],
    [32, 1, 1, 8],
    [33, 1, 1, 9],
    [64, 1, 1, 64],
    [97, 1, 1, 31],
    [100, 1, 1, 5],
    [127, 1, 1, 2],
    [128, 1, 1, 33],
    [129, 1, 1, 61],
    [257, 1, 1, 12],
    [500, 1, 1, 500],
    [1000, 1, 1, 6],
    [1009, 1, 1, 101],
    [4099, 1, 1, 37],
];

const LARGE_1D: &[[i32; 4]] = &[[100_003, 1, 1, 150], [65_536, 1, 1, 64]];

const SMALL_2D: &[[i32; 4]] = &[
    [40, 40, 1, 0],
    [40, 30, 1, -3],
    [-5, 20, 1, 4],
    [20, -1, 1, 2],
    [0, 0, 1, 3],
    [0, 7, 1, 2],
    [7, 0, 1, 2],
    [1, 1, 1, 3],
    [1, 9, 1, 2],
    [2, 2, 1, 4],
    [3, 3, 1, 1],
    [3, 3, 1, 12],
    [3, 40, 1, 9],
    [40, 3, 1, 9],
    [4, 4, 1, 7],
    [5, 4, 1, 2],
    [6, 7, 1, 3],
    [7, 7, 1, 29],
    [8, 8, 1, 5],
    [9, 11, 1, 1],
    [10, 100, 1, 6],
    [100, 10, 1, 6],
    [13, 17, 1, 13],
    [16, 16, 1, 16],
    [17, 33, 1, 11],
    [31, 37, 1, 2],
    [32, 32, 1, 50],
    [33, 65, 1, 3],
    [64, 130, 1, 8],
    [97, 29, 1, 23],
    [128, 19, 1, 41],
    [143, 131, 1, 19],
];

const LARGE_2D: &[[i32; 4]] = &[[517, 601, 1, 43], [1200, 250, 1, 10]];

const SMALL_3D: &[[i32; 4]] = &[
    [12, 12, 12, 0],
    [12, 10, 11, -2],
    [-3, 8, 8, 3],
    [8, 8, -3, 3],
    [0, 0, 0, 2],
    [6, 0, 6, 2],
    [1, 1, 1, 3],
    [2, 2, 2, 2],
    [3, 3, 3, 1],
    [3, 3, 3, 10],
    [3, 12, 5, 4],
    [12, 3, 5, 4],
    [5, 12, 3, 4],
    [4, 4, 4, 6],
    [5, 6, 7, 2],
    [7, 7, 7, 17],
    [8, 8, 8, 3],
    [9, 10, 35, 5],
    [35, 9, 10, 5],
    [10, 35, 9, 5],
    [11, 13, 17, 7],
    [16, 16, 16, 8],
    [20, 20, 20, 1],
    [24, 21, 33, 11],
    [29, 31, 23, 2],
];

const LARGE_3D: &[[i32; 4]] = &[[75, 61, 90, 13], [40, 120, 70, 5]];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::PROGRAMS;

    #[test]
    fn every_program_has_cases_with_and_without_work() {
        for program in PROGRAMS {
            let cases = small(program);
            let sizes = |c: &Case| c.sizes[..program.dims].to_vec();
            assert!(cases.iter().any(|c| c.steps == 0), "{}: no steps", program.name);
            assert!(cases.len() >= 15, "{}: {} cases", program.name, cases.len());
            assert!(
                cases.iter().any(|c| c.steps > 10 && sizes(c).iter().all(|&n| n > 10)),
                "{}: nothing but tiny cases",
                program.name
            );
        }
    }
}
