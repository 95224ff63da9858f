#!/bin/sh
# update_gap.sh [--check] [--bin=DIR] [--record=RUN] - keeps the tables of docs/gap.md current: a work log's grouped GEMM on a B200, and ours on an
# H200 beside it.
#
#     update_gap.sh               writes the tables anew, from tests/data/b200/grouped_* and tests/data/h200/group_gemm
#     update_gap.sh --check       changes nothing, exit 1 with the difference if they are not current
#     update_gap.sh --record=RUN  first takes the times of the family group_gemm from a finished run on an H200 into
#                                 tests/data/h200/group_gemm; until there is such a recording its places hold a dash
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
  # An unfinished run, or one that no table can be made of, must not take the place of what is recorded.
  "$bin/solgate" gap "$record" --format=csv >"$work/asked.csv"
  mkdir -p "$recorded"
  grep -E '^(family|group_gemm),' "$record/run.csv" |
    grep -E '^family,|^[^,]*,[^,]*,[^,]*,(role|shape|status|expect|time|time_ratio|work_[a-z0-9_]*),' >"$work/rows"
  [ "$(wc -l <"$work/rows")" -gt 1 ] || {
    echo "update_gap.sh: $record: no rows of the family group_gemm" >&2
    exit 4
  }
  cp "$work/rows" "$recorded/run.csv"
  cp "$record/env.csv" "$recorded/env.csv"
  "$bin/solgate" baseline seal "$recorded" --reason='of the family group_gemm what a table of gaps needs'
fi

# The four moments of the log as variants of one run.
mkdir "$work/b200"
sed '/^digest/d' tests/data/b200/grouped_baseline/env.csv >"$work/b200/env.csv"
sed -n 1p tests/data/b200/grouped_baseline/run.csv >"$work/b200/run.csv"
for state in baseline gap_analysis fastest acc1_c1; do
  awk -F, -v OFS=, -v state="$state" '
    FNR == 1 { next }
    { $3 = state }
    $4 == "role" && state != "baseline" { $11 = "candidate" }
    { print }' "tests/data/b200/grouped_$state/run.csv" >>"$work/b200/run.csv"
done
"$bin/solgate" gap "$work/b200" --format=csv >"$work/b200.csv"
"$bin/solgate" gap "$work/b200" --format=markdown >"$work/b200.md"

h200=
echo "No run of it on an H200 is recorded yet: scripts/docs/update_gap.sh --record=RUN takes one." >"$work/h200.md"
if [ -d "$recorded" ]; then
  h200=$work/h200.csv
  "$bin/solgate" gap "$recorded" --format=csv >"$h200"
  "$bin/solgate" gap "$recorded" --format=markdown >"$work/h200.md"
fi
awk -v b200="$work/b200.csv" -v h200="$h200" -f scripts/docs/gap_beside.awk >"$work/beside.md"

cp docs/gap.md "$work/page"
for table in beside b200 h200; do
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
