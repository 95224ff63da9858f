"""Integer outputs beside floats: `python3 integer_outputs.py SOLGATE` has `SOLGATE ab --exec` judge the 18 cases of this file.

Twelve are wrong, in one element or in all, beside float32 or bfloat16; six are right. Prints a line a case, and how
many were found. Without a GPU, where SOLGATE_GATE_SIMULATED is set, arrays are NumPy's, and of 16 bits float16.
"""

import csv
import os
import subprocess
import sys
import tempfile

# An error of one is small beside these; as float64 it is none.
LARGE = {"bool": 0, "int8": 96, "uint8": 200, "int16": 30000, "int32": 2**30, "int64": 0x1050505050505060}
N = 10000
WRONG = [dict(kind=kind, where=where, beside=beside) for i, kind in enumerate(LARGE)
         for where, beside in (("one", ("f32", "bf16")[i % 2]), ("all", ("bf16", "f32")[i % 2]))]  # fmt: skip
RIGHT = [dict(kind=kind, where="none", beside=("f32", "bf16")[i % 2]) for i, kind in enumerate(LARGE)]


def gates():
    import solgate

    on_gpu = "SOLGATE_GATE_SIMULATED" not in os.environ
    if on_gpu:
        import torch as xp
    else:
        import numpy as xp

    def inputs(seed, kind, where, beside):
        words = dict(kind=kind, where=where, beside=beside)
        if on_gpu:
            return dict(x=xp.randn(N, device="cuda", generator=xp.Generator("cuda").manual_seed(seed)), **words)
        return dict(x=xp.random.default_rng(seed).standard_normal(N).astype("float32"), **words)

    def convert(x, name):
        return x.to(getattr(xp, name)) if on_gpu else x.astype("float16" if name == "bfloat16" else name)

    def right(x, kind, where, beside, change=0):
        count = convert(abs(x) * 10, "int64") % 32 + LARGE[kind]
        if where == "all":
            count = count ^ change
        if where == "one":
            count[N - 3] ^= change
        return convert(2 * x, "bfloat16" if beside == "bf16" else "float32"), convert(count % 2 == 1 if kind == "bool" else count, kind)

    solgate.pair(right, lambda **given: right(**given, change=1), inputs, name="wrong", cases=WRONG, tolerance="10%")
    solgate.pair(right, lambda **given: right(**given), inputs, name="right", cases=RIGHT, tolerance="10%")


def main(solgate):
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        subprocess.run([solgate, "ab", "--exec", "--out=" + out, "--", sys.executable, os.path.abspath(__file__)],
                       stdout=subprocess.DEVNULL, stderr=None if "SHOW" in os.environ else subprocess.DEVNULL, timeout=280)  # fmt: skip
        for gate, wanted in (("wrong", ("broken wrong",)), ("right", ("within ", "improved ", "regressed ", "inconclusive "))):
            with open(os.path.join(out, gate, "verdict.csv")) as file:
                rows = list(csv.DictReader(file))
            for row in rows:
                row["found"] = row["vs_accepted"] + " " + (row["why"].partition(":")[0] if row["vs_accepted"] == "broken" else "")
                print(f"{gate} {row['case']}: {row['found']}")
            counts.append(sum(row["found"] in wanted for row in rows))
    print(f"wrong: {counts[0]} of {len(WRONG)}; right and judged: {counts[1]} of {len(RIGHT)}")
    return counts != [len(WRONG), len(RIGHT)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) > 1 else gates())
