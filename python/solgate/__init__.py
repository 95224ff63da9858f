"""solgate: pairs of functions on a GPU, written by their users: do both compute the same?

    import torch, solgate
    from kernels import softmax
    def inputs(seed, rows, cols):
        g = torch.Generator("cuda").manual_seed(seed)
        return (torch.randn(rows, cols, device="cuda", generator=g),)
    solgate.pair(solgate.at("origin/main", "kernels:softmax"), softmax, inputs, cases=[dict(rows=8192, cols=4096)])

`python3 gate.py` calls both once a case and compares what they return. docs/python.md has the rest.
"""

from . import commit, gate
from .arrays import NotAnArray
from .commit import CommitError, at
from .gate import Misuse, Out as out, Wrong

__all__ = ["CommitError", "Misuse", "NotAnArray", "Wrong", "at", "bench", "out", "pair"]


def pair(baseline, candidate, inputs, *, name=None, cases=None, check=None, rtol=None, tolerance=None):
    """Do `candidate` and `baseline` compute the same?

    inputs(seed, **case) makes the arguments; those that are written to are marked by solgate.out.
    cases: dicts. check: a function of the same arguments that returns what is expected; without it
    the baseline is. rtol: how far floats may be off (outputs.py). tolerance: how much slower a
    timed candidate may be, "0.25%".
    """
    return _take(gate.Gate(baseline, candidate, inputs, name, cases, check, rtol, tolerance))


def bench(function, inputs, *, name=None, cases=None, check=None, rtol=None):
    """One function, called once a case and compared with `check`. Arguments as of `pair`."""
    return _take(gate.Gate(None, function, inputs, name, cases, check, rtol, None))


def _take(new, report=print):
    if commit.importing:
        return  # the file of another commit has gates of its own
    for old in gate.gates:
        if old.name == new.name:
            raise Misuse(f"two gates are called {new.name}: hand in name=")
    gate.gates.append(new)
    gate.run_plainly(new)
    same = "; the code is identical" if new.identical else ""
    report(f"solgate: {new.name}: {len(new.cases)} case{'s' * (len(new.cases) != 1)} right{same}; nothing was timed")
