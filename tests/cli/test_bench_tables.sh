#!/bin/sh
# scripts/bench_tables.sh still makes rows that solgate takes: on a few, whatever the time.
set -eu
scripts=$(cd "$(dirname "$0")/../../scripts" && pwd)
said=$(sh "$scripts/bench_tables.sh" "$1" 5000 2>&1) || true
for command in "compare --format=text" "compare --format=csv" "report --tables-only"; do
  echo "$said" | grep -q "^| $command " || { echo "FAIL: no row of $command: $said"; exit 1; }
done
if echo "$said" | grep "exit"; then
  echo "FAIL: a command refused the rows"
  exit 1
fi
