"""Arrays of any library as pointer and shape, and their values as NumPy arrays on the host.

torch tensors are read by their own methods, because DLPack refuses some of them: those that require
a gradient, and 8-bit floats. JAX arrays too, because their __dlpack__ would wait for a stream -1.
NumPy arrays are read by __array_interface__; CuPy and CuTe DSL arrays by DLPack or
__cuda_array_interface__. Only NumPy is imported, and only for comparisons.
"""

import ctypes
import hashlib
import itertools
import math
import os
import struct
import sys
from ctypes import memmove, memset

CPU, CUDA = "cpu", "cuda"

# Name: NumPy format of the bytes. to_host decodes formats that NumPy lacks.
_NUMPY = {
    "bool": "?", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8", "uint8": "u1", "uint16": "u2", "uint32": "u4",
    "uint64": "u8", "float16": "f2", "float32": "f4", "float64": "f8", "complex64": "c8", "complex128": "c16",
    "bfloat16": "u2", "float8_e4m3fn": "u1", "float8_e5m2": "u1",
}  # fmt: skip

_DLPACK_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex"}
_DLPACK_NAMES = {6: "bool", 10: "float8_e4m3fn", 12: "float8_e5m2"}
_DLPACK_CUDA = (2, 13)  # device memory, managed memory
_INTERFACE_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}


class NotAnArray(TypeError):
    """Raised for a value that is not an array, or an array that cannot be read."""


class Misuse(ValueError):
    """Raised for an unusable argument of `pair` or `bench`, or an unusable result of a function."""


class Array:
    """Location of an array. strides are in elements. `owner` keeps the memory alive."""

    def __init__(self, owner, pointer, shape, strides, dtype, device):
        if dtype not in _NUMPY:
            raise NotAnArray(f"values of type {dtype} cannot be compared (known: {', '.join(_NUMPY)})")
        self.owner, self.pointer, self.dtype, self.device = owner, pointer, dtype, device
        self.kind = dtype  # for a Python number, its type
        self.shape = tuple(int(n) for n in shape)
        self.strides = _packed(self.shape) if strides is None else tuple(int(n) for n in strides)

    @property
    def itemsize(self):
        return 16 if self.dtype == "complex128" else int(_NUMPY[self.dtype].lstrip("iufc?") or 1)

    @property
    def count(self):
        return math.prod(self.shape)

    @property
    def nbytes(self):
        return self.count * self.itemsize

    @property
    def is_dense(self):
        """True if the elements are contiguous from the pointer on, in any order of dimensions."""
        reach = [(n - 1) * s for n, s in zip(self.shape, self.strides)]
        return self.count == 0 or sum(reach) + 1 == self.count and min(reach, default=0) >= 0

    def __str__(self):
        return self.kind if self.kind != self.dtype else f"{'x'.join(map(str, self.shape)) or 'scalar'} {self.dtype}"


def _packed(shape):
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def is_array(thing):
    return any(hasattr(thing, name) for name in ("__array_interface__", "__dlpack__", "__cuda_array_interface__"))


def view(thing):
    """Returns the Array of a library's array; raises NotAnArray."""
    if callable(getattr(thing, "data_ptr", None)) and callable(getattr(thing, "stride", None)):
        return _view_torch(thing)
    if callable(getattr(thing, "unsafe_buffer_pointer", None)):
        return _view_jax(thing)
    for name, read in (("__array_interface__", _view_interface), ("__dlpack__", _view_dlpack),
                       ("__cuda_array_interface__", _view_interface)):  # fmt: skip
        if hasattr(thing, name):
            return read(thing)
    raise NotAnArray(f"expected an array (torch, CuPy, JAX, NumPy, or with __dlpack__), found {type(thing).__name__}")


def _view_torch(tensor):
    kind = tensor.device.type
    if kind not in (CPU, CUDA):
        raise NotAnArray(f"expected a tensor on cuda or cpu, found one on {kind}")
    dtype = str(tensor.dtype).rpartition(".")[2]
    return Array(tensor, tensor.data_ptr(), tensor.shape, tensor.stride(), dtype, kind)


def _view_jax(array):
    places = [device.platform for device in array.devices()]
    if len(places) != 1 or places[0] not in ("cpu", "gpu", "cuda"):
        raise NotAnArray(f"expected an array on one GPU or CPU, found one on {', '.join(places)}")
    device = CPU if places[0] == "cpu" else CUDA
    return Array(array, array.unsafe_buffer_pointer(), array.shape, None, str(array.dtype), device)


def _view_interface(array):
    on_host = hasattr(array, "__array_interface__")
    facts = array.__array_interface__ if on_host else array.__cuda_array_interface__
    kind = facts["typestr"][1]
    size = int(facts["typestr"][2:]) if kind in _INTERFACE_KINDS else 0
    if not size or (facts["typestr"][0] == ">" and size > 1):
        raise NotAnArray(f"values of type {facts['typestr']} cannot be compared")
    dtype = "bool" if kind == "b" else f"{_INTERFACE_KINDS[kind]}{8 * size}"
    strides = facts.get("strides")
    if strides is not None:
        strides = [s // size for s in strides]
    return Array(array, facts["data"][0], facts["shape"], strides, dtype, CPU if on_host else CUDA)


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


def _view_dlpack(array):
    on_device = array.__dlpack_device__()[0] in _DLPACK_CUDA
    capsule = array.__dlpack__(stream=-1) if on_device else array.__dlpack__()  # -1: no synchronisation
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.POINTER(_DLTensor), [ctypes.py_object, ctypes.c_char_p]
    tensor = get(capsule, b"dltensor").contents
    dtype = _DLPACK_NAMES.get(tensor.code) or f"{_DLPACK_KINDS.get(tensor.code, 'code')}{tensor.bits}"
    if tensor.lanes != 1:
        raise NotAnArray(f"vectors of {tensor.lanes} {dtype} as elements cannot be compared")
    strides = tensor.strides[: tensor.ndim] if tensor.strides else None
    return Array((array, capsule), (tensor.data or 0) + tensor.byte_offset, tensor.shape[: tensor.ndim], strides, dtype,
                 CUDA if on_device else CPU)  # fmt: skip


def leaves(thing, place="", whole=False):
    """Yields (place, array) for all arrays in a value, including those in tuples, lists and dicts.

    whole: also looks into dataclasses, and yields numbers, strings and None; raises Misuse for
    anything else."""
    if is_array(thing):
        parts = None
    elif isinstance(thing, (tuple, list)):
        parts = enumerate(thing)
    elif isinstance(thing, dict):
        parts = ((key if isinstance(key, str) and key.isidentifier() else repr(key), part) for key, part in thing.items())
    elif whole and hasattr(type(thing), "__dataclass_fields__"):
        from dataclasses import fields  # the thing's class has imported it

        parts = ((field.name, getattr(thing, field.name)) for field in fields(thing))
    elif not whole or (thing is None and not place):
        return
    elif thing is None or isinstance(thing, (int, float, complex, str, bytes)):
        parts = None
    else:
        raise Misuse(f"output {place or 0} is of {type(thing).__name__}, which is not compared: return its arrays, numbers and strings, in a tuple, "
                     "list, dict or dataclass")  # fmt: skip
    if parts is None:
        yield place or "0", thing
    for key, part in parts or ():
        yield from leaves(part, f"{place}.{key}" if place else str(key), whole)


# ---- values on the host ----


def to_host(thing):
    """Copies the values to a new NumPy array; formats that NumPy lacks become float32. Waits for
    the device."""
    import numpy

    if hasattr(thing, "block_until_ready"):  # JAX returns before it launches
        thing.block_until_ready()
    array = view(thing)
    raw = _read_bytes(array, numpy)
    if array.dtype == "bfloat16":
        return (raw.astype(numpy.uint32) << 16).view(numpy.float32)
    if array.dtype.startswith("float8"):
        return _float8_table(array.dtype, numpy)[raw]
    return raw


def _read_bytes(array, numpy):
    dtype = numpy.dtype(_NUMPY[array.dtype])
    if array.count == 0:
        return numpy.empty(array.shape, dtype)
    reach = [(n - 1) * s for n, s in zip(array.shape, array.strides)]
    first, last = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    flat = numpy.empty(last - first + 1, dtype)
    _copy_to_host(flat.ctypes.data, array.pointer + first * array.itemsize, flat.nbytes, array.device)
    strides = [s * array.itemsize for s in array.strides]
    return numpy.lib.stride_tricks.as_strided(flat[-first:], array.shape, strides).copy()


def _float8_table(dtype, numpy):
    """All 256 values. e4m3fn has no infinities: its largest exponent has numbers and one NaN."""
    exponent_bits, bias = (4, 7) if dtype == "float8_e4m3fn" else (5, 15)
    mantissa_bits = 7 - exponent_bits
    table = numpy.empty(256, numpy.float32)
    for code in range(256):
        exponent, mantissa = code >> mantissa_bits & (1 << exponent_bits) - 1, code & (1 << mantissa_bits) - 1
        fraction = mantissa / (1 << mantissa_bits)
        value = (1 + fraction) * 2.0 ** (exponent - bias) if exponent else fraction * 2.0 ** (1 - bias)
        if exponent_bits == 4 and code & 0x7F == 0x7F:
            value = numpy.nan
        elif exponent_bits == 5 and exponent == 31:
            value = numpy.nan if mantissa else numpy.inf
        table[code] = -value if code & 0x80 else value
    return table


# ---- the driver ----


def _driver(name, *arguments):
    """Calls a driver function in the device's context."""
    cuda = ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    calls = [("cuCtxGetCurrent", (ctypes.byref(context),)), (name, arguments)]
    while calls:
        function, given = calls.pop(0)
        code = getattr(cuda, function)(*given)
        if code != 0:
            text = ctypes.c_char_p()
            cuda.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"{function}: error {code}: {(text.value or b'unknown').decode()}")
        if function == "cuCtxGetCurrent" and not context.value:  # JAX leaves this thread without a context
            calls[:0] = [("cuDevicePrimaryCtxRetain", (ctypes.byref(context), 0)), ("cuCtxSetCurrent", (context,))]


def _copy_to_host(to, source, size, device):
    if device == CPU:
        memmove(to, source, size)
    else:
        _driver("cuCtxSynchronize")
        _driver("cuMemcpyDtoH_v2", ctypes.c_void_p(to), ctypes.c_uint64(source), ctypes.c_size_t(size))


# ---- bytes of dense arrays, in memory order ----


def copy_to_host(to, thing):
    array = view(thing)
    _copy_to_host(to, array.pointer, array.nbytes, array.device)


def copy_into(thing, source):
    """Copies into an array from memory of the same device."""
    array = view(thing)
    if array.device == CUDA:
        _driver("cuMemcpyDtoD_v2", ctypes.c_uint64(array.pointer), ctypes.c_uint64(source), ctypes.c_size_t(array.nbytes))
    else:
        memmove(array.pointer, source, array.nbytes)


def wipe(thing):
    array = view(thing)
    if not array.is_dense or not array.count:
        return
    if array.device == CUDA:
        _driver("cuMemsetD8_v2", ctypes.c_uint64(array.pointer), ctypes.c_ubyte(0x3F), ctypes.c_size_t(array.nbytes))
    else:
        memset(array.pointer, 0x3F, array.nbytes)


def in_memory_order(values, like):
    """Returns the values as a flat NumPy array, in the memory order of the Array `like`."""
    order = sorted(range(len(like.shape)), key=lambda axis: -abs(like.strides[axis]))
    return values.transpose(order).reshape(-1)


def numpy_type(dtype):
    return _NUMPY[dtype]


# ---- arrays in existing memory ----


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Producer:
    """Argument for from_dlpack: integers of the array's item size, in permanent memory."""

    def __init__(self, array, pointer):
        self.numbers = [(ctypes.c_int64 * len(array.shape))(*numbers) for numbers in (array.shape, array.strides)]
        self.where = (2 if array.device == CUDA else 1, 0)
        self.managed = _Managed(tensor=_DLTensor(pointer, *self.where, len(array.shape), 0, 8 * array.itemsize, 1, *self.numbers, 0))

    def __dlpack_device__(self):
        return self.where

    def __dlpack__(self, **_):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.managed), b"dltensor", None)


_producers = []


def library_of(thing):
    return type(thing).__module__.partition(".")[0]


def check_made(like, array):
    """Raises Misuse if such an array cannot be made in existing memory."""
    if library_of(like) not in ("torch", "cupy", "numpy") or library_of(like) not in sys.modules:
        raise Misuse(f"arguments of {type(like).__module__}.{type(like).__name__} cannot be made here: let inputs return arrays of torch "
                          "or CuPy")  # fmt: skip
    if array.itemsize > 8 and library_of(like) != "numpy":
        raise Misuse(f"arguments of {array.dtype} cannot be made here")


def at_pointer(like, array, pointer):
    """Makes an array of the library of `like`, with the layout of `array`, at `pointer`."""
    check_made(like, array)
    library = sys.modules[library_of(like)]
    if library.__name__ == "numpy":
        flat = (ctypes.c_char * array.nbytes).from_address(pointer)
        strides = [s * array.itemsize for s in array.strides]
        return library.ndarray(array.shape, like.dtype, flat, 0, strides)
    _producers.append(_Producer(array, pointer))
    made = library.from_dlpack(_producers[-1]).view(like.dtype)
    if getattr(like, "requires_grad", False):
        made.requires_grad_()
    return made


def view_plain(thing):
    """Like view, but only for plain arrays: an array of a subclass may not be computed yet."""
    kind = type(thing)
    if callable(getattr(thing, "unsafe_buffer_pointer", None)):
        raise Misuse("functions of JAX are compared and not timed: JAX launches on streams that solgate does not see")
    if (library_of(thing), kind.__name__) not in (("torch", "Tensor"), ("torch", "Parameter"), ("cupy", "ndarray"), ("numpy", "ndarray")):
        raise NotAnArray(f"returned {kind.__module__}.{kind.__name__}, expected a plain array of torch, CuPy or NumPy")
    return view(thing)


# ---- numbers and strings, in memory that the device can read ----


def bytes_of(part):
    """The bytes of a float or complex number; for values that must be equal, such as strings, a
    digest."""
    if isinstance(part, (float, complex)):
        return struct.pack("d", part) if isinstance(part, float) else struct.pack("2d", part.real, part.imag)
    return hashlib.blake2b((hex(part) if isinstance(part, int) else repr(part)).encode(), digest_size=16).digest()


def hold(part):
    """Returns an Array of the part's bytes. They are overwritten after 1,000 more calls; the launch
    has finished by then."""
    if not _held:
        block = ctypes.create_string_buffer(16000)
        pointer = ctypes.c_void_p(ctypes.addressof(block))
        if "SOLGATE_GATE_SIMULATED" not in os.environ:
            _driver("cuMemHostAlloc", ctypes.byref(pointer), ctypes.c_size_t(16000), ctypes.c_uint(3))  # portable, mapped
        _held.extend([block, itertools.cycle(range(pointer.value, pointer.value + 16000, 16))])
    data, dtype = bytes_of(part), {float: "float64", complex: "complex128"}.get(type(part), "int8")
    array = Array(part, next(_held[1]), (len(data),) if dtype == "int8" else (1,), None, dtype, CUDA)
    array.kind = type(part).__name__
    memmove(array.pointer, data, len(data))
    return array


_held = []
