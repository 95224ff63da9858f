"""Are outputs what is expected? How many elements differ, and by how much.

A float may differ by rtol times the larger of its expected value and of the root mean square of
the whole output: elements near zero of a sum of large terms are as wrong as the terms.
"""

from . import arrays

# By the type of the output. About 5 roundings of its type; of float32 many, but none of 16 bits.
RTOL = {"float64": 1e-9, "float32": 1e-4, "complex128": 1e-9, "complex64": 1e-4, "float16": 4e-3, "bfloat16": 3e-2,
        "float8_e4m3fn": 0.25, "float8_e5m2": 0.5}  # fmt: skip

_CHUNK = 1 << 20


def differences(got, expected, rtol):
    """None, or in words how `got` differs from `expected`; NumPy arrays. rtol 0: they must be equal."""
    import numpy

    if got.shape != expected.shape:
        return f"has the shape {_shape(got)}, expected {_shape(expected)}"
    got, expected = got.reshape(-1), expected.reshape(-1)
    floor = rtol * _rms(expected, numpy) if rtol else 0
    count, worst = 0, (-1.0, 0, 0.0)
    for start in range(0, got.size, _CHUNK):
        g, e = got[start : start + _CHUNK], expected[start : start + _CHUNK]
        same = g == e
        if g.dtype.kind in "fc":
            same |= (g != g) & (e != e)
        if same.all():
            continue
        g, e = _wide(g, numpy), _wide(e, numpy)
        with numpy.errstate(invalid="ignore", over="ignore"):
            off = numpy.abs(g - e)
            allowed = numpy.maximum(rtol * numpy.abs(e), floor)
            bad = ~same & ~((off <= allowed) & numpy.isfinite(allowed))
        if bad.any():
            count += int(bad.sum())
            off = numpy.where(bad, numpy.where(numpy.isfinite(off), off, numpy.inf), -1.0)
            at = int(off.argmax())
            worst = max(worst, (float(off[at]), start + at, float(allowed[at])), key=lambda w: w[0])
    if not count:
        return None
    largest, at, allowed = worst
    limit = f"allowed {allowed:.3g} there (rtol {rtol:g})" if rtol else "none is allowed"
    return (f"{count} of {got.size} elements differ; the largest difference is {largest:.6g}, at element {at}: "
            f"{got[at]} instead of {expected[at]}; {limit}")  # fmt: skip


def _wide(values, numpy):
    return values.astype(numpy.complex128 if values.dtype.kind == "c" else numpy.float64)


def _rms(values, numpy):
    total, count = 0.0, 0
    for start in range(0, values.size, _CHUNK):
        size = numpy.abs(_wide(values[start : start + _CHUNK], numpy))
        size = size[numpy.isfinite(size)]
        total, count = total + float((size * size).sum()), count + size.size
    return (total / count) ** 0.5 if count else 0.0


def _shape(values):
    return "x".join(map(str, values.shape)) or "of one number"


class Outputs:
    """Copies on the host of all that a call returned or wrote."""

    def __init__(self, places_and_arrays):
        self.places, self.values, self.kinds = [], [], []
        for place, thing in places_and_arrays:
            self.places.append(place)
            self.kinds.append(arrays.view(thing))
            self.values.append(arrays.to_host(thing))
        self.kinds = [(kind.dtype, str(kind)) for kind in self.kinds]

    def compare(self, expected, rtol, of_what, same_type):
        """None, or in words what differs from other Outputs. same_type: values must be of one type."""
        if len(self.values) != len(expected.values):
            return f"{len(self.values)} outputs, {of_what} has {len(expected.values)}"
        for i, (place, got) in enumerate(zip(self.places, self.values)):
            dtype, kind = self.kinds[i]
            if same_type and dtype != expected.kinds[i][0]:
                return f"output {place} is {kind}, that of {of_what} is {expected.kinds[i][1]}"
            limit = RTOL.get(dtype, 0) if rtol is None else rtol
            text = differences(got, expected.values[i], limit if dtype in RTOL else 0)
            if text:
                return f"output {place} ({kind}) is not that of {of_what}: {text}"
        return None
