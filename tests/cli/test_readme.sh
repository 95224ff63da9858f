#!/bin/sh
# The output in README.md is what solgate prints today for the recorded runs; the nightly job finds the clean one clean, the slow one slow.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
if [ ! -d "$tree/tests/data/h200/slow" ]; then
  echo "skipped: no recorded H200 runs in tests/data/h200"
  exit 77
fi
sh "$tree/scripts/docs/update_readme.sh" --check --bin="$1"

for run in clean:0 slow:1; do
  code=0
  SOLGATE_HOME=$tree "$1/solgate" compare "$tree/tests/data/h200/${run%:*}" >/dev/null || code=$?
  if [ "$code" != "${run#*:}" ]; then
    echo "compare of the recorded ${run%:*} run: exit $code, expected ${run#*:}"
    exit 1
  fi
done
