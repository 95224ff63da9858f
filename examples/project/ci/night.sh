#!/bin/sh
# night.sh [OPTION...] - a nightly run of each family that can be built here: `solgate nightly` with
# these options. Nights are kept in out/nights, their history in out/history. The last line has the
# verdict of the whole: fold.sh. A family that needs a GPU is left out where none is.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR/..
. ci/fold.sh
left_out=77
trap 'close night ""' EXIT
trap 'failed=130; exit' INT TERM
families=$(families . build)
cmake --build build
for family in $families; do
  code=0
  solgate nightly "./$family.suite" --module="build/libsg_$family.so" --out=out/nights --history=out/history "$@" || code=$?
  if [ "$code" = 77 ]; then
    tell "$family needs a GPU, and none is here"
  else
    judged "$code" "$family"
    left_out=0
  fi
done
for suite in *.suite; do
  has "${suite%.suite}" "$families" || tell "${suite%.suite} is not built here"
done
[ "$left_out" = 0 ] || count "$left_out" 'nothing was measured'
failed=
