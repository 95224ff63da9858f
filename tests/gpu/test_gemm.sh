#!/bin/sh
# The GEMM is right at its edges: one block of k, as many as stages, one less, one more, ragged ends; what it cannot do it refuses; what is
# broken on purpose is found out.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

# Every case but those that take long to verify and are in the suites, and those of e4m3, for which there is no kernel but the vendor's.
cases() {
  "$bin/solgate" list cases --format=csv | awk -F, '$1 == "blockscaled_gemm" && $2 !~ /8192|16384|7168|e4m3/ { print "case = " $2 }'
}

suite() {
  printf '[suite]\ntitle = edges\nl2 = warm\ntolerance = 1%%\nmetrics = quick\nprocesses = 5\nblocks = 4\nlaunches = 1\ndeadline = 60s\n\n'
  printf '[blockscaled_gemm]\n'
  cases
  printf 'variant = baseline\nvariant = early_release\nvariant = smem_5ab_4c_overflow\nvariant = hang_setmaxnreg\nvariant = hang_expect_tx\n'
}

status() { # CASE VARIANT -> the word
  awk -F, -v c="$1" -v v="$2" '$2 == c && $3 == v && $4 == "status" { print $10 }' "$work/run/run.csv"
}

expect() { # CASE VARIANT WORD
  found=$(status "$1" "$2")
  [ "$found" = "$3" ] || fail "$1/$2: expected $3, found '$found'"
}

suite >"$work/edges.suite"
"$bin/solgate" run "$work/edges.suite" --out="$work/run" >"$work/said" 2>&1 || fail "run: exit $?: $(tail -n 1 "$work/said")"
[ "$(cases | wc -l)" -ge 15 ] || fail "expected 15 cases or more, found $(cases | wc -l)"
for c in $(cases | cut -d' ' -f3); do
  case $c in
  m512_n508_* | m512_n512_k100_*) expect "$c" baseline unsupported ;;
  *) expect "$c" baseline ok ;;
  esac
done
expect m4096_n4352_k320_t256x256_bf16 early_release wrong
expect m4096_n4352_k320_t256x256_bf16 smem_5ab_4c_overflow cuda_error
expect m2048_n2048_k512_t128x128_bf16 hang_setmaxnreg hang
expect m2048_n2048_k512_t128x128_bf16 hang_expect_tx hang
[ "$failures" = 0 ]
