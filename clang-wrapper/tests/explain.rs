//! `--explain`: which arguments it keeps, and what the listing looks like.

use hexpass_clang_wrapper::explain::{Notes, Request, listing};
use pretty_assertions::assert_eq;
use std::ffi::OsString;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

/// A command line, the sources in it, and the options that are kept.
const LINES: &[(&str, &str, &str)] = &[
    ("a.c", "a.c", ""),
    ("-O3 a.c b.c", "a.c b.c", "-O3"),
    ("-O3 -c a.c -o a.o -Iinc -I inc", "a.c", "-O3 -Iinc -I inc"),
    ("a.c b.o -lm -L. -Wl,-x -Xlinker -y -o prog", "a.c", "-L."),
    ("-flto=thin -flto -fuse-ld=lld -MD -MF a.d a.c", "a.c", ""),
    ("-DX=a.c -include c.c a.f90", "a.f90", "-DX=a.c -include c.c"),
    ("-x c odd.name", "odd.name", "-x c"),
    ("", "", ""),
];

#[test]
fn the_options_that_compile_are_kept() {
    for (line, sources, options) in LINES {
        let request = Request::new(&words(line));
        assert_eq!(request, Request { sources: words(sources), options: words(options) }, "{line}");
    }
}

const REPORT: &str = r#"
{"file":"a.c","line":2,"status":"transformed","message":"time loop tiled","variants":[{"target":"cpu","strategy":"hexagonal","sizes":{"h":3},"storage":"cache","bytes":0.5,"gain":16.0}]}
{"file":"a.c","line":5,"status":"rejected","reason":"call","message":"f is called","why":"A call.","change":"move it"}
{"file":"a.c","line":5,"status":"rejected","reason":"call","message":"f is called","why":"A call.","change":"move it"}
{"file":"a.c","line":4,"status":"transformed","message":"sweeps of one time step tiled","apart":true,"whole":{"reason":"call","message":"f is called (line 7)","change":"move it"}}
{"file":"other.c","line":1,"status":"rejected","reason":"call","message":"g is called","why":"A call.","change":"move it"}
not a line of ours
"#;

const SOURCE: &str = "void f() {\n  for (;;)\n    x;\n}\n    for (;;)\n";

#[test]
fn notes_stand_under_their_lines() {
    let expected = "a.c:
     1 | void f() {
     2 |   for (;;)
       |   ^ tiled: time loop tiled
       |     cpu: hexagonal h=3, values in cache; 0.50 bytes of memory traffic a point and step, 16.0 times less than untiled
     3 |     x;
     4 | }
       | ^ tiled: sweeps of one time step tiled
       |   the whole loop not: f is called (line 7) [call]
       |   change: move it
     5 |     for (;;)
       |     ^ left: f is called [call]
       |       why: A call.
       |       change: move it
";
    assert_eq!(listing("a.c", SOURCE, &Notes::of(REPORT), false), expected);
}

#[test]
fn a_file_without_a_candidate_says_so() {
    let expected = "b.c:\n     1 | x\n       | no loop here looks like a time loop\n";
    assert_eq!(listing("b.c", "x\n", &Notes::of(REPORT), false), expected);
}

#[test]
fn colours_go_around_what_is_printed_without_them() {
    let coloured = listing("a.c", SOURCE, &Notes::of(REPORT), true);
    let plain = ["\u{1b}[32m", "\u{1b}[33m", "\u{1b}[2m", "\u{1b}[0m"]
        .iter()
        .fold(coloured.clone(), |text, code| text.replace(code, ""));
    assert_ne!(coloured, plain);
    assert_eq!(plain, listing("a.c", SOURCE, &Notes::of(REPORT), false));
}
