#!/bin/sh
# What accept refuses, what a waiver lets be other than green and for how long, and accepted seal.
set -eu
# shellcheck source=tests/cli/hand_lib.sh
. "$(dirname "$0")/hand_lib.sh"

# broken NAME STATUS: the clean run with hand/small/tiled of that status
broken() {
  run "$1"
  edit "$run/run.csv" "s/^\(hand,small,tiled,status,,,,,\),ok,/\1,$2,no element was written/; /^hand,small,tiled,time/d"
}

# env KEY VALUE: of $run
env_is() {
  edit "$run/env.csv" "s/^$1,.*/$1,$2/"
}

broken unwritten unwritten
unwritten=$run
broken crash crash
crash=$run

# ---- waivers

expect "a broken variant is not accepted" 5 "--waive=hand/small/tiled" accept "$unwritten"
expect "for a reason" 5 "hand/small/tiled expected ok, found unwritten" accept "$unwritten" --reason="it is known"
cmp -s "$file" "$hand/baselines/hand.csv" || fail "what is refused is written"
expect "a waiver needs its reason" 4 "--waive needs --reason=TEXT" accept "$unwritten" --waive=hand/small/tiled
expect "and an item of the run" 4 "expected FAMILY/CASE/VARIANT of the runs, found 'hand/small/nobody'" accept "$unwritten" \
  --waive=hand/small/nobody --waive=hand/small/tiled --reason=x
for name in hand/small hand//tiled ''; do
  expect "which has three names: '$name'" 4 "--waive: expected FAMILY/CASE/VARIANT, found '$name'" accept "$unwritten" --waive=hand/small/tiled --waive="$name" --reason=x
done
expect "before a run is looked at" 4 "--waive: expected FAMILY/CASE/VARIANT" accept "$scratch/nowhere" --waive=hand/small --reason=x
expect "each of them once" 4 "--waive: expected each item once, found hand/small/tiled again" accept "$scratch/nowhere" --waive=hand/small/tiled \
  --waive=hand/large/tiled --waive=hand/small/tiled --reason=x
for day in tomorrow 2026-02-30 ''; do
  expect "a last day is a day: '$day'" 4 "--until: expected a day such as 2026-12-31" accept "$unwritten" \
    --waive=hand/small/tiled --reason=x --until="$day"
done
expect "and of a waiver" 4 "--until needs --waive=FAMILY/CASE/VARIANT" accept "$hand/clean" --until=2026-12-31
cmp -s "$file" "$hand/baselines/hand.csv" || fail "what is refused is written"
expect "a waiver of another item does not help" 5 "hand/small/tiled expected ok, found unwritten" accept "$unwritten" \
  --waive=hand/large/tiled --reason=x

expect "with a reason it is waived" 0 "waived hand/small/tiled (unwritten), until 2024-07-01: ticket 12" accept "$unwritten" \
  --waive=hand/small/tiled --reason="ticket 12"
grep -q '^h200,hand,small,tiled,waiver,,,,,,unwritten,2024-07-01,.*,ticket 12,,,$' "$file" || fail "the waiver stands in the file"
grep -q '^h200,hand,small,tiled,time_ratio,1,0.9,' "$file" || fail "what was accepted of it stays"
for format in text markdown; do
  expect "$format: it does not fail" 0 "1 waived, 7 within" compare "$unwritten" --format=$format
done
expect "it is named" 0 "hand/small tiled waived ticket 12, until 2024-07-01" compare "$unwritten"
expect "broken in another way is 5" 5 "1 broken" compare "$crash"
expect "so is another variant" 5 "1 broken" compare "$scratch/unwritten" "$hand/baselines/hand.csv"
expect "not measured is not what was waived" 3 "1 not_measured" compare "$(broken skipped skipped && echo "$run")"
expect "fixed is green" 0 "2 unresolved, 8 within" compare "$hand/clean"
run mended_slow
edit "$run/run.csv" 's/^hand,small,tiled,time_ratio,1,0.9,[^,]*,[^,]*/hand,small,tiled,time_ratio,1,0.95,0.949,0.951/'
expect "fixed and slower is regressed" 1 "1 regressed" compare "$run"
expect "as long as it is broken the waiver stays" 0 "waived hand/small/tiled (unwritten), until 2024-07-01: ticket 12" accept "$unwritten"
expect "and stands in the way of nothing" 0 "1 waived" compare "$unwritten"
expect "it is of that fault alone" 5 "hand/small/tiled expected ok, found crash" accept "$crash" --reason="it is known"
expect "it ends when what is accepted is fixed" 0 "no longer waived: hand/small/tiled" accept "$hand/clean"
expect "and does not come again" 5 "1 broken" compare "$unwritten"
expect "nor does accept remember it" 5 "--waive=hand/small/tiled" accept "$unwritten" --reason="it is known"

numbers_as_they_were
expect "a waiver may have a last day, here that of the run" 0 "until 2024-06-01" accept "$unwritten" --waive=hand/small/tiled \
  --reason="ticket 12" --until=2024-06-01
expect "on which it holds" 0 "hand/small tiled waived ticket 12, until 2024-06-01" compare "$unwritten"
run=$unwritten
env_is date 2024-06-02T03:00:00Z
expect "and not on the next" 5 "1 broken" compare "$unwritten"
expect "nor is it accepted then" 5 "--waive=hand/small/tiled" accept "$unwritten" --reason="it is known"
env_is date 2024-06-01T03:00:00Z

# What cannot be gated, or is slow, may be waived too.
numbers_as_they_were
edit "$file" '/^h200,hand,large,wide,time_ratio/s/,0.005,yes,/,,yes,/'
seal "$file"
expect "a row without a tolerance" 3 "1 cannot_be_gated, " compare "$hand/clean"
numbers_as_they_were
run noisy
edit "$run/run.csv" 's/^hand,large,wide,time_ratio,1,1,[^,]*,[^,]*/hand,large,wide,time_ratio,1,1,0.5,2/'
rm "${file%.csv}".*
expect "noise is accepted, and called what it is" 0 "1 row cannot be gated" accept "$run"
expect "it can be read" 3 "1 cannot_be_gated, " compare "$run"
awk -F, '$4 == "wide" && $5 == "time_ratio" && $3 == "large" { exit !($13 == "" || $13 < 1) }' "$file" || fail "a tolerance of 1 or more is written"
expect "a waiver of it" 0 "waived hand/large/wide (ok), until 2024-07-01: until it is quiet" accept "$run" --waive=hand/large/wide \
  --reason="until it is quiet"
expect "is named" 0 "until it is quiet, until 2024-07-01 (cannot_be_gated:" compare "$run"
edit "$run/run.csv" 's/^\(hand,large,wide,status,,,,,\),ok,/\1,wrong,y[0]/'
expect "and excuses no wrong result" 5 "1 broken" compare "$run"

# A reason is that of the waived item alone; what got worse beside it needs its own.
numbers_as_they_were
expect "the hand run is accepted" 0 "0 worse" accept "$hand/clean"
cp "$file" "$scratch/kept.csv"
run two
edit "$run/run.csv" 's/^\(hand,small,tiled,status,,,,,\),ok,/\1,unwritten,no element was written/; /^hand,small,tiled,time/d
s/^hand,large,wide,time_ratio,1,1,[^,]*,[^,]*/hand,large,wide,time_ratio,1,1.04,1.0388,1.0412/'
two=$run
slower="1 accepted numbers get worse (~ hand/large/wide time_ratio: 1 -> 1.04"
expect "a waiver's reason is no other row's" 4 "$slower" accept "$two" --waive=hand/small/tiled --reason="ticket 12"
expect "nor where the waived item is slow" 4 "$slower" accept "$two" --waive=hand/small/tiled --waive=hand/small/wide \
  --reason="ticket 12"
cmp -s "$file" "$scratch/kept.csv" || fail "what is refused is written"
expect "it needs its own" 0 "1 worse" accept "$two" --case=large --variant=wide --reason="more checks"
expect "then the waiver is of its item" 0 "0 worse" accept "$two" --waive=hand/small/tiled --reason="ticket 12"
grep -q '^h200,hand,large,wide,time_ratio,.*,more checks,' "$file" || fail "the slower row has its own reason"
[ "$(grep -c 'ticket 12' "$file")" = 1 ] || fail "the waiver's reason stands in one row"
for reason in '' ' ' '   ' "$(printf '\t')" "$(printf ' \n ')" - ...; do
  expect "accept: '$reason' is no reason" 4 "--reason: expected a reason in words" accept "$two" --reason="$reason"
  expect "waive: '$reason' is no reason" 4 "--reason: expected a reason in words" accept "$two" --waive=hand/small/tiled \
    --reason="$reason"
  expect "seal: '$reason' is no reason" 4 "--reason: expected a reason in words" accepted seal "$file" --reason="$reason"
  expect "history: '$reason' is no reason" 4 "--reason: expected a reason in words" history accept 'hand/*' --night=2024-06-01 \
    --history="$scratch" --reason="$reason"
done

# What is merely slow and waived keeps its accepted number, and its waiver as long as it is slow.
numbers_as_they_were
run slow
edit "$run/run.csv" 's/^hand,large,wide,time_ratio,1,1,[^,]*,[^,]*/hand,large,wide,time_ratio,1,1.04,1.0388,1.0412/'
expect "slow is waived" 0 "0 worse" accept "$run" --waive=hand/large/wide --reason="ticket 13"
grep -q '^h200,hand,large,wide,time_ratio,1,1,' "$file" || fail "what is waived is accepted"
expect "it is named" 0 "ticket 13, until 2024-07-01" compare "$run"
expect "as long as it is slow the waiver stays" 0 "waived hand/large/wide (ok), until 2024-07-01: ticket 13" accept "$run"
expect "a clean accept ends it" 0 "no longer waived: hand/large/wide" accept "$hand/clean"
expect "so it is regressed again" 1 "1 regressed" compare "$run"
expect "and needs a reason again" 4 "accepted numbers get worse" accept "$run"
expect "waived again" 0 "0 worse" accept "$run" --waive=hand/large/wide --reason="ticket 13"
expect "with a reason it is accepted, and waived no more" 0 "no longer waived: hand/large/wide" accept "$run" --reason="more checks"

# ---- what is no run to accept

numbers_as_they_were
for runs in "$hand/clean $hand/clean" "$hand/clean $hand/clean $hand/clean $hand/clean $hand/clean"; do
  # shellcheck disable=SC2086 # several runs
  expect "a run counts once" 4 "expected each run once" accept $runs
done
run copy
edit "$run/env.csv" 's/^date,.*/date,2024-06-02T03:00:00Z/'
expect "so does its copy of another day" 4 "expected each run once, found the run of $hand/clean twice" accept "$hand/clean" "$run"

expect "a whole run is accepted" 0 "0 worse" accept "$hand/clean"
cp "$file" "$scratch/whole.csv"
# batches SENTENCE SCRIPT: of a run with samples.csv changed by it
batches() {
  run batches
  edit "$run/samples.csv" "$2"
  expect "$1" 3 "samples.csv belongs to another run, or is incomplete" accept "$run"
}
batches "batches of which there are none" '1!d'
batches "batches of half of its items" '/^hand,small,/d'
batches "batches of half of its processes" '/^[^,]*,[^,]*,[^,]*,[34],/d'
batches "batches of another run's cases" 's/^hand,small,/hand,other,/'
batches "batches of another variant" 's/,wide,/,wade,/g'
batches "one batch that differs" '2s/,121384.615,\|,[0-9.]*,\([0-9.e+]*,0\)$/,1,\1/'
cmp -s "$file" "$scratch/whole.csv" || fail "what is refused is written"

# ---- what is not there

run slow
edit "$run/run.csv" 's/^hand,large,wide,time_ratio,1,1,[^,]*,[^,]*/hand,large,wide,time_ratio,1,1.04,1.0388,1.0412/'
slow=$run
numbers_as_they_were
edit "$file" '/^h200,,/d'
expect "rows without their facts" 4 "hand.csv:1: the key 'schema' is missing" compare "$slow"

# ---- accepted seal

numbers_as_they_were
edit "$file" '/^h200,hand,large,wide,time_ratio/s/,0.005,/,0.05,/'
edit "$file" "$(fact tolerance 0.05); $(fact tolerance.hand 0.05)"
expect "a hand edit is 3" 3 "solgate accepted seal $file --reason=TEXT" compare "$slow"
expect "for accept, too" 3 "was changed since it was accepted" accept "$hand/clean"
expect "and for verify" 4 "was changed since it was accepted" accepted verify --max-age=36500d --driver=580.1
expect "it is sealed for a reason" 4 "--reason=TEXT is missing" accepted seal h200/hand
expect "that says something" 4 "--reason" accepted seal h200/hand --reason=
expect "and one at a time" 4 "found 'b' after 'h200/hand'" accepted seal h200/hand b --reason=x
expect "and is there" 4 "none.csv" accepted seal "$scratch/none.csv" --reason=x
expect "and has a name" 4 "FILE|SUITE|GPU/SUITE|RUN is missing" accepted seal --reason=x
expect "what was refused is still not vouched for" 3 "was changed since" compare "$slow"
expect "by the name that show knows" 0 "" accepted seal h200/hand --reason="cublas, at 5 %"
grep -q '^h200,,,,seal_reason,,,,,,,"cublas, at 5 %",' "$file" || fail "the reason stands in its facts"
expect "it counts" 0 "10 within" compare "$slow"
expect "and verify calls it good" 0 "0 malformed" accepted verify --max-age=36500d --driver=580.1

run edited
seal "$run"
edit "$run/run.csv" 's/^hand,large,wide,time,ns,120000,/hand,large,wide,time,ns,120001,/'
for command in compare gap "accept" "report --tables-only --out=$scratch/report"; do
  # shellcheck disable=SC2086 # words of a command line
  expect "a run that was changed by hand is 3: $command" 3 "solgate accepted seal $run --reason=TEXT" $command "$run"
done
expect "it is sealed by its folder" 0 "" accepted seal "$run" --reason="a typing error"
grep -q '^seal_reason,a typing error$' "$run/env.csv" || fail "the reason stands in its env"
expect "and counts again" 0 "10 within" compare "$run"
edit "$run/env.csv" 's/^state,finished/state,running/'
expect "one that is not finished is not sealed" 3 "this run is not finished" accepted seal "$run" --reason=x
run torn
printf 'hand,large' >>"$run/run.csv"
expect "nor one that is torn" 4 "run.csv:" accepted seal "$run" --reason=x

[ "$failures" = 0 ] || { echo "$failures failed" && exit 1; }
