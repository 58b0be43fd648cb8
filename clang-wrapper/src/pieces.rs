//! Where the pieces are: the compiler to run, the plugin, the runtime.
//!
//! Consumes the environment and the path of this program, produces paths. A piece is beside the program (a build
//! tree's `target/release`) or in `../lib` (an installed tree); a variable of the environment overrides both.

use crate::request::Mode;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// Where LLVM 22 keeps its programs on Debian when they aren't on the path.
const LLVM_BIN: &str = "/usr/lib/llvm-22/bin";

/// A piece that isn't where it should be; always a matter of the installation or of the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The file's name.
    pub name: &'static str,
    /// The variable that can say where it is.
    pub variable: &'static str,
    /// Where it was looked for.
    pub tried: Vec<PathBuf>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tried: Vec<_> = self.tried.iter().map(|path| path.display().to_string()).collect();
        let Missing { name, variable, .. } = self;
        write!(f, "{name} not found (tried: {})", tried.join(", "))?;
        write!(f, "; set {variable} to its path, or HEXPASS=off to compile without hexpass")
    }
}

/// The plugin, `libhexpass.so`.
pub fn plugin(program: &Path) -> Result<PathBuf, Missing> {
    locate("libhexpass.so", "HEXPASS_PLUGIN", env::var_os("HEXPASS_PLUGIN"), program)
}

/// The runtime's archive, `libhexrt.a`.
pub fn runtime(program: &Path) -> Result<PathBuf, Missing> {
    locate("libhexrt.a", "HEXPASS_RUNTIME", env::var_os("HEXPASS_RUNTIME"), program)
}

fn locate(
    name: &'static str,
    variable: &'static str,
    overridden: Option<OsString>,
    program: &Path,
) -> Result<PathBuf, Missing> {
    let beside = program.parent().unwrap_or(Path::new("/"));
    let tried = match overridden.filter(|value| !value.is_empty()) {
        Some(path) => vec![PathBuf::from(path)],
        None => vec![beside.join(name), beside.with_file_name("lib").join(name)],
    };
    match tried.iter().find(|path| path.is_file()) {
        Some(path) => Ok(std::path::absolute(path).unwrap_or_else(|_| path.clone())),
        None => Err(Missing { name, variable, tried }),
    }
}

/// The compiler to run: the environment's, else the one on the path, else LLVM 22's own folder.
///
/// `program` is left out of the search, so that a link to the wrapper named `clang-22` doesn't call itself.
pub fn compiler(mode: Mode, program: &Path) -> PathBuf {
    let (variable, name) = compiler_names(mode);
    if let Some(named) = env::var_os(variable).filter(|value| !value.is_empty()) {
        return named.into();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from(LLVM_BIN)]);
    let mut candidates = folders.flat_map(|folder| [folder.join(name), fallback(&folder, name)]);
    candidates.find(|file| file.is_file() && !is_same(file, program)).unwrap_or_else(|| name.into())
}

/// Whether `compiler` would find `ld.lld`: in the folder that it really lives in, or on the path.
pub fn has_lld(compiler: &Path) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let named = folders.iter().map(|folder| folder.join(compiler)).find(|file| file.is_file());
    let real = named.unwrap_or_else(|| compiler.to_owned()).canonicalize();
    folders.extend(real.ok().and_then(|file| Some(file.parent()?.to_owned())));
    folders.iter().any(|folder| folder.join("ld.lld").is_file())
}

/// LLVM's own folder has `clang++` but no `clang++-22`.
fn fallback(folder: &Path, name: &str) -> PathBuf {
    let plain = if folder == Path::new(LLVM_BIN) { name.trim_end_matches("-22") } else { name };
    folder.join(plain)
}

fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// The variable that names the compiler, and the compiler's usual name.
pub fn compiler_names(mode: Mode) -> (&'static str, &'static str) {
    match mode {
        Mode::C => ("HEXPASS_CLANG", "clang-22"),
        Mode::Cxx => ("HEXPASS_CLANGXX", "clang++-22"),
        Mode::Fortran => ("HEXPASS_FLANG", "flang-22"),
    }
}

/// What `hexcc` is when it was called by this name.
pub fn mode_of_name(called: &OsStr) -> Mode {
    let name = Path::new(called).file_name().unwrap_or_default().to_string_lossy();
    if name.contains("++") {
        Mode::Cxx
    } else if name.contains("flang") {
        Mode::Fortran
    } else {
        Mode::C
    }
}
