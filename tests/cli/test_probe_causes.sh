#!/bin/sh
# test_probe_causes.sh BIN - the causes of pairs of the families probe*, and of kernels that are not
# in this tree, recorded on an H100 and an H200, are those of causes.txt next to each recording, the
# output of studies/probe_causes.sh, and 9 of 10 are right. The base against itself has no cause:
# its counts of two cases that differ in what the base does not use.
set -eu
bin=$1
tree=$(cd "$(dirname "$0")/../.." && pwd)
recorded=$tree/tests/data/h100/probe
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for run in "$recorded" "$tree/tests/data/h100/held_out" "$tree"/tests/data/h200_probes/*; do
  sh "$tree/studies/probe_causes.sh" "$run" "$bin" >"$work/found"
  diff "$run/causes.txt" "$work/found"
  grep '^[0-9]* of' "$run/causes.txt" | while read -r sum; do
    grep -qF -- "$sum" "$tree/docs/studies/measured.md" || {
      echo "docs/studies/measured.md has another figure than: $sum"
      exit 1
    }
  done
done

for kind in stream math tile; do
  mkdir "$work/$kind"
  sed '/^digest,/d' "$recorded/env.csv" >"$work/$kind/env.csv"
  awk -F, -v OFS=, -v kind="$kind" '
    NR == 1 { print; next }
    $3 != "base" || ($2 != kind "_2" && $2 != kind "_3") { next }
    $2 == kind "_3" { $3 = "again" }
    { $2 = kind; print }
    $3 == "again" && $4 == "time" { print "probe", kind, $3, "time_ratio,1,1.004,1.001,1.007,5,ok,base,0.001,0.002" }
  ' "$recorded/run.csv" >"$work/$kind/run.csv"
  named=$("$bin/solgate" explain "$work/$kind" "probe/$kind" base again --format=csv)
  [ "$(echo "$named" | sed -n 's/^cause,//p;2q')" ] && [ -z "$(echo "$named" | sed -n 2p)" ] || {
    echo "the base $kind beside itself: $named"
    exit 1
  }
done

# A malformed table of causes is refused by its file and line.
mkdir "$work/home"
cp -R "$tree/metrics" "$work/home/metrics"
for change in 's/^places   = clock/places   = o_clock/' 's/^change   = fewer$/change   = less/' 's/^evidence = grid$/evidence = grids/' '/^try      = smaller clusters/d'; do
  sed "$change" "$tree/metrics/causes.ini" >"$work/home/metrics/causes.ini"
  SOLGATE_HOME=$work/home "$bin/solgate" explain "$recorded" probe/math_1 base fences | grep -q 'because .*/metrics/causes\.ini:[0-9]*: ' || {
    echo "causes.ini after $change was not refused"
    exit 1
  }
done
