//! How a program is compiled and run: flags that both compilers get, and the devices, strategies and threads under which
//! our build runs.

use super::choice::Choice;
use super::program::Program;
use crate::table::Language;

/// Flags and environment of one trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// For both compilers.
    pub flags: Vec<&'static str>,
    /// Variables that only our compiler looks at.
    pub compile: Vec<(&'static str, &'static str)>,
    /// A strategy of the GPU's kernels to be run beside the one that is chosen, by its place among those that there are.
    pub strategy: usize,
    pub threads: &'static str,
}

impl Setup {
    /// The setup of this seed.
    pub fn of(program: &Program) -> Setup {
        let mut choice = Choice::seeded(program.seed ^ 0xf1a6);
        let flags = match program.language {
            Language::C | Language::Cxx => clang(&mut choice),
            Language::Fortran => flang(&mut choice),
            Language::Rust => rustc(&mut choice),
        };
        let compile = choice.weighted(&[
            (76, None),
            (4, Some(("HEXPASS_STRATEGY", "hexagonal"))),
            (4, Some(("HEXPASS_STRATEGY", "streaming"))),
            (4, Some(("HEXPASS_STRATEGY", "overlapped"))),
            (4, Some(("HEXPASS_STRATEGY", "spatial25d"))),
            (3, Some(("HEXPASS_TILE", TILES[program.dims - 1].0))),
            (3, Some(("HEXPASS_TILE", TILES[program.dims - 1].1))),
        ]);
        let mut compile: Vec<_> = compile.into_iter().collect();
        // One architecture less is much less to compile.
        compile.extend(choice.weighted(&[
            (60, Some(("HEXPASS_ARCH", "90"))),
            (25, Some(("HEXPASS_ARCH", "75"))),
            (15, None),
        ]));
        let strategy = choice.below(12);
        let threads = choice.of(&["2", "3", "5"]);
        Setup { flags, compile, strategy, threads }
    }

    /// The plainest one.
    pub fn plain(language: Language) -> Setup {
        let flags = if language == Language::Rust { vec!["-Copt-level=2"] } else { vec!["-O2"] };
        Setup { flags, compile: Vec::new(), strategy: 0, threads: "2" }
    }
}

fn clang(choice: &mut Choice) -> Vec<&'static str> {
    let mut flags = vec![choice.weighted(&[(20, "-O1"), (40, "-O2"), (40, "-O3")])];
    flags.push("-gline-tables-only");
    if choice.chance(70) {
        flags.push("-fno-math-errno");
    }
    if choice.chance(35) && has_fma() {
        flags.push("-march=x86-64-v3");
    }
    if choice.chance(8) {
        flags.push("-ffp-contract=off");
    }
    if choice.chance(5) {
        flags.push("-fno-strict-aliasing");
    }
    flags
}

/// Where flang may fuse, it is left to the code generator what it fuses: two builds need not agree.
fn flang(choice: &mut Choice) -> Vec<&'static str> {
    let mut flags = vec![choice.weighted(&[(20, "-O1"), (40, "-O2"), (40, "-O3")])];
    if choice.chance(35) && has_fma() {
        flags.extend(["-march=x86-64-v3", "-ffp-contract=off"]);
    }
    if choice.chance(10) {
        flags.push("-fstack-arrays");
    }
    flags
}

fn rustc(choice: &mut Choice) -> Vec<&'static str> {
    let levels = [(10, "-Copt-level=1"), (30, "-Copt-level=2"), (60, "-Copt-level=3")];
    let mut flags = vec![choice.weighted(&levels)];
    if choice.chance(85) {
        flags.push("-Ccodegen-units=1");
    }
    if choice.chance(35) && has_fma() {
        flags.push("-Ctarget-cpu=x86-64-v3");
    }
    if choice.chance(25) {
        flags.push("-Cpanic=abort");
    }
    if choice.chance(4) {
        flags.push("-Coverflow-checks=on");
    }
    flags
}

/// Small tiles, so that small grids have many.
const TILES: [(&str, &str); 3] = [
    ("h=1,w0=4", "h=5,w0=3;h=2,w0=7"),
    ("h=1,w0=3,w1=8", "h=3,w0=7,w1=16;h=5,w0=9,w1=33"),
    ("h=1,w0=3,w1=4,w2=8", "h=3,w0=5,w1=6,w2=7"),
];

/// Where multiply-adds fuse, they do on every device. Programs for another CPU can't be run here.
fn has_fma() -> bool {
    std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2")
}
