//! What the tests of the built programs share: a folder with stand-ins for the pieces, and a way to run in it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// Held while a program is written, and while one starts: until it runs, a new process has all files open that other
/// threads write, and what somebody has open for writing can't be run ("text file busy").
static PROGRAMS: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a command says and how it ends.
pub fn output(command: &mut Command) -> Output {
    let started = {
        let _alone = alone();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    };
    let started = started.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    started.wait_with_output().expect("the program's output")
}

/// A folder to work in, with a `bin` of wrappers and the pieces they look for.
pub struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    /// Wrappers installed as `make install` does, with `plugin` as the plugin and an archive without members as the
    /// runtime.
    pub fn new(plugin: &[u8]) -> Sandbox {
        let sandbox = Sandbox { folder: tempfile::tempdir().expect("a temporary folder") };
        sandbox.write("prefix/lib/libhexpass.so", plugin);
        sandbox.write("prefix/lib/libhexrt.a", b"!<arch>\n");
        let bin = sandbox.path("prefix/bin");
        fs::create_dir_all(&bin).expect("bin");
        let _alone = alone();
        fs::copy(env!("CARGO_BIN_EXE_hexcc"), bin.join("hexcc")).expect("hexcc");
        fs::copy(env!("CARGO_BIN_EXE_hexflang"), bin.join("hexflang")).expect("hexflang");
        symlink("hexcc", bin.join("hexc++")).expect("hexc++");
        sandbox
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("in a folder")).expect("folders");
        fs::write(&path, contents).expect(name);
        path
    }

    /// Writes a program.
    pub fn write_script(&self, name: &str, contents: &str) -> PathBuf {
        let _alone = alone();
        let path = self.write(name, contents);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("chmod");
        path
    }

    /// An installed wrapper.
    pub fn wrapper(&self, name: &str) -> PathBuf {
        self.path("prefix/bin").join(name)
    }

    /// A command that runs in `folder`, with an environment that says nothing about hexpass.
    pub fn command(&self, program: impl AsRef<Path>, folder: &str) -> Command {
        fs::create_dir_all(self.path(folder)).expect("folder");
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.path(folder));
        for (name, _) in std::env::vars_os().filter(|(name, _)| {
            let name = name.to_string_lossy();
            name.starts_with("HEXPASS") || name.starts_with("MAKE")
        }) {
            command.env_remove(name);
        }
        command
    }

    /// Every file below `folder`, by its name from there, sorted.
    pub fn files(&self, folder: &str) -> Vec<PathBuf> {
        let root = self.path(folder);
        let mut found = Vec::new();
        let mut todo = vec![root.clone()];
        while let Some(next) = todo.pop() {
            for entry in fs::read_dir(&next).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    todo.push(path);
                } else {
                    found.push(path.strip_prefix(&root).expect("below").to_owned());
                }
            }
        }
        found.sort();
        found
    }
}

/// Standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
