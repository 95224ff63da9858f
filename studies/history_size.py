#!/usr/bin/env python3
"""What does `solgate history check` cost for many series and nights?

    history_size.py [--build=BUILD] [--series=N] [--nights=N] [--gpus=N] [--keep=DIR]

Makes a history of one GPU model, one file a night, as the merged runs of a fleet write it: pairs with an accepted
build, ratios, times and four counters an item; each item's GPU is drawn. Prints the time, CPU time and peak
memory of `history check`, and its first line.
"""
import argparse
import datetime
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

HEADER = ("record,name,text,ratio,ratio_se,time,time_se,sm_clock,beta,counters,build_ratio,build_ratio_se,build,code,"
          "sd,processes,inner_sd,fast_sd,unit\n")
FIRST = datetime.date(2026, 1, 1)
SEED, PRIME, MASK = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF


def fnv(state, line):
    """FNV-1a of the fields of a line, each followed by a 0, as harness/util/digest.c."""
    for byte in line.encode().replace(b",", b"\0") + b"\0":
        state = (state ^ byte) * PRIME & MASK
    return state


def night_rows(draw, night, series, gpus):
    yield from (f"fact,{key},{value}" + "," * 16 for key, value in (
        ("schema", 4), ("date", f"{FIRST + datetime.timedelta(night)}T02:00:00Z"), ("gpu", "h200"), ("suite", "large"),
        ("tolerance", 0.005), ("driver", "580.1"), ("time_source", "cupti_activity"), ("run", f"{night:016x}")))
    for item in range(series):
        noise = draw.gauss(0, 0.0014)
        yield (f"item,family{item // 50}/case{item % 50}/variant,ok,{1.2 + noise:.9g},0.0007,{5000 + item},0.003,1.98e+09,0.97,"
               f"grid=132 instructions={item} registers=40 shared_bytes=1024,{1 + noise:.9g},0.0005,00000000000000b1,00000000000000c1,0.0015,10,0.0004,0.0009,"
               f"gpu{draw.randrange(gpus)}")


def make(folder, args):
    os.makedirs(folder)
    for night in range(args.nights):
        lines = list(night_rows(random.Random(night), night, args.series, args.gpus))
        date = lines[1].split(",")[2].replace("-", "").replace(":", "")
        with open(f"{folder}/{date}-unknown-{night:016x}.csv", "w", encoding="utf-8") as file:
            file.write(HEADER + "\n".join(lines) + "\n")
            digest = subprocess.run([args.fnv], input="\n".join(lines), capture_output=True, text=True, check=True).stdout if args.fnv else None
            state = SEED
            for line in [] if digest else lines:
                state = fnv(state, line)
            file.write(f"fact,digest,{digest or '%016x' % state}" + "," * 16 + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-nocuda")
    parser.add_argument("--series", type=int, default=50000)
    parser.add_argument("--nights", type=int, default=180)
    parser.add_argument("--gpus", type=int, default=400)
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--fnv", help=argparse.SUPPRESS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        history = args.keep or made
        if not os.path.isdir(f"{history}/h200"):
            make(f"{history}/h200/large", args)
        began = time.monotonic()
        done = subprocess.run([f"{args.build}/bin/solgate", "history", "check", f"--history={history}"], capture_output=True, text=True, check=False)
        took = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{args.series} series x {args.nights} nights: {took:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of CPU, {used.ru_maxrss / 1e6:.2f} GB, exit {done.returncode}: {(done.stdout or done.stderr).splitlines()[0]}")


if __name__ == "__main__":
    sys.exit(main())
