"""What the studies share: reading CSV with the place of a mistake, programs, markdown tables."""
import argparse
import csv
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fail(message, code=3):
    sys.exit(print(f"{os.path.basename(sys.argv[0])}: {message}", file=sys.stderr) or code)


def parser(doc, **defaults):
    """Options of a study: --bin and --out, which all of them have, and those of `defaults`."""
    options = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", default=os.path.join(ROOT, "build-release", "bin"), help="folder of the programs")
    for name, value in defaults.items():
        options.add_argument("--" + name, default=value, type=type(value), help=f"default {value}")
    return options


def rows(path, columns):
    """Rows of a CSV file as dictionaries; it has to have these columns."""
    try:
        with open(path, newline="") as file:
            reader = csv.DictReader(file, strict=True)
            for name in columns.split():
                if name not in (reader.fieldnames or []):
                    fail(f"{path}:1: expected a column {name}, found {reader.fieldnames}")
            found = list(reader)
    except (OSError, csv.Error) as error:
        fail(f"{path}: {error}")
    for at, row in enumerate(found):
        if None in row or None in row.values():
            fail(f"{path}: row {at + 1}: expected {len(reader.fieldnames)} fields, found {row}")
    return found


def facts(run):
    return {row["key"]: row["value"] for row in rows(os.path.join(run, "env.csv"), "key value")}


def run(command, log, codes=(0,), **more):
    """Runs a command with its output in a file; its exit code has to be one of these."""
    with open(log, "w") as file:
        code = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **more).returncode
    if code not in codes:
        with open(log) as file:
            fail(f"{' '.join(command)}: exit {code}: {''.join(file.readlines()[-5:])}")
    return code


def markdown(title, lines):
    yield f"| {' | '.join(title)} |"
    yield "|---" * len(title) + "|"
    for line in lines:
        yield f"| {' | '.join(str(cell) for cell in line)} |"
