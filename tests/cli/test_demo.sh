#!/bin/sh
# test_demo.sh BIN - the suite demo: ten kernels without a GPU, of which `unrolled` has regressed in
# one case, and none with SG_DEMO=accepted.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset SOLGATE_HOME SOLGATE_BASELINES SG_DEMO
failures=0

fail() { echo "FAILED: $*" && failures=$((failures + 1)); }

# compares RUN EXIT [CASE]: the verdict of that run is in RUN.verdict, and ends so.
compares() {
  code=0
  "$bin/solgate" run demo ${3:+"--case=$3"} --out="$1" >"$1.log" 2>&1 || fail "run: exit $?: $(cat "$1.log")"
  "$bin/solgate" compare "$1" ${3:+"--case=$3"} --baselines="$tree/baselines" >"$1.verdict" || code=$?
  [ "$code" = "$2" ] || fail "compare $1: exit $code, expected $2: $(cat "$1.verdict")"
}

compares red 1
grep -q '10 items of suite demo' red.log || fail "ten kernels expected: $(cat red.log)"
[ "$(grep -c '^demo/' red.verdict)" = 1 ] || fail "one row expected: $(cat red.verdict)"
grep -q '^demo/n64k *unrolled *time_ratio .* regressed ' red.verdict || fail "not the kernel that regressed: $(cat red.verdict)"
grep -q '^ *spills: ' red.verdict || fail "the cause is not named: $(cat red.verdict)"
export SG_DEMO=accepted
compares green 0 n64k # the other cases are the same in both
[ "$failures" = 0 ]
