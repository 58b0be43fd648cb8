//! What a command line asks the compiler for.
//!
//! Consumes the arguments (response files expanded), produces a [`Request`]. Nothing is refused: an argument that is
//! not known is an option without a value, as the compiler will say better than we could.
//!
//! It sits before [`crate::argv`] so that the rules for adding flags read as rules and not as string matching.

use crate::options::{self, Stop};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Which of the three compilers is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `hexcc`, driving `clang-22`.
    C,
    /// `hexc++`, driving `clang++-22`.
    Cxx,
    /// `hexflang`, driving `flang-22`.
    Fortran,
}

/// How the link is done, as far as the runtime's part in it depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// `-shared`: the result is a shared object.
    pub shared: bool,
    /// The linker was chosen by name and is not GNU ld.
    pub other_linker: bool,
    /// The linker was chosen by name; what it is called.
    pub linker: Option<String>,
    /// `-flto` in any form: the linker optimises.
    pub lto: bool,
    /// The plugin is already on the line for the linker.
    pub names_plugin: bool,
    /// Where `--` stands among the given arguments: behind it, every argument is an input.
    pub inputs_only_from: Option<usize>,
}

/// What a command line asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// At least one input goes through LLVM's optimiser.
    pub compiles: bool,
    /// The plugin is already on the line.
    pub names_plugin: bool,
    /// The link that ends the run and that may need the runtime, if there is one.
    pub link: Option<Link>,
}

impl Link {
    /// The link is done by LLVM's own linker, which can load the plugin.
    pub fn is_lld(&self) -> bool {
        let name = self.linker.as_deref().and_then(|path| Path::new(path).file_name());
        name.is_some_and(|name| name.to_string_lossy().contains("lld"))
    }
}

impl Request {
    /// Reads `given`, the arguments after the program's name; `expanded` are the same with response files expanded.
    pub fn new(mode: Mode, given: &[OsString], expanded: &[OsString]) -> Request {
        let mut scan = Scan::new(mode);
        scan.all(expanded);
        scan.link.inputs_only_from = given.iter().position(|arg| arg == "--");
        let generates = scan.stop != Some(Stop::BeforeCodeGeneration);
        let links = scan.stop.is_none() && scan.any_input && scan.runtime_fits;
        Request {
            compiles: generates && scan.compiled_input,
            names_plugin: scan.names_plugin,
            link: links.then_some(scan.link),
        }
    }
}

/// The state of one pass over the arguments.
struct Scan {
    mode: Mode,
    /// The language that `-x` has put in force.
    language: Option<Language>,
    stop: Option<Stop>,
    any_input: bool,
    compiled_input: bool,
    names_plugin: bool,
    /// The link may take an x86-64 archive that needs the C library.
    runtime_fits: bool,
    link: Link,
}

impl Scan {
    fn new(mode: Mode) -> Scan {
        Scan {
            mode,
            language: None,
            stop: None,
            any_input: false,
            compiled_input: false,
            names_plugin: false,
            runtime_fits: true,
            link: Link::default(),
        }
    }

    fn all(&mut self, args: &[OsString]) {
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            // The names of options are ASCII: an argument that is not UTF-8 is an input or a joined value.
            let text = arg.to_string_lossy();
            if text == "--" {
                rest.by_ref().for_each(|input| self.input(input));
            } else if text == "-" || !text.starts_with('-') {
                self.input(arg);
            } else {
                let values: Vec<_> =
                    rest.by_ref().take(options::following_values(&text)).cloned().collect();
                self.option(&text, values.first().map(OsString::as_os_str));
            }
        }
    }

    fn input(&mut self, arg: &OsStr) {
        let language = self.language.unwrap_or_else(|| Language::of_file(arg));
        self.any_input |= language != Language::Header;
        self.compiled_input |= language.is_optimised(self.mode);
    }

    fn option(&mut self, name: &str, value: Option<&OsStr>) {
        self.stop = [self.stop, options::stops(name)].into_iter().flatten().min();
        match name {
            "-x" | "--language" => self.language = value.and_then(Language::of_name),
            "-shared" | "--shared" => self.link.shared = true,
            "-target" => self.target(value),
            "-Xlinker" => self.linker_option(&value.unwrap_or_default().to_string_lossy()),
            "-l" => self.any_input = true,
            "-flto" => self.link.lto = true,
            "-fno-lto" => self.link.lto = false,
            "-r"
            | "-nostdlib"
            | "--no-standard-libraries"
            | "-nodefaultlibs"
            | "-nolibc"
            | "-ffreestanding"
            | "-m32"
            | "-mx32"
            | "-m16" => self.runtime_fits = false,
            _ => self.joined(name),
        }
    }

    /// Options with their value joined to them.
    fn joined(&mut self, arg: &str) {
        let after = |prefix: &str| arg.strip_prefix(prefix);
        if let Some(language) = after("--language=").or_else(|| after("-x")) {
            self.language = Language::of_name(language.as_ref());
        } else if let Some(triple) = after("--target=") {
            self.target(Some(triple.as_ref()));
        } else if let Some(linker) = after("-fuse-ld=") {
            self.link.other_linker = !matches!(linker, "" | "ld" | "bfd");
            self.link.linker = Some(linker.to_owned());
        } else if let Some(linker) = after("--ld-path=") {
            self.link.other_linker = true;
            self.link.linker = Some(linker.to_owned());
        } else if after("-flto=").is_some() {
            self.link.lto = true;
        } else if let Some(plugin) = after("-fpass-plugin=") {
            self.names_plugin |= Path::new(plugin).file_name() == Some(OsStr::new("libhexpass.so"));
        } else if let Some(options) = after("-Wl,") {
            options.split(',').for_each(|option| self.linker_option(option));
        } else if after("-l").is_some() {
            self.any_input = true;
        }
    }

    /// An argument that the driver hands on to the linker; it counts as an input.
    fn linker_option(&mut self, option: &str) {
        self.any_input = true;
        self.runtime_fits &= !matches!(option, "-r" | "-i" | "--relocatable");
        self.link.names_plugin |= option
            .strip_prefix("--load-pass-plugin=")
            .is_some_and(|plugin| plugin.ends_with("libhexpass.so"));
    }

    fn target(&mut self, triple: Option<&OsStr>) {
        let triple = triple.unwrap_or_default().to_string_lossy();
        self.runtime_fits &= triple.starts_with("x86_64") || triple.starts_with("amd64");
    }
}

/// What the driver does with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    /// C and its relatives.
    CFamily,
    /// LLVM's own IR, which either compiler takes.
    Ir,
    /// Fortran.
    Fortran,
    /// Headers, which are precompiled: a run with nothing else doesn't link.
    Header,
    /// Assembler, objects, archives, scripts and what else LLVM's optimiser never sees.
    Other,
}

impl Language {
    /// The language that `-x name` puts in force; `none` goes back to looking at file names.
    fn of_name(name: &OsStr) -> Option<Language> {
        let name = name.to_string_lossy();
        match &*name {
            "none" => None,
            "ir" => Some(Language::Ir),
            "f77" | "f95" | "f77-cpp-input" | "f95-cpp-input" | "cuda-fortran" => {
                Some(Language::Fortran)
            }
            "c"
            | "cpp-output"
            | "c++"
            | "c++-cpp-output"
            | "c++-module"
            | "cuda"
            | "hip"
            | "objective-c"
            | "objective-c++"
            | "objc"
            | "objc-cpp-output"
            | "objc++-cpp-output"
            | "objective-c-cpp-output"
            | "objective-c++-cpp-output"
            | "cl"
            | "clcpp" => Some(Language::CFamily),
            header if header.contains("-header") => Some(Language::Header),
            _ => Some(Language::Other),
        }
    }

    /// The language that the driver takes a file for. `-` has no extension: without `-x` it is refused, or only
    /// preprocessed.
    fn of_file(file: &OsStr) -> Language {
        let Some(extension) = Path::new(file).extension().and_then(OsStr::to_str) else {
            return Language::Other;
        };
        match extension {
            "c" | "i" | "C" | "cc" | "CC" | "cp" | "cpp" | "CPP" | "cxx" | "CXX" | "c++"
            | "C++" | "ii" | "m" | "mi" | "mm" | "M" | "mii" | "cu" | "cui" | "hip" | "hipi"
            | "cl" | "clcpp" | "cppm" | "ccm" | "cxxm" | "c++m" | "iim" => Language::CFamily,
            "ll" | "bc" => Language::Ir,
            "f" | "for" | "f77" | "f90" | "f95" | "f03" | "f08" | "fpp" | "F" | "FOR" | "F77"
            | "F90" | "F95" | "F03" | "F08" | "FPP" | "fpp90" | "cuf" | "CUF" | "ftn" => {
                Language::Fortran
            }
            "h" | "hh" | "H" | "hp" | "hpp" | "hxx" | "h++" | "tcc" => Language::Header,
            _ => Language::Other,
        }
    }

    fn is_optimised(self, mode: Mode) -> bool {
        match self {
            Language::Ir => true,
            Language::Fortran => mode == Mode::Fortran,
            Language::CFamily => mode != Mode::Fortran,
            Language::Header | Language::Other => false,
        }
    }
}
