#!/usr/bin/env python3
"""How long the same counters take: solgate, and ncu with the same metrics.

Needs a GPU whose counters may be read, and ncu on PATH. Runs the suite, with as few timed launches
as a run allows: its items that come out right are what is counted, and from the line "count:" to
the end is its count phase. Then three times in turns: one solgate-worker that counts them all, and
one ncu around one worker that launches each once, which is the least that ncu can be asked. Prints
median times and ratios. Exit 1 if a counter that metrics.ini calls exact is not the same in both,
by the rules of ncu_crosscheck.py, and not explained there.
"""
import os
import re
import subprocess
import sys
import time

from ncu import REPEATS, Values, agree, count_with_ncu, count_with_worker, counters, explained, number, reason
from table import ROOT, facts, fail, markdown, parser, rows


def count_phase(asked, suite, folder):
    """Seconds of the count phase of a run."""
    command, begun = [os.path.join(asked.bin, "solgate"), "run", suite, "--metrics=" + asked.metrics, "--out=" + folder], None
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
        for line in child.stderr:
            begun = time.monotonic() if line.startswith("count:") else begun
    if child.returncode not in (0, 5) or begun is None:
        fail(f"{' '.join(command)}: exit {child.returncode}, {'no ' if begun is None else ''}line \"count:\"")
    return time.monotonic() - begun


def short_suite(asked):
    path = os.path.join(asked.out, asked.suite + "_short.suite")
    with open(os.path.join(ROOT, "kernels", "suites", asked.suite + ".suite")) as file, open(path, "w") as short:
        text = re.sub("(?m)^(processes|blocks|launches|deadline) .*\n", "", file.read())
        short.write(text.replace("[suite]\n", "[suite]\nprocesses = 5\nblocks = 4\nlaunches = 1\ndeadline = 10s\n", 1))
    return path


def timed(seconds, what, *arguments):
    begin = time.monotonic()
    found = list(what(*arguments))
    seconds.append(time.monotonic() - begin)
    return found


def sums_of(kernels, found, path):
    """{counter: amount} of each item. Kernels that set a variant up (cuBLAS) precede its own, so the last ones are taken."""
    for item, (count, names) in reversed(kernels.items()):
        while found and not any(name in found[-1]["name"] for name in names):
            found.pop()
        if len(found) < count:
            fail(f"{path}: expected {count} kernels {' '.join(names)} of {item}, found {len(found)}")
        own = [found.pop() for _ in range(count)]
        yield item, {name: sum(sum(number(kernel.get(name, ""))) for kernel in own) for name in own[0]}


def main():
    asked = parser(__doc__, suite="smoke", metrics="all", out="out/collect_cost").parse_args()
    os.makedirs(asked.out, exist_ok=True)
    list_of_metrics, folder = os.path.join(asked.out, "metrics.csv"), os.path.join(asked.out, "run")
    with open(list_of_metrics, "w") as file:
        subprocess.run([os.path.join(asked.bin, "solgate"), "list", "metrics", "--format=csv"], stdout=file, check=True)
    phase_s, kernels, counted, passes = count_phase(asked, short_suite(asked), folder), {}, set(), 0
    fact, worker_s, ncu_s, ours, theirs = facts(folder), [], [], {}, {}
    for row in rows(os.path.join(folder, "run.csv"), "family case variant metric value status message"):
        if row["metric"] == "kernels":
            names = [name.split("::")[-1] for name in re.split("[ ,]+", row["message"])]
            kernels["/".join((row["family"], row["case"], row["variant"]))] = int(row["value"]), names
        elif row["metric"] == "count_passes":
            passes = max(passes, int(row["value"]))
        elif row["status"] == "ok":
            counted.add(row["metric"])
    metrics = {name: metric for name, metric in counters(list_of_metrics, fact["chip"]).items() if name in counted}
    items, exact = list(kernels), [name for name, metric in metrics.items() if metric["class"] == "exact" and metric["cupti"].endswith(".sum")]
    for repeat in range(REPEATS):
        path = os.path.join(asked.out, f"{repeat}.")
        for item, name, value in timed(worker_s, count_with_worker, asked.bin, items, metrics, fact["seed"], fact["l2"], path + "said"):
            ours.setdefault((item, name), []).extend(number(value))
        found = timed(ncu_s, count_with_ncu, asked.bin, items, [metric["cupti"] for metric in metrics.values()], fact["seed"], path + "csv")
        for item, amounts in sums_of(kernels, found, path + "csv"):
            for name in exact:
                theirs.setdefault((item, name), []).append(amounts[metrics[name]["cupti"]])
    lines, table = explained(), []
    for (item, name), values in theirs.items():
        us, them = Values(ours.get((item, name), [])), Values(values)
        table.append((item, name, us, them, (us.is_whole and agree(metrics[name], us, them, 0)[1]) or reason(lines, name, item, us, them)))
    count_s, least_s = Values(worker_s), Values(ncu_s)
    print(f"Counters of the suite {asked.suite}, metrics {asked.metrics}: {len(metrics)} counters in {passes} passes, {len(items)} items, "
          f"{fact['gpu_name']}, commit {fact['commit']}; median of {REPEATS} [least, most], of the run: one.\n",
          *markdown(("what", "s", "against the worker"), [
              ("count phase of solgate run", f"{phase_s:.2f}", f"{phase_s / count_s.median:.2f}"),
              ("one solgate-worker --pass=count", f"{count_s.median:.2f} [{count_s.least:.2f}, {count_s.most:.2f}]", "1"),
              ("one ncu around one worker", f"{least_s.median:.2f} [{least_s.least:.2f}, {least_s.most:.2f}]", f"{least_s.median / count_s.median:.2f}")]),
          f"\n{len(table)} exact counters, of which {sum(row[-1] == 'ok' for row in table)} are equal; the others:", sep="\n")
    print(*markdown(("kernel", "metric", "solgate", "ncu", "result"), (row for row in table if row[-1] != "ok")), sep="\n")
    return int(any(row[-1] == "EXCEPTION" for row in table))


sys.exit(main())
