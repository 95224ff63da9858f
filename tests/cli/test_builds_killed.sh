#!/bin/sh
# baseline accept is killed with SIGKILL at random moments: every build that is listed is whole,
# what is accepted names one that is there, and the next accept runs. Several at once are fine.
#
#     test_builds_killed.sh BIN [KILLS]   KILLS: default 20
set -eu
bin=$(cd "$1" && pwd)
kills=${2:-20}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failures=0
export SOLGATE_BUILDS="$scratch/store" SOLGATE_BASELINES="$scratch/baselines"

fail() {
  echo "FAILED: $*"
  cat out err 2>/dev/null | sed 's/^/    /'
  failures=$((failures + 1))
}

for n in 1 2; do
  cp "$bin/libsg_null.so" "$n.so"
  head -c $((n * 2000000)) /dev/zero >>"$n.so"
  "$bin/solgate" run null --module="$n.so" --case=tiny --variant=ok --out="R$n" >out 2>err || fail "run $n"
done
accept() {
  "$bin/solgate" baseline accept "R$1" --module=1.so --module=2.so --reason=again
}
begin=$(date +%s%N)
accept 1 >out 2>err
us=$((($(date +%s%N) - begin) / 1000))

late=0
kill=0
while [ "$kill" -lt "$kills" ]; do
  kill=$((kill + 1))
  [ $((kill % 3)) != 0 ] || rm -rf store baselines
  pause=$(awk -v seed="$kill" -v most="$us" 'BEGIN { srand(seed * 7919); rand(); printf "%.6f", rand() * most / 1e6 }')
  "$bin/solgate" baseline accept "R$((kill % 2 + 1))" --module=1.so --module=2.so --reason=again >out 2>err &
  pid=$!
  sleep "$pause"
  kill -s KILL "$pid" 2>/dev/null || late=$((late + 1))
  wait "$pid" 2>/dev/null || true
  "$bin/solgate" builds list --format=csv >out 2>err || fail "kill $kill: list"
  ! grep -Eq ',(damaged|missing),' out || fail "kill $kill: a build is not whole, or numbers name one that is not there"
done
echo "$kills kills, $late of them too late"
"$bin/solgate" builds prune >out 2>err || fail "prune"
[ -z "$(find store -name '*.tmp')" ] || fail "prune leaves something torn"

rm -rf store baselines
for n in 1 2 1 2; do
  "$bin/solgate" baseline accept "R$n" --module=1.so --module=2.so --out="$n/null.csv" >"out.$n" 2>&1 &
done
wait
"$bin/solgate" builds list >out 2>err
grep -q '2 whole, 0 damaged, 0 missing, 0 torn' out || fail "several at once"
[ "$failures" = 0 ]
