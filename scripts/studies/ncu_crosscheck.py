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
import csv
import json
import fnmatch
import os
import re
import subprocess
import sys

from table import ROOT, facts, fail, markdown, parser, rows, run

REPEATS = 3
PER_CYCLE = re.compile("pct_of_peak_sustained|issue_stalled|per_cycle")
EXPLAINED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ncu_crosscheck_explained.csv")


def counters(list_of_metrics, chip):
    """The metrics that CUPTI has on this chip, by name."""
    found = {}
    for row in rows(list_of_metrics, "name unit class floor cupti cupti_exceptions"):
        cupti = dict(pair.split("=") for pair in row["cupti_exceptions"].split()).get(chip, row["cupti"])
        if cupti and cupti != "absent":
            found[row["name"]] = {**row, "cupti": cupti, "floor": float(row["floor"] or 0)}
    return found


def explained():
    found = rows(EXPLAINED, "metric items limit reason")
    for at, row in enumerate(found):
        if not re.fullmatch("[0-9.]+%?", row["limit"]) or not row["reason"]:
            fail(f"{EXPLAINED}:{at + 2}: expected a limit and a reason, found {','.join(row.values())}")
    return found


def number(text):
    text = text.replace(",", "")
    return [float(text)] if re.match("[-+]?[0-9]", text) else []


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


class Values:
    """What one tool counted of one metric."""

    def __init__(self, values):
        self.sorted = sorted(values)
        self.is_whole = len(values) == REPEATS
        self.least, self.most = (self.sorted[0], self.sorted[-1]) if values else (0, 0)
        self.median = self.sorted[(len(values) - 1) // 2] if values else 0

    def __str__(self):
        return f"{self.median:.9g}" if self.least == self.most else f"{self.median:.9g} [{self.least:.9g}, {self.most:.9g}]"


def agree(metric, us, them, apart):
    """(rule in words, ok or ok within spread or nothing)"""
    between, gap = abs(us.median - them.median), max(0, us.least - them.most, them.least - us.most)
    percent = metric["unit"] == "%"
    floor = max(1, metric["floor"]) if percent else metric["floor"]
    share = 3 + (100 * apart if PER_CYCLE.search(metric["cupti"]) else 0)
    unit = ("point" if floor == 1 else "points") if percent else metric["unit"]
    rule = f"{share:.2g} %" + (f" or {floor:g} {unit}" if floor > 0 else "")
    allowed = allowed_gap = max(share / 100 * abs(them.median), floor)
    most = 5 * allowed
    if metric["class"] == "exact":
        rule, allowed, allowed_gap, most = "equal", 0, max(us.most - us.least, them.most - them.least), 0.15 * abs(them.median)
    if between <= allowed:
        return rule, "ok"
    return rule, "ok within spread" if gap <= allowed_gap and between <= most else ""


def reason(lines, name, item, us, them):
    """Why the medians differ, if a line says so and its limit holds; the first line that fits counts."""
    for line in lines:
        if line["metric"] == name and fnmatch.fnmatchcase(item, line["items"]):
            limit = float(line["limit"].rstrip("%")) * (abs(them.median) / 100 if line["limit"].endswith("%") else 1)
            return "explained: " + line["reason"] if abs(us.median - them.median) <= limit else "EXCEPTION"
    return "EXCEPTION"


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


def count_again(asked, fact, items, repeat):
    """The items once more as the run counted them: the same metrics, inputs and L2."""
    said = os.path.join(asked.out, f"again.{repeat}.said")
    command = [os.path.join(asked.bin, "solgate-worker"), "--pass=count", *("--item=" + item for item in items),
               *(f"--module={asked.bin}/libsg_{family}.so" for family in sorted({item.split("/")[0] for item in items})),
               *("--metric=" + name for name in fact["metrics"].split("+")), "--seed=" + fact["seed"], "--l2=" + fact["l2"]]
    worker(command, said)
    with open(said) as file:
        for line in file:
            message = json.loads(line)
            if message["is"] == "value":
                item = "/".join(message[name] for name in ("family", "case", "variant"))
                yield item, message["metric"], str(message.get("value", ""))


def worker(command, said):
    """A worker answers on descriptor 3."""
    run(["sh", "-c", 'exec "$@" 3>"$0"', said, *command], said + ".out")


def count_with_ncu(asked, fact, item, names, path):
    worker(["ncu", "--clock-control", "none", "--cache-control", "none", "--csv", "--print-units", "base", "--log-file", path, "--metrics", names,
            os.path.join(asked.bin, "solgate-worker"), "--pass=launch", f"--module={asked.bin}/libsg_{item.split('/')[0]}.so", "--item=" + item,
            "--seed=" + fact["seed"], "--l2=warm"], path + ".said")
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    # Setting a variant up may launch kernels too (cuBLAS): the counted launch comes last.
    last = {row["Metric Name"]: row["Metric Value"] for row in csv.DictReader(lines)}
    return last or fail(f"{path}: expected a kernel for {item}, found none")


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
        for item, name, value in count_again(asked, fact, items, repeat):
            take(item, name, value)
    wanted = {row["metric"] for row in found if row["status"] == "ok"}
    names = ",".join(metric["cupti"] for name, metric in metrics.items() if name in wanted)
    table = []
    for item in items:
        theirs = {}
        for repeat in range(1, REPEATS + 1):
            path = os.path.join(asked.out, f"ncu.{item.replace('/', '.')}.{repeat}.csv")
            for name, value in count_with_ncu(asked, fact, item, names, path).items():
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
