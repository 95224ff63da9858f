#!/bin/sh
# Somebody's work log of a grouped GEMM on a B200 (tests/data/b200/grouped_*): each figure of its
# four tables, to the digit that it prints.
set -eu

solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
data=$tree/tests/data/b200
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOLGATE_HOME=$tree
export SOLGATE_HOME
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# pick CASE: its name, into $name.
pick() {
  case $1 in
    1) name=g8_m1024_n4096_k7168_e2m1 ;;
    2) name=g8_m1024_n7168_k2048_e2m1 ;;
    3) name=g2_m512_n3072_k4096_e2m1 ;;
    *) name=g2_m512_n4096_k1536_e2m1 ;;
  esac
}

# column FILE NAME: the number of the column in a CSV of gap or compare.
column() {
  sed -n 1p "$1" | tr ',' '\n' | grep -nx "$2" | cut -d: -f1
}

# field FILE CASE NAME: of the row of a case; only the last column of these files has commas in it,
# or shape, which is not asked for here.
field() {
  awk -F, -v c="$2" -v at="$(column "$1" "$3")" '$2 == c { print $at }' "$1"
}

# is SENTENCE FORMAT VALUE EXPECTED: a value printed as the log prints it.
is() {
  # shellcheck disable=SC2059 # the format is a row's
  found=$(printf "$2" "$3")
  [ "$found" = "$4" ] || fail "$1: $found, the log has $4"
}

for run in baseline gap_analysis fastest acc1_c1; do
  "$solgate" gap "$data/grouped_$run" --gpu-spec=b200 --format=csv >"$work/gap_$run"
  "$solgate" compare "$data/grouped_$run" "$data/grouped_baseline" --format=csv >"$work/compare_$run" || fail "$run: compare ends with $?"
done

# "Gap Analysis": SOL in us, to three digits as its bytes give it and to one as
# it is printed; Current in us; Gap.
while read -r case sol printed current gap; do
  pick "$case"
  csv=$work/gap_gap_analysis
  us=$(field "$csv" "$name" sol_time_ns | awk '{ printf "%.9f", $1 / 1000 }')
  is "case $case: speed of light" %.3f "$us" "$sol"
  is "case $case: speed of light as printed" %.1f "$us" "$printed"
  is "case $case: current" %g "$(field "$csv" "$name" time_ns)" "${current}000"
  is "case $case: gap" %.0fx "$(field "$csv" "$name" gap)" "$gap"
  is "case $case: what binds" %s "$(field "$csv" "$name" bound)" memory
done <<'TABLE'
1 18.833 18.8 251 13x
2 10.667 10.7 255 24x
3 2.406 2.4 127 53x
4 1.525 1.5 123 81x
TABLE
# The log has 82x in case 4: 123 over its rounded 1.5. Over 1.525 it is 80.7.
is "case 4: the gap that the log has" %.0fx "$(awk 'BEGIN { print 123 / 1.5 }')" 82x
is "case 4: over its limit to three digits" %.1f "$(awk 'BEGIN { print 123 / 1.525 }')" 80.7
is "case 4: over its limit unrounded" %.2f "$(field "$work/gap_gap_analysis" "$name" gap)" 80.64

# "Baseline", "Current (with all optimizations)", "Fastest", "Current (acc=1, c=1)": time in us,
# change and speedup against the baseline.
while read -r run case us change speedup; do
  pick "$case"
  csv=$work/compare_$run
  ns=$(field "$csv" "$name" now)
  is "$run, case $case: time" %g "$(awk -v ns="$ns" 'BEGIN { print ns / 1000 }')" "$us"
  is "$run, case $case: change" %+.0f%% "$(field "$csv" "$name" change | awk '{ print 100 * $1 }')" "$change"
  is "$run, case $case: speedup" %.2fx "$(awk -v was="$(field "$csv" "$name" accepted)" -v ns="$ns" 'BEGIN { print was / ns }')" "$speedup"
done <<'TABLE'
baseline 1 326 +0% 1.00x
baseline 2 388 +0% 1.00x
baseline 3 168 +0% 1.00x
baseline 4 154 +0% 1.00x
fastest 1 126 -61% 2.59x
fastest 2 129 -67% 3.01x
fastest 3 90.5 -46% 1.86x
fastest 4 91 -41% 1.69x
acc1_c1 1 137 -58% 2.38x
acc1_c1 2 138 -64% 2.81x
acc1_c1 3 87.9 -48% 1.91x
acc1_c1 4 84.2 -45% 1.83x
TABLE

# The work in the runs is that of their shapes, and so is the limit that needs no run.
while read -r case m n k; do
  pick "$case"
  "$solgate" sol gemm m="$m" n="$n" k="$k" --dtype=e2m1 scale_block=16 --gpu-spec=b200 --format=csv >"$work/sol"
  for run in baseline gap_analysis fastest acc1_c1; do
    for figure in sol_time_ns sol_compute_ns bound intensity_flop_per_b; do
      [ "$(field "$work/sol" asked $figure)" = "$(field "$work/gap_$run" "$name" $figure)" ] || fail "$run, case $case: $figure is not of its shape"
    done
    grep -q "^group_gemm,$name,cute_dsl,shape,,,,,,ok,m=$(echo "$m" | tr , +) n=$n k=$k groups=" "$data/grouped_$run/run.csv" ||
      fail "$run, case $case: another shape"
  done
done <<'TABLE'
1 80,176,128,72,64,248,96,160 4096 7168
2 40,76,168,72,164,148,196,160 7168 2048
3 192,320 3072 4096
4 128,384 4096 1536
TABLE
# nvfp4 is e2m1 with a scale for each 16.
"$solgate" sol gemm m=192,320 n=3072 k=4096 --dtype=NVFP4 --gpu-spec=b200 --format=csv >"$work/sol"
[ "$(field "$work/sol" asked sol_time_ns)" = "$(field "$work/gap_baseline" g2_m512_n3072_k4096_e2m1 sol_time_ns)" ] || fail "nvfp4 is another format"

# In e4m3, with four bytes for 128 of a row of A and for 128x128 of B:
# 242507776 bytes read and 8388608 written.
"$solgate" sol gemm m=80,176,128,72,64,248,96,160 n=4096 k=7168 --dtype=e4m3 --out-dtype=bf16 scale_block=128 scale_bytes=4 scale_rows=128 \
  --gpu-spec=h200 --format=csv >"$work/sol"
[ "$(field "$work/sol" asked sol_time_ns)" = 52270.08 ] || fail "scales of blocks of B: $(field "$work/sol" asked sol_time_ns) ns"

# Bad command lines are goldens.
"$solgate" sol gemm m=1 n=1 k=1 --gpu-spec=b200 --time=1ns --format=csv | grep -q ',yes,invalid,' && fail "1 ns is enough for 6 bytes"
"$solgate" sol gemm m=8192 n=8192 k=8192 --gpu-spec=b200 --time=1us --format=csv | grep -q ',yes,invalid,' || fail "faster than physics is not invalid"

[ "$failures" = 0 ]
