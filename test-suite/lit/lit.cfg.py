# Runs with Debian's lit: HEXPASS_BUILD=target/release lit test-suite/lit
# (cargo test --test lit does so.)
import os
import shutil

import lit.formats

here = os.path.dirname(os.path.abspath(__file__))
llvm = "/usr/lib/llvm-22/bin"

config.name = "hexpass"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".c", ".test"]
config.test_source_root = here
config.test_exec_root = os.environ.get("HEXPASS_LIT_OUTPUT", os.path.join(here, "../../target/lit"))

build = os.path.abspath(
    os.environ.get("HEXPASS_BUILD", os.path.join(here, "../../target/release")))
clang = shutil.which("clang-22") or os.path.join(llvm, "clang")
plugin = os.path.join(build, "libhexpass.so")

config.environment["PATH"] = os.pathsep.join([llvm, os.environ.get("PATH", "")])
config.substitutions.append(("%hexcc", os.path.join(build, "hexcc")))
config.substitutions.append(("%hexcxx", os.path.join(build, "hexc++")))
config.substitutions.append(("%hexflang", os.path.join(build, "hexflang")))
config.substitutions.append(("%plain-clang", clang))
config.substitutions.append(("%clang", f"{clang} -fpass-plugin={plugin}"))
