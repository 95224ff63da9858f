"""The arguments of `pair` and `bench`, and a plain run: one checked call per case."""

import hashlib
import inspect
import numbers
import os
import re
import sys
import traceback

from . import arrays, commit
from .arrays import Misuse
from .outputs import Outputs, named

PLAIN_SEED = 1
WORDS = ("f64", "f32", "tf32", "f16", "bf16", "e4m3", "e2m1", "i32", "i8")  # number formats, as in solgate_kernel.h

gates = []  # in order of creation


class Wrong(AssertionError):
    """Raised if an output is not as expected, or an input was changed."""


class Mark:
    """An argument with its use."""

    def __init__(self, array, use):
        if not arrays.is_array(array):
            raise Misuse(f"solgate.{use}: expected an array, found {type(array).__name__}")
        self.array, self.use = array, use


def out(array):
    """Marks an argument that the function overwrites completely."""
    return Mark(array, "out")


def inout(array):
    """Marks an argument that the function reads and changes: each call gets what `inputs` made."""
    return Mark(array, "inout")


def fixed(array):
    """Marks an argument whose elements must keep their order: timed calls get what `inputs` makes."""
    return Mark(array, "fixed")


class Gate:
    """Two functions, or one (baseline None), with their inputs."""

    def __init__(self, baseline, candidate, inputs, name, cases, check, rtol, tolerance, work=None):
        for word, function in (("the baseline", baseline), ("the candidate", candidate), ("inputs", inputs), ("check", check)):
            if function is not None and not callable(function):
                raise Misuse(f"{word} is not a function but {type(function).__name__}")
        self.baseline, self.candidate, self.inputs, self.check = baseline, candidate, inputs, check
        self.name = name or _name_of(candidate)
        self.cases = list(cases) if cases is not None else [{}]
        self.rtol, self.tolerance, self.work = _rtol(rtol), tolerance, work
        _ratio(tolerance, f'expected a tolerance such as "0.25%", found {tolerance!r}')
        if not re.fullmatch(r"[a-z0-9_]{1,63}", self.name):
            raise Misuse(f"expected a name of at most 63 of a-z, 0-9 and _, found {self.name!r}: pass name=")
        if not self.cases or not all(isinstance(case, dict) for case in self.cases):
            raise Misuse(f"{self.name}: cases is not a list of dicts: [dict(rows=8192, cols=4096), ...]")
        if len({case_name(case) for case in self.cases}) < len(self.cases):
            raise Misuse(f"{self.name}: two cases are called the same: {', '.join(map(case_name, self.cases))}")
        for case in self.cases:
            self.work_of(case)

    def work_of(self, case):
        """Returns (bytes, flop by number format), or None for undeclared work. The format None is that of the arguments."""
        given = self.work(**case) if callable(self.work) else self.work
        if given is None:
            return None
        flop = given.get("flop", 0) if isinstance(given, dict) else None
        flop = flop if isinstance(flop, dict) else {None: flop}
        numbers_ = [given.get("bytes", 0), *flop.values()] if isinstance(given, dict) else []
        if not numbers_ or set(given) - {"bytes", "flop"} or set(flop) - {None, *WORDS} or not all(_is_amount(number) for number in numbers_) or not sum(numbers_) > 0:
            raise Misuse(f"{self.name}: expected work=dict(bytes=..., flop=...) of numbers, or a function of the case that returns one; flop may be a dict of {', '.join(WORDS)}; found {given!r}")
        return numbers_[0], flop

    @property
    def identical(self):
        return self.baseline is self.candidate or self.baseline is not None and commit.is_identical(self.baseline, self.candidate)

    def runs_identical(self):
        """True if the sides are identical before and after a run, which shows the files that each
        side reads."""
        before = self.identical
        run_plainly(self)
        return before and self.identical

    def arguments(self, case, seed):
        """Returns (positional, named, marks): marks are (place, array, "out" or "inout" or
        "fixed")."""
        try:
            made = self.inputs(seed, **case)
        except TypeError as error:
            if error.__traceback__.tb_next:  # raised inside the function
                raise
            raise Misuse(f"{self.name}: inputs cannot be called as inputs(seed, {case_words(case)}): {error}") from None
        named = made if isinstance(made, dict) else {}
        given = () if isinstance(made, dict) else tuple(made) if isinstance(made, (tuple, list)) else (made,)
        marks = [(place, arg.array, arg.use) for place, arg in [*enumerate(given), *named.items()] if isinstance(arg, Mark)]
        strip = lambda arg: arg.array if isinstance(arg, Mark) else arg  # noqa: E731
        return tuple(map(strip, given)), {key: strip(arg) for key, arg in named.items()}, marks


def _is_amount(number):
    return isinstance(number, numbers.Real) and not isinstance(number, bool) and 0 <= number < 1e30


def case_name(case):
    """Case name as in tables: r64_c64."""
    text = "_".join(f"{key}{value}" for key, value in case.items())
    return re.sub(r"[^a-z0-9_]+", "_", text.lower())[:63] or "only"


def case_words(case):
    return ", ".join(f"{key}={value!r}" for key, value in case.items())


def _name_of(function):
    while not getattr(function, "__name__", None) and hasattr(function, "func"):  # functools.partial
        function = function.func
    return re.sub(r"[^a-z0-9_]+", "_", getattr(function, "__name__", "").lower()).strip("_")


def _ratio(word, refusal):
    """Parses a percentage: 0.0025 for "0.25%"; None stays None. The same rule as sg_parse_percent: over 10 % must be
    written "wide:50%"."""
    found = re.fullmatch(r"(wide:)?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?)%", word) if isinstance(word, str) else None
    if word is not None and not (found and 0 < float(found[2]) < 100):
        raise Misuse(refusal)
    if found and float(found[2]) > 10 and not found[1]:
        raise Misuse(f'expected at most 10 %, or "wide:{word}" for a tolerance as wide as that, found {word!r}')
    return float(found[2]) / 100 if found else None


def _rtol(rtol):
    """Accepts a number up to 0.1, or a percentage like a tolerance of time."""
    if isinstance(rtol, numbers.Real) and not isinstance(rtol, bool) and 0 <= rtol <= 0.1:
        return float(rtol)
    return _ratio(rtol, f'expected rtol from 0 to 0.1, or "wide:50%" for one as wide as that, found {rtol!r}')


# ---- one call per case ----


def run_plainly(gate):
    """Calls each side once per case, and checks it; raises Wrong. Returns notes on what was not
    compared."""
    return [f"{gate.name}({case_words(case)}): {note}" for case in gate.cases for note in run_case(gate, case)]


def run_case(gate, case):
    where = f"{gate.name}({case_words(case)})"
    seen = _call(gate, gate.candidate, case, f"{where}: the candidate" if gate.baseline else where)
    sides = [("the candidate" if gate.baseline else "the function", seen)]
    if gate.baseline:
        sides.append(("the baseline", _call(gate, gate.baseline, case, f"{where}: the baseline")))
        if sides[0][1].inputs != sides[1][1].inputs:
            raise Wrong(f"{where}: inputs(seed={PLAIN_SEED}, ...) made other values in its second call: inputs must depend on the seed alone")
    if gate.check:
        given, by_name, _ = gate.arguments(case, PLAIN_SEED)
        found = gate.check(*given, **by_name)
        for side, call in sides:
            _demand(f"{where}: {side}: ", call.outputs.compare(Outputs(named(found, call.outputs.parts)), gate.rtol, "check", same_type=False))
    if gate.baseline:
        _demand(f"{where}: the candidate: ", seen.outputs.compare(sides[1][1].outputs, gate.rtol, "the baseline", same_type=True))
    return list(dict.fromkeys(seen.outputs.notes))


def _demand(where, difference):
    if difference:
        raise Wrong(where + difference)


def nothing(where):
    return Misuse(f"{where} returned nothing, and no argument is marked with solgate.out(...): there is nothing to check")


class _call:
    """One call, with digests of its inputs and copies of its outputs."""

    def __init__(self, gate, function, case, where):
        given, named, marks = gate.arguments(case, PLAIN_SEED)
        written = [(place, array) for place, array, use in marks if use != "fixed"]
        marked = {id(array) for _, array in written}
        read = [(place, array) for place, array in arrays.leaves([*given, *named.values()]) if id(array) not in marked]
        self.inputs = [_digest(array) for _, array in read]
        try:
            with commit.untimed():
                returned = function(*given, **named)
        except Exception as error:
            getattr(error, "add_note", str)(f"in {where}")  # new in Python 3.11
            raise
        written = [(f"argument {place}", array) for place, array in written]
        self.outputs = Outputs(written + [(place, part) for place, part in arrays.leaves(returned, whole=True) if id(part) not in marked])
        if not any(value.size for _, _, value in self.outputs.parts.values()):
            raise nothing(where)
        for (place, array), before in zip(read, self.inputs):
            if _digest(array) != before:
                raise Wrong(f"{where} changed its argument {place}: mark it in inputs: solgate.out(...) if the function overwrites it, solgate.inout(...) if it also reads it")


def _digest(array):
    values = arrays.to_host(array)
    return hashlib.blake2b(values.tobytes(), digest_size=16).digest(), values.shape, values.dtype.str


_HERE = os.path.dirname(os.path.abspath(__file__))


def caller():
    """file:line of the call into the package, for messages."""
    for frame in inspect.stack(context=0)[1:]:
        if os.path.dirname(os.path.abspath(frame.filename)) != _HERE:
            return f"{frame.filename}:{frame.lineno}"
    return "?"


def _show(kind, error, trace, show=sys.excepthook):
    """Prints an error of a gate, or of its functions, without the lines of this package."""
    all_frames = traceback.extract_tb(trace)
    frames = [frame for frame in all_frames if os.path.dirname(os.path.abspath(frame.filename)) != _HERE]
    if error.__cause__ or error.__context__ or all_frames[-1:] != frames[-1:] and not issubclass(kind, (Wrong, Misuse, arrays.NotAnArray, commit.CommitError)):
        return show(kind, error, trace)
    sys.stderr.write("".join(["Traceback (most recent call last):\n"] * bool(frames) + traceback.format_list(frames) + traceback.format_exception_only(kind, error)))


sys.excepthook = _show
