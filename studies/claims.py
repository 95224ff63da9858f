#!/usr/bin/env python3
"""Figures of the documents that follow from what is checked in. Needs no GPU.

Prints a table: document, figure, command. With --check exit 1 for a figure that its document does
not have.
"""
import argparse
import functools
import glob
import math
import os
import re
import statistics
import sys

from table import ROOT, markdown, rows

LOOKS = {5: 3.98, 8: 3.14, 10: 2.94, 12: 2.83, 20: 2.63}  # c(.05), of intervals: docs/method.md 3
GATE = 3.41  # c20(.01), of `regressed`
NIGHTS = os.path.join("tests", "data", "h200", "nights")
VENDORS = ("cublas", "cublaslt", "cublaslt_fp8_block", "cublaslt_graph")
CHANGED = ("20261124T022848Z", "20261124T023309Z", "matvec", "vec16_rows")  # nights and variant of the commit in tests/data/h200/nights


def path(*parts):
    return os.path.join(ROOT, *parts)


def least_share(seen, of):
    """Exact lower limit, at 95 %, of the share of what was seen so often."""
    low, high = 0.0, seen / of
    for _ in range(50):
        p = (low + high) / 2
        as_often = sum(math.exp(math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * math.log(p) + (of - k) * math.log1p(-p))
                       for k in range(seen, of + 1))
        low, high = (p, high) if as_often < 0.05 else (low, p)
    return low


def most(seen, of):
    """Upper limit in percent, rounded up."""
    return f"{math.ceil(1e4 * (1 - least_share(of - seen, of))) / 100:.2f} %"


def least(seen, of):
    """Lower limit in percent, rounded down."""
    return f"{math.floor(1e3 * least_share(seen, of)) / 10:.1f} %"


def scale_of_t(found):
    """Of pairs whose truth is 0: how far they spread, in their errors. Maximum likelihood, with its limits at 95 %. found: (change, low, high, processes)."""
    of = []
    for change, low, high, processes in found:
        se = (math.log1p(high) - math.log1p(low)) / 2 / LOOKS[processes]
        of.append(((math.log1p(change) / se) ** 2, processes - 1))

    def ln_likelihood(scale):
        return sum(-math.log(scale) - (df + 1) / 2 * math.log1p(square / scale ** 2 / df) for square, df in of)

    def slope(scale):
        return sum((df + 1) * square / (scale ** 2 * df + square) - 1 for square, df in of)

    def bisect(low, high, is_low):
        for _ in range(50):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if is_low(middle) else (low, middle)
        return low
    best = bisect(0.01, 100, lambda scale: slope(scale) > 0)
    least_likely = ln_likelihood(best) - 3.841 / 2
    limits = bisect(0.01, best, lambda scale: ln_likelihood(scale) < least_likely), bisect(best, 100, lambda scale: ln_likelihood(scale) > least_likely)
    return "scale of t {:.2f} [{:.2f}, {:.2f}]".format(best, *limits)


@functools.cache
def t_quantile(p, df):
    """By bisection of Simpson's sum of the density."""
    def below(t, steps=400):
        scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
        density = [(1 + (t * i / steps) ** 2 / df) ** (-(df + 1) / 2) for i in range(steps + 1)]
        return 0.5 + scale * t / steps / 3 * (density[0] + density[-1] + 4 * sum(density[1:-1:2]) + 2 * sum(density[2:-1:2]))
    low, high = 0.0, 40.0
    for _ in range(60):
        low, high = ((low + high) / 2, high) if below((low + high) / 2) < p else (low, (low + high) / 2)
    return low


def mde(tolerance, sd, processes, c):
    """docs/method.md 3, in percent. c: of `regressed` after 20 processes."""
    v, k = processes - 1, c
    for _ in range(200):
        k = (c * (1 - 1 / 76) + 1.2816 * math.sqrt(1 + c * c / 38 + k * k / 2 / v)) / (1 - 1 / 4 / v)
    return 100 * math.expm1(math.log1p(tolerance) + k * sd / math.sqrt(20))


def intervals(found, unit="", share=1):
    """For scale_of_t, of the pairs of an aa.csv or of gates in percent."""
    return [(*(share * float(row[name + unit]) for name in ("change", "low", "high")), int(row["processes"])) for row in found]


def aa():
    pairs = rows(path("baselines", "h200", "aa.csv"), "family tolerance verdict")
    false = sum(row["verdict"] in ("regressed", "improved") for row in pairs)
    made = sum(row["family"] == "injected" for row in pairs)
    yield f"| {false} of {len(pairs):,} A/A pairs, {100 * made / len(pairs):.0f} % of synthetic kernels: under {most(false, len(pairs))} |"
    for gpu in ("h200", "h100"):
        yield f"{gpu.upper()}: {scale_of_t(intervals(rows(path('baselines', gpu, 'aa.csv'), 'processes change low high')))}"


def aa_by_tolerance():
    """Of those that are no false verdict, as all were."""
    found = [row["tolerance"] for row in rows(path("baselines", "h200", "aa.csv"), "tolerance verdict") if row["verdict"] in ("within", "identical", "inconclusive")]
    for tolerance in sorted(set(found), reverse=True):
        yield f"{found.count(tolerance):,} at {100 * float(tolerance):g} % (under {most(0, found.count(tolerance))})"


def aa_finds():
    """One row a gate; sd of a process by the interval."""
    for tolerance, wanted in ((0.005, 1), (0.001, 0.25)):
        found = []
        for row in rows(path("baselines", "h200", "aa.csv"), "tolerance processes low high"):
            if float(row["tolerance"]) == tolerance:
                processes = int(row["processes"])
                half = (math.log1p(float(row["high"])) - math.log1p(float(row["low"]))) / 2
                found.append(mde(tolerance, half / LOOKS[processes] * math.sqrt(processes), processes, GATE))
        share = 100 * sum(each <= wanted for each in found) / len(found)
        yield f"at most {wanted:g} % in {share:.0f} % of {len(found):,} pairs at {100 * tolerance:g} %"


def pairs():
    found = rows(path("tests", "data", "measured", "pairs.csv"), "l2 pair mean_us y_percent")
    for pair in dict.fromkeys(row["pair"] for row in found):
        of = [row for row in found if row["pair"] == pair and row["l2"] == "cold"]
        times, values = ([float(row[name]) for row in of] for name in ("mean_us", "y_percent"))
        range_of = 100 * (max(times) - min(times)) / statistics.mean(times)
        yield f"| {pair} | {statistics.mean(times):.1f} us | {range_of:.2f} % | {statistics.stdev(values):.3f} % | {statistics.mean(values):+.3f} % |"


def night_rows():
    """(night, family, variant, ln of build_ratio, its standard error, processes) of rows that gate."""
    for file in sorted(glob.glob(path(NIGHTS, "h200", "nightly", "*.csv"))):
        found = rows(file, "record name text build_ratio build_ratio_se")
        processes = int(next(row["text"] for row in found if row["name"] == "processes"))
        for row in found:
            family, variant = row["name"].split("/")[0], row["name"].split("/")[-1]
            if row["record"] == "item" and row["build_ratio"] and variant not in VENDORS:
                yield os.path.basename(file)[:16], family, variant, math.log(float(row["build_ratio"])), float(row["build_ratio_se"]), processes


def nights():
    clean = [row for row in night_rows() if row[0] not in CHANGED]
    halves = [100 * LOOKS[row[5]] * row[4] for row in clean]
    inside = sum(abs(row[3]) <= half / 100 for row, half in zip(clean, halves))
    yield f"of {len(clean)} ratios {inside} intervals have 1 in them; half an interval is {statistics.median(halves):.2f} % in the median, and {max(halves):.2f} % at most"


def night_mdes():
    same = [row for row in night_rows() if row[0] not in CHANGED or row[1:3] != CHANGED[2:]]
    with open(path("kernels", "suites", "nightly.suite")) as suite:
        tolerance = float(re.search(r"^tolerance *= *([0-9.]+)%", suite.read(), re.M)[1]) / 100
    gating = len([row for row in night_rows() if row[0] == CHANGED[0]])
    c = t_quantile(1 - min(0.005, 0.01 / gating), 19)
    return [mde(tolerance, row[4] * math.sqrt(row[5]), row[5], c) for row in same]


def night_finds():
    found = night_mdes()
    yield f"median {statistics.median(found):.1f} %, worst {max(found):.1f} %"


def night_shares():
    found = night_mdes()
    yield f"at most 1 % in {100 * sum(each <= 1 for each in found) / len(found):.0f} % of {len(found)} rows"


def step():
    """As `solgate history check` prints it."""
    with open(path("tests", "data", "golden", "history_nights")) as file:
        yield from re.findall(r"build (\+[0-9.]+ % \[.*?\])", file.read())


def gpus():
    found = [row for row in rows(path("baselines", "smoke.csv"), "gpu case variant metric value gate sd_day") if row["gpu"] == "h200" and row["metric"].startswith("time") and row["gate"] == "yes" and row["sd_day"]]
    for row in sorted(found, key=lambda row: -float(row["sd_day"])):
        if float(row["sd_day"]) >= 0.005:
            kind = row["metric"].replace("_", " ")
            value = f"{float(row['value']):.4g}" if row["metric"] == "time_ratio" else f"{float(row['value']) / 1000:.3g} us"
            yield f"| {row['case']}/{row['variant']} | {kind} | {value} | {100 * float(row['sd_day']):.2f} % |"
    reference = max(float(row["sd_day"]) for row in found if row["metric"] == "time_ratio" and row["case"] in ("fma_chain_50us", "stream_copy_256mib"))
    yield f"Ratios of `reference`, bound by arithmetic or DRAM, differ by at most {100 * reference:.2f} %"


def ceilings():
    for gpu in ("h200", "h100"):
        of = {row["ceiling"]: float(row["value"]) for row in rows(path("baselines", gpu, "ceilings.csv"), "ceiling value")}
        rates = (f"{of[name] / 1e12:,.0f} Tflop/s" for name in ("bf16", "f16", "e4m3"))
        yield f"| {of['dram'] / 1e12:.2f} TB/s | {' | '.join(rates)} | {of['launch']:.0f} ns |"


def detections():
    for row in rows(path("tests", "data", "measured", "detection.csv"), "variant tolerance rows regressed"):
        yield row["variant"], 100 * float(row["tolerance"]), int(row["regressed"]), int(row["rows"])


def detection():
    for _, _, seen, of in detections():
        yield f"{seen} of {of}: at least {least(seen, of)}"


def detection_rows():
    for variant, tolerance, seen, of in detections():
        yield f"| {variant} | {tolerance:g} % | {of} | {seen} | {least(seen, of)} |"


def gates():
    """Gates of one pair each: those of the same work by other symbols, and of +0.5 % of it."""
    found = rows(path("tests", "data", "measured", "gates.csv"), "gpu family candidate tolerance verdict change_percent low_percent high_percent processes sd_percent correlation seconds")
    kinds = sorted({(row["family"] == "injected", row["tolerance"], row["gpu"]) for row in found})
    for slower, tolerance, gpu in kinds:
        of = [row for row in found if (row["family"] == "injected", row["tolerance"], row["gpu"]) == (slower, tolerance, gpu)]
        words = ", ".join(f"{[row['verdict'] for row in of].count(verdict)} {verdict}" for verdict in sorted({row["verdict"] for row in of}))
        seconds, sds, correlations = ([float(row[name]) for row in of] for name in ("seconds", "sd_percent", "correlation"))
        yield (f"| {'+0.5 %' if slower else 'the same work'}, {100 * float(tolerance):g} % | {gpu.upper()} | {len(of)}: {words} | {statistics.median(seconds):.1f}, "
               f"at most {max(seconds):.1f} s | {statistics.median(sds):.2f} % | {statistics.mean(correlations):+.2f} |")
    same = [row["verdict"] for row in found if row["family"] != "injected"]
    itself = [row["verdict"] for row in rows(path("baselines", "h100", "aa.csv"), "verdict")]
    false = sum(verdict in ("regressed", "improved") for verdict in same + itself)
    yield f"gates of the same work: {scale_of_t(intervals([row for row in found if row['family'] != 'injected'], '_percent', 0.01))}"
    yield f"{len(same)} gates of the same work and {len(itself)} A/A pairs: {false} of {len(same) + len(itself)} verdicts are false"


def python_gates():
    """Gates of Python functions, each with the A/A pair of its baseline, and a Triton kernel of 1 % more steps."""
    found = rows(path("tests", "data", "measured", "python_gates.csv"), "sides verdict change_percent low_percent high_percent processes seconds")
    slower = [row for row in found if row["sides"] == "more_steps"]
    same = [row for row in found if row["sides"] != "more_steps"]
    seconds = [float(row["seconds"]) for row in slower]
    yield f"{sum(row['verdict'] == 'regressed' for row in slower)} of {len(slower)} regressed, in {min(seconds):.1f} to {max(seconds):.1f} s, median {statistics.median(seconds):.1f} s"
    yield f"{sum(row['verdict'] in ('regressed', 'improved') for row in same)} of {len(same)} verdicts are false"
    for sides in ("same_work", "itself"):
        pairs_of = [row for row in same if row["sides"] == sides]
        of = [float(row["low_percent"]) <= 0 <= float(row["high_percent"]) for row in pairs_of]
        yield f"{sum(of)} of {len(of)} intervals"
        yield scale_of_t(intervals(pairs_of, "_percent", 0.01))


PAGES = ("docs/validation.md", "docs/studies/measured.md")
CLAIMS = (
    ("false alarms of the gate", aa),
    ("what a night finds", night_finds),
    ("detection", detection),
    ("detection", detection_rows),
    ("gates of one pair", gates),
    ("pairs in Python", python_gates),
    ("A/A pairs by tolerance", aa_by_tolerance),
    ("what a gate of one row finds", aa_finds),
    ("paired and absolute times", pairs),
    ("between GPUs", gpus),
    ("nights without a change", nights),
    ("rows that find 1 %", night_shares),
    ("step of the recorded nights", step),
    ("ceilings", ceilings),
)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true")
    check = options.parse_args().check
    figures = [(claim, figure) for claim, make in CLAIMS for figure in make()]
    print(*markdown(("claim", "figure"), ((claim, figure.strip("| ").replace(" | ", ", ")) for claim, figure in figures)), sep="\n")
    text = " ".join(" ".join(open(path(page)).read().split()) for page in PAGES)
    lost = [of for of in figures if of[1] not in text]
    for claim, figure in lost if check else ():
        print(f"{' and '.join(PAGES)} do not have: {figure} ({claim})")
    return int(check and bool(lost))


if __name__ == "__main__":
    sys.exit(main())
