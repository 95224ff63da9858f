"""What the honest functions here share. A first line says what is found, and what it needs."""

import os
import sys

import solgate
import torch

N = 1 << 20


def inputs(seed, n):
    return (torch.randn(n, device="cuda", generator=torch.Generator("cuda").manual_seed(seed)),)


def work(x):
    return torch.tanh(3 * x + 1)


def judge(baseline, candidate, inputs=inputs, cases=({"n": N},), **options):
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    solgate.pair(baseline, candidate, inputs, name=name, cases=list(cases), **options)
