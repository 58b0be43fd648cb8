//! Every compile-time option: environment variables, because every host passes those on and rustc and lld know no
//! other way. Read at each run; there is no state.

use crate::emit::Targets;
use hexpass_poly::isl::ANALYSIS_BUDGET;
use hexpass_poly::schedule::{Storage, TileSizes};
use std::path::PathBuf;

/// One option: its variable, what it takes, what it does. The documentation is made from this table.
pub struct Described {
    pub variable: &'static str,
    pub takes: &'static str,
    pub does: &'static str,
}

/// All of them.
pub const TABLE: &[Described] = &[
    Described { variable: "HEXPASS", takes: "off", does: "leaves every loop alone" },
    Described {
        variable: "HEXPASS_STRATEGY",
        takes: "hexagonal, streaming, overlapped, spatial25d",
        does: "uses only that strategy",
    },
    Described {
        variable: "HEXPASS_TILE",
        takes: "h=3,w0=7,w1=32[;h=…]",
        does: "uses these tile sizes, those left out being chosen; several settings make several variants",
    },
    Described {
        variable: "HEXPASS_ARCH",
        takes: "some of 70, 75, 80, 86, 87, 89, 90, 100 by commas",
        does: "embeds PTX for these architectures (sm_75 and sm_90 by default)",
    },
    Described {
        variable: "HEXPASS_PTXAS",
        takes: "a program",
        does: "has this assembler of NVIDIA's make machine code of the PTX, which is embedded beside it",
    },
    Described {
        variable: "HEXPASS_STORAGE",
        takes: "global, shared, interleaved, aligned, static, dynamic, registers",
        does: "where a GPU block keeps its values: the steps (a) to (f) of the CGO'14 paper, or the registers of a warp",
    },
    Described {
        variable: "HEXPASS_BUDGET",
        takes: "a number of operations",
        does: "how many operations of the polyhedral library the analysis of a nest may take (20000000 by default); past it the loop is left alone",
    },
    Described {
        variable: "HEXPASS_REPORT",
        takes: "a file",
        does: "appends a JSON line for each loop nest looked at",
    },
    Described {
        variable: "HEXPASS_PRINT",
        takes: "facts, problem, schedule, kernels (any, by commas)",
        does: "prints these stages of each nest on stderr",
    },
];

/// Architectures that kernels can be written for: warps with independent threads, and known to LLVM 22.
const ARCHES: [u32; 8] = [70, 75, 80, 86, 87, 89, 90, 100];

/// Stages that `HEXPASS_PRINT` knows.
const STAGES: [&str; 5] = ["attempts", "facts", "problem", "schedule", "kernels"];

/// The options of this run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub strategy: Option<String>,
    /// One for each variant wanted; one empty setting by default.
    pub tiles: Vec<Option<TileSizes>>,
    pub arches: Vec<u32>,
    pub ptxas: Option<PathBuf>,
    pub storage: Option<Storage>,
    /// Operations of isl for the analysis of a nest.
    pub budget: u64,
    pub report: Option<PathBuf>,
    pub print: Vec<&'static str>,
}

impl Options {
    /// From the environment; the error says which variable is wrong and what it takes.
    pub fn from_env() -> Result<Options, String> {
        let text = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
        let wrong = |name: &str, value: &str| {
            let takes = TABLE.iter().find(|d| d.variable == name).map_or("", |d| d.takes);
            format!("{name}={value} is not understood; it takes {takes}")
        };
        let tiles = match text("HEXPASS_TILE") {
            None => vec![None],
            Some(all) => all
                .split(';')
                .map(|one| parse_tile(one).map(Some).ok_or_else(|| wrong("HEXPASS_TILE", &all)))
                .collect::<Result<_, _>>()?,
        };
        let arches = match text("HEXPASS_ARCH") {
            None => crate::emit::DEFAULT_ARCHES.to_vec(),
            Some(all) => all
                .split(',')
                .map(|a| a.trim().trim_start_matches("sm_").parse().ok())
                .map(|a| a.filter(|a| ARCHES.contains(a)))
                .collect::<Option<_>>()
                .ok_or_else(|| wrong("HEXPASS_ARCH", &all))?,
        };
        let storage = match text("HEXPASS_STORAGE").as_deref() {
            None => None,
            Some(name) => Some(Storage::named(name).ok_or_else(|| wrong("HEXPASS_STORAGE", name))?),
        };
        let budget = match text("HEXPASS_BUDGET") {
            None => ANALYSIS_BUDGET,
            Some(n) => {
                n.parse().ok().filter(|&n| n > 0).ok_or_else(|| wrong("HEXPASS_BUDGET", &n))?
            }
        };
        Ok(Options {
            budget,
            strategy: text("HEXPASS_STRATEGY"),
            tiles,
            arches,
            ptxas: text("HEXPASS_PTXAS").map(PathBuf::from),
            storage,
            report: text("HEXPASS_REPORT").map(PathBuf::from),
            print: match text("HEXPASS_PRINT") {
                None => Vec::new(),
                Some(all) => all
                    .split(',')
                    .map(|s| STAGES.into_iter().find(|&stage| stage == s.trim()))
                    .collect::<Option<_>>()
                    .ok_or_else(|| wrong("HEXPASS_PRINT", &all))?,
            },
        })
    }

    /// What device code is made for.
    pub fn targets(&self) -> Targets<'_> {
        Targets { arches: &self.arches, ptxas: self.ptxas.as_deref() }
    }

    /// The user wants to see this stage.
    pub fn prints(&self, stage: &str) -> bool {
        self.print.contains(&stage)
    }

    /// Prints what a stage has to show, if the user wants to see that.
    pub fn show(&self, stage: &str, text: impl FnOnce() -> String) {
        if self.prints(stage) {
            eprintln!("{stage}: {}", text());
        }
    }
}

/// `h=3,w0=7` as sizes.
fn parse_tile(text: &str) -> Option<TileSizes> {
    let size = |part: &str| {
        let (name, value) = part.split_once('=')?;
        Some((name.trim().to_owned(), value.trim().parse().ok()?))
    };
    Some(TileSizes(text.split(',').map(size).collect::<Option<_>>()?))
}
