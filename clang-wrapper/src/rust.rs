//! Flags for rustc, one argument each.
//!
//! Consumes the place of plugin and runtime, produces flags; refuses nothing. There are two ways in: rustc loads the
//! plugin itself (an unstable option), or it leaves the optimisation to the linker, which loads it (stable).

use crate::argv::{SYSTEM_LIBRARIES, TAKE_RUNTIME};
use std::path::Path;

/// How the plugin meets the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `-Zllvm-plugins`, for nightly rustcs and `RUSTC_BOOTSTRAP=1`.
    Rustc,
    /// `-Clinker-plugin-lto`: clang as the linker's driver, and LLVM's linker.
    Linker,
}

/// What `-Zllvm-plugins` is spelled like.
pub const PLUGIN_OPTION: &str = "-Zllvm-plugins=";

/// The flags for RUSTFLAGS.
///
/// rustc links with its own lld or with GNU ld, so the archive is taken in any case; what a program doesn't use,
/// rustc's --gc-sections takes out again. rustc's own `-lgcc_s -lc` come before these flags, and GNU ld drops what
/// nothing needed so far (the loader's `__tls_get_addr`, for one): they are named once more.
pub fn flags(way: Way, plugin: &Path, runtime: &Path, clang: &Path) -> Vec<String> {
    let mut flags = match way {
        Way::Rustc => vec![format!("{PLUGIN_OPTION}{}", plugin.display())],
        Way::Linker => vec![
            "-Clinker-plugin-lto".to_owned(),
            // The linker sees the loops as they were written.
            "-Cno-prepopulate-passes".to_owned(),
            format!("-Clinker={}", clang.display()),
            "-Clink-arg=-fuse-ld=lld".to_owned(),
            "-Clink-arg=-Xlinker".to_owned(),
            format!("-Clink-arg=--load-pass-plugin={}", plugin.display()),
        ],
    };
    // One unit: a loop and what it calls are seen together.
    flags.push("-Ccodegen-units=1".to_owned());
    flags.push(format!("-Clink-arg={TAKE_RUNTIME}"));
    // A shared runtime would be dropped: what programs refer to is weak.
    flags.push("-Clink-arg=-Wl,--push-state,--no-as-needed".to_owned());
    flags.push(format!("-Clink-arg={}", runtime.display()));
    flags.push("-Clink-arg=-Wl,--pop-state".to_owned());
    flags.extend(SYSTEM_LIBRARIES.map(|flag| format!("-Clink-arg={flag}")));
    flags.extend(["-lgcc_s", "-lc"].map(|flag| format!("-Clink-arg={flag}")));
    flags
}
