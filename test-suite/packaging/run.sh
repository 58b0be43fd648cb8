#!/bin/bash
# Tests the packed archive: its symbols, and links into C and into Rust programs of two rustc versions.
#
#   test-suite/packaging/run.sh TARGET_RELEASE
#
# What packing could break (unwinding, threads) is tested with a small library that is packed as the runtime is;
# the runtime itself is looked at and linked.
set -euo pipefail
release=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
pack=$here/../../scripts/pack-runtime.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

expect() {
    local what=$1 wanted=$2 got
    shift 2
    got=$("$@" 2>&1) || got="exit $?: $got"
    if [ "$got" = "$wanted" ]; then
        echo "ok   $what"
    else
        echo "FAIL $what: wanted '$wanted', got '${got:0:2000}'"
        failures=$((failures + 1))
    fi
}
compile_and_run() { "$@" -o program && ./program; }

libraries=(-ldl -lpthread -lm)
# As hexcc --print-rustflags writes them, for any archive and without the plugin.
rustflags() {
    HEXPASS_PLUGIN=$1 HEXPASS_RUNTIME=$1 "$release/hexcc" --print-rustflags | sed 's/^-Zllvm-plugins=[^ ]* //'
}
rustcs=(rustc)
[ -x /usr/bin/rustc ] && [ "$(command -v rustc)" != /usr/bin/rustc ] && rustcs+=(/usr/bin/rustc)

rustc --edition 2024 -O --crate-type staticlib -g --crate-name fixture "$here/fixture.rs" -o raw.a
"$pack" raw.a libfixture.a
cp libfixture.a once.a
expect "one member" "hexrt.o" ar t libfixture.a
expect "only hexrt_* is global" "hexrt_anchor hexrt_fixture hexrt_link" \
    sh -c "nm -g --defined-only libfixture.a | awk 'NF == 3 { print \$3 }' | sort | xargs"
expect "packing twice gives the same archive" "" sh -c "'$pack' raw.a again.a && cmp again.a once.a"
if "$pack" "$(clang-22 -print-file-name=libc_nonshared.a)" none.a 2>/dev/null || [ -e none.a ]; then
    echo "FAIL an archive without hexrt_* is refused"
    failures=$((failures + 1))
else
    echo "ok   an archive without hexrt_* is refused"
fi

c=(clang-22 -O2 "$here/user.c")
expect "C, without the runtime" -1 compile_and_run "${c[@]}"
expect "C" 0 compile_and_run "${c[@]}" libfixture.a "${libraries[@]}"
expect "C needs no libgcc_s" "" sh -c "readelf -d program | grep libgcc_s; true"
expect "C, -fPIC" 0 compile_and_run "${c[@]}" -fPIC libfixture.a "${libraries[@]}"
expect "C, gcc" 0 compile_and_run gcc -O2 "$here/user.c" libfixture.a "${libraries[@]}"
expect "C, --gc-sections" 0 compile_and_run "${c[@]}" -Wl,--gc-sections libfixture.a "${libraries[@]}"
expect "C, lld" 0 compile_and_run "${c[@]}" -fuse-ld=lld -Wl,--undefined=hexrt_link libfixture.a "${libraries[@]}"
expect "C++" 0 compile_and_run clang++-22 -O2 -x c "$here/user.c" -x none libfixture.a "${libraries[@]}"
for rustc in "${rustcs[@]}"; do
    version=$("$rustc" --version | cut -d' ' -f2)
    for flags in "" "-Cpanic=unwind -Copt-level=0" "-Clto=fat"; do
        # shellcheck disable=SC2046,SC2086
        expect "Rust $version $flags" 0 compile_and_run "$rustc" --edition 2024 -O $flags \
            "$here/user.rs" $(rustflags "$work/libfixture.a")
    done
done

runtime=$release/libhexrt.a
expect "runtime: one member" "hexrt.o" ar t "$runtime"
expect "runtime: only hexrt_* is global" "" \
    sh -c "nm -g --defined-only '$runtime' | awk 'NF == 3 { print \$3 }' | grep -v '^hexrt_'; true"
expect "runtime: the shared one exports the same functions" "" sh -c "
    nm -g --defined-only '$runtime' | awk '\$2 == \"T\" { print \$3 }' | sort > static
    nm -D --defined-only '$release/libhexrt.so' | awk '\$3 ~ /^hexrt_/ && \$2 == \"T\" { print \$3 }' | sort > shared
    diff static shared"
expect "runtime: needs no libcuda to start" "" \
    sh -c "readelf -d '$release/libhexrt.so' | grep -i 'NEEDED.*cuda'; true"
for linker in bfd lld; do
    expect "runtime: C, $linker" -1 compile_and_run "${c[@]}" "-fuse-ld=$linker" \
        -Wl,--whole-archive "$runtime" -Wl,--no-whole-archive "${libraries[@]}"
done
printf 'fn main() { assert!(std::panic::catch_unwind(|| panic!()).is_err()); println!("0"); }\n' > plain.rs
for rustc in "${rustcs[@]}"; do
    # shellcheck disable=SC2046
    expect "runtime: Rust $("$rustc" --version | cut -d' ' -f2)" 0 \
        sh -c "RUST_BACKTRACE=0 $rustc -O plain.rs $(rustflags "$runtime") -o program && ./program 2>/dev/null"
done

# A library of ours must not ask whoever links with it for anything that the runtime has not.
cat > heat.c <<'C'
void heat(double *u, double *v, int n, int steps)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            v[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
        double *w = u;
        u = v;
        v = w;
    }
}
C
cat > of_heat.c <<'C'
void heat(double *u, double *v, int n, int steps);
int main(void)
{
    double u[4] = {1.0, 0.0, 0.0, 1.0}, v[4] = {1.0, 0.0, 0.0, 1.0};
    heat(u, v, 4, 2);
    return u[1] != 0.4375;
}
C
expect "a shared library has the runtime" "" "$release/hexcc" -O2 -fPIC -shared heat.c -o libheat.so
expect "a program that links with it" "" compile_and_run clang-22 of_heat.c ./libheat.so

# make install, and the cmake package that it installs.
PREFIX=/opt/hexpass DESTDIR=$work/root CARGO_TARGET_DIR=$(dirname "$release") "$here/../../scripts/install.sh"
prefix=$work/root/opt/hexpass
for wrapper in hexcc hexc++ hexflang; do
    expect "installed: $wrapper finds its pieces" "$prefix/lib/libhexpass.so" "$prefix/bin/$wrapper" --print-plugin
    expect "installed: $wrapper is healthy" "" sh -c "'$prefix/bin/$wrapper' --doctor | grep FAIL; true"
done
if command -v cmake >/dev/null; then
    expect "cmake configures" "" sh -c "cmake -S '$here/cmake' -B cmake -DCMAKE_PREFIX_PATH='$prefix' \
        -DCMAKE_C_COMPILER=clang-22 -DCMAKE_Fortran_COMPILER=flang-22 > cmake.log 2>&1 || cat cmake.log"
    expect "cmake builds" "" sh -c "cmake --build cmake --verbose > cmake.log 2>&1 || cat cmake.log"
    expect "cmake: static and shared libraries have the runtime" "1 1" ./cmake/program
    expect "cmake: Fortran" 7 ./cmake/fortran
    expect "cmake: every source saw the plugin" 4 grep -c -- '-fpass-plugin=.* -c ' cmake.log
    expect "cmake: another compiler is refused" "" sh -c "cmake -S '$here/cmake' -B other \
        -DCMAKE_PREFIX_PATH='$prefix' -DCMAKE_C_COMPILER=gcc -DCMAKE_Fortran_COMPILER=flang-22 2>&1 |
        grep -q 'hexpass: .*gcc (GNU)' || echo accepted"
fi
[ "$failures" -eq 0 ]
