#!/bin/bash
# Packs a Rust static library into an archive of one relocatable object whose only global symbols are hexrt_*.
#
#   scripts/pack-runtime.sh RAW.a OUT.a
#
# Why: a static library as rustc writes it carries all of std. Linked into a Rust program of another rustc it gives
# `multiple definition of rust_eh_personality`, and its tens of megabytes go to every user.
#
# The script adds two symbols of its own, as the weak references to hexrt_* in transformed code alone would not bring the
# archive in. hexrt_anchor: objects with transformed code hold a common symbol of that name, for which GNU ld takes the
# archive's definition and with it the runtime. hexrt_link: --undefined=hexrt_link makes any linker take the archive.
#
# GCC's unwinder, which stops panics, goes in too: libgcc_s.so would take every program of C or Fortran a tenth of a
# millisecond to load. Nothing unwinds from the runtime into a program or back, so that each may have its own.
#
# Refuses (and leaves OUT.a alone): no hexrt_* in RAW.a, another global symbol in the result, an unresolved symbol of Rust.
set -euo pipefail

raw=$(realpath "$1")
out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "pack-runtime: $*" >&2
    exit 1
}

# Bitcode that rustc leaves in std's objects makes nm's LLVM plugin complain: what nm says on stderr is of no interest.
globals() { nm --extern-only --defined-only "$1" 2>/dev/null | awk 'NF == 3 { print $3 }'; }

mapfile -t roots < <(globals "$raw" | grep '^hexrt_' | sort -u)
[ "${#roots[@]}" -gt 0 ] || fail "$1 defines no hexrt_* symbol"

as -o "$work/anchor.o" - <<'ASM'
    .section .rodata.hexrt_anchor, "a"
    .globl hexrt_anchor, hexrt_link
    .type hexrt_anchor, @object
    .type hexrt_link, @object
    .size hexrt_anchor, 1
    .size hexrt_link, 1
hexrt_anchor:
hexrt_link:
    .byte 1
    .section .note.GNU-stack, "", @progbits
ASM

# One object of what the entry points reach. Section groups are resolved: a localised symbol must not be thrown out in
# favour of another program's group of the same name.
unwinder=$(cc -print-file-name=libgcc_eh.a)
[ -e "$unwinder" ] || fail "the C compiler has no libgcc_eh.a"
ld -r --gc-sections --force-group-allocation "${roots[@]/#/--undefined=}" --undefined=hexrt_anchor \
    "$work/anchor.o" "$raw" "$unwinder" -o "$work/all.o"
# What --gc-sections leaves out has left its undefined symbols behind, and a shared library would ask for them.
objcopy --strip-debug --strip-unneeded --remove-section=.llvmbc --remove-section=.llvmcmd \
    --wildcard --keep-global-symbol='hexrt_*' "$work/all.o" "$work/hexrt.o"

foreign=$(globals "$work/hexrt.o" | grep -v '^hexrt_' || true)
[ -z "$foreign" ] || fail "global symbols besides hexrt_*: $foreign"
kept=$(globals "$work/hexrt.o" | wc -l)
[ "$kept" -eq $((${#roots[@]} + 2)) ] || fail "$kept symbols kept of ${#roots[@]} and the two added"
unresolved=$(nm --undefined-only "$work/hexrt.o" | awk '$2 ~ /^(_R|_ZN.*17h|rust_|__rust|_Unwind_)/ { print $2 }')
[ -z "$unresolved" ] || fail "unresolved symbols of Rust or its unwinder: $unresolved"
groups=$(readelf --section-groups --wide "$work/hexrt.o" | grep -c 'group section' || true)
[ "$groups" -eq 0 ] || fail "$groups section groups are left"

ar rcsD "$work/libhexrt.a" "$work/hexrt.o"
mkdir -p "$(dirname "$out")"
# A new file, moved over the old one: cargo keeps its own library under the same name as a hard link.
cp "$work/libhexrt.a" "$out.new"
mv -f "$out.new" "$out"
