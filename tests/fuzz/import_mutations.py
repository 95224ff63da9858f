#!/usr/bin/env python3
"""import_mutations.py BIN N [SEED [NAME]] - N mutations of each file of tests/data/import, or of NAME: bytes,
JSON values of another type, fields of CSV. `solgate import` makes a run of each, every second one beside
the file itself, or says file and line, exit code 0 or 4; with BIN of the preset `sanitize` the
sanitizers watch. Prints one line; exit 0 if that holds."""
import os
import random
import re
import subprocess
import sys
import tempfile

VALUES = ["null", "true", "[]", "{}", "[null]", '""', '"x"', '"-nan"', '"1"', "0", "-1", "1e999", "12345678901234567890123"]
FIELDS = ["", "-nan", "inf", "n/a", "0", "-1", "1,5", "1.234", "1 234", "1e400", '"', "x" * 300, "(1, 2", "\xff"]
JSON_VALUE = re.compile(r'(?<=[:\[,])\s*("(?:[^"\\]|\\.)*"|-?[0-9.eE+-]+|true|false|null|\{|\[)')


def mutate(text, name, rng):
    kind = rng.randrange(5)
    at = rng.randrange(len(text))
    if kind == 0:
        return text[:at] + rng.choice(["", "\0", '"', "{", "]", "\n", ",", "\xe2\x80"]) + text[at + rng.randrange(1, 40):]
    if kind == 1:
        return text[:at]
    if kind == 2:
        return text[:at] + text[at - rng.randrange(min(at, 200) + 1):]
    if name.endswith(".csv"):
        parts = re.split(r"([,\n])", text)
        parts[2 * rng.randrange(len(parts) // 2 + 1)] = rng.choice(FIELDS)
        return "".join(parts)
    found = rng.choice(list(JSON_VALUE.finditer(text)))
    end = found.end(1)
    depth = {"{": "}", "[": "]"}.get(found.group(1))
    if depth:  # the whole value, by brackets: those in strings only make another mutation
        level, end = 1, found.end(1)
        while level and end < len(text):
            level += {found.group(1): 1, depth: -1}.get(text[end], 0)
            end += 1
    return text[:found.start(1)] + rng.choice(VALUES) + text[end:]


def main():
    program, count = os.path.join(sys.argv[1], "solgate"), int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    tree = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    data = os.path.join(tree, "tests", "data", "import")
    env = dict(os.environ, SOLGATE_HOME=tree)
    bad = taken = tried = 0
    with tempfile.TemporaryDirectory() as work:
        for name in sorted(os.listdir(data)):
            if "_" not in name or name not in (sys.argv[4:] or [name]) or not name.endswith((".csv", ".json", ".hatchet")):
                continue
            with open(os.path.join(data, name), encoding="latin-1") as file:
                text = file.read()
            for i in range(count):
                path = os.path.join(work, name)
                with open(path, "w", encoding="latin-1", newline="") as file:
                    file.write(mutate(text, name, rng))
                done = subprocess.run([program, "import", *[os.path.join(data, name)][:i % 2], path, f"--out={work}/out.{name}"], env=env, capture_output=True, timeout=60)
                said = done.stderr.decode(errors="replace")
                tried += 1
                taken += done.returncode == 0
                if not (done.returncode == 0 or (done.returncode == 4 and re.search(re.escape(name) + r":\d+: ", said))):
                    bad += 1
                    os.replace(path, f"{tempfile.gettempdir()}/mutated.{i}.{name}")
                    print(f"FAIL: mutated.{i}.{name}: exit code {done.returncode}: {said[:600]}")
    print(f"{tried} mutations: {taken} taken, {tried - taken - bad} refused with file and line, {bad} neither")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
