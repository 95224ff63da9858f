#!/bin/sh
# crosscheck_ncu.sh [--bin=DIR] [--suite=crosscheck] [--metrics=mission] [--run=DIR] [--out=DIR] - the same counters by solgate and by ncu.
#
# Needs a GPU whose counters may be read, ncu on PATH, and the built programs in DIR (build-release/bin); no compiler. Takes every variant of
# the families reference and matvec that came out right, with the first of its cases, at least six; prints a markdown table (also in
# OUT/crosscheck.md); ncu runs twice, because what it does not repeat itself is no mistake of solgate; exit 1 if a metric differs by more than its rule allows and scripts/crosscheck_explained.csv does not say why.
# The run is made with a warm L2, because ncu repeats the kernel without flushing between its passes: --cache-control none.
set -eu

scripts=$(cd "$(dirname "$0")" && pwd)
bin=$scripts/../build-release/bin
suite=crosscheck
metrics=mission
run=
out=out/crosscheck
for argument in "$@"; do
  case $argument in
    --bin=?*) bin=${argument#--bin=} ;;
    --suite=?*) suite=${argument#--suite=} ;;
    --metrics=?*) metrics=${argument#--metrics=} ;;
    --run=?*) run=${argument#--run=} ;;
    --out=?*) out=${argument#--out=} ;;
    *)
      echo "crosscheck_ncu.sh: unknown argument $argument (known: --bin= --suite= --metrics= --run= --out=)" >&2
      exit 4
      ;;
  esac
done

need_tools() {
  for tool in "$bin/solgate" "$bin/solgate-worker" ncu awk; do
    command -v "$tool" >/dev/null 2>&1 || {
      echo "crosscheck_ncu.sh: $tool is not there" >&2
      exit 3
    }
  done
}

# The suite as it is, but with caches as ncu finds them.
measure() {
  run=$out/run
  sed 's/^l2 .*/l2 = warm/' "$scripts/../kernels/suites/$suite.suite" >"$out/${suite}_warm.suite"
  code=0
  "$bin/solgate" run "$out/${suite}_warm.suite" --metrics="$metrics" --out="$run" >"$out/run.txt" || code=$?
  case $code in
    0 | 5) ;;
    *) exit "$code" ;;
  esac
}

# All CUPTI names of the run's counters, joined by commas.
cupti_names() {
  awk -v chip="$chip" -f "$scripts/csv.awk" -f "$scripts/cupti_names.awk" "$out/metrics.csv" "$run/run.csv"
}

# ncu sees one launch; descriptor 3 is where a worker answers.
count_with_ncu() {
  ncu --clock-control none --cache-control none --csv --print-units base --log-file "$2" --metrics "$(cupti_names)" \
    "$bin/solgate-worker" --pass=launch --module="$bin/libsg_${1%%/*}.so" --item="$1" --seed=1 --l2=warm >"$2.out" 2>&1 3>"$2.said" || {
    echo "crosscheck_ncu.sh: ncu failed for $1:" >&2
    tail -n 20 "$2" "$2.out" >&2
    exit 3
  }
}

compare_item() {
  slug=$(echo "$1" | tr / .)
  count_with_ncu "$1" "$out/ncu.$slug.csv"
  count_with_ncu "$1" "$out/again.$slug.csv"
  awk -v item="$1" -v chip="$chip" -v metrics="$out/metrics.csv" -v explained="$scripts/crosscheck_explained.csv" -v run="$run/run.csv" \
    -v ncu="$out/ncu.$slug.csv" -v again="$out/again.$slug.csv" -f "$scripts/csv.awk" -f "$scripts/crosscheck.awk" >"$out/rows.$slug.md"
}

need_tools
mkdir -p "$out"
"$bin/solgate" list metrics --format=csv >"$out/metrics.csv"
[ -n "$run" ] || measure
chip=$(sed -n 's/^chip,//p' "$run/env.csv")
items=$(awk -v families=reference,matvec -v once=1 -f "$scripts/csv.awk" -f "$scripts/items.awk" "$run/run.csv")
if [ "$(echo "$items" | wc -w)" -lt 6 ]; then
  echo "crosscheck_ncu.sh: at least six kernels are wanted; counted and right in $run: $items" >&2
  exit 3
fi
for item in $items; do
  compare_item "$item"
done

table=$out/crosscheck.md
{
  echo "Counters of solgate and of ncu, $(ncu --version | sed -n 's/^Version //p'), $(date -u +%Y-%m-%d); metrics: $metrics, L2 warm."
  echo
  echo "| kernel | ok | explained | exceptions |"
  echo "|---|---|---|---|"
  for item in $items; do
    sed -n "s|^totals \([0-9]*\) \([0-9]*\) \([0-9]*\)|\| $item \| \1 \| \2 \| \3 \||p" "$out/rows.$(echo "$item" | tr / .).md"
  done
  echo
  echo "| kernel | metric | solgate | ncu | ncu again | difference | rule | result |"
  echo "|---|---|---|---|---|---|---|---|"
  for item in $items; do
    grep -v '^totals ' "$out/rows.$(echo "$item" | tr / .).md"
  done
} >"$table"
cat "$table"
! grep -q '| EXCEPTION |$' "$table"
