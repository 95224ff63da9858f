import os
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
pytest_plugins = ["solgate.pytest", "pytester"]


@pytest.fixture(autouse=True)
def no_gates():
    """Each test begins without the gates of the one before."""
    import solgate

    solgate.gate.gates.clear()
    solgate.commit._snapshots.clear()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A git repository, and what writes and commits files of it."""
    folder = tmp_path / "repository"
    folder.mkdir()
    for name, value in dict(GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b",
                            GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b").items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))

    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()

    def commit(**files):
        for name, text in files.items():
            path = folder / (name.replace("__", "/") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        git("add", "-A")
        git("commit", "-q", "-m", "Change")
        return git("rev-parse", "HEAD")

    git("init", "-q", "-b", "main")
    commit.git, commit.folder = git, folder
    before = set(sys.modules)
    yield commit
    for name in set(sys.modules) - before:
        del sys.modules[name]
