#!/bin/sh
# update_readme.sh [--check] [--bin=DIR] - pastes real output between the markers of README.md:
# `solgate compare` of a case of the recorded slow H200 run; and draws docs/vs_accepted.svg of the
# same, where there is gnuplot. --check: changes nothing, exit 1 if README.md is not current.
set -eu

check=no
bin=build-release/bin
for argument in "$@"; do
  case $argument in
    --check) check=yes ;;
    --bin=?*) bin=${argument#--bin=} ;;
    *)
      echo "update_readme.sh: unknown argument $argument (known: --check, --bin=DIR)" >&2
      exit 4
      ;;
  esac
done
case $bin in
  /*) ;;
  *) bin=$PWD/$bin ;;
esac
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SOLGATE_HOME SOLGATE_BASELINES

# Nine lines: the verdict, and the first of its causes.
code=0
"$bin/solgate" compare tests/data/h200/slow --baselines=baselines --case=r64_c64_f32 >"$work/output" || code=$?
if [ "$code" != 1 ]; then
  echo "update_readme.sh: compare of the recorded slow run: exit $code, expected 1" >&2
  exit 3
fi
{
  echo "    \$ solgate compare tests/data/h200/slow --case=r64_c64_f32"
  sed -e '/./!d' -e 's/^/    /' "$work/output" | head -n 9
} >"$work/compare"
awk -v name=compare -v file="$work/compare" -f scripts/docs/markers.awk README.md >"$work/README.md"

if [ "$check" = yes ]; then
  cmp -s "$work/README.md" README.md && exit 0
  echo "README.md is not current; scripts/docs/update_readme.sh makes it so:"
  diff README.md "$work/README.md"
  exit 1
fi
cp "$work/README.md" README.md
if command -v gnuplot >"$work/gnuplot"; then
  "$bin/solgate" report tests/data/h200/slow --baselines=baselines --case=r2048_c2048_f32 --out="$work/report" >"$work/printed"
  cp "$work/report/charts/vs_accepted.svg" docs/vs_accepted.svg
fi
