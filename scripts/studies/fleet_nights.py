#!/usr/bin/env python3
"""Nights of a fleet by the programs that ship: `run` and `baseline accept` on some simulated GPUs,
`nightly` on another one. 200 rows (fleet_night.c), against the accepted build.

A night takes some 2.5 seconds of one core; nights --first and on are of their own GPUs, days and
noise. --changed: a build with eight rows that are 1 % slower, eight that are 0.5 % slower, and
eight that are slow in 30 % of their processes, by 1.2 tolerances on average. They take 40 us;
--noise, in %, is what a night's ratio of them varies by. Prints counts with exact binomial limits
at 95 %; exit 1 if they exclude a promise: 99.5 % of clean nights exit 0 and none exits 1; +1 % is
found in 99 %, +0.5 % at a tolerance of 0.25 % in 80 %; a slow state is within in at most 5 %.
"""
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

from table import ROOT, fail, markdown, parser, rows, run

SUITE = """[suite]
title     = a night of 200 rows
tolerance = {tolerance}%
metrics   = quick
processes = 10
blocks    = {blocks}
launches  = 4
deadline  = 60s

[fleet]
"""
SAID = re.compile(r"^nightly: .* (\d+) rows decided, (\d+) regressed, (\d+) suspects, (\d+) unresolved", re.M)
# Which rows of --changed came out as they are: cases, what they are called.
CHANGED = {"+1 %": ("c00 c01", "regressed"), "+0.5 %": ("c10 c11", "regressed"), "slow state": ("c20 c21", "within")}


def module(work, name, build, changed, noise):
    path = f"{work}/{name}.so"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-std=gnu17", "-shared", "-fPIC", f"-I{ROOT}/kernels", f"-I{ROOT}/scripts/lib",
                    f"-DBUILD={build}", f"-DCHANGED={changed}", f"-DNOISE_40_US={noise}", "-o", path,
                    os.path.join(ROOT, "scripts", "studies", "fleet_night.c"), "-lm"], check=True)
    return path


def limits(k, n):
    """Clopper and Pearson, 95 %."""

    def below(k, p):
        logs = (math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) + (n - i) * math.log1p(-p) for i in range(k + 1))
        return math.fsum(map(math.exp, logs))

    def solve(k, q):
        low, high = 0.0, 1.0
        for _ in range(40):
            low, high = ((low + high) / 2, high) if below(k, (low + high) / 2) > q else (low, (low + high) / 2)
        return low

    return (0.0 if k == 0 else solve(k - 1, 0.975)), (1.0 if k == n else solve(k, 0.025))


def accept(asked, work, accepted):
    """The null device has no number of its own: a run's GPU is written into its env.csv."""
    solgate, runs = f"{asked.bin}/solgate", []
    for gpu in range(asked.gpus):
        number, folder = str(1000000 * asked.first + gpu), f"{work}/accepted.{gpu}"
        run([solgate, "run", f"{work}/fleet.suite", "--module=" + accepted, f"--seed={1000 * asked.first + gpu}", "--out=" + folder], f"{work}/log",
            env={**os.environ, "FLEET_GPU": number, "FLEET_NIGHT": number})
        with open(folder + "/env.csv", "a") as file:
            file.write(f"gpu_uuid_hash,gpu{gpu}\n")
        run([solgate, "baseline", "seal", folder, "--reason=which GPU it was"], f"{work}/log")
        runs.append(folder)
    run([solgate, "baseline", "accept", *runs, "--module=" + accepted], f"{work}/log")


def one_night(asked, work, tonight, night):
    """Exit code, the numbers of the last line, and (as they are, of) each kind of CHANGED."""
    number, out = str(500000000 + night), f"{work}/night"
    # Without gnuplot on PATH: charts of the report would take a second of each night.
    code = run([f"{asked.bin}/solgate", "nightly", f"{work}/fleet.suite", "--module=" + tonight, f"--seed={night}", "--out=" + out], f"{work}/log", (0, 1, 2),
               env={**os.environ, "PATH": "/nowhere", "FLEET_GPU": number, "FLEET_NIGHT": number})
    with open(f"{work}/log") as file:
        said = SAID.search(file.read()) or fail(f"night {night}: no verdict")
    run([f"{asked.bin}/solgate", "compare", f"{out}/{os.listdir(out)[0]}/fleet", "--format=csv"], f"{work}/compared", (0, 1, 2, 3))
    with open(f"{work}/compared") as file:
        lines = [line for line in file if line.startswith("fleet,") or line.startswith("family,")]
    with open(f"{work}/compared", "w") as file:
        file.writelines(lines)
    found = {kind: [0, 0] for kind in CHANGED}
    for row in rows(f"{work}/compared", "case variant metric vs_accepted"):
        for kind, (cases, verdict) in CHANGED.items():
            if row["metric"] == "build_ratio" and row["case"] in cases.split() and row["variant"] != "base":
                found[kind][0] += row["vs_accepted"] == verdict
                found[kind][1] += 1
    shutil.rmtree(out)
    return code, [int(number) for number in said.groups()], found


def main():
    options = parser(__doc__, nights=10, first=1, gpus=1, tolerance=0.5, noise=0.06, blocks=4)
    options.add_argument("--changed", action="store_true")
    asked = options.parse_args()
    asked.bin = os.path.abspath(asked.bin)
    sums = {}

    def add(what, k, n):
        before = sums.get(what, (0, 0))
        sums[what] = before[0] + k, before[1] + n

    with tempfile.TemporaryDirectory() as work:
        os.environ.update(SOLGATE_BUILDS=work + "/store", SOLGATE_BASELINES=work + "/baselines")
        with open(f"{work}/fleet.suite", "w") as file:
            file.write(SUITE.format(**vars(asked)))
        accept(asked, work, module(work, "accepted", 0, 0, asked.noise))
        tonight = module(work, "tonight", 1, int(1000 * asked.tolerance) if asked.changed else 0, asked.noise)
        for night in range(asked.first, asked.first + asked.nights):
            code, (decided, regressed, suspects, unresolved), found = one_night(asked, work, tonight, night)
            for wanted in range(3):
                add(f"exit {wanted}", code == wanted, 1)
            for word, count in ("regressed", regressed), ("suspects", suspects), ("unresolved", unresolved):
                add("rows " + word, count, decided + regressed + suspects + unresolved)
            for kind, (k, n) in found.items() if asked.changed else ():
                add(f"{kind} {CHANGED[kind][1]}", k, n)
    share = {what: limits(k, n) for what, (k, n) in sums.items()}
    print(*markdown(("what", "count", "of", "share", "limits"), ((what, k, n, f"{100 * k / n:.4g} %", "[{:.4g}, {:.4g}] %".format(*(100 * x for x in share[what])))
                                                                for what, (k, n) in sums.items())), sep="\n")
    if asked.changed:
        return int(share["+1 % regressed"][1] < 0.99 or share["slow state within"][0] > 0.05 or
                   (asked.tolerance == 0.25 and share["+0.5 % regressed"][1] < 0.8))
    return int(sums["exit 1"][0] > 0 or share["exit 0"][1] < 0.995)


sys.exit(main())
