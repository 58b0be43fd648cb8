//! Files that the runtime keeps between runs: measured devices, remembered choices.
//!
//! Each is one JSON object that names the version of the contract it was written for. What is not there, can't be read
//! or was written for another version counts as empty and is written anew; all but the first is worth a line. Whatever is
//! wrong with a file, a process says one line about it.

use crate::report;
use hexpass_abi::VERSION;
use serde_json::{Map, Value, json};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Key of the version in a file.
const WRITTEN_FOR: &str = "hexpass";

/// A file of entries by name.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    entries: Map<String, Value>,
    /// Something has been said about the file.
    told: bool,
}

impl Store {
    /// What the file holds.
    pub fn open(path: &Path) -> Store {
        let mut store = Store { path: path.to_path_buf(), entries: Map::new(), told: false };
        match read(path) {
            Ok(entries) => store.entries = entries,
            Err(what) => store.tell(&format!("{}: {what}", path.display())),
        }
        store
    }

    /// Says the first thing that is wrong with the file.
    fn tell(&mut self, what: &str) {
        if !std::mem::replace(&mut self.told, true) {
            report::note(what);
        }
    }

    /// The entry of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.get(name)
    }

    /// Says that an entry is of no use, and forgets it.
    pub fn discard(&mut self, name: &str, why: &str) {
        let what = format!("{}: the entry for {name} {why}; it is ignored", self.path.display());
        self.tell(&what);
        self.entries.remove(name);
    }

    /// Adds or replaces an entry and writes the file. What other processes have added meanwhile is kept.
    pub fn put(&mut self, name: &str, value: Value) {
        if let Ok(theirs) = read(&self.path) {
            for (key, value) in theirs {
                self.entries.entry(key).or_insert(value);
            }
        }
        self.entries.insert(name.to_string(), value);
        if let Err(e) = self.write() {
            let what = format!("{} can't be written: {e}", self.path.display());
            self.tell(&what);
        }
    }

    /// In one step, so that no reader sees half a file.
    fn write(&self) -> io::Result<()> {
        let mut all = self.entries.clone();
        all.insert(WRITTEN_FOR.to_string(), json!(VERSION));
        let text = serde_json::to_string_pretty(&Value::Object(all))? + "\n";
        let mut aside = self.path.clone().into_os_string();
        aside.push(format!(".{}", std::process::id()));
        std::fs::write(&aside, text)?;
        std::fs::rename(&aside, &self.path).inspect_err(|_| {
            let _ = std::fs::remove_file(&aside);
        })
    }
}

fn read(path: &Path) -> Result<Map<String, Value>, String> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Map::new()),
        Err(e) => return Err(format!("can't be read ({e})")),
    };
    let Ok(Value::Object(mut entries)) = serde_json::from_slice(&bytes) else {
        return Err("is damaged; it will be written anew".to_string());
    };
    match entries.remove(WRITTEN_FOR) {
        Some(version) if version == json!(VERSION) => Ok(entries),
        _ => Err("was written by another version; it will be written anew".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_and_what_is_damaged_or_old_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.json");
        Store::open(&path).put("a", json!({"x": 1.5}));
        assert_eq!(Store::open(&path).get("a"), Some(&json!({"x": 1.5})));
        // Two processes: each keeps what the other has written.
        let (mut first, mut second) = (Store::open(&path), Store::open(&path));
        first.put("b", json!(2));
        second.put("c", json!(3));
        let both = Store::open(&path);
        assert_eq!((both.get("b"), both.get("c")), (Some(&json!(2)), Some(&json!(3))));
        for damage in [
            &b""[..],
            b"{\"a\": 1",
            b"[1]",
            b"{\"a\": 1}",
            b"{\"hexpass\": 0, \"a\": 1}",
            b"\x7fELF\x00\xff\xfe\x80",
        ] {
            std::fs::write(&path, damage).unwrap();
            let mut store = Store::open(&path);
            assert_eq!((store.get("a"), store.told), (None, true), "{damage:?}");
            store.put("b", json!(2));
            let again = Store::open(&path);
            assert_eq!((again.get("b"), again.told), (Some(&json!(2)), false), "{damage:?}");
        }
        // A folder that is not there, a folder in the file's place: nothing is kept, and nothing stops.
        let (nowhere, taken) = (folder.path().join("none/store.json"), folder.path().join("taken"));
        std::fs::create_dir(&taken).unwrap();
        for path in [&nowhere, &taken] {
            let mut store = Store::open(path);
            store.put("a", json!(1));
            assert_eq!((store.get("a"), store.told), (Some(&json!(1)), true), "{path:?}");
        }
        assert!(!nowhere.exists() && taken.read_dir().unwrap().next().is_none());
    }
}
