"""Measures a gate: this process is a solgate worker (source.py).

The library owns measuring and checking. It makes fresh inputs in its own memory, calls one side at
a time, stamps the call, takes the results and compares them. Python only calls. A function's
arguments are arrays in the library's memory: they are made once, and their contents are new in each
call. The structures are those of harness/worker/library/gate.h (tests/python/test_structures.py).
"""

import contextlib
import ctypes
import os
import re
import sys
import traceback
from ctypes import memmove

from . import arrays, commit, source
from .gate import WORDS, Wrong, case_name, case_words, nothing, run_case
from .outputs import RTOL, kind_of, named, others

SIMULATED = "SOLGATE_GATE_SIMULATED"
_VERSION = 8
_BUFFERS_MAX = 16
_INPUT, _OUTPUT, _INOUT = 0, 1, 2
_USES = {"out": _OUTPUT, "inout": _INOUT}
_CUSTOM, _REARRANGED = 1, 3
_FAILED, _UNFIT = 999, -1  # CUDA_ERROR_UNKNOWN; SG_GATE_UNFIT

# Number format of the library, and how many numbers an element has. Other types are compared as
# bytes.
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
                ("sides", ctypes.c_uint64), ("name", ctypes.c_char_p), ("dims", ctypes.c_char_p), ("commit", ctypes.c_char_p), ("then", ctypes.c_char_p), ("cases", ctypes.POINTER(_Case)), ("case_count", ctypes.c_uint64),
                ("layout", _LAYOUT), ("fill", _FILL), ("reference", _REFERENCE), ("launch", _LAUNCH), ("prepare", _PREPARE), ("simulated_launched", ctypes.c_char_p), ("simulated_loads", ctypes.c_uint32), ("simulated_waits", ctypes.c_uint32), ("partly", ctypes.c_uint32), ("is_declared", ctypes.c_uint32), ("work_bytes", ctypes.c_double), ("work_flop", ctypes.c_double * 9), ("first_side", ctypes.c_uint32), ("failure", ctypes.c_char * 256)]  # fmt: skip


class Unfit(RuntimeError):
    """Raised if a function or its inputs cannot be measured; says why."""


def work(gate, words):
    """Does what the command line requests of this gate, and ends the process. words: the path of
    the library and the command line."""
    os.environ.pop(source.VARIABLE, None)
    path, *words = words
    scripts = [os.path.basename(word) for word in words if word.startswith(("--module=", "--against="))]
    then = "".join(script.partition("@")[2] for script in scripts)  # harness/plan/gate_script.c
    wrong = _run_plainly(gate, words)
    library = ctypes.CDLL(path)
    described = commit.described() if "--pass=list" in words else ""
    worker = _Worker(gate, described, then, library)
    worker.wrong = wrong
    words = [os.fsencode(word) for word in words]
    code = library.sg_gate_work(ctypes.byref(worker.table), len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None))
    if code < 0:
        print("solgate: the Python module and libsolgate_gate.so are of two versions", file=sys.stderr)
        code = 3
    leave(code)


def _run_plainly(gate, words):
    """Errors of a plain run, by number of the case, for cases that this process verifies."""
    wrong = {}
    for number, case in enumerate(gate.cases):
        if "--pass=verify" in words and f"--item={gate.name}/{case_name(case)}/candidate" in words:
            source.announce_setup()
            try:
                run_case(gate, case)
            except Wrong as error:
                wrong[number] = error
            except Exception:
                pass  # the library will find it too
    return wrong


def leave(code):
    commit.remove_all()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _or_end(function):
    """Guards a callback: an error outside a launch ends the process. Outside a side it also ends
    the run, because the gate itself failed."""

    def guarded(number, *arguments):
        try:
            return function(number, *arguments)
        except BaseException as error:
            traceback.print_exc()
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            if not function.__self__.is_in_side:
                function.__self__.refuse(number, error)
            leave(3)

    return guarded


def _dims(cases):
    """Names of integers that all cases have, as tables show them."""
    names = [name for name, value in cases[0].items() if all(type(case.get(name)) is int for case in cases)]
    return [name.lower() for name in names][:8] if all(name == name.lower() for name in names) else []


class _Known:
    """Facts of a case: its arguments, the buffer of each array, and what a call returns."""

    def __init__(self, gate, case, call):
        given, named, marks = gate.arguments(case, 1)
        self.given, self.named = given, named
        marked = {id(array): use for _, array, use in marks}
        found = list(arrays.leaves({**{f"arg{i}": arg for i, arg in enumerate(given)}, **named}))
        self.leaves = [array for _, array in found]
        self.views = [arrays.view(array) for array in self.leaves]
        self.uses = [_USES.get(marked.get(id(array)), _INPUT) for array in self.leaves]
        self.fixed = [marked.get(id(array)) == "fixed" for array in self.leaves]
        for array, view in zip(self.leaves, self.views):
            arrays.check_made(array, view)
        returned = _returned(call(given, named), self.own(self.leaves))
        self.written = [f"argument {place}" for place, _, use in marks if use != "fixed"]
        self.places = self.written + [place for place, _ in returned]
        self.returned = [_view_returned(part) for _, part in returned]
        names = [place for place, _ in found] + [f"digest_of_out{place}" if view.kind != view.dtype == "int8" else f"out{place}"
                                                 for (place, _), view in zip(returned, self.returned)]  # fmt: skip
        self.names = [re.sub(r"[^a-z0-9_]+", "_", name.lower()) for name in names]
        if len(set(self.names)) < len(self.names):
            self.names = [f"array{i}" for i in range(len(self.names))]
        self.names = [name.encode() for name in self.names]
        for view in self.views + self.returned:
            if view.count == 0:
                raise Unfit(f"an array of {view} has no elements: leave the case out, or the array")
            if not view.is_dense:
                raise Unfit(f"an array of {view} has gaps between its elements, or negative strides: pass or return a contiguous array")
        if "float8_e5m2" in [view.kind for view in self.outputs()]:
            raise Unfit("outputs of float8_e5m2 are compared only by a plain run: return another type, such as .half()")
        if len(self.views) + len(self.returned) > _BUFFERS_MAX:
            raise Unfit(f"{len(self.views) + len(self.returned)} arrays: at most {_BUFFERS_MAX} can be watched")
        if not self.places:
            raise nothing("the baseline" if gate.baseline else "the function")

    def own(self, leaves):
        """The arguments that a call writes: a call that returns them has no further outputs."""
        return [leaf for leaf, use in zip(leaves, self.uses) if use != _INPUT]

    def outputs(self):
        return [view for view, use in zip(self.views, self.uses) if use != _INPUT] + self.returned


def _returned(value, leaves):
    """Lists (place, part) for everything a call returned, except the arguments that it writes."""
    own = {id(array) for array in leaves}
    return [(place, part) for place, part in arrays.leaves(value, whole=True) if id(part) not in own]


def _view_returned(part):
    if arrays.library_of(part) == "numpy" and isinstance(part, sys.modules["numpy"].generic):  # a number
        part = part.item()
    return arrays.view_plain(part) if arrays.is_array(part) else arrays.hold(part)


class _Worker:
    """The callbacks of the library, for one gate."""

    def __init__(self, gate, described, then, library):
        self.gate, self.library = gate, library
        self.sides = [gate.baseline, gate.candidate] if gate.baseline else [gate.candidate]
        accepted = [commit.at_commit(then, side) for side in self.sides] if then else []
        self.known, self.bound, self.kept, self.watched, self.is_in_side = {}, {}, None, set(), False
        dims = _dims(gate.cases)
        cases = (_Case * len(gate.cases))()
        for made, case in zip(cases, gate.cases):
            made.name, made.words = case_name(case).encode(), case_words(case).encode()
            made.dim[: len(dims)] = [case[dim] for dim in dims]
        self.table = _Gate(version=_VERSION, simulated=SIMULATED in os.environ, sides=len(self.sides), name=gate.name.encode(), dims=",".join(dims).encode(), commit=described.encode(), then=then.encode(), cases=cases,
                           case_count=len(cases), layout=_LAYOUT(_or_end(self.layout)), fill=_FILL(_or_end(self.fill)),
                           reference=_REFERENCE(_or_end(self.reference)), launch=_LAUNCH(self.launch), prepare=_PREPARE(self.prepare))  # fmt: skip
        self.sides += [None] * (2 - len(self.sides)) + accepted  # numbered as in gate.h
        self.simulate()

    def simulate(self):
        for i, side in enumerate(self.sides):
            self.table.simulated_ns[i] = float(getattr(side, "simulated_ns", 10000))

    def case(self, number):
        if number not in self.known:
            self.known[number] = _Known(self.gate, self.gate.cases[number], lambda *arguments: self.call(self.table.first_side, *arguments))
        return self.known[number]

    def call(self, side, given, named):
        self.is_in_side = True
        returned = self.sides[side](*given, **named)
        self.is_in_side = False
        return returned

    def refuse(self, number, error):
        text, words = str(error), case_words(self.gate.cases[number])
        if not isinstance(error, (arrays.Misuse, arrays.NotAnArray, commit.CommitError, Unfit)):
            at = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{at.filename}:{at.lineno}: {type(error).__name__}: {text}"
        self.library.sg_gate_refuse((f"{words}: " * bool(words) + text).replace("\n", " ").encode())

    def layout(self, number, out, tolerance):
        known = self.case(number)
        uses = known.uses + [_OUTPUT] * len(known.returned)
        self.table.partly = bool(known.returned) or _INOUT in known.uses  # a result may be a view of old contents
        for i, (view, use) in enumerate(zip(known.views + known.returned, uses)):
            dtype, times = _FORMATS.get(view.dtype, (_BYTES, view.itemsize))
            is_float = view.dtype in RTOL and dtype != _BYTES
            tolerance[i] = 0 if use == _INPUT or view.kind not in RTOL else RTOL[view.kind] if self.gate.rtol is None else self.gate.rtol
            fixed = i < len(known.leaves) and known.fixed[i]
            rows = len(view.shape) > 1 and view.strides[-1] == 1
            row = view.shape[-1] * times if rows else times if dtype == _BYTES and times > 1 else 0  # element, byte
            fill = _REARRANGED if is_float and not fixed else _CUSTOM
            out[i] = _Buffer(known.names[i], dtype, view.count * times, row, use, fill, 0)
        tolerance[_BUFFERS_MAX] = max(tolerance[: len(uses)])
        self.declare(self.gate.work_of(self.gate.cases[number]), [view.dtype for view in known.views])
        return len(uses)

    def declare(self, work, types):
        """Flop without a type have the type of the first argument."""
        self.table.is_declared = work is not None
        self.table.work_bytes, flop = work or (0, {})
        self.table.work_flop[:] = [0] * len(self.table.work_flop)
        for word, number in flop.items():
            kind = _FORMATS.get(next(iter(types), "float32"), (1, 1))[0] if word is None else WORDS.index(word)
            self.table.work_flop[kind] += number

    def make(self, number, seed):
        given, named, _ = self.gate.arguments(self.gate.cases[number], seed)
        return given, named, [array for _, array in arrays.leaves([*given, *named.values()])]

    def fill(self, number, seed, host):
        known = self.case(number)
        _, _, made = self.make(number, seed % (1 << 31))
        if [str(arrays.view(array)) for array in made] != [str(view) for view in known.views]:
            raise Unfit("inputs made arrays of other shapes or types for another seed")
        for i, array in enumerate(made):
            if known.uses[i] != _OUTPUT:
                arrays.copy_to_host(host[i], array)

    def reference(self, number, inputs, expected):
        """Runs on separate arguments, so that the candidate cannot find the expected results in
        memory."""
        known = self.case(number)
        given, by_name, made = self.make(number, 1)
        for i, array in enumerate(made):
            if known.uses[i] != _OUTPUT:
                arrays.copy_into(array, inputs[i])
        if self.gate.check:
            found = dict(named(self.gate.check(*given, **by_name), known.places))
        else:
            returned = self.call(0, given, by_name)
            found = dict(zip(known.written, known.own(made))) | dict(_returned(returned, known.own(made)))
        difference = others(found, known.places, "a call")
        if difference:
            raise Unfit(f"{'check' if self.gate.check else 'the baseline'} returned {difference}")
        places = [i for i, use in enumerate(known.uses) if use != _INPUT] + [len(made) + i for i in range(len(known.returned))]
        for i, place, view in zip(places, known.places, known.outputs()):
            self._expect(expected[i], found[place], view)
        for place in known.places:  # after all copies, because one output may be a view of another
            if arrays.is_array(found[place]):
                arrays.wipe(found[place])

    def _expect(self, to, part, view):
        import numpy

        values = arrays.to_host(part) if arrays.is_array(part) else numpy.asarray(part)
        if view.kind != view.dtype:
            values = numpy.frombuffer(arrays.bytes_of(values.item()), view.dtype)
        if values.shape != view.shape:
            raise Unfit(f"check returned an array of {values.shape}, expected {view.shape}")
        values = arrays.in_memory_order(values, view)
        if view.dtype not in _FORMATS or view.dtype.startswith("int"):
            made = values.astype(arrays.numpy_type(view.dtype))
            if made.dtype != values.dtype and (made.astype(object) != values.astype(object)).any():
                raise Unfit(f"check returned numbers that {view.dtype} does not have")
            values = made.view(numpy.int8) if view.dtype not in _FORMATS else made
        elif view.dtype.startswith("complex"):
            values = values.astype("complex128").view("float64")
        values = values.astype("float64")
        memmove(to, values.ctypes.data, values.nbytes)

    def launch(self, number, side, buffer, returned):
        try:
            self.kept = None  # the next call may reuse this memory
            known, given, named = self.bind(number, buffer)
            value = self.sides[side](*given, **named)
            if value is None and not known.written:
                raise nothing("the candidate" if side % 2 else "the baseline")
            found = dict(_returned(value, self._own))
            wanted = known.places[len(known.written) :]
            if others(found, wanted, "the baseline"):
                raise Unfit(others(found, wanted, "the baseline"))
            self.kept = [found]
            for i, (place, expected) in enumerate(zip(wanted, known.returned), len(known.leaves)):
                view = _view_returned(found[place])
                facts = [(v.kind, v.shape, v.strides, v.dtype, v.device) for v in (view, expected)]
                if facts[0] != facts[1]:
                    raise Unfit(f"output {place} is {view} with strides {view.strides}, that of the baseline is {expected} with {expected.strides}")
                returned[i] = view.pointer
            if self.table.simulated:
                self.simulate()
                self.table.simulated_launched = getattr(self.sides[side], "simulated_launched", None)
                self.table.simulated_waits = getattr(self.sides[side], "simulated_waits", 0)
            return 0
        except BaseException as error:
            return self.fail(number, error)

    def prepare(self, number, side, buffer):
        try:
            if not buffer:
                return self.fail(number, self.wrong[number]) if number in self.wrong else 0
            _, given, named = self.bind(number, buffer)
            # Watches only the first call: later calls must be like timed ones, because
            # compilers look at the types of modules.
            with commit.untimed() if (number, side) not in self.watched else contextlib.nullcontext():
                self.watched.add((number, side))
                self.sides[side](*given, **named)
            self.table.simulated_loads = getattr(self.sides[side], "simulated_loads", 0)
            return 0
        except commit.CommitError as error:
            return self.fail(number, error) and _UNFIT
        except BaseException as error:
            return self.fail(number, error)

    def fail(self, number, error):
        if isinstance(error, arrays.Misuse):
            self.refuse(number, error)
            leave(4)
        self.table.failure = f"{type(error).__name__}: {error}".replace("\n", " ").encode()[:255]
        return _FAILED

    def bind(self, number, buffer):
        """Returns what is known of the case, and its arguments as arrays in these buffers."""
        known = self.case(number)
        key = (number, *(buffer[i] for i in range(len(known.leaves))))
        if key not in self.bound:
            made = {id(leaf): arrays.at_pointer(leaf, view, buffer[i]) for i, (leaf, view) in enumerate(zip(known.leaves, known.views))}
            given = tuple(_replace(arg, made) for arg in known.given)
            named = {name: _replace(arg, made) for name, arg in known.named.items()}
            self.bound[key] = (known, given, named, known.own(made.values()))
        known, given, named, self._own = self.bound[key]
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
