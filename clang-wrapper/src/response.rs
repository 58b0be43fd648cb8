//! Response files: `@file` stands for the arguments in it.
//!
//! They are read only to see what the compiler is asked for; the compiler gets `@file` as it was. Consumes the
//! arguments, produces them with every readable file expanded. An unreadable file stays as it is: so does clang's.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Nesting past this depth is taken for a cycle and left alone.
const DEEPEST: usize = 16;

/// `args` with the contents of the response files in place of their names.
pub fn expand(args: &[OsString], read: &dyn Fn(&Path) -> Option<Vec<u8>>) -> Vec<OsString> {
    let mut out = Vec::with_capacity(args.len());
    expand_into(args, read, DEEPEST, &mut out);
    out
}

fn expand_into(
    args: &[OsString],
    read: &dyn Fn(&Path) -> Option<Vec<u8>>,
    depth: usize,
    out: &mut Vec<OsString>,
) {
    for arg in args {
        let contents = match arg.as_bytes().split_first() {
            Some((b'@', name)) if depth > 0 => read(Path::new(OsStr::from_bytes(name))),
            _ => None,
        };
        match contents {
            Some(text) => expand_into(&tokens(&text), read, depth - 1, out),
            None => out.push(arg.clone()),
        }
    }
}

/// The words of a response file, as GNU tools and clang split them: blanks separate; quotes of either kind and
/// backslashes keep.
fn tokens(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (_, b'\\') => word.get_or_insert_default().extend(bytes.next()),
            (Some(open), _) if byte == open => quote = None,
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (None, _) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(args: &[&str], files: &[(&str, &str)]) -> Vec<String> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let read = |path: &Path| {
            files
                .iter()
                .find(|(name, _)| Path::new(name) == path)
                .map(|(_, text)| text.as_bytes().to_vec())
        };
        expand(&args, &read).into_iter().map(|a| a.into_string().expect("UTF-8")).collect()
    }

    #[test]
    fn words_are_split_as_gnu_tools_do() {
        let files = [("r", "-c 'a b.c'\n\t-DX=\\\"y\\\" \"q\"'r' ''")];
        assert_eq!(expanded(&["@r"], &files), ["-c", "a b.c", "-DX=\"y\"", "qr", ""]);
    }

    #[test]
    fn files_nest_and_missing_ones_stay() {
        let files = [("r", "-O2 @s"), ("s", "-c x.c @t")];
        assert_eq!(expanded(&["@r", "-g"], &files), ["-O2", "-c", "x.c", "@t", "-g"]);
    }

    #[test]
    fn a_cycle_ends() {
        assert_eq!(expanded(&["@r"], &[("r", "@r")]), ["@r"]);
    }
}
