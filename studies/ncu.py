"""What the studies that count with ncu share: which counters, by which program, when they agree."""
import csv
import fnmatch
import os
import re

from table import fail, rows, run

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


def number(text):
    text = text.replace(",", "")
    return [float(text)] if re.match("[-+]?[0-9]", text) else []


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


def explained():
    found = rows(EXPLAINED, "metric items limit reason")
    for at, row in enumerate(found):
        if not re.fullmatch("[0-9.]+%?", row["limit"]) or not row["reason"]:
            fail(f"{EXPLAINED}:{at + 2}: expected a limit and a reason, found {','.join(row.values())}")
    return found


def reason(lines, name, item, us, them):
    """Why the medians differ, if a line says so and its limit holds; the first line that fits counts."""
    for line in lines:
        if line["metric"] == name and fnmatch.fnmatchcase(item, line["items"]):
            limit = float(line["limit"].rstrip("%")) * (abs(them.median) / 100 if line["limit"].endswith("%") else 1)
            return "explained: " + line["reason"] if abs(us.median - them.median) <= limit else "EXCEPTION"
    return "EXCEPTION"


def modules(folder, items):
    """--module of each family of the items, of a build or of an installed prefix."""
    installed = os.path.join(folder, "..", "lib", "solgate")
    folder = installed if os.path.isdir(installed) else folder
    return [f"--module={folder}/libsg_{family}.so" for family in sorted({item.split("/")[0] for item in items})]


def worker(command, said):
    """A worker answers on descriptor 3."""
    run(["sh", "-c", 'exec "$@" 3>"$0"', said, *command], said + ".out")


def count_with_worker(folder, items, names, seed, l2, said):
    """What a worker counts: (item, metric, value as written)."""
    worker([os.path.join(folder, "solgate-worker"), "--pass=count", *modules(folder, items), *("--item=" + item for item in items),
            *("--metric=" + name for name in names), "--seed=" + seed, "--set=l2=" + l2], said)
    with open(said) as file:
        for kind, *fields in csv.reader(file):
            if kind == "value":
                yield "/".join(fields[:3]), fields[3], fields[5]


def count_with_ncu(folder, items, names, seed, path):
    """One process that launches each item once: {counter: value as written} of each kernel, in order, and its name.
    Kernels of the harness, which make the inputs, are left out."""
    worker(["ncu", "--clock-control", "none", "--cache-control", "none", "--kernel-name-base", "function", "--kernel-name", "regex:^(?!sg_)",
            "--csv", "--print-units", "base", "--log-file", path, "--metrics", ",".join(names), os.path.join(folder, "solgate-worker"), "--pass=launch", *modules(folder, items),
            *("--item=" + item for item in items), "--seed=" + seed], path + ".said")
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    kernels = {}
    for row in csv.DictReader(lines):
        kernels.setdefault(row["ID"], {"name": row["Kernel Name"]})[row["Metric Name"]] = row["Metric Value"]
    return list(kernels.values()) or fail(f"{path}: expected a kernel for {' '.join(items)}, found none")
