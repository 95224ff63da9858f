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

# compares RUN EXIT [FILTER...]: the verdict of that run is in RUN.verdict, and ends so.
compares() {
  run=$1 wanted=$2 code=0
  shift 2
  "$bin/solgate" run demo "$@" --out="$run" >"$run.log" 2>&1 || fail "run: exit $?: $(cat "$run.log")"
  "$bin/solgate" compare "$run" "$@" --baselines="$tree/baselines" >"$run.verdict" || code=$?
  [ "$code" = "$wanted" ] || fail "compare $run: exit $code, expected $wanted: $(cat "$run.verdict")"
}

compares red 1
grep -q '10 items of suite demo' red.log || fail "ten kernels expected: $(cat red.log)"
[ "$(grep -c '^demo/' red.verdict)" = 1 ] || fail "one row expected: $(cat red.verdict)"
grep -q '^demo/n64k *unrolled *time_ratio .* regressed ' red.verdict || fail "not the kernel that regressed: $(cat red.verdict)"
grep -q '^ *spills: ' red.verdict || fail "the cause is not named: $(cat red.verdict)"
export SG_DEMO=accepted
compares green 0 --case=n64k --variant=unrolled # the others are the same in both
[ "$failures" = 0 ]
