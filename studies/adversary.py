#!/usr/bin/env python3
"""Is each kernel that computes dishonestly refused, and does every honest kernel pass?

Runs the suite adversary and, for each variant of its family, a gate against its baseline. A trick
may come to what its source declares, or to what kernels/adversary/outcomes.csv has:
  yes       it came to that, and no gate passed it
  harmless  it may be ok, was, and no gate found it faster
  honest    it is no trick, was ok, and its gates judged it by its time
  absent    it needs what is not on this machine
  NO        anything else: then exit 1
Exit 77 where there is no GPU or the family was not built.
"""
import os
import subprocess
import sys
import tempfile

from table import ROOT, fail, markdown, parser, rows

FAMILY = "adversary"
BY_TIME = {"within", "improved", "identical", "regressed", "inconclusive"}


def listed(solgate, out):
    path = os.path.join(out, "variants.csv")
    with open(path, "w") as file:
        subprocess.run([solgate, "list", "variants", "--format=csv"], check=True, stdout=file)
    return rows(path, "")


def answer(trick, statuses, verdicts, exits):
    if statuses == {"unavailable"} or statuses == {"unsupported"}:
        return "absent"
    statuses = statuses - {"unsupported"}
    if trick["honest"]:
        judged = trick["role"] == "baseline" or (verdicts and verdicts <= BY_TIME)
        return "honest" if statuses == {"ok"} and judged else "NO"
    if not statuses or not statuses <= trick["expected"]:
        return "NO"
    if "ok" not in statuses:
        return "NO" if 0 in exits or not exits else "yes"
    if not verdicts or "improved" in verdicts:
        return "NO"
    return "yes" if verdicts <= {"invalid", "broken"} else "harmless"


def gate(solgate, baseline, name, cases, out):
    """Exit code and verdicts of one gate."""
    path = os.path.join(out, f"ab_{name}")
    with open(path + ".csv", "w") as table, open(path + ".log", "w") as log:
        code = subprocess.run([solgate, "ab", f"{FAMILY}/{baseline}", f"{FAMILY}/{name}", *cases, "--out=" + path, "--format=csv"],
                              stdout=table, stderr=log).returncode
    if code in (4, 77):
        fail(f"{name}: exit {code}, see {path}.log")
    found = rows(path + ".csv", "family metric vs_accepted") if os.path.getsize(path + ".csv") else []
    return code, {row["vs_accepted"] for row in found if row["family"] == FAMILY and row["metric"] in ("status", "time_ratio")} - {""}


def main():
    options = parser(__doc__, out="")
    options.add_argument("--case", action="append", default=[])
    options.add_argument("--variant", action="append", default=[])
    asked = options.parse_args()
    solgate = os.path.join(asked.bin, "solgate")
    kept = asked.out or tempfile.TemporaryDirectory()
    out = asked.out or kept.name
    os.makedirs(out, exist_ok=True)
    tricks = {row["name"]: row for row in listed(solgate, out) if row["family"] == FAMILY}
    if not tricks:
        print(f"the family {FAMILY} was not built: it needs the CUDA toolkit")
        return 77
    may_be = {row["variant"]: row["outcomes"] for row in rows(os.path.join(ROOT, "kernels", FAMILY, "outcomes.csv"), "variant outcomes why")}
    for name in may_be.keys() - tricks.keys():
        fail(f"outcomes.csv: expected variants of {FAMILY}, found '{name}'")
    for name, trick in tricks.items():
        trick["honest"] = trick["expect"] == "ok" and name not in may_be
        trick["expected"] = set(may_be.get(name, trick["expect"]).split())
    if code := subprocess.run([solgate, "doctor"], capture_output=True).returncode:
        return code
    baseline = next(name for name, trick in tricks.items() if trick["role"] == "baseline")
    cases = ["--case=" + case for case in asked.case]
    names = [name for name in tricks if not asked.variant or name in asked.variant]
    with open(os.path.join(out, "run.log"), "w") as log:
        subprocess.run([solgate, "run", FAMILY, "--out=" + os.path.join(out, "run"), *cases, *("--variant=" + v for v in asked.variant)],
                       stdout=log, stderr=log)
    statuses = {}
    for row in rows(os.path.join(out, "run", "run.csv"), "family variant metric status"):
        if row["family"] == FAMILY and row["metric"] == "status":
            statuses.setdefault(row["variant"], set()).add(row["status"])
    table, tally = [], {}
    for name in names:
        code, verdicts = (None, set()) if name == baseline else gate(solgate, baseline, name, cases, out)
        word = answer(tricks[name], statuses.get(name, set()), verdicts, {code} - {None})
        tally[word] = tally.get(word, 0) + 1
        table.append((name, tricks[name]["summary"], " ".join(sorted(tricks[name]["expected"])), " ".join(sorted(statuses.get(name, "-"))),
                      " ".join(sorted(verdicts)) or "-", "-" if code is None else code, word))
    print(*markdown(("variant", "trick", "expected", "run", "gate", "exit", "refused"), table), sep="\n")
    print(f"\n{len(table)} variants: " + ", ".join(f"{count} {word}" for word, count in sorted(tally.items())))
    return int("NO" in tally)


sys.exit(main())
