//! The front half, from facts to the cone, on nests as scientists write them.

mod common;

use common::nest;
use hexpass_poly::deps::DependenceKind;
use hexpass_poly::problem::{Problem, analyse};
use hexpass_poly::rejection::{Reason, Rejection};
use hexpass_poly::stencil::Statement;
use hexpass_poly::text::Names;
use pretty_assertions::assert_eq;
use std::time::{Duration, Instant};

macro_rules! nests {
    ($($name:ident = $file:literal;)+) => { $(
        const $name: &str = include_str!(concat!("nests/", $file, ".nest"));
    )+
        const ALL: &[(&str, &str)] = &[$(($file, $name),)+];
    };
}

nests! {
    JACOBI_1D = "jacobi1d-swap";
    JACOBI_2D = "jacobi2d-swap";
    JACOBI_2D_COPY = "jacobi2d-copy";
    JACOBI_2D_STATIC = "jacobi2d-parity-static";
    JACOBI_3D = "jacobi3d-swap";
    BOX_3D = "box3d27-swap";
    FDTD = "fdtd2d-static";
    WAVE = "wave2d-mod3";
    MEMCPY = "memcpy-rows";
    PADDED = "vla-ld-boundary";
    COLUMNS = "boundary-columns";
    SEIDEL = "gauss-seidel";
    BROADCAST = "broadcast";
    ODD = "transposed-reversed";
    PLANES = "planes";
    FUSED = "fused";
}

fn problem(text: &str) -> Problem {
    analyse(&nest(text)).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(text: &str) -> Rejection {
    analyse(&nest(text)).expect_err("a refusal")
}

/// The cone as `δ0 δ1` of each dimension.
fn cone(p: &Problem) -> Vec<String> {
    p.cone().delta.iter().map(|(a, b)| format!("{a} {b}")).collect()
}

fn boxes(p: &Problem) -> Vec<String> {
    let names = Names::new(&p.stencil.ints);
    let one = |s: &Statement| {
        let dims = s.lo.iter().zip(&s.hi);
        let all: Vec<String> =
            dims.map(|(lo, hi)| format!("{}..{}", names.expr(lo), names.expr(hi))).collect();
        all.join(" x ")
    };
    p.stencil.statements.iter().map(one).collect()
}

#[test]
fn cones_by_hand() {
    assert_eq!(cone(&problem(JACOBI_1D)), ["1 1"]);
    assert_eq!(cone(&problem(JACOBI_2D)), ["1 1", "1 1"]);
    assert_eq!(cone(&problem(JACOBI_2D_STATIC)), ["1 1", "1 1"]);
    assert_eq!(cone(&problem(JACOBI_3D)), ["1 1", "1 1", "1 1"]);
    assert_eq!(cone(&problem(BOX_3D)), ["1 1", "1 1", "1 1"]);
    assert_eq!(cone(&problem(JACOBI_2D_COPY)), ["1 1", "1 1"]);
    assert_eq!(cone(&problem(MEMCPY)), ["1 1", "1 1"]);
    assert_eq!(cone(&problem(WAVE)), ["1 1", "1 1"]);
}

#[test]
fn time_it() {
    for (name, text) in ALL {
        let facts = nest(text);
        let mut took = Duration::MAX;
        let mut result = analyse(&facts);
        for _ in 0..5 {
            let start = Instant::now();
            result = analyse(&facts);
            took = took.min(start.elapsed());
        }
        match result {
            Ok(p) => println!("{name:24} {took:?} {:?} {:?}", cone(&p), boxes(&p)),
            Err(e) => println!("{name:24} {took:?} {e}"),
        }
    }
}
