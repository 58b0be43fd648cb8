#!/bin/bash
# Builds everything that users get into target/release: libhexpass.so, libhexrt.a, libhexrt.so, hexcc, hexc++, hexflang,
# cargo-hexpass.
#
# libhexrt.a is built on its own and packed (see pack-runtime.sh). The runtime's Cargo.toml names no static library, so
# that no other cargo command puts an unpacked one in its place.
set -euo pipefail
cd "$(dirname "$0")/.."
release=${CARGO_TARGET_DIR:-target}/release
jobs=${JOBS:-$(nproc)}

cargo build --locked --release --jobs "$jobs" --package hexpass --package hexrt --package hexpass-clang-wrapper
cargo rustc --locked --release --jobs "$jobs" --package hexrt --lib --crate-type staticlib
# The same file where nothing was rebuilt, and then mv would refuse.
rm -f "$release/libhexrt-unpacked.a"
# Away at once: an unpacked archive must not stand there if packing fails.
mv -f "$release/libhexrt.a" "$release/libhexrt-unpacked.a"
scripts/pack-runtime.sh "$release/libhexrt-unpacked.a" "$release/libhexrt.a"
ln -sfn hexcc "$release/hexc++"

for file in libhexpass.so libhexrt.a libhexrt.so hexcc hexc++ hexflang cargo-hexpass; do
    test -e "$release/$file" || { echo "build: $release/$file is missing" >&2; exit 1; }
done
