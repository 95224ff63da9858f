#!/usr/bin/env python3
"""Converts runs and accepted numbers of earlier versions: scripts/convert.py FOLDER...

Each FOLDER holds run folders (run.csv, env.csv) or accepted numbers (NAME.csv, NAME.env.csv) at any
depth. Files that are already converted stay as they are. A file whose digest did not match before
is named and left alone; the digests of the others are computed anew.

* time_ratio rows: the message is the partner's name, without "against ".
* env.csv: `timed` is `all` or `changed`; why, and the identical rows that are timed, have keys of
  their own. `segment_ms` is `sustained`. `suspect.*` keys are rows of log.jsonl.
* accepted numbers: GPU/SUITE.csv and GPU/CARD/SUITE.csv become rows of SUITE.csv, keyed by GPU.
"""
import csv
import io
import os
import re
import sys

HEADER = ("gpu,family,case,variant,metric,unit,value,low,high,n,status,message,"
          "tolerance,gate,beta,f0,sd_process,sd_day,expect,reason,origin,se,sd")
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


def line(fields):
    """As harness/util/csv_reader.c writes a row."""
    return ",".join('"' + f.replace('"', '""') + '"' if "," in f or '"' in f or f[:1] in (" ", "\t")
                    else f for f in fields) + "\n"


def fact(gpu, key, value):
    return [gpu, "", "", "", key] + [""] * 6 + [value] + [""] * 11


def rows_of(key, tables, facts):
    """Facts and rows of accepted numbers with the key of their GPU."""
    judged, *counters = [list(csv.reader(io.StringIO(text)))[1:] for text in tables]
    all_from = facts.get("accepted_runs", "1") + ":" + facts.get("accepted_units", "unknown")
    rows = [row[:11] + [""] + [row[12]] + [""] * 3 + [row[11], "", row[13], "", "", ""]
            for row in sum(counters, [])]
    for row in judged:
        is_time = row[3] in ("time", "time_ratio")
        origin = facts.get("accepted." + ".".join(row[:3]), all_from) if is_time else ""
        rows.append(row[:19] + [origin] + row[19:])
    kept = {k: v for k, v in facts.items() if k != "digest" and not k.startswith("accepted.")}
    kept["schema"] = "5"
    return [fact(key, k, v) for k, v in kept.items()] + [[key] + row for row in sorted(rows)]


def join_numbers(stem, paths, tables, facts):
    """Three files a suite and GPU become rows of one file a suite, which has all GPUs."""
    folder = os.path.dirname(stem)
    is_card = os.path.basename(folder) == facts.get("accepted_units")
    key = facts["accepted_units" if is_card else "gpu"]
    up = 2 if is_card else 1 if os.path.basename(folder) == key else 0
    path = os.path.normpath(os.path.join(folder, *[os.pardir] * up, facts["suite"] + ".csv")
                            if up else stem + "csv")
    others = []
    if up and os.path.exists(path):
        others = [row for row in list(csv.reader(io.StringIO(read(path))))[1:]
                  if row[0] not in ("", key)]
    rows = [HEADER.split(",")] + sorted(others + rows_of(key, tables, facts), key=lambda r: r[0])
    text = "".join(map(line, rows))
    write(path, text + line(fact("", "digest", digest([text], []))))
    for old in set(paths + [stem + "env.csv"]) - {path}:
        os.remove(old)


def convert(env_path):
    """True unless the digest of the files is wrong."""
    stem = env_path[:-len("env.csv")]
    is_run = stem.endswith("/")
    paths = [stem + "run.csv"] if is_run else [stem + "csv", stem + "counters.csv"]
    paths = [path for path in paths if os.path.exists(path)]
    tables = [read(path) for path in paths]
    header, *facts = csv.reader(io.StringIO(read(env_path)))
    facts = [tuple(fact) for fact in facts]
    was = dict(facts).get("digest")
    if was and was != digest(tables, facts):
        return False
    new = [RATIO.sub(r"\1\2", text) for text in tables]
    changed = list(new_facts(facts))
    if not is_run:
        join_numbers(stem, paths, new, dict(changed))
    elif new != tables or changed != facts:
        for path, text in zip(paths, new):
            write(path, text)
        write(env_path, line(header) + "".join(
            line((k, digest(new, changed) if k == "digest" else v)) for k, v in changed))
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
