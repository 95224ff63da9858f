#!/bin/sh
# fleet: of eight simulated GPUs the slow one is named and no other, from runs and from a history;
# what is slower by its GPU is invalid in compare, not regressed.
set -eu
bin=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
fail() {
  echo "FAILED: $*"
  sed 's/^/    /' out
  failures=$((failures + 1))
}

# gpu NAME [TROUBLE]: a run on a simulated GPU of node1
gpu() {
  SOLGATE_NULL_UNIT=$1@node1 SOLGATE_NULL_TROUBLE=${2:-} "$bin/solgate" run demo --case=n4k --out="runs/${3:-$1}" >out 2>&1 || fail "$1: no run"
}

# expect SENTENCE EXIT WORDS COMMAND...
expect() {
  sentence=$1 wanted=$2 words=$3
  shift 3
  code=0
  "$bin/solgate" "$@" >out 2>&1 || code=$?
  [ "$code" = "$wanted" ] || fail "$sentence: exit $code instead of $wanted"
  tr -s ' \n' '  ' <out | grep -qF -e "$words" || fail "$sentence: does not print '$words'"
}

export SOLGATE_BASELINES="$work/numbers" SOLGATE_BUILDS="$work/builds"
for name in a b c d e f g h; do gpu "$name"; done
expect "eight alike" 0 "PASS (exit 0): 8 GPUs as fast as their siblings" fleet runs/*
expect "five of them have too few siblings" 2 "fleet: 5 GPUs, 5 thin" fleet runs/[a-e]
expect "their numbers" 0 "rows new" accept runs/*
gpu a '*:slow' a_slow
expect "a slow GPU" 2 "GPU a of node1 is slow: chain +" fleet runs/a_slow runs/[b-h]
expect "no other" 2 "fleet: 8 GPUs, 1 slow, 7 ok" fleet runs/a_slow runs/[b-h]
expect "and how to drain its node" 2 "scontrol update NodeName=node1 State=DRAIN Reason='GPU a is slow'" fleet runs/a_slow runs/[b-h]
expect "what it measures is invalid" 3 "as its GPU is slower: GPU a, chain +" compare runs/a_slow
expect "nothing is regressed" 3 "5 rows: 1 invalid, 4 within" compare runs/a_slow
! grep -q regressed out || fail "a row of a slow GPU is regressed"
expect "a history" 0 "added" history add runs/a_slow runs/[b-h]
expect "has the same GPUs" 2 "fleet: 8 GPUs, 1 slow, 7 ok" fleet history
expect "csv" 2 "null,a,node1,slow,0.0" fleet history --format=csv
expect "neither a run nor a history" 4 "expected the folder of a history" fleet nowhere
[ "$failures" = 0 ]
