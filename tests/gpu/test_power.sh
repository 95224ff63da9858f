#!/bin/sh
# The same instructions on zeros and on random numbers: cycles and counts are equal, power and
# clock are not, and the row says so.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

"$bin/solgate" ab power/zeros power/random --case=mma_fma_3ms --out="$work/gate" --format=csv >"$work/gate.csv" 2>"$work/said"
code=$?
[ "$code" -le 2 ] || fail "exit $code: $(tail -n 1 "$work/said")"
grep -q 'power: its batches ran at a clock .* lower' "$work/gate.csv" || fail "no label: $(cat "$work/gate.csv")"
# A count that differs would make the candidate another kernel, not one of another
# power. Only a changed row is counted.
[ "$code" != 1 ] || awk -F, '
  $4 == "instructions" { count[$3] = $6 }
  END { if (!count["zeros"] || count["zeros"] != count["random"]) { print count["zeros"] " and " count["random"] " instructions"; exit 1 } }' \
  "$work/gate/run.csv" || fail "instructions"
[ "$failures" = 0 ]
