#!/bin/sh
# gate.sh [--bin=DIR] [--repeat=3] [--out=DIR] [--suite=bench_gate] [--pair="BASELINE CANDIDATE
# --case=C"]... - how long a merge gate takes.
#
# Needs a GPU and the built programs in DIR (build-release/bin); no compiler. Prints a markdown
# table (also in OUT/bench_gate.md) of the median wall times, verification, start-up and counters
# included: `solgate ab` of one pair (fma_120us, copy_120us, and 470 MB of matvec, all of them about
# 100 us, if no --pair is given), and `solgate run` of the suite, whose pairs are counted. --repeat
# is odd. Exit 1 when a pair takes over 8 s, or the suite, which has 50, over 90 s.
set -eu

scripts=$(cd "$(dirname "$0")/.." && pwd)
bin=$scripts/../build-release/bin
repeat=3
out=out/bench_gate
suite=bench_gate
pairs=
newline='
'
for argument in "$@"; do
  case $argument in
    --bin=?*) bin=${argument#--bin=} ;;
    --repeat=*[13579]) repeat=${argument#--repeat=} ;;
    --out=?*) out=${argument#--out=} ;;
    --suite=?*) suite=${argument#--suite=} ;;
    --pair=?*) pairs=$pairs${argument#--pair=}$newline ;;
    *)
      echo "gate.sh: unknown argument $argument (known: --bin= --repeat= (an odd number) --out= --suite= --pair=)" >&2
      exit 4
      ;;
  esac
done
[ -n "$pairs" ] || pairs="injected/exact injected/work_100 --case=fma_120us
injected/exact injected/work_100 --case=copy_120us
matvec/vec16_rows matvec/warp_per_row --case=r28672_c8192_bf16
"
[ -x "$bin/solgate" ] || {
  echo "gate.sh: $bin/solgate is not there" >&2
  exit 3
}

# What a gate says costs no time: a slower candidate, one that cannot be decided, a suite's
# variant that is broken on purpose.
passes="0 1 2 5"
# shellcheck source=scripts/lib/bench_lib.sh
. "$scripts/lib/bench_lib.sh"

# once COMMAND...: solgate, with a new folder for its run
once() {
  rm -rf "$out/run"
  "$bin/solgate" "$@" --out="$out/run" </dev/null
}

# row WHAT PAIRS SECONDS TARGET
row() {
  awk -v what="$1" -v pairs="$2" -v seconds="$3" -v target="$4" \
    'BEGIN { printf "| `%s` | %d | %.1f s | %g s | %.2f |\n", what, pairs, seconds, target, seconds / target }'
}

mkdir -p "$out"
table=$out/bench_gate.md
{
  echo "Wall times of gates, $(date -u +%Y-%m-%d); median of $repeat."
  echo
  echo "| what | pairs | wall time | target | of the target |"
  echo "|---|---|---|---|---|"
} >"$table"
number=0
printf %s "$pairs" >"$out/pairs.txt"
while read -r pair; do
  number=$((number + 1))
  # shellcheck disable=SC2086 # arguments, one a word
  seconds=$(median "pair$number" once ab $pair)
  row "solgate ab $pair" 1 "$seconds" 8 >>"$table"
done <"$out/pairs.txt"
seconds=$(median suite once run "$suite")
# A pair of a baseline with itself belongs to the gate, and is no candidate.
candidates=$(awk -F, '$4 == "time_ratio" && $6 != "" && $11 != "against " $3 { n++ } END { print n + 0 }' "$out/run/run.csv")
if [ "$candidates" = 0 ]; then
  echo "gate.sh: $out/run/run.csv: expected time ratios of candidates, found none" >&2
  exit 3
fi
row "solgate run $suite" "$candidates" "$seconds" 90 >>"$table"
cat "$table"
awk -F' [|] ' '/^[|] `/ && $5 + 0 > 1 { over = 1 } END { exit over }' "$table"
