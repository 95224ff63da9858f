#!/bin/sh
# scripts/bench/gate.sh on the null family: a row a gate, with its time held against the
# target, by a clock that a stand-in for date makes. Not under sanitizers: gates are run
# by the same code as in test_ab.sh.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

mkdir "$work/bin"
cat >"$work/bin/date" <<'SCRIPT'
#!/bin/sh
# Each look at the clock is STEPS later than the one before, round by round: a command takes
# the first of the next two steps.
[ "$*" = "+%s.%N" ] || exec /bin/date "$@"
looks=$(($(cat "$CLOCK.looks") + 1))
echo "$looks" >"$CLOCK.looks"
# shellcheck disable=SC2086 # a list of steps
set -- $STEPS
shift $(((looks - 1) / 2 % $#))
[ $((looks % 2)) = 1 ] || awk -v at="$(cat "$CLOCK")" -v step="$1" 'BEGIN { print at + step }' >"$CLOCK"
cat "$CLOCK"
SCRIPT
chmod +x "$work/bin/date"
sed -e '/wrong/d' -e '/crash/d' "$suite" >"$work/quiet.suite"

# bench EXIT_STATUS STEPS ARGUMENTS...: the script, with its output in $work/stdout and $work/stderr
bench()
{
    wanted=$1
    steps=$2
    shift 2
    code=0
    echo 0 >"$work/clock"
    echo 0 >"$work/clock.looks"
    CLOCK=$work/clock STEPS=$steps PATH=$work/bin:$PATH sh "$tree/scripts/bench/gate.sh" --bin="$(dirname "$solgate")" --out="$work/out" "$@" \
        >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: gate.sh $*"
}

# prints_line LINE: the last run did
prints_line()
{
    grep -qxF -e "$1" "$work/stdout" || fail "no line: $1"
}

pair="--pair=null/ok null/slower --case=tiny"
bench 0 "4 7 5 6 6.5 90 3" --suite="$work/quiet.suite" "$pair"
prints_line '| `solgate ab null/ok null/slower --case=tiny` | 1 | 5.0 s | 8 s | 0.62 |'
prints_line "| \`solgate run $work/quiet.suite\` | 4 | 6.5 s | 90 s | 0.07 |"
cmp -s "$work/stdout" "$work/out/bench_gate.md" || fail "bench_gate.md is not what is printed"
bench 1 "8.5" --repeat=1 --suite="$work/quiet.suite" "--pair=null/ok null/noisy --tolerance=0.1% --case=tiny" "$pair"
prints_line '| `solgate ab null/ok null/noisy --tolerance=0.1% --case=tiny` | 1 | 8.5 s | 8 s | 1.06 |'
prints_line '| `solgate ab null/ok null/slower --case=tiny` | 1 | 8.5 s | 8 s | 1.06 |'
bench 1 "1 91" --repeat=1 --suite="$work/quiet.suite" "$pair"
prints_line "| \`solgate run $work/quiet.suite\` | 4 | 91.0 s | 90 s | 1.01 |"

bench 3 1 --suite="$work/quiet.suite" "--pair=null/ok null/nobody"
says "gate.sh: failed with 4: once ab null/ok null/nobody; the end of"
says "no variant of the family is called nobody"
bench 4 1 --repeat=2
says "unknown argument --repeat=2"
[ "$("$solgate" list suites --format=csv | grep -c '^bench_gate,')" = 1 ] || fail "there is no suite bench_gate"

[ "$failures" = 0 ]
