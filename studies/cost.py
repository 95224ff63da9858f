#!/usr/bin/env python3
"""What a large run costs solgate itself: time, processor time and memory of its commands.

Makes a module of --cases small cases of two variants, whose own work takes next to nothing, and
runs it (verified, and five processes of four blocks); then once more with all counters, for the
commands that read runs. Limits: 3 ms of
processor time an item, and at most twice that of a tenth of the cases; 0.5 s and 100 MB a command
for each 100,000 rows. Exit 1 if one is missed. On a busy machine only the processor time counts.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

from table import ROOT, fail, markdown, parser

MODULE = """
#include "doubling.h"
static const struct sg_case cases[] = {
%s};
static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)variant, (void)knob;
    return (struct sg_simulation){.time_ns = 10000 + (double)c->dim[0], .noise = 0.001};
}
static const struct sg_family family = {
    .summary = "many small cases", .device = SG_HOST, .dims = "n", .cases = cases, .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = doubling_layout, .work = doubling_work, .tolerance = doubling_tolerance, .reference = doubling_reference, .simulate = simulate,
};
static const struct sg_variant first = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant second = {.summary = "the same again", .launch = doubling_launch};
static const struct sg_named_variant variants[] = {{"first", &first}, {"second", &second}};
static const struct sg_module module = {SG_ABI_VERSION, "many", "", &family, variants, 2, NULL};
const struct sg_module *solgate_module(void) { return &module; }
"""
SUITE = """[suite]
title     = many small cases
tolerance = 0.5%
processes = 5
blocks    = 4
launches  = 1
metrics   = all
[many]
"""


def make_module(work, cases):
    """The module's file."""
    with open(f"{work}/many.c", "w") as file:
        file.write(MODULE % "".join(f'    {{.name = "c{i:05}", .dim = {{{64 + i}}}, .dtype = SG_F32, .summary = "made up"}},\n' for i in range(cases)))
    module = f"{work}/many{cases}.so"
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu17", "-O2", "-fPIC", "-shared", f"-I{ROOT}/kernels", f"-I{ROOT}/scripts/lib", "-o", module,
                    f"{work}/many.c"], check=True)
    return module


def measure(work, *command):
    """Seconds, processor seconds of it and its children, peak MB of it."""
    begin, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(f"{work}/log", "w") as log:
        child = subprocess.Popen(command, stdout=log, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) > 3:
        fail(f"{' '.join(command)}: exit {os.waitstatus_to_exitcode(status)}: {open(f'{work}/log').read()[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.time() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, usage.ru_maxrss / 1000


def main():
    asked = parser(__doc__, cases=2000).parse_args()
    solgate, table, missed = f"{asked.bin}/solgate", [], False
    with tempfile.TemporaryDirectory() as work:
        os.environ.update(SOLGATE_BUILDS=f"{work}/builds", SOLGATE_BASELINES=f"{work}/baselines")
        with open(f"{work}/many.suite", "w") as file:
            file.write(SUITE)
        per_item = {}
        for cases in (max(1, asked.cases // 10), asked.cases):
            module, run = make_module(work, cases), f"{work}/run{cases}"
            s, cpu, mb = measure(work, solgate, "run", f"{work}/many.suite", "--module=" + module, "--metrics=registers", "--out=" + run)
            per_item[cases] = 1000 * cpu / (2 * cases)
            table.append((f"run of {2 * cases} items", f"{s:.2f}", f"{cpu:.2f}", f"{mb:.0f}", f"{per_item[cases]:.2f} ms an item"))
        missed = per_item[cases] > 3 or per_item[cases] > 2 * min(per_item.values())
        run = f"{work}/counted"
        measure(work, solgate, "run", f"{work}/many.suite", "--module=" + module, "--out=" + run)
        with open(run + "/run.csv") as file:
            rows = sum(1 for _ in file)
        for command in (["baseline", "accept", run], ["compare", run], ["compare", run, "--format=csv"], ["compare", run, "--format=markdown"], ["gap", run],
                        ["explain", run, "many/c00000", "first", "second"], ["report", run, "--tables-only", f"--out={work}/report"]):
            s, cpu, mb = measure(work, solgate, *command)
            met = cpu <= 0.5 * max(1, rows / 1e5) and mb <= 100 * max(1, rows / 1e5)
            missed = missed or not met
            table.append((" ".join(word for word in command if work not in word), f"{s:.2f}", f"{cpu:.2f}", f"{mb:.0f}", "met" if met else "MISSED"))
    print(f"{rows} rows\n", *markdown(("command", "s", "cpu s", "MB", "limit"), table), sep="\n")
    return int(missed)


sys.exit(main())
