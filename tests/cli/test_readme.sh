#!/bin/sh
# README.md: short, its output is what solgate prints today, its figures are those of the recorded
# runs and of docs/validation.md, and its kernel compiles. docs/gap.md has the tables that solgate
# makes of the recorded runs today. Each command line of README.md and of docs/ is one that solgate
# takes: its command has a -h, which names each of the line's options.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
solgate=$(cd "$1" && pwd)/solgate
if [ ! -d "$tree/tests/data/h200/slow" ]; then
  echo "skipped: no recorded H200 runs in tests/data/h200"
  exit 77
fi
cd "$tree"
unset SOLGATE_HOME SOLGATE_BASELINES
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() { echo "FAILED: $*" && failures=$((failures + 1)); }

sh scripts/docs/update_pages.sh --check --bin="$1" || fail "the output in README.md or docs/gap.md is not current"
[ "$(wc -l <README.md)" -le 147 ] || fail "README.md has $(wc -l <README.md) lines, at most 147 are expected"
awk '/^<!-- compare/ { exit } length($0) > 80 { print; wide = 1 } END { exit wide }' README.md || fail "the first screen of README.md is wider than 80 columns"

# Both percentages of the row are explained below it.
# shellcheck disable=SC2046 # four words
set -- $(sed -n 's|^    matvec/r64_c64_f32 *warp_per_row *time_ratio *\([0-9.]*x\) *\([0-9.]*x\) *+\([0-9.]*\) %.*regressed *+\([0-9.]*\) % slower|\1 \2 \3 \4|p' README.md)
[ $# = 4 ] || fail "README.md has no row of warp_per_row"
grep -q "^$2 is $4 % over the baseline variant .* $3 % over the accepted ratio, $1\.$" README.md || fail "README.md does not explain the row of $*"

# The clean run is green in 20 lines; of the slow one the three slowed rows come first.
code=0
"$solgate" compare tests/data/h200/clean --baselines=baselines >"$work/clean" || code=$?
[ "$code" = 0 ] || fail "compare of the clean run: exit $code, expected 0"
[ "$(wc -l <"$work/clean")" -le 20 ] || fail "compare of the clean run: $(wc -l <"$work/clean") lines, at most 20 are expected"
code=0
"$solgate" compare tests/data/h200/slow --baselines=baselines >"$work/slow" || code=$?
[ "$code" = 1 ] || fail "compare of the slow run: exit $code, expected 1"
[ "$(grep '^matvec/' "$work/slow" | head -n 3 | grep -c 'warp_per_row .*regressed')" = 3 ] || fail "its three slowed rows do not come first"

# What a run finds, against its GPU's numbers and a fleet's.
grep -v '^2eb3df26fe7e2f59,' baselines/smoke.csv >"$work/fleet.csv"
"$solgate" accepted seal "$work/fleet.csv" --reason="without those of the GPU" >"$work/sealed"
"$solgate" compare tests/data/h200/clean "$work/fleet.csv" >"$work/fleet" || fail "compare against the fleet's numbers: exit $?"
for printed in "$work/clean" "$work/fleet"; do
  found=$(sed -n 's/^MDE .*: \(median [0-9.]* %, worst [0-9.]* %\).*/\1/p' "$printed")
  grep -qF "| ${found:-nothing found} |" README.md || fail "README.md does not have the row '$found'"
done

# Its results are rows of validation.md.
sed -n '/^| claim /,$p' README.md | sed 1,2d >"$work/rows"
[ "$(wc -l <"$work/rows")" = 6 ] || fail "six rows of results expected, found $(wc -l <"$work/rows")"
while read -r row; do
  grep -qxF "$row" docs/validation.md || fail "not in docs/validation.md: $row"
done <"$work/rows"

# Its kernel: as C++, with the words of CUDA taken out; by nvcc too, where there is one.
awk '/^```cuda/ { inside = 1; next } /^```/ { inside = 0 } inside' README.md >"$work/strided.cu"
grep -q 'SG_VARIANT(saxpy, strided)' "$work/strided.cu" || fail "README.md has no kernel"
[ "$(wc -l <"$work/strided.cu")" -le 15 ] || fail "a kernel of at most 15 lines is expected"
{
  echo '#include <cmath>'
  echo '#include <cstdint>'
  echo 'typedef void *cudaStream_t; struct place { unsigned x; };'
  echo '#define __global__'
  echo 'static const place blockIdx = {0}, blockDim = {1}, threadIdx = {0}, gridDim = {1};'
  sed 's/<<<.*>>>//' "$work/strided.cu"
} >"$work/strided.cpp"
includes="-I$tree/kernels -I$tree/examples/project/saxpy"
if cxx=$(command -v c++ || command -v g++ || command -v clang++); then
  # shellcheck disable=SC2086 # two words
  "$cxx" -std=c++20 $includes -c "$work/strided.cpp" -o "$work/strided.o" || fail "the kernel does not compile"
fi
if nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>"$work/none"); then
  # shellcheck disable=SC2086
  "$nvcc" -std=c++20 $includes -c "$work/strided.cu" -o "$work/strided_cuda.o" 2>"$work/log" || {
    cat "$work/log"
    fail "nvcc does not compile the kernel"
  }
fi

# ---- command lines: indented lines that begin with solgate, and code within a line

for page in README.md docs/*.md; do
  sed -n -e 's/^    \(build-release\/bin\/\)\{0,1\}\(solgate [a-z].*\)/\2/p' -e 's/`\(solgate [a-z][^`]*\)`/\n\1\n/gp' "$page" |
    sed -n -e 's/  .*//; s/ #.*//; s/ [>|&].*//' -e "s|^solgate|$page|p"
done | sort -u >"$work/lines"
[ "$(grep -c ^README.md "$work/lines")" -gt 10 ] || fail "expected more than 10 commands in README.md"

while read -r page command words; do
  case $command in
    accepted | builds | history) command="$command ${words%% *}" ;;
  esac
  help=$work/$(echo "$command" | tr ' ' _)
  # shellcheck disable=SC2086 # a command may be two words
  [ -e "$help" ] || "$solgate" $command -h >"$help" 2>"$work/err" ||
    fail "$page: 'solgate $command $words': $(cat "$work/err")"
  for word in $words; do
    case $word in
      --help | --version) continue ;;
      --[a-z]*) option=$(echo "$word" | sed 's/^\(--[a-z0-9-]*\).*/\1/') ;;
      *) continue ;;
    esac
    grep -q -e "^ *\(-[a-z], \)\{0,1\}$option\([=[ ]\|\$\)" "$help" ||
      fail "$page: 'solgate $command $words': $option is no option of solgate $command"
  done
done <"$work/lines"
# gnuplot draws the plot of the guide.
awk '/^    set datafile/ { on = 1 } on && !/^    / { exit } on' docs/guide.md >"$work/plot.gp"
if command -v gnuplot >"$work/where"; then
  gnuplot -e "set terminal dumb; set output '$work/plot'" "$work/plot.gp" >"$work/err" 2>&1 || true
  grep -q 'per_step' "$work/plot" && [ ! -s "$work/err" ] ||
    fail "docs/guide.md: its plot of run.csv: $(cat "$work/err")"
fi
[ "$failures" = 0 ]
