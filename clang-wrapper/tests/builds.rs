//! Whole builds with the real compilers: `make CC=hexcc`, a configure script, links of every kind. What clang-22 does
//! with the same input is what is expected.
//!
//! The plugin here does nothing but load, so that only the wrapper is tested.

mod common;

use common::{Sandbox, output, stderr, stdout};
use pretty_assertions::assert_eq;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The plugin, built once.
fn plugin() -> &'static [u8] {
    static PLUGIN: OnceLock<Vec<u8>> = OnceLock::new();
    PLUGIN.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let library = folder.path().join("nothing.so");
        let built = Command::new("clang++-22")
            .args(["-shared", "-fPIC", "-O1", "-std=c++17", "-fno-rtti", "-fno-exceptions"])
            .args(["-I/usr/lib/llvm-22/include", "-o"])
            .arg(&library)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugin.cpp"))
            .status();
        assert!(built.expect("clang++-22 runs").success(), "the plugin compiles");
        std::fs::read(library).expect("the plugin")
    })
}

/// A sandbox with the plugin, and a runtime of one function.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(plugin());
    let source =
        "const char hexrt_anchor = 1, hexrt_link = 1;\nint hexrt_probe(void) { return 42; }\n";
    sandbox.write("rt/rt.c", source);
    let archive = sandbox.path("prefix/lib/libhexrt.a");
    std::fs::remove_file(&archive).expect("the stand-in");
    succeed(sandbox.command("clang-22", "rt").args(["-c", "-fPIC", "rt.c", "-o", "hexrt.o"]));
    succeed(sandbox.command("ar", "rt").arg("rcs").arg(&archive).arg("hexrt.o"));
    sandbox
}

fn succeed(command: &mut Command) -> Output {
    let output = output(command);
    assert!(output.status.success(), "{command:?}\n{}{}", stdout(&output), stderr(&output));
    output
}

/// Runs `args` with clang and with the wrapper in folders of their own, after `setup` has filled each.
fn both(
    sandbox: &Sandbox,
    pair: (&str, &str),
    setup: impl Fn(&str),
    run: impl Fn(&mut Command),
) -> (Output, Output) {
    let once = |program: &Path, folder: &str| {
        setup(folder);
        let mut command = sandbox.command(program, folder);
        run(&mut command);
        output(&mut command)
    };
    (once(Path::new(pair.0), "plain"), once(&sandbox.wrapper(pair.1), "wrapped"))
}

#[test]
fn probes_answer_as_clang_does() {
    let sandbox = sandbox();
    let probes: &[&[&str]] = &[
        &["--version"],
        &["-v"],
        &["-V"],
        &["-qversion"],
        &["-version"],
        &["-dumpmachine"],
        &["-dumpversion"],
        &["-print-prog-name=ld"],
        &["-print-search-dirs"],
        &["-print-multi-os-directory"],
        &[],
        &["-E", "conftest.c"],
        &["-E", "-dM", "-x", "c", "/dev/null"],
        &["-c", "conftest.c"],
        &["-c", "-Werror", "-Wall", "-Wextra", "conftest.c"],
        &["-Werror", "-Wall", "conftest.c", "-o", "conftest"],
        &["-Werror", "-fsuch-a-flag-is-unknown", "-c", "conftest.c"],
        &["-Werror", "-Wsuch-a-warning-is-unknown", "-c", "conftest.c"],
        &["-fPIC", "-DPIC", "-c", "conftest.c"],
        &["-shared", "-fPIC", "conftest.c", "-o", "conftest.so"],
        &["-static", "conftest.c", "-o", "conftest"],
        &["-r", "-nostdlib", "conftest.c", "-o", "conftest.o"],
        &["-Werror", "-fsyntax-only", "conftest.c"],
        &["-M", "conftest.c"],
        &["-MM", "-MF", "conftest.d", "conftest.c"],
        &["-Werror", "-MD", "-MP", "-MF", "conftest.d", "-c", "conftest.c"],
        &["-Werror", "-c", "conftest.s"],
        &["-S", "conftest.c", "-o", "-"],
        &["broken.c"],
        &["-c", "broken.c"],
        &["absent.c"],
        &["conftest.c", "-lsuch-a-library-is-unknown"],
        &["undefined.c"],
        &["-Werror", "-Wl,--version", "conftest.c"],
        &["-Werror", "-c", "conftest.c", "-lm"],
        &["-Werror", "-x", "c-header", "conftest.h", "-o", "conftest.pch"],
        &["@conftest.rsp"],
        &["@absent.rsp"],
        &["-m32", "-c", "conftest.c"],
        &["--", "conftest.c"],
    ];
    for probe in probes {
        let (plain, wrapped) = both(
            &sandbox,
            ("clang-22", "hexcc"),
            |folder| {
                let write = |name: &str, text: &str| {
                    sandbox.write(&format!("{folder}/{name}"), text);
                };
                write("conftest.c", "int main(void) { return 0; }\n");
                write("conftest.h", "int f(void);\n");
                write("conftest.s", ".globl f\nf: ret\n");
                write("broken.c", "int main(void) { return nowhere; }\n");
                write("undefined.c", "int f(void);\nint main(void) { return f(); }\n");
                write("conftest.rsp", "-c 'conftest.c' -o \"response.o\"");
            },
            |command| {
                command.args(*probe);
            },
        );
        assert_eq!(wrapped.status.code(), plain.status.code(), "{probe:?}: {}", stderr(&wrapped));
        assert_eq!(stdout(&wrapped), stdout(&plain), "{probe:?}");
        assert_eq!(neutral(&stderr(&wrapped)), neutral(&stderr(&plain)), "{probe:?}");
        assert_eq!(sandbox.files("wrapped"), sandbox.files("plain"), "{probe:?}");
    }
}

/// A message without the names of temporary objects, which differ from run to run, and without clang's second complaint
/// about an absent file: the runtime counts as an input.
fn neutral(message: &str) -> String {
    let message = message.replace("clang-22: error: no input files\n", "");
    let words = message.split_inclusive([' ', ':', '\n', '(']);
    words.map(|word| if word.contains("/tmp/") { "TEMPORARY " } else { word }).collect()
}

#[test]
fn untouched_programs_are_clangs_own() {
    let sandbox = sandbox();
    let flag_sets: &[&[&str]] = &[&[], &["-static"], &["-shared", "-fPIC"], &["-rdynamic"]];
    for flags in flag_sets {
        let setup = |folder: &str| {
            sandbox.write(&format!("{folder}/a.c"), "int main(void) { return 0; }\n");
        };
        // The build id covers the temporary object's name.
        let run = |command: &mut Command| {
            command.args(*flags).args(["-Wl,--build-id=none", "-s", "a.c", "-o", "a"]);
        };
        let (plain, wrapped) = both(&sandbox, ("clang-22", "hexcc"), setup, run);
        assert!(plain.status.success() && wrapped.status.success(), "{}", stderr(&wrapped));
        let read = |name: &str| std::fs::read(sandbox.path(name)).expect(name);
        assert!(read("plain/a") == read("wrapped/a"), "{flags:?}: the programs differ");
    }
}

/// A translation unit as the plugin leaves it: a weak reference to the runtime, and the anchor.
const TRANSFORMED: &str = "
extern int hexrt_probe(void) __attribute__((weak));
char hexrt_anchor __attribute__((common, visibility(\"hidden\"), used));
int probe(void) { return hexrt_probe ? hexrt_probe() : 0; }
";
const MAIN: &str = "int probe(void);\nint main(void) { return probe(); }\n";

#[test]
fn transformed_code_gets_the_runtime() {
    let sandbox = sandbox();
    sandbox.write("work/probe.c", TRANSFORMED);
    sandbox.write("work/main.c", MAIN);
    let hexcc = sandbox.wrapper("hexcc");
    let flag_sets: &[&[&str]] = &[
        &[],
        &["-fPIC"],
        &["-static"],
        &["-fuse-ld=bfd"],
        &["-fuse-ld=lld"],
        &["-fuse-ld=lld", "-fPIC"],
        &["-fuse-ld=lld", "-flto"],
        &["-fuse-ld=lld", "-flto=thin"],
        &["-no-pie"],
        &["-Wl,--gc-sections", "-ffunction-sections"],
        &["-rdynamic"],
    ];
    for flags in flag_sets {
        let mut build = sandbox.command(&hexcc, "work");
        succeed(build.args(["-Werror", "-O2"]).args(*flags).args(["main.c", "probe.c", "-o", "p"]));
        let status = output(&mut sandbox.command("./p", "work")).status;
        assert_eq!(status.code(), Some(42), "{flags:?}");
    }
    // Behind `--`, and with the object in an archive.
    succeed(sandbox.command(&hexcc, "work").args(["-o", "p", "--", "main.c", "probe.c"]));
    assert_eq!(output(&mut sandbox.command("./p", "work")).status.code(), Some(42));
    succeed(sandbox.command(&hexcc, "work").args(["-c", "probe.c", "main.c"]));
    succeed(sandbox.command("ar", "work").args(["rcs", "libprobe.a", "probe.o"]));
    succeed(sandbox.command(&hexcc, "work").args(["main.o", "-L.", "-lprobe", "-o", "p"]));
    assert_eq!(output(&mut sandbox.command("./p", "work")).status.code(), Some(42));
    // Without the runtime the original runs.
    succeed(sandbox.command("clang-22", "work").args(["main.o", "probe.o", "-o", "p"]));
    assert_eq!(output(&mut sandbox.command("./p", "work")).status.code(), Some(0));
}

#[test]
fn shared_objects_keep_their_runtime_to_themselves() {
    let sandbox = sandbox();
    sandbox.write("work/probe.c", TRANSFORMED);
    sandbox.write("work/main.c", MAIN);
    let hexcc = sandbox.wrapper("hexcc");
    for linker in ["-fuse-ld=bfd", "-fuse-ld=lld"] {
        let mut build = sandbox.command(&hexcc, "work");
        succeed(build.args([linker, "-shared", "-fPIC", "probe.c", "-o", "libprobe.so"]));
        let exported = succeed(sandbox.command("nm", "work").args(["-D", "libprobe.so"]));
        let exported = stdout(&exported);
        assert!(!exported.contains("hexrt_") && exported.contains("probe"), "{linker}: {exported}");
        let mut link = sandbox.command("clang-22", "work");
        succeed(link.args(["main.c", "./libprobe.so", "-o", "p"]));
        assert_eq!(output(&mut sandbox.command("./p", "work")).status.code(), Some(42));
    }
    // A shared object without the runtime is whole, too.
    let mut build = sandbox.command("clang-22", "work");
    succeed(build.args(["-shared", "-fPIC", "probe.c", "-o", "libprobe.so"]));
    succeed(sandbox.command("clang-22", "work").args(["main.c", "./libprobe.so", "-o", "p"]));
    assert_eq!(output(&mut sandbox.command("./p", "work")).status.code(), Some(0));
}

#[test]
fn make_with_cc_builds_a_project_in_folders() {
    let sandbox = sandbox();
    let makefile = "\
CFLAGS = -O2 -Wall -Werror -MMD -MP
SRC = src/main.c src/solver/step.c src/io/print.c
OBJ = $(SRC:.c=.o)
prog: $(OBJ) libaux.a
\t$(CC) $(LDFLAGS) -o $@ $(OBJ) -L. -laux -lm
libaux.a: src/aux.o
\t$(AR) rcs $@ $^
-include $(OBJ:.o=.d)
";
    let setup = |folder: &str| {
        let files = [
            ("Makefile", makefile),
            ("src/all.h", "double step(double);\nvoid print(double);\ndouble aux(double);\n"),
            (
                "src/main.c",
                "#include \"all.h\"\nint main(void) { print(aux(step(2.0))); return 0; }\n",
            ),
            (
                "src/solver/step.c",
                "#include <math.h>\n#include \"../all.h\"\ndouble step(double x) { return sqrt(x); }\n",
            ),
            (
                "src/io/print.c",
                "#include <stdio.h>\n#include \"../all.h\"\nvoid print(double x) { printf(\"%a\\n\", x); }\n",
            ),
            ("src/aux.c", "#include \"all.h\"\ndouble aux(double x) { return x * x; }\n"),
        ];
        for (name, text) in files {
            sandbox.write(&format!("{folder}/{name}"), text);
        }
    };
    setup("plain");
    setup("wrapped");
    succeed(sandbox.command("make", "plain").args(["-j2", "CC=clang-22"]));
    let cc = format!("CC={}", sandbox.wrapper("hexcc").display());
    succeed(sandbox.command("make", "wrapped").args(["-j2", &cc]));
    assert_eq!(sandbox.files("wrapped"), sandbox.files("plain"));
    let dependencies = |folder: &str| {
        std::fs::read_to_string(sandbox.path(folder).join("src/solver/step.d")).expect("a .d file")
    };
    assert_eq!(dependencies("wrapped"), dependencies("plain"));
    let plain = succeed(&mut sandbox.command("./prog", "plain"));
    let wrapped = succeed(&mut sandbox.command("./prog", "wrapped"));
    assert_eq!(wrapped.stdout, plain.stdout);
    let again = succeed(sandbox.command("make", "wrapped").args(["-q", &cc]));
    assert!(again.status.success(), "nothing is left to do");
}

/// What autoconf's generated scripts do with a compiler, in few lines: each answer goes to `config.log`.
///
/// One answer is known to differ and isn't asked: a link without `-lm` finds `sin`, as the runtime brings libm along.
const CONFIGURE: &str = r##"#!/bin/sh
: > config.log
check() { name=$1; shift; if "$@" >conftest.out 2>conftest.err; then echo "$name: yes"; else echo "$name: no ($?)"; fi >> config.log; }
for flag in --version -v -V -qversion -version; do check "CC $flag" $CC $flag; done
echo 'int main(void) { return 0; }' > conftest.c
check "default output" $CC conftest.c
ls a.out a.exe conftest.exe conftest 2>/dev/null >> config.log
check "runs" ./a.out
rm -f a.out
check "object" $CC -c conftest.c
ls conftest.o conftest.obj 2>/dev/null >> config.log
printf '#ifndef __GNUC__\nchoke me\n#endif\n' > conftest.c
check "GNU C" $CC -c conftest.c
printf '#include <ac_nonexistent.h>\n' > conftest.c
check "missing header" $CC -E conftest.c
printf '#include <limits.h>\nSyntax error\n' > conftest.c
check "preprocessor" $CC -E conftest.c
check "syntax error" $CC -c conftest.c
echo 'int main(void) { return 0; }' > conftest.c
for flag in -Wall -fopenmp-simd -ffast-math -march=native -qopenmp -xHost -fno-math-errno; do
  check "flag $flag" $CC -Werror $flag -c conftest.c
done
for mode in '-c -o out/conftest.o' '-MD -MP -MF conftest.d -c' '-Werror -static' '-Werror -shared -fPIC'; do
  mkdir -p out; check "mode $mode" $CC $mode conftest.c
  # libtool takes a flag that makes the compiler say anything for one that doesn't work.
  if test -s conftest.err; then echo "mode $mode: says something"; fi >> config.log
done
printf 'char sin();\nint main(void) { return sin() == 0; }\n' > conftest.c
check "sin in -lm" $CC conftest.c -lm
printf 'char z();\nint main(void) { return z(); }\n' > conftest.c
check "zlib without -lz" $CC conftest.c
printf 'char none();\nint main(void) { return none(); }\n' > conftest.c
check "none in -lnone" $CC conftest.c -lnone
rm -rf conftest* a.out out
"##;

#[test]
fn a_configure_script_finds_what_it_finds_with_clang() {
    let sandbox = sandbox();
    let log = |folder: &str, cc: &Path| {
        sandbox.write_script(&format!("{folder}/configure"), CONFIGURE);
        succeed(sandbox.command("./configure", folder).env("CC", cc));
        std::fs::read_to_string(sandbox.path(folder).join("config.log")).expect("a log")
    };
    let plain = log("plain", Path::new("clang-22"));
    let wrapped = log("wrapped", &sandbox.wrapper("hexcc"));
    assert!(plain.contains("runs: yes") && plain.contains("CC -qversion: no"), "{plain}");
    assert_eq!(wrapped, plain);
    assert_eq!(sandbox.files("wrapped"), sandbox.files("plain"), "no side files");
}

#[test]
fn the_other_languages_build() {
    let sandbox = sandbox();
    sandbox.write(
        "work/a.cpp",
        "#include <vector>\nint main() { return std::vector<int>(3).size() - 3; }\n",
    );
    sandbox.write("work/b.f90", "program b\n  print *, sum([1.0, 2.0])\nend program\n");
    let hexcxx = sandbox.wrapper("hexc++");
    succeed(sandbox.command(&hexcxx, "work").args(["-Werror", "-O2", "a.cpp", "-o", "a"]));
    succeed(&mut sandbox.command("./a", "work"));
    let hexflang = sandbox.wrapper("hexflang");
    let built = succeed(sandbox.command(&hexflang, "work").args(["-O2", "b.f90", "-o", "b"]));
    assert_eq!(stderr(&built), "");
    assert_eq!(stdout(&succeed(&mut sandbox.command("./b", "work"))).trim(), "3.");
    succeed(sandbox.command(&hexflang, "work").args(["-c", "b.f90"]));
    succeed(sandbox.command(&hexflang, "work").args(["b.o", "-o", "b"]));
}

#[test]
fn the_doctor_is_content() {
    let sandbox = sandbox();
    for wrapper in ["hexcc", "hexc++", "hexflang"] {
        succeed(sandbox.command(sandbox.wrapper(wrapper), "work").arg("--doctor"));
    }
}
