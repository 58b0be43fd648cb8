#!/usr/bin/env python3
"""How much faster or slower whole programs get, also on another machine than the one that built them.

    ratios.py pack TABLE.toml... --cache DIR --out PACK [--runtime libhexrt.so]
                                                       what runs need, from what coverage.py --build-only has built
    ratios.py run PACK --out FILE.jsonl [--budget SECONDS] [--only WORD]
                                                       compares outputs, then times, stock and hexpass by turns
    ratios.py table FILE.jsonl... [--below RATIO | --into FILE.md]
                                                       a Markdown table: time of -O3 ÷ time of hexpass

A program is timed as the stock compiler made it, with the runtime switched off (HEXPASS_MODE=off), and as users run it:
with one, two and all physical cores and no GPU, and with the GPU where there is one. Each time is the least of a few, and of
more where hexpass seems to be slower; where coverage.py has linked a program at several places, they take turns. Programs that run on one or two cores are timed side by side, each on cores of its own.

Exit status of run: 0; 1 when an output differs.
"""

import argparse
import collections
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

import coverage

# What a program's folder holds that no run needs.
SOURCES = ("*.c", "*.h", "*.cpp", "*.cxx", "*.cc", "*.cu", "*.f", "*.f90", "*.F90", "*.rs", "*.o", "*.mod", "*.md", "*.png",
           "*.pdf", "*.jpg", "*.gif", "*.ipynb", ".git*", "target", "t-*", "*.mp4", "*.orig", "*.eps")
LONGEST_FILE = 4 << 20
# What a table shows, beside the seconds that the stock compiler's program takes.
COLUMNS = ["off", "1 core", "2 cores", "all cores", "gpu"]
# A run whose number of steps is open takes at least this long, seconds.
FAIR = 0.06
MOST_STEPS = 1 << 15
# How much of the time there is goes to runs on one and two cores.
FEW = 0.45
# A ratio below this is timed again, so often at most: noise only ever adds time.
CLOSE = 0.97
MORE_TURNS = 60


def main():
    options = parse_arguments()
    sys.exit(options.action(options))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    actions = parser.add_subparsers(required=True)
    pack_ = actions.add_parser("pack")
    pack_.add_argument("tables", nargs="+", type=Path)
    pack_.add_argument("--cache", type=Path, required=True, help="coverage.py's")
    pack_.add_argument("--out", type=Path, required=True)
    pack_.add_argument("--runtime", type=Path, help="libhexrt.so, where programs were linked with it")
    pack_.set_defaults(action=pack)
    run_ = actions.add_parser("run")
    run_.add_argument("pack", type=Path)
    run_.add_argument("--out", type=Path, required=True, help="one JSON object a line is appended to it")
    run_.add_argument("--budget", type=float, default=3600, help="starts nothing new after so many seconds")
    run_.add_argument("--only", default="", help="only programs with this in their names")
    run_.add_argument("--turns", type=int, default=3, help="how often each is timed, after a first run that is compared")
    run_.add_argument("--patience", type=float, default=3, help="seconds for more turns where hexpass seems to be slower")
    run_.set_defaults(action=run)
    table_ = actions.add_parser("table")
    table_.add_argument("results", nargs="+", type=Path)
    table_.add_argument("--below", type=float, help="only rows with a ratio below this")
    table_.add_argument("--into", type=Path, help="put the columns into a table of coverage.py's, in this file")
    table_.set_defaults(action=table)
    return parser.parse_args()


# What runs need.


def pack(options):
    programs = []
    for path in options.tables:
        for program in coverage.read_table(path):
            entry = placed(program, path.stem, options)
            programs += [entry] if entry else []
    if options.runtime:
        library = options.out / "lib"
        library.mkdir(parents=True, exist_ok=True)
        shutil.copy(options.runtime, library / "libhexrt.so")
        subprocess.run(["strip", library / "libhexrt.so"], check=True)
    here = Path(__file__).resolve().parent
    for script in ("ratios.py", "coverage.py"):
        shutil.copy(here / script, options.out)
    (options.out / "programs.json").write_text(json.dumps(programs, indent=1))
    print(f"{len(programs)} programs in {options.out}")
    return 0


def placed(program, table_name, options):
    """The entry of one program, its folders copied; None where it was not built."""
    name = re.sub(r"[^\w.-]", "_", program["name"])
    work, folder = options.cache / "work" / name, program.get("folder", "")
    kinds = lambda place: [coverage.placed(kind, place) for kind in ("stock", "hexpass")]
    built = lambda place: all((work / kind / folder / "a.out").exists() for kind in kinds(place))
    places = next(place for place in itertools.count() if not built(place))
    if not places:
        print(f"{program['name']}: not built", file=sys.stderr)
        return None
    for kind in itertools.chain(*map(kinds, range(places))):
        place = options.out / "programs" / table_name / name / kind
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(work / kind / folder, place, ignore=needless)
        for pattern in program.get("files", []):
            for old in place.glob(pattern):
                old.unlink()
        subprocess.run(["strip", place / "a.out"], check=True)
    runs = {"": program["run"]} | ({"small": program["small"]} if "small" in program else {})
    kept = {key: program[key] for key in ("name", "language", "files", "ignore", "counts", "seconds") if key in program}
    return kept | {"place": f"programs/{table_name}/{name}", "places": places, "table": table_name, "runs": runs}


def needless(folder, names):
    sources = shutil.ignore_patterns(*SOURCES)(folder, names)
    paths = {name: Path(folder) / name for name in names}
    return sources | {n for n, p in paths.items() if p.is_symlink() or
                      p.is_file() and n != "a.out" and p.stat().st_size > LONGEST_FILE}


# Times.


class Setting(collections.namedtuple("Setting", "name kind cores env")):
    """One way to run a program: which build, on how many cores (0: all), in which environment."""


OFF = Setting("off", "hexpass", 1, {"HEXPASS_MODE": "off"})
STOCK = Setting("stock", "stock", 1, {})


def run(options):
    began = time.monotonic()
    programs = json.loads((options.pack / "programs.json").read_text())
    jobs = [Job(program, title, line, options) for program in programs for title, line in program["runs"].items()]
    jobs = [job for job in jobs if options.only in job.name]
    cores = physical_cores()
    hidden = without_gpu(options.pack)
    few = [STOCK, OFF, Setting("1 core", "hexpass", 1, hidden), Setting("2 cores", "hexpass", 2, hidden)]
    many = [STOCK._replace(cores=0), Setting("all cores", "hexpass", 0, hidden), Setting("gpu", "hexpass", 0, {})]
    print(f"{len(jobs)} runs, {len(cores)} cores: {cores}", file=sys.stderr, flush=True)
    with options.out.open("a") as out:
        results = Results(out)
        over = lambda part: time.monotonic() - began > options.budget * part
        # Two cores a worker, and some left for the system.
        workers = max(1, len(cores) // 2 - 1)
        # The corpus first: its runs are short.
        jobs.sort(key=lambda job: "$STEPS" not in job.program["run"])
        share(jobs, workers, lambda job, k: over(FEW) or results.add(
            job.measure(few, cores[2 * k:2 * k + 2], options.turns, options.patience)))
        print(f"{time.monotonic() - began:.0f} s: one and two cores are done", file=sys.stderr, flush=True)
        # The shortest first: what is left out is few then.
        for job in sorted(jobs, key=lambda job: job.stock):
            if not over(1) and not job.small:
                results.add(job.measure(many, cores, 1 + options.turns // 2, options.patience))
    left = sum(not job.measured for job in jobs)
    print(f"{len(jobs) - left} measured, {left} left out, {results.wrong} differ", file=sys.stderr)
    return 1 if results.wrong else 0


class Results:
    def __init__(self, out):
        self.out, self.lock, self.wrong = out, threading.Lock(), 0

    def add(self, row):
        with self.lock:
            self.wrong += bool(row.get("differs"))
            self.out.write(json.dumps(row) + "\n")
            self.out.flush()


class Job:
    """One command line of one program."""

    def __init__(self, program, title, line, options):
        self.program = program | {"run": line}
        self.name = f"{program['name']}, {title}" if title else program["name"]
        self.small = bool(title)
        self.place = options.pack / program["place"]
        self.library = {"LD_LIBRARY_PATH": str((options.pack / "lib").resolve())}
        self.steps = None
        self.stock = 0.0
        self.measured = False

    def measure(self, settings, cores, turns, patience):
        row = {"name": self.name, "language": self.program.get("language", "C"), "table": self.program["table"],
               "counts": self.program.get("counts", True), "cores": len(cores)}
        try:
            self.steps = self.steps or self.fair_steps(cores)
            row |= {"steps": self.steps} | self.compare(settings, cores)
            if not row["differs"]:
                row["seconds"] = self.time(settings, cores, turns, patience, row.pop("first"))
                self.stock = min(row["seconds"]["stock"])
        except coverage.Failure as failure:
            row["failed"] = str(failure)
        row.pop("first", None)
        self.measured = True
        return row

    def fair_steps(self, cores):
        """A number of steps with which the stock compiler's program takes FAIR seconds."""
        if "$STEPS" not in self.program["run"]:
            return None
        steps = 8
        for _ in range(5):
            _, seconds = self.once(STOCK, cores, steps)
            if seconds >= FAIR or steps >= MOST_STEPS:
                break
            steps = int(min(MOST_STEPS, steps * min(16, max(2, 1.3 * FAIR / seconds))))
        return steps

    def compare(self, settings, cores):
        """Whose outputs differ from the stock program's, where nests ran, and what the first runs took."""
        digests, first, executions = {}, {}, {}
        for setting in settings:
            stats = self.place / f"stats-{self.small}.jsonl"
            stats.unlink(missing_ok=True)
            digests[setting.name], first[setting.name] = self.once(setting, cores, self.steps, stats)
            executions[setting.name] = where_it_ran(stats)
        if digests["stock"] is None:
            raise coverage.Failure("the stock compiler's program ends with a signal")
        differs = [name for name, digest in digests.items() if digest != digests["stock"]]
        return {"differs": differs, "executions": executions, "first": first}

    def time(self, settings, cores, turns, patience, first):
        """By turns; long runs need fewer, and what seems to be slower than the stock compiler's program needs more."""
        seconds = {setting.name: [first[setting.name]] for setting in settings}
        places = self.program["places"]
        least = turns if first["stock"] < 1 else 1 if first["stock"] < 3 else 0
        least = max(least, places - 1)
        began = time.monotonic()
        for turn in range(least + MORE_TURNS):
            slower = min(seconds["stock"]) < CLOSE * max(min(times) for times in seconds.values())
            if turn >= least and not (slower and time.monotonic() - began < patience):
                break
            for setting in settings:
                seconds[setting.name].append(self.once(setting, cores, self.steps, place=(turn + 1) % places)[1])
        return {name: [round(t, 5) for t in times] for name, times in seconds.items()}

    def once(self, setting, cores, steps, stats=None, place=0):
        os.sched_setaffinity(0, cores[:setting.cores] if setting.cores else cores)
        env = self.library | {"STEPS": str(steps or "")} | ({"HEXPASS_STATS": str(stats.resolve())} if stats else {})
        for key, value in setting.env.items():
            env[key] = f"{value}:{env[key]}" if key in self.library else value
        folder = self.place / coverage.placed(setting.kind, place)
        return coverage.run_once(self.program, folder, env, self.program.get("seconds", 60))


def where_it_ran(stats):
    """How many executions ran where: {"cpu hexagonal": 3, "original small-problem": 1}."""
    counts = collections.Counter()
    for line in stats.read_text().splitlines() if stats.exists() else []:
        e = json.loads(line)
        counts[f"{e.get('device')} {e.get('strategy')}" if e["status"] == "ran" else
               f"{e['status']} {e.get('reason') or ''}".strip()] += 1
    return dict(counts)


def physical_cores():
    """One processor of each core, of those that may be used."""
    seen, cores = set(), []
    for cpu in sorted(os.sched_getaffinity(0)):
        siblings = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        core = siblings.read_text().strip() if siblings.exists() else str(cpu)
        if core not in seen:
            seen.add(core)
            cores.append(cpu)
    return cores


def without_gpu(pack):
    """An environment in which no driver is found: a file that is no library stands before it."""
    folder = (pack / "no-gpu").resolve()
    folder.mkdir(exist_ok=True)
    (folder / "libcuda.so.1").write_bytes(b"")
    (folder / "libcuda.so").write_bytes(b"")
    return {"LD_LIBRARY_PATH": str(folder)}


def share(jobs, workers, work):
    """Each worker takes the next job until there is none."""
    rest, lock = collections.deque(jobs), threading.Lock()

    def loop(k):
        while True:
            with lock:
                if not rest:
                    return
                job = rest.popleft()
            work(job, k)

    threads = [threading.Thread(target=loop, args=(k,)) for k in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# The table.


def table(options):
    rows = read_ratios(options.results)
    if options.into:
        options.into.write_text(with_ratios(options.into.read_text(), rows))
        return 0
    print("| program | -O3, s | " + " | ".join(COLUMNS) + " |")
    print("|---|---|" + "---|" * len(COLUMNS))
    for name, row in sorted(rows.items()):
        if options.below is None or any(row[c] < options.below for c in COLUMNS if c in row):
            print(f"| {name} | {row['seconds']:.3f} | {cells(row)} |")
    return 0


def read_ratios(paths):
    """Of each program: seconds by the stock compiler, and for each column how many times as fast hexpass was."""
    rows = collections.defaultdict(dict)
    for path in paths:
        for line in path.read_text().splitlines():
            row = json.loads(line)
            if "seconds" in row:
                stock = min(row["seconds"]["stock"])
                columns = {name: stock / min(times) for name, times in row["seconds"].items() if name != "stock"}
                rows[row["name"]] |= {"seconds": stock} | columns
    return rows


def cells(row):
    return " | ".join(f"{row[column]:.2f}" if column in row else "" for column in COLUMNS)


def with_ratios(text, rows):
    """A table that coverage.py has written, with these columns in the place of all behind its reasons."""
    out = []
    for line in text.splitlines():
        parts = line.strip("|").split(" | ")
        if line.startswith("| program | language |"):
            line = "| program | language | verdict | reasons for what is left | -O3, s | " + " | ".join(COLUMNS) + " |"
        elif line.startswith("|---|---|---|---|---|"):
            line = "|---|---|---|---|---|" + "---|" * len(COLUMNS)
        elif line.startswith("| ") and len(parts) >= 5:
            row = rows.get(parts[0].strip(), {})
            seconds = f"{row['seconds']:.3f}" if row else ""
            kept = " | ".join(part.strip() for part in parts[:4])
            line = f"| {kept} | {seconds} | {cells(row)} |"
        out.append(line)
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    main()
