#!/usr/bin/env python3
"""What `solgate explain` prints for the reverted variants of the GEMM families, beside what they do.

Reads the accepted numbers of H200s and a recorded run, so it needs no GPU. Prints the table of
docs/studies/reverted_causes.md; with --check exit 1 if that page has another one. What a variant
does was found by hand, from its machine code (cuobjdump -sass, -res-usage) and from the recorded
counters.
"""
import csv
import io
import os
import shutil
import subprocess
import sys
import tempfile

from table import ROOT, fail, markdown, parser

COLUMNS = "family,case,variant,metric,unit,value,low,high,n,status,message,se,sd".split(",")
BSR, GROUP, SCALED = "bsr_gemm", "group_gemm", "blockscaled_gemm"
BIG, LONG, FIRST, SECOND = "m8192_n8192_k1024_t256x256_bf16", "m8192_n8192_k1024_t256x128_bf16", "g8_m1024_n4096_k7168_bf16", "g8_m1024_n7168_k2048_bf16"

# Numbers, family, case, variant; by hand, and the causes that say it: the first one, or one of them.
STAGES = "the same machine code, two stages of operands in place of {}; no more bytes from DRAM or L2, {} times the wait for them"
SHARING = "the same machine code; rows as they come: SMs that have ended wait"
ROWS = [
    ("blockscaled", SCALED, BIG, "acc2_always", "HGMMA of 64x256 (32 in the code), not two of them over one B: 1.53 of the sectors from L2; long scoreboard 291 -> 745 %",
     ["more is read from L2"]),
    ("blockscaled", SCALED, BIG, "acc2_spill", "60 STL and 30 LDL, 120 bytes of stack; the baseline has none", ["spills"]),
    ("blockscaled", SCALED, LONG, "smem_5ab_4c", "the same machine code, five stages of operands in place of six", ["fewer stages"]),
    ("blockscaled", SCALED, BIG, "stages_2", STAGES.format("four", 5.4), ["fewer stages"]),
    ("blockscaled", SCALED, LONG, "stages_2", STAGES.format("six", 4.1), ["fewer stages"]),
    ("blockscaled", SCALED, BIG, "store_global", "128 STG in place of 16 UTMASTG and 32 STSM; 1,904 -> 3,368 instructions, addresses of stores", ["more stores"]),
    ("blockscaled", SCALED, LONG, "store_global", "64 STG in place of 8 UTMASTG and 16 STSM; 944 -> 1,736 instructions, addresses of stores", ["more stores"]),
    ("per_cta_tensormaps", GROUP, "g2_m512_n4096_k512_bf16", "per_cta_tensormaps_rebuilt",
     "UTMACCTL 3 -> 8, STS 0 -> 11 in the code of 128x128: three maps are made before the first load; 1.5 to 2.0 us for any k from 512 to 2,048, with fewer cycles counted", []),
    ("grouped", GROUP, "g2_m512_n3072_k4096_bf16", "per_cta_tensormaps_rebuilt",
     "maps as above, clusters of two, not four; 9,500 of 14,800 added cycles are idle SMs, and blocks have equal work: a start, no imbalance", []),
    ("grouped", GROUP, "g64_m4096_n1024_k1024_bf16", "per_cta_tensormaps_rebuilt",
     "maps as above, in 512 blocks: nothing is in flight meanwhile; equal DRAM bytes, L2 fabric 88 -> 72 % busy", []),
    ("grouped", GROUP, FIRST, "fetch_ahead", "the same machine code, its UTMAPF executed: lines leave the L2 before they are copied; 1.75 of the bytes from DRAM",
     ["more is read from DRAM"]),
    ("grouped", GROUP, SECOND, "fetch_ahead", "as above; 1.27 of the bytes from DRAM", ["more is read from DRAM"]),
    ("bsr_gemm", BSR, "m8192_n8192_k8192_gaps25", "row_order", SHARING, ["imbalance between SMs"]),
    ("bsr_gemm", BSR, "m8192_n8192_k8192_power25", "row_order", SHARING, ["imbalance between SMs"]),
    ("bsr_gemm", BSR, "m8192_n8192_k8192_dense_row5", "block_per_row", "the same machine code; a cluster a row: the others wait for the dense row", ["imbalance between SMs"]),
    ("bsr_gemm", BSR, "m2048_n512_k2048_uniform25", "block_per_row", "the same machine code; 16 blocks on 132 SMs", ["too few blocks"]),
]


def accepted_as_run(name, folder):
    """Accepted numbers as the run that they were: its rows, and its facts without what accepting added."""
    with open(os.path.join(ROOT, "baselines", name + ".csv"), newline="") as file:
        found = [row for row in csv.DictReader(file) if row["gpu"] == "h200"]
    rows = [[row.get(column, "") for column in COLUMNS] for row in found if row["family"]]
    facts = [["key", "value"]] + [[row["metric"], row["message"]] for row in found
                                  if not row["family"] and not row["metric"].startswith("accepted_")]
    facts = [[key, "2" if key == "schema" else value] for key, value in facts]
    for path, head, lines in (("run.csv", [COLUMNS], sorted(rows)), ("env.csv", [], facts)):
        with open(os.path.join(folder, path), "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(head + lines)


def causes(solgate, run, family, case, variant):
    """What is added, and the causes in their order: name, points, +-."""
    command = [solgate, "explain", run, f"{family}/{case}", "baseline", variant]
    told = subprocess.run(command + ["--format=json"], capture_output=True, text=True, check=False)
    table = subprocess.run(command + ["--format=csv"], capture_output=True, text=True, check=False)
    if told.returncode or table.returncode:
        fail(f"{' '.join(command)}: {told.stderr or table.stderr}")
    change = told.stdout.split(", time ")[1].split(" %")[0]
    return change, [(row["cause"], row["points"], row["error"]) for row in csv.DictReader(io.StringIO(table.stdout))]


def phrase(cause):
    name, points, error = cause
    return f"{name}: {points} +- {error}" if points else f"{name}: not split"


def verdict(found, right):
    names = [name for name, _, _ in found]
    if not right:
        return "no mechanism for it"
    if names[:1] and names[0] in right:
        return "yes"
    return "second" if names[1:2] and names[1] in right else "**no**"


def main():
    options = parser(__doc__)
    options.add_argument("--check", action="store_true", help="against docs/studies/reverted_causes.md")
    given = options.parse_args()
    work = tempfile.mkdtemp()
    lines = []
    for name, family, case, variant, hand, right in ROWS:
        run = os.path.join(ROOT, "tests", "data", "h200", name)
        if not os.path.isdir(run):
            run = os.path.join(work, name)
            if not os.path.isdir(run):
                os.mkdir(run)
                accepted_as_run(name, run)
        change, found = causes(os.path.join(given.bin, "solgate"), run, family, case, variant)
        lines.append((variant, case, change + " %", "; ".join(phrase(cause) for cause in found[:2]) or "none", hand, verdict(found, right)))
    shutil.rmtree(work)
    text = "\n".join(markdown(("variant", "case", "slower", "explain prints first, points", "by hand", "agrees"), lines))
    agrees = [line[-1] for line in lines]
    text += f"\n\nOf {len(lines)} rows {agrees.count('yes')} agree; second: {agrees.count('second')}."
    print(text)
    with open(os.path.join(ROOT, "docs", "studies", "reverted_causes.md")) as file:
        page = file.read()
    if given.check and text.strip() not in page:
        sys.exit("docs/studies/reverted_causes.md has another table: put this one there")


if __name__ == "__main__":
    main()
