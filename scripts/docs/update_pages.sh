#!/bin/sh
# update_pages.sh [--check] [--bin=DIR] - pastes output of solgate between the markers of pages:
# `solgate compare` of a case of the recorded slow H200 run into README.md, and tables of recorded
# grouped GEMMs into docs/gap.md. Draws docs/vs_accepted.svg from the slow run if gnuplot is there.
# --check: changes nothing; exit 1 with the difference if a page is not up to date.
set -eu

check=no
bin=build-release/bin
for argument in "$@"; do
  case $argument in
    --check) check=yes ;;
    --bin=?*) bin=${argument#--bin=} ;;
    *)
      echo "update_pages.sh: unknown argument $argument (known: --check, --bin=DIR)" >&2
      exit 4
      ;;
  esac
done
case $bin in
  /*) ;;
  *) bin=$PWD/$bin ;;
esac
cd "$(dirname "$0")/../.."
SOLGATE_HOME=$PWD
export SOLGATE_HOME
unset SOLGATE_BASELINES
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp README.md docs/gap.md "$work"

# paste_new PAGE NAME: pastes $work/new between the markers of that name
paste_new() {
  awk -v name="$2" -v file="$work/new" -f scripts/docs/markers.awk "$work/$1" >"$work/next"
  mv "$work/next" "$work/$1"
}

# table NAME RUN... [OPTION...]: pastes a gap table
table() {
  name=$1
  shift
  "$bin/solgate" gap "$@" --format=markdown >"$work/new"
  paste_new gap.md "$name"
}

# Nine lines: the verdict and its first causes
code=0
"$bin/solgate" compare tests/data/h200/slow --baselines=baselines --case=r64_c64_f32 >"$work/output" || code=$?
if [ "$code" != 1 ]; then
  echo "update_pages.sh: compare of the recorded slow run: exit $code, expected 1" >&2
  exit 3
fi
{
  echo "    \$ solgate compare tests/data/h200/slow --case=r64_c64_f32"
  sed -e '/./!d' -e 's/^/    /' "$work/output" | head -n 9
} >"$work/new"
paste_new README.md compare
table b200 tests/data/b200/grouped_baseline tests/data/b200/grouped_gap_analysis tests/data/b200/grouped_fastest tests/data/b200/grouped_acc1_c1
table hopper tests/data/h100/group_gemm tests/data/h200/group_gemm --case='g[28]_*' --variant=bm64 --variant=evict_first --variant='cublas*'

if [ "$check" = yes ]; then
  diff README.md "$work/README.md" && diff docs/gap.md "$work/gap.md" && exit 0
  echo "a page is not current; scripts/docs/update_pages.sh makes it so"
  exit 1
fi
cp "$work/README.md" README.md
cp "$work/gap.md" docs/gap.md
if command -v gnuplot >"$work/gnuplot"; then
  "$bin/solgate" report tests/data/h200/slow --baselines=baselines --case=r2048_c2048_f32 --out="$work/report" >"$work/printed"
  cp "$work/report/charts/vs_accepted.svg" docs/vs_accepted.svg
fi
