//! Positions in the source.
//!
//! Consumes: what LLVM says of a position, whose file starts from a folder that compilers choose as they like. clang puts
//! what file and working folder have in common into the folder, flang all but the last part of the name. Produces: the
//! file as the compiler was given it, or as it is found from where that was started.

use super::sys;
use std::path::{Component, Path, PathBuf};

/// A position in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file's name as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
}

impl Location {
    pub(super) fn from_raw(raw: sys::ShimLocation) -> Option<Self> {
        // SAFETY: the shim passes texts of the LLVM context with their lengths; empty ones may have
        // any address.
        let text = |start: *const std::ffi::c_char, length: usize| unsafe {
            if length == 0 {
                return String::new();
            }
            String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), length)).into_owned()
        };
        (raw.line != 0).then(|| {
            let at = Name {
                file: text(raw.file, raw.file_length),
                folder: text(raw.directory, raw.directory_length),
            };
            let unit = Name {
                file: text(raw.unit_file, raw.unit_file_length),
                folder: text(raw.unit_directory, raw.unit_directory_length),
            };
            Location { file: at.seen_from(&unit), line: raw.line, column: raw.column }
        })
    }
}

/// A file, and the folder that its name starts from.
struct Name {
    file: String,
    folder: String,
}

impl Name {
    fn path(&self) -> PathBuf {
        Path::new(&self.folder).join(&self.file)
    }

    /// The name for somebody who stands where `unit`, the file that was compiled, starts from.
    fn seen_from(self, unit: &Name) -> String {
        let path = self.path();
        if !unit.file.is_empty() && plain(&path) == plain(&unit.path()) {
            return unit.file.clone();
        }
        if self.folder.is_empty() || unit.folder.is_empty() || self.folder == unit.folder {
            return self.file;
        }
        let near = path.strip_prefix(&unit.folder).unwrap_or(&path);
        near.to_string_lossy().into_owned()
    }
}

/// Without the parts of a path that lead nowhere else.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn files_are_named_as_the_compiler_was_given_them() {
        let cases = [
            // flang
            (["a.f90", "/w/sub"], ["sub/a.f90", "/w"], "sub/a.f90"),
            (["a.f90", "/w/sub"], ["/w/sub/a.f90", "/w"], "/w/sub/a.f90"),
            (["a.f90", "/w/../w/sub"], ["../w/sub/a.f90", "/w"], "../w/sub/a.f90"),
            (["a.f90", "/w"], ["a.f90", "/w"], "a.f90"),
            (["part.inc", "/w/sub"], ["sub/a.f90", "/w"], "sub/part.inc"),
            (["part.inc", "/v"], ["sub/a.f90", "/w"], "/v/part.inc"),
            // clang
            (["sub/a.c", "/w"], ["sub/a.c", "/w"], "sub/a.c"),
            (["a.c", "/w"], ["/w/a.c", "/w"], "/w/a.c"),
            (["v/a.c", "/home"], ["/home/v/a.c", "/home/w"], "/home/v/a.c"),
            (["v/a.h", "/home"], ["a.c", "/home/w"], "/home/v/a.h"),
            (["./a.h", "/w"], ["a.c", "/w"], "./a.h"),
            // rustc
            (["src/main.rs", "/w"], ["src/main.rs/@/main.1-cgu.0", "/w"], "src/main.rs"),
            (
                ["/rustc/1/library/core/src/a.rs", ""],
                ["src/main.rs", "/w"],
                "/rustc/1/library/core/src/a.rs",
            ),
            // no unit
            (["a.c", "/w"], ["", ""], "a.c"),
        ];
        for ([file, folder], [unit, from], expected) in cases {
            let name = |file: &str, folder: &str| Name { file: file.into(), folder: folder.into() };
            assert_eq!(name(file, folder).seen_from(&name(unit, from)), expected);
        }
    }
}
