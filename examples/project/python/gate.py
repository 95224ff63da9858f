"""May scaled.py be merged? `solgate ab --exec -- python3 python/gate.py` on a GPU also times it against
the commit BASE (default: main); `python3 python/gate.py` is an ordinary test on any machine."""

import os

import solgate
from scaled import scaled


def inputs(seed, n):
    try:
        import torch

        g = torch.Generator("cuda").manual_seed(seed)
        return tuple(torch.randn(n, device="cuda", generator=g) for _ in range(2))
    except (ImportError, RuntimeError):  # no GPU here: only what is computed is compared
        import numpy

        return tuple(numpy.random.default_rng(seed).normal(size=(2, n)))


before = solgate.at(os.environ.get("BASE", "main"), "scaled:scaled")
solgate.pair(before, scaled, inputs, cases=[dict(n=1 << 20), dict(n=12345)])
