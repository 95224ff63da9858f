#!/usr/bin/env python3
"""Converts runs and accepted numbers of earlier versions: scripts/convert.py FOLDER...

Each FOLDER holds run folders (run.csv, env.csv) or accepted numbers (NAME.csv, NAME.env.csv) at any
depth. Files that are already converted stay as they are. A file whose digest did not match before
is named and left alone; the digests of the others are computed anew.

* time_ratio rows: the message is the partner's name, without "against ".
* env.csv: `timed` is `all` or `changed`; why, and the identical rows that are timed, have keys of
  their own. `segment_ms` is `sustained`. `suspect.*` keys are rows of log.jsonl.
"""
import csv
import io
import os
import re
import sys

RATIO = re.compile(
    r"^([^,]*,[^,]*,[^,]*,time_ratio,(?:[^,]*,){6})against ([a-z0-9_]+)(?=[,\r\n])", re.M)


def digest(tables, facts):
    """FNV-1a of the tables' text and of all facts but the digest, as harness/util/digest.c."""
    state = 0xCBF29CE484222325
    words = [word for fact in facts if fact[0] != "digest" for word in fact]
    for byte in b"".join([text.encode() for text in tables] + [w.encode() + b"\0" for w in words]):
        state = (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return "%016x" % state


def new_facts(facts):
    for key, value in facts:
        if key == "timed" and value.startswith("changed, and "):
            yield from ((key, "changed"), ("timed_drawn", value[len("changed, and "):].strip("+")))
        elif key == "timed" and value.startswith("all: "):
            yield from ((key, "all"), ("timed_why", value[len("all: "):]))
        elif key == "segment_ms":
            yield "sustained", "yes"
        elif not key.startswith("suspect."):
            yield key, value


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path + ".new", "w", newline="", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def convert(env_path):
    """True unless the digest of the files is wrong."""
    stem = env_path[:-len("env.csv")]
    paths = [stem + "run.csv"] if stem.endswith("/") else [stem + "csv", stem + "counters.csv"]
    paths = [path for path in paths if os.path.exists(path)]
    tables = [read(path) for path in paths]
    header, *facts = csv.reader(io.StringIO(read(env_path)))
    facts = [tuple(fact) for fact in facts]
    was = dict(facts).get("digest")
    if was and was != digest(tables, facts):
        return False
    new = [RATIO.sub(r"\1\2", text) for text in tables]
    changed = list(new_facts(facts))
    if new == tables and changed == facts:
        return True
    changed = [(k, digest(new, changed) if k == "digest" else v) for k, v in changed]
    for path, text in zip(paths, new):
        write(path, text)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header] + changed)
    write(env_path, out.getvalue())
    return True


def main(folders):
    found = [os.path.join(folder, name) for given in folders for folder, _, names in os.walk(given)
             for name in sorted(names) if name == "env.csv" or name.endswith(".env.csv")]
    bad = [path for path in found if not convert(path)]
    for path in bad:
        print(f"{path}: expected the digest of its files, found another digest: not converted; "
              "see `solgate accepted seal`", file=sys.stderr)
    if not found:
        print(f"expected env.csv in {' '.join(folders) or 'FOLDER...'}, found none",
              file=sys.stderr)
    return 3 if bad else 0 if found else 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
