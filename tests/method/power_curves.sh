#!/bin/sh
# The proof of the method in numbers and charts: power_curves.{csv,png,svg} and
# other_rules.{csv,png,svg} of tests/method.
#
#     tests/method/power_curves.sh [BUILD] [RUNS] [OUT]    BUILD: a build with tests (default
#         build); RUNS of 50 pairs a
#                                                          point (default 10); OUT: default
#                                                          tests/method
#
# With the default it takes some minutes. Seeds are fixed: the same RUNS give the same files, so a
# difference is a change of the method.
set -eu

build=$(cd "${1:-build}" && pwd)
runs=${2:-10}
here=$(cd "$(dirname "$0")" && pwd)
out=${3:-$here}
data=$here/../data/h200_series

mkdir -p "$out"
"$build/tests/power_curves" curves "$runs" >"$out/power_curves.csv"
"$build/tests/power_curves" rules "$((2 * runs))" >"$out/other_rules.csv"
"$build/tests/power_curves" measured "$data/paired.csv" "$data/launches.csv" | tail -n +2 >>"$out/other_rules.csv"
for chart in power_curves other_rules; do
  for terminal in png svg; do
    gnuplot -c "$here/$chart.gp" "$terminal" "$out/$chart.$terminal" "$out/$chart.csv"
  done
done
