#!/usr/bin/env python3
"""blocks.py [--update] [--gpu] --bin=BIN PAGE... - runs the command blocks of pages, and compares
their output. --update writes the output of today into the pages instead.

    ```console run      commands after "$ ", each with all that it prints to stdout
    ```console gpu      the same, on a GPU (--gpu): numbers may differ
    ```console setup    installs or builds: scripts/test.sh and other tests run these scripts
    ```LANGUAGE FILE    a file that the commands after it use

A page runs in one shell and one new folder, in which tests/ is the tree's. Each section (##) begins
in that folder. A line "..." stands for any lines. Dates, times and commits may differ. Exit 1 with
the difference if a page is not what runs today."""

import argparse
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
MARK = "\x1e"
VARIES = re.compile(r"\d{4}-\d\d-\d\d|\b\d{8}T\d{6}Z|gate-\w{6}\b|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b")
NUMBER = re.compile(r" *[+-]?\d[\d.,]*")


def blocks(lines):
    """(kind, first line, end) of each fenced block; the section that it is in begins with "cd"."""
    opened = None
    for number, line in enumerate(lines):
        if line.startswith("## ") and opened is None:
            yield "section", number, number
        elif line.startswith("```"):
            if opened is not None:
                yield lines[opened][3:], opened + 1, number
            opened = number if opened is None else None


def shell(lines, kinds):
    """The script of a page, and the places of the outputs of its commands."""
    script, places = [f"set -u; top=$PWD; shown() {{ printf '{MARK}'; }}"], []
    for kind, first, end in blocks(lines):
        language, _, name = kind.partition(" ")
        if kind == "section":
            script.append('cd "$top"')
        elif kind in kinds:
            commands = [at for at in range(first, end) if lines[at].startswith("$ ")]
            for at, following in zip(commands, commands[1:] + [end]):
                places.append((at + 1, following))
                script += ["shown", lines[at][2:]]
            script.append("shown")
            places.append(None)
        elif language != "console" and name:
            script.append(f"mkdir -p {shlex.quote(os.path.dirname(name) or '.')}; cat >{shlex.quote(name)} <<'END_OF_FILE'")
            script += [*lines[first:end], "END_OF_FILE"]
    return "\n".join(script) + "\n", places


def run(script, binaries, folder):
    """Errors of all commands, and what each printed, with paths relative to the tree."""
    (folder / "bin").mkdir()
    for python in ("python3", "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            (folder / "bin" / "python3").write_text(f'#!/bin/sh\nexec "$({python} -c "import sys; print(sys.executable)")" "$@"\n')
            (folder / "bin" / "python3").chmod(0o755)
            break
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SOLGATE_", "SG_"))}
    environment.pop("CUDACXX", None)  # modules of projects are built without CUDA, to save time
    path = [of for of in os.environ["PATH"].split(":") if not os.path.exists(os.path.join(of, "nvcc"))]
    environment |= {"PATH": ":".join([str(folder / "bin"), str(binaries), *path]), "PYTHONPATH": str(TREE / "python"), "PYTHONDONTWRITEBYTECODE": "1",
                    "SOLGATE_BUILDS": str(folder / "store"), "GIT_CONFIG_GLOBAL": "/dev/null", "CMAKE_BUILD_TYPE": "Release"}  # fmt: skip
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@b"}
    work = folder / "page"
    work.mkdir()
    (work / "tests").symlink_to(TREE / "tests")
    done = subprocess.run(["sh", "-c", script], cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.stderr, [part.replace(f"{TREE}/", "").replace(f"{work}/", "").split("\n")[:-1] for part in done.stdout.split(MARK)[1:]]


def matches(expected, found, masks):
    """Whether the output is what the page has, where "..." is any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(masks(line)) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(masks(line) + "\n" for line in found)) is not None


def check(page, asked, kinds):
    path = TREE / page
    lines = path.read_text().split("\n")
    script, places = shell(lines, kinds)
    masks = (lambda line: NUMBER.sub(" 1", VARIES.sub("D", line))) if asked.gpu else lambda line: VARIES.sub("D", line)
    with tempfile.TemporaryDirectory() as folder:
        errors, found = run( script, asked.bin.resolve(), pathlib.Path(folder))
    today = list(lines)
    for place, output in reversed(list(zip(places, found))):
        if place and not matches(lines[slice(*place)], output, masks):
            today[slice(*place)] = output
    if len(found) < len(places):
        print(f"{page}: the shell ended after {len(found)} of {len(places)} outputs")
    if asked.update:
        path.write_text("\n".join(today))
        return True
    if today == lines and len(found) == len(places):
        return True
    print(*difflib.unified_diff(lines, today, page, "what runs today", lineterm="", n=1), errors, sep="\n")
    return False


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--update", action="store_true")
    options.add_argument("--gpu", action="store_true")
    options.add_argument("--bin", type=pathlib.Path, required=True)
    options.add_argument("pages", nargs="+")
    asked = options.parse_args()
    kinds = ("console gpu",) if asked.gpu else ("console run",)
    return int(not all([check(page, asked, kinds) for page in asked.pages]))


if __name__ == "__main__":
    sys.exit(main())
