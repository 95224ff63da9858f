#!/bin/sh
# night.sh [OPTION...] - a night of all families that can be built here: `solgate nightly` with
# these options. Nights are kept in out/nights, their history in out/history.
set -eu
cd "$(dirname "$0")/.."
families=$(cmake -S . -B build | sed -n 's/^-- family \([a-z0-9_]*\): .*/\1/p')
cmake --build build
for family in $families; do
  set -- "$@" "./$family.suite" --module="build/libsg_$family.so"
done
exec solgate nightly --out=out/nights --history=out/history "$@"
