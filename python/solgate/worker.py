"""A gate that is measured: this process is a worker of solgate, which a gate file has started.

The library owns what is measured and checked: it makes fresh inputs in memory of its own, calls one
side at a time, stamps the call, takes what it left, compares. Python only calls. The arguments of a
function are arrays in the library's memory, made once; their contents are new in each call.
Structures are those of harness/worker/library/gate.h.
"""

import contextlib
import ctypes
import os
import re
import sys
import traceback
from ctypes import memmove

from . import arrays, commit
from .gate import Wrong, case_name, case_words, run_case
from .outputs import RTOL

ARGUMENTS, LIBRARY, SIMULATED = "SOLGATE_GATE_ARGUMENTS", "SOLGATE_GATE_LIBRARY", "SOLGATE_GATE_SIMULATED"
_BUFFERS_MAX = 16
_INPUT, _OUTPUT, _INOUT = 0, 1, 2
_USES = {"out": _OUTPUT, "inout": _INOUT}
_CUSTOM, _REARRANGED = 1, 3
_FAILED, _UNFIT = 999, -1  # CUDA's "unknown"; SG_GATE_UNFIT

# Number format of the library, and how many of it an element is. Others go byte by byte.
_FORMATS = {"float64": (0, 1), "float32": (1, 1), "float16": (3, 1), "bfloat16": (4, 1), "float8_e4m3fn": (5, 1),
            "int32": (7, 1), "int8": (8, 1), "complex128": (0, 2), "complex64": (1, 2)}  # fmt: skip
_BYTES = 8


class _Buffer(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("count", ctypes.c_uint64), ("row", ctypes.c_uint64),
                ("use", ctypes.c_int), ("fill", ctypes.c_int), ("scale", ctypes.c_double)]  # fmt: skip


class _Case(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("words", ctypes.c_char_p), ("dim", ctypes.c_int64 * 8)]


_POINTERS = ctypes.POINTER(ctypes.c_void_p)
_LAYOUT = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.POINTER(_Buffer), ctypes.POINTER(ctypes.c_double))
_FILL = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64, _POINTERS)
_REFERENCE = ctypes.CFUNCTYPE(None, ctypes.c_uint64, _POINTERS, _POINTERS)
_PREPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_uint32, _POINTERS)
_LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_uint32, _POINTERS, _POINTERS)


class _Gate(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("simulated", ctypes.c_uint32), ("simulated_ns", ctypes.c_double * 4),
                ("sides", ctypes.c_uint64), ("name", ctypes.c_char_p), ("dims", ctypes.c_char_p), ("cases", ctypes.POINTER(_Case)), ("case_count", ctypes.c_uint64),
                ("layout", _LAYOUT), ("fill", _FILL), ("reference", _REFERENCE), ("launch", _LAUNCH), ("prepare", _PREPARE), ("simulated_loads", ctypes.c_uint32), ("simulated_waits", ctypes.c_uint32), ("failure", ctypes.c_char * 256)]  # fmt: skip


class Unfit(RuntimeError):
    """A function or its inputs cannot be measured like this; says why."""


def asked_family():
    """The family whose functions this process is a worker for; None: it is none."""
    if ARGUMENTS not in os.environ:
        return None
    for word in os.environ[ARGUMENTS].split("\x1f"):
        if word.startswith("--module=") or word.startswith("--against="):
            family = _family_of(word.partition("=")[2])
            if family:
                return family
    return ""


def _family_of(path):
    with open(path, "rb") as file:
        lines = file.read(1024).split(b"\n")
    return lines[1].decode() if lines[0] == b"solgate gate 1" else None


def _commit_of(path):
    with open(path, "rb") as file:
        return file.read(1024).split(b"\n")[2].decode().partition(" ")[2]


def work(gate):
    """Does what the command line asks of this gate, and ends the process."""
    words = os.environ.pop(ARGUMENTS).split("\x1f")[:-1]
    against = [word.partition("=")[2] for word in words if word.startswith("--against=")]
    wrong = _run_plainly(gate, words)
    words = [word.encode() for word in words]
    library = ctypes.CDLL(os.environ[LIBRARY])
    worker = _Worker(gate, _commit_of(against[0]) if against else None)
    worker.wrong = wrong
    code = library.sg_gate_work(ctypes.byref(worker.table), len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None))
    if code < 0:
        print("solgate: the Python module and libsolgate_gate.so are of two versions", file=sys.stderr)
        code = 3
    leave(code)


def _run_plainly(gate, words):
    """The errors of a plain run, by the numbers of the cases that this process verifies."""
    wrong = {}
    for number, case in enumerate(gate.cases):
        if "--pass=verify" in words and f"--item={gate.name}/{case_name(case)}/candidate" in words:
            try:
                run_case(gate, case)
            except Wrong as error:
                wrong[number] = error
            except Exception:
                pass  # the library finds it, too
    return wrong


def leave(code):
    commit.remove_all()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _or_end(function):
    """A failure that is no launch's ends the process: its last line is what solgate reports."""

    def guarded(*arguments):
        try:
            return function(*arguments)
        except BaseException as error:
            traceback.print_exc()
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            leave(3)

    return guarded


def _dims(cases):
    """Names of numbers that all cases have, as a table shows them."""
    names = [name for name, value in cases[0].items() if all(type(case.get(name)) is int for case in cases)]
    return [name.lower() for name in names][:8] if all(name == name.lower() for name in names) else []


class _Known:
    """What is known of a case: its arguments, which of them are whose buffers, what a call returns."""

    def __init__(self, gate, case, side):
        given, named, marks = gate.arguments(case, 1)
        self.given, self.named = given, named
        marked = {id(array): use for _, array, use in marks}
        found = list(arrays.leaves({**{f"arg{i}": arg for i, arg in enumerate(given)}, **named}))
        self.leaves = [array for _, array in found]
        self.views = [arrays.view(array) for array in self.leaves]
        self.uses = [_USES.get(marked.get(id(array)), _INPUT) for array in self.leaves]
        self.fixed = [marked.get(id(array)) == "fixed" for array in self.leaves]
        returned = _returned(side(*given, **named), self.leaves)
        self.returned = [arrays.view(array) for array in returned]
        self.names = [re.sub(r"[^a-z0-9_]+", "_", place.lower()) for place, _ in found] + [f"out{i}" for i in range(len(self.returned))]
        if len(set(self.names)) < len(self.names):
            self.names = [f"array{i}" for i in range(len(self.names))]
        self.names = [name.encode() for name in self.names]
        for view in self.views + self.returned:
            if not view.is_dense or view.count == 0:
                raise Unfit(f"an array of {view} has no elements, or has gaps between them: hand in or return a contiguous one")
        if len(self.views) + len(self.returned) > _BUFFERS_MAX:
            raise Unfit(f"{len(self.views) + len(self.returned)} arrays: at most {_BUFFERS_MAX} can be watched")
        if all(use == _INPUT for use in self.uses) and not self.returned:
            raise Unfit("no array is returned, and no argument is marked by solgate.out or solgate.inout")

    def outputs(self):
        return [view for view, use in zip(self.views, self.uses) if use != _INPUT] + self.returned


def _returned(value, leaves):
    """The arrays that a call returned, but its own arguments."""
    own = {id(array) for array in leaves}
    value = () if value is None else value if isinstance(value, (tuple, list, dict)) else (value,)
    return [array for _, array in arrays.leaves(value) if id(array) not in own]


class _Worker:
    """The functions that the library calls, for one gate."""

    def __init__(self, gate, then=None):
        self.gate = gate
        self.sides = [gate.baseline, gate.candidate] if gate.baseline else [gate.candidate]
        accepted = [commit.as_of(then, side) for side in self.sides] if then else []
        self.known, self.bound, self.kept, self.watched = {}, {}, None, set()
        dims = _dims(gate.cases)
        cases = (_Case * len(gate.cases))()
        for made, case in zip(cases, gate.cases):
            made.name, made.words = case_name(case).encode(), case_words(case).encode()
            made.dim[: len(dims)] = [case[dim] for dim in dims]
        self.table = _Gate(version=3, simulated=SIMULATED in os.environ, sides=len(self.sides), name=gate.name.encode(), dims=",".join(dims).encode(), cases=cases,
                           case_count=len(cases), layout=_LAYOUT(_or_end(self.layout)), fill=_FILL(_or_end(self.fill)),
                           reference=_REFERENCE(_or_end(self.reference)), launch=_LAUNCH(self.launch), prepare=_PREPARE(self.prepare))  # fmt: skip
        self.sides += [None] * (2 - len(self.sides)) + accepted  # by their numbers in gate.h
        self.simulate()

    def simulate(self):
        for i, side in enumerate(self.sides):
            self.table.simulated_ns[i] = float(getattr(side, "simulated_ns", 10000))

    def case(self, number):
        if number not in self.known:
            self.known[number] = _Known(self.gate, self.gate.cases[number], self.sides[0])
        return self.known[number]

    def layout(self, number, out, tolerance):
        known = self.case(number)
        uses = known.uses + [_OUTPUT] * len(known.returned)
        for i, (view, use) in enumerate(zip(known.views + known.returned, uses)):
            dtype, times = _FORMATS.get(view.dtype, (_BYTES, view.itemsize))
            is_float = view.dtype in RTOL and dtype != _BYTES
            fixed = i < len(known.leaves) and known.fixed[i]
            row = view.shape[-1] * times if len(view.shape) > 1 and view.strides[-1] == 1 else 0
            fill = _REARRANGED if is_float and not fixed else _CUSTOM
            out[i] = _Buffer(known.names[i], dtype, view.count * times, row, use, fill, 0)
        limits = [RTOL.get(view.dtype, 0) if self.gate.rtol is None else self.gate.rtol for view in known.outputs() if view.dtype in RTOL]
        tolerance[1] = max(limits, default=0)
        tolerance[0] = tolerance[1] / 2
        return len(uses)

    def fill(self, number, seed, host):
        known = self.case(number)
        given, named, _ = self.gate.arguments(self.gate.cases[number], seed % (1 << 31))
        made = [array for _, array in arrays.leaves([*given, *named.values()])]
        if [str(arrays.view(array)) for array in made] != [str(view) for view in known.views]:
            raise Unfit("inputs made arrays of other shapes or types for another seed")
        for i, array in enumerate(made):
            if known.uses[i] != _OUTPUT:
                arrays.copy_to_host(host[i], array)

    def reference(self, number, inputs, expected):
        """On arguments of its own: what a candidate could look at holds no answer."""
        known = self.case(number)
        given, named, _ = self.gate.arguments(self.gate.cases[number], 1)
        made = [array for _, array in arrays.leaves([*given, *named.values()])]
        for i, array in enumerate(made):
            if known.uses[i] != _OUTPUT:
                arrays.copy_into(array, inputs[i])
        found = (self.gate.check or self.sides[0])(*given, **named)
        if self.gate.check:
            outputs = _returned(found, [])
        else:
            outputs = [array for array, use in zip(made, known.uses) if use != _INPUT] + _returned(found, made)
        places = [i for i, use in enumerate(known.uses) if use != _INPUT] + [len(made) + i for i in range(len(known.returned))]
        if len(outputs) != len(places):
            raise Unfit(f"check returned {len(outputs)} arrays, expected {len(places)}")
        for i, array, view in zip(places, outputs, known.outputs()):
            self._expect(expected[i], array, view)
            arrays.wipe(array)

    def _expect(self, to, array, view):
        import numpy

        values = arrays.to_host(array)
        if values.shape != view.shape:
            raise Unfit(f"check returned an array of {values.shape}, expected {view.shape}")
        values = arrays.in_memory_order(values, view)
        if view.dtype not in _FORMATS:
            values = values.astype(arrays.numpy_type(view.dtype)).view(numpy.int8)
        elif view.dtype.startswith("complex"):
            values = values.astype("complex128").view("float64")
        values = values.astype("float64")
        memmove(to, values.ctypes.data, values.nbytes)

    def launch(self, number, side, buffer, returned):
        try:
            self.kept = None  # the next call may have that memory again
            known, given, named = self.bind(number, buffer)
            self.kept = _returned(self.sides[side](*given, **named), self._leaves)
            if len(self.kept) != len(known.returned):
                raise Unfit(f"{len(self.kept)} arrays are returned, expected {len(known.returned)}")
            for i, (array, expected) in enumerate(zip(self.kept, known.returned), len(known.leaves)):
                view = arrays.view_plain(array)
                if (view.shape, view.strides, view.dtype, view.device) != (expected.shape, expected.strides, expected.dtype, expected.device):
                    raise Unfit(f"returned {view} with strides {view.strides}, expected {expected} with {expected.strides}")
                returned[i] = view.pointer
            if self.table.simulated:
                self.simulate()
                self.table.simulated_waits = getattr(self.sides[side], "simulated_waits", 0)
            return 0
        except BaseException as error:
            return self.fail(error)

    def prepare(self, number, side, buffer):
        try:
            if not buffer:
                return self.fail(self.wrong[number]) if number in self.wrong else 0
            _, given, named = self.bind(number, buffer)
            # The next calls are like timed calls: compilers look at the types of modules.
            with commit.untimed() if (number, side) not in self.watched else contextlib.nullcontext():
                self.watched.add((number, side))
                self.sides[side](*given, **named)
            self.table.simulated_loads = getattr(self.sides[side], "simulated_loads", 0)
            return 0
        except commit.CommitError as error:
            return self.fail(error) and _UNFIT
        except BaseException as error:
            return self.fail(error)

    def fail(self, error):
        self.table.failure = f"{type(error).__name__}: {error}".replace("\n", " ").encode()[:255]
        return _FAILED

    def bind(self, number, buffer):
        """The arguments, as arrays in these buffers."""
        known = self.case(number)
        key = (number, *(buffer[i] for i in range(len(known.leaves))))
        if key not in self.bound:
            made = {id(leaf): arrays.at_pointer(leaf, view, buffer[i]) for i, (leaf, view) in enumerate(zip(known.leaves, known.views))}
            given = tuple(_replace(arg, made) for arg in known.given)
            named = {name: _replace(arg, made) for name, arg in known.named.items()}
            self.bound[key] = (known, given, named, list(made.values()))
        known, given, named, self._leaves = self.bound[key]
        return known, given, named


def _replace(thing, made):
    if id(thing) in made:
        return made[id(thing)]
    if isinstance(thing, dict):
        return {key: _replace(part, made) for key, part in thing.items()}
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return type(thing)(*(_replace(part, made) for part in thing))
    if isinstance(thing, (tuple, list)):
        return type(thing)(_replace(part, made) for part in thing)
    return thing
