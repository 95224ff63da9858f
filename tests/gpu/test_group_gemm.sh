#!/bin/sh
# The grouped GEMM is right at its edges: groups without rows, of one row, of one more and one less than a tile; what it cannot do it
# refuses; what is broken on purpose is found out.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

cases() {
  "$bin/solgate" list cases --format=csv | awk -F, '$1 == "group_gemm" && $2 !~ /7168|2048|4096/ { print "case = " $2 }'
}

suite() {
  printf '[suite]\ntitle = edges\nl2 = warm\ntolerance = 1%%\nmetrics = quick\nprocesses = 5\nblocks = 4\nlaunches = 1\ndeadline = 60s\n\n'
  printf '[group_gemm]\n'
  cases
  printf 'case = g64_m4096_n1024_k1024_bf16\n'
}

suite >"$work/edges.suite"
"$bin/solgate" run "$work/edges.suite" --out="$work/run" >"$work/said" 2>&1 || fail "run: exit $?: $(tail -n 1 "$work/said")"
[ "$(cases | wc -l)" -ge 8 ] || fail "expected 8 cases or more, found $(cases | wc -l)"
for c in $(cases | cut -d' ' -f3) g64_m4096_n1024_k1024_bf16; do
  for v in baseline seed_percta persistent_devmaps loop_launches in_order all_clusters walk_apart fetch_ahead evict_first evict_last evict_normal no_swap bn192 bm64; do
    case $c in
    *_refused_*) expect "$c" $v unsupported ;;
    *) expect "$c" $v ok ;;
    esac
  done
done
expect_no_surprise
for c in g7_m577_n1000_k200_edges_guard_bf16 g3_m1257_n520_k320_deep_guard_bf16 g6_m101_n512_k200_empty_guard_bf16; do
  expect $c tail_overwrite wrong
done
expect g7_m577_n512_k512_edges_bf16 tail_missing unwritten
expect g64_m4096_n1024_k1024_bf16 stale_tensormap wrong
expect g5_m256_n512_k512_empty_bf16 hang_empty_group hang
[ "$failures" = 0 ]
