"""solgate: is a kernel as fast as before, and correct? Pairs of functions, for `solgate ab --exec`.

    import torch, solgate
    from kernels import softmax
    def inputs(seed, rows, cols):
        g = torch.Generator("cuda").manual_seed(seed)
        return (torch.randn(rows, cols, device="cuda", generator=g),)
    solgate.pair(solgate.at("origin/main", "kernels:softmax"), softmax, inputs, cases=[dict(rows=8192, cols=4096)])

`python3 gate.py` calls both once per case and compares their results. For more see docs/python.md.
"""

import os
import sys

from . import commit, forks, gate, worker
from .arrays import NotAnArray
from .commit import CommitError, at
from .gate import Misuse, Wrong, fixed, inout, out

__version__ = "0.1.0"  # CMake and the wheel read this line

NAMES = "SOLGATE_GATE_NAMES"

__all__ = ["CommitError", "Misuse", "NotAnArray", "Wrong", "at", "bench", "fixed", "inout", "out", "pair"]


def pair(baseline, candidate, inputs, *, name=None, cases=None, check=None, rtol=None, tolerance=None):
    """Gates `candidate`: it must be correct and no slower than `baseline`.

    inputs(seed, **case) returns the arguments; mark arguments that a function writes with
    solgate.out or solgate.inout. cases: a list of dicts. check: a function of the same arguments
    that returns the expected results; default: the baseline. rtol: relative tolerance of floats
    (outputs.py). tolerance: accepted slowdown, such as "0.25%"; default: that of the command. More
    than 10 % must be written "wide:50%", for rtol too.
    """
    return _take(gate.Gate(baseline, candidate, inputs, name, cases, check, rtol, tolerance))


def bench(function, inputs, *, name=None, cases=None, check=None, rtol=None):
    """Calls one function once per case, and compares its results with `check`. Arguments as in
    `pair`."""
    return _take(gate.Gate(None, function, inputs, name, cases, check, rtol, None))


def _take(new, report=print):
    if commit.importing:
        return  # gates made while a commit's module is imported are ignored
    for old in gate.gates:
        if old.name == new.name:
            raise Misuse(f"two gates are called {new.name}: hand in name=")
    gate.gates.append(new)
    if NAMES in os.environ:  # solgate asks for a list of gates
        forks.check_descriptor(gate.caller())
        with open(os.environ[NAMES], "a") as file:
            cases = [f"{gate.case_name(case)} {gate.case_words(case)}" for case in new.cases]
            sides = "one" if not new.baseline else "identical" if new.identical and forks.ask(new.runs_identical) else "pair"
            file.write("\t".join([new.name, str(new.tolerance or ""), sides, *cases]) + "\n")
        _offer_forks(new)
        return
    asked = worker.asked_family()
    if asked is not None:
        if asked == new.name:
            worker.work(new)  # does not return
        return
    before = new.identical
    notes = gate.run_plainly(new)
    same = "; the code is identical" if before and new.identical else ""
    report(f"solgate: {new.name}: {len(new.cases)} case{'s' * (len(new.cases) != 1)} right{same}; nothing was timed "
           "(`solgate ab --exec -- COMMAND` does)")  # fmt: skip
    for note in notes:
        report(f"solgate: {note}")


def _offer_forks(new):
    obstacle = forks.obstacle(gate.caller())
    if obstacle is None:
        forks.leave_behind(new, os.path.dirname(os.environ[NAMES]))
    elif obstacle and len(gate.gates) == 1:
        print(f"solgate: {obstacle}: each process imports anew, which takes longer", file=sys.stderr)


if forks.LIFELINE in os.environ:
    _frame = sys._getframe()
    while _frame.f_back and (_frame.f_globals is globals() or "importlib" in _frame.f_code.co_filename):
        _frame = _frame.f_back
    forks.watch(_frame)
