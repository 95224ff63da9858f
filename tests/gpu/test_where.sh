#!/bin/sh
# PC samples on a real GPU: of ten kernels the shares of the reasons are within 5 points of the
# stall counters, instructions have their machine code and their lines, and samples are kept. Not
# of stream_copy: stores at exit are sampled for longer than they are counted (docs/validation.md).
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"
command -v nvdisasm >/dev/null || {
  echo "skipped: no nvdisasm on PATH"
  exit 77
}

"$bin/solgate" run crosscheck --metrics=stall --out="$work/run" >"$work/said" 2>&1 || fail "run: exit $?: $(tail -n 1 "$work/said")"
"$bin/solgate" run smoke --case=r2048_c2048_f32 --metrics=stall --out="$work/small" >"$work/said" 2>&1 || [ $? = 2 ] ||
  fail "run smoke: $(tail -n 1 "$work/said")"

# pair RUN FAMILY/CASE BASE CAND: samples of both
pair() {
  "$bin/solgate" explain "$work/$1" "$2" "$3" "$4" --where >"$work/said" 2>&1 ||
    fail "explain $3 $4: exit $?: $(tail -n 1 "$work/said")"
}

matvec=matvec/r28672_c8192_bf16
pair run $matvec vec16_rows scalar_loads
pair run $matvec block_reduce warp_per_row
pair run $matvec uncoalesced cublas
pair run reference/fma_chain_50us pinned pinned_1pct
pair run reference/fma_chain_50us pinned pinned_2pct
pair small matvec/r2048_c2048_f32 warp_per_row scalar_loads
grep -q '^matvec,.*,warp_per_row,.* LDG.*,long_scoreboard,' "$work/run/pc_samples.csv" || fail "no wait is charged to a load"
cp "$work/run/pc_samples.csv" "$work/before"
pair run $matvec vec16_rows scalar_loads
cmp -s "$work/before" "$work/run/pc_samples.csv" || fail "samples that were there were taken again"
# each reason of each variant
for run in run small; do
  awk -F , -v limit=5 -f "$(dirname "$0")/../shares.awk" "$work/$run/run.csv" "$work/$run/pc_samples.csv" >"$work/differ"
  [ ! -s "$work/differ" ] || fail "$run: $(cat "$work/differ")"
done
[ "$failures" = 0 ]
