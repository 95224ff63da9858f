#!/bin/sh
# The GEMM is right at its edges, in bf16 and in e4m3: one block of k, as many as stages, one less,
# one more, ragged ends; what it cannot do it refuses; what is broken on purpose is found out.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

# Every case but those that take long to verify and are in the suites, and one of these, in
# which one accumulator loses too much.
cases() {
  "$bin/solgate" list cases --format=csv |
    awk -F, '$1 == "blockscaled_gemm" && ($2 !~ /8192|16384|7168/ || $2 == "m4096_n4096_k16384_t256x128_e4m3_uniform") { print "case = " $2 }'
}

suite() {
  printf '[suite]\ntitle = edges\nl2 = warm\ntolerance = 1%%\nmetrics = quick\nprocesses = 5\nblocks = 4\nlaunches = 1\ndeadline = 60s\n\n'
  printf '[blockscaled_gemm]\n'
  cases
  printf 'variant = baseline\nvariant = early_release\nvariant = smem_5ab_4c_overflow\nvariant = hang_setmaxnreg\nvariant = hang_expect_tx\n'
  printf 'variant = no_promotion\nvariant = one_accumulator\nvariant = wrong_scale_layout\nvariant = spill_mild\nvariant = smem_5ab_4c\nvariant = store_global\n'
  printf 'variant = acc2_always\nvariant = acc2_spill\nvariant = stages_2\n'
}

suite >"$work/edges.suite"
"$bin/solgate" run "$work/edges.suite" --out="$work/run" >"$work/said" 2>&1 || fail "run: exit $?: $(tail -n 1 "$work/said")"
[ "$(cases | wc -l)" -ge 45 ] || fail "expected 45 cases or more, found $(cases | wc -l)"
for c in $(cases | cut -d' ' -f3); do
  case $c in
  m512_n508_* | m512_n512_k100_* | m512_n512_k136_* | m2099_*) expect "$c" baseline unsupported ;;
  *) expect "$c" baseline ok ;;
  esac
done
expect m4096_n4352_k320_t256x256_bf16 early_release wrong
expect m4096_n4352_k320_t256x256_bf16 smem_5ab_4c_overflow cuda_error
expect m2048_n2048_k512_t128x128_bf16 hang_setmaxnreg hang
expect m2048_n2048_k512_t128x128_bf16 hang_expect_tx hang
expect m4096_n4352_k640_t256x256_e4m3 wrong_scale_layout wrong
expect m4100_n3000_k1040_t256x128_e4m3 wrong_scale_layout wrong
expect m4096_n4352_k640_t256x256_e4m3 smem_5ab_4c_overflow cuda_error
expect_no_surprise
expect m4096_n4352_k640_t256x256_e4m3 spill_mild ok
expect m4100_n4504_k1040_t256x256_e4m3 store_global ok
expect m4096_n2304_k896_t256x128_e4m3 smem_5ab_4c ok
expect m4096_n2304_k448_t256x128_bf16 stages_2 ok
expect m4100_n4504_k1000_t256x256_bf16 acc2_always ok
expect m4096_n4352_k320_t256x256_bf16 acc2_spill ok
expect m4096_n4096_k512_t256x128_e4m3_loose one_accumulator ok
expect m4096_n4096_k4096_t256x256_e4m3_loose one_accumulator ok
expect m4096_n4096_k16384_t256x128_e4m3_uniform no_promotion wrong
[ "$failures" = 0 ]
