#!/usr/bin/env python3
"""Nights and gates by a generator of its own, decided by the code that ships (docs/method.md 3).

Process values are drawn here, with Python's generator. What decides is harness/stats of a build, as
a shared library that is linked from its archives. Rows have the noise of the recorded nights.
Prints a row for each promise, with exact limits at 95 %; --csv writes the same as a file.
"""
import argparse
import collections
import csv
import ctypes as c
import glob
import math
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
with open(os.path.join(ROOT, "harness/stats/verdict.h"), encoding="utf-8") as table:
    VERDICTS = re.findall(r'^ +X\(SG_\w+, "(\w+)"', table.read().split("SG_VERDICT_TABLE(X)")[1], re.M)
FIRST, LAST, PAST = 10, 20, 10  # processes; nights before


class Usual(c.Structure):
    _fields_ = [("sd", c.c_double), ("df", c.c_double), ("chance", c.c_double), ("chance_inner", c.c_double), ("outer", c.c_double)]


class Pair(c.Structure):
    _fields_ = [("mean", c.c_double), ("se", c.c_double), ("n", c.c_uint), ("tolerance", c.c_double), ("usual", Usual),
                ("is_sequential", c.c_bool)]


class Verdict(c.Structure):
    _fields_ = [("verdict", c.c_int), ("change", c.c_double), ("low", c.c_double), ("high", c.c_double), ("se", c.c_double),
                ("df", c.c_double), ("beyond", c.c_double), ("slower", c.c_double), ("resolution", c.c_double)]


class Estimate(c.Structure):
    _fields_ = [("mean", c.c_double), ("se", c.c_double), ("sd", c.c_double), ("order", c.c_double), ("n", c.c_uint),
                ("low", c.c_double), ("high", c.c_double)]


class SpreadNight(c.Structure):
    _fields_ = [("sd", c.c_double), ("processes", c.c_double), ("inner_sd", c.c_double), ("fast_sd", c.c_double), ("outer", c.c_double)]


class Check(c.Structure):
    _fields_ = [("usual", Usual), ("df", c.c_double), ("times", c.c_double), ("inner_times", c.c_double), ("fast_times", c.c_double),
                ("is_wide", c.c_bool)]


class Sequential(c.Structure):
    _fields_ = [("tolerance", c.c_double), ("y", c.c_double * 20), ("blocks_se", c.c_double * 20), ("n", c.c_uint),
                ("rows", c.c_uint), ("even", c.c_bool), ("dead", c.c_bool), ("decided", c.c_bool), ("verdict", c.c_int),
                ("estimate", Estimate), ("resolution", c.c_double)]


class Engine(c.Structure):
    _fields_ = [("pairs", c.POINTER(Sequential)), ("count", c.c_size_t), ("lambda_", c.c_double), ("orders", c.c_uint64)]


def load(build):
    """harness/stats of a build, as a shared library."""
    target = os.path.join(tempfile.mkdtemp(), "stats.so")
    archives = [glob.glob(os.path.join(build, "**", f"libsg_{room}.a"), recursive=True)[0] for room in ("stats", "util")]
    subprocess.run(["cc", "-shared", "-o", target, "-Wl,--whole-archive", archives[0], "-Wl,--no-whole-archive", archives[1], "-lm"],
                   check=True)
    lib = c.CDLL(target)
    lib.sg_abba_estimate.restype = Estimate
    lib.sg_abba_estimate.argtypes = [c.POINTER(c.c_double), c.c_size_t]
    lib.sg_spread_night_of.restype = SpreadNight
    lib.sg_spread_night_of.argtypes = [c.POINTER(c.c_double), c.c_size_t, c.c_double]
    lib.sg_spread_check_of.restype = Check
    lib.sg_spread_check_of.argtypes = [SpreadNight, c.POINTER(SpreadNight), c.c_size_t]
    lib.sg_spread_checks_settle.argtypes = [c.POINTER(Check), c.c_size_t]
    lib.sg_build_pairs_judge.argtypes = [c.POINTER(Pair), c.c_size_t, c.c_uint, c.POINTER(Verdict)]
    lib.sg_sequential_orders.restype = c.c_uint64
    lib.sg_sequential_orders.argtypes = [c.c_uint64]
    lib.sg_verdict_row.restype = c.POINTER(c.c_char_p)
    lib.sg_incomplete_beta.restype = c.c_double
    lib.sg_incomplete_beta.argtypes = [c.c_double] * 3
    return lib


def word(lib, verdict):
    return lib.sg_verdict_row(verdict)[0].decode()


def recorded_noise():
    """sd between processes of each row that gates, ln: root mean square over the recorded nights."""
    squares = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/data/h200/nights/h200/nightly/*.csv"))):
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        processes = next(float(r["text"]) for r in rows if r["record"] == "fact" and r["name"] == "processes")
        for r in rows:
            gates = r["name"].rsplit("/", 1)[-1] in ("baseline", "vec16_rows", "pinned")
            if r["record"] == "item" and r["build_ratio"] and gates and r["code"] == r["build"]:
                squares.setdefault(r["name"], []).append(float(r["build_ratio_se"]) ** 2 * processes)
    return [math.sqrt(sum(s) / len(s)) for s in squares.values()]


# ---- process values, in units of the row's sd ----

def normal(rng):
    return [rng.gauss(0, 1) for _ in range(LAST)]


def student3(rng):
    return [rng.gauss(0, 1) / math.sqrt(rng.gammavariate(1.5, 2) / 3) / math.sqrt(3) for _ in range(LAST)]


def wild(rng, share=0.02):
    return [rng.gauss(0, 8 if rng.random() < share else 1) for _ in range(LAST)]


def seldom_wild(rng):
    return wild(rng, 0.005)


def correlated(rng, r=0.3):
    x = [rng.gauss(0, 1)]
    while len(x) < LAST:
        x.append(r * x[-1] + math.sqrt(1 - r * r) * rng.gauss(0, 1))
    return x


# ---- nights ----

class Night:
    """Rows of a night: what changed in them, and what they came to."""

    def __init__(self, world, rng, noises, change=None, state=None, noisier=1.0, rows=0):
        self.w, count = world, rows or len(noises)
        self.target = rng.randrange(count)
        self.values, noises = [], [rng.choice(noises) for _ in range(rows)] if rows else noises
        for i, sd in enumerate(noises):
            y = [noisier * sd * x for x in world.shape(rng)]
            if i == self.target and change is not None:
                y = [v + math.log1p(change(i) if callable(change) else change) for v in y]
            if i == self.target and state is not None:
                y = [v + (math.log1p(state) if rng.random() < 0.3 else 0) for v in y]
            self.values.append(y)
        self.past = [[world.sd_of([sd * x for x in world.shape(rng)], FIRST) for _ in range(PAST)] for sd in noises] if world.history else None
        self.n = [FIRST] * count
        self.judge()
        self.first = list(self.classes)
        if world.measures_on:
            self.n = [LAST if k != "decided" else FIRST for k in self.classes]
            self.judge()

    def judge(self):
        w, count = self.w, len(self.values)
        estimates = [w.estimate(y, n) for y, n in zip(self.values, self.n)]
        checks = (Check * count)()
        if self.past:
            for i, nights in enumerate(self.past):
                past = (SpreadNight * PAST)(*[SpreadNight(sd, FIRST) for sd in nights])
                tonight = w.lib.sg_spread_night_of((c.c_double * self.n[i])(*self.values[i][:self.n[i]]), self.n[i], 0)
                checks[i] = w.lib.sg_spread_check_of(tonight, past, PAST)
            w.lib.sg_spread_checks_settle(checks, count)
        pairs = (Pair * count)(*[Pair(e.mean, e.se, n, w.tolerance, k.usual if w.pools else Usual(0, 0, 0))
                                 for e, n, k in zip(estimates, self.n, checks)])
        self.verdicts = (Verdict * count)()
        w.lib.sg_build_pairs_judge(pairs, count, LAST if w.measures_on else 0, self.verdicts)
        self.classes = [self.class_of(*row) for row in zip(self.verdicts, checks, self.n)]

    def class_of(self, v, check, n):
        verdict = word(self.w.lib, v.verdict)
        if verdict == "regressed" and v.beyond <= 0.01:
            return "regressed" if n >= LAST else "suspect"
        if check.is_wide or (verdict in ("regressed", "inconclusive") and v.slower <= 0.003):
            return "suspect"
        return "unresolved" if verdict in ("regressed", "inconclusive") else "decided"

    def exit(self):
        return 1 if "regressed" in self.classes else 2 if "suspect" in self.classes else 0


class World:
    def __init__(self, lib, shape=normal, tolerance=0.0025, history=True, pools=True, measures_on=True):
        self.lib, self.shape, self.tolerance, self.history, self.pools, self.measures_on = lib, shape, tolerance, history, pools, measures_on

    def estimate(self, y, n):
        return self.lib.sg_abba_estimate((c.c_double * n)(*y[:n]), n)

    def sd_of(self, y, n):
        return self.estimate(y, n).sd


# ---- gates ----

MEASURE = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint, c.POINTER(c.c_size_t), c.c_size_t, c.POINTER(Engine), c.c_void_p)


class Measurer(c.Structure):
    _fields_ = [("context", c.c_void_p), ("measure", MEASURE)]


def gate(lib, y, tolerance, orders=0):
    """The verdict of `solgate ab` on one pair with these process values, how many it took, and whether the interval has 0 in it."""
    pair = Sequential(tolerance=tolerance, rows=1)

    def measure(_context, process, _pairs, _count, engine, _err):
        one = engine.contents.pairs[0]
        one.y[process] = y[process]
        one.n = process + 1
        return 0

    engine = Engine(c.pointer(pair), 1, 1.0, orders)
    err = c.create_string_buffer(1 << 16)
    lib.sg_sequential_run(c.byref(engine), c.byref(Measurer(None, MEASURE(measure))), err)
    return word(lib, pair.verdict), pair.n, pair.estimate.low <= 0 <= pair.estimate.high


def states(kind, rng):
    """Process values of a pair that did not change, ln."""
    own = 3e-4
    if kind == "alternate":
        sign = rng.choice((-1, 1))
        return [sign * (3e-3 if p % 2 else -3e-3) + rng.gauss(0, own) for p in range(LAST)]
    if kind == "alternate by as much as their noise":
        sign = rng.choice((-1, 1))
        return [sign * (1e-3 if p % 2 else -1e-3) + rng.gauss(0, 1e-3) for p in range(LAST)]
    if kind == "two states by chance":
        return [rng.choice((3e-3, -3e-3)) + rng.gauss(0, own) for _ in range(LAST)]
    if kind == "correlated by -0.8":
        return [3e-3 * x for x in correlated(rng, -0.8)]
    return [rng.gauss(0, 1e-3) for _ in range(LAST)]


# ---- the study ----

def limits(lib, k, n):
    """Clopper and Pearson, 95 %."""
    def bisect(is_below):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if is_below(middle) else (low, middle)
        return low
    low = 0.0 if k == 0 else bisect(lambda p: lib.sg_incomplete_beta(k, n - k + 1, p) < 0.025)
    high = 1.0 if k == n else bisect(lambda p: lib.sg_incomplete_beta(k + 1, n - k, p) < 0.975)
    return low, high


class Table:
    def __init__(self, lib):
        self.lib, self.rows = lib, []

    def add(self, what, promise, k, n):
        low, high = limits(self.lib, k, n)
        self.rows.append([what, promise, k, n, f"{100 * k / n:.2f}", f"{100 * low:.2f}", f"{100 * high:.2f}"])
        print("{:<66} {:<10} {:>6} of {:<6} {:>6} % [{}, {}]".format(*self.rows[-1]), flush=True)


def study_nights(table, lib, noises, nights, seed):
    def exits(what, world, count, promise0="", promise1="", **changes):
        rng = random.Random(f"{seed} {what}")
        rows = changes.pop("noises", noises)
        results = [Night(world, rng, rows, **changes).exit() for _ in range(count)]
        table.add(what + ": exit 0", promise0, results.count(0), count)
        table.add(what + ": exit 1", promise1, results.count(1), count)
        return results

    many = (noises * 10)[:200]
    exits("clean, 22 rows", World(lib), nights, ">= 99.5", "none")
    exits("clean, 200 rows", World(lib), nights // 10, ">= 99.5", "none", noises=many)
    exits("clean, no history", World(lib, history=False), nights // 4, ">= 99.5", "none")
    exits("clean, tolerance 0.5 %", World(lib, tolerance=0.005), nights // 4, ">= 99.5", "none")
    exits("clean, budget over at ten processes", World(lib, measures_on=False), nights // 4, ">= 99.5", "none")
    exits("clean, all rows twice as noisy as before", World(lib), nights // 4, ">= 99.5", "none", noisier=2.0)
    exits("clean, all rows 1.3 times as noisy", World(lib), nights // 4, ">= 99.5", "none", noisier=1.3)
    for rows in (1, 2, 3, 4):
        for noisier in (1.5, 2.0):
            exits(f"clean, a suite of {rows}, {noisier:g} times as noisy", World(lib), nights // 2, ">= 97", "", noisier=noisier, rows=rows)
    exits("clean, t of 3 degrees", World(lib, student3), nights // 2, ">= 98")
    exits("clean, 0.5 % of processes at 8 sd", World(lib, seldom_wild), nights // 2, ">= 98")
    exits("clean, 2 % of processes at 8 sd", World(lib, wild), nights // 4)
    exits("clean, processes correlated by 0.3", World(lib, correlated), nights // 4)
    for change, promise in ((0.005, ""), (0.007, ""), (0.008, ""), (0.01, ">= 94"), (0.02, "")):
        exits(f"one row slower by {100 * change:g} %", World(lib), nights // 2, "", promise, change=change)
    exits("one row slower by 1 %, no history", World(lib, history=False), nights // 2, "", "", change=0.01)
    for mean in (0.003, 0.006, 0.01):
        what = f"slow in 30 % of processes, {100 * mean:g} % on average"
        rng = random.Random(f"{seed} {what}")
        results = [Night(World(lib), rng, noises, state=mean / 0.3) for _ in range(nights // 2)]
        table.add(what + ": exit 1 or 2", ">= 94" if mean >= 0.01 else ">= 88" if mean >= 0.006 else "", sum(night.exit() > 0 for night in results), nights // 2)
        table.add(what + ": the best test", "", best_test([log_odds(night, noises, math.log1p(mean / 0.3)) for night in results],
                                                          len(noises)), nights // 2)


def log_odds(night, noises, state, share=0.3):
    """ln, that the row which has the state has it against that it has none: its processes, its sd and the state are known."""
    sd, y = noises[night.target], night.values[night.target][:night.n[night.target]]
    return sum(math.log(1 - share + share * math.exp(min(700, state * (2 * v - state) / (2 * sd * sd)))) for v in y)


def best_test(odds, rows, false_nights=0.005):
    """How many of the rows does a limit of log_odds find that so many clean nights pass (Neyman and Pearson)? Of
    clean rows those pass it that exp(-odds) of these weigh."""
    found, false = 0, 0.0
    for value in sorted(odds, reverse=True):
        false += rows * math.exp(-value) / len(odds)
        if false > false_nights:
            break
        found += 1
    return found


def study_effects(table, lib, noises, nights, seed):
    for what, world, promise in (("normal", World(lib), "88 to 92"), ("no history", World(lib, history=False), "88 to 92"),
                                 ("t of 3 degrees", World(lib, student3), ""), ("2 % at 8 sd", World(lib, wild), ""),
                                 ("budget over: a suspect", World(lib, measures_on=False), "")):
        rng, found = random.Random(f"{seed} {what}"), 0
        for _ in range(nights // 2):
            first = Night(world, rng, noises)
            second = Night(world, rng, noises, change=lambda i, v=first.verdicts: v[i].resolution)
            found += second.classes[second.target] == ("regressed" if world.measures_on else "suspect")
        table.add("the printed MDE is found, " + what, promise, found, nights // 2)


def study_gates(table, lib, gates, seed):
    tolerance = 0.001
    for kind in ("independent, sd 0.1 %", "alternate", "alternate by as much as their noise", "two states by chance", "correlated by -0.8"):
        rng, counts, processes = random.Random(f"{seed} {kind}"), collections.Counter(), 0
        for _ in range(gates):
            verdict, n, _ = gate(lib, states(kind, rng), tolerance)
            counts[verdict] += 1
            processes += n
        what = f"gate at 0.1 %, processes {kind}"
        table.add(what + ": regressed", "<= 0.5", counts["regressed"], gates)
        table.add(f"{what}: within ({processes / gates:.1f} processes)", "", counts["within"], gates)
    for share in (0.1, 0.3, 0.5):
        for gap in (1, 2, 3, 4):
            rng, false = random.Random(f"{seed} {share} {gap}"), 0
            for i in range(gates):
                tolerance, own = (0.001, 0.0025, 0.005, 0.01)[i % 4], (0.05, 0.25, 0.4)[i % 3]
                y = [math.log1p(tolerance) * (1 + gap * ((rng.random() < share) - share) + rng.gauss(0, own)) for _ in range(LAST)]
                false += gate(lib, y, tolerance)[0] == "regressed"
            table.add(f"gate, slower by its tolerance, slow state of {share:g}, {gap} tolerances apart: regressed", "<= 0.7", false, gates)
    for period in (2, 3, 3.7, 4, 5, 6):
        rng, covered = random.Random(f"{seed} {period}"), 0
        for i in range(gates):
            orders, phase = lib.sg_sequential_orders(i), rng.random()
            wave = [0.005 * math.cos(2 * math.pi * (start / period + phase)) for start in range(2 * LAST)]
            y = [(wave[2 * p + 1] - wave[2 * p]) * (-1 if orders >> p & 1 else 1) + rng.gauss(0, 0.00125) for p in range(LAST)]
            covered += gate(lib, y, 0.005, orders)[2]
        table.add(f"gate of programs, a wave of {period:g} starts, as large as the tolerance: covers", ">= 90", covered, gates)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-release", help="build folder with libsg_stats.a (build-release)")
    parser.add_argument("--nights", type=int, default=6000, help="clean nights; others are half or a quarter (6000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", help="file for the table")
    parser.add_argument("--only", choices=("nights", "effects", "gates"), help="one part")
    options = parser.parse_args()
    lib, noises = load(options.build), recorded_noise()
    table = Table(lib)
    print(f"{len(noises)} rows, sd between processes {100 * min(noises):.3f} to {100 * max(noises):.2f} %")
    if options.only in (None, "nights"):
        study_nights(table, lib, noises, options.nights, options.seed)
    if options.only in (None, "effects"):
        study_effects(table, lib, noises, options.nights, options.seed)
    if options.only in (None, "gates"):
        study_gates(table, lib, options.nights, options.seed)
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([["what", "promise", "found", "of", "percent", "low", "high"], *table.rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
