#!/bin/sh
# nightly.sh [SUITE...] [OPTION...] - sets up, builds, and runs `solgate nightly` with these suites
# and options. Default: the suite smoke, with output in out/nights of this tree. Exits with 77
# before building if no GPU answers.
#
# nightly.sh --recorded [--out=DIR] - for machines without a GPU: builds, then compares and reports
# the recorded H200 runs of tests/data/h200. Nothing is measured; the first line, the last line and
# every chart say so. Exits with 0 if the clean run passes and the slow run is regressed, otherwise
# with 1.
set -eu

tree=$(cd "$(dirname "$0")/.." && pwd)
solgate=$tree/build-release/bin/solgate
use="nightly.sh: to use solgate: export PATH=\"${solgate%/*}:\$PATH\""

build() {
  (cd "$tree" && scripts/setup --run-only && cmake --preset release && cmake --build --preset release "$@") && return
  echo "nightly.sh: not built, so nothing was measured or judged" >&2
  exit 3
}

# A hanging driver must not block the nightly run.
has_gpu() {
  if command -v nvidia-smi >/dev/null 2>&1; then
    timeout 60 nvidia-smi -L 2>/dev/null | grep -q '^GPU '
  else
    [ -e /dev/nvidia0 ]
  fi
}

# recorded_run NAME EXIT: compares and reports a run; false if an exit code is not as expected
recorded_run() {
  folder=$tree/tests/data/h200/$1
  date=$(sed -n 's/^date,//p' "$folder/env.csv")
  compared=0
  reported=0
  echo
  echo "== recorded H200 run '$1' of $date"
  "$solgate" compare "$folder" --baselines="$tree/baselines" || compared=$?
  "$solgate" report "$folder" --baselines="$tree/baselines" --note="recorded H200 run of $date, nothing was measured here" \
    --out="$out/$1" >/dev/null || reported=$?
  echo "charts and tables: $out/$1/index.html"
  [ "$compared" = "$2" ] && { [ "$reported" = 0 ] || [ "$reported" = "$2" ]; } && return
  echo "nightly.sh: the recorded $1 run: compare ended with $compared, report with $reported; expected $2" >&2
  return 1
}

recorded() {
  case "$# $*" in
    '0 ') out=$tree/out/recorded ;;
    '1 --out='?*) out=${1#--out=} ;;
    *)
      echo "nightly.sh: expected --recorded [--out=DIR], found --recorded $*" >&2
      exit 4
      ;;
  esac
  echo "nightly.sh: recorded H200 runs of tests/data/h200 (suite smoke), nothing is measured"
  build --target solgate solgate-worker sg_null sg_null_reference
  result=0
  recorded_run clean 0 || result=1
  recorded_run slow 1 || result=1
  printf '\n%s\n' "$use"
  echo "nightly.sh: recorded H200 runs only, nothing was measured: exit $result"
  exit $result
}

if [ "${1:-}" = --recorded ]; then
  shift
  recorded "$@"
fi
suite=smoke
out=--out=$tree/out/nights
for argument in "$@"; do
  case $argument in
    -h | --help)
      sed -n '2,/^set /s/^# *//p' "$0"
      exit 0
      ;;
    --out*) out= ;;
    -*) ;;
    *) suite= ;;
  esac
done
if ! has_gpu; then
  echo "nightly.sh: no GPU answers (nvidia-smi -L), so nothing was measured; --recorded compares recorded runs: exit 77" >&2
  exit 77
fi
build
echo "$use"
exec "$solgate" nightly $suite ${out:+"$out"} "$@"
