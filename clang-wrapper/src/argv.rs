//! The rules: which arguments the compiler gets.
//!
//! Consumes a command line and the place of plugin and runtime, produces the arguments of the compiler; refuses with
//! [`Missing`] when an argument would have to name a piece that isn't there. Pure, but for looking into response files
//! through the function it is given.
//!
//! The user's arguments are passed as they are, in their order. The plugin's flag goes in front of them, the
//! runtime behind them.
//!
//! The runtime is searched, not forced in: an object with transformed code holds a common symbol, `hexrt_anchor`, which
//! GNU ld takes from the archive; a program without such code stays as it was, byte for byte. Other linkers
//! don't search archives for common symbols, so there the archive is taken in any case.
//!
//! A link-time optimisation sees the bodies of all units, so the linker gets the plugin too. Only LLVM's own linker can
//! load it: it is chosen where the line names none and it is there.

use crate::pieces::Missing;
use crate::request::{Link, Mode, Request};
use crate::response;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The plugin and the runtime, or where they were looked for.
#[derive(Clone, Debug)]
pub struct Parts {
    /// `libhexpass.so`.
    pub plugin: Result<PathBuf, Missing>,
    /// `libhexrt.a`.
    pub runtime: Result<PathBuf, Missing>,
    /// The compiler can run `ld.lld`.
    pub lld: bool,
}

/// The arguments that follow the compiler's name.
///
/// `off` is `HEXPASS=off`: the arguments are passed as they are. `read` gives a response file's contents.
pub fn compiler_argv(
    mode: Mode,
    args: &[OsString],
    off: bool,
    parts: &Parts,
    read: &dyn Fn(&Path) -> Option<Vec<u8>>,
) -> Result<Vec<OsString>, Missing> {
    if off || is_internal(args) {
        return Ok(args.to_vec());
    }
    let request = Request::new(mode, args, &response::expand(args, read));
    let mut argv = Vec::with_capacity(args.len() + 9);
    if request.compiles && !request.names_plugin {
        argv.push(plugin_flag(parts.plugin.as_ref().map_err(Clone::clone)?));
    }
    let Some(mut link) = request.link else {
        argv.extend_from_slice(args);
        return Ok(argv);
    };
    let (options, inputs) = args.split_at(link.inputs_only_from.unwrap_or(args.len()));
    argv.extend_from_slice(options);
    if link.lto {
        argv.extend(linker_plugin_flags(&mut link, parts)?);
    }
    argv.extend(runtime_flags(&link, parts.runtime.as_ref().map_err(Clone::clone)?));
    argv.extend_from_slice(inputs);
    Ok(argv)
}

/// True for clang's and flang's calls of themselves, which are no driver's command lines.
fn is_internal(args: &[OsString]) -> bool {
    let first = args.first().map(|arg| arg.to_string_lossy());
    first.is_some_and(|arg| arg.starts_with("-cc1") || arg == "-fc1")
}

/// The flag that loads the plugin, the same for clang and flang.
pub fn plugin_flag(plugin: &Path) -> OsString {
    let mut flag = OsString::from("-fpass-plugin=");
    flag.push(plugin);
    flag
}

/// The flags that make a link-time optimisation look at loops. None where the line names another linker than LLVM's,
/// or the plugin itself.
fn linker_plugin_flags(link: &mut Link, parts: &Parts) -> Result<Vec<OsString>, Missing> {
    let mut flags = Vec::new();
    if link.linker.is_none() && parts.lld {
        flags.push("-fuse-ld=lld".into());
        link.linker = Some("lld".to_owned());
        link.other_linker = true;
    }
    if link.is_lld() && !link.names_plugin {
        let mut plugin = OsString::from("--load-pass-plugin=");
        plugin.push(parts.plugin.as_ref().map_err(Clone::clone)?);
        flags.extend(["-Xlinker".into(), plugin]);
    }
    Ok(flags)
}

/// The flags that link the runtime, which needs libdl, libpthread and libm where it is taken.
///
/// Through `-Xlinker`, so that an `-x` before it doesn't turn the archive into a source.
fn runtime_flags(link: &Link, archive: &Path) -> Vec<OsString> {
    let mut flags: Vec<OsString> = Vec::with_capacity(9);
    if link.shared {
        flags.push("-Wl,--exclude-libs,libhexrt.a".into());
    }
    if link.other_linker || link.inputs_only_from.is_some() {
        flags.push(TAKE_RUNTIME.into());
    }
    flags.extend(["-Xlinker".into(), archive.into()]);
    flags.extend(SYSTEM_LIBRARIES.map(OsString::from));
    flags
}

/// Makes any linker take the archive, wherever it stands: a symbol that only the archive has.
pub const TAKE_RUNTIME: &str = "-Wl,--undefined=hexrt_link";

/// What the runtime needs from the system, taken only where it is needed.
pub const SYSTEM_LIBRARIES: [&str; 5] =
    ["-Wl,--push-state,--as-needed", "-ldl", "-lpthread", "-lm", "-Wl,--pop-state"];
