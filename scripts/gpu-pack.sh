#!/bin/bash
# Builds target/gpu-pack, a folder that checks and times hexpass on a machine which has nothing but an NVIDIA driver, and
# gpu-pack.tar.xz of it.
# Expects what scripts/build.sh leaves. test-suite/gpu/run.sh says how the pack is used.
#
#   scripts/gpu-pack.sh [ONLY]     ONLY: part of a name such as bench/heat2d5-f32 or corpus/fdtd2d_flat
#
# HEXPASS_BUILD  where hexcc lies (default: target/release)
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath "${CARGO_TARGET_DIR:-target}")
pack=$target/gpu-pack
most=$((60 * 1024)) # KiB
export HEXPASS_BUILD=${HEXPASS_BUILD:-$target/release}

cargo build --locked --release --package hexpass-test-suite --bin gpu-driver --bin gpu-pack

rm -rf "$pack"
mkdir -p "$pack/bin"
"$target/release/gpu-pack" "$pack" "$@"
install -m 755 "$target/release/gpu-driver" "$pack/bin"
install -m 755 test-suite/gpu/run.sh "$pack"
install -m 644 LICENSE-MIT LICENSE-APACHE "$pack"

find "$pack" \( -name '*.mod' -o -name '*.o' -o -name '*.ld' \) -delete
while IFS= read -r -d '' file; do
    # Programs and the library; text files are none of strip's business.
    if [ "$(head -c 4 "$file" | tail -c 3)" = ELF ]; then
        strip --strip-all "$file"
    fi
done < <(find "$pack" -type f -print0)

tar --create --xz --file "$pack.tar.xz" --directory "$target" gpu-pack

failed=$(grep -c '"problem": "' "$pack/manifest.json" || true)
size=$(du --summarize --block-size=1K "$pack.tar.xz" | cut -f1)
echo "$pack.tar.xz: $((size / 1024)) MiB, $failed programs could not be built as they should"
[ "$size" -lt "$most" ] || {
    echo "gpu-pack: larger than $((most / 1024)) MiB" >&2
    exit 1
}
