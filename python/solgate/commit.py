"""The same function as of another commit, imported beside today's.

The commit's files go to a temporary folder. Its modules are imported from there under the name
`solgate_at_<commit>.<module>`, so both versions are modules of their own, which inspect (and by it
Triton and CuTe DSL) find the source of. `import` inside of them asks the commit first: relative
imports by their package, absolute ones by an __import__ in the module's own __builtins__.
"""

import atexit
import builtins
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

PREFIX = "solgate_at_"
_LISTING = (".md", ".rst", ".txt", ".toml", ".cfg", ".lock")  # changes there change no code

_snapshots = {}  # by (repository, commit)
_functions = []  # (what `at` returned, its Snapshot, "module:name")
importing = 0  # at work inside of `at`: pairs that a module makes meanwhile are not of this gate


class CommitError(RuntimeError):
    """The commit, or the function in it, is not there."""


def at(ref, name):
    """The function "package.module:function" as of a commit; without ":function" the module."""
    global importing
    module_name, _, function = name.partition(":")
    if not ref or ref.startswith("-") or not all(part.isidentifier() for part in module_name.split(".")):
        raise CommitError(f'expected at("COMMIT", "package.module:function"), found at({ref!r}, {name!r})')
    snapshot = _open(_repository(module_name.partition(".")[0]), ref)
    importing += 1
    try:
        found = snapshot.module(module_name)
    finally:
        importing -= 1
    for part in function.split(".") if function else ():
        try:
            found = getattr(found, part)
        except AttributeError:
            raise CommitError(f"{module_name} has no {function} at {snapshot.label}") from None
    _functions.append((found, snapshot, name))
    return found


def as_of(ref, function):
    """The function as of a commit; the same one if no module of a repository has it."""
    if isinstance(function, functools.partial):
        return functools.partial(as_of(ref, function.func), *function.args, **function.keywords)
    known = origin(function)
    name = known[1] if known else f"{getattr(function, '__module__', None)}:{getattr(function, '__qualname__', '<none>')}"
    module, _, path = name.partition(":")
    if module == "__main__":  # the file of the gates, which are ignored when it is imported
        module = os.path.splitext(os.path.basename(getattr(sys.modules[module], "__file__", None) or ""))[0]
    spec = _spec_of(module.partition(".")[0]) if module else None
    if not known and module and not (spec and _is_in_repository(spec)):
        return function
    if "<" in path:
        raise CommitError(f"{path} is made while the program runs: at the accepted commit only a function of a module is found")
    return at(ref, f"{module}:{path}")


def _is_in_repository(spec):
    """In the working folder's, and not ignored there."""
    top = _git(os.getcwd(), "rev-parse", "--show-toplevel")
    place = (list(spec.submodule_search_locations or []) or [spec.origin or ""])[0]
    inside = os.path.realpath(place).startswith(os.path.realpath(top.stdout.strip()) + os.sep)
    return top.returncode == 0 and inside and _git(os.getcwd(), "check-ignore", "-q", place).returncode != 0


def origin(thing):
    """(Snapshot, "module:function") of what `at` returned, else None."""
    for found, snapshot, name in _functions:
        if found is thing:
            return snapshot, name
    return None


def is_identical(baseline, candidate):
    """Is the source of both the same? Known only where the baseline is that of a commit."""
    known = origin(baseline)
    if not known:
        return False
    snapshot, name = known
    if origin(candidate):
        return origin(candidate)[0] is snapshot and origin(candidate)[1] == name
    module, _, function = name.partition(":")
    return snapshot.is_unchanged() and _find_today(module, function) is candidate


def _find_today(module, function):
    found = sys.modules.get(module)
    for part in function.split("."):
        found = getattr(found, part, None)
    return found


def _git(folder, *arguments, index=None):
    # As a hook of git sets them, of the repository that the hook is of.
    env = {k: v for k, v in os.environ.items() if k not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")}
    if index:
        env["GIT_INDEX_FILE"] = index
    try:
        return subprocess.run(["git", "-C", folder, *arguments], env=env, capture_output=True, text=True)
    except FileNotFoundError:
        raise CommitError("git is not installed, or not in PATH") from None


def _repository(module):
    """The repository that the top-level module is in, else that of the working folder."""
    spec = _spec_of(module)
    places = list(spec.submodule_search_locations or []) or [spec.origin or ""] if spec else []
    for place in [*places, os.getcwd()]:
        folder = place if os.path.isdir(place) else os.path.dirname(place)
        top = _git(folder, "rev-parse", "--show-toplevel") if folder else None
        if top and top.returncode == 0:
            return os.path.realpath(top.stdout.strip())
    raise CommitError(f"neither {module} nor {os.getcwd()} is in a git repository: its other commits are not known")


def _open(repository, ref):
    found = _git(repository, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if found.returncode != 0:
        raise CommitError(f"{repository} has no commit {ref!r}; a shallow clone lacks it: fetch it first (git fetch --unshallow)")
    commit = found.stdout.strip()
    if (repository, commit) not in _snapshots:
        _snapshots[repository, commit] = Snapshot(repository, ref, commit)
    return _snapshots[repository, commit]


class Snapshot(importlib.abc.MetaPathFinder):
    """A commit's files in a folder, and what was imported of them."""

    def __init__(self, repository, ref, commit):
        self.repository, self.commit, self.owner = repository, commit, os.getpid()
        self.label = ref if commit.startswith(ref) else f"{ref} ({commit[:12]})"
        self.package = f"{PREFIX}{commit[:12]}_{len(_snapshots)}"
        self.folder = tempfile.mkdtemp(prefix="solgate-at-")
        if not _snapshots:
            atexit.register(_at_exit)
        # Not `git archive`, which leaves out what .gitattributes marks export-ignore.
        index = os.path.join(self.folder, ".index")
        for command in (["read-tree", commit], ["checkout-index", "--all", f"--prefix={self.folder}/"]):
            done = _git(repository, *command, index=index)
            if done.returncode != 0:
                shutil.rmtree(self.folder, ignore_errors=True)
                raise CommitError(f"git {command[0]} of {self.label}: {done.stderr.strip()}")
        os.remove(index)
        self.builtins = dict(vars(builtins), __import__=self._import)
        root = importlib.machinery.ModuleSpec(self.package, None, is_package=True)
        root.submodule_search_locations.extend(self._roots())
        sys.modules[self.package] = importlib.util.module_from_spec(root)
        sys.meta_path.insert(0, self)

    def _roots(self):
        """The folders of sys.path that are in the repository, as of the commit."""
        for entry in sys.path:
            relative = self._relative(entry or os.getcwd())
            if relative is not None:
                yield os.path.join(self.folder, relative)

    def _relative(self, path):
        relative = os.path.relpath(os.path.realpath(path), self.repository)
        return None if relative == ".." or relative.startswith("../") else relative

    def module(self, name):
        self._has(name.partition(".")[0])
        try:
            return importlib.import_module(f"{self.package}.{name}")
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(self.package):
                raise
            missing = error.name[len(self.package) + 1 :]
            raise CommitError(f"{self.label} has no Python module {missing}; a compiled extension is not built: call what needs "
                              "none of it") from error  # fmt: skip

    def _has(self, top):
        """Is the top-level module `top` the repository's? Then imports of it inside of the commit are of the commit."""
        locations = sys.modules[self.package].__path__
        today = _spec_of(top)
        places = list(today.submodule_search_locations or []) or [today.origin or ""] if today else []
        inside = [place for place in map(self._relative, filter(os.path.isabs, places)) if place is not None]
        if today and not inside:
            return False
        for place in inside:  # as installed in place (pip install -e), from a folder that is not in sys.path
            root = os.path.join(self.folder, os.path.dirname(place))
            if root not in locations and os.path.isdir(root):
                locations.append(root)
        return importlib.machinery.PathFinder.find_spec(f"{self.package}.{top}", locations) is not None

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith(self.package + "."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec and isinstance(spec.loader, importlib.machinery.ExtensionFileLoader):
            raise CommitError(f"{spec.origin[len(self.folder) + 1 :]} of {self.label} is a compiled extension; two of them cannot be in "
                              "one process")  # fmt: skip
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self.builtins)
        return spec

    def _import(self, name, globals=None, locals=None, fromlist=(), level=0):
        """The __import__ of the commit's modules."""
        if level == 0 and self._has(name.partition(".")[0]):
            found = importlib.import_module(f"{self.package}.{name}")
            if not fromlist:
                return sys.modules[f"{self.package}.{name.partition('.')[0]}"]
            for part in fromlist:
                if part != "*" and not hasattr(found, part) and hasattr(found, "__path__"):
                    importlib.import_module(f"{self.package}.{name}.{part}")
            return found
        return builtins.__import__(name, globals, locals, fromlist, level)

    def is_unchanged(self):
        """Does the working tree have what was imported of the commit? Files beside it that are neither
        Python nor text (CUDA sources, tables) count too: they may be read."""
        changed = _git(self.repository, "diff", "--name-only", "-z", self.commit, "--")
        new = _git(self.repository, "ls-files", "-z", "--others", "--exclude-standard")
        imported = {os.path.relpath(m.__file__, self.folder) for n, m in list(sys.modules.items())
                    if n.startswith(self.package + ".") and getattr(m, "__file__", None)}  # fmt: skip
        folders = tuple({os.path.join(os.path.dirname(path), "") for path in imported})
        for path in (changed.stdout + new.stdout).split("\0"):
            if path in imported or path and not path.endswith((".py", *_LISTING)) and path.startswith(folders):
                return False
        return changed.returncode == 0 and new.returncode == 0


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name, path, module_builtins):
        super().__init__(name, path)
        self.module_builtins = module_builtins

    def exec_module(self, module):
        module.__dict__["__builtins__"] = self.module_builtins
        super().exec_module(module)


def _spec_of(name):
    try:
        return importlib.util.find_spec(name)
    except ValueError:  # __main__
        return None


_kept = False  # processes that are left behind need the files, and remove them


def keep():
    global _kept
    _kept = True


def own_all():
    """This process is left behind. A fork of it has the files only to read them."""
    for snapshot in _snapshots.values():
        snapshot.owner = os.getpid()


def remove_all():
    for snapshot in _snapshots.values():
        if snapshot.owner == os.getpid():
            shutil.rmtree(snapshot.folder, ignore_errors=True)


def _at_exit():
    if not _kept:
        remove_all()
