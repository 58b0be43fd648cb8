#!/bin/bash
# Installs what building and testing need, and only what is missing: Debian packages (as root, or with sudo) and, where
# rustup is, rustfmt and clippy. Running it again changes nothing.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

packages=(
    # LLVM 22: the compilers, the plugin's headers, the tools of the tests (FileCheck, lit).
    clang-22 flang-22 llvm-22-dev llvm-22-tools lld-22 libclang-22-dev libclang-rt-22-dev
    # What LLVM's static parts and isl want.
    autoconf automake libtool pkg-config libzstd-dev zlib1g-dev
    # A second rustc on the system's LLVM 22.
    rustc-web cargo-web
    # Everything else that the scripts call.
    binutils cmake curl gcc g++ git libc6-dev make python3 python3-venv
)

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done

if [ "${#missing[@]}" -gt 0 ]; then
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "setup: needs root or sudo to install: ${missing[*]}" >&2
            exit 1
        }
        as_root=(sudo DEBIAN_FRONTEND=noninteractive)
    fi
    echo "setup: installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

if command -v rustup >/dev/null; then
    components=$(rustup component list --installed)
    for component in rustfmt clippy; do
        grep -q "^$component" <<<"$components" || rustup component add "$component"
    done
elif ! command -v cargo >/dev/null; then
    echo "setup: no cargo: install Rust from https://rustup.rs" >&2
    exit 1
fi
