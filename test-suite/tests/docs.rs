//! The documentation names what the code names: reasons as headings of `docs/reasons.md`, variables as rows of the
//! tables in `README.md`. Both are read as text: nothing is linked, nothing has to be built.

use std::collections::BTreeSet;
use std::path::Path;

/// A file of the repository.
fn text(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// What stands between `before` and `after`, wherever a line of `text` holds both.
fn between<'a>(text: &'a str, before: &str, after: &str) -> BTreeSet<&'a str> {
    let inside = |line: &'a str| {
        let rest = &line[line.find(before)? + before.len()..];
        rest.find(after).map(|end| &rest[..end])
    };
    text.lines().filter_map(inside).collect()
}

/// The part of a file from a line that starts with `from` to the next that starts with `to`.
fn section<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let at =
        |line: &str| if text.starts_with(line) { Some(0) } else { text.find(&format!("\n{line}")) };
    let start = at(from).unwrap_or_else(|| panic!("no line starts with {from:?}"));
    let rest = &text[start + 1..];
    rest.find(&format!("\n{to}")).map_or(rest, |end| &rest[..end])
}

/// Names in code quotes that headings of the third level consist of.
fn headings(text: &str) -> BTreeSet<&str> {
    between(text, "### `", "`")
}

/// Variables in the first column of tables.
fn rows(text: &str) -> BTreeSet<&str> {
    let tables = text.lines().filter(|l| l.starts_with("| `HEXPASS"));
    let first_column = tables.filter_map(|l| l.split('|').nth(1));
    first_column.flat_map(|c| c.split(',')).map(|v| v.trim().trim_matches('`')).collect()
}

/// `HEXPASS` and everything that begins with it, in quotes.
fn quoted_variables(text: &str) -> BTreeSet<&str> {
    text.split('"').filter(|w| *w == "HEXPASS" || w.starts_with("HEXPASS_")).collect()
}

#[test]
fn every_reason_of_rejection_has_a_heading() {
    let code = text("plugin/poly/src/rejection.rs");
    let names = between(&code, " = \"", "\",");
    assert!(names.len() > 10, "the list of reasons was not found: {names:?}");
    let book = text("docs/reasons.md");
    assert_eq!(headings(section(&book, "# Why a loop", "# ")), names);
}

#[test]
fn every_reason_of_the_runtime_has_a_heading() {
    let code = text("runtime/src/error.rs");
    let names = between(&code, " => \"", "\",");
    assert!(names.len() > 10, "the list of reasons was not found: {names:?}");
    let book = text("docs/reasons.md");
    assert_eq!(headings(section(&book, "# Why a nest", "# ")), names);
}

#[test]
fn every_variable_at_compile_time_has_a_row() {
    let code = text("plugin/src/options.rs");
    let variables = between(&code, "variable: \"", "\"");
    assert!(variables.len() > 4, "the table was not found: {variables:?}");
    let readme = text("README.md");
    assert_eq!(rows(section(&readme, "At compile time", "At run time")), variables);
}

#[test]
fn every_variable_at_run_time_has_a_row() {
    let code = text("runtime/src/options.rs");
    let variables = between(&code, "name: \"", "\"");
    assert!(variables.len() > 4, "the table was not found: {variables:?}");
    let readme = text("README.md");
    assert_eq!(rows(section(&readme, "At run time", "The wrappers read")), variables);
}

#[test]
fn every_variable_of_the_wrappers_has_a_row() {
    let code = text("clang-wrapper/src/pieces.rs");
    let variables = quoted_variables(&code);
    assert!(variables.len() > 4, "no variable was found: {variables:?}");
    let readme = text("README.md");
    assert_eq!(rows(section(&readme, "The wrappers read", "## ")), variables);
}

#[test]
fn links_between_the_documents_lead_somewhere() {
    for file in [
        "README.md",
        "ARCHITECTURE.md",
        "docs/README.md",
        "docs/use.md",
        "docs/reasons.md",
        "docs/derive.md",
    ] {
        let folder = Path::new(file).parent().unwrap();
        let text_of_file = text(file);
        for link in text_of_file.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("http") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = folder.join(path);
            let target = if path.is_empty() { Path::new(file).to_owned() } else { target };
            let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&target);
            assert!(full.exists(), "{file}: {link} leads nowhere");
            if !anchor.is_empty() {
                let there = text(&target.to_string_lossy());
                let found = there.lines().filter(|l| l.starts_with('#')).any(|l| slug(l) == anchor);
                assert!(found, "{file}: {link}: no such heading");
            }
        }
    }
}

/// The anchor of a heading, as GitHub makes it.
fn slug(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
