"""The same function at another commit, beside today's."""

import functools
import importlib
import inspect
import os
import sys

import numpy as np
import pytest

import solgate
from solgate import commit


def inputs(seed):
    return np.random.default_rng(seed).standard_normal(8)


MAIN = """
import lib.table as table
import lib.deep.inner
from lib import factor
from lib.factor import FACTOR

def scale(x):
    from lib import late
    assert FACTOR == factor.FACTOR == lib.deep.inner.FACTOR
    return FACTOR * x + table.OFFSET + late.OFFSET

class Group:
    @staticmethod
    def half(x):
        return x / 2
"""


def package(factor, offset=0):
    return dict(kernels=MAIN, lib____init__="", lib__factor=f"FACTOR = {factor}\n", lib__table=f"OFFSET = {offset}\n",
                lib__late=f"OFFSET = {10 * offset}\n", lib__deep____init__="", lib__deep__inner="from ..factor import FACTOR\n")  # fmt: skip


def today(name="kernels"):
    importlib.invalidate_caches()
    return importlib.import_module(name)


def test_both_versions_are_there_at_once(repository):
    first = repository(**package(2, offset=1))
    repository(**package(3))
    now, then = today().scale, solgate.at(first, "kernels:scale")
    assert now(1.0) == 3 and then(1.0) == 2 + 1 + 10
    assert solgate.at("HEAD", "kernels:scale")(1.0) == 3 and now(1.0) == 3
    assert sys.modules["lib"].factor.FACTOR == 3


def test_the_source_is_found_as_triton_looks_for_it(repository):
    repository(**package(2))
    then = solgate.at("HEAD", "kernels:scale")
    assert inspect.getsource(then).startswith("def scale(x):")
    assert os.path.exists(inspect.getsourcefile(then)) and sys.modules[then.__module__].scale is then
    assert solgate.at("HEAD", "kernels:Group.half")(3) == 1.5
    assert solgate.at("HEAD", "kernels").scale is then


def test_the_same_code_is_identical(repository, capsys):
    first = repository(**package(2))
    scale = today().scale
    solgate.pair(solgate.at("main", "kernels:scale"), scale, inputs)
    assert "scale: 1 case right; the code is identical" in capsys.readouterr().out
    repository(notes="x = 1\n")
    solgate.pair(solgate.at(first, "kernels:scale"), scale, inputs, name="other_file_changed")
    assert "identical" in capsys.readouterr().out


@pytest.mark.parametrize("change", ["uncommitted", "imported", "beside"])
def test_code_that_differs_is_not_identical(repository, capsys, change):
    first = repository(**package(2))
    scale = today().scale
    if change == "uncommitted":
        (repository.folder / "kernels.py").write_text(MAIN + "# changed\n")
    elif change == "imported":
        repository(lib__late="OFFSET = 0  # changed\n")
    else:
        (repository.folder / "lib" / "kernel.cu").write_text("// read by the module\n")
    solgate.pair(solgate.at(first, "kernels:scale"), scale, inputs)
    assert "right; nothing" in capsys.readouterr().out


def test_a_change_of_one_constant_is_compared(repository):
    first = repository(**package(2))
    repository(**package(3))
    with pytest.raises(solgate.Wrong, match="8 of 8 elements differ"):
        solgate.pair(solgate.at(first, "kernels:scale"), today().scale, inputs)


def test_a_repository_without_the_folder_in_the_path(repository, monkeypatch):
    first = repository(src__tools____init__="", src__tools__kernel="from tools.number import N\n", src__tools__number="N = 1\n")
    repository(src__tools__number="N = 2\n")
    monkeypatch.syspath_prepend(str(repository.folder / "src"))
    assert today("tools.kernel").N == 2 and solgate.at(first, "tools.kernel:N") == 1


def test_other_packages_are_today_s(repository):
    # A folder of the repository that is called like a package elsewhere, and is none.
    repository(numpy__readme="", kernels="import numpy, json\nZERO = numpy.zeros(1)\n")
    assert isinstance(solgate.at("HEAD", "kernels:ZERO"), np.ndarray)


def test_gates_of_the_file_itself_are_not_made_twice(repository):
    repository(gates="import solgate, numpy\ndef f(x): return x\nsolgate.pair(f, f, lambda seed: numpy.ones(3), name='inner')\n")
    solgate.at("HEAD", "gates:f")
    assert solgate.gate.gates == []


def test_nothing_is_written_to_the_repository(repository):
    repository(**package(2))
    index = (repository.folder / ".git" / "index").read_bytes()
    solgate.at("HEAD", "kernels:scale")
    assert repository.git("status", "--porcelain", "--ignored") in ("", "!! __pycache__/")
    assert (repository.folder / ".git" / "index").read_bytes() == index


@pytest.mark.parametrize("ref, name, words", [
    ("no/such", "kernels:scale", "has no commit 'no/such'; a shallow clone lacks it"),
    ("HEAD", "kernels:nothing", "kernels has no nothing at HEAD"),
    ("HEAD", "nothing:scale", "has no Python module nothing"),
    ("HEAD", "uses_extension:scale", "has no Python module lib._C; a compiled extension is not built"),
    ("HEAD", "not a name:scale", "expected at"),
    ("--all", "kernels:scale", "expected at"),
])  # fmt: skip
def test_what_is_missing_is_told(repository, ref, name, words):
    repository(**package(2), uses_extension="from lib import _C\nimport lib._C\n")
    with pytest.raises((solgate.CommitError, ImportError), match=words):
        solgate.at(ref, name)


def test_a_compiled_extension_of_the_commit_is_refused(repository):
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    (repository.folder / f"fast{suffix}").write_bytes(b"\x7fELF")
    repository(kernels="import fast\n")
    with pytest.raises(solgate.CommitError, match=f"fast{suffix} of HEAD .* is a compiled extension"):
        solgate.at("HEAD", "kernels")


def test_of_a_partial_the_function_is_that_of_the_commit(repository):
    first = repository(kernels="def scale(factor, x):\n    return factor * x\n")
    repository(kernels="def scale(factor, x):\n    return -factor * x\n")
    now = functools.partial(today().scale, 2)
    assert now(3) == -6 and commit.as_of(first, now)(3) == 6
