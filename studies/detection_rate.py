#!/usr/bin/env python3
"""How often is the verdict of `solgate ab` wrong?

Runs --gates gates of BASELINE against itself, where any verdict but within, identical or
inconclusive is false, and --detections of each SLOWER against BASELINE, where each case must come
out regressed. Each gate has a seed of its own, from --seed on. A gate that is finished in OUT is
not run again; with --minutes no gate begins later. With --gpus=N GPUs 0 to N-1 work side by side.
`false_alarms.py TALLY OUT/aa.*` counts its A/A pairs beside a tally. Prints a table, also in
OUT/tables.md. Exit 1 for a wrong verdict, 2 when gates are left, 3 when a gate fails.
"""
import os
import shutil
import subprocess
import sys
import threading
import time

from table import fail, markdown, parser, rows

VERDICTS = ("regressed", "inconclusive", "invalid", "within", "identical", "improved")


def list_gates(asked):
    """(folder, candidate, tolerance, seed); both kinds take turns, so that a part has something of both."""
    for number in range(1, max(asked.gates, asked.detections) + 1):
        if number <= asked.gates:
            yield f"aa.{number:04}", asked.baseline, "0.5%", asked.seed + number
        for kind, slower in enumerate(asked.slower if number <= asked.detections else (), 1):
            candidate, _, tolerance = slower.partition(":")
            yield f"{candidate.split('/')[1]}.{number:04}", candidate, tolerance, asked.seed + number + 100000 * kind


def run_gate(asked, gpu, name, candidate, tolerance, seed):
    """comparison.csv comes last: with it the folder is whole."""
    folder = os.path.join(asked.out, name)
    shutil.rmtree(folder, ignore_errors=True)
    with open(folder + ".csv", "w") as table, open(folder + ".log", "w") as log:
        code = subprocess.run([os.path.join(asked.bin, "solgate"), "ab", asked.baseline, candidate, *("--case=" + case for case in asked.case),
                               "--tolerance=" + tolerance, f"--seed={seed}", f"--gpu={gpu}", "--format=csv", "--out=" + folder],
                              stdout=table, stderr=log).returncode
    if code > 3:
        return f"{name}: exit {code}, see {folder}.log"
    os.remove(folder + ".log")
    os.replace(folder + ".csv", os.path.join(folder, "comparison.csv"))
    return None


def work_through(asked, gpu, gates, errors, end):
    while gates and not errors and time.time() < end:
        try:
            gate = gates.pop(0)
        except IndexError:
            return
        error = run_gate(asked, gpu, *gate)
        errors += [error] if error else []


def tabulate(asked, gates):
    """Lines of the table, and how many verdicts are wrong and invalid."""
    counts = {}
    for name, candidate, tolerance, _ in gates:
        for row in rows(os.path.join(asked.out, name, "comparison.csv"), "variant case metric vs_accepted"):
            if row["metric"] == "time_ratio" and f"{candidate.split('/')[0]}/{row['variant']}" == candidate:
                key = ("A/A" if candidate == asked.baseline else candidate, tolerance)
                for case in (row["case"], "all"):
                    of = counts.setdefault((*key, case), dict.fromkeys(VERDICTS, 0))
                    of[row["vs_accepted"]] += 1
    wrong = invalid = 0
    for (kind, _, case), of in counts.items():
        if case == "all":
            wrong += of["regressed"] + of["improved"] if kind == "A/A" else of["within"] + of["identical"] + of["improved"]
            invalid += of["invalid"]
    return markdown(("candidate", "tolerance", "case", "rows", *VERDICTS),
                    ((*key, sum(of.values()), *of.values()) for key, of in sorted(counts.items()))), wrong, invalid


def main():
    options = parser(__doc__, out="out/detection_rate", gates=112, detections=12, minutes=0.0, gpus=1, seed=0, baseline="injected/exact")
    options.add_argument("--slower", action="append", help="FAMILY/VARIANT:TOLERANCE")
    options.add_argument("--case", action="append", default=[])
    asked = options.parse_args()
    asked.slower = asked.slower or ["injected/work_025:0.1%", "injected/work_100:0.5%"]
    os.makedirs(asked.out, exist_ok=True)
    every = list(list_gates(asked))
    left, errors = [], []
    left += (gate for gate in every if not os.path.exists(os.path.join(asked.out, gate[0], "comparison.csv")))
    end = time.time() + 60 * asked.minutes if asked.minutes else float("inf")
    threads = [threading.Thread(target=work_through, args=(asked, gpu, left, errors, end)) for gpu in range(asked.gpus)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = [gate for gate in every if os.path.exists(os.path.join(asked.out, gate[0], "comparison.csv"))]
    lines, wrong, invalid = tabulate(asked, done)
    with open(os.path.join(asked.out, "tables.md"), "w+") as file:
        print(f"{len(done)} of {len(every)} gates, `solgate ab {asked.baseline} CANDIDATE`\n", *lines, f"\nwrong verdicts: {wrong}", sep="\n", file=file)
        file.seek(0)
        print(file.read(), end="")
    if errors or invalid:
        fail("; ".join(errors) or f"{invalid} rows are invalid: see why in {asked.out}/*/comparison.csv, remove those folders, run it again")
    return 1 if wrong else 2 if len(done) < len(every) else 0


sys.exit(main())
