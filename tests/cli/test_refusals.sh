#!/bin/sh
# What stands in the way is said with what to do about it: no run, an unfinished one, a file where a
# folder should be. What cannot be run is refused before anything is started or written.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

run 0 "$suite" --out="$work/run" --seed="$seed" --case=tiny --variant=faster
told 3 "\`solgate accept $work/run --builds=$SOLGATE_BUILDS\` makes them" compare "$work/run"

told 4 "$work/none: expected the folder of a run, or its run.csv: No such file or directory" compare "$work/none"
mkdir "$work/empty"
for command in compare gap; do
    told 4 "$work/empty: expected the folder of a run" $command "$work/empty"
done
told 4 "$work/empty: expected the folder of a run" compare "$work/run" "$work/empty"

# An unfinished run is told so before anything is asked of a baseline.
cp -R "$work/run" "$work/half"
sed -i 's/^state,finished/state,running/' "$work/half/env.csv"
for command in "compare" "gap" "accept" "report --out=$work/report"; do
    # shellcheck disable=SC2086 # words of a command line
    told 3 "this run is not finished; go on with: solgate run $suite --case=tiny --variant=faster --out=$work/half --resume" $command "$work/half"
done

echo precious >"$work/file"
told 3 "$work/file: expected a folder, or nothing, found a file" run "$suite" --out="$work/file"
told 3 "$work/file: expected a folder, or nothing, found a file" report "$work/run" --tables-only --out="$work/file/report"
[ "$(cat "$work/file")" = precious ] || fail "a file in the way was written to"

if [ "$(id -u)" != 0 ]; then
    mkdir "$work/locked"
    chmod 555 "$work/locked"
    told 3 "$work/locked/run: this folder cannot be created: Permission denied" run "$suite" --out="$work/locked/run"
fi

# ---- suites that cannot be run

# Bad command lines are goldens (test_golden.sh: refused).
# What is no file is refused, not waited for.
mkfifo "$work/pipe.suite"
run 4 "$work/pipe.suite" --out="$work/x"
says "$work/pipe.suite: expected a file, found a pipe"
ln -s /dev/zero "$work/zero.suite"
run 4 "$work/zero.suite" --out="$work/x"
says 'zero.suite: expected a file, found a device'
mkdir "$work/piped"
mkfifo "$work/piped/env.csv"
code=0
timeout 60 "$solgate" compare "$work/piped" >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 4 ] || fail "exit status $code instead of 4: a run whose env.csv is a pipe"
says "$work/piped/env.csv: expected a file, found a pipe"

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
run 0 "$work/half.suite" --out="$work/of_null" --family=null --case=tiny --variant=slower

sed 's/^metrics .*/metrics = quick\nmetrics = l3_hit_rate/' "$suite" >"$work/metric.suite"
run 4 "$work/metric.suite" --out="$work/x"
says "metric.suite:5: metrics: expected a metric, a group of metrics, or cupti:NAME, found 'l3_hit_rate'"

[ "$failures" = 0 ]
