"""The pytest fixture `solgate_pair`: `-p solgate.pytest`, or pytest_plugins = ["solgate.pytest"].

    def test_softmax(solgate_pair):
        solgate_pair(torch_softmax, softmax, inputs, cases=[dict(rows=512, cols=4096)])

The gate has the name of the test, unless name= is given.
"""

import re

import pytest

import solgate


@pytest.fixture
def solgate_pair(request):
    """solgate.pair, with the test's name as default name."""
    taken = []

    def pair(baseline, candidate, inputs, *, name=None, **options):
        own = re.sub(r"[^a-z0-9_]+", "_", request.node.name.lower()).strip("_")
        own = own[:60] + (f"_{len(taken) + 1}" if taken else "")
        taken.append(own)
        gate = solgate.gate.Gate(baseline, candidate, inputs, name or own, **_with_defaults(options))
        solgate._take(gate, report=lambda text: request.config.stash.setdefault(_lines, []).append(text))

    return pair


def _with_defaults(options):
    known = ("cases", "check", "rtol", "tolerance", "work")
    for option in options:
        if option not in known:
            raise TypeError(f"solgate_pair has no argument {option} (known: {', '.join(known)})")
    return {option: options.get(option) for option in known}


_lines = pytest.StashKey()


def pytest_terminal_summary(terminalreporter, config):
    for line in config.stash.get(_lines, []):
        terminalreporter.write_line(line)
