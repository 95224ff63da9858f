#!/bin/sh
# Not under sanitizers: modules are not sanitized, and other tests run all the rest.
# README.md and the pages for Triton, CUDA and CI: each command block is run, and its output is what
# the page has. The documents are short. Each command line of any page is one that solgate takes:
# its command has a -h, which names each of the line's options.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(cd "$1" && pwd)
solgate=$bin/solgate
cd "$tree"
unset SOLGATE_HOME SOLGATE_BASELINES
for program in git cmake cc python3; do
  command -v $program >/dev/null || { echo "skipped: $program is not installed" && exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() { echo "FAILED: $*" && failures=$((failures + 1)); }

doors="README.md docs/triton.md docs/cuda.md docs/ci.md"
for python in python3 /usr/bin/python3; do
  ! $python -c 'import numpy' 2>/dev/null || break
done
# shellcheck disable=SC2086 # four words
$python -B scripts/docs/blocks.py --bin="$bin" $doors docs/studies/gap.md ||
  fail "pages differ from what runs: scripts/docs/blocks.py --update --bin=$1 PAGE"

# Each command of a door is in a block. What installs or builds is run by another test.
# shellcheck disable=SC2086
awk '/^```/ { fence = !fence } !fence && /^    (solgate|scripts\/|python3|git|cmake)/ { print FILENAME ": " $0; found = 1 } END { exit found }' $doors ||
  fail "commands outside of a block that is run"
# shellcheck disable=SC2086
sed -n '/^```console setup/,/^```$/s/^\$ \(scripts\/[a-z_.]*\).*/\1/p' $doors | sort -u >"$work/setup"
while read -r script; do
  grep -rqlF "$script" .ci tests/cli tests/gpu --include=run --include='*.sh' --exclude=test_readme.sh || fail "no test runs $script"
done <"$work/setup"

[ "$(wc -l <README.md)" -le 110 ] && [ "$(wc -w <README.md)" -le 900 ] || fail "README.md has over 110 lines or 900 words: $(wc README.md)"
[ "$(cat README.md docs/*.md | wc -w)" -le 30500 ] || fail "README.md and docs have $(cat README.md docs/*.md | wc -w) words, at most 30,500 are expected"

# ---- command lines: in a block after $, in an indented line, and as code within a line

for page in README.md docs/*.md; do
  { grep -oE '(^    |^\$ (.* )?|`)solgate [a-z][^`]*' "$page" || true; } | sed 's/^[^s]*\(.* \)\{0,1\}solgate /solgate /; s/^`//' |
    sed -n -e 's/  .*//; s/ #.*//; s/ [>|&].*//' -e "s|^solgate|$page|p"
done | sort -u >"$work/lines"
[ "$(grep -c ^docs/gate.md "$work/lines")" -gt 10 ] || fail "expected more than 10 commands in docs/gate.md"

while read -r page command words; do
  case $command in
    accepted | builds | history) command="$command ${words%% *}" ;;
  esac
  help=$work/$(echo "$command" | tr ' ' _)
  # shellcheck disable=SC2086 # a command may be two words
  [ -e "$help" ] || "$solgate" $command -h >"$help" 2>"$work/err" ||
    fail "$page: 'solgate $command $words': $(cat "$work/err")"
  [ "$command" != bisect ] || "$solgate" ab -h >>"$help" # it takes the options of both
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
# gnuplot draws the plot of docs/reports.md.
awk '/^    set datafile/ { on = 1 } on && !/^    / { exit } on' docs/reports.md >"$work/plot.gp"
if command -v gnuplot >"$work/where"; then
  gnuplot -e "set terminal dumb; set output '$work/plot'" "$work/plot.gp" >"$work/err" 2>&1 || true
  grep -q 'per_step' "$work/plot" && [ ! -s "$work/err" ] ||
    fail "docs/reports.md: its plot of run.csv: $(cat "$work/err")"
fi
[ "$failures" = 0 ]
