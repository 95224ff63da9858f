#!/bin/sh
# A night of 200 rows by the programs that ship, on another GPU than the accepted ones
# (tests/method/fleet_nights.sh): the eight rows that are 1 % slower
# fail it, and none of the others.
# Not under sanitizers: test_run_against_accepted and test_nightly run the same code.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null || {
  echo "skipped: no C compiler to build a module with"
  exit 77
}
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
"$tree/tests/method/fleet_nights.sh" "$1" --nights=1 --first=77 --changed --out="$lines"
"$tree/tests/method/fleet_nights.sh" --table "$lines"
awk -F, '{ nights++ } $7 != 1 || $9 != 8 || $10 > 16 || $12 != 8 || $8 + $9 + $10 + $11 != 200 {
    print "FAILED: expected exit 1, 8 rows regressed, the others that changed as suspects at most, 200 rows in all, found " $0
    exit 1
  }
  END { exit nights != 1 }' "$lines"
