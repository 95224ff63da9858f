#!/usr/bin/env python3
"""blocks.py [--update] [--gpu] --bin=BIN PAGE... - runs the command blocks of pages, and compares
their output. --update writes today's output into the pages instead.

    ```console run      commands after "$ ", each with all that it prints to stdout
    ```console gpu      the same on a GPU (--gpu), where numbers differ
    ```console setup    installs or builds; other tests run these scripts
    ```LANGUAGE FILE    a file that later commands use

A page is one shell in a new folder, to which each section (##) returns; tests/ and examples/
are the tree's, python3 is the one that runs this script. A line "..." stands for any lines. Dates,
times and commits differ. Exit 1 with the difference."""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
MARK = "\x1e"
FENCE = re.compile(r"^## |^```(\w+) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
VARIES = r"\d{4}-\d\d-\d\d|\b\d{8}T\d{6}Z|gate-\w{6}\b|\b(?=[a-f]*\d)[0-9a-f]{7,40}(?:-dirty)?\b"


def shell(text, kind):
    """The script of a page, which prints MARK before each command."""
    script = ["top=$PWD"]
    for language, word, body in (found.groups() for found in FENCE.finditer(text)):
        if language is None:
            script.append('cd "$top"')
        elif language != "console":
            script.append(f"mkdir -p '{os.path.dirname(word) or '.'}'; cat >'{word}' <<'END_OF_FILE'\n{body}END_OF_FILE")
        elif word == kind:
            script += [f"printf '{MARK}'\n{command}" for command, _ in COMMAND.findall(body)]
    return "\n".join(script)


def run(script, binaries, folder):
    """What each command printed, with paths relative to the tree, and the errors of all."""
    work = folder / "page"
    work.mkdir()
    for name in ("tests", "examples"):
        (work / name).symlink_to(TREE / name)
    (folder / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "python3").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SOLGATE_", "SG_", "CUDACXX"))}
    # Without nvcc, to save time.
    kept |= {"PATH": ":".join([str(folder), str(binaries), *(of for of in os.environ["PATH"].split(":") if not os.path.exists(f"{of}/nvcc"))]),
             "PYTHONPATH": str(TREE / "python"), "PYTHONDONTWRITEBYTECODE": "1", "SOLGATE_BUILDS": str(folder / "store"), "GIT_CONFIG_GLOBAL": "/dev/null",
             "CMAKE_BUILD_TYPE": "Release"} | {f"GIT_{who}": "a" for who in ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")}  # fmt: skip
    done = subprocess.run(["sh", "-c", script], cwd=work, env=kept, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.stdout.replace(f"{TREE}/", "").replace(f"{work}/", "").split(MARK)[1:], done.stderr


def check(page, asked):
    text, kind = (TREE / page).read_text(), "gpu" if asked.gpu else "run"
    with tempfile.TemporaryDirectory() as folder:
        printed, errors = run(shell(text, kind), asked.bin.resolve(), pathlib.Path(folder))
    printed = iter(printed)

    def masked(line):
        return re.sub(VARIES + (r"|[ +-]*\d[\d.,]*" if asked.gpu else ""), "#", line)

    def today(command):
        new = next(printed, "the shell ended before\n")
        pattern = "".join(r"(?:.*\n)*" if line == "...\n" else re.escape(masked(line)) for line in command[2].splitlines(True))
        return command[0] if re.fullmatch(pattern, masked(new)) else f"$ {command[1]}\n{new}"

    now = FENCE.sub(lambda block: COMMAND.sub(today, block[0]) if block.group(1, 2) == ("console", kind) else block[0], text)
    if asked.update:
        (TREE / page).write_text(now)
    elif now != text:
        print(*difflib.unified_diff(text.split("\n"), now.split("\n"), page, "what runs today", lineterm="", n=1), errors, sep="\n")
    return asked.update or now == text


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    for switch in ("--update", "--gpu"):
        options.add_argument(switch, action="store_true")
    options.add_argument("--bin", type=pathlib.Path, required=True)
    options.add_argument("pages", nargs="+")
    asked = options.parse_args()
    return int(not all([check(page, asked) for page in asked.pages]))


if __name__ == "__main__":
    sys.exit(main())
