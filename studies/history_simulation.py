#!/usr/bin/env python3
"""How often does the scan of `solgate history` see a step where none is, and how well one that is?

    history_simulation.py [--build=BUILD] [--series=N] [--seed=N] [--alarms=few|usual] [--pairs=SD] [STUDY...]

Simulated years of 365 nights, judged by studies/promises/history_nights.c (target history_nights),
which is the code that ships. STUDY: false (steps in clean series, and nights that ask for an A/B), found
(delay of steps), size (cover of their 95 % intervals), fleet (steps of +5 % at night 30 of 60, by number of GPUs),
together (the same night, in all series or a few); all of them without one. --pairs: values are ratios to an accepted build, which differ by SD between GPUs. Nights are made
here, by a generator that shares nothing with solgate, and in the rows `launches` by the simulated
launches of studies/promises.

A clean series has noise of 0.06, 0.14 or 0.45 % a night (sd), r between neighbours; 2 % of its
values are 4 to 12 sd off; on 1 % of nights, bad ones, so is a third of all series; 3 % are missing;
two drivers a year move 30 % of the series by 0.5 % (sd). What is measured again in the same night
shares its noise and a bad night, and is off by itself in 2 % of cases. Findings within seven nights
behind a new driver do not count.
"""
import argparse
import math
import os
import random
import subprocess
import sys

NIGHTS = 365
NOISES = (0.0006, 0.0014, 0.0045)
DRIVERS = (120, 245)
AGAIN_SE = 0.5  # of a night's noise, as its error says
GPU_SD = 0.008  # of ratios to a baseline; of --pairs as given
FLEETS = (1, 2, 5, 8, 20, 30, 61, 400)


class World:
    """What the nights of a suite are like."""

    gpu_sd = GPU_SD

    def __init__(self, r=0.0, outliers=0.02, bad=0.01, missing=0.03, drivers=True, gpus=1, sticky=0.0, of_gpu=True, slow=0.0, slow_r=0.95):
        self.r, self.outliers, self.bad, self.missing = r, outliers, bad, missing
        self.drivers, self.gpus, self.sticky, self.of_gpu = drivers, gpus, sticky, of_gpu
        self.slow, self.slow_r = slow, slow_r


def off(draw, sd):
    return draw.choice((-1, 1)) * draw.uniform(4, 12) * sd


def make_series(draw, world, sd, units, bad_nights, truth):
    """Lines of one series; units: the GPU of each night; truth(night): ln, what is really there."""
    gpu = [draw.gauss(0, world.gpu_sd) for _ in range(world.gpus)]
    moves = [0.0]
    for _ in DRIVERS:
        moves.append(moves[-1] + (draw.gauss(0, 0.005) if world.drivers and draw.random() < 0.3 else 0))
    wander = draw.gauss(0, sd) if world.slow else 0.0
    state, lines = [draw.gauss(0, sd) for _ in range(world.gpus)], []
    for night, unit in enumerate(units):
        of = unit if world.of_gpu else 0
        state[of] = world.r * state[of] + math.sqrt(1 - world.r ** 2) * draw.gauss(0, sd)
        driver = sum(night >= d for d in DRIVERS) if world.drivers else 0
        if world.slow:
            wander = world.slow_r * wander + math.sqrt(1 - world.slow_r ** 2) * draw.gauss(0, sd)
        value = math.sqrt(1 - world.slow) * state[of] + math.sqrt(world.slow) * wander + gpu[unit] + moves[driver] + truth(night)
        again = value + draw.gauss(0, AGAIN_SE * math.sqrt(2) * sd)
        if night in bad_nights and draw.random() < 1 / 3:
            shared = off(draw, sd)
            value, again = value + shared, again + shared
        elif draw.random() < world.outliers:
            wild = off(draw, sd)
            value += wild
            again += wild if draw.random() < world.sticky else off(draw, sd) if draw.random() < world.outliers else 0
        if draw.random() >= world.missing:
            lines.append(f"{night} {unit} {driver} {value:.9g} {AGAIN_SE * sd:.4g} {again:.9g} {AGAIN_SE * sd:.4g}")
    return lines


def make(draw, world, count, truth=lambda series, night: 0.0, nights=NIGHTS, noises=NOISES):
    bad = {night for night in range(nights) if draw.random() < world.bad}
    units = [draw.randrange(world.gpus) for _ in range(nights)]
    lines = []
    for series in range(count):
        for line in make_series(draw, world, noises[series % len(noises)], units, bad, lambda night, s=series: truth(s, night)):
            lines.append(f"{series} {line}")
    return "\n".join(lines) + "\n"


class Found:
    def __init__(self, text):
        self.steps, self.off, self.creep, self.again, self.r, self.unwatched = [], [], [], 0, 0.0, 0
        for line in text.splitlines():
            word, *rest = line.split()
            if word == "step":
                self.steps.append((int(rest[0]), int(rest[1]), int(rest[2]), *map(float, rest[3:])))
            elif word == "off":
                self.off.append((int(rest[0]), int(rest[1])))
            elif word == "creep":
                self.creep.append(int(rest[0]))
            elif word == "again":
                self.again = int(rest[0])
            elif word == "unwatched":
                self.unwatched = int(rest[0])
            elif word == "r":
                self.r = float(rest[0])


def judge(args, lines):
    words = [args.program, "judge", args.alarms] + (["pairs"] if args.pairs is not None else [])
    return Found(subprocess.run(words, input=lines, capture_output=True, text=True, check=True).stdout)


def near_driver(world, night):
    return world.drivers and any(0 <= night - d <= 7 for d in DRIVERS)


def rate(count, nights):
    return f"{1000 * count / nights:.2f} +- {1000 * math.sqrt(max(count, 1)) / nights:.2f}"


WORLDS = {
    "one GPU": World(),
    "r = 0.15": World(r=0.15),
    "r = 0.3": World(r=0.3),
    "r = 0.5": World(r=0.5),
    "five GPUs": World(gpus=5),
    "five GPUs, r = 0.3 on each": World(gpus=5, r=0.3),
    "five GPUs, r = 0.3 over all": World(gpus=5, r=0.3, of_gpu=False),
    "no outliers, bad or missing nights, drivers": World(outliers=0, bad=0, missing=0, drivers=False),
    "outliers last all night in half of the cases": World(sticky=0.5),
    "half of the variance wanders": World(slow=0.5),
    "30 GPUs": World(gpus=30),
    "400 GPUs": World(gpus=400),
}


def false_row(args, name, world, found, series):
    nights = series * NIGHTS
    steps = [s for s in found.steps if not near_driver(world, s[2])]
    asks = {s[1] for s in steps if s[3] > 0} | {o[1] for o in found.off if not near_driver(world, o[1])}
    print(f"| {name} | {rate(len(steps), nights)} | {rate(len(found.off), nights)} | {100 * len(asks) / NIGHTS:.1f} | "
          f"{found.again / NIGHTS:.2f} | {found.r:.2f} |", flush=True)


def study_false(args):
    print(f"{args.series} clean series a year, --alarms={args.alarms}")
    print("| nights | false steps per 1,000 series-nights | single nights that ask, per 1,000 | nights that ask for an A/B, of 100 | "
          "rows measured again a night | r that is found |\n|---|---|---|---|---|---|")
    for name, world in WORLDS.items():
        draw = random.Random(f"{args.seed} {name}")
        false_row(args, name, world, judge(args, make(draw, world, args.series)), args.series)
    made = subprocess.run([args.program, "make", "1", str(args.series), str(args.seed)], capture_output=True, text=True, check=True).stdout
    plain = World(drivers=False)
    false_row(args, "launches, one GPU", plain, judge(args, made), args.series)
    draw, wild = random.Random(args.seed), []
    for line in made.splitlines():
        cell = line.split()
        if draw.random() < 0.02:
            cell[4] = repr(float(cell[4]) + off(draw, 0.0014))
        wild.append(" ".join(cell))
    false_row(args, "launches, 2 % of values off", plain, judge(args, "\n".join(wild) + "\n"), args.series)


def delays_of_year(args, draw, world, sd, size):
    """Night on which each step is found, its own being 1; 99: not within 40."""
    at = {s: draw.randrange(150, 230) for s in range(0, args.series, 10)}
    found = judge(args, make(draw, world, args.series, lambda s, n: size if n >= at.get(s, 999) else 0, 300, (sd,)))
    delays = dict.fromkeys(at, 99)
    for s in found.steps:
        delay = s[1] - at.get(s[0], 999) + 1
        if 1 <= delay <= 40 and abs(s[2] - at[s[0]]) <= 10:
            delays[s[0]] = min(delay, delays[s[0]])
    return list(delays.values())


def study_found(args):
    """One series of ten has a step: where most have one, they look like noise that wanders."""
    print(f"\n{2 * args.series} series, {args.series // 5} of them with a step, --alarms={args.alarms}: median night on which it is found (how many are, within 40)")
    print("| nights | noise | +0.25 % | +0.5 % | +1 % | +2 % |\n|---|---|---|---|---|---|")
    for name in ("one GPU", "r = 0.3", "five GPUs"):
        for sd in NOISES:
            cells = []
            for size in (0.0025, 0.005, 0.01, 0.02):
                draw = random.Random(f"{args.seed} {name} {sd} {size}")
                delays = sorted(delays_of_year(args, draw, WORLDS[name], sd, size) + delays_of_year(args, draw, WORLDS[name], sd, size))
                median, found = delays[len(delays) // 2], sum(delay < 99 for delay in delays)
                cells.append(f"{'-' if median == 99 else median} ({100 * found // len(delays)} %)")
            print(f"| {name} | {100 * sd:.2f} % | {' | '.join(cells)} |", flush=True)


def sizes_of_year(args, draw, world, sd, change):
    """Of 20 series with a step, 60 nights behind it: what is listed as its size, ln."""
    at = [draw.randrange(120, 180) for _ in range(20)]
    lines = make(draw, world, 20, lambda s, n: change if n >= at[s] else 0, NIGHTS, (sd,)).splitlines()
    kept = [line for line in lines if int(line.split()[1]) < at[int(line.split()[0])] + 60]
    nearest = {}
    for s in judge(args, "\n".join(kept) + "\n").steps:
        off = abs(s[2] - at[s[0]])
        if off <= min(10, abs(nearest[s[0]][2] - at[s[0]]) - 1 if s[0] in nearest else 10):
            nearest[s[0]] = s
    return [s[3:] for s in nearest.values()]


def study_size(args):
    print(f"\n{args.series} series with a step, 20 a year: how many 95 % intervals of its size cover it (bias), 60 nights behind it")
    print("| nights | noise | +0.5 % | +1 % | +2 % | +5 % |\n|---|---|---|---|---|---|")
    for name in ("one GPU", "r = 0.3", "five GPUs", "30 GPUs", "400 GPUs", "no outliers, bad or missing nights, drivers"):
        for sd in NOISES:
            cells = []
            for change in map(math.log1p, (0.005, 0.01, 0.02, 0.05)):
                draw = random.Random(f"{args.seed} size {name} {sd} {change}")
                found = [size for _ in range(args.series // 20) for size in sizes_of_year(args, draw, WORLDS[name], sd, change)]
                covered = sum(low <= change <= high for _, low, high in found)
                bias = sum(size - change for size, _, _ in found) / max(len(found), 1)
                cells.append(f"{100 * covered / max(len(found), 1):.1f} % ({100 * bias:+.3f} %)")
            print(f"| {name} | {100 * sd:.2f} % | {' | '.join(cells)} |", flush=True)


def make_turns(draw, gpus, count, sd, truth):
    """60 nights without wild values; the GPUs take turns."""
    world = World(outliers=0, bad=0, missing=0, drivers=False, gpus=gpus)
    units = [night % gpus for night in range(60)]
    return [f"{s} {line}" for s in range(count) for line in make_series(draw, world, sd, units, (), lambda n, s=s: truth(s, n))]


def kind_of(args):
    return "ratios to a baseline" if args.pairs is None else f"pairs, {100 * args.pairs:g} % between GPUs"


def study_together(args):
    """A step of most series at once, as by a compiler, is found like a step of a few."""
    print(f"\n{args.series} series of {kind_of(args)}, noise {100 * NOISES[2]:g} %, a step at night 30 of 60 in some of them: steps found, the night when half of "
          "them are, steps elsewhere")
    print("| GPUs | series with the step | +1 % | +3 % | +5 % |\n|---|---|---|---|---|")
    for gpus in (1, 2, 5, 8, 30):
        for share in (100, 80, 50, 5):
            cells, count = [], args.series * share // 100
            for size in (0.01, 0.03, 0.05):
                draw = random.Random(f"{args.seed} together {gpus}")
                lines = make_turns(draw, gpus, args.series, NOISES[2], lambda s, n: math.log1p(size) if n >= 30 and s < count else 0)
                steps = judge(args, "\n".join(lines) + "\n").steps
                nights = sorted({s[0]: s[1] for s in reversed(steps) if s[0] < count and s[1] >= 30 and abs(s[2] - 30) <= 10}.values())
                cells.append(f"{100 * len(nights) // count} %, {nights[len(nights) // 2] if nights else '-'}, {len(steps) - len(nights)}")
            print(f"| {gpus} | {share} % | {' | '.join(cells)} |", flush=True)


def study_fleet(args):
    """The GPUs take turns; every night is judged as the last one."""
    print(f"\n20 series of {kind_of(args)}, +5 % at night 30 of 60, nothing else: steps found, at which night at the latest, rows that cannot be watched "
          "at nights 29, 33 and 59")
    print("| GPUs | found | by night | not watched |\n|---|---|---|---|")
    for gpus in FLEETS:
        lines = make_turns(random.Random(f"{args.seed} fleet {gpus}"), gpus, 20, NOISES[1], lambda s, n: math.log(1.05) if n >= 30 else 0)
        steps = {s[0]: s[1] for s in judge(args, "\n".join(lines) + "\n").steps}
        unwatched = [judge(args, "\n".join(line for line in lines if int(line.split()[1]) <= last) + "\n").unwatched for last in (29, 33, 59)]
        print(f"| {gpus} | {len(steps)} | {max(steps.values(), default='-')} | {', '.join(map(str, unwatched))} |", flush=True)


STUDIES = {"fleet": study_fleet, "together": study_together, "false": study_false, "found": study_found, "size": study_size}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-nocuda")
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alarms", choices=("few", "usual"), default="few")
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    parser.add_argument("--pairs", type=float, metavar="SD")
    args = parser.parse_args()
    if args.pairs is not None:
        World.gpu_sd = args.pairs
    args.program = os.path.join(args.build, "tests", "history_nights")
    unknown = [study for study in args.studies if study not in STUDIES]
    if unknown or not os.access(args.program, os.X_OK):
        sys.exit(f"history_simulation.py: expected studies of {', '.join(STUDIES)}, found {unknown}" if unknown else
                 f"history_simulation.py: {args.program} is not there: cmake --build {args.build} --target history_nights")
    for study in args.studies or STUDIES:
        STUDIES[study](args)


if __name__ == "__main__":
    main()
