"""A gate that is run plainly: each side once a case, its outputs compared."""

import collections
import dataclasses
import functools

import numpy as np
import pytest

import solgate


def inputs(seed, n, dtype="float32"):
    return (np.random.default_rng(seed).standard_normal(n).astype(dtype),)


CASES = [dict(n=64), dict(n=1000)]


def double(x):
    return x + x


def twice(x):
    return 2 * x


def test_each_side_is_called_once_a_case(capsys):
    calls = []

    def baseline(x):
        calls.append(("baseline", x.size))
        return double(x)

    def candidate(x):
        calls.append(("candidate", x.size))
        return twice(x)

    solgate.pair(baseline, candidate, inputs, cases=CASES)
    assert sorted(calls) == [("baseline", 64), ("baseline", 1000), ("candidate", 64), ("candidate", 1000)]
    assert "candidate: 2 cases right; nothing was timed" in capsys.readouterr().out


def test_a_wrong_output_is_told_with_case_count_difference_and_allowance():
    def wrong(x):
        y = twice(x)
        y[[3, 7]] += (0.5, -2)
        return y

    with pytest.raises(solgate.Wrong) as error:
        solgate.pair(double, wrong, inputs, cases=[dict(n=64)])
    text = str(error.value)
    assert text.startswith("wrong(n=64): the candidate: output 0 (64 float32) is not that of the baseline: 2 of 64 elements differ")
    assert "largest difference is 2, at element 7" in text and "(rtol 0.0001)" in text


@pytest.mark.parametrize("change, words", [
    (lambda y: y[:-1], "has the shape 63, expected 64"),
    (lambda y: y.reshape(8, 8), "has the shape 8x8, expected 64"),
    (lambda y: y.astype("float64"), "is 64 float64, that of the baseline is 64 float32"),
    (lambda y: (y, y), "2 outputs, the baseline has 1"),
    (lambda y: np.where(np.arange(64) == 5, np.nan, y).astype("float32"), "1 of 64 elements differ; the largest difference is inf"),
    (lambda y: y.astype("float16").astype("float32"), "elements differ"),
    (lambda y: np.concatenate([y[:60], y[:4]]), "4 of 64 elements differ"),
])  # fmt: skip
def test_what_differs_is_said(change, words):
    with pytest.raises(solgate.Wrong, match=words.replace("(", r"\(")):
        solgate.pair(double, lambda x: change(twice(x)), inputs, name="wrong", cases=[dict(n=64)])


def test_forms_of_a_tolerance():
    gate = solgate.gate.Gate(double, twice, inputs, "forms", None, None, np.float32(0.015625), "1e-1%")
    assert (gate.rtol, gate.tolerance) == (0.015625, "1e-1%")


def test_rounding_is_allowed_relative_to_the_whole_output():
    tiny = np.float32(1e-6)
    mostly_one = lambda seed: (np.arange(64) > 1).astype("float32")  # noqa: E731
    solgate.pair(double, lambda x: twice(x) + tiny, mostly_one, name="near_zero")
    with pytest.raises(solgate.Wrong, match="rtol 1e-07"):
        solgate.pair(double, lambda x: twice(x) * np.float32(1 + 1e-6), inputs, name="tight", cases=CASES, rtol=1e-7)


def test_integers_must_be_equal():
    ints = lambda seed: np.arange(10)  # noqa: E731
    solgate.pair(double, twice, ints, name="right")
    with pytest.raises(solgate.Wrong, match="1 of 10 elements differ.*none is allowed"):
        solgate.pair(double, lambda x: twice(x) + (x == 9), ints, name="wrong", rtol="wide:50%")


def test_nan_and_infinity_are_right_where_they_are_expected():
    odd = lambda seed: np.array([np.nan, np.inf, -np.inf, 1], "float32")  # noqa: E731
    solgate.pair(double, twice, odd, name="right")
    with pytest.raises(solgate.Wrong, match="2 of 4 elements differ"):
        solgate.pair(double, lambda x: abs(twice(x)) + (x == 1), odd, name="wrong")


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "int64", "uint64"])
@pytest.mark.parametrize("rtol", [None, 0.1])
@pytest.mark.parametrize("all_of_them", [False, True])
def test_an_integer_beside_a_float_must_be_equal(dtype, rtol, all_of_them):
    """Above 2^53 neighbours are one float64; `check` may return those."""
    def count(x):
        start = (1 << 63) - 5000 if dtype.endswith("64") else 0
        return 2 * x, (start + np.arange(1000, dtype="uint64") // 8).astype(dtype)

    def wrong(x):
        y, n = count(x)
        return y, n ^ ((np.arange(1000) % 1000 == 999) | all_of_them).astype(dtype)

    numbers = 1000 if all_of_them else 1
    solgate.pair(count, count, inputs, name="right", cases=CASES[1:], rtol=rtol, check=lambda x: dict(enumerate(count(x))))
    with pytest.raises(solgate.Wrong, match=f"output 1 .1000 {dtype}. .* {numbers} of 1000 elements differ.*none is allowed"):
        solgate.pair(count, wrong, inputs, name="wrong", cases=CASES[1:], rtol=rtol)


def test_an_integer_is_not_compared_as_a_float_of_check():
    exact = lambda x: np.array([2**53 + 1, -1])  # noqa: E731
    for rounded in (np.array([2.0**53, -1]), np.array([2**53 + 1, 2**64 - 1], "uint64")):
        with pytest.raises(solgate.Wrong, match="1 of 2 elements differ"):
            solgate.pair(exact, exact, inputs, name=f"n{len(solgate.gate.gates)}", cases=CASES, check=lambda x: rounded)


@dataclasses.dataclass
class Result:
    y: object
    loss: object = None


Named = collections.namedtuple("Named", "y loss")


@pytest.mark.parametrize("right, wrong, words", [
    ((1.5, "a", None, True), (1.5, "a", None, False), "output 4 .bool. is not that of the baseline: 1 of 1 elements differ, such as: False instead of True"),
    ((0.5,), (0.5001,), "output 1 .float. is not that .* allowed 5e-05 there"),
    ((np.float32(0.5),), (np.float32(0.6),), "output 1 .scalar float32."),
    ((2**70, b"a"), (2**70 + 1, b"a"), "output 1 .int. .*: 1180591620717411303425 instead of"),
    ((b"a",), (b"a" + bytes(1),), "output 1 .bytes."),
    (("sum",), ("mean",), "output 1 .str. .*: mean instead of sum"),
    ((None,), (0,), "output 1 is int, that of the baseline is NoneType"),
    ((3,), (3.0,), "output 1 is float, that of the baseline is int"),
    ((Result(1.0, [2]),), (Result(1.0, [3]),), "output 1.loss.0 .int.: *|3 instead of 2"),
    ((Named(1.0, 2),), (Named(1.0, 3),), "output 1.1 .int. .*: 3 instead of 2"),
    ((dict(a=1, b=2),), (dict(b=2, a=2),), "output 1.a .int. .*: 2 instead of 1"),
    ((dict(a=1, b=[dict(c=1)]),), (dict(a=1, d=1),), "3 outputs, the baseline has 3: without 1.b.0.c and with 1.d"),
    ((1 + 2j,), (1 + 2.1j,), "output 1 .complex."),
])  # fmt: skip
def test_what_is_no_array_is_compared(right, wrong, words):
    solgate.pair(lambda x: (2 * x, *right), lambda x: (2 * x, *right), inputs, name="right", cases=CASES)
    with pytest.raises(solgate.Wrong, match=words):
        solgate.pair(lambda x: (2 * x, *right), lambda x: (2 * x, *wrong), inputs, name="wrong", cases=CASES)


def test_another_order_of_keys_is_the_same_dict():
    one = lambda x: dict(y=2 * x, z=dict(a=x, b=-x))  # noqa: E731
    other = lambda x: dict(z=dict(b=-x, a=x), y=2 * x)  # noqa: E731
    solgate.pair(one, other, inputs, name="right", cases=CASES, check=other)
    with pytest.raises(solgate.Wrong, match="output z.[ab] .* is not that of the baseline"):
        solgate.pair(one, lambda x: dict(z=dict(b=x, a=-x), y=2 * x), inputs, name="wrong", cases=CASES)
    two = lambda seed, n: dict(x=inputs(seed, n)[0], b=solgate.out(np.empty(n)), a=solgate.out(np.empty(n)))  # noqa: E731

    def write_two(x, b, a):
        b[:], a[:] = x, -x

    solgate.pair(write_two, write_two, two, name="written", cases=CASES, check=lambda x, b, a: dict(a=-x, b=x))
    solgate.pair(write_two, write_two, two, name="in_order", cases=CASES, check=lambda x, b, a: (x, -x))


@pytest.mark.parametrize("outlier", [-1e9, 1e12, 3e38, "half"])
def test_what_is_no_outlier_is_judged_beside_outliers(outlier, capsys):
    def masked(x):
        where = np.tri(25, 40, dtype=bool).reshape(-1) if outlier == "half" else np.arange(x.size) == 7
        return np.where(where, np.float32(-1e9 if outlier == "half" else outlier), x + x)

    solgate.pair(masked, lambda x: masked(x * np.float32(1 + 1e-5)), inputs, name="right", cases=CASES[1:])
    assert " of 1000 elements are outliers: errors are relative to " in capsys.readouterr().out
    for wrong in (lambda x: masked(1.05 * x), lambda x: masked(x) + (np.arange(x.size) == 999), lambda x: masked(x) * np.float32(1.001)):
        with pytest.raises(solgate.Wrong, match="elements differ"):
            solgate.pair(masked, wrong, inputs, name=f"n{len(solgate.gate.gates)}", cases=CASES[1:])


@pytest.mark.parametrize("change", [
    lambda x: x, lambda x: x**3, np.exp, np.sign, lambda x: np.maximum(x, 0),
    lambda x: np.concatenate([x, 1e-7 * x]),  # half of it is what rounding left
    lambda x: np.where(np.arange(x.size) % 250, x, 20 * x),
])  # fmt: skip
def test_no_honest_output_has_outliers(change, capsys):
    solgate.pair(change, change, inputs, name="honest", cases=CASES[1:])
    assert "outliers" not in capsys.readouterr().out


def test_what_is_nan_on_both_sides_is_said(capsys):
    some = lambda x: np.where(np.arange(x.size) < 12, np.nan, x).astype("float32")  # noqa: E731
    none = lambda x: (np.nan * x, np.arange(3))  # noqa: E731
    solgate.pair(some, some, inputs, name="some", cases=CASES[:1])
    assert "some(n=64): output 0: 12 of 64 elements are NaN on both sides" in capsys.readouterr().out
    with pytest.raises(solgate.Wrong, match="every element of every output of floats is NaN, and so is that of the baseline"):
        solgate.pair(none, none, inputs, name="none", cases=CASES)


def test_check_judges_both_sides():
    reference = lambda x: 2 * x.astype("float64")  # noqa: E731
    solgate.pair(double, twice, inputs, name="right", cases=CASES, check=reference)
    with pytest.raises(solgate.Wrong, match="the baseline: output 0 .* is not that of check"):
        solgate.pair(lambda x: x, twice, inputs, name="bad_baseline", cases=CASES, check=reference)
    with pytest.raises(solgate.Wrong, match="the candidate: output 0 .* is not that of check"):
        solgate.pair(double, lambda x: x, inputs, name="bad_candidate", cases=CASES, check=reference)


def test_bench_checks_one_function():
    solgate.bench(twice, inputs, cases=CASES)
    with pytest.raises(solgate.Wrong, match="one.n=64.: the function: output 0"):
        solgate.bench(lambda x: x, inputs, name="one", cases=CASES, check=double)


def write(x, out):
    out[:] = 2 * x


def test_functions_may_write_to_marked_arguments():
    def with_out(seed, n):
        return dict(x=inputs(seed, n)[0], out=solgate.out(np.zeros(n, "float32")))

    solgate.pair(write, write, with_out, cases=CASES)
    with pytest.raises(solgate.Wrong, match="output argument out .64 float32. is not that of the baseline"):
        solgate.pair(write, lambda x, out: None, with_out, name="skips", cases=CASES)


def test_an_argument_that_is_changed_without_a_mark_is_told():
    def in_place(x):
        x *= 2
        return x.copy()

    with pytest.raises(solgate.Wrong, match="changed its argument 0: mark it in inputs: solgate.out.* solgate.inout"):
        solgate.pair(double, in_place, inputs, cases=CASES)
    solgate.pair(in_place, in_place, lambda seed, n: (solgate.out(inputs(seed, n)[0]),), name="marked", cases=CASES)


@pytest.mark.parametrize("candidate, words", [
    (lambda x: 3 * x, "solgate.gate.Wrong: f(n=64): the candidate: output 0"),
    (lambda x: x.nothing, "'numpy.ndarray' object has no attribute 'nothing'"),
    (lambda x: np.array([object()]), "solgate.arrays.NotAnArray: values of type |O cannot be compared"),
])  # fmt: skip
def test_an_error_is_shown_without_lines_of_the_package(candidate, words, capsys):
    with pytest.raises(Exception) as error:
        solgate.pair(double, candidate, inputs, name="f", cases=CASES)
    solgate.gate._show(error.type, error.value, error.tb)
    shown = capsys.readouterr().err
    assert words in shown and __file__ in shown and "/solgate/gate.py" not in shown
    assert "f(n=64): the candidate" in shown or "NotAnArray" in shown or not hasattr(error.value, "add_note")


def test_inputs_must_depend_on_the_seed_alone():
    with pytest.raises(solgate.Wrong, match="made other values in its second call"):
        solgate.pair(double, twice, lambda seed: np.random.default_rng().standard_normal(8))


@pytest.mark.parametrize("arguments, options, words", [
    ((double, twice, lambda seed: np.ones(3)), dict(cases=[dict(n=3)]), "inputs cannot be called as inputs.seed, n=3."),
    ((double, 3, inputs), {}, "the candidate is not a function but int"),
    ((double, twice, inputs), dict(name="Über"), "expected a name of at most 63 of a-z"),
    ((double, twice, inputs), dict(cases=[3]), "cases is not a list of dicts"),
    ((double, twice, inputs), dict(cases=[dict(n=1), dict(n=1)]), "two cases are called the same"),
    ((double, twice, inputs), dict(tolerance="fast"), "expected a tolerance such as"),
    ((double, twice, inputs), dict(tolerance=0.5), "expected a tolerance such as .0.25%., found 0.5"),
    ((double, twice, inputs), dict(tolerance="50%"), "expected at most 10 %, or .wide:50%."),
    ((double, twice, inputs), dict(tolerance="wide:100%"), "expected a tolerance such as"),
    ((double, twice, inputs), dict(rtol=1), "expected rtol from 0 to 0.1, or .wide:50%. for one as wide as that, found 1"),
    ((double, twice, inputs), dict(tolerance="٣%"), "expected a tolerance such as"),
    ((double, twice, inputs), dict(rtol=True), "expected rtol from 0 to 0.1"),
    ((double, twice, inputs), dict(rtol="20%"), "expected at most 10 %, or .wide:20%."),
    ((double, twice, inputs), dict(work=dict(flops=3)), "expected work=dict.bytes=..., flop=.... of numbers"),
    ((double, twice, inputs), dict(work=dict(bytes=-1)), "expected work=dict"),
    ((double, twice, inputs), dict(cases=[dict(n=4)], work=lambda n: dict(flop={"bf15": n})), "found .'flop': .'bf15': 4.."),
    ((double, lambda x: [1, {3}], inputs), dict(name="set", cases=CASES), "output 1 is of set, which is not compared: return its arrays"),
    ((double, lambda x: None, inputs), dict(name="nothing", cases=CASES), "returned nothing, and no argument is marked"),
])  # fmt: skip
def test_misuse_is_told(arguments, options, words):
    with pytest.raises(solgate.Misuse, match=words):
        solgate.pair(*arguments, **options)


def test_names_are_those_of_the_functions_and_differ():
    solgate.pair(double, functools.partial(twice), inputs, cases=CASES)
    assert [gate.name for gate in solgate.gate.gates] == ["twice"]
    with pytest.raises(solgate.Misuse, match="two gates are called twice"):
        solgate.pair(double, twice, inputs, cases=CASES)


def test_an_error_of_inputs_is_its_own():
    def broken(seed):
        return len(3)

    with pytest.raises(TypeError, match="has no len"):
        solgate.pair(double, twice, broken)
