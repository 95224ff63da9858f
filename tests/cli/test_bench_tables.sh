#!/bin/sh
# scripts/bench/tables.sh still makes rows that solgate takes: on a few, whatever the time.
set -eu
scripts=$(cd "$(dirname "$0")/../../scripts" && pwd)
said=$(sh "$scripts/bench/tables.sh" "$1" 5000 4 2>&1) || true
for command in "compare --format=text, green" "compare --format=csv, none" "gap" "explain" "baseline accept, of one run" "report --tables-only" "report, 4 cases"; do
  echo "$said" | grep -q "^| $command " || { echo "FAIL: no row of $command: $said"; exit 1; }
done
if echo "$said" | grep "exit"; then
  echo "FAIL: a command refused the rows"
  exit 1
fi
