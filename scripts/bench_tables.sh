#!/bin/sh
# Time and memory of the tables of a large run: compare as text and as CSV, and a report without charts, over made-up rows.
#
#     scripts/bench_tables.sh [BIN] [ROWS]        BIN: folder of solgate (default build-release/bin); ROWS: default 1000000
#
# The targets for 1,000,000 rows on two idle cores are 2 s and 300 MB each. Prints a table, exits 1 if one is missed; not part of the
# tests: on a busy machine the seconds mean little, the processor seconds (of both threads together) a little more.
set -eu

bin=$(cd "${1:-build-release/bin}" && pwd)
rows=${2:-1000000}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

${CC:-cc} -std=c17 -O2 -D_DEFAULT_SOURCE -o "$work/bench" "$here/bench_tables.c"
mkdir "$work/run"
"$work/bench" generate "$rows" "$work/run" "$work/accepted.csv"
"$bin/solgate" baseline seal "$work/accepted.csv" --reason='made up'

missed=0
# row NAME COMMAND...
row() {
  name=$1
  shift
  "$work/bench" measure "$@" >"$work/figures" 2>"$work/err"
  # What the command prints is before the figures.
  figures=$(tail -n 1 "$work/figures")
  # shellcheck disable=SC2086 # four words
  set -- $figures
  ok=$(awk -v s="$1" -v m="$3" 'BEGIN { print (s <= 2 && m <= 300) ? "yes" : "no" }')
  [ "$4" = 0 ] || [ "$4" = 1 ] || { echo "$name: exit $4: $(cat "$work/err")" >&2; ok=no; }
  [ "$ok" = yes ] || missed=1
  printf '| %-24s | %6s | %6s | %6s | %-3s |\n' "$name" "$1" "$2" "$3" "$ok"
}

echo "$rows rows in the run, $rows accepted; one variant in a hundred is 5 % slower"
echo
printf '| %-24s | %6s | %6s | %6s | %-3s |\n' "command" "s" "cpu s" "MB" "met"
printf '|%s|%s|%s|%s|%s|\n' "--------------------------" "-------:" "-------:" "-------:" "-----"
row "compare --format=text" "$bin/solgate" compare "$work/run" "$work/accepted.csv"
row "compare --format=csv" "$bin/solgate" compare "$work/run" "$work/accepted.csv" --format=csv
row "report --tables-only" "$bin/solgate" report "$work/run" --baseline="$work/accepted.csv" --out="$work/report" --tables-only
exit $missed
