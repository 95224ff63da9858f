#!/usr/bin/env python3
"""Slowdowns of known size, read against true. Needs no GPU and nothing built.

RUN: folders of runs of the family injected (`solgate run calibration --out=RUN`). Prints the slope
of ln(read) on ln(true), least squares through the origin, and the share of intervals that cover the
truth, a case and over all; each ratio; and the straight lines through the times of exact that the
constants of kernels/injected/injected_plan.h come from. Exit 1 when a slope over all cases is not
within 1 +- 0.03.
"""
import argparse
import math
import os
import sys

from table import ROOT, fail, markdown, rows


def kind_of(variant):
    return variant.split("_")[0]  # exact, work, spin


def slope_row(title, kind, points):
    """Of (ln true, ln read, covers)."""
    xx, xy, yy = (sum(p[a] * p[b] for p in points) for a, b in ((0, 0), (0, 1), (1, 1)))
    slope, covered = xy / xx, sum(p[2] for p in points)
    error = f"{math.sqrt(max(0, yy - slope * xy) / (len(points) - 1) / xx):.4f}" if len(points) > 1 else "-"
    return title, kind, len(points), f"{slope:.4f}", error, f"{covered} of {len(points)} ({100 * covered / len(points):.1f} %)"


def line(points):
    """(start, rise, greatest relative distance) by least squares of relative differences."""
    w, wx, wy, wxx, wxy = (sum(f(x, y) for x, y in points) for f in (
        lambda x, y: 1 / y**2, lambda x, y: x / y**2, lambda x, y: 1 / y, lambda x, y: x**2 / y**2, lambda x, y: x / y))
    spread = w * wxx - wx * wx
    if len(points) < 2 or spread <= 1e-9 * w * wxx:
        return None
    rise = (w * wxy - wx * wy) / spread
    start = (wy - rise * wx) / w
    return start, rise, max(abs((start + rise * x) / y - 1) for x, y in points)


def print_lines(exact):
    """A chain has an FMA of 2 flop for each 4 bytes that it reads; a copy has none."""
    chains, copies = [], []
    for of in exact.values():
        if not {"time", "sm_clock", "work_read_bytes", "work_write_bytes"} <= of.keys():
            continue
        if "work_flop_f32" in of:
            chains.append((of["work_flop_f32"] / (of["work_read_bytes"] / 2), of["time"] * of["sm_clock"] / 1e9))
        else:
            copies.append((of["work_read_bytes"] + of["work_write_bytes"], of["time"]))
    for points, text in ((chains, "chains: {0:.0f} cycles, and {1:.3f} for each FMA"), (copies, "copies: {0:.0f} ns, and 1 ns for each {2:.0f} bytes")):
        if found := line(points):
            print("* " + text.format(found[0], found[1], 1 / found[1]) + f"; {len(points)} times, off the line by {100 * found[2]:.2f} % at most")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--truth", default=os.path.join(ROOT, "tests", "data", "injected", "truth.csv"))
    options.add_argument("runs", nargs="+", metavar="RUN")
    asked = options.parse_args()
    truth = {(row["case"], row["variant"]): float(row["true_ratio"]) for row in rows(asked.truth, "case variant true_ratio")}
    points, exact, missing = {}, {}, []
    for number, run in enumerate(asked.runs):
        for row in rows(os.path.join(run, "run.csv"), "family case variant metric value low high status message"):
            case, variant, metric = row["case"], row["variant"], row["metric"]
            if row["family"] != "injected":
                continue
            if (case, variant) not in truth:
                fail(f"{run}/run.csv: expected a case and variant of {asked.truth}, found '{case}/{variant}'")
            if row["status"] != "ok" or not row["value"]:
                if metric == "time_ratio" or row["status"] != "ok":
                    missing.append(f"{case}/{variant} {metric}: {row['status']} {row['message']}")
            elif metric == "time_ratio":
                value, low, high = (float(row[name]) for name in ("value", "low", "high"))
                true = truth[case, variant]
                points.setdefault((case, variant), []).append((math.log(true), math.log(value), low <= true <= high))
            elif variant == "exact" and (metric in ("time", "sm_clock") or metric.startswith("work_")):
                exact.setdefault((number, case), {})[metric] = float(row["value"])
    table, verdicts = [], []
    cases = list(dict.fromkeys(case for case, _ in points))
    for case in [*cases, "all"]:
        for kind in ("work", "spin", "work and spin") if case == "all" else ("work", "spin"):
            of = [p for (c, v), some in points.items() if c in (case if case != "all" else c,) and kind_of(v) in kind.split() for p in some]
            if of:
                table.append(slope_row(case, kind, of))
                verdicts += [float(table[-1][3])] if case == "all" else []
    if not verdicts:
        fail("expected a ratio of the family injected in these runs, found none")
    print(*markdown(("case", "added", "ratios", "slope", "its standard error", "intervals that cover the truth"), table), "", sep="\n")
    each = []
    for (case, variant), some in points.items():
        true, read = math.exp(some[0][0]), math.exp(sum(p[1] for p in some) / len(some))
        each.append((case, variant, len(some), f"{100 * (true - 1):+.3f} %", f"{100 * (read - 1):+.3f} %", f"{100 * (read - true):+.3f} %",
                     f"{sum(p[2] for p in some)} of {len(some)}"))
    print(*markdown(("case", "variant", "ratios", "true", "read, mean", "difference", "intervals that cover the truth"), each), "", sep="\n")
    print_lines(exact)
    for text in missing:
        print("* without a number:", text)
    for name in truth.keys() - points.keys():
        print("* no ratio in these runs:", "/".join(name))
    bad = any(abs(slope - 1) > 0.03 for slope in verdicts)
    print("\nSlopes over all cases, 1 +- 0.03:", "NO" if bad else "yes")
    return int(bad)


sys.exit(main())
