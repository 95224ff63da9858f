#!/bin/sh
# solgate import: another tool's results become a run that gap, compare and report read.
set -eu
solgate=$1/solgate
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() { echo "FAIL: $*" && failures=$((failures + 1)); }

cat >"$work/bench.csv" <<'CSV'
name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message
"BM_MatVec/512/8",1000,1.5,1.4,us,,,,,
"BM_Other",2000,20,19,ns,,,,,
CSV
"$solgate" import google_benchmark "$work/bench.csv" --gpu=h200 --out="$work/run" >/dev/null || fail "not imported"
grep -q '^google_benchmark,512_8,bm_matvec,time,ns,1500,' "$work/run/run.csv" || fail "no time in ns: $(cat "$work/run/run.csv")"
grep -q '^google_benchmark,all,bm_other,time,ns,20,' "$work/run/run.csv" || fail "no benchmark without arguments"
"$solgate" compare "$work/run" "$work/run" --format=csv >"$work/out" || fail "compare does not read it"
grep -q '^google_benchmark,512_8,bm_matvec,time,ns,1500,1500,0,' "$work/out" || fail "compare says: $(cat "$work/out")"

# told CODE WORDS COMMAND...: what cannot be done with it, and why
told() {
  wanted=$1 words=$2
  shift 2
  code=0
  "$solgate" "$@" 2>"$work/err" >/dev/null || code=$?
  [ "$code" = "$wanted" ] && grep -qF -e "$words" "$work/err" || fail "$*: exit code $code, $(cat "$work/err")"
}
told 3 'quoted times cannot be accepted: `solgate compare RUN OTHER`' compare "$work/run" --baselines="$work/accepted"
told 4 "expected a run that solgate measured" baseline accept "$work/run" --baselines="$work/accepted"

# refused SENTENCE WORDS ARGUMENTS...
refused() {
  sentence=$1 words=$2
  shift 2
  code=0
  "$solgate" import "$@" --out="$work/none" 2>"$work/err" >/dev/null || code=$?
  [ "$code" = 4 ] && grep -qF -e "$words" "$work/err" || fail "$sentence: exit code $code, $(cat "$work/err")"
  [ ! -e "$work/none" ] || fail "$sentence: a run all the same"
}
sed 's/,us,/,min,/' "$work/bench.csv" >"$work/minutes.csv"
refused "a unit that is none" "minutes.csv:2: time_unit: expected ns, us, ms or s, found 'min'" google_benchmark "$work/minutes.csv"
sed 1d "$work/bench.csv" >"$work/headless.csv"
refused "no header" "headless.csv:1: expected the column name" google_benchmark "$work/headless.csv"
sed 's/,1.5,/,-1.5,/' "$work/bench.csv" >"$work/negative.csv"
refused "a time below zero" "google_benchmark/512_8/bm_matvec time: value: expected a number, 0 or more, found '-1500'" \
  google_benchmark "$work/negative.csv"
refused "a GPU that is unknown" "h300" google_benchmark "$work/bench.csv" --gpu=h300
refused "a tool that is unknown" "; found 'stopwatch'" stopwatch "$work/bench.csv"

[ "$failures" = 0 ]
