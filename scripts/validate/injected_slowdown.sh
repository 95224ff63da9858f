#!/bin/sh
# injected_slowdown.sh [--truth=FILE] [--out=DIR] RUN... - slowdowns of known size, read against
# true. Needs no GPU and nothing built.
#
# RUN: folders of runs of the family injected (solgate run calibration --out=RUN). Prints tables in
# markdown: slope of read on true and share of intervals that cover the truth, a case and over all.
# --out: the same in DIR/slopes.md, the ratios in DIR/slopes.tsv, and a chart of them in
# DIR/slopes.png and DIR/slopes.svg. Exit 1 when a slope over all cases is not within 1 +- 0.03.
set -eu
export LC_ALL=C

scripts=$(cd "$(dirname "$0")/.." && pwd)
truth=$scripts/../tests/data/injected/truth.csv
out=
runs=0
for argument in "$@"; do
  shift
  case $argument in
    --truth=?*) truth=${argument#--truth=} ;;
    --out=?*) out=${argument#--out=} ;;
    -*)
      echo "injected_slowdown.sh: unknown argument $argument (known: --truth= --out=, and folders of runs)" >&2
      exit 4
      ;;
    *)
      if [ ! -r "$argument/run.csv" ]; then
        echo "injected_slowdown.sh: $argument: expected the folder of a run, found no run.csv in it" >&2
        exit 4
      fi
      # A path that looks like an assignment would be one to awk.
      case $argument in
        /*) set -- "$@" "$argument/run.csv" ;;
        *) set -- "$@" "./$argument/run.csv" ;;
      esac
      runs=$((runs + 1))
      ;;
  esac
done
if [ "$runs" = 0 ]; then
  echo "injected_slowdown.sh: expected at least one folder of a run, found none" >&2
  exit 4
fi
if [ ! -r "$truth" ]; then
  echo "injected_slowdown.sh: $truth: expected the table of truths, found none" >&2
  exit 4
fi

if [ -z "$out" ]; then
  exec awk -v truth="$truth" -f "$scripts/lib/csv.awk" -f "$scripts/validate/injected_slowdown.awk" "$@"
fi
command -v gnuplot >/dev/null 2>&1 || {
  echo "injected_slowdown.sh: no gnuplot to draw with: install gnuplot-nox, or leave --out away" >&2
  exit 3
}
mkdir -p "$out"
code=0
awk -v truth="$truth" -v data="$out/slopes.tsv" -f "$scripts/lib/csv.awk" -f "$scripts/validate/injected_slowdown.awk" "$@" >"$out/slopes.md" || code=$?
cat "$out/slopes.md"
[ "$code" -le 1 ] || exit "$code"
cases=$(awk -F, -v data="$out/slopes.tsv" '
  BEGIN { while ((getline line < data) > 0) { split(line, fields, "\t"); drawn[fields[2]] = 1 } }
  FNR > 1 && ($1 in drawn) { print $1; delete drawn[$1] }' "$truth" | tr '\n' ' ')
for format in png svg; do
  # In a locale without UTF-8 it warns of a degree sign that nobody draws.
  gnuplot -d -c "$scripts/validate/injected_slowdown.gp" "$format" "$out/slopes.$format" "$out/slopes.tsv" "$cases" 2>"$out/slopes.log" || {
    cat "$out/slopes.log" >&2
    exit 3
  }
  rm "$out/slopes.log"
done
exit "$code"
