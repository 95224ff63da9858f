#!/usr/bin/env python3
"""A simulated year of nights, called by the scan of `solgate history`: delay, false alarms, place.

Needs the program history_year of a build (cmake --build BUILD --target studies). 365 nights of
--series series on 1 GPU and on 5: their ratios, and their pairs with accepted builds whose modules
are off by themselves (pairs) or not (alike). A step is found by the first alarm from its night on
whose place is within 10 nights of it; a drift by the first alarm after it began. An alarm within 5
nights of a new driver counts for neither side. All others are false. Exit 1 unless every step of
1 % and more is found, and at most one false alarm in 1,000 clean nights is left when each alarm is
confirmed by a simulated A/B.
"""
import argparse
import csv
import io
import os
import statistics
import subprocess
import sys

from table import ROOT, fail, markdown

AB_TRIES = 10  # of an alarm, in history_year.c
NIGHTS = 365
KINDS = ("step_0.5", "step_1", "step_2", "step_5", "drift_2")


def year(program, *words, stdin=None):
    done = subprocess.run([program, *words], input=stdin, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else fail(f"{program} {' '.join(words)}: {done.stderr}")


def score(truths, alarms):
    """Per kind of series: delays (None: never found); how far off the steps are placed; false alarms."""
    delays, off = {}, []
    false = {"all": 0, "single": 0, "confirmed": 0.0}
    for name, (kind, truth, drivers) in truths.items():
        is_step, found, final = kind.startswith("step"), None, None
        for what, at, place, confirmed in alarms.get(name, ()):
            if kind != "clean" and at >= truth and (not is_step or abs(place - truth) <= 10):
                if what != "creep" or found is None:
                    found = at if found is None else min(found, at)
                if what == "step" and (final is None or abs(place - truth) < final):
                    final = abs(place - truth)
            elif kind == "clean" and (what == "creep" or all(abs(place - driver) > 5 for driver in drivers)):
                false["all"] += 1
                false["single"] += what == "suspect"
                false["confirmed"] += confirmed / AB_TRIES
        if kind != "clean":
            delays.setdefault(kind, []).append(None if found is None else found - truth + 1)
            off += [final] if is_step and final is not None else []
    return delays, off, false


def cell(delays):
    found = [delay for delay in delays if delay is not None]
    some = "" if len(found) == len(delays) else f" ({len(found)} of {len(delays)})"
    return (f"{statistics.mean(found):.2f}" if found else "-") + some


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default=os.path.join(ROOT, "build-nocuda"))
    options.add_argument("--series", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    program, table, failures = os.path.join(asked.build, "tests", "history_year"), [], []
    for fleet in (1, 5):
        data = year(program, "data", str(fleet), str(asked.seed), str(asked.series))
        truths = {}
        for row in csv.DictReader(io.StringIO(data)):
            if row["series"] not in truths:
                truths[row["series"]] = row["kind"], int(row["truth"]), [int(night) for night in row["driver_nights"].split("+")]
        clean = NIGHTS * sum(kind == "clean" for kind, _, _ in truths.values())
        for what in ("scan", "pairs", "alike"):
            for count in ("usual", "few"):
                alarms = {}
                for row in csv.DictReader(io.StringIO(year(program, what, count, stdin=data))):
                    alarms.setdefault(row["series"], []).append((row["what"], int(row["found"]), int(row["place"]), int(row["confirmed"])))
                delays, off, false = score(truths, alarms)
                rule = f"{fleet} GPUs, {what}, {count} alarms"
                table.append((rule, f"{100 * false['all'] / clean:.2f}", f"{100 * false['single'] / clean:.2f}", *(cell(delays.get(k, [])) for k in KINDS),
                              f"{statistics.mean(off or [0]):.2f}"))
                failures += [f"{rule}: {1000 * false['confirmed'] / clean:.2f} false alarms in 1,000 are left"] * (1000 * false["confirmed"] > clean)
                failures += [f"{rule}: a {kind} is not found" for kind in KINDS[1:4] if None in delays.get(kind, ())]
    print(*markdown(("rule", "false alarms in 100 clean nights", "of them single nights", *KINDS, "place off by"), table), *failures, sep="\n")
    return int(bool(failures))


sys.exit(main())
