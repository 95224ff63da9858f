#!/bin/sh
# What cannot be run is refused with its reason, exit 4, before anything is started or written.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

run 4
grep -qx 'solgate: run: SUITE is missing: a name of `solgate list suites`, or the path of a .suite file' "$work/stderr" || fail "the missing suite is told otherwise"
run 4 no_such_suite
says 'no_such_suite'
run 4 "$suite" --out="$work/x" --family=matwec
says 'known: null'
run 4 "$suite" --out="$work/x" --case=huge
says 'known: tiny, small'
run 4 "$suite" --out="$work/x" --variant=fastest
says 'known: '
says 'slower'
run 4 "$suite" --out="$work/x" --metrics=l3_hit_rate
says 'l3_hit_rate'
run 4 "$suite" --out="$work/x" --jobs=0
run 4 "$suite" --out="$work/x" --jobs=17
says '--jobs: expected a whole number from 1 to 16'
run 4 "$suite" --out="$work/x" --gpu=all
run 4 "$suite" --out="$work/x" --seed=-1
run 4 "$suite" --out="$work/x" --module="$work/none.so"
says 'none.so'
run 4 "$suite" --out="$work/x" another
for option in metrics module case family variant; do
    run 4 "$suite" --out="$work/x" --$option=
    says "--$option: expected "
    says ", found ''"
done
run 4 "$suite" --resume
says '--out'
run 4 "$suite" --out="$work/x" --resume
[ ! -e "$work/x" ] || fail "a run that was refused left a folder"

# What is no file is refused, not waited for.
mkfifo "$work/pipe.suite"
run 4 "$work/pipe.suite" --out="$work/x"
says "$work/pipe.suite: expected a file, found a pipe"
ln -s /dev/zero "$work/zero.suite"
run 4 "$work/zero.suite" --out="$work/x"
says 'zero.suite: expected a file, found a device'
mkdir "$work/run"
mkfifo "$work/run/env.csv"
code=0
timeout 60 "$solgate" compare "$work/run" >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 4 ] || fail "exit status $code instead of 4: a run whose env.csv is a pipe"
says "$work/run/env.csv: expected a file, found a pipe"

sed 's/= small/= smal/' "$suite" >"$work/typo.suite"
run 4 "$work/typo.suite" --out="$work/x"
says 'typo.suite:'
says 'smal'
sed 's/\[null\]/[nothing]/' "$suite" >"$work/other.suite"
run 4 "$work/other.suite" --out="$work/x"
says 'other.suite:'
says 'libsg_nothing.so'

# A module that --family does not ask for need not be there.
{
    cat "$suite"
    printf '[nothing]\ncase = any\n'
} >"$work/half.suite"
run 4 "$work/half.suite" --out="$work/x"
says "half.suite:$(grep -n nothing "$work/half.suite" | cut -d: -f1):"
says 'libsg_nothing.so'
run 4 "$work/half.suite" --out="$work/x" --family=nothings
says 'known: null, nothing'
run 0 "$work/half.suite" --out="$work/half" --family=null --case=tiny --variant=slower

sed 's/^metrics .*/metrics = quick\nmetrics = l3_hit_rate/' "$suite" >"$work/metric.suite"
run 4 "$work/metric.suite" --out="$work/x"
says "metric.suite:5: metrics: expected a metric, a group of metrics, or cupti:NAME, found 'l3_hit_rate'"

mkdir "$work/full"
echo precious >"$work/full/file"
run 4 "$suite" --out="$work/full"
says 'not empty'
[ "$(ls "$work/full")" = file ] || fail "a folder that was refused was written to"

[ "$failures" = 0 ]
