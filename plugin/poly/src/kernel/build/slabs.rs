//! The kernels of statements on the CPU, each a launch of its own: a block is a slab of planes of some width, which one thread
//! walks row by row.

use super::{Draft, direct, is_thin};
use crate::kernel::ir::{IExpr, Kernel, LoopKind, Node, Style};
use crate::problem::Problem;
use crate::schedule::overlapped::Start;
use crate::schedule::overlapped::plan::{Launch, blocks_over};
use hexpass_abi::{KernelCost, PlanExpr};

/// How to launch each statement.
pub fn launches(problem: &Problem, width: i64) -> Vec<Launch> {
    let one = |(i, s)| {
        let blocks = match is_thin(s, 0) {
            true => PlanExpr::Const(1),
            false => blocks_over(0, PlanExpr::Const(width), Start::ANY),
        };
        let blocks = hexpass_abi::plan::in_a_row(blocks);
        Launch { kernel: i as u16, blocks, args: Vec::new() }
    };
    problem.stencil.statements.iter().enumerate().map(one).collect()
}

/// The kernel of each statement.
pub fn kernels(problem: &Problem, width: i64) -> Vec<Kernel> {
    (0..problem.stencil.statements.len()).map(|i| kernel(problem, i, width)).collect()
}

fn kernel(problem: &Problem, statement: usize, width: i64) -> Kernel {
    let mut draft = Draft::new(&problem.stencil);
    let dims = draft.dims();
    let vars: Vec<u16> = (0..dims).map(|_| draft.var()).collect();
    let coords: Vec<IExpr> = vars.iter().map(|&v| IExpr::Var(v)).collect();
    let s = &problem.stencil.statements[statement];
    let mut body = vec![direct::instance(&mut draft, s, statement, &coords)];
    for d in (0..dims).rev() {
        let mut lo = draft.statement_lo(statement, d);
        let mut hi = draft.statement_hi(statement, d);
        if d == 0 && !is_thin(s, 0) {
            lo = lo.plus(IExpr::Block(0).times(width));
            hi = lo.clone().plus(IExpr::Const(width - 1)).lesser(hi);
        }
        let kind = if d + 1 == dims { LoopKind::Lanes } else { LoopKind::Sequential };
        body = vec![Node::For { var: vars[d], lo, hi, step: 1, kind, body }];
    }
    let (params, vars) = draft.finish();
    Kernel {
        name: format!("spatial_{statement}"),
        threads: [1, 1, 1],
        style: Style::Block,
        shared: Vec::new(),
        registers: Vec::new(),
        params,
        pieces: Vec::new(),
        vars,
        body,
        general: false,
        round: Vec::new(),
        folds: None,
        cost: KernelCost::default(),
    }
}
