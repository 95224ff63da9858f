#!/bin/sh
# history add is killed with SIGKILL at random moments: every night that is there is whole, none
# is there twice, the next add runs.
#
#     test_history_killed.sh BIN [KILLS]   KILLS: default 25
set -eu
# shellcheck source=tests/cli/history_lib.sh
. "$(dirname "$0")/history_lib.sh"

kills=${2:-25}
nights runs 40
took_us=1000000
for whole in 1 2 3 4; do
  rm -rf whole
  begin=$(date +%s%N)
  "$solgate" history add runs/* --history=whole >out 2>err || fail "nights are not added"
  us=$((($(date +%s%N) - begin) / 1000))
  [ "$us" -ge "$took_us" ] || took_us=$us
  echo "whole run $whole: $us us"
done
find whole -name '*.csv' -exec basename {} \; | sort >names

late=0
kill=0
while [ "$kill" -lt "$kills" ]; do
  kill=$((kill + 1))
  [ $((kill % 2)) != 1 ] || rm -rf history
  pause=$(awk -v seed="$kill" -v most="$took_us" 'BEGIN { srand(seed * 7919); rand(); printf "%.6f", rand() * most / 1e6 }')
  "$solgate" history add runs/* >out 2>err &
  pid=$!
  sleep "$pause"
  if kill -s KILL "$pid" 2>/dev/null; then :; else late=$((late + 1)); fi
  wait "$pid" 2>/dev/null || true
  for night in history/h200/s/*.csv; do
    [ ! -e "$night" ] || cmp -s "$night" "whole/h200/s/${night##*/}" || fail "kill $kill: $night is not whole"
  done
  [ $((kill % 2)) != 0 ] || {
    "$solgate" history add runs/* >out 2>err || fail "kill $kill: the next add does not run"
    find history -name '*.csv' -exec basename {} \; | sort | cmp -s names - || fail "kill $kill: not each night is there once: $(find history -type f)"
    "$solgate" history check >out 2>err || fail "kill $kill: check"
  }
done
echo "$kills kills, $late of them too late"
[ "$failures" = 0 ]
