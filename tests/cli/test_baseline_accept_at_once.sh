#!/bin/sh
# Several `baseline accept` into one file at once: each reads what the one before it wrote, and the
# file is always all of one of them.
set -eu
# shellcheck source=tests/cli/hand_lib.sh
. "$(dirname "$0")/hand_lib.sh"

for n in 1 2 3; do
  run "slower.$n"
  edit "$run/run.csv" "s/^hand,large,wide,time_ratio,1,1,0.99[^,]*,1.00[^,]*/hand,large,wide,time_ratio,1,1.0$n,1.0$((n - 1))9,1.0${n}1/"
done
file=$scratch/at_once/hand.csv
for round in 1 2 3; do
  for n in 1 2 3; do
    "$solgate" baseline accept "$scratch/slower.$n" --out="$file" --reason="round $round, number $n" >"$scratch/out.$n" 2>&1 &
  done
  wait
  for n in 1 2 3; do
    grep -q 'rows new' "$scratch/out.$n" || fail "round $round: number $n was not accepted: $(cat "$scratch/out.$n")"
  done
  expect "round $round: what is there is whole" 0 "good" baseline verify "$file" --max-age=99999d
  number=$(sed -n 's/^hand,large,wide,time_ratio,1,1.0\([123]\),.*/\1/p' "$file")
  expect "round $round: and is number $number" 0 "2 unresolved, 8 within" compare "$scratch/slower.$number" "$file"
done
[ "$(find "$scratch/at_once" -type f | wc -l)" = 3 ] || fail "more than three files are left: $(ls "$scratch/at_once")"
[ "$failures" = 0 ]
