#!/bin/sh
# One percent more work reads as one percent more time, for a
# clock-bound and for a DRAM-bound kernel.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

"$bin/solgate" run smoke --family=reference --out="$work/run" >"$work/said" 2>&1 || fail "run: exit $?: $(tail -n 1 "$work/said")"
for truth in fma_chain_50us:pinned_1pct:1.01 fma_chain_50us:pinned_2pct:1.02 stream_copy_256mib:pinned_1pct:1.01 stream_copy_256mib:pinned_2pct:1.02; do
  case=${truth%%:*}
  variant=${truth#*:}
  variant=${variant%:*}
  awk -F, -v c="$case" -v v="$variant" -v t="${truth##*:}" '
    $2 == c && $3 == v && $4 == "time_ratio" { found = 1; if ($6 < t - 0.004 || $6 > t + 0.004) { print c "/" v ": read " $6 ", true " t; bad = 1 } }
    END { exit bad || !found }' "$work/run/run.csv" || fail "$case/$variant"
done
[ "$failures" = 0 ]
