#!/bin/sh
# Counters by CUPTI's own names: --metrics=cupti:NAME. They are rows of that name in a run, in
# accepted numbers, explanations and reports.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
raw=cupti:dram__bytes_read.sum
SOLGATE_BASELINES=$work/baselines
export SOLGATE_BASELINES

run 0 null --case=tiny --variant=slower --metrics=$raw,instructions,cupti:none__such.sum --out="$work/run"
for row in "ok,$raw,1,4092,,,1,ok," "slower,$raw,1,5320,,,1,ok," "ok,cupti:none__such.sum,1,,,,1,unavailable,"; do
    grep -q "^null,tiny,$row" "$work/run/run.csv" || fail "run.csv has no row $row"
done
run 0 null --case=tiny --variant=slower --metrics=$raw,instructions,cupti:none__such.sum --out="$work/run" --resume
run 4 null --metrics='cupti:a b' --out="$work/wrong"
says "or cupti:NAME, found 'cupti:a b'"
names=$(seq -s, -f 'cupti:a%g' 1 65)
run 4 null --metrics="$names" --out="$work/many"
says "expected at most 64 counters by their names in CUPTI, found cupti:a65 beyond"

# prints_of TEXT ARGUMENTS...: solgate prints it, and ends with 0
prints_of() {
    text=$1
    shift
    "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || fail "exit status $?: solgate $*"
    prints "$text"
}
prints_of "$raw 4,092 5,320 asked for by its name in CUPTI, in CUPTI's unit" explain "$work/run" null/tiny ok slower
prints_of "rows new" baseline accept "$work/run"
prints_of "counters: cupti:none__such.sum" compare "$work/run"
prints_of "good" baseline verify
sed "s/^\(null,tiny,slower,$raw,1\),5320/\1,6000/" "$work/run/run.csv" >"$work/moved.csv"
cp "$work/moved.csv" "$work/run/run.csv"
sed -i '/^digest/d' "$work/run/env.csv"
prints_of "$raw 5,320 6,000 +12.8 % changed" compare "$work/run" --verbose
prints_of index.html report "$work/run" --tables-only --out="$work/report"
head -n 1 "$work/report/counters.csv" | grep -q ",$raw," || fail "counters.csv lacks it"

[ "$failures" = 0 ]
