"""Tests of remarks, IR and whole compilations, checked with FileCheck. `cargo test --test lit` runs them, or, after
`make build`, for one file:

    HEXPASS_BUILD=target/release /usr/lib/llvm-22/bin/lit -v test-suite/lit/taken.c

Substitutions: %clang, %clangxx, %flang, %opt (the stock tool with the plugin), %hexcc, %hexcxx, %hexflang, %cargo-hexpass
(the wrappers), %plugin, %runtime (paths), %plain-clang, %plain-flang (the stock compilers).
"""

import os
import shutil

import lit.formats

here = os.path.dirname(os.path.abspath(__file__))
llvm = "/usr/lib/llvm-22/bin"
target = os.environ.get("CARGO_TARGET_DIR", os.path.join(here, "../../target"))
build = os.path.abspath(os.environ.get("HEXPASS_BUILD", os.path.join(target, "release")))
plugin = os.path.join(build, "libhexpass.so")

config.name = "hexpass"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".c", ".cpp", ".f90", ".ll", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = here
config.test_exec_root = os.environ.get("HEXPASS_LIT_OUTPUT", os.path.join(build, "../lit"))

for needed in ("libhexpass.so", "libhexrt.a", "hexcc"):
    if not os.path.exists(os.path.join(build, needed)):
        lit_config.fatal(f"{needed} is missing in {build}: run make build")

# What the caller has set changes no test: the tests set what they want.
for name in [name for name in config.environment if name.startswith("HEXPASS")]:
    del config.environment[name]
# rustup and cargo find their toolchains and caches by these.
for name in ("HOME", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["PATH"] = os.pathsep.join([llvm, os.environ.get("PATH", "")])


def tool(name):
    """A compiler by its versioned name, or the one in LLVM's own folder."""
    return shutil.which(name) or os.path.join(llvm, name.removesuffix("-22"))


# Longer names come before those they begin with: lit replaces text.
config.substitutions += [
    ("%plain-clang", tool("clang-22")),
    ("%plain-flang", tool("flang-22")),
    ("%clangxx", f"{tool('clang++-22')} -fpass-plugin={plugin}"),
    ("%clang", f"{tool('clang-22')} -fpass-plugin={plugin}"),
    ("%flang", f"{tool('flang-22')} -fpass-plugin={plugin}"),
    ("%opt", f"{llvm}/opt -load-pass-plugin={plugin}"),
    ("%cargo-hexpass", os.path.join(build, "cargo-hexpass")),
    ("%hexcc", os.path.join(build, "hexcc")),
    ("%hexcxx", os.path.join(build, "hexc++")),
    ("%hexflang", os.path.join(build, "hexflang")),
    ("%plugin", plugin),
    ("%runtime", os.path.join(build, "libhexrt.a")),
]
