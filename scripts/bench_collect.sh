#!/bin/sh
# bench_collect.sh [--bin=DIR] [--suite=smoke] [--metrics=mission] [--repeat=3] [--out=DIR] - how long the same counters take.
#
# Needs what crosscheck_ncu.sh needs. Every item of the suite that comes out right is counted: by one solgate-worker (--pass=count), by the
# count phase of a whole `solgate run` (its wall time less that of a run that counts nothing), and by one ncu around one worker that prepares
# the same items in the same order and launches each once, which is the least that ncu can be asked. Prints the median wall times and the ratios.
set -eu

scripts=$(cd "$(dirname "$0")" && pwd)
bin=$scripts/../build-release/bin
suite=smoke
metrics=mission
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
      echo "bench_collect.sh: unknown argument $argument (known: --bin= --suite= --metrics= --repeat= --out=)" >&2
      exit 4
      ;;
  esac
done

# Runs a command and leaves its wall time in seconds in `elapsed`.
timed() {
  log=$1
  shift
  begin=$(date +%s.%N)
  "$@" >"$log" 2>&1 3>"$log.said" || {
    code=$?
    # 5: a variant of the suite came out wrong, which costs no time here.
    if [ "$code" != 5 ]; then
      echo "bench_collect.sh: failed with $code: $1; the end of $log:" >&2
      tail -n 20 "$log" >&2
      exit 3
    fi
  }
  elapsed=$(echo "$begin $(date +%s.%N)" | awk '{ printf "%.3f", $2 - $1 }')
}

# Median of the repeats of a command.
median() {
  name=$1
  shift
  round=1
  : >"$out/$name.times"
  while [ "$round" -le "$repeat" ]; do
    timed "$out/$name.log" "$@"
    echo "$elapsed" >>"$out/$name.times"
    round=$((round + 1))
  done
  sort -n "$out/$name.times" | sed -n "$(((repeat + 1) / 2))p"
}

mkdir -p "$out"
"$bin/solgate" list metrics --format=csv >"$out/metrics.csv"
rm -rf "$out/run"
timed "$out/run.log" "$bin/solgate" run "$suite" --metrics="$metrics" --out="$out/run"
run_s=$elapsed
run=$out/run/run.csv

set --
awk -v any_kernels=1 -f "$scripts/csv.awk" -f "$scripts/items.awk" "$run" >"$out/items.txt"
while read -r item; do
  set -- "$@" --item="$item"
done <"$out/items.txt"
items=$#
for module in $(printf '%s\n' "$@" | sed 's|^--item=\([^/]*\)/.*|\1|' | sort -u); do
  set -- "$@" --module="$bin/libsg_$module.so"
done
l2=$(awk -F, '$1 == "l2" { print $2 }' "$out/run/env.csv")
set -- "$@" --seed=1 --l2="$l2"
names=$(awk -v plain=1 -f "$scripts/csv.awk" -f "$scripts/cupti_names.awk" "$out/metrics.csv" "$run")
cupti=$(awk -f "$scripts/csv.awk" -f "$scripts/cupti_names.awk" "$out/metrics.csv" "$run")
counted=""
for name in $names; do
  counted="$counted --metric=$name"
done

# shellcheck disable=SC2086 # one word a metric
count_s=$(median count "$bin/solgate-worker" --pass=count "$@" $counted)
ncu_s=$(median ncu ncu --clock-control none --cache-control none --csv --print-units base --log-file "$out/ncu.csv" \
  --metrics "$cupti" "$bin/solgate-worker" --pass=launch "$@")

passes=$(awk -F, '$4 == "count_passes" { print $6 }' "$run" | sort -n | tail -n 1)
echo "Counters of the suite $suite, metrics $metrics ($(echo "$names" | wc -w) counters, at most $passes passes), $items items; median of $repeat; $(date -u +%Y-%m-%d)"
echo
echo "| what | wall time | against solgate's count pass |"
echo "|---|---|---|"
awk -v count="$count_s" -v ncu="$ncu_s" -v run="$run_s" 'BEGIN {
  printf "| solgate-worker --pass=count | %.2f s | 1 |\n", count
  printf "| one ncu around one worker that launches every item once | %.2f s | %.1f |\n", ncu, ncu / count
  printf "| for scale: the whole solgate run (verify, time and count) | %.2f s | %.1f |\n", run, run / count
}'
