"""The fixture solgate_pair."""

import os

import pytest

PYTHON = os.path.join(os.path.dirname(__file__), "..", "..", "python")

FILE = """
import numpy as np

def inputs(seed, n):
    return np.random.default_rng(seed).standard_normal(n)

def double(x):
    return x + x

def test_right(solgate_pair):
    solgate_pair(double, lambda x: 2 * x, inputs, cases=[dict(n=8), dict(n=9)], tolerance="0.5%")
    solgate_pair(double, lambda x: 2 * x, inputs, cases=[dict(n=8)], check=lambda x: 2 * x)

def test_wrong(solgate_pair):
    solgate_pair(double, lambda x: 2 * x + (x == x[0]), inputs, cases=[dict(n=8)])

def test_unknown(solgate_pair):
    solgate_pair(double, double, inputs, case=[dict(n=8)])
"""


@pytest.mark.parametrize("plugin", [["-p", "solgate.pytest"], []])
def test_a_pair_is_a_test(pytester, monkeypatch, plugin):
    monkeypatch.setenv("PYTHONPATH", os.path.abspath(PYTHON))
    if not plugin:
        pytester.makeconftest('pytest_plugins = ["solgate.pytest"]')
    pytester.makepyfile(FILE)
    result = pytester.runpytest_subprocess(*plugin)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines([
        "*Wrong: test_wrong(n=8): the candidate: output 0 (8 float64) is not that of the baseline: 1 of 8 elements differ*",
        "*has no argument case (known: cases, check, rtol, tolerance, work)*",
        "solgate: test_right: 2 cases right; nothing was timed*",
        "solgate: test_right_2: 1 case right; nothing was timed*",
    ])  # fmt: skip
