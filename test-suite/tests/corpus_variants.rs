//! Some programs of the corpus under other flags and with other tiles.

use hexpass_test_suite::cases;
use hexpass_test_suite::check::{Pair, variants};
use hexpass_test_suite::dump::Equality::{Bits, Within};
use hexpass_test_suite::table::Program;
use hexpass_test_suite::toolchain::Flags;
use tempfile::TempDir;

const ASSORTED: [&str; 8] = [
    "jacobi1d3_swap",
    "jacobi2d5_callee",
    "jacobi2d5_vla_copyback",
    "heat2d9_vla_parity",
    "fdtd2d_struct",
    "wave2d_rotate",
    "gradient2d_swap",
    "heat3d7_swap",
];

fn assorted(words: &[&str]) {
    variants(&ASSORTED, &Flags::of(words), Bits);
}

#[test]
fn little_optimisation() {
    assorted(&["-O1", "-fno-math-errno"]);
}

#[test]
fn much_optimisation() {
    assorted(&["-O3", "-fno-math-errno"]);
}

/// Multiply-adds fuse, on every device alike.
#[test]
fn fused_multiply_add() {
    if std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2") {
        assorted(&["-O2", "-march=x86-64-v3", "-fno-math-errno"]);
    }
}

/// flang lets every operation contract: what fuses is what x86 would have fused.
#[test]
fn fortran_contracts() {
    if std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2") {
        let names = ["heat2d_copyback_f90", "heat3d7_copyback_f90", "jacobi2d_there_and_back_f90"];
        variants(&names, &Flags::of(&["-O2", "-march=x86-64-v3"]), Bits);
    }
}

/// At -O3 flang makes two versions of loops over assumed-shape arrays: one for elements that lie side by side.
#[test]
fn fortran_versions() {
    variants(&["heat2d_assumed_f90", "heat2d_copyback_f90"], &Flags::of(&["-O3"]), Bits);
}

/// Plain multiplies and adds only.
#[test]
fn no_contraction() {
    if std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2") {
        assorted(&["-O2", "-march=x86-64-v3", "-ffp-contract=off", "-fno-math-errno"]);
    }
}

/// Position-independent, without debug information, warnings as errors: nothing of ours is in the way.
#[test]
fn other_common_flags() {
    let flags = ["-O2", "-g0", "-fPIC", "-std=c11", "-Wall", "-Werror", "-fno-math-errno"];
    variants(&["jacobi2d5_swap"], &Flags::of(&flags), Bits);
}

/// Sums may be reordered: the answers agree up to rounding.
#[test]
fn fast_math() {
    variants(&["heat2d9_vla_parity"], &Flags::of(&["-O2", "-ffast-math"]), Within(1e-9));
}

/// Devices have functions of their own where the library's bits are not wanted.
#[test]
fn fast_functions() {
    variants(&["sine_gordon1d"], &Flags::of(&["-O2", "-ffast-math"]), Within(1e-9));
    variants(&["diffusion2d_edges"], &Flags::of(&["-O2", "-ffast-math"]), Within(1e-4));
}

#[test]
fn tiles_1d() {
    for tile in ["h=1,w0=4", "h=2,w0=3", "h=3,w0=16", "h=7,w0=40"] {
        tiled(&["jacobi1d3_swap"], tile);
    }
    // With two statements a step, h + 1 is even.
    for tile in ["h=1,w0=4", "h=5,w0=3", "h=7,w0=40"] {
        tiled(&["jacobi1d3_static_copyback"], tile);
    }
    tiled(&["jacobi1d7_memcpy"], "h=1,w0=12");
    tiled(&["advection1d_upwind"], "h=2,w0=5");
}

#[test]
fn tiles_2d() {
    for tile in ["h=1,w0=3,w1=8", "h=2,w0=4,w1=32", "h=3,w0=7,w1=16", "h=5,w0=9,w1=33"] {
        tiled(&["jacobi2d5_swap"], tile);
    }
    for tile in ["h=1,w0=3,w1=8", "h=3,w0=7,w1=16", "h=5,w0=9,w1=33"] {
        tiled(&["jacobi2d5_vla_copyback"], tile);
    }
    for tile in ["h=2,w0=5,w1=16", "h=5,w0=8,w1=32"] {
        tiled(&["fdtd2d_struct", "wave2d_rotate"], tile);
    }
    tiled(&["star2d9_radius2"], "h=2,w0=6,w1=16");
}

/// Planes on their way in shared memory: by copies that go on by themselves, and by the loads and stores that older
/// architectures get.
#[test]
fn fetched_planes() {
    for (arch, by_themselves) in [("75", false), ("90", true)] {
        let flags = Flags::of(&["-O2", "-fno-math-errno"])
            .env("HEXPASS_STRATEGY", "streaming")
            .env("HEXPASS_TILE", "b=2,r=4,v=2,w=8")
            .env("HEXPASS_ARCH", arch);
        let program = Program::named("laplacian3d_vla_copyback");
        let folder = TempDir::new().unwrap();
        let pair = Pair::build_into(program, flags, folder.path()).unwrap();
        let object = std::fs::read(folder.path().join("hexpass")).unwrap();
        let copies = object.windows(8).any(|text| text == b"cp.async");
        assert_eq!(copies, by_themselves, "sm_{arch}");
        pair.compare("emulated", &cases::small(program), Bits).unwrap();
    }
}

#[test]
fn tiles_3d() {
    for tile in ["h=1,w0=3,w1=4,w2=8", "h=2,w0=4,w1=3,w2=32", "h=3,w0=5,w1=6,w2=7"] {
        tiled(&["heat3d7_swap"], tile);
    }
}

/// Tiles in registers store what they have loaded, also in a buffer that a single step does not reach.
#[test]
fn buffers_beyond_the_steps() {
    let flags = Flags::of(&["-O2"]).env("HEXPASS_STRATEGY", "hexagonal");
    variants(&["far_side3d_swap"], &flags, Bits);
}

/// Tiles that find in shared memory what the one before has: in place, or moved; more of it than tiles are wide, too.
#[test]
fn reuse_between_tiles() {
    for storage in ["static", "dynamic"] {
        let reuse = |names: &[&str], tile: &str| {
            let flags = Flags::of(&["-O2", "-fno-math-errno"])
                .env("HEXPASS_STRATEGY", "hexagonal")
                .env("HEXPASS_STORAGE", storage)
                .env("HEXPASS_TILE", tile);
            variants(names, &flags, Bits);
        };
        let flat = ["jacobi2d5_swap", "heat2d9_vla_parity", "gradient2d_swap", "star2d9_radius2"];
        reuse(&flat, "h=2,w0=6,w1=32");
        reuse(&["jacobi2d5_swap", "heat2d9_vla_parity"], "h=3,w0=5,w1=6");
        reuse(&["jacobi2d5_vla_copyback"], "h=3,w0=7,w1=16");
        reuse(&["fdtd2d_struct", "wave2d_rotate"], "h=2,w0=5,w1=16");
        reuse(&["heat3d7_swap", "gradient3d_swap"], "h=1,w0=3,w1=4,w2=32");
        reuse(&["heat3d7_swap"], "h=1,w0=3,w1=3,w2=5");
    }
}

fn tiled(names: &[&str], tile: &str) {
    let flags = Flags::of(&["-O2", "-fno-math-errno"]).env("HEXPASS_TILE", tile);
    variants(names, &flags, Bits);
}
