#!/bin/sh
# solgate is killed while it measures a GPU: no worker stays on it, and
# --resume ends with every row there.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

"$bin/solgate" run smoke --family=reference --out="$work/run" >"$work/said" 2>&1 &
solgate=$!
until grep -q '^time:' "$work/said" 2>/dev/null || ! kill -0 $solgate 2>/dev/null; do sleep 0.2; done
sleep 1
kill -9 $solgate
wait $solgate 2>/dev/null
sleep 1
pgrep -f "solgate-worker --pass=time" >/dev/null && fail "a worker outlived solgate"
"$bin/solgate" run smoke --family=reference --out="$work/run" --resume >"$work/said" 2>&1 || fail "--resume: exit $?: $(tail -n 1 "$work/said")"
[ "$(grep -c ',time_ratio,' "$work/run/run.csv")" = 4 ] || fail "time ratios are missing after --resume"
[ "$(grep -c ',count_passes,' "$work/run/run.csv")" = 6 ] || fail "counters are missing after --resume"
[ "$failures" = 0 ]
