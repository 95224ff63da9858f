#!/bin/sh
# The block-sparse GEMM is right at its edges: rows without blocks, one block, sides that end inside
# of a block; what it cannot do it refuses; what is broken on purpose is found out.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

# Every case but those that take long to verify and are in the suite.
cases() {
  "$bin/solgate" list cases --format=csv | awk -F, '$1 == "bsr_gemm" && $2 !~ /^m(8192|4096)_/ { print $2 }'
}

suite() {
  printf '[suite]\ntitle = edges\nl2 = warm\ntolerance = 1%%\nmetrics = quick\nprocesses = 5\nblocks = 4\nlaunches = 1\ndeadline = 60s\n\n'
  printf '[bsr_gemm]\n'
  cases | sed 's/^/case = /'
}

suite >"$work/edges.suite"
"$bin/solgate" run "$work/edges.suite" --out="$work/run" >"$work/said" 2>&1 || fail "run: exit $?: $(tail -n 1 "$work/said")"
[ "$(cases | wc -l)" -ge 12 ] || fail "expected 12 cases or more, found $(cases | wc -l)"
for c in $(cases); do
  word=ok
  [ "$c" = m512_n508_k512_uniform50 ] && word=unsupported
  for v in baseline row_order block_per_row half2_vec4 transposed_b; do expect "$c" "$v" "$word"; done
done
expect_no_surprise

# What is broken on purpose, where it shows.
while read -r c v word; do
  expect "$c" "$v" "$word"
done <<'TABLE'
m1024_n512_k1024_all f16_sums wrong
m1024_n512_k1024_all double_buffer_race wrong
m1024_n512_k1024_all pipeline_off_by_one wrong
m1024_n512_k1024_all ilp4_wrong_k wrong
m1024_n512_k1024_all two_tiles_overlap wrong
m1024_n512_k1024_all column_out_of_range cuda_error
m1024_n512_k1024_all stale_index wrong
m1024_n512_k1024_gaps empty_row_unwritten unwritten
m1024_n512_k1024_none empty_row_unwritten unwritten
m128_n128_k128_all double_buffer_race wrong
m128_n128_k128_all stale_index unsupported
m129_n136_k129_all pipeline_off_by_one unsupported
m1000_n520_k1000_all cusparse unsupported
TABLE
# Whatever the knobs ask for is right or refused: three numbers of stages by three
# clusters of 256 columns and one of 128.
"$bin/solgate" run "$work/edges.suite" --sweep=bsr_gemm/baseline --case=m2100_n1992_k1900_power --out="$work/sweep" >"$work/said" 2>&1 ||
  fail "sweep: exit $?: $(tail -n 1 "$work/said")"
awk -F, '
  $4 != "status" || $3 == "baseline" { next }
  $10 == "ok" { right++ }
  $10 !~ /^(ok|unsupported)$/ { print "FAIL: " $3 ": " $10; bad = 1 }
  END {
    if (right != 12)
      print "FAIL: expected 12 configurations that are right, found " right + 0
    exit bad || right != 12
  }' "$work/sweep/bsr_gemm/baseline/choose/run.csv" || failures=$((failures + 1))
[ "$failures" = 0 ]
