"""solgate: is a kernel as fast as before, and correct? Pairs of functions, for `solgate ab --exec`.

    import torch, solgate
    from kernels import softmax
    def inputs(seed, rows, cols):
        g = torch.Generator("cuda").manual_seed(seed)
        return (torch.randn(rows, cols, device="cuda", generator=g),)
    solgate.pair(solgate.at("origin/main", "kernels:softmax"), softmax, inputs, cases=[dict(rows=8192, cols=4096)])

`python3 gate.py` calls both once per case and compares their results. For more see docs/triton.md.
"""

import os
import sys

from . import commit, forks, gate, source, worker
from .arrays import NotAnArray
from .commit import CommitError, at
from .gate import Misuse, Wrong, fixed, inout, out

__version__ = "0.1.0"  # CMake and the wheel read this line

__all__ = ["CommitError", "Misuse", "NotAnArray", "Wrong", "at", "bench", "fixed", "inout", "out", "pair"]


def pair(baseline, candidate, inputs, *, name=None, cases=None, check=None, rtol=None, tolerance=None, work=None):
    """Gates `candidate`: it must be correct and no slower than `baseline`.

    inputs(seed, **case) returns the arguments; mark arguments that a function writes with
    solgate.out or solgate.inout. cases: a list of dicts. check: a function of the same arguments
    that returns the expected results; default: the baseline. rtol: relative tolerance of floats
    (outputs.py). tolerance: accepted slowdown, such as "0.25%"; default: that of the command. More
    than 10 % must be written "wide:50%", for rtol too. work: what any right implementation must do,
    dict(bytes=..., flop=...), or a function of the case that returns one; default: guessed from the
    arrays.
    """
    return _take(gate.Gate(baseline, candidate, inputs, name, cases, check, rtol, tolerance, work))


def bench(function, inputs, *, name=None, cases=None, check=None, rtol=None, work=None):
    """Calls one function once per case, and compares its results with `check`. Arguments as in
    `pair`."""
    return _take(gate.Gate(None, function, inputs, name, cases, check, rtol, None, work))


def _take(new, report=print):
    if commit.importing:
        return  # gates made while a commit's module is imported are ignored
    for old in gate.gates:
        if old.name == new.name:
            raise Misuse(f"two gates are called {new.name}: pass name=")
    if "SOLGATE_BISECT" in os.environ:  # of `solgate bisect`: the candidate at two commits, by the tolerance of the command
        today, new.tolerance = new.candidate, None
        new.baseline, new.candidate = (commit.at_commit(ref, today) for ref in os.environ["SOLGATE_BISECT"].split())
        if new.candidate is today:
            raise Misuse(f"{new.name}: the module of its candidate is not in the git repository of {os.getcwd()}, so it has no commits")
    gate.gates.append(new)
    asked = source.asked()
    if asked[:1] == [source.LIST]:
        forks.offer(new, *asked[1:3], asked[3:])
    elif asked[:1] == [new.name]:
        worker.work(new, asked[1:])  # does not return
    elif not asked:
        before = new.identical
        notes = gate.run_plainly(new)
        same = "; the code is identical" if before and new.identical else ""
        report(f"solgate: {new.name}: {len(new.cases)} case{'s' * (len(new.cases) != 1)} right{same}; nothing was timed "
               "(`solgate ab --exec -- COMMAND` does)")  # fmt: skip
        for note in notes:
            report(f"solgate: {note}")


if source.asked()[:1] == [source.LIST]:
    _frame = sys._getframe()
    while _frame.f_back and (_frame.f_globals is globals() or "importlib" in _frame.f_code.co_filename):
        _frame = _frame.f_back
    forks.watch(_frame)
