#!/bin/bash
# Runs every test; ends non-zero when one failed. Expects what scripts/build.sh leaves.
#
# Each step runs even if an earlier one failed: one run says all there is to say.
set -uo pipefail
cd "$(dirname "$0")/.."
release=$(realpath "${CARGO_TARGET_DIR:-target}")/release
jobs=${JOBS:-$(nproc)}
failed=()

step() {
    local name=$1
    shift
    echo "== $name"
    local started=$SECONDS
    if "$@"; then
        echo "== $name: ok ($((SECONDS - started)) s)"
    else
        echo "== $name: FAILED ($((SECONDS - started)) s)"
        failed+=("$name")
    fi
}

step "format" cargo fmt --all --check
step "clippy" cargo clippy --locked --release --workspace --all-targets --jobs "$jobs" -- --deny warnings
step "packaging" test-suite/packaging/run.sh "$release"
# The test-suite's tests among these drive the built tools: the corpus, and lit with FileCheck.
step "cargo test" env HEXPASS_BUILD="$release" \
    cargo test --locked --release --workspace --jobs "$jobs" --no-fail-fast

if [ "${#failed[@]}" -gt 0 ]; then
    printf 'FAILED: %s\n' "${failed[@]}"
    exit 1
fi
echo "all tests passed"
