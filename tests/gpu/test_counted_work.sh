#!/bin/sh
# Counted work is the declared work, within 2.5 %, where no tile is padded: flop of products of a
# matrix with a vector (sums of partial sums are more) and of matrices; bytes of what DRAM holds.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

cat >"$work/work.suite" <<'SUITE'
[suite]
title     = counted against declared work
l2        = clean
tolerance = 1%
metrics   = work
processes = 5
blocks    = 4
launches  = 2
deadline  = 60s
[stream]
case      = copy_1gib
variant   = copy_8
[matvec]
case      = r28672_c8192_bf16
case      = r18432_c7168_f32
variant   = warp_per_row
[group_gemm]
case      = g64_m4096_n1024_k1024_bf16
case      = g64_m4096_n1024_k1024_e4m3
variant   = baseline
[blockscaled_gemm]
case      = m8192_n8192_k1024_t256x256_bf16
case      = m8192_n8192_k1024_t256x256_f16
case      = m8192_n8192_k1024_t256x256_e4m3
variant   = baseline
SUITE
"$bin/solgate" run "$work/work.suite" --out="$work/run" >"$work/said" 2>&1 || fail "run: exit $?: $(tail -n 1 "$work/said")"
"$bin/solgate" gap "$work/run" --format=csv >"$work/gap.csv"
# From the end of a row, because shapes hold commas.
awk -F, 'NR == 1 { next }
  { name = $1 "/" $2 "/" $3; flop = $(NF - 19); bytes = $(NF - 18) + $(NF - 17); rows++ }
  $(NF - 3) == "" { print name ": nothing was counted"; next }
  flop > 0 && ($(NF - 3) < 0.999 * flop || $(NF - 3) > 1.025 * flop) { print name ": " $(NF - 3) " flop, declared " flop }
  $1 ~ /stream|matvec/ && ($(NF - 2) < 0.97 * bytes || $(NF - 2) > 1.01 * bytes) { print name ": " $(NF - 2) " B, declared " bytes }
  END { if (rows < 11) print rows " rows" }' "$work/gap.csv" >"$work/wrong"
[ ! -s "$work/wrong" ] || fail "$(cat "$work/wrong")"
[ "$failures" = 0 ]
