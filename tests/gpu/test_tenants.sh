#!/bin/sh
# Another process allocates and frees 1 GiB of the GPU in a loop: no variant is a leak or flaky for
# it. What was disturbed for a moment is measured again; what was disturbed all along is invalid. A
# variant that leaks is found with the GPU to itself.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"
command -v python3 >/dev/null || {
  echo "skipped: no python3 for the other process"
  exit 77
}

cat >"$work/small.suite" <<'SUITE'
[suite]
title     = beside others
tolerance = 2%
metrics   = quick
processes = 5
blocks    = 8

[matvec]
case    = r64_c64_f32
case    = r2048_c2048_f32
variant = warp_per_row
variant = block_reduce
SUITE

# tenant: until it is killed; returns when it has taken memory once
tenant() {
  rm -f "$work/ready"
  python3 - "$work/ready" <<'PYTHON' &
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
context, memory = ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and cuda.cuCtxSetCurrent(context) == 0
while True:
    assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(1 << 30)) == 0
    assert cuda.cuMemsetD8_v2(memory, ctypes.c_ubyte(1), ctypes.c_size_t(1 << 30)) == 0
    open(sys.argv[1], "w").close()
    time.sleep(0.02)
    assert cuda.cuMemFree_v2(memory) == 0
    time.sleep(0.02)
PYTHON
  tenant=$!
  until [ -e "$work/ready" ] || ! kill -0 $tenant 2>/dev/null; do sleep 0.05; done
  kill -0 $tenant 2>/dev/null || fail "the other process does not run"
}

gone() {
  kill $tenant 2>/dev/null
  wait $tenant 2>/dev/null
}

# ends NAME "EXIT|EXIT" COMMAND...: solgate COMMAND --out=$work/NAME
ends() {
  name=$1 wanted=$2
  shift 2
  "$bin/solgate" "$@" --out="$work/$name" >"$work/$name.said" 2>&1
  code=$?
  echo "$name: exit $code"
  case "|$wanted|" in
  *"|$code|"*) ;;
  *) fail "$name: exit $code, expected $wanted: $(grep -v '^time' "$work/$name.said" | tail -n 5)" ;;
  esac
}

# no_leak NAME: no row of its runs is one, or flaky
no_leak() {
  find "$work/$1" -name run.csv -exec grep -HE ',status,.*,(leak|flaky),' {} + && fail "$1: a leak that is another process's"
  find "$work/$1" -name run.csv | grep -q . || fail "$1: no run.csv"
}

ends alone 0 run "$work/small.suite" --seed=1
ends leak 0 run adversary --case=small --variant=baseline --variant=leaks_each_launch
[ "$(awk -F, '$3 == "leaks_each_launch" && $4 == "status" { print $10 }' "$work/leak/run.csv")" = leak ] || fail "alone: a variant that leaks is not found"

tenant
ends beside 3 run "$work/small.suite" --seed=1
no_leak beside
grep -q '^neighbours,.*computed on the GPU' "$work/beside/env.csv" || fail "beside: env.csv does not state the other process"
ends allowed '0|3' run "$work/small.suite" --seed=1 --allow-shared-gpu
no_leak allowed
ends night 3 nightly --all "$work/small.suite" --seed=1
no_leak night
ends night_allowed '0|2|3' nightly --all "$work/small.suite" --seed=1 --allow-shared-gpu
no_leak night_allowed
"$bin/solgate" run adversary --case=small --variant=baseline --variant=leaks_each_launch --out="$work/both" >"$work/both.said" 2>&1
echo "a variant that leaks, beside it: $(awk -F, '$3 == "leaks_each_launch" && $4 == "status" { print $10 }' "$work/both/run.csv")"
gone

# Beside one or two of its processes.
sed 's/^processes = 5/processes = 20/; s/^blocks    = 8/blocks    = 64/' "$work/small.suite" >"$work/long.suite"
"$bin/solgate" run "$work/long.suite" --seed=1 --out="$work/moment" >"$work/moment.said" 2>&1 &
run=$!
rows() { grep -s '^process,' "$work/moment/run.log" | wc -l; }
until [ "$(rows)" -ge 2 ] || ! kill -0 $run 2>/dev/null; do sleep 0.02; done
tenant
from=$(rows)
until [ "$(rows)" -gt "$from" ] || ! kill -0 $run 2>/dev/null; do sleep 0.02; done
gone
wait $run
code=$?
echo "moment: exit $code, $(grep '^dropped_processes' "$work/moment/env.csv"): $(grep '^events' "$work/moment/env.csv")"
[ "$code" = 0 ] || fail "moment: exit $code: $(tail -n 3 "$work/moment.said")"
grep -q 'dropped (.*beside 1 other process' "$work/moment/env.csv" || fail "moment: no process was measured again"
no_leak moment
[ "$failures" = 0 ]
