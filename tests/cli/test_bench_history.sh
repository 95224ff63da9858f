#!/bin/sh
# scripts/bench/history.sh still makes nights that solgate takes: a few, whatever the time.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
said=$(sh "$tree/scripts/bench/history.sh" "$1" 4 10 12 2>&1) || true
for words in "4 nights of 10 kernels" "| history check " "| history show SERIES "; do
  echo "$said" | grep -q -F "$words" || { echo "FAIL: no '$words': $said"; exit 1; }
done
if echo "$said" | grep "exit"; then
  echo "FAIL: a command refused the nights"
  exit 1
fi
