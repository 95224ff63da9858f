#!/bin/sh
# other_rules_on_runs.sh [--build=DIR] [--truth=FILE] [--out=DIR] RUN... - the rules that people use
# beside solgate's, on batches of real runs.
#
# RUN: folders of finished runs (solgate run, solgate ab) that kept their samples.csv, which may be
# packed with gzip; best several of one build on one GPU, so that one of them can come after
# another. Pairs of known truth count: the families injected and reference, and every variant with
# itself. Needs a build with tests (default: build) and no GPU. Prints a table in markdown: of so
# many comparisons so many called slower. --out: the same in DIR/other_rules_on_runs.md, the
# numbers in DIR/other_rules_on_runs.csv.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build
truth=$here/../data/injected/truth.csv
out=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fail CODE WORDS
fail() {
  echo "other_rules_on_runs.sh: $2" >&2
  exit "$1"
}

# A run whose samples are packed is compared as a copy that is not.
unpacked() {
  if [ -r "$1/samples.csv.gz" ] && [ ! -e "$1/samples.csv" ]; then
    mkdir "$work/$2"
    cp "$1/env.csv" "$work/$2"
    gzip -dc "$1/samples.csv.gz" >"$work/$2/samples.csv" || fail 4 "$1/samples.csv.gz: expected a file packed with gzip"
    echo "$work/$2"
  else
    echo "$1"
  fi
}

runs=0
for argument in "$@"; do
  shift
  case $argument in
    --build=?*) build=${argument#--build=} ;;
    --truth=?*) truth=${argument#--truth=} ;;
    --out=?*) out=${argument#--out=} ;;
    -*) fail 4 "unknown argument $argument (known: --build= --truth= --out=, and folders of runs)" ;;
    *)
      [ -r "$argument/env.csv" ] || fail 4 "$argument: expected the folder of a run, found no env.csv in it"
      runs=$((runs + 1))
      folder=$(unpacked "$argument" "$runs")
      set -- "$@" "$folder"
      ;;
  esac
done
[ "$runs" != 0 ] || fail 4 "expected at least one folder of a run, found none"
[ -x "$build/tests/other_rules_on_runs" ] || fail 4 "$build: expected a build with tests, found no tests/other_rules_on_runs in it"

"$build/tests/other_rules_on_runs" "$truth" "$@" >"$work/other_rules_on_runs.csv"
awk -f "$here/../../scripts/lib/csv.awk" -f "$here/other_rules_on_runs.awk" "$work/other_rules_on_runs.csv" >"$work/other_rules_on_runs.md"
cat "$work/other_rules_on_runs.md"
if [ -n "$out" ]; then
  mkdir -p "$out"
  cp "$work/other_rules_on_runs.csv" "$work/other_rules_on_runs.md" "$out"
fi
