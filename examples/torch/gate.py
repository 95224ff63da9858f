# solgate ab --exec -- python3 gate.py            passes
# PARTS=4 solgate ab --exec -- python3 gate.py    fails: four products of a quarter of k each, and their sums
import os

import solgate
import torch

PARTS = int(os.environ.get("PARTS", 1))


def product(a, b):
    return a @ b


def in_parts(a, b):
    step = a.shape[1] // PARTS
    out = a[:, :step] @ b[:step]
    for k in range(step, a.shape[1], step):
        out += a[:, k : k + step] @ b[k : k + step]
    return out


def inputs(seed, m, n, k):
    g = torch.Generator("cuda").manual_seed(seed)
    make = lambda *shape: torch.randn(*shape, device="cuda", generator=g).bfloat16()  # noqa: E731
    return make(m, k), make(k, n)


solgate.pair(product, in_parts, inputs, cases=[dict(m=2048, n=2048, k=4096)], check=lambda a, b: a.float() @ b.float())
