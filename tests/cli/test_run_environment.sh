#!/bin/sh
# Surroundings that are not as one expects: few descriptors, an output that is closed or full or
# read no further, ignored signals, an empty environment, a worker that is stopped, two runs
# into one folder. Nothing hangs, and what is lost is said.
# shellcheck disable=SC2086,SC3045 # $few and $command are several words; every
# sh that this runs in has ulimit -n
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# ended EXIT_STATUS WHAT: what the last command left with, which the caller kept in $code
ended() {
    [ "$code" = "$1" ] || fail "$2: exit status $code instead of $1"
}

few="--case=tiny --variant=slower --seed=$seed"

run 0 "$suite" --out="$work/plain" $few

code=0
(
    ulimit -n 21
    exec "$solgate" run "$suite" --out="$work/descriptors" --jobs=16 $few
) >"$work/stdout" 2>"$work/stderr" || code=$?
ended 0 "21 descriptors"
same "$work/plain" "$work/descriptors" "21 descriptors"
code=0
(
    ulimit -n 8
    exec "$solgate" run "$suite" --out="$work/x" $few
) >"$work/stdout" 2>"$work/stderr" || code=$?
ended 3 "8 descriptors"
says 'Too many open files'

for output in /dev/full closed; do
    for command in "list metrics" "run -h" "--version"; do
        code=0
        if [ "$output" = closed ]; then
            "$solgate" $command >&- 2>"$work/stderr" || code=$?
        else
            "$solgate" $command >"$output" 2>"$work/stderr" || code=$?
        fi
        ended 3 "solgate $command, $output"
        says 'standard output: cannot be written: '
    done
done
for command in "list metrics" "run -h"; do
    { "$solgate" $command 2>"$work/stderr" || echo "$?" >"$work/code"; } | head -n 1 >"$work/stdout"
    [ ! -e "$work/code" ] || fail "solgate $command | head: exit status $(cat "$work/code")"
done

code=0
env --ignore-signal=CHLD "$solgate" run "$suite" --out="$work/children" $few >"$work/stdout" 2>"$work/stderr" || code=$?
ended 0 "ignored SIGCHLD"
same "$work/plain" "$work/children" "ignored SIGCHLD"
if command -v gnuplot >"$work/stdout"; then
    code=0
    env --ignore-signal=CHLD "$solgate" report "$work/plain" --out="$work/report" >"$work/stdout" 2>"$work/stderr" || code=$?
    ended 0 "gnuplot with SIGCHLD ignored"
fi

code=0
env -i "$solgate" run "$suite" --out="$work/bare" $few >"$work/stdout" 2>"$work/stderr" <&- || code=$?
ended 0 "an empty environment, no standard input"
same "$work/plain" "$work/bare" "an empty environment, no standard input"
code=0
LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 "$solgate" run "$suite" --out="$work/comma" $few >"$work/stdout" 2>"$work/stderr" || code=$?
ended 0 "a language with decimal commas"
same "$work/plain" "$work/comma" "a language with decimal commas"

# Two runs into one folder: whichever comes first, the other one leaves it alone.
"$solgate" run "$suite" --out="$work/one" $few >"$work/first" 2>&1 &
pid=$!
code=0
"$solgate" run "$suite" --out="$work/one" $few >"$work/second" 2>&1 || code=$?
first=0
wait "$pid" || first=$?
[ "$first$code" = 04 ] || [ "$first$code" = 40 ] || fail "two runs into one folder left with $first and $code"
same "$work/plain" "$work/one" "two runs into one folder"

[ "$failures" = 0 ]
