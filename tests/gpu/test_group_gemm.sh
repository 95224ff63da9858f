#!/bin/sh
# The grouped GEMM is right at its edges, in bf16 and in e4m3: groups without rows,
# of one row, of one more and one less than a tile; what it cannot do it refuses;
# what is broken on purpose is found out.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

# Every case but those that take long to verify and are in the suite, and the 64 groups,
# which blocks come to several of.
cases() {
  "$bin/solgate" list cases --format=csv |
    awk -F, '$1 == "group_gemm" && ($2 !~ /7168|2048|4096/ || $2 ~ /^g64_/) { print $2 }'
}

suite() {
  printf '[suite]\ntitle = edges\nl2 = warm\ntolerance = 1%%\nmetrics = quick\nprocesses = 5\nblocks = 4\nlaunches = 1\ndeadline = 60s\n\n'
  printf '[group_gemm]\n'
  cases | sed 's/^/case = /'
}

# Who runs on every case of a format that has rows at multiples of 16 bytes,
# and who only knows the other one.
of_both='baseline per_cta_tensormaps_rebuilt persistent_devmaps loop_launches in_order evict_normal'
of_bf16='all_clusters walk_apart fetch_ahead evict_first evict_last no_swap bn192 bm64'

# right CASE: the words of everybody who is not broken.
right() {
  other=ok
  case $1 in
    *_refused_*) both=unsupported other=unsupported ;;
    *_e4m3) both=ok other=unsupported ;;
    *) both=ok ;;
  esac
  for v in $of_both; do expect "$1" "$v" "$both"; done
  for v in $of_bf16; do expect "$1" "$v" "$other"; done
}

suite >"$work/edges.suite"
"$bin/solgate" run "$work/edges.suite" --out="$work/run" >"$work/said" 2>&1 || fail "run: exit $?: $(tail -n 1 "$work/said")"
[ "$(cases | wc -l)" -ge 18 ] || fail "expected 18 cases or more, found $(cases | wc -l)"
for c in $(cases); do right "$c"; done
expect_no_surprise

# What is broken on purpose, where it shows; and the vendor's words.
while read -r c v word; do
  expect "$c" "$v" "$word"
done <<'TABLE'
g7_m577_n1000_k200_edges_guard_bf16 tail_overwrite wrong
g3_m1257_n520_k320_deep_guard_bf16 tail_overwrite wrong
g6_m101_n512_k200_empty_guard_bf16 tail_overwrite wrong
g7_m577_n512_k512_edges_bf16 tail_missing unwritten
g64_m4096_n1024_k1024_bf16 stale_tensormap wrong
g5_m256_n512_k512_empty_bf16 hang_empty_group hang
g7_m577_n1000_k208_edges_guard_e4m3 tail_overwrite wrong
g3_m1257_n520_k656_deep_guard_e4m3 tail_overwrite wrong
g6_m101_n512_k208_empty_guard_e4m3 tail_overwrite wrong
g7_m577_n512_k512_edges_e4m3 tail_missing unwritten
g64_m4096_n1024_k1024_e4m3 stale_tensormap wrong
g5_m256_n512_k512_empty_e4m3 hang_empty_group hang
g5_m256_n512_k512_empty_e4m3 cublaslt_graph ok
g64_m4096_n1024_k1024_e4m3 cublaslt_graph ok
g7_m577_n512_k512_edges_e4m3 cublaslt_graph unsupported
g3_m1257_n520_k656_deep_guard_e4m3 cublaslt_graph unsupported
g64_m4096_n1024_k1024_e4m3 cublas_grouped unsupported
TABLE
# Whatever the knobs ask for is right or refused, whatever the baseline would have chosen:
# groups of several tiles, a last one of few tokens. So many configurations have a kernel and
# fit (group_has_tile, gemm_plan.h).
while read -r c count; do
  "$bin/solgate" run "$work/edges.suite" --sweep=group_gemm/baseline --case="$c" --out="$work/sweep.$c" >"$work/said" 2>&1 ||
    fail "sweep of $c: exit $?: $(tail -n 1 "$work/said")"
  awk -F, -v c="$c" -v expected="$count" '
    $4 != "status" || $3 == "baseline" { next }
    { count[$10]++ }
    $10 !~ /^(ok|unsupported)$/ { print "FAIL: " c ": " $3 ": " $10; bad = 1 }
    END {
      if (count["ok"] != expected)
        print "FAIL: " c ": expected " expected " configurations that are right, found " count["ok"] + 0
      exit bad || count["ok"] != expected
    }' "$work/sweep.$c/group_gemm/baseline/choose/run.csv" || failures=$((failures + 1))
done <<'TABLE'
g3_m1257_n520_k320_deep_guard_bf16 54
g3_m1257_n520_k656_deep_guard_e4m3 18
TABLE
# What a file of knobs asks for beside: widths and stages that no kernel has.
while read -r knobs; do
  for c in g3_m1257_n520_k320_deep_guard_bf16 g3_m1257_n520_k656_deep_guard_e4m3; do
    rm -rf "$work/run"
    printf '[group_gemm/baseline]\n%s = %s\n' "$c" "$knobs" >"$work/odd.config"
    "$bin/solgate" run "$work/edges.suite" --variant=baseline --case="$c" --config="$work/odd.config" --out="$work/run" >"$work/said" 2>&1
    expect "$c" baseline unsupported
  done
done <<'KNOBS'
tile_tokens=100
stages=1
KNOBS
[ "$failures" = 0 ]
