#!/usr/bin/env python3
"""The same counters by solgate and by ncu.

Needs a GPU whose counters may be read, and ncu on PATH. Takes every variant of the families
reference and matvec that came out right, with the first of its cases, at least six. Each tool
counts three times: solgate in a run (made here unless --run names one) and in two more workers; ncu
around one launch, a process each time. L2 is warm, because ncu repeats the kernel without a flush
between its passes. Prints a table, also in OUT/crosscheck.md; exit 1 with an exception.

ok: medians differ by no more than the rule, which is nothing for what metrics.ini calls exact, and
for anything else 3 %, one point where the unit is %, or the metric's floor, whichever is most.
Shares of the peak, stalls and rates are per cycle: they may differ by as much more as the kernel's
cycles do. ok within spread: the gap between the ranges is within the rule (of an exact counter: no
wider than the wider range), and the medians are within five times the rule (an exact one's: 15 %).
explained: ncu_crosscheck_explained.csv has a reason, and its limit holds: in the metric's unit, or
with a % sign relative to ncu's median.
"""
import os
import re
import subprocess
import sys

from ncu import REPEATS, Values, agree, count_with_ncu, count_with_worker, counters, explained, number, reason
from table import ROOT, facts, fail, markdown, parser, rows, run


def items_of(found):
    """FAMILY/CASE/VARIANT of each variant that is right, counted and one kernel: its first case."""
    right, counted, kernels = [], set(), {}
    for row in found:
        item = (row["family"], row["case"], row["variant"])
        if row["metric"] == "status" and row["status"] == "ok" and row["family"] in ("reference", "matvec"):
            right.append(item)
        elif row["metric"] == "count_passes":
            counted.add(item)
        elif row["metric"] == "kernels":
            kernels[item] = row["value"]
    first = {}
    for item in right:
        if item in counted and kernels.get(item, "1") == "1":
            first.setdefault((item[0], item[2]), "/".join(item))
    return list(first.values())


def difference(metric, us, them):
    by = us.median - them.median
    if metric["unit"] == "%":
        return f"{by:+.2f} points"
    return f"{100 * by / abs(them.median):+.2f} %" if them.median else f"{by:+.9g} {metric['unit']}"


def judge(item, metrics, status, ours, theirs, lines):
    """Lines of the table of one item."""
    pairs = {name: (Values(ours[name]), Values(theirs.get(metrics[name]["cupti"], []))) for name in status}
    us, them = pairs.get("cycles", (Values([]), Values([])))
    apart = abs(us.median - them.median) / them.median if us.is_whole and them.is_whole else 0
    for name, (us, them) in pairs.items():
        if us.is_whole and them.is_whole:
            rule, result = agree(metrics[name], us, them, apart)
            yield item, name, us, them, difference(metrics[name], us, them), rule, result or reason(lines, name, item, us, them)
        elif status[name] == "unavailable" and metrics[name]["cupti"] not in theirs:
            yield item, name, "unavailable", "-", "-", "both have it", "ok"
        else:
            values = [f"{len(v.sorted)} of {REPEATS} values" for v in (us, them)]
            yield item, name, f"{values[0]}, {status[name]}", values[1], "-", "both have it", "EXCEPTION"


def measure(asked):
    """The suite as it is, but with caches as ncu finds them."""
    suite = os.path.join(asked.out, asked.suite + "_warm.suite")
    with open(os.path.join(ROOT, "kernels", "suites", asked.suite + ".suite")) as file, open(suite, "w") as warm:
        warm.write(re.sub("(?m)^l2 .*", "l2 = warm", file.read()))
    folder = os.path.join(asked.out, "run")
    run([os.path.join(asked.bin, "solgate"), "run", suite, "--metrics=" + asked.metrics, "--out=" + folder], folder + ".log", (0, 5))
    return folder


def main():
    asked = parser(__doc__, suite="crosscheck", metrics="all", run="", out="out/ncu_crosscheck").parse_args()
    os.makedirs(asked.out, exist_ok=True)
    list_of_metrics = os.path.join(asked.out, "metrics.csv")
    with open(list_of_metrics, "w") as file:
        subprocess.run([os.path.join(asked.bin, "solgate"), "list", "metrics", "--format=csv"], stdout=file, check=True)
    folder = asked.run or measure(asked)
    fact, lines = facts(folder), explained()
    metrics = counters(list_of_metrics, fact["chip"])
    found = rows(os.path.join(folder, "run.csv"), "family case variant metric value status")
    items = items_of(found)
    if len(items) < 6:
        fail(f"at least six kernels are wanted; counted and right in {folder}: {' '.join(items)}")
    status, ours = {item: {} for item in items}, {item: {} for item in items}

    def take(item, name, value, word=None):
        if item in ours and name in metrics:
            ours[item].setdefault(name, []).extend(number(value))
            status[item].setdefault(name, word)

    for row in found:
        take("/".join((row["family"], row["case"], row["variant"])), row["metric"], row["value"], row["status"])
    for repeat in range(2, REPEATS + 1):
        said = os.path.join(asked.out, f"again.{repeat}.said")
        for item, name, value in count_with_worker(asked.bin, items, fact["metrics"].split("+"), fact["seed"], fact["l2"], said):
            take(item, name, value)
    wanted = {row["metric"] for row in found if row["status"] == "ok"}
    names = [metric["cupti"] for name, metric in metrics.items() if name in wanted]
    table = []
    for item in items:
        theirs = {}
        for repeat in range(1, REPEATS + 1):
            path = os.path.join(asked.out, f"ncu.{item.replace('/', '.')}.{repeat}.csv")
            # Setting a variant up may launch kernels too (cuBLAS): the counted launch comes last.
            for name, value in count_with_ncu(asked.bin, [item], names, fact["seed"], path)[-1].items():
                theirs.setdefault(name, []).extend(number(value))
        table += judge(item, metrics, status[item], ours[item], theirs, lines)
    words = ("ok", "ok within spread", "explained", "EXCEPTION")
    sums = [(item, *(sum(row[0] == item and row[-1].split(":")[0] == word for row in table) for word in words)) for item in items]
    with open(os.path.join(asked.out, "crosscheck.md"), "w+") as file:
        print(f"Counters of solgate and of ncu; metrics: {asked.metrics}, L2 warm; each counted {REPEATS} times: median [least, most].\n",
              *markdown(("kernel", *words), sums), "", sep="\n", file=file)
        print(*markdown(("kernel", "metric", "solgate", "ncu", "difference of medians", "rule", "result"), table), sep="\n", file=file)
        file.seek(0)
        print(file.read(), end="")
    return int(any(row[-1] == "EXCEPTION" for row in table))


sys.exit(main())
