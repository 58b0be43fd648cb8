#!/usr/bin/env python3
"""How many instructions the original loop takes with hexpass, for each that the stock compiler's program takes.

    instructions.py TABLE.toml... --cache DIR [--steps FEW,MANY] [--only WORD] [--above RATIO] [--jobs N] [--out FILE.jsonl]

It counts what coverage.py --build-only has built: the stock compiler's program and hexpass's with the runtime switched off
(HEXPASS_MODE=off), by valgrind. Unlike times, that does not mind what else the machine does, nor where code lies. Each
program runs on its small grid with few and with many steps ($STEPS); the difference is that of its steps. Where a program's
table leaves the steps no choice, all of it is counted. It needs valgrind.

Exit status: 0; 1 when an output differs.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import coverage

VALGRIND = "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null"
KINDS = {"stock": {}, "hexpass": {"HEXPASS_MODE": "off"}}
COUNT = re.compile(r"I\s+refs:\s+([\d,]+)")


def main():
    options = parse_arguments()
    programs = [p for path in options.tables for p in coverage.read_table(path) if options.only in p["name"]]
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda program: row_of(program, options), programs))
    if options.out:
        options.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(as_markdown(rows, options.above))
    sys.exit(1 if any(row.get("differs") for row in rows) else 0)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tables", nargs="+", type=Path, metavar="TABLE.toml")
    parser.add_argument("--cache", type=Path, required=True, help="coverage.py's")
    parser.add_argument("--steps", default="4,12", help="of the two runs, where a program leaves them open")
    parser.add_argument("--only", default="", help="only programs with this in their names")
    parser.add_argument("--above", type=float, default=0, help="only rows with a ratio above this")
    parser.add_argument("--jobs", type=int, default=1, help="programs at once")
    parser.add_argument("--out", type=Path, help="write all that was counted here, one JSON object a line")
    options = parser.parse_args()
    options.steps = [int(number) for number in options.steps.split(",")]
    if len(options.steps) != 2 or options.steps[0] >= options.steps[1]:
        parser.error("--steps takes two numbers, the smaller one first")
    return options


def row_of(program, options):
    """The instructions of one program's steps by both compilers; `failed` where it could not be counted."""
    row = {"name": program["name"]}
    try:
        runs = {kind: runs_of(program, kind, options) for kind in KINDS}
        row["differs"] = any(a[1] != b[1] for a, b in zip(*runs.values()))
        row |= {kind: counted[-1][0] - (counted[0][0] if len(counted) > 1 else 0) for kind, counted in runs.items()}
    except coverage.Failure as failure:
        row["failed"] = str(failure)
    return row


def runs_of(program, kind, options):
    """Of each run, how many instructions it took and what it wrote."""
    name = re.sub(r"[^\w.-]", "_", program["name"])
    folder = options.cache / "work" / name / kind / program.get("folder", "")
    if not (folder / "a.out").exists():
        raise coverage.Failure("not built")
    line = program.get("small", program["run"])
    return [counted(line, folder, KINDS[kind] | {"STEPS": str(steps)}, program)
            for steps in (options.steps if "$STEPS" in line else options.steps[:1])]


def counted(line, folder, env, program):
    """The instructions of each a.out that a shell line runs, and what it wrote."""
    with tempfile.TemporaryDirectory() as logs:
        line = line.replace("./a.out", f"{VALGRIND} --log-file={logs}/%p ./a.out")
        try:
            done = subprocess.run(["bash", "-c", line], cwd=folder, env=os.environ | env, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, timeout=program.get("seconds", 300))
        except subprocess.TimeoutExpired:
            raise coverage.Failure("took too long") from None
        counts = [COUNT.search(log.read_text()) for log in Path(logs).iterdir()]
    if done.returncode:
        raise coverage.Failure(f"ended with status {done.returncode}")
    if not any(counts):
        raise coverage.Failure("its run names no ./a.out")
    return sum(int(count[1].replace(",", "")) for count in counts if count), done.stdout


def as_markdown(rows, above):
    ratio = lambda row: row["hexpass"] / max(row["stock"], 1)
    lines = ["| program | instructions, -O3 | with hexpass, runtime off | ratio |", "|---|---|---|---|"]
    for row in sorted((row for row in rows if "failed" not in row), key=ratio, reverse=True):
        if ratio(row) > above or row["differs"]:
            what = "WRONG: outputs differ" if row["differs"] else f"{ratio(row):.3f}"
            lines.append(f"| {row['name']} | {row['stock']} | {row['hexpass']} | {what} |")
    lines += [f"| {row['name']} | | | {row['failed']} |" for row in rows if "failed" in row]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
