#!/bin/sh
# test_baseline_rewrite.sh BIN - accepting the same run again changes no line of accepted numbers,
# and the accepted numbers of this tree are what solgate writes.
set -eu
# shellcheck source=tests/cli/hand_lib.sh
. "$(dirname "$0")/hand_lib.sh"

# same FILE FILE: have they the same tables?
same() {
  for part in csv counters.csv; do
    cmp -s "${1%.csv}.$part" "${2%.csv}.$part" || fail "${1%.csv}.$part is not what solgate writes"
  done
}

expect "a first time" 0 "0 worse" baseline accept "$hand/clean" --out="$scratch/once.csv"
copy_numbers "$scratch/once.csv" "$scratch/twice.csv"
expect "a second time" 0 ": 0 rows new, 0 changed, 0 gone, 0 worse" baseline accept "$hand/clean" --out="$scratch/twice.csv"
same "$scratch/once.csv" "$scratch/twice.csv"

find "$tree/baselines" -name '*.env.csv' | sort >"$scratch/env"
while read -r env; do
  copy_numbers "${env%.env.csv}.csv" "$scratch/kept.csv"
  seal "$scratch/kept.csv"
  same "${env%.env.csv}.csv" "$scratch/kept.csv"
done <"$scratch/env"
[ "$failures" = 0 ]
