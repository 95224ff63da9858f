#!/bin/sh
# What is written for people fits a terminal: 120 columns, 140 where a row of a comparison stands beside names as long as ours.
set -eu
solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
data=$tree/tests/data/hand_report
failures=0

# fits COLUMNS ARGUMENTS...: no line of what solgate prints is longer, and it prints something
fits()
{
    most=$1
    shift
    { "$solgate" "$@" || true; } | LC_ALL=C.UTF-8 awk -v most="$most" '
        length($0) > most { print length($0) " columns: " $0; long = 1 }
        END { exit long || NR == 0 }' || {
        echo "FAIL: over $most columns, or nothing: solgate $*"
        failures=$((failures + 1))
    }
}

for list in families cases variants metrics groups gpus suites; do
    fits 140 list $list
done
for command in list doctor run compare gap explain report baseline; do
    fits 120 $command -h
done
fits 140 compare "$data/run" "$data/baseline.csv"
fits 120 gap "$data/run" --gpu-spec=h200
fits 120 explain "$data/run" matvec/r4096_c4096_f32 vec16_rows warp_per_row
fits 140 baseline show "$data/baseline.csv"
[ "$failures" = 0 ]
