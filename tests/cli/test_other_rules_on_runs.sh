#!/bin/sh
# tests/method/other_rules_on_runs.sh counts every comparison that a run, or two of them, hold of
# pairs of known truth, and refuses what is torn.
set -eu

programs=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail()
{
    echo "FAIL: $*"
    sed 's/^/    /' "$work/output" | head -n 60
    failures=$((failures + 1))
}

# rules EXIT ARGUMENTS...: the script, with what it says in $work/output
rules()
{
    wanted=$1
    shift
    code=0
    sh "$tree/tests/method/other_rules_on_runs.sh" --build="$programs/.." "$@" >"$work/output" 2>&1 || code=$?
    [ "$code" = "$wanted" ] || fail "exit $code instead of $wanted: other_rules_on_runs.sh $*"
}

# says SENTENCE LINE: the output has it, as a whole line
says()
{
    grep -qxF -e "$2" "$work/output" || fail "$1: no line: $2"
}

# refused SENTENCE CODE WORDS ARGUMENTS...
refused()
{
    sentence=$1
    words=$3
    rules "$2" "$4" "$5"
    grep -qF -e "$words" "$work/output" || fail "$sentence: does not say: $words"
}

cat >"$work/pairs.suite" <<'SUITE'
[suite]
title     = pairs
metrics   = quick
processes = 5
blocks    = 8
launches  = 2

[null]
case      = tiny
variant   = slower
variant   = noisy
SUITE

# run NAME SEED DATE: simulated times, of which `slower` stands for a
# kernel whose truth is known, 2 %
run()
{
    "$programs/solgate" run "$work/pairs.suite" --out="$work/$1" --seed="$2" >"$work/output" 2>&1 || fail "no run"
    sed -i -e 's/^null,/reference,/' -e 's/\bok\b/pinned/g' -e 's/\bslower\b/pinned_2pct/g' "$work/$1/samples.csv"
    sed -i "s/^date,.*/date,$3/" "$work/$1/env.csv"
}
run before 1 2026-01-01T00:00:00Z
run after 2 2026-01-02T00:00:00Z

rules 0 "$work/before"
says "every two processes once, in the order of time: 5 x 4 / 2" "| two_processes | median_5 | 0 of 10 | 0 of 10 |"
says "no run is later than this one" "| two_runs | median_2 |  |  |"
says "the very batches that solgate decides on" "| in_turns | welch | 0 of 1 | 1 of 1 |"
says "and solgate" "| in_turns | solgate | 0 of 1 | 1 of 1 |"
says "a pair without a truth is none" "2 pairs of known truth, 1 others left out"

rules 0 --out="$work/out" "$work/before" "$work/after"
says "one run after the other, in one direction" "| two_runs | welch | 0 of 1 | 1 of 1 |"
says "twice as many" "| in_turns | solgate | 0 of 2 | 2 of 2 |"
grep -qx 'null,in_turns,solgate,0.02,2,2,0' "$work/out/other_rules_on_runs.csv" || fail "--out: no such line in $(cat "$work/out/other_rules_on_runs.csv")"
grep -v 'pairs of known truth' "$work/output" | cmp -s - "$work/out/other_rules_on_runs.md" || fail "--out: another table than was printed"

sed -i 's/^date,.*/date,2026-01-01T00:00:00Z/' "$work/after/env.csv"
rules 0 "$work/before" "$work/after"
says "which of two runs came first is not known" "| two_runs | welch |  |  |"

# A process with fewer blocks than the others counts all the same.
mkdir "$work/fewer"
cp "$work/before/env.csv" "$work/fewer"
awk -F, 'NR == 1 || $4 != 3 || $5 < 4' "$work/before/samples.csv" >"$work/fewer/samples.csv"
rules 0 "$work/fewer"
says "a process with fewer blocks" "| in_turns | solgate | 0 of 1 | 1 of 1 |"

# Packed samples are the same samples.
rules 0 "$work/before"
cp "$work/output" "$work/plain"
gzip "$work/before/samples.csv"
rules 0 "$work/before"
cmp -s "$work/plain" "$work/output" || fail "packed samples say something else"
gzip -d "$work/before/samples.csv.gz"

# Truths of `injected` come from a file; a variant against another one is the ratio of both.
mkdir "$work/injected"
sed -e 's/^reference/injected/' -e 's/pinned_2pct/work_200/g' -e 's/pinned/work_100/g' "$work/before/samples.csv" >"$work/injected/samples.csv"
cp "$work/before/env.csv" "$work/injected"
printf 'case,variant,true_ratio\ntiny,work_100,1.01\ntiny,work_200,1.0302\n' >"$work/truth.csv"
rules 0 --truth="$work/truth.csv" "$work/injected"
says "1.0302 / 1.01 is 2 %" "| batches | rule | same kernel | +2 % |"

mkdir "$work/torn"
cp "$work/before/env.csv" "$work/torn"
sed '/^reference,tiny,pinned_2pct,2,5,1,/d' "$work/before/samples.csv" >"$work/torn/samples.csv"
refused "a batch is missing" 4 "process 2, block 5: expected batches 0 to 3, found no batch 1" --truth="$work/truth.csv" "$work/torn"
printf 'case,variant,true_ratio\ntiny,work_100,0\n' >"$work/zero.csv"
refused "a truth of zero" 4 "zero.csv:2: true_ratio: expected a ratio above 0, found '0'" --truth="$work/zero.csv" "$work/before"
sed '1!{/,noisy,[0-9]/!d}' "$work/before/samples.csv" >"$work/torn/samples.csv"
refused "nothing known" 4 "expected pairs whose truth is known" --truth="$work/truth.csv" "$work/torn"
refused "no run" 4 "nowhere: expected the folder of a run" --truth="$work/truth.csv" "$work/nowhere"
refused "an unknown option" 4 "unknown argument --all" --all "$work/before"
refused "no build" 4 "expected a build with tests" --build="$work" "$work/before"
[ "$failures" = 0 ]
