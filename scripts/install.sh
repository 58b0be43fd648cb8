#!/bin/bash
# Copies what scripts/build.sh leaves below $DESTDIR$PREFIX.
#
#   PREFIX=/usr/local DESTDIR= scripts/install.sh
set -euo pipefail
cd "$(dirname "$0")/.."
release=${CARGO_TARGET_DIR:-target}/release
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix

install -d "$root/bin" "$root/lib/cmake/Hexpass" "$root/share/doc/hexpass"
install -m 755 "$release/hexcc" "$release/hexflang" "$release/cargo-hexpass" "$root/bin"
ln -sfn hexcc "$root/bin/hexc++"
install -m 644 "$release/libhexrt.a" "$root/lib"
install -m 755 "$release/libhexpass.so" "$release/libhexrt.so" "$root/lib"
install -m 644 cmake/*.cmake "$root/lib/cmake/Hexpass"
find . -maxdepth 1 \( -name 'LICENSE-*' -o -name '*.md' \) -exec install -m 644 -t "$root/share/doc/hexpass" {} +
