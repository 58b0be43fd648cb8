//! Kernels of single statements, one launch for each step: the same bytes as the reference.

mod support;

use hexpass_poly::kernel::build::direct;
use hexpass_poly::kernel::interp::{self, reference};
use hexpass_poly::kernel::ir::KernelProgram;
use hexpass_poly::problem::Problem;
use hexpass_poly::schedule::overlapped::plan::direct_plan;
use support::{memory, problems, sizes};

fn program(problem: &Problem) -> KernelProgram {
    let (kernels, launches) = direct::kernels(problem, 0).unwrap();
    let plan = direct_plan(&launches);
    KernelProgram::new(kernels, plan)
}

#[test]
fn every_problem() {
    for (name, problem) in problems::all().into_iter().chain([("edges3d", problems::edges3d())]) {
        let program = program(&problem);
        program.verify(&problem.stencil).unwrap();
        let extents: &[&[i64]] = match problem.dims() {
            1 => &[&[1], &[3], &[40], &[521]],
            2 => &[&[3, 3], &[2, 40], &[37, 131]],
            _ => &[&[3, 3, 3], &[17, 11, 70]],
        };
        for extents in extents {
            for steps in [0, 1, 2, 5] {
                let ints = [&[steps], *extents].concat();
                let sizes = sizes(&problem.stencil, &ints);
                let mut expected = memory(&problem.stencil, &ints);
                let mut found = expected.clone();
                reference::run(&problem.stencil, &sizes, &mut expected).unwrap();
                interp::run(&program, &problem.stencil, &sizes, &mut found, 5)
                    .unwrap_or_else(|e| panic!("{name} {ints:?}: {e}"));
                assert!(found == expected, "{name} {ints:?}");
            }
        }
    }
}
