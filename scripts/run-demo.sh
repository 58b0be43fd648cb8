#!/bin/sh
# Compiles examples/heat2d.c as it is with clang and with hexcc, runs both and compares.
# Leaves heat2d.png in the current directory.
#
#     scripts/run-demo.sh [size [steps]]
#
# HEXPASS_BUILD  where hexcc lies (default: target/release of this checkout)
# CLANG, CFLAGS  the stock compiler and the flags for both (default: clang-22, -O3)
# HEXPASS_DEVICE and its sisters reach the program.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
hexcc=${HEXPASS_BUILD:-$root/target/release}/hexcc
clang=${CLANG:-clang-22}
cflags=${CFLAGS:--O3}
size=${1:-4096}
steps=${2:-1000}

if [ ! -x "$hexcc" ]; then
    echo "$0: $hexcc is missing: run 'make build' first" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "compiling examples/heat2d.c: $clang $cflags, then hexcc $cflags"
# shellcheck disable=SC2086 # flags are words
"$clang" $cflags "$root/examples/heat2d.c" -o "$work/stock" -lm
# shellcheck disable=SC2086
HEXPASS_REPORT="$work/report" "$hexcc" $cflags "$root/examples/heat2d.c" -o "$work/tiled" -lm

echo "running clang's program"
"$work/stock" "$size" "$steps" "$work/stock.png" >"$work/stock.out"
echo "running hexcc's program"
HEXPASS_STATS="$work/stats" "$work/tiled" "$size" "$steps" heat2d.png >"$work/tiled.out"

value() { awk -v key="$2" '$1 == key { print $2 }' "$work/$1.out"; }
# A string or a flat object of the first statistics line.
stat() {
    [ -f "$work/stats" ] || return 0
    sed -n "1{s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p;s/.*\"$1\":{\\([^}]*\\)}.*/\\1/p;}" "$work/stats" |
        tr -d '"' | tr ':' '='
}

device=$(stat device)
name=$(stat device_name)
strategy=$(stat strategy)
sizes=$(stat sizes)
if [ -z "$device" ]; then
    why=$(stat message)
    device="original loop"
    name=${why:-$(sed -n '1s/.*"message":"\([^"]*\)".*/\1/p' "$work/report" 2>/dev/null || true)}
fi
if [ "$(value stock memory)" = "$(value tiled memory)" ] && cmp -s "$work/stock.png" heat2d.png; then
    same=yes
else
    same=NO
fi

printf '\n2-D heat, 5 points, float, %s x %s points, %s steps\n\n' "$size" "$size" "$steps"
awk -v a="$(value stock seconds)" -v b="$(value tiled seconds)" \
    -v ga="$(value stock GStencil/s)" -v gb="$(value tiled GStencil/s)" \
    -v device="$device${name:+ ($name)}" -v strategy="${strategy:--}" -v sizes="${sizes:--}" \
    -v same="$same" 'BEGIN {
        row = "%-20s  %16s  %s\n"
        printf row, "", "clang", "hexcc"
        printf row, "seconds", a, b
        printf row, "GStencil/s", ga, gb
        printf row, "ratio", "1", sprintf("%.2f", b > 0 ? a / b : 0)
        printf row, "device", "1 core", device
        printf row, "strategy", "-", strategy
        printf row, "sizes", "-", sizes
        printf row, "bit-identical", "-", same
    }'
printf '\nthe plate after %s steps: heat2d.png\n' "$steps"
[ "$same" = yes ]
