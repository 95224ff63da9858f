#!/bin/sh
# The same instructions on zeros and on random numbers: cycles and counts are equal, power and clock are not, and the row says so.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

for case in mma_2ms mma_fma_3ms; do
  "$bin/solgate" ab power/zeros power/random --case="$case" --out="$work/$case" --format=csv >"$work/$case.csv" 2>"$work/said"
  code=$?
  [ "$code" -le 2 ] || fail "$case: exit $code: $(tail -n 1 "$work/said")"
  grep -q 'power: its visits ran at a clock .* lower' "$work/$case.csv" || fail "$case: no label: $(cat "$work/$case.csv")"
  # A count that differs would make the candidate another kernel, not one of another power. Only a changed row is counted.
  [ "$code" = 1 ] || continue
  awk -F, -v c="$case" '
    $2 == c && $4 == "instructions" { count[$3] = $6 }
    END { if (!count["zeros"] || count["zeros"] != count["random"]) { print c ": " count["zeros"] " and " count["random"] " instructions"; exit 1 } }' \
    "$work/$case/run.csv" || fail "$case: instructions"
done
[ "$failures" = 0 ]
