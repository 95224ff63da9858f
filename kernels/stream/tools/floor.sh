#!/bin/sh
# floor.sh RUN - kernels against copies of as many bytes in the same run and the same
# state of the L2: a table in markdown.
#
# RUN: the folder of a run that has copies (solgate run floor
# --out=RUN). Needs no GPU and nothing built.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -ne 1 ]; then
  echo "floor.sh: expected the folder of one run, found $# arguments" >&2
  exit 4
fi
case $1 in
  -*)
    echo "floor.sh: unknown argument $1 (known: the folder of a run)" >&2
    exit 4
    ;;
esac
if [ ! -r "$1/run.csv" ]; then
  echo "floor.sh: expected the folder of a run, found no run.csv in '$1'" >&2
  exit 4
fi
# A path that looks like an assignment would be one to awk.
case $1 in
  /*) run=$1 ;;
  *) run=./$1 ;;
esac
exec awk -f "$here/../../../scripts/lib/csv.awk" -f "$here/floor.awk" "$run/run.csv"
