"""The problem that every file here solves, or pretends to: y = 3x + 1, of torch on a GPU, else of NumPy.

A file names in its first line what `solgate ab --exec` finds: a status or verdict, or several of
which one is right, and `gpu` where it needs one. tests/cli/test_ab_python.sh runs them all.
"""

import os
import sys

import solgate

GPU = "SOLGATE_GATE_SIMULATED" not in os.environ
N = 1 << 20 if GPU else 3000

if GPU:
    import torch
else:
    import numpy as np


def inputs(seed, n):
    if GPU:
        return (torch.randn(n, device="cuda", generator=torch.Generator("cuda").manual_seed(seed)),)
    return (np.random.default_rng(seed).standard_normal(n).astype("float32"),)


def empty(x):
    return torch.empty_like(x) if GPU else np.empty_like(x)


def copy(x):
    return x.clone() if GPU else x.copy()


def half(x):
    return x.half() if GPU else x.astype("float16")


def single(x):
    return x.float() if GPU else x.astype("float32")


def work(x):
    return 3 * x + 1


def baseline(x):
    return work(x)


def judge(candidate, baseline=baseline, inputs=inputs):
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    solgate.pair(baseline, candidate, inputs, name=name, cases=[dict(n=N)])
