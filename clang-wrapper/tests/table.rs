//! The rules of `argv` as a table: a mode, the user's arguments, the compiler's.
//!
//! In the expected line, PLUGIN stands for the plugin's flag and RUNTIME for the flags that search the archive;
//! TAKEN for the flags that take it in any case, SHARED for those of a shared object; LLD for the choice of LLVM's
//! linker, LOADED for the plugin's flag there.

use hexpass_clang_wrapper::argv::{Parts, compiler_argv};
use hexpass_clang_wrapper::options;
use hexpass_clang_wrapper::pieces::Missing;
use hexpass_clang_wrapper::request::Mode::{self, C, Cxx, Fortran};
use pretty_assertions::assert_eq;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

const PLUGIN: &str = "-fpass-plugin=/h/libhexpass.so";
const ARCHIVE: &str = "-Xlinker /h/libhexrt.a";
const LIBRARIES: &str = "-Wl,--push-state,--as-needed -ldl -lpthread -lm -Wl,--pop-state";

const TABLE: &[(Mode, &str, &str)] = &[
    // Compile and link, one or both.
    (C, "-O2 a.c", "PLUGIN -O2 a.c RUNTIME"),
    (C, "-c a.c", "PLUGIN -c a.c"),
    (C, "-c a.c -o a.o -O3 -march=native", "PLUGIN -c a.c -o a.o -O3 -march=native"),
    (C, "--compile a.c", "PLUGIN --compile a.c"),
    (C, "-O0 a.c", "PLUGIN -O0 a.c RUNTIME"),
    (C, "a.o b.o -o prog", "a.o b.o -o prog RUNTIME"),
    (C, "a.c b.o libz.a -lm", "PLUGIN a.c b.o libz.a -lm RUNTIME"),
    (C, "-o prog script.ld a.o", "-o prog script.ld a.o RUNTIME"),
    // Link-time optimisation: the linker gets the plugin, if it is LLVM's.
    (C, "-flto -O2 a.c", "PLUGIN -flto -O2 a.c LLD LOADED TAKEN"),
    (C, "-flto=thin a.o -o prog", "-flto=thin a.o -o prog LLD LOADED TAKEN"),
    (C, "-flto -fuse-ld=lld a.o", "-flto -fuse-ld=lld a.o LOADED TAKEN"),
    (C, "-flto --ld-path=/x/ld.lld a.o", "-flto --ld-path=/x/ld.lld a.o LOADED TAKEN"),
    (C, "-flto -fuse-ld=bfd a.o", "-flto -fuse-ld=bfd a.o RUNTIME"),
    (C, "-flto -fuse-ld=gold a.o", "-flto -fuse-ld=gold a.o TAKEN"),
    (C, "-flto -fno-lto a.o", "-flto -fno-lto a.o RUNTIME"),
    (C, "-flto -c a.c", "PLUGIN -flto -c a.c"),
    (
        C,
        "-flto -Wl,--load-pass-plugin=/o/libhexpass.so -fuse-ld=lld a.o",
        "-flto -Wl,--load-pass-plugin=/o/libhexpass.so -fuse-ld=lld a.o TAKEN",
    ),
    (Fortran, "-flto a.f90", "PLUGIN -flto a.f90 LLD LOADED TAKEN"),
    (Cxx, "-O2 a.cpp", "PLUGIN -O2 a.cpp RUNTIME"),
    (Cxx, "-c a.cc -std=c++20", "PLUGIN -c a.cc -std=c++20"),
    (C, "-c a.i", "PLUGIN -c a.i"),
    (C, "-c a.ll", "PLUGIN -c a.ll"),
    (C, "-c a.bc", "PLUGIN -c a.bc"),
    (C, "-static a.c", "PLUGIN -static a.c RUNTIME"),
    (C, "-### a.c", "PLUGIN -### a.c RUNTIME"),
    (C, "-v a.c", "PLUGIN -v a.c RUNTIME"),
    // Code, but no link.
    (C, "-S a.c", "PLUGIN -S a.c"),
    (C, "-S -emit-llvm a.c", "PLUGIN -S -emit-llvm a.c"),
    (C, "-c -MD -MF a.d a.c", "PLUGIN -c -MD -MF a.d a.c"),
    (C, "-MMD -MP -MT x.o -c a.c", "PLUGIN -MMD -MP -MT x.o -c a.c"),
    // No code.
    (C, "-E a.c", "-E a.c"),
    (C, "-E -dM -x c /dev/null", "-E -dM -x c /dev/null"),
    (C, "-M a.c", "-M a.c"),
    (C, "-MM a.c", "-MM a.c"),
    (C, "-c -MM a.c", "-c -MM a.c"),
    (C, "-fsyntax-only a.c", "-fsyntax-only a.c"),
    (C, "--analyze a.c", "--analyze a.c"),
    (C, "a.h", "a.h"),
    (C, "-x c-header a.h -o a.pch", "-x c-header a.h -o a.pch"),
    (Cxx, "-xc++-header a.hpp", "-xc++-header a.hpp"),
    // Questions, and nothing at all.
    (C, "", ""),
    (C, "-v", "-v"),
    (C, "-V -qversion", "-V -qversion"),
    (C, "-qversion", "-qversion"),
    (C, "--version", "--version"),
    (C, "--version a.c", "--version a.c"),
    (C, "-dumpmachine", "-dumpmachine"),
    (C, "-print-prog-name=ld", "-print-prog-name=ld"),
    (C, "-print-prog-name ld", "-print-prog-name ld"),
    (C, "-print-search-dirs", "-print-search-dirs"),
    (C, "--print-file-name libc.a", "--print-file-name libc.a"),
    (C, "-O2 -g", "-O2 -g"),
    (C, "-cc1 -emit-obj a.c", "-cc1 -emit-obj a.c"),
    (Fortran, "-fc1 a.f90", "-fc1 a.f90"),
    // Values of options are no inputs, and no options.
    (C, "-c -include a.h -I c.c -o b.c a.o", "-c -include a.h -I c.c -o b.c a.o"),
    (C, "-o -c a.c", "PLUGIN -o -c a.c RUNTIME"),
    (C, "-Xclang -E a.c", "PLUGIN -Xclang -E a.c RUNTIME"),
    (C, "-mllvm -S a.c", "PLUGIN -mllvm -S a.c RUNTIME"),
    (C, "-Xarch_host -c a.c", "PLUGIN -Xarch_host -c a.c RUNTIME"),
    (C, "-DX=a.c -Ia.c a.o", "-DX=a.c -Ia.c a.o RUNTIME"),
    // Assembler.
    (C, "-c a.s", "-c a.s"),
    (C, "-c a.S", "-c a.S"),
    (C, "a.s b.c", "PLUGIN a.s b.c RUNTIME"),
    (C, "-c -x assembler a.c", "-c -x assembler a.c"),
    // -x, and standard input.
    (C, "-c -x c -", "PLUGIN -c -x c -"),
    (C, "-x c - -o prog", "PLUGIN -x c - -o prog RUNTIME"),
    (C, "-xc++ odd.name -c", "PLUGIN -xc++ odd.name -c"),
    (C, "-x c odd.name", "PLUGIN -x c odd.name RUNTIME"),
    (C, "-x none a.o", "-x none a.o RUNTIME"),
    (C, "-x assembler a.c -x none b.c -c", "PLUGIN -x assembler a.c -x none b.c -c"),
    (C, "-E -", "-E -"),
    // Response files, looked into and passed untouched.
    (C, "@compile.rsp", "PLUGIN @compile.rsp"),
    (C, "@link.rsp", "@link.rsp RUNTIME"),
    (C, "@nested.rsp -O2", "PLUGIN @nested.rsp -O2"),
    (C, "-c @absent.rsp", "-c @absent.rsp"),
    // Links that take no runtime, or take it in another way.
    (C, "-r a.o b.o -o c.o", "-r a.o b.o -o c.o"),
    (C, "-Wl,-r a.o -o c.o", "-Wl,-r a.o -o c.o"),
    (C, "-nostdlib a.c", "PLUGIN -nostdlib a.c"),
    (C, "-m32 a.o", "-m32 a.o"),
    (C, "--target=aarch64-linux-gnu a.o", "--target=aarch64-linux-gnu a.o"),
    (C, "--target=x86_64-linux-gnu a.o", "--target=x86_64-linux-gnu a.o RUNTIME"),
    (C, "-shared -fPIC a.c -o a.so", "PLUGIN -shared -fPIC a.c -o a.so SHARED"),
    (C, "-fuse-ld=bfd a.o", "-fuse-ld=bfd a.o RUNTIME"),
    (C, "-fuse-ld=lld a.o", "-fuse-ld=lld a.o TAKEN"),
    (C, "--ld-path=/x/mold a.o", "--ld-path=/x/mold a.o TAKEN"),
    (C, "a.o -lhexrt", "a.o -lhexrt RUNTIME"),
    (C, "-O2 -- a.c", "PLUGIN -O2 TAKEN -- a.c"),
    (C, "-c -- a.c", "PLUGIN -c -- a.c"),
    (C, "-fpass-plugin=/o/libhexpass.so -c a.c", "-fpass-plugin=/o/libhexpass.so -c a.c"),
    (C, "-fpass-plugin=/o/other.so -c a.c", "PLUGIN -fpass-plugin=/o/other.so -c a.c"),
    (C, "-Wl,--start-group -lfoo", "-Wl,--start-group -lfoo RUNTIME"),
    (C, "--emit-static-lib a.o", "--emit-static-lib a.o"),
    // What is not known is no business of ours.
    (C, "-Werror -fno-such-flag -c a.c", "PLUGIN -Werror -fno-such-flag -c a.c"),
    (C, "--weird=x a.c", "PLUGIN --weird=x a.c RUNTIME"),
    (C, "-c a.f90", "-c a.f90"),
    // Fortran.
    (Fortran, "-O2 a.f90", "PLUGIN -O2 a.f90 RUNTIME"),
    (Fortran, "-c a.F90 -J mods", "PLUGIN -c a.F90 -J mods"),
    (Fortran, "-module-dir c.f90 a.o", "-module-dir c.f90 a.o RUNTIME"),
    (Fortran, "a.o b.o -o prog", "a.o b.o -o prog RUNTIME"),
    (Fortran, "-E a.F90", "-E a.F90"),
    (Fortran, "-x f95 -c odd.name", "PLUGIN -x f95 -c odd.name"),
    (Fortran, "-shared -fPIC a.f90", "PLUGIN -shared -fPIC a.f90 SHARED"),
];

fn parts() -> Parts {
    Parts {
        plugin: Ok(PathBuf::from("/h/libhexpass.so")),
        runtime: Ok(PathBuf::from("/h/libhexrt.a")),
        lld: true,
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let text = match path.to_str()? {
        "compile.rsp" => "-c 'a.c' -o \"a b.o\"",
        "link.rsp" => "a.o\nb.o\n-o prog\n",
        "nested.rsp" => "-DX @compile.rsp",
        _ => return None,
    };
    Some(text.into())
}

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn wrapped(mode: Mode, line: &str, off: bool) -> String {
    let argv = compiler_argv(mode, &words(line), off, &parts(), &read).expect("nothing is missing");
    let argv: Vec<_> = argv.into_iter().map(|arg| arg.into_string().expect("UTF-8")).collect();
    argv.join(" ")
}

#[test]
fn every_row_holds() {
    let runtime = format!("{ARCHIVE} {LIBRARIES}");
    let taken = format!("-Wl,--undefined=hexrt_link {runtime}");
    let shared = format!("-Wl,--exclude-libs,libhexrt.a {runtime}");
    for (mode, given, expected) in TABLE {
        let expected = expected
            .replace("PLUGIN", PLUGIN)
            .replace("LLD", "-fuse-ld=lld")
            .replace("LOADED", "-Xlinker --load-pass-plugin=/h/libhexpass.so")
            .replace("RUNTIME", &runtime)
            .replace("TAKEN", &taken)
            .replace("SHARED", &shared);
        assert_eq!(wrapped(*mode, given, false), expected, "{mode:?}: {given}");
    }
}

#[test]
fn off_passes_everything_as_it_is() {
    for (mode, given, _) in TABLE {
        assert_eq!(wrapped(*mode, given, true), *given);
    }
}

#[test]
fn without_llvms_linker_the_link_is_the_users() {
    let parts = Parts { lld: false, ..parts() };
    let argv = compiler_argv(C, &words("-flto a.o"), false, &parts, &read).expect("all is there");
    let line: Vec<_> = argv.iter().map(|arg| arg.to_string_lossy()).collect();
    assert_eq!(line.join(" "), format!("-flto a.o {ARCHIVE} {LIBRARIES}"));
}

#[test]
fn arguments_need_not_be_text() {
    let odd = OsString::from_vec(b"\xff\xfe.c".to_vec());
    let argv = compiler_argv(C, &["-c".into(), odd.clone()], false, &parts(), &read);
    assert_eq!(argv, Ok(vec![PLUGIN.into(), "-c".into(), odd]));
}

#[test]
fn a_missing_piece_matters_only_where_it_is_needed() {
    let missing =
        Missing { name: "libhexpass.so", variable: "HEXPASS_PLUGIN", tried: vec!["/h".into()] };
    let parts = Parts { plugin: Err(missing.clone()), runtime: Err(missing.clone()), lld: false };
    let run = |line: &str| compiler_argv(C, &words(line), false, &parts, &read);
    assert_eq!(run("-c a.c"), Err(missing.clone()));
    assert_eq!(run("a.o"), Err(missing.clone()));
    assert_eq!(run("-E a.c"), Ok(words("-E a.c")));
    assert!(missing.to_string().contains("HEXPASS_PLUGIN"));
}

/// clang's own option table, where LLVM's headers are installed, has no option with a separate value that ours lacks.
#[test]
fn the_option_lists_are_clangs() {
    let Ok(table) = std::fs::read_to_string("/usr/lib/llvm-22/include/clang/Options/Options.inc")
    else {
        eprintln!("clang's option table is not installed: nothing to compare with");
        return;
    };
    let mut compared = 0;
    for line in table.lines().filter(|line| line.starts_with("OPTION(")) {
        let Some((_, rest)) = line.split_once("/* ") else { continue };
        let Some((name, fields)) = rest.split_once(" */, ") else { continue };
        let fields: Vec<_> = fields.split(", ").collect();
        let driver = fields.iter().any(|field| {
            field.split(" | ").any(|word| matches!(word, "DefaultVis" | "FlangOption"))
        });
        let separate = matches!(fields.get(1), Some(&("Separate" | "JoinedOrSeparate")));
        if driver && separate && name.starts_with('-') {
            assert_eq!(options::following_values(name), 1, "{name}");
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} options compared");
}
