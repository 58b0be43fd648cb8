#!/bin/bash
# Prints the CPU table: the benchmark programs of test-suite/bench by clang-22 on one core, and by hexcc with the same
# flags on all cores. Results go to target/bench.jsonl, one JSON object a row. Expects what scripts/build.sh leaves.
#
#   scripts/bench.sh [PATTERN[|PATTERN]]     parts of names such as heat2d5-f32; default: all
#
# HEXPASS_BUILD    where hexcc lies (default: target/release)
# HEXPASS_THREADS  reaches the runtime (default: all cores)
#
# Ends non-zero if memory differed in a row, or a row did not run tiled.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath "${CARGO_TARGET_DIR:-target}")
export HEXPASS_BUILD=${HEXPASS_BUILD:-$target/release}

cargo build --locked --release --quiet --package hexpass-test-suite --bin cpu-bench
"$target/release/cpu-bench" "$target/bench" "$@"
