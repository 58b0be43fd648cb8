#!/usr/bin/env python3
"""Builds whole programs with the stock compilers and with hexpass, runs both, and says what became of their time loops.

    coverage.py TABLE.toml [--bin target/release] [--mirror DIR] [--cache DIR] [--only WORD] [--jobs N]
                [--json FILE] [--table FILE]

TABLE.toml names the programs: where each comes from, how it is built and run, and what of its output counts (see
README.md beside this file). Nothing of a program is kept here; sources are cloned into the cache when the script runs.

Each program is built twice, in two copies of its folder. It runs three times: as the stock compiler made it, on
hexpass's CPU kernels whatever they cost (HEXPASS_DEVICE=cpu), and as a user would run it. All three must leave the same
output and the same files. The table says what the plugin took, what it gave as its reasons, and what the time was.

Exit status: 0; 1 when an output differs or a compiler crashed; 2 when the table or an option is not understood.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

KNOWN = {"name", "source", "commit", "language", "folder", "prepare", "build", "run", "files", "ignore", "counts",
         "loops", "note", "seconds", "small"}
STOCK = {"CC": "clang-22", "CXX": "clang++-22", "FC": "flang-22"}
WRAPPED = {"CC": "hexcc", "CXX": "hexc++", "FC": "hexflang"}
STEPS = {"STEPS": "16"}  # of programs whose table leaves them open
TAKEN, SWEEPS, PART, REJECTED = "tiled", "sweeps", "partly", "left"
SMALL, WRONG, BROKEN = "guarded", "WRONG", "not run"


def main():
    options = parse_arguments()
    try:
        programs = read_table(options.table_file)
    except (OSError, ValueError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"coverage: error: {options.table_file}: {error}")
    programs = [p for p in programs if options.only in p["name"]]
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda p: measure(p, options), programs))
    rows.sort(key=lambda row: row["name"])
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    text = as_markdown(rows)
    if options.table:
        Path(options.table).write_text(text)
    print(text)
    sys.exit(1 if any(row["verdict"] == WRONG or row.get("crashed") for row in rows) else 0)


def parse_arguments():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("table_file", type=Path, metavar="TABLE.toml")
    parser.add_argument("--bin", type=Path, default=here.parent.parent / "target" / "release",
                        help="where hexcc, hexflang and libhexpass.so are")
    parser.add_argument("--mirror", type=Path, help="take repositories from here (OWNER+NAME/repo) and not from the network")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "hexpass-coverage")
    parser.add_argument("--only", default="", help="only programs whose name contains this")
    parser.add_argument("--build-only", action="store_true", help="run nothing; for ratios.py")
    parser.add_argument("--places", type=int, default=1,
                        help="with --build-only: link each program so often, its code 16 bytes further on each time")
    parser.add_argument("--jobs", type=int, default=1, help="programs at once; more than one spoils the times")
    parser.add_argument("--json", help="write all that was found here")
    parser.add_argument("--table", help="write the table here")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    options.cache = options.cache.resolve()
    if not (options.bin / "hexcc").exists():
        parser.error(f"no hexcc in {options.bin}; run scripts/build.sh, or say --bin")
    if options.places > 1 and not options.build_only:
        parser.error("--places is for what ratios.py times: say --build-only too")
    return options


def read_table(path):
    """The programs of a table; ValueError says which key is unknown or missing."""
    programs = tomllib.loads(path.read_text())["program"]
    for program in programs:
        name = program.get("name", "?")
        for key in program.keys() - KNOWN:
            raise ValueError(f"{name}: unknown key '{key}'; known are {', '.join(sorted(KNOWN))}")
        for key in {"name", "source", "build", "run"} - program.keys():
            raise ValueError(f"{name}: '{key}' is missing")
    return programs


def measure(program, options):
    """One row: builds, runs and compares one program."""
    row = {"name": program["name"], "language": program.get("language", "C"), "counts": program.get("counts", True),
           "note": program.get("note", "")}
    print(f"coverage: {program['name']}", file=sys.stderr, flush=True)
    try:
        origin = sources(program, options)
        work = options.cache / "work" / re.sub(r"[^\w.-]", "_", program["name"])
        shutil.rmtree(work, ignore_errors=True)
        for place in range(options.places):
            stock, wrapped = work / placed("stock", place), work / placed("hexpass", place)
            for copy in (stock, wrapped):
                shutil.copytree(origin, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
                shell(program.get("prepare", ""), copy / program.get("folder", ""), {}, "prepare")
            linker = linking_at(place, options) if place else {}
            report = work / placed("report.jsonl", place)
            build(program, stock, linker | {key: tool(options, key, value) for key, value in STOCK.items()},
                  work / placed("t-stock", place))
            build(program, wrapped, linker | {key: str(options.bin / value) for key, value in WRAPPED.items()},
                  work / placed("t-hexpass", place), hexpass=options.bin, report=report)
        row |= verdict_of(work / "report.jsonl")
        if options.build_only:
            row["verdict"] = TAKEN if row["taken"] else REJECTED
        else:
            run_all(program, row, work / "stock", work / "hexpass", work)
    except Failure as failure:
        row |= {"verdict": BROKEN, "why": str(failure), "crashed": failure.crashed}
    return row


class Failure(Exception):
    """A command of the table that failed; `crashed`: inside the compiler that had the plugin loaded."""

    def __init__(self, words, crashed=False):
        super().__init__(words)
        self.crashed = crashed


def sources(program, options):
    """The folder with the program's sources, cloned into the cache if it isn't there."""
    source = program["source"]
    if source.startswith(("/", ".")):
        return (options.table_file.parent / source).resolve()
    folder = options.cache / "src" / source.replace("/", "+")
    if not folder.exists():
        url = f"https://github.com/{source}"
        if options.mirror:
            found = [options.mirror / source.replace("/", "+") / "repo", options.mirror / source.replace("/", "+")]
            url = str(next((f for f in found if f.exists()), found[0]))
        done = subprocess.run(["git", "clone", "--quiet", url, str(folder)], capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"git clone {url}: {done.stderr.strip()[-200:]}")
        if commit := program.get("commit"):
            shell(f"git checkout --quiet {commit}", folder, {}, "checkout")
    return folder


def tool(options, key, name):
    return os.environ.get(f"STOCK_{key}", name)


def placed(name, place):
    """What the folders of a program's builds are called: `stock`, `stock-1`, …"""
    return f"{name}-{place}" if place else name


def linking_at(place, options):
    """An environment in which linkers (ld by clang and flang, cc by rustc) put 16·place bytes before a program's code.

    LLVM aligns loops to 16 bytes; how fast they are depends on where in 64 they begin.
    """
    folder = options.cache / "places" / str(place)
    folder.mkdir(parents=True, exist_ok=True)
    padding = folder / "padding.o"
    subprocess.run([STOCK["CC"], "-c", "-x", "assembler", "-", "-o", padding], check=True, text=True,
                   input=f'.section .text.placed, "axR", @progbits\n.p2align 4\n.skip {16 * place}, 0x90\n')
    for linker in ("ld", "cc"):
        script = folder / linker
        script.write_text(f'#!/bin/sh\ncase " $* " in *" -c "*) exec {shutil.which(linker)} "$@" ;; esac\n'
                          f'exec {shutil.which(linker)} {padding} "$@"\n')
        script.chmod(0o755)
    return {"COMPILER_PATH": str(folder), "PATH": f"{folder}:{os.environ['PATH']}"}


def build(program, place, compilers, target, hexpass=None, report=None):
    env = {"PATH": os.environ["PATH"]} | compilers | {"CARGO_TARGET_DIR": str(target)}
    if hexpass:
        env |= {"HEXPASS_REPORT": str(report), "PATH": f"{hexpass}:{env['PATH']}", "CARGO_HEXPASS": "hexpass"}
    shell(program["build"], place / program.get("folder", ""), env, "build")


def shell(command, folder, env, what, seconds=900):
    if not command.strip():
        return
    script = "set -e\n" + command
    try:
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=os.environ | env, capture_output=True, text=True,
                              errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failure(f"{what} took more than {seconds} s") from None
    except OSError as error:
        raise Failure(f"{what}: {error}") from None
    if done.returncode:
        last = (done.stderr or done.stdout).strip()
        crashed = "PLEASE submit a bug report" in last and "hexpass" in last
        raise Failure(f"{what}: {last[-300:]}", crashed)


def verdict_of(report):
    """What the plugin's report says of the program's loops."""
    lines = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
    taken = [line for line in lines if line["status"] == "transformed"]
    left = [line for line in lines if line["status"] != "transformed"]
    return {"taken": taken, "left": left}


def run_all(program, row, stock, wrapped, work):
    seconds = program.get("seconds", 300)
    plain, before = run_once(program, stock, {}, seconds)
    if plain is None:
        raise Failure("the stock compiler's program ends with a signal")
    stats = work / "stats.jsonl"
    forced, _ = run_once(program, wrapped, {"HEXPASS_DEVICE": "cpu", "HEXPASS_STATS": str(stats)}, seconds)
    auto, after = run_once(program, wrapped, {}, seconds)
    executions = [json.loads(line) for line in stats.read_text().splitlines()] if stats.exists() else []
    row["executions"] = summary(executions)
    ran = [e for e in executions if e.get("status") == "ran"]
    guarded = [e for e in executions if e.get("status") == "original" and e.get("reason") != "small-problem"]
    row["seconds"] = [round(before, 3), round(after, 3)]
    row["ratio"] = round(before / after, 2) if after > 0 else None
    same = plain == forced == auto
    wanted = program.get("loops", 1)
    if not same:
        row["verdict"] = WRONG
        row["why"] = "outputs differ"
    elif not row["taken"]:
        row["verdict"] = REJECTED
    elif not ran:
        row["verdict"] = SMALL
    elif guarded and any(line.get("apart") for line in row["taken"]):
        row["verdict"] = PART
    else:
        row["verdict"] = how_far(row, wanted)


def how_far(row, wanted):
    """The time loops are tiled; or all sweeps of their steps are taken one step at a time; or some are left."""
    place = lambda line: (line["function"], line["file"], line["line"])
    apart = {place(line) for line in row["taken"] if line.get("apart")}
    together = [line for line in row["taken"] if place(line) not in apart]
    if len(together) >= wanted:
        return TAKEN
    if len(row["taken"]) < wanted or any(place(line) in apart for line in row["left"]):
        return PART
    return SWEEPS


def summary(executions):
    """How often each nest ran where, and why not elsewhere."""
    counts = {}
    for e in executions:
        key = f"{e.get('function')}:{e.get('line')} {e.get('status')} {e.get('reason') or ''}".strip()
        counts[key] = counts.get(key, 0) + 1
    return counts


def run_once(program, place, env, seconds):
    """The digest of all that a run left, None if it ended with a signal, and its time."""
    folder = place / program.get("folder", "")
    files = program.get("files", [])
    for pattern in files:
        for old in folder.glob(pattern):
            old.unlink()
    start = time.monotonic()
    done = subprocess.Popen(["bash", "-c", program["run"]], cwd=folder, env=os.environ | STEPS | env, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        output, _ = done.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, signal.SIGKILL)
        done.communicate()
        raise Failure(f"run took more than {seconds} s") from None
    elapsed = time.monotonic() - start
    if done.returncode < 0 or 128 < done.returncode < 160:
        return None, elapsed
    digest = hashlib.sha256(str(done.returncode).encode())
    ignore = re.compile(program.get("ignore", r"$^").encode())
    for line in output.splitlines():
        if not ignore.search(line):
            digest.update(line + b"\n")
    for pattern in files:
        for made in sorted(folder.glob(pattern)):
            digest.update(made.name.encode() + made.read_bytes())
    return digest.hexdigest(), elapsed


def as_markdown(rows):
    counted = [row for row in rows if row["counts"]]
    tiled = [row for row in counted if row["verdict"] == TAKEN]
    sweeps = [row for row in counted if row["verdict"] == SWEEPS]
    lines = ["| program | language | verdict | reasons for what is left | time, -O3 ÷ hexpass |", "|---|---|---|---|---|"]
    for row in rows:
        verdict = row["verdict"] if row["counts"] else f"({row['verdict']})"
        lines.append(f"| {row['name']} | {row['language']} | {verdict} | {reasons(row)} | {row.get('ratio', '')} |")
    lines.append("")
    lines.append(f"{len(tiled) + len(sweeps)} of {len(counted)} programs that count: the time loops of {len(tiled)} are "
                 f"tiled, and all sweeps of {len(sweeps)} more are taken one step at a time.")
    return "\n".join(lines) + "\n"


def reasons(row):
    if "why" in row:
        return row["why"].replace("\n", " ").replace("|", "/")[-160:]
    seen = []
    for line in row.get("left", []):
        where = f"{Path(line['file'] or '?').name}:{line['line']}" if line.get("file") else line["function"]
        text = f"{line['reason']} ({where})"
        if text not in seen:
            seen.append(text)
    return ", ".join(seen[:6]) + (" …" if len(seen) > 6 else "")


if __name__ == "__main__":
    main()
