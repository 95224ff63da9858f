#!/usr/bin/env python3
"""Nights of the shipped programs, on times that a generator of its own draws. No GPU.

    studies/promises/shipped_nights.py [--build=BUILD] [--nights=N] [--seed=N]

`solgate run`, `accept` and `nightly` go through nights of 22 rows, whose processes differ
by what the recorded nights differ by (tests/data/h200/nights). A kernel module made here says how
long each side takes in each process; the simulated GPU adds the noise of launches. Ten nights of the
accepted build come first, and are the history of the others, whose module is another one: clean
nights, nights with a row that is 1 % slower, and nights with a row that is slower in 30 % of its
processes, by 0.6 and 1 % on average. Prints how many ended with 0, 1 and 2.
"""
import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "studies"))
from nights_simulation import recorded_noise  # noqa: E402

MODULE = r"""
#define _GNU_SOURCE
#include "doubling.h"
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double sd[] = {SD};

/* The same for all calls of a process, a row and a side. The accepted build is a file of the store, so equal
 * builds draw apart. */
static double uniform(unsigned row, unsigned salt)
{
    Dl_info file;
    dladdr(sd, &file);
    salt += 1009 * (SIDE + 2 * (strstr(file.dli_fname, "/store/") != NULL));
    unsigned long x = strtoul(getenv("NIGHT_SEED"), NULL, 10) * 1000003UL + (unsigned long)getpid() * 8191 + row * 131 + salt;
    for (int i = 0; i < 3; i++)
        x = (x ^ (x >> 29)) * 0x9e3779b97f4a7c15UL + 0x632be59bd9b4e019UL;
    return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)c, (void)knob;
    const unsigned row = (unsigned)atoi(variant + 1);
    double ln = sd[row] / sqrt(2) * sqrt(-2 * log(uniform(row, 1))) * cos(6.283185307179586 * uniform(row, 2));
    if (row == TARGET && uniform(row, 3) < SHARE)
        ln += log1p(SLOWER);
    return (struct sg_simulation){.time_ns = 40000 * exp(ln), .clock_exponent = 0.5};
}

static const struct sg_case cases[] = {DOUBLING_CASE("c")};
static const struct sg_family family = {DOUBLING_FIELDS(cases), .simulate = simulate};
VARIANTS
DOUBLING_MODULE("drawn", family, variants)
"""
SUITE = "[suite]\ntitle = rows of recorded noise\ntolerance = 0.25%\nmetrics = quick\nprocesses = 10\nblocks = 8\n\n[drawn]\n"
NIGHTS = (("clean", -1, 0, 0), ("one row slower by 1 %", None, 0.01, 1), ("slow in 30 % of processes, 0.6 % on average", None, 0.02, 0.3),
          ("slow in 30 % of processes, 1 % on average", None, 0.01 / 0.3, 0.3))


class Nights:
    def __init__(self, build, seed):
        self.work, self.draw, self.sd = tempfile.mkdtemp(), random.Random(seed), recorded_noise()
        self.solgate = os.path.abspath(os.path.join(build, "bin", "solgate"))
        self.of = {"SOLGATE_BUILDS": self.path("store"), "SOLGATE_BASELINES": self.path("baselines")}
        with open(self.path("s.suite"), "w") as file:
            file.write(SUITE)
        names = [f"v{i:02}" for i in range(len(self.sd))]
        variants = "".join(f'static const struct sg_variant {n} = {{.summary = "{n}", .role = {"SG_CANDIDATE" if i else "SG_BASELINE"}, '
                           ".launch = doubling_launch};\n" for i, n in enumerate(names))
        variants += "static const struct sg_named_variant variants[] = {" + ", ".join(f'{{"{n}", &{n}}}' for n in names) + "};\n"
        with open(self.path("drawn.c"), "w") as file:
            file.write(MODULE.replace("VARIANTS", variants).replace("{SD}", "{" + ", ".join(map(repr, self.sd)) + "}"))

    def path(self, name):
        return os.path.join(self.work, name)

    def compile(self, side, target=-1, slower=0, share=0):
        subprocess.run(["cc", "-std=gnu17", "-shared", "-fPIC", f"-I{ROOT}/kernels", f"-I{ROOT}/scripts/lib", f"-DSIDE={side}",
                        f"-DTARGET={target}", f"-DSLOWER={slower}", f"-DSHARE={share}", "-o", self.path("drawn.so"), self.path("drawn.c"), "-lm"],
                       check=True)

    def program(self, *arguments):
        seed = str(self.draw.randrange(1 << 30))
        return subprocess.run([self.solgate, *arguments], cwd=self.work, env={**os.environ, **self.of, "NIGHT_SEED": seed},
                              capture_output=True, text=True, check=False)

    def accept(self):
        self.compile(1)
        for arguments in (("run", "s.suite", "--module=drawn.so", "--out=R", "--seed=1"), ("baseline", "accept", "R", "--module=drawn.so")):
            done = self.program(*arguments)
            if done.returncode != 0:
                sys.exit(f"solgate {' '.join(arguments)}: exit {done.returncode}: {done.stderr}")

    def night(self, history, target, slower, share, side=2):
        """The exit code, and what was printed."""
        self.compile(side, self.draw.randrange(len(self.sd)) if target is None else target, slower, share)
        done = self.program("nightly", "s.suite", "--module=drawn.so", "--all", f"--history={history}", "--out=N", f"--seed={self.draw.randrange(1 << 30)}")
        shutil.rmtree(self.path("N"))
        return done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-nocuda")
    parser.add_argument("--nights", type=int, default=40, help="of each kind (40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what each night prints")
    options = parser.parse_args()
    nights = Nights(options.build, options.seed)
    nights.accept()
    counts, before = {}, nights.path("history")
    for _ in range(10):
        nights.night(before, -1, 0, 0, side=1)
    for what, *change in tuple(night for _ in range(options.nights) for night in NIGHTS):
        shutil.copytree(before, history := nights.path("copy"))
        code, text = nights.night(history, *change)
        counts.setdefault(what, collections.Counter())[code] += 1
        if options.show:
            print(what, text, sep="\n")
        print(f"{what}: exit {code}; so far", *(f"{k}: {n}" for k, n in sorted(counts[what].items())), flush=True)
        shutil.rmtree(nights.path("copy"), ignore_errors=True)
    shutil.rmtree(nights.work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
