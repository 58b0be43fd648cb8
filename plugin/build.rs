//! Builds the C++ shim and its Rust declarations.
//!
//! Consumes: LLVM 22's headers, found through `LLVM_SYS_221_PREFIX`, `llvm-config-22` or
//! `llvm-config`. Produces: a static library of `cpp/*.cpp` and, in `OUT_DIR`, `shim.rs` from
//! `cpp/shim.h`. Refuses any other LLVM major.
//!
//! The plugin is not linked against LLVM: the compiler that loads it brings its own, and a second
//! copy in the process would share no types with it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const LLVM_MAJOR: &str = "22";
const PREFIX: &str = "LLVM_SYS_221_PREFIX";

fn main() {
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-env-changed={PREFIX}");
    let include = llvm_include_dir();
    // Clippy, for which cargo runs this once more, links nothing.
    if !cfg!(clippy) {
        compile_shim(&include);
    }
    declare_shim(&include);
    link_lazily();
    link_tests();
}

/// Asks llvm-config for the headers' folder, and makes sure of the version.
fn llvm_include_dir() -> PathBuf {
    let config = candidates().into_iter().find(|config| ask(config, "--version").is_some());
    let Some(config) = config else {
        panic!("no llvm-config of LLVM {LLVM_MAJOR}: install llvm-22-dev or set {PREFIX}")
    };
    let version = ask(&config, "--version").unwrap_or_default();
    assert!(
        version.split('.').next() == Some(LLVM_MAJOR),
        "{} is LLVM {version}; hexpass needs LLVM {LLVM_MAJOR}",
        config.display()
    );
    PathBuf::from(ask(&config, "--includedir").expect("llvm-config knows its include folder"))
}

fn candidates() -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Some(prefix) = env::var_os(PREFIX) {
        found.push(Path::new(&prefix).join("bin/llvm-config"));
    }
    found.push(PathBuf::from("llvm-config-22"));
    found.push(PathBuf::from("llvm-config"));
    found
}

fn ask(config: &Path, what: &str) -> Option<String> {
    let output = Command::new(config).arg(what).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn compile_shim(include: &Path) {
    let mut sources: Vec<PathBuf> = fs::read_dir("cpp")
        .expect("plugin/cpp is there")
        .map(|entry| entry.expect("plugin/cpp can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    sources.sort();
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .files(sources)
        .define("NDEBUG", None)
        .opt_level(2)
        // Lines only, as for the Rust code: full information makes the library ten times as large.
        .debug(false)
        .flag("-g1")
        .flag("-isystem")
        .flag(include.to_str().expect("the include folder's name is UTF-8"))
        .flags(["-fno-rtti", "-fno-exceptions", "-fvisibility-inlines-hidden"])
        .flag("-Wno-unused-parameter")
        .compile("hexpass_shim");
}

fn declare_shim(include: &Path) {
    let bindings = bindgen::Builder::default()
        .header("cpp/shim.h")
        .clang_arg(format!("-I{}", include.display()))
        .allowlist_function("shim_.*")
        .allowlist_type("Shim.*")
        .blocklist_type("LLVM.*")
        .blocklist_function("hexpass_.*")
        .default_enum_style(bindgen::EnumVariation::Consts)
        .prepend_enum_name(false)
        .layout_tests(true)
        .merge_extern_blocks(true)
        .generate()
        .expect("bindgen reads cpp/shim.h");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    bindings.write_to_file(out.join("shim.rs")).expect("OUT_DIR can be written");
}

/// C functions newer than LLVM 16 that we call from Rust; `cpp/lazy.cpp` forwards them.
const NEWER: [&str; 2] = ["LLVMParseIRInContext2", "LLVMRunPassesOnFunction"];

/// A compiler of another LLVM major lacks some of the functions that we call. Bound lazily, the
/// library still loads there and can say so, instead of the loader naming a mangled symbol.
fn link_lazily() {
    println!("cargo:rustc-link-arg-cdylib=-Wl,-z,lazy");
    for function in NEWER {
        println!("cargo:rustc-link-arg-cdylib=-Wl,--wrap={function}");
    }
}

/// The integration tests are programs of their own, with no compiler around them to bring LLVM.
fn link_tests() {
    let config = candidates().into_iter().find(|config| ask(config, "--version").is_some());
    if let Some(folder) = config.and_then(|config| ask(&config, "--libdir")) {
        println!("cargo:rustc-link-arg-tests=-L{folder}");
        println!("cargo:rustc-link-arg-tests=-Wl,-rpath,{folder}");
        println!("cargo:rustc-link-arg-tests=-lLLVM-{LLVM_MAJOR}");
    }
}
