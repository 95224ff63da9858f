"""A gate that is run plainly: each side once a case, its outputs compared."""

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
        solgate.pair(double, lambda x: twice(x) + (x == 9), ints, name="wrong", rtol=0.5)


def test_nan_and_infinity_are_right_where_they_are_expected():
    odd = lambda seed: np.array([np.nan, np.inf, -np.inf, 1], "float32")  # noqa: E731
    solgate.pair(double, twice, odd, name="right")
    with pytest.raises(solgate.Wrong, match="2 of 4 elements differ"):
        solgate.pair(double, lambda x: abs(twice(x)) + (x == 1), odd, name="wrong")


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

    with pytest.raises(solgate.Wrong, match="changed its argument 0: mark it by solgate.out"):
        solgate.pair(double, in_place, inputs, cases=CASES)
    solgate.pair(in_place, in_place, lambda seed, n: (solgate.out(inputs(seed, n)[0]),), name="marked", cases=CASES)


def test_inputs_must_depend_on_the_seed_alone():
    with pytest.raises(solgate.Wrong, match="made other contents at its second call"):
        solgate.pair(double, twice, lambda seed: np.random.default_rng().standard_normal(8))


@pytest.mark.parametrize("arguments, options, words", [
    ((double, twice, lambda seed: np.ones(3)), dict(cases=[dict(n=3)]), "inputs cannot be called as inputs.seed, n=3."),
    ((double, 3, inputs), {}, "the candidate is no function but int"),
    ((double, twice, inputs), dict(name="Über"), "expected a name of at most 63 of a-z"),
    ((double, twice, inputs), dict(cases=[3]), "cases is no list of dicts"),
    ((double, twice, inputs), dict(cases=[dict(n=1), dict(n=1)]), "two cases are called the same"),
    ((double, twice, inputs), dict(tolerance="fast"), "expected a tolerance such as"),
    ((double, lambda x: None, inputs), dict(name="nothing", cases=CASES), "returned no array, and no argument is marked"),
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
