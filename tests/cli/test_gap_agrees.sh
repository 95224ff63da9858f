#!/bin/sh
# The gap table of every recorded run agrees with its verdicts: the sign of time / baseline's time -
# 1 is that of the paired change, row by row. In tests/data/h200/group_gemm 8 of 135 rows would fail
# with times as they were measured.
set -eu

solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOLGATE_HOME=$tree
export SOLGATE_HOME
failures=0

# Of pairs: family/case/variant, and the change against the baseline by comparison.csv. Then the
# same of gap.csv, whose shapes hold commas, but not those of paired runs.
cat >"$work/agree.awk" <<'AWK'
FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
function column(name) { return $at[FILENAME, name] }
function sign(x) { return x > 0 ? 1 : x < 0 ? -1 : 0 }
{ name = $1 "/" $2 "/" $3 }
FILENAME == compared && column("metric") == "time_ratio" && column("vs_baseline") != "" {
  change[name] = column("baseline_change")
  verdict[name] = column("vs_baseline")
}
FILENAME != compared && column("role") == "baseline" { baseline[$1 "/" $2] = column("time_ns") }
FILENAME != compared && column("time_ns") != "" { time[name] = column("time_ns"); case_[name] = $1 "/" $2; gap[name] = column("gap") }
FILENAME != compared && column("role") == "baseline" { base_gap[$1 "/" $2] = column("gap") }
END {
  for (name in change) {
    if (!(name in time) || !(case_[name] in baseline)) continue
    rows++
    shown = time[name] / baseline[case_[name]] - 1
    if (sign(shown) != sign(change[name]) && (shown > 1e-8 || shown < -1e-8))
      print name ": the table has " shown ", the pairs " change[name]
    if (sign(gap[name] - base_gap[case_[name]]) != sign(shown) && (shown > 1e-8 || shown < -1e-8))
      print name ": the gap has another sign than the time"
    if (verdict[name] == "slower" && shown <= 0 || verdict[name] == "faster" && shown >= 0)
      print name ": " verdict[name] ", the table has " shown
  }
  print rows + 0 >"/dev/stderr"
}
AWK

all=0
for run in "$tree"/tests/data/h200/* "$tree"/tests/data/hand/clean "$tree"/tests/data/hand_series "$tree"/tests/data/hand_report/run; do
  [ -f "$run/run.csv" ] || continue
  "$solgate" compare "$run" "$run" --format=csv >"$work/compare.csv" 2>/dev/null || true
  "$solgate" gap "$run" --format=csv >"$work/gap.csv" 2>/dev/null || true
  awk -F, -v compared="$work/compare.csv" -f "$work/agree.awk" "$work/compare.csv" "$work/gap.csv" >"$work/out" 2>"$work/rows"
  all=$((all + $(cat "$work/rows")))
  if [ -s "$work/out" ]; then
    echo "FAILED: $run:"
    cat "$work/out"
    failures=$((failures + 1))
  fi
done
[ "$all" -ge 200 ] || {
  echo "FAILED: only $all paired rows were looked at"
  failures=$((failures + 1))
}

# Two runs: a variant that is slower in the second one is so by as much as compare finds.
"$solgate" gap "$tree/tests/data/h200/clean" "$tree/tests/data/h200/slow" --family=matvec --case=r64_c64_f32 >"$work/out"
grep -q '/slow  *[0-9.]* us  *+23.3 % \[+22.3, +24.2\]' "$work/out" || {
  echo "FAILED: the slowed kernel is not +23.3 % over the first run:"
  cat "$work/out"
  failures=$((failures + 1))
}
[ "$failures" = 0 ]
