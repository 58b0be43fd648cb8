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

/// The first half of `docs/reasons.md` after its introduction, made from the closed list (`rejection.rs`), from what
/// to change (`advice.rs`), and from the smallest program that is left for a reason and its like that is taken
/// (`lit/rejections`, `lit/fixes`, which lit checks).
fn reasons() -> String {
    let list = text("plugin/poly/src/rejection.rs");
    let advice = text("plugin/poly/src/advice.rs");
    let mut book = String::new();
    let mut doc = Vec::new();
    for line in list.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix("/// ") {
            doc.push(words);
        } else if let Some((variant, name)) = line.split_once(" = \"") {
            let name = name.trim_end_matches("\",");
            let change = advice_of(&advice, variant);
            book += &format!("\n### `{name}`\n\n{} To change: {change}.\n", doc.join(" "));
            book += &example("rejections", name);
            book += &example("fixes", name);
            doc.clear();
        } else {
            doc.clear();
        }
    }
    book
}

/// The sentence of one arm.
fn advice_of<'a>(advice: &'a str, variant: &str) -> &'a str {
    let arm = advice
        .split(&format!("Reason::{variant} =>"))
        .nth(1)
        .unwrap_or_else(|| panic!("no advice for {variant}"));
    arm.split('"').nth(1).expect("a string")
}

/// The words that open a program of `lit/`, and the program; empty where there is none (nobody can write a bug down).
fn example(folder: &str, name: &str) -> String {
    let file = format!("test-suite/lit/{folder}/{name}.c");
    if name == "bug" {
        return String::new();
    }
    let program: String =
        text(&file).lines().filter(|l| !l.starts_with("//")).map(|l| format!("{l}\n")).collect();
    let (before, rest) = program.split_once("/*").unwrap_or_else(|| panic!("{file}: no comment"));
    let (words, code) = rest.split_once("*/").unwrap_or_else(|| panic!("{file}: no comment"));
    let words = words.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let code = format!("{}\n\n{}", before.trim(), code.trim());
    let label = if folder == "fixes" { "Taken: " } else { "Left: " };
    format!("\n{label}{}\n\n```c\n{}\n```\n", words.trim(), code.trim())
}

#[test]
fn the_reasons_are_made_from_the_list() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reasons.md");
    let book = text("docs/reasons.md");
    let first = book.find("\n### `").expect("a reason");
    let rest = book.find("\n# Why a nest").expect("the second half");
    let wanted = format!("{}{}{}", &book[..first], reasons(), &book[rest..]);
    if std::env::var_os("HEXPASS_BLESS").is_some() {
        std::fs::write(&file, &wanted).expect("docs/reasons.md can be written");
        return;
    }
    assert!(
        book == wanted,
        "docs/reasons.md is not what the list says: run this test with HEXPASS_BLESS=1"
    );
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
