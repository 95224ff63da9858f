"""Is the kernel right, and as fast as before?

    python3 gate.py                           an ordinary test: right? It runs anywhere
    solgate ab --exec -- python3 gate.py      on a GPU: and no slower than `reference`?
    BASE=origin/main solgate ab --exec ...    than `scaled` of that commit, as the job of CI asks
"""

import os
import sys

import solgate

try:
    import numpy
except ImportError:
    sys.stderr.write("gate.py: skipped: solgate compares by numpy, which is not installed (pip install numpy)\n")
    sys.exit(77)


def scaled(x, y):
    """The kernel: put yours here, of Triton, CuTe DSL, PyTorch or CuPy."""
    return 2.5 * x + y


def reference(x, y):
    """What `scaled` computes, as slow and plain as you like."""
    return y + x * 2.5


def inputs(seed, n):
    """The arguments of both: equal seeds make equal contents."""
    try:
        import torch

        g = torch.Generator("cuda").manual_seed(seed)
        return tuple(torch.randn(n, device="cuda", generator=g) for _ in range(2))
    except (ImportError, RuntimeError):  # no GPU here: arrays of the host
        return tuple(numpy.random.default_rng(seed).normal(size=(2, n)))


before = solgate.at(os.environ["BASE"], "gate:scaled") if os.environ.get("BASE") else reference
solgate.pair(before, scaled, inputs, cases=[dict(n=1 << 20), dict(n=12345)], check=reference)
