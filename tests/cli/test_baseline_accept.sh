#!/bin/sh
# accept. Of some rows, from one night: what changes is shown, the worst first; all other
# rows stay byte for byte, and keep the runs and GPUs that they come from. The same run again
# changes no line, and the accepted numbers of this tree are what solgate writes. Several at once
# into one file: each reads what the one before it wrote, and the file is always all of one of them.
set -eu
# shellcheck source=tests/cli/hand_lib.sh
. "$(dirname "$0")/hand_lib.sh"

# of NAME UNIT: a run on that GPU
of() {
  run "$1"
  echo "gpu_uuid_hash,$2" >>"$run/env.csv"
}
of mon a1
of tue b2
edit "$run/run.csv" 's/^hand,small,wide,sm_clock,Hz,1.755e+09/hand,small,wide,sm_clock,Hz,1.7551e+09/'
expect "numbers of two GPUs" 0 "" accept "$scratch/mon" "$scratch/tue" --reason=fleet
grep -q '^h200,,,,accepted_units,,,,,,,a1+b2,' "$file" || fail "not of two GPUs"
cp "$file" "$scratch/accepted.csv"

# A night on a third one: three slower, one of them by much, one
# faster, and the baseline's registers.
of night c3
edit "$run/run.csv" 's/^\(hand,large,wide,time_ratio,1\),[^,]*,[^,]*,[^,]*/\1,1.04,1.038,1.042/'
edit "$run/run.csv" 's/^\(hand,small,wide,time_ratio,1\),[^,]*,[^,]*,[^,]*/\1,1.09,1.088,1.092/'
edit "$run/run.csv" 's/^\(hand,large,tiled,time_ratio,1\),[^,]*,[^,]*,[^,]*/\1,0.8,0.798,0.802/'
edit "$run/run.csv" 's/^\(hand,large,base,registers,register\),[^,]*/\1,77/'
night=$run

# unwritten WHAT
unwritten() {
  cmp -s "$file" "$scratch/accepted.csv" || fail "$1 writes"
}
# stays PATTERN WHAT: all rows but those that match it
stays() {
  grep '^h200,hand' "$file" | grep -v "$1" >"$scratch/is" || true
  grep '^h200,hand' "$scratch/accepted.csv" | grep -v "$1" | cmp -s - "$scratch/is" || fail "$2: other rows are changed"
}

expect "a dry run shows it" 4 "2 accepted numbers get worse (~ hand/small/wide time_ratio: 1 -> 1.09" accept "$night" --dry-run
expect "with its reason, too" 0 "nothing written (--dry-run)" accept "$night" --dry-run --reason=why
grep '^~' "$scratch/out" | sed 's/:.*//' >"$scratch/order"
printf '~ hand/%s time_ratio\n' small/wide large/wide large/tiled | cmp -s - "$scratch/order" || fail "the worst does not come first"
unwritten "a dry run"
cp "$scratch/out" "$scratch/shown"
expect "one row" 4 "1 accepted numbers get worse (~ hand/large/wide" accept "$night" --case=large --variant=wide
unwritten "what is refused"
expect "one row, dry" 0 "1 changed, 0 gone, 1 worse; nothing written" accept "$night" --case=large --variant=wide --reason=why --dry-run
unwritten "a dry run of one row"
sed 's/; nothing written (--dry-run)//' "$scratch/out" >"$scratch/shown"
expect "one row, with its reason" 0 "~ hand/large/wide time_ratio: 1 -> 1.04" accept "$night" --case=large --variant=wide --reason=why
cmp -s "$scratch/out" "$scratch/shown" || fail "a dry run shows something else than accepting does"
stays '^h200,hand,large,wide,' "one row"
grep -q '^h200,hand,large,wide,time_ratio,1,1.04,.*,why,1:c3,' "$file" || fail "the row and its reason are not there"
grep -q '^h200,hand,large,tiled,time_ratio,.*,2:a1+b2,' "$file" || fail "the others are not of two GPUs any more"

expect "and is shown" 0 ",why,1:c3" accepted show h200/hand --format=csv

expect "by a pattern" 0 "1 changed, 0 gone, 0 worse" accept "$night" --variant='t*d'
stays '^h200,hand,[a-z]*,\(wide\|tiled\),' "a pattern"
grep -q '^h200,hand,large,wide,time_ratio,.*,1:c3,' "$file" || fail "the row that was accepted before lost its origin"
expect "the baseline, where it is named" 0 "0 worse" accept "$night" --variant=base --case=large
grep -q '^h200,hand,large,base,registers,register,77,' "$file" || fail "the baseline is not taken"
stays '^h200,hand,\(large,base\|[a-z]*,wide\|[a-z]*,tiled\),' "the baseline"
expect "nothing that is called so" 4 "no variant of the run is called nobody" accept "$night" --variant=nobody

# Another driver is another file's.
cp -R "$night" "$scratch/driver"
edit "$scratch/driver/env.csv" 's/^driver,.*/driver,590.48/'
expect "of another driver" 3 "its accepted numbers are not comparable: driver is '590.48" accept "$scratch/driver" --variant=wide --reason=why
expect "unless nothing stays" 0 "worse" accept "$scratch/driver" --reason=why
if grep -q ',2:a1+b2,' "$file"; then fail "a whole run has one origin"; fi

# ---- the same again

numbers_as_they_were
# same FILE FILE: have they the same rows?
same() {
  for of in "$1" "$2"; do grep '^[^,]*,[^,]' "$of" >"$scratch/$(basename "$of").rows"; done
  cmp -s "$scratch/$(basename "$1").rows" "$scratch/$(basename "$2").rows" || fail "$1 is not what solgate writes"
}

expect "a first time" 0 "0 worse" accept "$hand/clean" --out="$scratch/once.csv"
cp "$scratch/once.csv" "$scratch/twice.csv"
expect "a second time" 0 ": 0 rows new, 0 changed, 0 gone, 0 worse" accept "$hand/clean" --out="$scratch/twice.csv"
same "$scratch/once.csv" "$scratch/twice.csv"

for numbers in "$tree"/baselines/*.csv; do
  cp "$numbers" "$scratch/kept.csv"
  seal "$scratch/kept.csv"
  same "$numbers" "$scratch/kept.csv"
done

# ---- several at once

for n in 1 2 3; do
  run "slower.$n"
  edit "$run/run.csv" "s/^hand,large,wide,time_ratio,1,1,0.99[^,]*,1.00[^,]*/hand,large,wide,time_ratio,1,1.0$n,1.0$((n - 1))9,1.0${n}1/"
done
file=$scratch/at_once/hand.csv
for round in 1 2 3; do
  for n in 1 2 3; do
    "$solgate" accept "$scratch/slower.$n" --out="$file" --reason="round $round, number $n" >"$scratch/out.$n" 2>&1 &
  done
  wait
  for n in 1 2 3; do
    grep -q 'rows new' "$scratch/out.$n" || fail "round $round: number $n was not accepted: $(cat "$scratch/out.$n")"
  done
  expect "round $round: what is there is whole" 0 "good" accepted verify "$file" --max-age=99999d
  number=$(sed -n 's/^h200,hand,large,wide,time_ratio,1,1.0\([123]\),.*/\1/p' "$file")
  expect "round $round: and is number $number" 0 "2 unresolved, 8 within" compare "$scratch/slower.$number" "$file"
done
[ "$(find "$scratch/at_once" -type f | wc -l)" = 1 ] || fail "more than one file is left: $(ls "$scratch/at_once")"
[ "$failures" = 0 ]
