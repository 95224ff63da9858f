#!/bin/sh
# The main job on a real GPU: every broken variant comes out as what it is, every other row is
# whole, and nothing is worse than accepted.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

"$bin/solgate" run smoke --out="$work/run" >"$work/said" 2>&1 || fail "run smoke: exit $?: $(tail -n 1 "$work/said")"
run=$work/run/run.csv
outcome() { awk -F, -v c="$1" -v v="$2" '$1 == "matvec" && $2 == c && $3 == v && $4 == "status" { print $10 }' "$run"; }
expect() { [ "$(outcome "$1" "$2")" = "$3" ] || fail "$1/$2: '$(outcome "$1" "$2")', expected $3"; }

expect r64_c64_f32 zeros wrong
expect r64_c64_f32 deadlock hang
expect r64_c64_f32 illegal_address cuda_error
expect r64_c64_f32 smem_too_large launch_failed
expect r1000_c1003_bf16 partial_tail wrong
expect r2048_c2048_f32 naive_thread unsupported
for variant in vec16_rows warp_per_row scalar_loads uncoalesced block_reduce cublas; do
  for case in r64_c64_f32 r2048_c2048_f32 r1000_c1003_bf16; do
    expect "$case" "$variant" ok
    for metric in time sm_clock count_passes dram_read_bytes stall_barrier occupancy_theoretical registers sol_gap; do
      grep -q "^matvec,$case,$variant,$metric,[^,]*,[0-9]" "$run" || fail "$case/$variant has no $metric"
    done
  done
done
# What the compiler made of a kernel is found by the name that the driver launches; of a
# library's kernels nothing is known.
for variant in vec16_rows warp_per_row block_reduce; do
  grep -q "^matvec,r2048_c2048_f32,$variant,spill_stores,B,0,.*,ok,,,$" "$run" || fail "nothing is known of how $variant was compiled"
done
grep -q '^matvec,r2048_c2048_f32,cublas,spill_stores,B,,.*,unavailable,' "$run" || fail "something is known of how cuBLAS was compiled"
grep -q ',l2_state,.*,wrong,' "$run" && fail "the L2 was not cold: $(grep ',l2_state,.*,wrong,' "$run" | head -n 1)"
# A row or two may be inconclusive on a GPU that was not among the
# accepted ones; nothing may be worse.
if grep -q "^$(sed -n 's/^gpu,//p' "$work/run/env.csv")," "$(dirname "$0")/../../baselines/smoke.csv"; then
  code=0
  "$bin/solgate" compare "$work/run" >"$work/verdict" 2>&1 || code=$?
  case $code in
    0) ;;
    2) grep -Eq '^[12] inconclusive, ([0-9]+ unresolved, )?[0-9]+ within' "$work/verdict" || fail "compare: $(head -n 1 "$work/verdict")" ;;
    *) fail "compare: exit $code: $(head -n 1 "$work/verdict")" ;;
  esac
fi
[ "$failures" = 0 ]
