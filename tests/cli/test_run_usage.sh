#!/bin/sh
# What cannot be run is refused with its reason, exit 4, before anything is started or written.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# Bad command lines are goldens (test_golden.sh: refused).
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

[ "$failures" = 0 ]
