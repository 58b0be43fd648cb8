#!/bin/sh
# What ptxas makes of device kernels: registers, spills, instructions by class. No GPU is needed.
#
#   scripts/sass.sh [--arch 90] FILE…     PTX texts, objects or programs
#
# PTXAS and NVDISASM name the tools; otherwise those of PyPI are put in target/sass, with Python's venv.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
venv=${CARGO_TARGET_DIR:-$root/target}/sass

if [ -z "${PTXAS:-}" ] || [ -z "${NVDISASM:-}" ]; then
    # The assembler is the one of test-suite/gpu/registers.txt; PyPI has no disassembler that old.
    if [ ! -x "$venv/nvdisasm" ]; then
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet 'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-nvdisasm>=13.2,<14'
        for tool in ptxas nvdisasm; do
            found=$(find "$venv" -path "*/bin/$tool" -type f | head -1)
            [ -n "$found" ] || { echo "sass.sh: PyPI's packages hold no $tool" >&2; exit 1; }
            ln -sf "$found" "$venv/$tool"
        done
    fi
    export PTXAS="$venv/ptxas" NVDISASM="$venv/nvdisasm"
fi
exec cargo run --quiet --release --manifest-path "$root/Cargo.toml" -p hexpass-test-suite --bin sass -- "$@"
