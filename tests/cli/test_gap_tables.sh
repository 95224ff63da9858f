#!/bin/sh
# docs/gap.md has the tables that solgate makes of the recorded runs today.
set -eu

bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

sh "$tree/scripts/docs/update_gap.sh" --check --bin="$bin" || fail "docs/gap.md is not current"

[ "$failures" = 0 ]
