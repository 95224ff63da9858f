"""Imports a function as of another commit, next to the current one.

The commit's files are written to a temporary folder, and its modules are imported from there as
`solgate_at_<commit>.<module>`. So both versions are separate modules, and inspect finds their
source, which Triton and CuTe DSL need. An `import` inside these modules looks in the commit first.
Relative imports do so by their package, absolute imports by an __import__ in the module's
__builtins__.

Modules that only `at` needs are imported where they are used, because each program with gates waits
for its imports.
"""

import atexit
import builtins
import contextlib
import functools
import importlib
import importlib.machinery
import importlib.util
import os
import re
import sys
import types

PREFIX = "solgate_at_"
_DOCUMENTS = (".md", ".rst")  # no program reads these
_TEXTS = (".txt", ".toml", ".cfg", ".lock", ".json", ".yaml", ".yml")  # native code does not read these
_MADE_OF = ("__dict__", "__func__", "__wrapped__", "__defaults__", "__kwdefaults__", "__closure__", "cell_contents", "fget", "func", "args", "keywords")
_OF_AN_IMPORT = {"__builtins__", "__cached__", "__file__", "__globals__", "__loader__", "__path__", "__spec__"}

_snapshots = {}  # by (repository, commit)
_functions = []  # (what `at` returned, its Snapshot, "module:name")
_early = set(sys.modules)  # their file accesses were not recorded
_opened = set()  # folders that were listed end in a slash
_commanded = set()  # named to a command, which may read more files
importing = 0  # above 0 inside `at`: gates made by an imported module are ignored


class CommitError(RuntimeError):
    """Raised if the commit, or the function in it, does not exist or cannot be used."""


def at(ref, name):
    """Returns the function "package.module:function" as of a commit; without ":function", the
    module."""
    global importing
    module_name, _, function = name.partition(":")
    if not ref or ref.startswith("-") or not all(part.isidentifier() for part in module_name.split(".")):
        raise CommitError(f'expected at("COMMIT", "package.module:function"), found at({ref!r}, {name!r})')
    snapshot = _open(_repository(module_name.partition(".")[0]), ref)
    importing += 1
    try:
        with untimed(raises=False):
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


def at_commit(ref, function):
    """Returns the function as of a commit; the same function if its module is in no repository."""
    if isinstance(function, functools.partial):
        return functools.partial(at_commit(ref, function.func), *function.args, **function.keywords)
    known = origin(function)
    name = known[1] if known else f"{getattr(function, '__module__', None)}:{getattr(function, '__qualname__', '<none>')}"
    module, _, path = name.partition(":")
    if module == "__main__":  # the file with the gates; importing it makes no gates
        module = os.path.splitext(os.path.basename(getattr(sys.modules[module], "__file__", None) or ""))[0]
    spec = _spec_of(module.partition(".")[0]) if module else None
    if not known and module and not (spec and _is_in_repository(spec)):
        return function
    if "<" in path:
        raise CommitError(f"{path} is made while the program runs: at the accepted commit only a function of a module is found")
    return at(ref, f"{module}:{path}")


def _is_in_repository(spec):
    """True if the module is in the working folder's repository and not ignored by git."""
    top = _git(os.getcwd(), "rev-parse", "--show-toplevel")
    place = (list(spec.submodule_search_locations or []) or [spec.origin or ""])[0]
    inside = os.path.realpath(place).startswith(os.path.realpath(top.stdout.strip()) + os.sep)
    return top.returncode == 0 and inside and _git(os.getcwd(), "check-ignore", "-q", place).returncode != 0


def origin(thing):
    """Returns (Snapshot, "module:function") for a result of `at`, else None."""
    for found, snapshot, name in _functions:
        if found is thing:
            return snapshot, name
    return None


def is_identical(baseline, candidate):
    """True if both sides have imported and read equal files so far. False unless the baseline is of
    a commit. Ask before the first call, which may change values in modules, and after a call of
    each side."""
    known = origin(baseline)
    if not known:
        return False
    snapshot, name = known
    if origin(candidate):
        return origin(candidate)[0] is snapshot and origin(candidate)[1] == name
    module, _, function = name.partition(":")
    return snapshot.is_unchanged() and functools.reduce(lambda found, part: getattr(found, part, None), function.split("."), snapshot.today(module)) is candidate


def _git(folder, *arguments, index=None):
    import subprocess

    # A git hook sets these for its own repository.
    env = {k: v for k, v in os.environ.items() if k not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")}
    if index:
        env["GIT_INDEX_FILE"] = index
    try:
        return subprocess.run(["git", "-C", folder, *arguments], env=env, capture_output=True, text=True)
    except FileNotFoundError:
        raise CommitError("git is not installed, or not in PATH") from None


def described():
    """The commit of the working folder, as git describes it, with -dirty if files are changed;
    "": in no repository."""
    found = _git(os.getcwd(), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    return found.stdout.strip() if found.returncode == 0 else ""


def _repository(module):
    """The repository with the top-level module, or that of the working folder."""
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
        is_shallow = _git(repository, "rev-parse", "--is-shallow-repository").stdout.strip() == "true"
        is_local = "/" in ref and not _git(repository, "remote").stdout
        hint = "; this clone is shallow: git fetch --unshallow" if is_shallow else "; it has no remote: name a local branch, such as main" if is_local else ""
        raise CommitError(f"{repository} has no commit {ref!r}{hint}")
    commit = found.stdout.strip()
    if (repository, commit) not in _snapshots:
        _snapshots[repository, commit] = Snapshot(repository, ref, commit)
    return _snapshots[repository, commit]


class Snapshot:
    """A commit's files in a folder, and the modules imported from there; a finder of sys.meta_path."""

    def __init__(self, repository, ref, commit):
        import shutil
        import tempfile

        self.repository, self.commit, self.owner = repository, commit, os.getpid()
        self.label = ref[:12] if commit.startswith(ref) else f"{ref} ({commit[:12]})"
        self.package = f"{PREFIX}{commit[:12]}_{len(_snapshots)}"
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="solgate-at-"))
        self.taken = set()  # files of the working tree that the commit's code used
        self.like = {}  # by module name: is the working tree's module equal?
        self.program = "__main__"  # the program's name as a module
        if not _snapshots:
            atexit.register(_at_exit)
        # Not `git archive`, which leaves out files marked export-ignore in .gitattributes.
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
        """Yields the commit's version of each folder of sys.path in the repository."""
        for entry in sys.path:
            relative = self._relative(entry or os.getcwd())
            if relative is not None:
                yield os.path.normpath(os.path.join(self.folder, relative))

    def _relative(self, path):
        path = os.path.realpath(path)
        relative = os.path.relpath(path, self.folder if path.startswith(self.folder) else self.repository)
        return None if relative == ".." or relative.startswith("../") else relative

    def take_path(self):
        """The folders for imports, with those that the commit's code has added to sys.path."""
        locations = sys.modules[self.package].__path__
        added = [str(entry) for entry in sys.path if str(entry).startswith(self.folder)]
        locations[:0] = [entry for entry in added if entry not in locations]
        return locations

    def module(self, name):
        self._has(name.partition(".")[0])
        try:
            return importlib.import_module(f"{self.package}.{name}")
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(self.package):
                raise
            missing = error.name[len(self.package) + 1 :]
            if f"{name}.".startswith(f"{missing}."):
                raise CommitError(f'{missing} is not in {self.label}: is it new in this change? A function is named "module:function"') from None
            raise CommitError(f"{self.label} has no Python module {missing}: compiled extensions and submodules are not available at a commit; "
                              "gate functions that need none of them") from None  # fmt: skip

    def _has(self, top):
        """Does the top-level module `top` belong to the repository? Then the commit's modules
        import it from the commit. False: the commit lacks it. None: neither the commit nor git's
        working tree has it."""
        locations = self.take_path()
        today = _spec_of(top)
        places = list(today.submodule_search_locations or []) or [today.origin or ""] if today else []
        inside = [place for place in map(self._relative, filter(os.path.isabs, places)) if place is not None]
        if today and not inside:
            return None
        for place in inside:  # installed in place (pip install -e), from a folder outside sys.path
            root = os.path.join(self.folder, os.path.dirname(place))
            if root not in locations and os.path.exists(root):
                locations.append(root)
        found = importlib.machinery.PathFinder.find_spec(f"{self.package}.{top}", locations) is not None
        return found or (None if not inside or self._is_ignored(inside[0]) else False)

    def _is_ignored(self, path):
        return _git(self.repository, "check-ignore", "-q", path).returncode != 1  # also in a submodule

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith(self.package + "."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec and isinstance(spec.loader, importlib.machinery.ExtensionFileLoader):
            raise CommitError(f"{spec.origin[len(self.folder) + 1 :]} of {self.label} is a compiled extension: two versions cannot be in "
                              "one process")  # fmt: skip
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self.builtins)
        return spec

    def _import(self, name, globals=None, locals=None, fromlist=(), level=0):
        """__import__ for the commit's modules."""
        top = name.partition(".")[0]
        has = self._has(top) if level == 0 else None
        if has is False:
            raise ModuleNotFoundError(f"No module named {top!r} at {self.label}", name=top)
        if has:
            found = importlib.import_module(f"{self.package}.{name}")
            if not fromlist:
                return sys.modules[f"{self.package}.{name.partition('.')[0]}"]
            for part in fromlist:
                if part != "*" and not hasattr(found, part) and hasattr(found, "__path__"):
                    importlib.import_module(f"{self.package}.{name}.{part}")
            return found
        return builtins.__import__(name, globals, locals, fromlist, level)

    def inside(self, path, *trees):
        """The path relative to its tree; None: the file is in no tree, or installed."""
        for tree in trees or (self.folder, self.repository):
            if path.startswith(tree + os.sep) and not path.startswith(_installed()):
                relative = path[len(tree) + 1 :]
                return None if "__pycache__/" in relative else relative
        return None

    def is_changed(self, path):
        import filecmp

        pair = [os.path.join(tree, path) for tree in (self.folder, self.repository)]
        are_files = list(map(os.path.isfile, pair))
        if not are_files[0] and re.search(r"(^|/)\.[^/]*/", path):  # as .git and .venv
            return False
        return any(are_files) and not (all(are_files) and filecmp.cmp(*pair, shallow=False))

    def is_unchanged(self):
        """True if all files imported or opened so far are equal in both trees. Native code and
        commands open files unseen, so other changed files count too, except Python and text files.
        New files count if they are in a folder with modules."""
        changed = _git(self.repository, "diff", "--name-only", "-z", self.commit, "--")
        new = _git(self.repository, "ls-files", "-z", "--others", "--exclude-standard")
        main = os.path.realpath(getattr(sys.modules["__main__"], "__file__", None) or "")
        modules = {name: self.inside(path) for name, path in _files().items() if self.inside(path)}
        folders = {os.path.dirname(path) for path in modules.values()}
        ran = any(self.inside(path + os.sep) is not None for path in _commanded)
        harmless = (*_DOCUMENTS, *(() if ran else (".py",)), *(() if ran or _early & set(modules) else _TEXTS))
        changed_paths, new_paths = changed.stdout.split("\0"), new.stdout.split("\0")
        unseen = changed_paths + [path for path in new_paths if os.path.dirname(path) in folders or path.endswith(_TEXTS)]
        read = {*modules.values(), *map(self.inside, (_opened | _commanded) - {main})} - {None}
        read |= {path for path in changed_paths + new_paths if os.path.join(os.path.dirname(path), "") in read}
        for name in modules:
            if name.startswith(self.package + ".") and name not in self.like:
                self.like[name] = False
                with contextlib.suppress(Exception):  # from a __repr__, or too deep
                    self.like[name] = self._is_like_today(name)
        return (changed.returncode == new.returncode == 0 and all(path.endswith(harmless) for path in unseen if path)
                and not any(map(self.is_changed, read)) and all(self.like.values()))  # fmt: skip

    def today(self, name):
        """The working tree's module: the program itself if it is that file, as gate.py is."""
        program, then = sys.modules["__main__"], sys.modules.get(f"{self.package}.{name}")
        places = [self.inside(_real(os.path.abspath(getattr(module, "__file__", None) or os.sep))) for module in (program, then)]
        if name in sys.modules or None in places or places[0] != places[1]:
            return sys.modules.get(name)
        self.program = name
        return program

    def _is_like_today(self, name):
        today, then = self.today(name[len(self.package) + 1 :]), vars(sys.modules[name])
        now = vars(today) if today else {}
        if today is sys.modules["__main__"]:  # which has not reached its end yet
            shared = [key for key in now if key in then and key != "__package__"]
            now, then = ({key: names[key] for key in shared} for names in (now, then))
        return self._is_like(now, then, {})

    def _is_like(self, now, then, seen):
        """Does a module of the working tree, or an object in it, have the same code and values as
        in the commit?"""
        if now is then or (id(now), id(then)) in seen:
            return True
        seen[id(now), id(then)] = now, then  # keeps both alive, so that their ids are not reused
        a, b = self._parts(now), self._parts(then)
        return len(a) == len(b) and a[:2] == b[:2] and all(self._is_like(x, y, seen) for x, y in zip(a[2:], b[2:]))

    def _parts(self, thing):
        """The object as text, its code, and the objects inside."""
        words, inside = type(thing), []
        if isinstance(thing, (dict, types.MappingProxyType)):
            own = thing.get("__name__")  # submodules of a package are compared separately
            words = [key for key in thing if key not in _OF_AN_IMPORT and getattr(thing[key], "__name__", "") != f"{own}.{key}"]
            inside = [thing[key] for key in words]
        elif isinstance(thing, (list, tuple)):
            inside = list(thing)
        elif not isinstance(thing, types.ModuleType):
            words = [thing, getattr(thing, "tolist", bool)()]
            inside = [getattr(thing, name, None) for name in (*_MADE_OF, *getattr(type(thing), "__slots__", ()))]
        else:
            words = thing
        words = re.sub(rf"0x[0-9a-fA-F]+|{PREFIX}\w+\.?", "", repr(words).replace(self.folder, self.repository).replace("__main__", self.program))
        return words, getattr(thing, "__code__", None), *inside


_real = functools.cache(os.path.realpath)


@functools.cache
def _installed():
    import sysconfig

    return tuple(path + os.sep for kind, path in sysconfig.get_paths().items() if "lib" in kind or kind == "scripts")


def _files():
    """Files by module name, without the program, which both sides share."""
    return {name: _real(os.path.abspath(module.__dict__["__file__"])) for name, module in list(sys.modules.items())
            if isinstance(module, types.ModuleType) and module.__dict__.get("__file__") and name != "__main__"}  # fmt: skip


def _hear(event, arguments):
    """Records files that Python opens or tries to open, folders that it lists, and the words of
    command lines."""
    paths, into, end = [], _opened, ""
    if event == "open" and set("r+") & set(arguments[1] or "r") or event == "ctypes.dlopen":
        paths = [arguments[0]]
    elif event in ("os.listdir", "os.scandir") and "importlib" not in sys._getframe(1).f_code.co_filename and any(map(_user, _snapshots.values())):
        paths, end = [arguments[0] or "."], os.sep
    elif event == "os.system" or event == "subprocess.Popen" and arguments[0] != "git":
        words, folder = (arguments[1], os.fsdecode(arguments[2] or "")) if event != "os.system" else (arguments, "")
        words = " ".join(map(os.fsdecode, [words] if isinstance(words, (str, bytes, os.PathLike)) else words))
        words = [os.path.join(folder, word) for word in re.split(r"[\s'\"=;|&<>()]+", words) if word]
        paths, into = filter(os.path.exists, [folder, *words]), _commanded
    for path in paths:
        with contextlib.suppress(TypeError, ValueError):  # a descriptor, or not a path
            path = os.path.realpath(os.fsdecode(path)) + end
            path = importlib.util.source_from_cache(path) if path.endswith(".pyc") else path
            into.add(path)
            _note(path)


sys.addaudithook(_hear)


def _user(snapshot):
    """The file of the innermost frame in either tree; "": none."""
    frame = sys._getframe(1)
    while frame and not frame.f_code.co_filename.startswith((snapshot.folder, snapshot.repository)):
        frame = frame.f_back
    return frame.f_code.co_filename if frame else ""


def _note(path):
    """Records a file of the working tree used by code of a commit: the innermost frame in either
    tree decides."""
    for snapshot in _snapshots.values():
        relative = snapshot.inside(path, snapshot.repository)
        if relative and _user(snapshot).startswith(snapshot.folder):
            snapshot.taken.add(relative)


class _Watched(types.ModuleType):
    """Lets a module of the working tree record its use by code of a commit, which finds the module
    in sys.modules."""

    def __getattribute__(self, name):
        if not name.startswith("__"):
            _note(_real(os.path.abspath(super().__getattribute__("__dict__")["__file__"])))
        return super().__getattribute__(name)


@contextlib.contextmanager
def untimed(raises=True):
    """Surrounds a call that may run code of a commit. CommitError if that code used changed files
    of the working tree."""
    modules = [sys.modules[name] for name, path in _files().items() if any(s.inside(path, s.repository) for s in _snapshots.values())
               and type(sys.modules[name]) is types.ModuleType] if _snapshots else []  # fmt: skip
    for module in modules:
        module.__class__ = _Watched
    try:
        yield
    finally:
        for module in modules:
            module.__class__ = types.ModuleType
        for snapshot in _snapshots.values():
            snapshot.take_path()
            sys.path[:] = [entry for entry in sys.path if not str(entry).startswith(snapshot.folder)]
    for snapshot in _snapshots.values() if raises else ():
        for path in filter(snapshot.is_changed, sorted(snapshot.taken)):
            if not snapshot._is_ignored(path):
                raise CommitError(f"the code of {snapshot.label} used {path} of the working tree, which differs: it found that by "
                                  "importlib, sys.modules or the working folder; use import, or a path from __file__")  # fmt: skip


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


_kept = False  # processes left behind need the files, and remove them


def keep():
    global _kept
    _kept = True


def own_all():
    """Called in a process that was left behind. Its forks only read the files."""
    for snapshot in _snapshots.values():
        snapshot.owner = os.getpid()


def remove_all():
    import shutil

    for snapshot in _snapshots.values():
        if snapshot.owner == os.getpid():
            shutil.rmtree(snapshot.folder, ignore_errors=True)


def _at_exit():
    if not _kept:
        remove_all()
