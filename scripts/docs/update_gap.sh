#!/bin/sh
# update_gap.sh [--check] [--bin=DIR] [--record=RUN] - keeps the tables of
# docs/gap.md current, as `solgate gap` prints them: a work log's grouped GEMM on a
# B200, and the family group_gemm on an H200.
#
#     update_gap.sh               writes the tables anew, from tests/data/b200/grouped_* and
#                                 tests/data/h200/group_gemm
#     update_gap.sh --check       changes nothing, exit 1 with the difference if they are not
#                                 current update_gap.sh --record=RUN  first takes the times of the
#                                 family group_gemm from a finished run on an H200 into
#                                 tests/data/h200/group_gemm; until there is such a recording its
#                                 places hold a dash
set -eu

check=no
bin=build-release/bin
record=
for argument in "$@"; do
  case $argument in
    --check) check=yes ;;
    --bin=?*) bin=${argument#--bin=} ;;
    --record=?*) record=${argument#--record=} ;;
    *)
      echo "update_gap.sh: unknown argument $argument (known: --check, --bin=DIR, --record=RUN)" >&2
      exit 4
      ;;
  esac
done
case $bin in
  /*) ;;
  *) bin=$PWD/$bin ;;
esac
case $record in
  '' | /*) ;;
  *) record=$PWD/$record ;;
esac
cd "$(dirname "$0")/../.."
SOLGATE_HOME=$PWD
export SOLGATE_HOME
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
recorded=tests/data/h200/group_gemm

# What a gap table needs of a run, and no more: counters of a family this large are megabytes.
if [ -n "$record" ]; then
  [ "$(sed -n 's/^gpu,//p' "$record/env.csv")" = h200 ] || {
    echo "update_gap.sh: $record: expected a run on an H200, found gpu '$(sed -n 's/^gpu,//p' "$record/env.csv")'" >&2
    exit 4
  }
  # An unfinished run, or one that no table can be made of, must not
  # take the place of what is recorded.
  "$bin/solgate" gap "$record" --format=csv >"$work/asked.csv"
  mkdir -p "$recorded"
  grep -E '^(family|group_gemm),' "$record/run.csv" |
    grep -E '^family,|^[^,]*,[^,]*,[^,]*,(role|shape|status|expect|time|time_ratio|grid|block|kernels|occupancy_theoretical|work_[a-z0-9_]*),' >"$work/rows"
  [ "$(wc -l <"$work/rows")" -gt 1 ] || {
    echo "update_gap.sh: $record: no rows of the family group_gemm" >&2
    exit 4
  }
  cp "$work/rows" "$recorded/run.csv"
  cp "$record/env.csv" "$recorded/env.csv"
  "$bin/solgate" baseline seal "$recorded" --reason='of the family group_gemm what a table of gaps needs'
fi

# table NAME RUN... [OPTION...]: what stands between the markers of that name.
table() {
  name=$1
  shift
  "$bin/solgate" gap "$@" --format=markdown >"$work/$name.md"
}
table b200 tests/data/b200/grouped_baseline tests/data/b200/grouped_gap_analysis tests/data/b200/grouped_fastest tests/data/b200/grouped_acc1_c1
echo "No run of it on an H200 is recorded yet: scripts/docs/update_gap.sh --record=RUN takes one." >"$work/h200.md"
echo "None is recorded yet." >"$work/vendor.md"
if [ -d "$recorded" ]; then
  table h200 "$recorded" --case='g[28]_*' --top=2
  table vendor "$recorded" --case='g[28]_*' --variant='cublas*'
fi

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
