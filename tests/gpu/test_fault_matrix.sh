#!/bin/sh
# Work in another stream, of the candidate, the baseline and the vendor's variant: the cells of
# tests/cli/test_run_fault_matrix.sh that need a GPU. Each run ends by itself with the exit
# code that is declared here; the neighbours' rows are all there, with the statuses and, within
# their intervals, the ratios of a run without the offender. Streams count where work is timed: a
# launch that is verified or counted is waited for in all of them.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

run() { # FOLDER
  "$bin/solgate" run adversary --case=small --variant=baseline --variant=honest_simt --variant=cublas --variant=honest_two_kernels --out="$work/$1" \
    >"$work/$1.said" 2>&1
}

# same FOLDER OFFENDER: rows of its neighbours against those of the run without
same() {
  awk -F, -v offender="$2" '
    { key = $3 "," $4 }
    $3 == offender || (offender == "baseline" && $4 ~ /^(time|time_ratio|sm_clock|sol_time|sol_gap)$/) { next }
    NR == FNR { status[key] = $10; low[key] = $7; high[key] = $8; next }
    { seen[key] = 1 }
    !(key in status) || status[key] != $10 { print "row " key " is " $10 ", without the offender " status[key] }
    $4 == "time_ratio" && (($7 > high[key]) || ($8 < low[key])) { print key ": [" $7 ", " $8 "] beside [" low[key] ", " high[key] "]" }
    END { for (key in status) if (!(key in seen)) print "no row " key }
  ' "$work/clean/run.csv" "$work/$1/run.csv" >"$work/differences"
  [ ! -s "$work/differences" ] || fail "$1: $(head -n 3 "$work/differences")"
}

# cell VARIANT PASS EXIT STATUS
cell() {
  name=$1_$2
  SG_CUDA_FAULT="$1=stream@$2" run "$name"
  code=$?
  [ "$code" = "$3" ] || fail "$name: exit $code, expected $3: $(tail -n 1 "$work/$name.said")"
  grep -q '^state,finished' "$work/$name/env.csv" || fail "$name: the run did not end by itself"
  found=$(awk -F, -v who="$1" '$3 == who && $4 == "status" { print $10 }' "$work/$name/run.csv")
  [ "$found" = "$4" ] || fail "$name: expected $1 $4, found '$found'"
  same "$name" "$1"
  echo "$name: exit $code, $found"
}

run clean || fail "a run without faults: $(tail -n 1 "$work/clean.said")"
cell honest_simt verify 0 ok
cell honest_simt time 5 misplaced
cell baseline time 5 misplaced
cell cublas count 0 ok
[ "$failures" = 0 ]
