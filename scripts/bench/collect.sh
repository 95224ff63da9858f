#!/bin/sh
# collect.sh [--bin=DIR] [--suite=smoke] [--metrics=all] [--repeat=3] [--out=DIR] -
# how long the same counters take.
#
# Needs what ncu_crosscheck.sh needs. Every item of the suite that comes out right is
# counted: by the count phase of a whole `solgate run`, by one solgate-worker (--pass=count),
# and by one ncu around one worker that prepares the same items in the same order and
# launches each once, which is the least that ncu can be asked. Prints the median wall times
# (of the run: the one) and the ratios.
set -eu

scripts=$(cd "$(dirname "$0")/.." && pwd)
bin=$scripts/../build-release/bin
suite=smoke
metrics=all
repeat=3
out=out/bench_collect
for argument in "$@"; do
  case $argument in
    --bin=?*) bin=${argument#--bin=} ;;
    --suite=?*) suite=${argument#--suite=} ;;
    --metrics=?*) metrics=${argument#--metrics=} ;;
    --repeat=?*) repeat=${argument#--repeat=} ;;
    --out=?*) out=${argument#--out=} ;;
    *)
      echo "collect.sh: unknown argument $argument (known: --bin= --suite= --metrics= --repeat= --out=)" >&2
      exit 4
      ;;
  esac
done

# 5: a variant of the suite came out wrong, which costs no time here.
passes="0 5"
# shellcheck source=scripts/lib/bench_lib.sh
. "$scripts/lib/bench_lib.sh"

mkdir -p "$out"
"$bin/solgate" list metrics --format=csv >"$out/metrics.csv"
rm -rf "$out/run"
# Each line with the time it came: what a run says when a phase begins is how long the phases took.
{
  "$bin/solgate" run "$suite" --metrics="$metrics" --out="$out/run" 2>&1 || echo "left with $?"
  echo "end"
} | while IFS= read -r line; do
  echo "$(date +%s.%N) $line"
done >"$out/run.log"
if [ ! -s "$out/run/run.csv" ] || grep -q ' left with [^5]' "$out/run.log"; then
  tail -n 20 "$out/run.log" >&2
  exit 3
fi
phase_s=$(awk '$2 == "count:" { begun = $1 } $2 == "end" { if (begun) printf "%.3f", $1 - begun; else exit 1 }' "$out/run.log") || {
  echo "collect.sh: no line \"count: ...\" in $out/run.log" >&2
  exit 3
}
run=$out/run/run.csv

set --
awk -v any_kernels=1 -f "$scripts/lib/csv.awk" -f "$scripts/lib/items.awk" "$run" >"$out/items.txt"
while read -r item; do
  set -- "$@" --item="$item"
done <"$out/items.txt"
items=$#
for module in $(printf '%s\n' "$@" | sed 's|^--item=\([^/]*\)/.*|\1|' | sort -u); do
  set -- "$@" --module="$bin/libsg_$module.so"
done
l2=$(sed -n 's/^l2,//p' "$out/run/env.csv")
set -- "$@" --seed=1 --l2="$l2"
chip=$(sed -n 's/^chip,//p' "$out/run/env.csv")
names=$(awk -v chip="$chip" -v plain=1 -f "$scripts/lib/csv.awk" -f "$scripts/lib/cupti_names.awk" "$out/metrics.csv" "$run")
cupti=$(awk -v chip="$chip" -f "$scripts/lib/csv.awk" -f "$scripts/lib/cupti_names.awk" "$out/metrics.csv" "$run")
counted=""
for name in $names; do
  counted="$counted --metric=$name"
done

# shellcheck disable=SC2086 # one word a metric
count_s=$(median count "$bin/solgate-worker" --pass=count "$@" $counted)
# shellcheck disable=SC2086
five_s=$(median five "$bin/solgate-worker" --pass=count "$@" $counted --repeats=5)
ncu_s=$(median ncu ncu --clock-control none --cache-control none --csv --print-units base --log-file "$out/ncu.csv" \
  --metrics "$cupti" "$bin/solgate-worker" --pass=launch "$@")

passes=$(awk -F, '$4 == "count_passes" { print $6 }' "$run" | sort -n | tail -n 1)
echo "Counters of the suite $suite, metrics $metrics ($(echo "$names" | wc -w) counters, at most $passes passes), $items items; median of $repeat; $(date -u +%Y-%m-%d)"
echo
echo "| what | wall time | against solgate's count phase |"
echo "|---|---|---|"
awk -v phase="$phase_s" -v count="$count_s" -v five="$five_s" -v ncu="$ncu_s" 'BEGIN {
  printf "| count phase of solgate run | %.2f s | 1 |\n", phase
  printf "| one solgate-worker --pass=count | %.2f s | %.2f |\n", count, count / phase
  printf "| the same with five counts of each item, which have a spread | %.2f s | %.2f |\n", five, five / phase
  printf "| one ncu around one worker that launches every item once | %.2f s | %.2f |\n", ncu, ncu / phase
}'
