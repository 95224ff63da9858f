#!/usr/bin/env python3
"""Is a fault in one of many launches ever forgotten, or blamed on another variant?

flaky_matrix.py --bin=BIN [--runs=40] [--one-in=3000] [--jobs=4] [--command=C...] [--fault=F...]

Runs a small suite of null, in which `faster` has a fault by chance, until the fault
happened in RUNS runs of each command and fault. Each of these must end with 5 and name
`faster`; no other may be named, and all others must have a time. `none` counts runs without a fault: each must end with 0. Prints a row a
cell; exit 0 if all holds, else 1.
"""
import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SUITE = """[suite]
title = faults
tolerance = 2%
metrics = quick
processes = 5
blocks = 16
launches = 5
deadline = 1s

[null]
case = tiny
variant = ok
variant = faster
variant = slower
variant = slower_slightly
"""
COMMANDS = ("run", "ab", "nightly")
FAULTS = ("wrong", "crash", "overrun", "hang")
TRIES_A_RUN = 200  # until the fault is taken for one that never happens


class Cell:
    def __init__(self, options, work, command, fault):
        self.options, self.work, self.command, self.fault = options, work / f"{command}.{fault}", command, fault
        self.work.mkdir()

    def start(self, number, **variables):
        """One run: its exit code, its rows, what it printed, whether the fault happened."""
        out = self.work / str(number)
        out.mkdir()
        (out / "faults.suite").write_text(SUITE)
        env = dict(os.environ, SOLGATE_BASELINES=str(self.work.parent / "accepted"), SOLGATE_BUILDS=str(self.work.parent / "builds"),
                   SG_NULL_FAULT_LOG=str(out / "log"), **variables)
        words = {"run": ["run", "faults.suite", "--out=R"],
                 "ab": ["ab", "null/ok", "null/faster", "--case=tiny", "--tolerance=2%", "--out=R"],
                 "nightly": ["nightly", "--all", "./faults.suite", "--history=H", "--out=R"]}[self.command]
        done = subprocess.run([self.options.bin + "/solgate", *words, f"--seed={number + 1}"], cwd=out, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        rows = [row for path in out.glob("R/**/run.csv") for row in csv.reader(path.open())]
        return done.returncode, rows, done.stdout, (out / "log").exists()

    def judge(self, number):
        """None: the fault did not happen. Else what is wrong about the run."""
        fault = {} if self.fault == "none" else {"SG_NULL_FAULT": f"faster={self.fault}@time",
                                                 "SG_NULL_FAULT_ONE_IN": str(self.options.one_in)}
        code, rows, text, happened = self.start(number, **fault)
        status = {row[2]: row[9] for row in rows if row[3] == "status"}
        named = [name for name, word in status.items() if word != "ok"]
        if self.fault == "none":
            return "" if code == 0 and not named else f"exit {code}, {named}"
        if not happened:
            return None if code in (0, 1, 2) and not named else f"exit {code}, {named}: {text[-500:]}"
        wrong = [] if code == 5 else [f"exit {code}"]
        wrong += [] if named == ["faster"] else [f"named are {named}"]
        wrong += [f"no row of {name}" for name in ("slower", "slower_slightly")
                  if self.command != "ab" and not any(row[2] == name and row[3] == "time" and row[9] == "ok" for row in rows)]
        return "; ".join(wrong) + (": " + text[-500:] if wrong else "")

    def row(self):
        found, started = [], 0
        with ThreadPoolExecutor(self.options.jobs) as pool:
            while len(found) < self.options.runs and started < TRIES_A_RUN * self.options.runs:
                numbers = range(started, started + self.options.jobs)
                started += self.options.jobs
                found += [what for what in pool.map(self.judge, numbers) if what is not None]
        bad = [what for what in found if what]
        print(f"{self.command:8} {self.fault:8} {started:5} runs, {len(found):3} with the fault, {len(found) - len(bad):3} right", flush=True)
        for what in bad[:3]:
            print("    " + what.replace("\n", "\n    "))
        return len(found) >= self.options.runs and not bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of solgate")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--one-in", type=int, default=3000)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--command", action="append", choices=COMMANDS)
    parser.add_argument("--fault", action="append", choices=(*FAULTS, "none"))
    options = parser.parse_args()
    options.bin = str(pathlib.Path(options.bin).resolve())
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        code, _, text, _ = Cell(options, work, "run", "accepted").start(0)
        accept = subprocess.run([options.bin + "/solgate", "baseline", "accept", work / "run.accepted" / "0" / "R"],
                                env=dict(os.environ, SOLGATE_BASELINES=str(work / "accepted"), SOLGATE_BUILDS=str(work / "builds")),
                                text=True, capture_output=True, check=False)
        if code or accept.returncode:
            sys.exit(f"no accepted numbers: {text}{accept.stderr}")
        good = [Cell(options, work, command, fault).row() for command in options.command or COMMANDS
                for fault in options.fault or (*FAULTS, "none")]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
