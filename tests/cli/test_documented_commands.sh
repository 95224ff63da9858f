#!/bin/sh
# Each command line of README.md and of docs/ is one that solgate takes: its command has a -h, which
# names each of the line's options. An indented line that begins with solgate is one, and what is
# set in code within a line.
set -eu
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export SOLGATE_BUILDS="$scratch/builds"

for page in README.md docs/*.md; do
  sed -n -e 's/^    \(build-release\/bin\/\)\{0,1\}\(solgate [a-z].*\)/\2/p' -e 's/`\(solgate [a-z][^`]*\)`/\n\1\n/gp' "$page" |
    sed -n -e 's/  .*//; s/ #.*//; s/ [>|&].*//' -e "s|^solgate|$page|p"
done | sort -u >"$scratch/lines"
[ "$(grep -c ^README.md "$scratch/lines")" -gt 10 ] || {
  echo "FAILED: expected more than 10 commands in README.md"
  exit 1
}

failures=0
while read -r page command words; do
  case $command in
    baseline | builds | history) command="$command ${words%% *}" ;;
  esac
  help=$scratch/$(echo "$command" | tr ' ' _)
  # shellcheck disable=SC2086 # a command may be two words
  [ -e "$help" ] || "$bin/solgate" $command -h >"$help" 2>"$scratch/err" || {
    echo "FAILED: $page: 'solgate $command $words': $(cat "$scratch/err")"
    failures=$((failures + 1))
  }
  for word in $words; do
    case $word in
      --help | --version) continue ;;
      --[a-z]*) option=$(echo "$word" | sed 's/^\(--[a-z0-9-]*\).*/\1/') ;;
      *) continue ;;
    esac
    grep -q -e "^ *\(-[a-z], \)\{0,1\}$option\([=[ ]\|\$\)" "$help" || {
      echo "FAILED: $page: 'solgate $command $words': $option is no option of solgate $command"
      failures=$((failures + 1))
    }
  done
done <"$scratch/lines"
# gnuplot draws the plot of the guide.
awk '/^    set datafile/ { on = 1 } on && !/^    / { exit } on' docs/guide.md >"$scratch/plot.gp"
if command -v gnuplot >"$scratch/where"; then
  gnuplot -e "set terminal dumb; set output '$scratch/plot'" "$scratch/plot.gp" >"$scratch/err" 2>&1 || true
  grep -q 'per_step' "$scratch/plot" && [ ! -s "$scratch/err" ] || {
    echo "FAILED: docs/guide.md: its plot of run.csv: $(cat "$scratch/err")"
    failures=$((failures + 1))
  }
fi
[ "$failures" = 0 ]
