#!/bin/sh
# night.sh [OPTION...] - a night of each family that can be built here: `solgate nightly` with these
# options. Nights are kept in out/nights, their history in out/history. Ends with the highest exit
# code; a family that needs a GPU is left out where none is.
set -eu
cd "$(dirname "$0")/.."
worst=0 done=no
families=$(cmake -S . -B build | sed -n 's/^-- family \([a-z0-9_]*\): .*/\1/p')
cmake --build build
for family in $families; do
  code=0
  solgate nightly "./$family.suite" --module="build/libsg_$family.so" --out=out/nights --history=out/history "$@" || code=$?
  [ "$code" = 77 ] && continue
  done=yes
  [ "$code" -le "$worst" ] || worst=$code
done
[ "$done" = yes ] || worst=77
exit "$worst"
