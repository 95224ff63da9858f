#!/bin/sh
# update_gap.sh [--check] [--bin=DIR] - keeps the tables of docs/gap.md current, as `solgate gap`
# prints them: a work log's grouped GEMM on a B200, and the family group_gemm on an H200, from
# tests/data/b200/grouped_* and tests/data/h200/group_gemm. --check: changes nothing, exit 1 with
# the difference if they are not current.
set -eu

check=no
bin=build-release/bin
for argument in "$@"; do
  case $argument in
    --check) check=yes ;;
    --bin=?*) bin=${argument#--bin=} ;;
    *)
      echo "update_gap.sh: unknown argument $argument (known: --check, --bin=DIR)" >&2
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
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# table NAME RUN... [OPTION...]: what stands between the markers of that name.
table() {
  name=$1
  shift
  "$bin/solgate" gap "$@" --format=markdown >"$work/$name.md"
}
table b200 tests/data/b200/grouped_baseline tests/data/b200/grouped_gap_analysis tests/data/b200/grouped_fastest tests/data/b200/grouped_acc1_c1
table h200 tests/data/h200/group_gemm --case='g[28]_*' --top=2
table vendor tests/data/h200/group_gemm --case='g[28]_*' --variant='cublas*'

cp docs/gap.md "$work/page"
for table in b200 h200 vendor; do
  awk -v name="$table" -v file="$work/$table.md" -f scripts/docs/markers.awk "$work/page" >"$work/next"
  mv "$work/next" "$work/page"
done
if cmp -s "$work/page" docs/gap.md; then
  exit 0
elif [ "$check" = yes ]; then
  echo "docs/gap.md is not current; scripts/docs/update_gap.sh makes it so:"
  diff docs/gap.md "$work/page"
  exit 1
fi
cp "$work/page" docs/gap.md
