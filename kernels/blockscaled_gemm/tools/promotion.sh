#!/bin/sh
# promotion.sh [--allowed=2e-3] RUN - what promoting the sums of e4m3 costs and what leaving it away
# loses, over k: a table in markdown.
#
# RUN: the folder of a run of the suite promotion (solgate run promotion --out=RUN). --allowed:
# above it an error is marked as wrong; 2e-3 is what kernels/blockscaled_gemm/family.cpp allows
# cases that are not of the loose kind. Needs no GPU and nothing built.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
allowed=2e-3
run=
for argument in "$@"; do
  case $argument in
    --allowed=?*) allowed=${argument#--allowed=} ;;
    -*)
      echo "promotion.sh: unknown argument $argument (known: --allowed= and the folder of a run)" >&2
      exit 4
      ;;
    *)
      if [ -n "$run" ]; then
        echo "promotion.sh: expected one run, found $run and $argument" >&2
        exit 4
      fi
      run=$argument
      ;;
  esac
done
if [ ! -r "$run/run.csv" ]; then
  echo "promotion.sh: expected the folder of a run, found no run.csv in '$run'" >&2
  exit 4
fi
case $allowed in
  *[!0-9.e-]* | [!0-9]*)
    echo "promotion.sh: --allowed: expected a ratio, as 2e-3, found '$allowed'" >&2
    exit 4
    ;;
esac
# A path that looks like an assignment would be one to awk.
case $run in
  /*) ;;
  *) run=./$run ;;
esac
exec awk -v allowed="$allowed" -f "$here/../../../scripts/lib/csv.awk" -f "$here/promotion.awk" "$run/run.csv"
