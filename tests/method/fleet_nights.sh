#!/bin/sh
# Nights of a fleet by the programs that ship: `run` and `baseline accept` on some simulated GPUs,
# `nightly` on another one. 200 rows (fleet_night.c), against the accepted build
# or, with --fallback, without it.
#
#     tests/method/fleet_nights.sh [BIN] [--nights=N] [--first=N] [--gpus=N] [--tolerance=PERCENT]
#         [--noise=PERCENT] [--blocks=N] [--changed] [--fallback] [--spread=FACTOR] [--out=FILE]
#     tests/method/fleet_nights.sh --table FILE...
#
# BIN: folder of the programs (default build-nocuda/bin). Each night is a line of --out and
# takes some 2.5 seconds of one core. Nights --first and on are of their own GPUs, days and
# noise; so are the --gpus that were accepted. --changed: a build with eight rows that are 1 %
# slower, eight that are 0.5 % slower, and eight that are slow in 30 % of their processes, by
# 1.2 tolerances on average. They take 40 us; --noise is what a night's ratio of them varies by
# for its ten processes. --spread multiplies what GPUs differ by. --table: the lines as a table,
# with exact binomial limits at 95 %.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
bin=build-nocuda/bin nights=10 first=1 gpus=1 tolerance=0.5 noise=0.06 blocks=4 spread=1 changed=0 kind=clean pairs=paired out=
for argument in "$@"; do
  case $argument in
    --table)
      shift
      exec awk -f "$here/fleet_nights_table.awk" "$@"
      ;;
    --nights=*) nights=${argument#*=} ;;
    --first=*) first=${argument#*=} ;;
    --gpus=*) gpus=${argument#*=} ;;
    --tolerance=*) tolerance=${argument#*=} ;;
    --noise=*) noise=${argument#*=} ;;
    --spread=*) spread=${argument#*=} ;;
    --blocks=*) blocks=${argument#*=} ;;
    --changed) kind=changed ;;
    --fallback) pairs=fallback ;;
    --out=*) out=${argument#*=} ;;
    -*)
      echo "fleet_nights.sh: expected an option of its first lines, found $argument" >&2
      exit 4
      ;;
    *) bin=$argument ;;
  esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${out:-$work/nights.csv}
solgate=$(cd "$bin" && pwd)/solgate
cc=$(command -v cc || command -v gcc || command -v clang)
[ "$kind" = clean ] || changed=$(awk -v percent="$tolerance" 'BEGIN { print 1000 * percent }')
export SOLGATE_BUILDS="$work/store" SOLGATE_BASELINES="$work/baselines"

# module NAME BUILD CHANGED
module() {
  "$cc" -O2 -std=gnu17 -shared -fPIC -I"$tree/kernels" -I"$tree/scripts/lib" -DBUILD="$2" -DCHANGED="$3" -DNOISE_40_US="$noise" -DSPREAD="$spread" \
    -o "$work/$1.so" "$here/fleet_night.c" -lm
}
module accepted 0 0
module tonight 1 "$changed"
cat >"$work/fleet.suite" <<SUITE
[suite]
title     = a night of 200 rows
tolerance = $tolerance%
metrics   = quick
processes = 10
blocks    = $blocks
launches  = 4
deadline  = 60s

[fleet]
SUITE

# The null device has no number of its own: a run's GPU is written into its env.csv.
gpu=0
while [ "$gpu" -lt "$gpus" ]; do
  FLEET_GPU=$((1000000 * first + gpu)) FLEET_NIGHT=$((1000000 * first + gpu)) "$solgate" run "$work/fleet.suite" --module="$work/accepted.so" \
    --seed=$((1000 * first + gpu)) --out="$work/accepted.$gpu" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
  echo "gpu_uuid_hash,gpu$gpu" >>"$work/accepted.$gpu/env.csv"
  "$solgate" baseline seal "$work/accepted.$gpu" --reason='which GPU it was' >"$work/log" 2>&1
  gpu=$((gpu + 1))
done
"$solgate" baseline accept "$work"/accepted.[0-9]* --module="$work/accepted.so" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
rm -rf "$work"/accepted.[0-9]*
[ "$pairs" = paired ] || rm -rf "$work/store"

# How the rows that changed came out: which, how many of them are called so, of how many.
# shellcheck disable=SC2016 # they are awk's fields
changed_rows='BEGIN { kind["c00"] = kind["c01"] = 1; kind["c10"] = kind["c11"] = 2; kind["c20"] = kind["c21"] = 3 }
  $3 != "base" && $4 == metric && $2 in kind { of[kind[$2]]++; said[kind[$2]] += $14 == (kind[$2] == 3 ? "within" : "regressed") }
  END { printf "%d,%d,%d,%d,%d,%d\n", said[1], of[1], said[2], of[2], said[3], of[3] }'
of_spread=
[ "$spread" = 1 ] || of_spread=" at $spread of the spread"
metric=build_ratio
[ "$pairs" = paired ] || metric=time_ratio
# No gnuplot on the PATH of a night: charts of the report would take a second of each.
night=$first
while [ "$night" -lt $((first + nights)) ]; do
  code=0
  FLEET_GPU=$((500000000 + night)) FLEET_NIGHT=$((500000000 + night)) PATH=/nowhere "$solgate" nightly "$work/fleet.suite" --module="$work/tonight.so" \
    --seed="$night" --out="$work/night" >"$work/log" 2>&1 || code=$?
  verdict=$(sed -n 's/^nightly: .* \([0-9]*\) rows decided, \([0-9]*\) regressed, \([0-9]*\) suspects, \([0-9]*\) unresolved.*/\1,\2,\3,\4/p' "$work/log")
  [ -n "$verdict" ] || { cat "$work/log" && exit 1; }
  rows=$("$solgate" compare "$work"/night/*/fleet --format=csv | awk -F, -v metric=$metric "$changed_rows") || true
  echo "$kind,$pairs$of_spread,$tolerance,$gpus,$noise,$night,$code,$verdict,$rows" >>"$out"
  rm -rf "$work/night"
  night=$((night + 1))
done
[ "$out" != "$work/nights.csv" ] || awk -f "$here/fleet_nights_table.awk" "$out"
