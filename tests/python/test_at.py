"""The same function at another commit, beside today's."""

import functools
import importlib
import inspect
import os
import sys
import tempfile
import zipfile

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


HERE = "import os\nHERE = os.path.dirname(os.path.abspath(__file__))\n"
READS = {  # of a module, and what is then changed: only a call, or what the module opens, shows it
    "a helper imported inside the function": ("def scale(x):\n    import late\n    return late.F * x\n", {"late.py": "F = 2"}, {"late.py": "F = 3"}),
    "a name imported inside a method": ("class K:\n    def __call__(self, x):\n        from lib.late import F\n        return F * x\nscale = K()\n",
                                        {"lib/late.py": "F = 2"}, {"lib/late.py": "F = 3"}),
    "a fallback that is there now": ("try:\n    from fast import F\nexcept ImportError:\n    F = 2\ndef scale(x):\n    return F * x\n", {"a": ""}, {"fast.py": "F = 3"}),
    "a fallback inside the function": ("def scale(x):\n    try:\n        from fast import F\n    except ImportError:\n        F = 2\n    return F * x\n",
                                       {"a": ""}, {"fast.py": "F = 3"}),
    "a table that is read when it is imported": (HERE + "F = int(open(HERE + '/f.txt').read())\ndef scale(x):\n    return F * x\n", {"f.txt": "2"}, {"f.txt": "3"}),
    "a setting that is read by a call": (HERE + "import json\ndef scale(x):\n    return json.load(open(HERE + '/conf/a.json')) * x\n",
                                         {"conf/a.json": "2"}, {"conf/a.json": "3"}),
    "a setting that is new": (HERE + "def scale(x):\n    return x * (3 if os.path.exists(HERE + '/x.toml') and open(HERE + '/x.toml').read() else 2)\n",
                              {"a": ""}, {"x.toml": "x"}),
    "source that is compiled": (HERE + "import subprocess\ndef scale(x):\n    return int(subprocess.run(['cat', HERE + '/csrc/k.cu'], stdout=-1).stdout) * x\n",
                                {"csrc/k.cu": "2"}, {"csrc/k.cu": "3"}),
    "a file that C opens": (HERE + "import ctypes\ndef scale(x):\n    c = ctypes.CDLL(None)\n    fd = c.open((HERE + '/data/k.bin').encode(), 0)\n"
                            "    b = ctypes.create_string_buffer(1)\n    c.read(fd, b, 1)\n    return int(b.value) * x\n", {"data/k.bin": "2"}, {"data/k.bin": "3"}),
    "code that is executed": (HERE + "def scale(x):\n    at = {}\n    exec(open(HERE + '/gen.py').read(), at)\n    return at['F'] * x\n", {"gen.py": "F = 2"}, {"gen.py": "F = 3"}),
    "code that a command imports": (HERE + "import subprocess, sys\ndef scale(x):\n    return int(subprocess.check_output([sys.executable, HERE + '/tool.py'])) * x\n",
                                    {"tool.py": "import late\nprint(late.F)", "late.py": "F = 2"}, {"late.py": "F = 3"}),
    "a line of a shell": (HERE + "def scale(x):\n    return int(os.popen('cat <' + HERE + '/f.txt').read()) * x\n", {"f.txt": "2"}, {"f.txt": "3"}),
    "the shell of os.system": (HERE + "def scale(x):\n    return (os.system('exit $(cat ' + HERE + '/f.txt)') >> 8) * x\n", {"f.txt": "2"}, {"f.txt": "3"}),
    "the names in a folder": (HERE + "def scale(x):\n    return (1 + len(os.listdir(HERE + '/conf'))) * x\n", {"conf/a.py": ""}, {"conf/b.py": ""}),
    "a hidden folder": (HERE + "def scale(x):\n    return int(open(HERE + '/.conf/f.txt').read()) * x\n", {".conf/f.txt": "2"}, {".conf/f.txt": "3"}),
    "nothing that is read": (HERE + "F = int(open(HERE + '/f.txt').read())\ndef scale(x):\n    import late\n    return F * late.F * x\n",
                             {"f.txt": "2", "late.py": "F = 1", "conf/a.json": "2"}, {"conf/a.json": "3", "lib/fast.py": "", "README.md": "x"}),
}  # fmt: skip


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        if name.endswith(".zip"):
            with zipfile.ZipFile(folder / name, "w") as archive:
                archive.writestr("late.py", text)


@pytest.mark.parametrize("kind", READS)
def test_identical_is_what_read_the_same(repository, kind, monkeypatch, tmp_path):
    source, before, after = READS[kind]
    listed = repository.folder / "out"
    listed.mkdir()
    (tmp_path / "0xab").mkdir()  # no address
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "0xab"))
    monkeypatch.setenv("SOLGATE_GATE", "\x1f".join(["--list", str(listed), "", ".", "python3"]))
    for name in "_check_descriptor", "_obstacle":  # no solgate started this process, and no fork may outlive it
        monkeypatch.setattr(solgate.forks, name, lambda *_: "")
    write(repository.folder, before)
    first = repository(kernels=source)
    if "fallback" in kind:  # today's module is none of the commit's
        write(repository.folder, after)
        assert today().scale(1) == 3 and solgate.at(first, "kernels:scale")(1) == 2
        repository.git("clean", "-fdqe", "out")
    for name, files in ("before", {}), ("after", after):
        write(repository.folder, files)
        for module in set(sys.modules) & {"kernels", "late", "fast", "lib", "lib.late"}:
            del sys.modules[module]
        solgate.pair(solgate.at(first, "kernels:scale"), today().scale, lambda seed: np.zeros(8), name=name)
    after = "" if kind == "nothing that is read" else " after/candidate"
    of = f" --of={first[:12]}\n"
    assert (listed / ".list").read_text() == f"before/baseline{of}after/baseline{after}{of}"


@pytest.mark.parametrize("file", ["more/late.py", "more.zip"])
def test_what_a_commit_adds_to_the_path_is_its_own(repository, file):
    write(repository.folder, {file: "F = 2"})
    first = repository(kernels=HERE + f"import sys\nsys.path.insert(0, HERE + '/{file.partition('/')[0]}')\n"
                       "def scale(x):\n    from late import F\n    return F * x\n")  # fmt: skip
    write(repository.folder, {file: "F = 3"})
    now, then = today().scale, solgate.at(first, "kernels:scale")
    assert (then(1), now(1), then(1)) == (2, 3, 2) and not [entry for entry in sys.path if "solgate-at" in entry]


PATCHES = {
    "a function": lambda module: setattr(module, "factor", lambda: 2),
    "a constant": lambda module: setattr(module, "TILE", 65),
    "an element of a table": lambda module: module.TABLE.__setitem__("a", [1, 3]),
    "a method": lambda module: setattr(module.Tuned, "tile", lambda self: 65),
    "an attribute of an instance": lambda module: setattr(module.tuned, "size", 2),
    "a slot": lambda module: setattr(module.slotted, "size", 2),
    "a property": lambda module: setattr(module.Tuned, "width", property(lambda self: 2)),
    "a default": lambda module: setattr(module.factor, "__defaults__", (2,)),
    "an array": lambda module: module.WEIGHTS.__setitem__(1500, 2),
    "another module": lambda module: setattr(module, "math", os),
    "of two, the one it uses": lambda module: setattr(sys.modules["used"], "F", 1.5),
    "nothing": lambda module: None,
}
PROGRAM = """import functools, solgate, numpy
TILE, table = 2, [1]
class Tuned:
    def tile(self): return TILE
part = functools.partial(Tuned.tile, None)
def scale(x): return part() * x
if __name__ == "__main__":
    %s
solgate.pair(solgate.at("HEAD", "gate:scale"), scale, lambda seed: numpy.ones(3), check=lambda x: 2 * x, rtol="wide:99%%")
LATER = 1
"""


@pytest.mark.parametrize("change", ["pass", "TILE = 3", "table.append(2)"])
def test_the_program_is_a_module_of_the_commit(repository, change, monkeypatch, capsys):
    repository(gate=PROGRAM % change)
    program = type(sys)("__main__")
    program.__file__ = str(repository.folder / "gate.py")
    monkeypatch.setitem(sys.modules, "__main__", program)
    exec(compile(PROGRAM % change, program.__file__, "exec"), vars(program))
    assert f"right; {'the code is identical' if change == 'pass' else 'nothing was timed'}" in capsys.readouterr().out


@pytest.mark.parametrize("kind", PATCHES)
def test_what_is_patched_is_not_identical(repository, kind, capsys):
    repository(used="F = 1\n", kernels="""
import functools, logging, math, threading, used
import numpy as np
TILE, TABLE, WEIGHTS, LOCK, LOG = 64, {"a": [1, 2]}, np.ones(2000), threading.Lock(), logging.getLogger(__name__)
RANDOM = np.random.default_rng(1)
class Tuned:
    def __init__(self): self.size = 1
    def tile(self): return TILE
    @property
    def width(self): return 1
class Slotted:
    __slots__ = ("size",)
tuned, slotted = Tuned(), Slotted()
slotted.size = 1
def factor(by=1): return by
@functools.lru_cache
def cached(): return used.F
state = functools.partial(factor, by=3)
calls = 0
def scale(x):
    global calls
    calls += 1
    return cached() * x
""")  # fmt: skip
    PATCHES[kind](today())
    solgate.pair(solgate.at("HEAD", "kernels:scale"), today().scale, inputs, check=lambda x: x, rtol="wide:99%")
    assert ("the code is identical" in capsys.readouterr().out) == (kind == "nothing")


TAKES = {
    "importlib": "import importlib\ndef scale(x):\n    return importlib.import_module('late').F * x\n",
    "importlib at the import": "from importlib import import_module\nlate = import_module('late')\ndef scale(x):\n    return late.F * x\n",
    "sys.modules": "import sys, late\ndef scale(x):\n    return sys.modules['late'].F * x\n",
    "the working folder": "def scale(x):\n    return int(open('f.txt').read()) * x\n",
    "the working folder by os": "import os\ndef scale(x):\n    return int(os.read(os.open('f.txt', 0), 9)) * x\n",
    "a command": "import subprocess\ndef scale(x):\n    return int(subprocess.run(['cat', 'f.txt'], stdout=-1).stdout) * x\n",
}


@pytest.mark.parametrize("kind", TAKES)
def test_what_takes_files_of_today_is_no_commit(repository, kind):
    write(repository.folder, {"f.txt": "2"})
    first = repository(late="F = 2\n", other="F = 2\n", kernels=TAKES[kind])
    late, now = today("late"), today().scale
    solgate.pair(solgate.at(first, "kernels:scale"), now, inputs, name="the_same_in_both")
    write(repository.folder, {"f.txt": "3", "late.py": "F = 3\n"})
    with pytest.raises(solgate.CommitError, match="the code of .* used (f.txt|late.py) of the working tree, which differs"):
        solgate.pair(solgate.at(first, "kernels:scale"), now, inputs)
    assert type(late) is type(sys)


def test_what_takes_compiled_code_of_today_is_no_commit(repository, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    first = repository(late="F = 2\n", kernels="import importlib\nF = importlib.import_module('late').F\ndef scale(x):\n    return F * x\n")
    write(repository.folder, {"late.py": "F = 3\n"})
    today("late")
    del sys.modules["late"]  # its compiled code stays
    then = solgate.at(first, "kernels:scale")
    with pytest.raises(solgate.CommitError, match="used late.py of the working tree"):
        solgate.pair(then, today().scale, inputs)


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
    ("nosuch", "kernels:scale", "has no commit 'nosuch'$"),
    ("origin/main", "kernels:scale", "has no commit 'origin/main'; it has no remote: name a local branch"),
    ("HEAD", "kernels:nothing", "kernels has no nothing at HEAD"),
    ("HEAD", "nothing:scale", "nothing is not in HEAD .*: is it new in this change"),
    ("HEAD", "kernels.scale", 'kernels.scale is not in HEAD .* A function is named "module:function"'),
    ("HEAD", "uses_extension:scale", "has no Python module lib._C: compiled extensions and submodules are not available at a commit"),
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
    assert now(3) == -6 and commit.at_commit(first, now)(3) == 6
