#!/bin/sh
# ncu_crosscheck.sh [--bin=DIR] [--suite=crosscheck] [--metrics=all] [--run=DIR] [--out=DIR] - the
# same counters by solgate and by ncu.
#
# Needs a GPU whose counters may be read, ncu on PATH, and the built programs in DIR
# (build-release/bin); no compiler. Takes every variant of the families reference and matvec
# that came out right, with the first of its cases, at least six. Each tool counts three
# times: solgate in a run, made here unless --run names one, and in two workers more that
# count the same again; ncu around one launch, a process each time. Prints a markdown table
# (also in OUT/crosscheck.md) of medians and ranges; exit 1 if a counter differs by more than
# its rule allows and ncu_crosscheck_explained.csv does not account for that much. The rule is
# at the top of ncu_crosscheck.awk.
# The run is made with a warm L2, because ncu repeats the kernel without flushing between
# its passes: --cache-control none.
set -eu

scripts=$(cd "$(dirname "$0")/.." && pwd)
bin=$scripts/../build-release/bin
suite=crosscheck
metrics=all
repeats=3
run=
out=out/ncu_crosscheck
for argument in "$@"; do
  case $argument in
    --bin=?*) bin=${argument#--bin=} ;;
    --suite=?*) suite=${argument#--suite=} ;;
    --metrics=?*) metrics=${argument#--metrics=} ;;
    --run=?*) run=${argument#--run=} ;;
    --out=?*) out=${argument#--out=} ;;
    *)
      echo "ncu_crosscheck.sh: unknown argument $argument (known: --bin= --suite= --metrics= --run= --out=)" >&2
      exit 4
      ;;
  esac
done

need_tools() {
  for tool in "$bin/solgate" "$bin/solgate-worker" ncu awk; do
    command -v "$tool" >/dev/null 2>&1 || {
      echo "ncu_crosscheck.sh: $tool is not there" >&2
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

# fact KEY: what the run's env.csv says of it
fact() {
  sed -n "s/^$1,//p" "$run/env.csv"
}

# The items once more in OUT/again.N.said, as the run counted them: the same metrics, inputs and L2.
count_again() {
  repeat=$1
  set --
  for item in $items; do
    set -- "$@" --item="$item"
  done
  for family in $(printf '%s\n' "$items" | sed 's|/.*||' | sort -u); do
    set -- "$@" --module="$bin/libsg_$family.so"
  done
  for metric in $(fact metrics | tr + ' '); do
    set -- "$@" --metric="$metric"
  done
  "$bin/solgate-worker" --pass=count "$@" --seed="$(fact seed)" --l2="$(fact l2)" >"$out/again.$repeat.out" 2>&1 3>"$out/again.$repeat.said" || {
    echo "ncu_crosscheck.sh: solgate-worker failed to count again:" >&2
    tail -n 20 "$out/again.$repeat.out" "$out/again.$repeat.said" >&2
    exit 3
  }
}

# ncu sees one launch; descriptor 3 is where a worker answers.
count_with_ncu() {
  ncu --clock-control none --cache-control none --csv --print-units base --log-file "$2" --metrics "$cupti_names" \
    "$bin/solgate-worker" --pass=launch --module="$bin/libsg_${1%%/*}.so" --item="$1" --seed="$(fact seed)" --l2=warm >"$2.out" 2>&1 3>"$2.said" || {
    echo "ncu_crosscheck.sh: ncu failed for $1:" >&2
    tail -n 20 "$2" "$2.out" >&2
    exit 3
  }
}

# rows_of ITEM: where its part of the table is kept
rows_of() {
  echo "$out/rows.$(echo "$1" | tr / .).md"
}

compare_item() {
  ncu_prefix=$out/ncu.$(echo "$1" | tr / .)
  repeat=1
  while [ "$repeat" -le "$repeats" ]; do
    count_with_ncu "$1" "$ncu_prefix.$repeat.csv"
    repeat=$((repeat + 1))
  done
  awk -v item="$1" -v chip="$chip" -v repeats="$repeats" -v metrics="$out/metrics.csv" -v explained="$scripts/validate/ncu_crosscheck_explained.csv" \
    -v run="$run/run.csv" -v said="$out/again" -v ncu="$ncu_prefix" -f "$scripts/lib/csv.awk" -f "$scripts/validate/ncu_crosscheck.awk" >"$(rows_of "$1")"
}

need_tools
mkdir -p "$out"
"$bin/solgate" list metrics --format=csv >"$out/metrics.csv"
[ -n "$run" ] || measure
chip=$(fact chip)
items=$(awk -v families=reference,matvec -v once=1 -f "$scripts/lib/csv.awk" -f "$scripts/lib/items.awk" "$run/run.csv")
if [ "$(echo "$items" | wc -w)" -lt 6 ]; then
  echo "ncu_crosscheck.sh: at least six kernels are wanted; counted and right in $run: $items" >&2
  exit 3
fi
# All CUPTI names of the run's counters, joined by commas.
cupti_names=$(awk -v chip="$chip" -f "$scripts/lib/csv.awk" -f "$scripts/lib/cupti_names.awk" "$out/metrics.csv" "$run/run.csv")
repeat=2
while [ "$repeat" -le "$repeats" ]; do
  count_again "$repeat"
  repeat=$((repeat + 1))
done
for item in $items; do
  compare_item "$item"
done

table=$out/crosscheck.md
{
  echo "Counters of solgate and of ncu, $(ncu --version | sed -n 's/^Version //p'), $(date -u +%Y-%m-%d); metrics: $metrics, L2 warm; each counted" \
    "$repeats times: median [least, most]."
  echo
  echo "| kernel | ok | ok within spread | explained | exceptions |"
  echo "|---|---|---|---|---|"
  for item in $items; do
    sed -n "s|^totals \([0-9]*\) \([0-9]*\) \([0-9]*\) \([0-9]*\)$|\| $item \| \1 \| \2 \| \3 \| \4 \||p" "$(rows_of "$item")"
  done
  echo
  echo "| kernel | metric | solgate | ncu | difference of medians | rule | result |"
  echo "|---|---|---|---|---|---|---|"
  for item in $items; do
    grep -v '^totals ' "$(rows_of "$item")"
  done
} >"$table"
cat "$table"
! grep -q '| EXCEPTION |$' "$table"
