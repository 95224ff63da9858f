#!/bin/sh
# A clean L2 on a real GPU: inputs come from DRAM as with a cold one, lines that a kernel
# asked to keep too; no flush's lines are written back beside the kernel; and the kernel that
# flushes is in no count and no time.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

large=matvec,r18432_c7168_bf16,warp_per_row # 264 MB, several times the L2
pair=matvec,r1_c1048576_f32,vec16_rows      # two kernels a launch
kept=group_gemm,g1_m512_n4096_k4096_bf16,evict_last

for l2 in cold clean; do
  {
    printf '[suite]\ntitle = flushed\nl2 = %s\ntolerance = 1%%\nprocesses = 5\nblocks = 4\nlaunches = 2\ndeadline = 60s\n' $l2
    printf 'metrics = dram_read_bytes\nmetrics = dram_write_bytes\nmetrics = instructions\nmetrics = kernels\n'
    printf '\n[matvec]\ncase = r18432_c7168_bf16\ncase = r2048_c2048_f32\ncase = r1_c1048576_f32\nvariant = warp_per_row\n'
    printf '\n[group_gemm]\ncase = g1_m512_n4096_k4096_bf16\nvariant = evict_last\n'
  } >"$work/$l2.suite"
  "$bin/solgate" run "$work/$l2.suite" --out="$work/$l2" >"$work/said" 2>&1 || fail "run, $l2: exit $?: $(tail -n 1 "$work/said")"
done

# value L2 ITEM METRIC
value() { sed -n "s/^$2,$3,[^,]*,\([^,]*\),.*/\1/p" "$work/$1/run.csv"; }
# holds WHAT EXPRESSION X [Y]: both are there, and the expression is true of them
holds() {
  awk -v x="$3" -v y="${4-0}" "BEGIN { exit !(x != \"\" && y != \"\" && $2) }" || fail "$1: $2 does not hold for x = '$3', y = '${4-}'"
}

# Whatever is judged read about its compulsory bytes from DRAM: what fits into the L2 too, and
# what evict_last should keep there.
for item in "$large" matvec,r2048_c2048_f32,vec16_rows "$pair" "$kept"; do
  grep -q "^$item,l2_state,.*,ok,,,$" "$work/clean/run.csv" || fail "$item: no l2_state that is ok"
  holds "$item: DRAM reads over compulsory ones" 'x > 0.95 && x < 1.25' "$(value clean "$item" l2_state)"
done

holds "bytes written beside the kernel, clean and cold" 'y > 4e6 && x < y / 5' "$(value clean "$large" dram_write_bytes)" \
  "$(value cold "$large" dram_write_bytes)"

# What the kernel itself does is the same, so no kernel of the flush is taken for one of its own.
[ "$(value clean "$pair" kernels)" = 2 ] || fail "expected two kernels, found $(value clean "$pair" kernels)"
for metric in kernels instructions; do
  for l2 in cold clean; do
    grep "^matvec,.*,$metric," "$work/$l2/run.csv" >"$work/$l2.$metric"
  done
  [ "$(wc -l <"$work/clean.$metric")" = 6 ] || fail "expected $metric of 6 items, found $(wc -l <"$work/clean.$metric")"
  cmp -s "$work/cold.$metric" "$work/clean.$metric" || fail "$metric differ: $(diff "$work/cold.$metric" "$work/clean.$metric")"
done

# Reading three times the L2 takes as long as half of this kernel or more.
holds "time, clean and cold" 'x > 0.7 * y && x < 1.05 * y' "$(value clean "$large" time)" "$(value cold "$large" time)"

"$bin/solgate" compare "$work/clean" "$work/cold" >"$work/said" 2>&1
code=$?
[ $code = 3 ] || fail "runs of two states were compared: exit $code"
[ "$failures" = 0 ]
