#!/usr/bin/env python3
"""How often does `solgate ab` see a change where there is none?

Counts the A/A pairs (a kernel against itself) of gates: folders of runs of `solgate ab`, or tallies,
which are the rows of many aa.csv. Prints a row per GPU, with the largest rate of false verdicts that
agrees with the count at 95 % (exact binomial bound), and the scale of t: how far the pairs spread, in
their own errors, with its limits at 95 %; 1 if errors are right. A pair that occurs twice is refused.
"""
import os

from claims import intervals, most, scale_of_t
from table import fail, markdown, parser, rows

COLUMNS = "date seed gpu gpu_name family case variant change verdict"
INTERVAL = " low high processes"
FALSE = ("regressed", "improved")
VERDICTS = ("within", "inconclusive") + FALSE


def main():
    options = parser(__doc__)
    options.add_argument("run", nargs="+", help="folder of a run of `solgate ab`, or a tally")
    seen, counts = set(), {}
    for given in options.parse_args().run:
        path = os.path.join(given, "aa.csv") if os.path.isdir(given) else given
        for number, row in enumerate(rows(path, COLUMNS + INTERVAL), 2):
            pair = tuple(row[name] for name in COLUMNS.split()[:-1])
            if row["verdict"] not in VERDICTS:
                fail(f"{path}:{number}: expected a verdict of {', '.join(VERDICTS)}, found {row['verdict']}")
            if pair in seen:
                fail(f"{path}:{number}: expected each pair once: this one was counted before")
            seen.add(pair)
            counts.setdefault((row["gpu"], row["gpu_name"]), []).append(row)
    table = []
    for gpu, pairs in sorted(counts.items()):
        found = [row["verdict"] for row in pairs]
        table.append((*gpu, len(found), *(found.count(word) for word in (*FALSE, "inconclusive")),
                      most(sum(found.count(word) for word in FALSE), len(found)), scale_of_t(intervals(pairs)).removeprefix("scale of t ")))
    for line in markdown(("gpu", "gpu_name", "pairs", *FALSE, "inconclusive", "false rate below", "scale of t"), table):
        print(line)


main()
