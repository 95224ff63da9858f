#!/bin/sh
# Counters of several counts, on the null family: what the worker says, what a run keeps, and which
# counters `ab`, `explain`, `compare` and `accept` make of it: one that moved is named with
# its spread, one that only wanders is not.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
bin=$1

# count ARGUMENTS...: what a worker counts, as CSV: variant,metric,value,low,high,n,status,message
count() {
    timeout 60 "$bin/solgate-worker" --pass=count "--module=$bin/libsg_null.so" --seed=7 "$@" 3>"$work/lines" >"$work/stdout" 2>"$work/stderr" ||
        fail "the worker left with $?: $*"
    sed -n 's/^value,[^,]*,[^,]*,\([^,]*,[^,]*\),[^,]*,\(.*\),[^,]*,[^,]*$/\1,\2/p' "$work/lines" >"$work/counted"
}
# counted PATTERN WHAT
counted() {
    grep -Eq "$1" "$work/counted" || fail "$2: expected $1, found $(grep "^${1%%,*}" "$work/counted" | head -5)"
}
# told TEXT WHAT, and not_told: is it in the last output, lines and blanks run together?
told() {
    tr -s ' \n' ' ' <"$work/stdout" | grep -qF -e "$1" || fail "$2: not told: $1"
}
not_told() {
    ! tr -s ' \n' ' ' <"$work/stdout" | grep -qF -e "$1" || fail "$2: told: $1"
}

# ---- the worker
count --metric=instructions --metric=stall_wait --metric=registers --metric=dram_bytes --metric=pipe_tma --set=repeats=5 \
    --item=null/large/ok --item=null/large/noisy
counted '^ok,instructions,2048,2048,2048,5,ok,$' "an exact counter is the same each time"
counted '^noisy,instructions,2048,2048,2048,5,ok,$' "and of a noisy variant too"
counted '^ok,stall_wait,90,90,90,5,ok,$' "a noisy counter of a quiet variant"
counted '^noisy,stall_wait,[0-9.]+,[0-9.]+,[0-9.]+,5,ok,each: [0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+$' "a noisy counter of a noisy variant"
counted '^noisy,dram_bytes,[0-9]+,[0-9]+,[0-9]+,5,ok,each: ' "a derived counter is derived from each count"
counted '^noisy,registers,24,,,1,ok,$' "a fact of the launch is told once"
counted '^noisy,pipe_tma,,,,5,unavailable,' "a counter that is not there"
awk -F, '$1 == "noisy" && $2 == "stall_wait" { n = split($8, each, " "); m = each[n > 1 ? 2 : 1]; for (i = 3; i <= n; i++) same += each[i] == m
    exit !($4 < $3 && $3 < $5 && !same) }' "$work/counted" || fail "the median does not lie within the range, or counts repeat"
sed -n 's/^at,.*,//p' "$work/lines" | tail -n 10 | tr '\n' ' ' >"$work/order"
[ "$(cat "$work/order")" = "ok noisy noisy ok ok noisy noisy ok ok noisy " ] || fail "items are not counted in turns: $(cat "$work/order")"
grep '^noisy,' "$work/counted" >"$work/together"
count --metric=instructions --metric=stall_wait --metric=registers --metric=dram_bytes --metric=pipe_tma --set=repeats=5 --item=null/large/noisy
cmp -s "$work/together" "$work/counted" || grep '^noisy,' "$work/counted" | cmp -s "$work/together" - || fail "counts depend on what is counted beside them"
count --metric=instructions --metric=pipe_fma --set=repeats=5 --item=null/large/polls
counted '^polls,instructions,2069,2048,2069,5,ok,does not repeat: 2069 2048 2069 2048 2069$' "an exact counter that does not repeat"
counted '^polls,pipe_fma,9,9,9,5,ok,$' "a counter that repeats beside it"
count --metric=stall_wait --item=null/large/noisy
counted '^noisy,stall_wait,[0-9.]+,,,1,ok,$' "one count, as ever"
# ---- ab: five counts of both sides of what is slower
"$solgate" ab null/ok null/slower_noisy --case=middle --seed=3 --out="$work/noisy" >"$work/stdout" 2>"$work/stderr" && fail "a slower one is let through"
grep -q '^repeats,5$' "$work/noisy/env.csv" || fail "env.csv does not say how often counters were counted"
told 'uncoalesced loads: ' "a cause"
"$solgate" explain "$work/noisy" null/middle ok slower_noisy >"$work/stdout"
told 'global_load_sectors 16,384 sectors 32,768 sectors +100 % ' "an exact counter has no spread, and its change in percent"
tr -s ' \n' ' ' <"$work/stdout" | grep -Eq 'stall_lg_throttle 0.120 warp cycles/inst [0-9.]+ warp cycles/inst \+0.3[0-9.]+ \+- [0-9.]+ warp cycles/inst' || fail "no difference with its spread"
told 'stall_long_scoreboard 5.400 warp cycles/inst' "a counter that moved"
# of 5 % more with counts that vary by 3 %, and of no change at all
not_told 'memory_throughput 40' "a counter that moved by less than its spread"
not_told 'stall_wait' "a counter that only wanders"
awk 'length > 120' "$work/stdout" | grep . && fail "explain is wider than a terminal"

# Nothing moved, and it is said of how many.
"$solgate" ab null/ok null/slower_slightly --tolerance=0.1% --case=small --out="$work/slightly" >"$work/stdout" 2>"$work/stderr" && fail "0.25 % are let through"
told 'no counter moved beyond its floor and its spread, of 52' "nothing moved"

# ---- run: as often as the suite says; counted once, what wanders is taken for what moved
# Few launches are timed: what is looked at are counters.
sed -e 's/= quick/= default/' -e 's/^launches .*/launches = 1/' -e '/^variant/d' -e '/= tiny/d' -e 's/= small/= middle/' "$suite" >"$work/once.suite"
printf 'variant = noisy\nvariant = polls\n' >>"$work/once.suite"
sed 's/^launches.*/&\nrepeats = 5/' "$work/once.suite" >"$work/five.suite"
run 0 "$work/once.suite" --seed=2 --out="$work/once"
run 0 "$work/five.suite" --seed=2 --out="$work/five"
"$solgate" explain "$work/once" null/middle ok noisy >"$work/stdout"
not_told '+-' "of one count there is no spread"
not_told 'no counter moved' "a counter that was counted once and wanders is named"
"$solgate" explain "$work/five" null/middle ok noisy >"$work/stdout"
told 'no counter moved beyond its floor and its spread, of 52; beyond the floor alone: ' "nothing but wandering"
tr -s ' \n' ' ' <"$work/stdout" | grep -Eq 'beyond the floor alone: [a-z0-9_]+ \([-+][0-9.,]+ ([a-zA-Z%]+ )?\+- [0-9.,]+ [a-zA-Z%]+\)' || fail "no counter that wanders is told with its spread"

"$solgate" explain "$work/five" null/middle ok polls >"$work/stdout"
told 'exact counters that do not repeat: instructions, shared_load_wavefronts' "exact counters that do not repeat"
told 'beyond the floor alone: instructions (+328 inst +- 328 inst, does not repeat)' "ranges that meet"

# ---- accept and compare: the range is kept and compared by, the list is not
"$solgate" accept "$work/five" --out="$work/accepted.csv" >"$work/stdout" 2>"$work/stderr" || fail "five counts are not accepted"
wanted=$(awk -F, '/^null,middle,noisy,stall_wait,/ { printf "null,null,middle,noisy,stall_wait,%s,%s,%s,%s,", $5, $6, $7, $8 }' "$work/five/run.csv")
grep -qF "$wanted" "$work/accepted.csv" ||
    fail "accepted, expected $wanted: $(grep '^null,null,middle,noisy,stall_wait,' "$work/accepted.csv")"
run 0 "$work/five.suite" --out="$work/again" --seed=99
# changed RUN: how many noisy counters it finds changed
changed() {
    "$solgate" compare "$1" "$2" --format=csv 2>"$work/stderr" | grep -c '^null,middle,noisy,.*,changed,' || true
}
"$solgate" accept "$work/once" --out="$work/accepted_once.csv" >"$work/stdout" 2>"$work/stderr" || fail "one count is not accepted"
run 0 "$work/once.suite" --out="$work/once_again" --seed=99
few=$(changed "$work/again" "$work/accepted.csv")
many=$(changed "$work/once_again" "$work/accepted_once.csv")
[ "$few" -le 1 ] || fail "$few counters that only wander count as changed, of five counts each"
[ "$many" -ge 5 ] || fail "$many counters that only wander count as changed, of one count each"
[ "$failures" = 0 ]
