#!/bin/sh
# `solgate ab --sustained`: segments of launches on end instead of
# batches, and all else as in any gate.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# ab EXIT_STATUS CANDIDATE OUT OPTIONS...: a gate of null/ok and the candidate in $work/OUT
ab() {
    wanted=$1 candidate=$2 out=$3
    shift 3
    code=0
    timeout 300 "$solgate" ab null/ok "null/$candidate" --case=tiny --seed=1 --out="$work/$out" "$@" \
        >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: $candidate $*"
}

ab 1 slower whole --sustained
prints '1 regressed, against null/ok'
prints 'slower than ok'
prints '(tolerance 0.5 %)'
prints '); sustained: interleaved segments of 2 s'
grep -q '^l2,warm$' "$work/whole/env.csv" || fail "env.csv does not say that the L2 is warm"
grep -q '^sustained,yes$' "$work/whole/env.csv" || fail "env.csv does not say that batches are segments"
[ "$(sed 1d "$work/whole/samples.csv" | cut -d, -f3-6 | sort -u | wc -l)" = 80 ] || fail "5 processes, 2 pairs, 2 blocks of 4 segments are not 80 samples"
[ "$(sed 1d "$work/whole/samples.csv" | cut -d, -f5 | sort -u | tr '\n' ' ')" = '0 1 ' ] || fail "not two blocks"
ab 4 slower cold --sustained --l2=cold
says '--sustained launches back to back, so the L2 is warm: --sustained cannot be combined with --l2=cold'
ab 0 ok same --sustained
prints '1 identical, against null/ok'
ab 1 slower turns
grep -q 'sustained' "$work/stdout" && fail "batches in turns are called sustained"

ab 3 slower whole --resume
says 'this run was started with l2'
sed -i 's/^state,finished$/state,running/' "$work/turns/env.csv"
ab 3 slower turns --sustained --resume
says 'this run was started with l2 "cold", found "warm"'

cp -R "$work/whole" "$work/part"
forget "$work/part" '^process,4,[0-9]*,[^,]*,2'
ab 1 slower part --sustained --resume
same "$work/whole" "$work/part" "without its last process"
[ "$failures" = 0 ]
