# solgate ab --exec -- python3 gate.py            passes
# WARPS=1 solgate ab --exec -- python3 gate.py    fails: one warp holds a row of 4096
import os

import solgate
import torch
from softmax import softmax

WARPS = int(os.environ.get("WARPS", 8))


def candidate(x):
    return softmax(x, warps=WARPS)


def inputs(seed, rows, cols):
    g = torch.Generator("cuda").manual_seed(seed)
    return (torch.randn(rows, cols, device="cuda", generator=g),)


# In a repository of your own the baseline is solgate.at("origin/main", "softmax:softmax").
solgate.pair(softmax, candidate, inputs, name="softmax", cases=[dict(rows=8192, cols=4096), dict(rows=512, cols=4096)],
             check=lambda x: torch.softmax(x, dim=1))  # fmt: skip
