//! Every option of the runtime in one table, with its environment variable, its values and its documentation.
//!
//! Consumes the environment, once per process and only when the first nest runs. A value that is not allowed gives
//! one line that names the variable, the value and what is allowed; the runtime then behaves as with
//! `HEXPASS_MODE=off` (with `mandatory`, the first nest ends the program). Unsafe code looks whether there is
//! any variable of ours, and counts the cores.

use crate::tune::Tune;
use std::path::PathBuf;
use std::sync::OnceLock;

/// What becomes of a nest that can't run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// The original loop runs.
    #[default]
    Auto,
    /// The original loop always runs.
    Off,
    /// The program ends with status [`crate::run::MANDATORY_STATUS`].
    Mandatory,
}

/// Where nests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// Whatever the gate finds best.
    #[default]
    Auto,
    /// A GPU: this ordinal, or the one that falls to this process.
    Cuda(Option<u32>),
    /// The threads of a pool.
    Cpu,
    /// The embedded PTX, interpreted.
    Emulated,
}

/// The values of all options.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// `HEXPASS_MODE`
    pub mode: Mode,
    /// `HEXPASS_DEVICE`
    pub device: DeviceChoice,
    /// `HEXPASS_THREADS`
    pub threads: Option<usize>,
    /// `HEXPASS_STRATEGY`
    pub strategy: Option<String>,
    /// `HEXPASS_TILE`: settings, the preferred one first; none: any variant will do.
    pub tiles: Vec<Vec<(String, i64)>>,
    /// `HEXPASS_TUNE`; by default online on a GPU, off elsewhere.
    pub tune: Option<Tune>,
    /// `HEXPASS_CACHE`
    pub cache: Option<PathBuf>,
    /// `HEXPASS_CALIBRATION`
    pub calibration: Option<PathBuf>,
    /// `HEXPASS_EMULATED_MEMORY`
    pub emulated_memory: Option<u64>,
    /// `HEXPASS_INFO`
    pub info: bool,
    /// `HEXPASS_STATS`
    pub stats: Option<PathBuf>,
    /// Complaints about values; not empty: the original loop runs.
    pub errors: Vec<String>,
}

/// One row of the table.
pub struct OptionRow {
    /// Environment variable.
    pub name: &'static str,
    /// Allowed values, as messages and the book show them.
    pub values: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Stores a value; `None` if it is not allowed.
    set: fn(&mut Options, &str) -> Option<()>,
}

/// The table.
pub const TABLE: &[OptionRow] = &[
    OptionRow {
        name: "HEXPASS_MODE",
        values: "auto, off, mandatory",
        doc: "auto: a nest that can't run leaves its work to the original loop. off: the original loops always run. \
              mandatory: a transformed nest that can't run on the chosen device ends the program with status 86 \
              before anything is written; an empty nest, and one too small to be worth it under \
              HEXPASS_DEVICE=auto, are no failures.",
        set: |o, v| {
            o.mode = match v {
                "auto" => Mode::Auto,
                "off" => Mode::Off,
                "mandatory" => Mode::Mandatory,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "HEXPASS_DEVICE",
        values: "auto, cuda, cuda:N, cpu, emulated",
        doc: "Where nests run. Naming a device switches off the gate that leaves small problems to the original \
              loop. cuda takes the GPU that falls to this process among its node's (by the local rank that MPI \
              or Slurm gives it).",
        set: |o, v| {
            o.device = match v {
                "auto" => DeviceChoice::Auto,
                "cuda" => DeviceChoice::Cuda(None),
                "cpu" => DeviceChoice::Cpu,
                "emulated" => DeviceChoice::Emulated,
                _ => DeviceChoice::Cuda(Some(digits(v.strip_prefix("cuda:")?)?)),
            };
            Some(())
        },
    },
    OptionRow {
        name: "HEXPASS_THREADS",
        values: "1 to 4096",
        doc: "Number of CPU threads for cpu and emulated; by default all that the process may use.",
        set: |o, v| {
            o.threads = Some(digits(v)? as usize).filter(|n| (1..=4096).contains(n));
            o.threads.map(|_| ())
        },
    },
    OptionRow {
        name: "HEXPASS_STRATEGY",
        values: "the name of a strategy in the object",
        doc: "Picks among the variants that the object holds for the device.",
        set: |o, v| {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            o.strategy = Some(v.to_string()).filter(|s| s.chars().all(word));
            o.strategy.as_ref().map(|_| ())
        },
    },
    OptionRow {
        name: "HEXPASS_TILE",
        values: "h=N,w0=N,w1=N and so on, in any selection; several such settings with ; between them",
        doc: "Picks among the variants that the object holds for the device by their tile sizes: the first setting \
              that a variant has. A width of 0 is one that the variant does not tile.",
        set: |o, v| {
            o.tiles = v.split(';').map(tile_setting).collect::<Option<_>>()?;
            Some(())
        },
    },
    OptionRow {
        name: "HEXPASS_TUNE",
        values: "off, online, full",
        doc: "online: variants and sizes that are predicted to be within 10 % of the best are tried on the first steps \
              of a nest, and the fastest does the rest and all later executions of the same size. full: all of them, \
              with a progress bar. off: the predicted best runs. By default online on a GPU, off elsewhere.",
        set: |o, v| {
            o.tune = Some(match v {
                "off" => Tune::Off,
                "online" => Tune::Online,
                "full" => Tune::Full,
                _ => return None,
            });
            Some(())
        },
    },
    OptionRow {
        name: "HEXPASS_CACHE",
        values: "the path of a file",
        doc: "Remembers what HEXPASS_TUNE has found from run to run.",
        set: |o, v| {
            o.cache = Some(PathBuf::from(v));
            Some(())
        },
    },
    OptionRow {
        name: "HEXPASS_CALIBRATION",
        values: "the path of a file",
        doc: "How fast each GPU is, as hexcc --calibrate writes it; a GPU that it does not name is measured when \
              first used, and added.",
        set: |o, v| {
            o.calibration = Some(PathBuf::from(v));
            Some(())
        },
    },
    OptionRow {
        name: "HEXPASS_EMULATED_MEMORY",
        values: "a number of bytes, below 2^32",
        doc: "How much memory the emulated grid has: a nest whose arrays need more is refused, as a GPU would refuse it. \
              By default what the process can have.",
        set: |o, v| {
            o.emulated_memory = Some(u64::from(digits(v)?));
            Some(())
        },
    },
    OptionRow {
        name: "HEXPASS_INFO",
        values: "0, 1",
        doc: "1: one line on stderr for each execution of a nest: where it ran, strategy, sizes, GStencil/s \
              (grid points updated in a second, over all steps) and bytes copied, or why it fell back.",
        set: |o, v| {
            o.info = match v {
                "0" => false,
                "1" => true,
                _ => return None,
            };
            Some(())
        },
    },
    OptionRow {
        name: "HEXPASS_STATS",
        values: "the path of a file",
        doc: "Appends one JSON object a line to this file for each execution of a nest, holding what HEXPASS_INFO \
              prints.",
        set: |o, v| {
            o.stats = Some(PathBuf::from(v));
            Some(())
        },
    },
];

/// A plain decimal number: no sign, no blanks.
fn digits(v: &str) -> Option<u32> {
    if v.is_empty() || !v.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    v.parse().ok()
}

fn tile_setting(v: &str) -> Option<Vec<(String, i64)>> {
    v.split(',').map(tile_size).collect()
}

/// Blanks around names and values are no part of them: the plugin reads the same variable, and takes them.
fn tile_size(v: &str) -> Option<(String, i64)> {
    let (name, value) = v.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
    named.then_some((name.to_string(), i64::from(digits(value)?)))
}

impl Options {
    /// The options in an environment. An empty value counts as unset.
    pub fn parse(get: impl Fn(&str) -> Option<String>) -> Options {
        let mut options = Options::default();
        let mut errors = Vec::new();
        for row in TABLE {
            let Some(value) = get(row.name).filter(|v| !v.is_empty()) else { continue };
            if (row.set)(&mut options, &value).is_none() {
                errors.push(format!("{}={value}: allowed are {}", row.name, row.values));
            }
        }
        options.errors = errors;
        options
    }

    /// The process's options, read when first asked for. Prints the complaints, once.
    pub fn of_process() -> &'static Options {
        static OPTIONS: OnceLock<Options> = OnceLock::new();
        OPTIONS.get_or_init(|| {
            if !is_any_set() {
                return Options::default();
            }
            let options = Options::parse(|name| {
                std::env::var_os(name).map(|v| v.to_string_lossy().into_owned())
            });
            for error in &options.errors {
                crate::report::error_line(error);
            }
            options
        })
    }

    /// Number of CPU threads to use.
    pub fn thread_count(&self) -> usize {
        static ALL: OnceLock<usize> = OnceLock::new();
        let all = || std::thread::available_parallelism().map_or(1, |n| n.get());
        self.threads.unwrap_or_else(|| *ALL.get_or_init(all))
    }

    /// At least as many as [`Options::thread_count`], which reads files when it is first asked.
    pub fn most_threads(&self) -> usize {
        static ALL: OnceLock<usize> = OnceLock::new();
        self.threads.unwrap_or_else(|| *ALL.get_or_init(affine_cores))
    }

    /// True if the user wants one variant rather than another.
    pub fn names_variants(&self) -> bool {
        self.strategy.is_some() || !self.tiles.is_empty()
    }
}

unsafe extern "C" {
    /// The C library's.
    static environ: *const *const libc::c_char;
}

/// True if a variable of ours may be set: most programs have none, and need not pay for looking for each.
fn is_any_set() -> bool {
    // SAFETY: the C library's list of strings, null at its end, read as getenv reads it.
    unsafe {
        let mut entry = environ;
        while !entry.is_null() && !(*entry).is_null() {
            if libc::strncmp(*entry, c"HEXPASS_".as_ptr(), 8) == 0 {
                return true;
            }
            entry = entry.add(1);
        }
    }
    false
}

/// Cores that the calling thread may run on.
fn affine_cores() -> usize {
    // SAFETY: an empty set is one of zeros; the call fills it, and the count reads it.
    let cores = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let answer = libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set);
        if answer == 0 { libc::CPU_COUNT(&set) } else { 0 }
    };
    // There are more of them than such a set can hold.
    if cores > 0 { cores as usize } else { usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Options {
        Options::parse(|name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_string()))
    }

    #[test]
    fn every_allowed_value_is_taken() {
        let o = parse(&[
            ("HEXPASS_MODE", "mandatory"),
            ("HEXPASS_DEVICE", "cuda:3"),
            ("HEXPASS_THREADS", "7"),
            ("HEXPASS_STRATEGY", "hybrid-hexagonal"),
            ("HEXPASS_TILE", "h=3,w0=7,w1=32"),
            ("HEXPASS_INFO", "1"),
            ("HEXPASS_STATS", "/tmp/x y.json"),
            ("HEXPASS_TUNE", "full"),
            ("HEXPASS_CACHE", "/tmp/cache.json"),
            ("HEXPASS_CALIBRATION", "gpu.json"),
            ("HEXPASS_EMULATED_MEMORY", "65536"),
        ]);
        assert_eq!(o.errors, Vec::<String>::new());
        assert_eq!(o.mode, Mode::Mandatory);
        assert_eq!(o.device, DeviceChoice::Cuda(Some(3)));
        assert_eq!(o.threads, Some(7));
        let size = |name: &str, n| (name.to_string(), n);
        assert_eq!(o.tiles, [vec![size("h", 3), size("w0", 7), size("w1", 32)]]);
        assert!(o.info);
        assert_eq!(o.tune, Some(Tune::Full));
        assert_eq!(o.cache, Some(PathBuf::from("/tmp/cache.json")));
        assert_eq!(o.calibration, Some(PathBuf::from("gpu.json")));
        assert_eq!(o.emulated_memory, Some(65536));
        for (value, device) in [
            ("auto", DeviceChoice::Auto),
            ("cuda", DeviceChoice::Cuda(None)),
            ("cpu", DeviceChoice::Cpu),
            ("emulated", DeviceChoice::Emulated),
            ("", DeviceChoice::Auto),
        ] {
            assert_eq!(parse(&[("HEXPASS_DEVICE", value)]).device, device);
        }
        let several = parse(&[("HEXPASS_TILE", "h=3, w0=7; h = 7")]);
        assert_eq!(several.errors, Vec::<String>::new());
        assert_eq!(several.tiles, [vec![size("h", 3), size("w0", 7)], vec![size("h", 7)]]);
    }

    #[test]
    fn every_other_value_is_named_with_what_is_allowed() {
        for (name, value) in [
            ("HEXPASS_MODE", "on"),
            ("HEXPASS_MODE", "Auto"),
            ("HEXPASS_DEVICE", "gpu"),
            ("HEXPASS_DEVICE", "cuda:"),
            ("HEXPASS_DEVICE", "cuda:-1"),
            ("HEXPASS_DEVICE", "cuda:99999999999"),
            ("HEXPASS_THREADS", "0"),
            ("HEXPASS_THREADS", "+2"),
            ("HEXPASS_THREADS", "many"),
            ("HEXPASS_STRATEGY", "a b"),
            ("HEXPASS_TILE", "3,7"),
            ("HEXPASS_TILE", "h=3,"),
            ("HEXPASS_TILE", "h=-3"),
            ("HEXPASS_TILE", "h=3;"),
            ("HEXPASS_TILE", ";h=3"),
            ("HEXPASS_TILE", "h=3;;w0=7"),
            ("HEXPASS_INFO", "yes"),
            ("HEXPASS_TUNE", "on"),
            ("HEXPASS_EMULATED_MEMORY", "1G"),
        ] {
            let errors = parse(&[(name, value)]).errors;
            assert_eq!(errors.len(), 1, "{name}={value}");
            assert!(errors[0].starts_with(&format!("{name}={value}: allowed are ")), "{errors:?}");
        }
    }
}
