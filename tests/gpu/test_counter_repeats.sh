#!/bin/sh
# Counts in turns on a real GPU: each item has its own numbers, the same as when it is
# counted once, in as many passes, with any state of the L2; what a slower kernel
# differs in is told with its spread.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

case=r2048_c2048_f32
# count L2 REPEATS OUT: lines of variant,metric,value,low,high,n
count() {
  "$bin/solgate-worker" --pass=count "--module=$bin/libsg_matvec.so" --metric=instructions --metric=global_load_sectors --metric=stall --metric=memory \
    "--set=l2=$1" "--set=repeats=$2" "--item=matvec/$case/vec16_rows" "--item=matvec/$case/uncoalesced" "--item=matvec/$case/cublas" \
    "--item=matvec/$case/warp_per_row" 3>"$work/lines" >"$work/said" 2>&1 || fail "count $1 $2: exit $?: $(tail -n 1 "$work/said")"
  grep '^value,' "$work/lines" | cut -d, -f4,5,7-10 >"$3"
}
value() { sed -n "s/^$2,$3,\([^,]*\),.*/\1/p" "$1"; }

for l2 in cold clean warm; do
  count $l2 1 "$work/once.$l2"
  count $l2 5 "$work/five.$l2"
  for variant in vec16_rows uncoalesced cublas warp_per_row; do
    for metric in instructions global_load_sectors count_passes; do
      once=$(value "$work/once.$l2" $variant $metric)
      five=$(value "$work/five.$l2" $variant $metric)
      if [ -z "$once" ] || [ "$once" != "$five" ]; then
        fail "$l2 $variant $metric: '$once' counted once, '$five' of five"
      fi
    done
    grep -q "^$variant,instructions,\([0-9]*\),\1,\1,5$" "$work/five.$l2" || fail "$l2 $variant: instructions do not repeat"
    grep -q "^$variant,stall_wait,[0-9.]*,[0-9.]*,[0-9.]*,5$" "$work/five.$l2" || fail "$l2 $variant: stall_wait has no range"
  done
  [ "$(value "$work/five.$l2" vec16_rows instructions)" != "$(value "$work/five.$l2" uncoalesced instructions)" ] ||
    fail "$l2: two kernels with the same instructions prove nothing"
done

# A slower kernel's noisy counters are named with their spread.
"$bin/solgate" ab matvec/vec16_rows matvec/uncoalesced "--case=$case" --out="$work/ab" >"$work/said" 2>&1
code=$?
[ $code = 1 ] || fail "ab: exit $code: $(tail -n 1 "$work/said")"
"$bin/solgate" explain "$work/ab" "matvec/$case" vec16_rows uncoalesced >"$work/explained"
grep -q ' +- ' "$work/explained" || fail "no counter is told with its spread: $(cat "$work/explained")"
"$bin/solgate" explain "$work/ab" "matvec/$case" vec16_rows vec16_rows >"$work/explained"
grep -q '^no counter moved' "$work/explained" || fail "a kernel moved against itself: $(cat "$work/explained")"
[ "$failures" = 0 ]
