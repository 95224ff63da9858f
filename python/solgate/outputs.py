"""Compares outputs with expected values: how many elements differ, and by how much.

A float may differ by rtol times the larger of its expected value and the root mean square of the
whole output, because a sum of large terms that is near zero is as inaccurate as its terms.
Everything else must be equal.
"""

from . import arrays

# By type of the output: about 5 roundings of the type. float32 allows many roundings, but no 16-bit
# rounding. A Python number (float, complex) most often comes from float32.
RTOL = {"float64": 1e-9, "float32": 1e-4, "complex128": 1e-9, "complex64": 1e-4, "float16": 4e-3, "bfloat16": 3e-2,
        "float8_e4m3fn": 0.25, "float8_e5m2": 0.5, "float": 1e-4, "complex": 1e-4}  # fmt: skip

_CHUNK = 1 << 20


def compare(got, expected, rtol):
    """Returns how `got` differs from `expected`, in words, or None; notes on what was not compared;
    and whether all elements are NaN. Both are NumPy arrays. rtol 0: they must be equal."""
    import numpy

    if got.shape != expected.shape:
        return f"has the shape {_shape(got)}, expected {_shape(expected)}", [], False
    got, expected = got.reshape(-1), expected.reshape(-1)
    if got.dtype != expected.dtype and got.dtype.kind not in "fc":  # conversion to float would round integers
        got, expected = got.astype(object), expected.astype(object)
    floor, outliers = _floor(expected, numpy) if rtol else (0, 0)
    count, nan, worst = 0, 0, (-1.0, 0, 0.0)
    for start in range(0, got.size, _CHUNK):
        g, e = got[start : start + _CHUNK], expected[start : start + _CHUNK]
        same = numpy.asarray(g == e, bool)
        if g.dtype.kind in "fc":
            nan += int(((g != g) & (e != e)).sum())
            same |= (g != g) & (e != e)
        if same.all():
            continue
        off, allowed, bad = (~same).astype(float), numpy.zeros(g.shape), ~same
        if g.dtype.kind != "O":
            g, e = _wide(g, numpy), _wide(e, numpy)
            with numpy.errstate(invalid="ignore", over="ignore"):
                off = numpy.abs(g - e)
                allowed = rtol * numpy.maximum(numpy.abs(e), floor)
                bad &= ~((off <= allowed) & numpy.isfinite(allowed) & (rtol > 0))
        if bad.any():
            count += int(bad.sum())
            off = numpy.where(bad, numpy.where(numpy.isfinite(off), off, numpy.inf), -1.0)
            at = int(off.argmax())
            worst = max(worst, (float(off[at]), start + at, float(allowed[at])), key=lambda w: w[0])
    notes = [f"{nan} of {got.size} elements are NaN on both sides, and were not compared"] * (nan > 0)
    if outliers:
        notes.append(f"{outliers} of {got.size} elements are outliers: errors are relative to {floor:.3g}, and not to the root mean square")
    if not count:
        return None, notes, nan == got.size > 0
    largest, at, allowed = worst
    limit = f"allowed {allowed:.3g} there (rtol {rtol:g})" if rtol else "none is allowed"
    largest = f"; the largest difference is {largest:.6g}, at element {at}" if got.dtype.kind != "O" else ", such as"
    return f"{count} of {got.size} elements differ{largest}: {got[at]} instead of {expected[at]}; {limit}", notes, False


def _wide(values, numpy):
    return values.astype(numpy.complex128 if values.dtype.kind == "c" else numpy.float64)


def _sizes(values, numpy):
    size = numpy.abs(_wide(values, numpy))
    return size[numpy.isfinite(size)]


def _floor(values, numpy):
    """Returns the least magnitude that errors are relative to, and the number of outliers above it;
    the rule of harness/worker/output_check.c."""
    places = numpy.arange(min(values.size, 1024), dtype=numpy.uint64) * numpy.uint64(2654435761) % numpy.uint64(max(values.size, 1))
    sample = numpy.sort(_sizes(values[places.astype(numpy.int64)], numpy))
    sample = sample[(sample > 0) & (sample < sample[-1:].sum())]
    most = 8 * float(sample[5 * sample.size // 8]) if sample.size >= 4 else numpy.inf
    total, count, outliers = 0.0, 0, 0
    for start in range(0, values.size, _CHUNK):
        size = _sizes(values[start : start + _CHUNK], numpy)
        with numpy.errstate(over="ignore"):
            total, count, outliers = total + float((size * size).sum()), count + size.size, outliers + int((size > most).sum())
    rms = (total / count) ** 0.5 if count else 0.0
    return (rms, 0) if rms <= most else (most, outliers)


def _shape(values):
    return "x".join(map(str, values.shape)) or "of one number"


# ---- all results of a call ----


def named(returned, places):
    """Pairs (place, part) of a check's result, with the places of the outputs. A check returns
    written arguments by name in a dict, otherwise in order."""
    parts = list(arrays.leaves(returned, whole=True))
    of_arguments = {place.removeprefix("argument "): place for place in places}
    if isinstance(returned, dict):
        return [(of_arguments.get(place, place), part) for place, part in parts]
    return list(zip(places, dict(parts).values())) if list(of_arguments) != list(places) and len(parts) == len(places) else parts


def others(places, wanted, label):
    """None, or in words which places are missing and which are extra."""
    gone, more = [p for p in wanted if p not in places], [p for p in places if p not in wanted]
    names = [f"{word} {', '.join(some)}" for word, some in (("without", gone), ("with", more)) if some]
    return f"{len(places)} outputs, {label} has {len(wanted)}: {' and '.join(names)}" if names else None


def kind_of(part):
    """The type of a part, and its text in messages."""
    return (arrays.view(part).dtype, str(arrays.view(part))) if arrays.is_array(part) else (type(part).__name__,) * 2


def _on_host(part):
    import numpy

    return arrays.to_host(part) if arrays.is_array(part) else numpy.array(part, type(part) if type(part) in (float, complex) else object)


class Outputs:
    """Host copies of all values that a call returned or wrote."""

    def __init__(self, places_and_parts):
        self.parts = {place: (*kind_of(part), _on_host(part)) for place, part in places_and_parts}
        self.notes = []

    def compare(self, expected, rtol, label, same_type):
        """Returns None, or in words how these differ from other Outputs. same_type: the types of
        values must be equal. Adds notes on what was not compared."""
        text, empty = others(self.parts, expected.parts, label), []
        if text:
            return text
        for place, (dtype, kind, got) in self.parts.items():
            if same_type and dtype != expected.parts[place][0]:
                return f"output {place} is {kind}, that of {label} is {expected.parts[place][1]}"
            limit = RTOL.get(dtype, 0) if rtol is None else rtol
            text, notes, is_nan = compare(got, expected.parts[place][2], limit if dtype in RTOL else 0)
            if text:
                return f"output {place} ({kind}) is not that of {label}: {text}"
            self.notes += [f"output {place}: {note}" for note in notes]
            empty += [is_nan] * (dtype in RTOL)
        all_nan = f"every element of every output of floats is NaN, and so is that of {label}: nothing was compared"
        return all_nan if empty and all(empty) else None
