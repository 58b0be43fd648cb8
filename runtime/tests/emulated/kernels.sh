#!/bin/sh
# Makes the .ll and .ptx files beside this script from kernels.c, with LLVM 22.
set -eu
cd "$(dirname "$0")"
for name in jacobi warp flow numbers; do
    define=$(echo "$name" | tr a-z A-Z)
    clang-22 --target=nvptx64-nvidia-cuda -march=sm_75 -Xclang -target-feature -Xclang +ptx63 \
        -nocudalib -O2 -ffp-contract=off -fno-math-errno -D"$define" -S -emit-llvm kernels.c -o - |
        sed 's/"target-cpu"="[^"]*"//; s/"target-features"="[^"]*"//' > "$name.ll"
    llc-22 -mcpu=sm_75 -mattr=+ptx63 "$name.ll" -o "$name.sm_75.ptx"
    llc-22 -mcpu=sm_90 "$name.ll" -o "$name.sm_90.ptx"
done
