//! The built programs, with a script for a compiler that prints what it was called with.

mod common;

use common::{Sandbox, output, stderr, stdout};
use pretty_assertions::assert_eq;
use std::fs;
use std::process::Output;

/// A sandbox whose `fake` prints its arguments, one to a line, writes to stderr and ends with 7.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(b"");
    let script = "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\necho diagnostics >&2\nexit 7\n";
    sandbox.write_script("fake", script);
    sandbox
}

fn run(sandbox: &Sandbox, wrapper: &str, args: &[&str], env: &[(&str, &str)]) -> Output {
    let fake = sandbox.path("fake");
    let mut command = sandbox.command(sandbox.wrapper(wrapper), "work");
    for variable in ["HEXPASS_CLANG", "HEXPASS_CLANGXX", "HEXPASS_FLANG"] {
        command.env(variable, &fake);
    }
    output(command.args(args).envs(env.iter().copied()))
}

#[test]
fn the_compiler_takes_over() {
    let sandbox = sandbox();
    let output = run(&sandbox, "hexcc", &["-c", "a b.c"], &[]);
    let plugin = sandbox.path("prefix/bin/../lib/libhexpass.so");
    let plugin = plugin.canonicalize().expect("installed");
    let printed = stdout(&output);
    let lines: Vec<_> = printed.lines().skip(1).collect();
    assert_eq!(lines, [&format!("-fpass-plugin={}", plugin.display()), "-c", "a b.c"]);
    assert_eq!(stderr(&output), "diagnostics\n");
    assert_eq!(output.status.code(), Some(7));
    assert!(sandbox.files("work").is_empty(), "no side files");
}

#[test]
fn each_wrapper_runs_its_own_compiler() {
    let sandbox = sandbox();
    let pairs = [
        ("hexcc", "HEXPASS_CLANG", "a.c"),
        ("hexc++", "HEXPASS_CLANGXX", "a.cpp"),
        ("hexflang", "HEXPASS_FLANG", "a.f90"),
    ];
    for (wrapper, variable, source) in pairs {
        let script = format!("#!/bin/sh\necho {wrapper} \"$1\"\n");
        let compiler = sandbox.write_script("own", &script);
        let env = [(variable, compiler.to_str().expect("UTF-8"))];
        let printed = stdout(&run(&sandbox, wrapper, &["-c", source], &env));
        assert!(printed.starts_with(&format!("{wrapper} -fpass-plugin=/")), "{printed}");
    }
}

#[test]
fn pieces_are_found_beside_the_program_and_overridden_by_the_environment() {
    let sandbox = sandbox();
    sandbox.write("prefix/bin/libhexpass.so", b"");
    sandbox.write("other/plugin.so", b"");
    let beside = stdout(&run(&sandbox, "hexcc", &["--print-plugin"], &[]));
    assert_eq!(beside.trim(), sandbox.path("prefix/bin/libhexpass.so").display().to_string());
    let env = [("HEXPASS_PLUGIN", "../other/plugin.so")];
    let output = run(&sandbox, "hexcc", &["--print-plugin"], &env);
    assert!(stdout(&output).trim().starts_with('/'), "an absolute path");
    assert!(stdout(&output).trim().ends_with("other/plugin.so"));
    let output = run(&sandbox, "hexcc", &["--print-runtime"], &[]);
    assert!(stdout(&output).trim().ends_with("libhexrt.a"));
}

#[test]
fn rustflags_are_one_line_with_the_runtime() {
    let sandbox = sandbox();
    let output = run(&sandbox, "hexcc", &["--print-rustflags"], &[]);
    assert!(output.status.success());
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 1);
    assert!(text.starts_with("-Zllvm-plugins=/"), "{text}");
    assert!(text.contains("-Clink-arg=/") && text.contains("libhexrt.a"), "{text}");
    for flag in text.split_whitespace() {
        let known = ["-Zllvm-plugins=", "-Clink-arg=", "-Ccodegen-units=1"];
        assert!(known.iter().any(|start| flag.starts_with(start)), "{flag}");
    }
}

#[test]
fn own_options_are_own_only_alone() {
    let sandbox = sandbox();
    let output = run(&sandbox, "hexcc", &["--print-plugin", "a.c"], &[]);
    assert_eq!(output.status.code(), Some(7), "the compiler's business");
    assert!(stdout(&output).ends_with("--print-plugin\na.c\n"));
    let output = run(&sandbox, "hexcc", &["--help-hexpass"], &[]);
    assert!(stdout(&output).contains("HEXPASS_PLUGIN"), "{}", stdout(&output));
    assert!(output.status.success());
}

#[test]
fn off_adds_nothing() {
    let sandbox = sandbox();
    let output = run(&sandbox, "hexcc", &["a.c", "-o", "b"], &[("HEXPASS", "off")]);
    let printed = stdout(&output);
    assert_eq!(printed.lines().skip(1).collect::<Vec<_>>(), ["a.c", "-o", "b"]);
}

#[test]
fn a_missing_plugin_is_said_and_stops() {
    let sandbox = sandbox();
    fs::remove_file(sandbox.path("prefix/lib/libhexpass.so")).expect("removed");
    let output = run(&sandbox, "hexcc", &["-c", "a.c"], &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("hexcc: error: libhexpass.so not found (tried: "));
    let output = run(&sandbox, "hexcc", &["-E", "a.c"], &[]);
    assert_eq!(output.status.code(), Some(7), "-E needs no plugin");
}

#[test]
fn a_missing_compiler_is_said() {
    let sandbox = sandbox();
    let output = run(&sandbox, "hexcc", &["-c", "a.c"], &[("HEXPASS_CLANG", "/no/such/clang")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot run '/no/such/clang'"), "{}", stderr(&output));
}

#[test]
fn a_link_named_clang_does_not_call_itself() {
    let sandbox = sandbox();
    std::os::unix::fs::symlink(sandbox.wrapper("hexcc"), sandbox.path("clang-22")).expect("link");
    sandbox.write_script("later/clang-22", "#!/bin/sh\necho the real one\n");
    let folders = [sandbox.path(""), sandbox.path("later")];
    let path = std::env::join_paths(folders).expect("a path");
    let mut command = sandbox.command(sandbox.path("clang-22"), "work");
    let output = output(command.env("PATH", path).args(["-E", "a.c"]));
    assert_eq!(stdout(&output), "the real one\n");
}

#[test]
fn the_doctor_says_what_is_wrong() {
    let sandbox = sandbox();
    let output = run(&sandbox, "hexcc", &["--doctor"], &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("FAIL compiler"), "{text}");
    assert!(text.contains("ok   plugin"), "{text}");
    assert!(text.contains("FAIL loads"), "{text}");
    assert!(text.contains("ok   runtime"), "{text}");
}
