#!/bin/sh
# scripts/validate/injected_slowdown.sh reads slopes and coverage out of runs made by
# hand, draws them, and refuses what it does not understand. Not under sanitizers:
# the work is done by a shell script.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
slopes=$tree/scripts/validate/injected_slowdown.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAIL: $*"
  sed 's/^/    /' "$work/output" | head -n 60
  failures=$((failures + 1))
}

# slopes EXIT ARGUMENTS...: the script, with what it says in $work/output
slopes() {
  wanted=$1
  shift
  code=0
  (cd "$work" && sh "$slopes" "$@") >"$work/output" 2>&1 || code=$?
  [ "$code" = "$wanted" ] || fail "exit $code instead of $wanted: injected_slowdown.sh $*"
}

# says SENTENCE LINE: the output has it, as a whole line
says() {
  grep -qxF -e "$2" "$work/output" || fail "$1: no line: $2"
}

header=family,case,variant,metric,unit,value,low,high,n,status,message

# run NAME FACTOR SPAN: a run that reads FACTOR times every change of truth.csv,
# exactly, with intervals of +- SPAN
run() {
  mkdir -p "$work/$1"
  awk -F, -v header="$header" -v factor="$2" -v span="$3" '
    NR == 1 { print header; next }
    {
      y = exp(factor * log($3))
      printf "injected,%s,%s,status,,,,,,ok,\n", $1, $2
      if ($2 == "exact") printf "injected,%s,%s,time,ns,5250,5200,5300,5,ok,\n", $1, $2
      printf "injected,%s,%s,time_ratio,1,%.9g,%.9g,%.9g,5,ok,against exact\n", $1, $2, y, y - span, y + span
    }' "$work/truth.csv" >"$work/$1/run.csv"
}

cat >"$work/truth.csv" <<'CSV'
case,variant,true_ratio
short,exact,1.000000
short,spin_100,1.010000
short,work_100,1.010000
short,work_400,1.040000
long,exact,1.000000
long,work_400,1.040000
CSV
table=--truth=$work/truth.csv

run true 1 0.001
slopes 0 "$table" true
says "what is read as it is has slope 1" "| short | work | 2 | 1.0000 | 0.0000 | 2 of 2 (100.0 %) |"
says "a spin is a line of its own" "| short | spin | 1 | 1.0000 | - | 1 of 1 (100.0 %) |"
says "all of a kind" "| all | work | 3 | 1.0000 | 0.0000 | 3 of 3 (100.0 %) |"
says "all there is; the baseline with itself says nothing about a slope" "| all | work and spin | 4 | 1.0000 | 0.0000 | 4 of 4 (100.0 %) |"
says "time, truth and what was read" "| short | work_400 | 5.25 us | 1 | +4.000 % | +4.000 % | +0.000 % | 1 of 1 |"
says "the baseline with itself" "| long | exact | 5.25 us | 1 | +0.000 % | +0.000 % | +0.000 % | 1 of 1 |"
says "the verdict" "Slopes over all cases, 1 +- 0.03: yes"

run less 0.95 0.001
slopes 1 "$table" less
says "a change read as 0.95 of it" "| long | work | 1 | 0.9500 | - | 0 of 1 (0.0 %) |"
says "intervals cover while they are wide enough" "| short | work | 2 | 0.9500 | 0.0000 | 1 of 2 (50.0 %) |"
says "0.95 is not 1" "Slopes over all cases, 1 +- 0.03: NO"

slopes 0 "$table" true less true true
says "each ratio of each run counts for itself" "| long | work | 4 | 0.9875 | 0.0125 | 3 of 4 (75.0 %) |"
says "and so does each time" "| long | exact | 5.25 us | 4 | +0.000 % | +0.000 % | +0.000 % | 4 of 4 |"

# lines NAME FLOP: the true run with what exact works and takes: 2000 cycles and 7 for each FMA of a
# chain, or 2500 ns and 1 ns for 4000 B
lines() {
  mkdir "$work/$1"
  {
    grep -v ',exact,time,' "$work/true/run.csv"
    for size in short:1000:1.5e9:6000 long:100000:2e9:351000; do
      IFS=: read -r case fmas clock chain_ns <<SIZE
$size
SIZE
      bytes=$((fmas * 40000))
      [ "$2" = 0 ] || printf 'injected,%s,exact,work_flop_f32,flop,%d,,,,ok,\n' "$case" $((fmas * 2 * bytes / 4))
      printf 'injected,%s,exact,sm_clock,Hz,%s,,,5,ok,\n' "$case" "$clock"
      printf 'injected,%s,exact,time,ns,%d,1,9e9,5,ok,\n' "$case" "$([ "$2" = 0 ] && echo $((2500 + 2 * bytes / 4000)) || echo "$chain_ns")"
      printf 'injected,%s,exact,work_read_bytes,B,%d,,,,ok,\n' "$case" "$bytes"
      printf 'injected,%s,exact,work_write_bytes,B,%d,,,,ok,\n' "$case" "$bytes"
    done
  } >"$work/$1/run.csv"
}

lines chains 1
slopes 0 "$table" chains
says "the line of chains, in cycles" "* chains: 2000 cycles, and 7.000 for each of the FMAs that depend on each other; 2 times, off the line by 0.00 % at most"
grep -q '^\* copies' "$work/output" && fail "a line of copies where there are none"
lines copies 0
slopes 0 "$table" copies
says "the line of copies, in ns" "* copies: 2500 ns, and 1 ns for each 4000 bytes; 2 times, off the line by 0.00 % at most"
slopes 0 "$table" true
grep -q '^\* c' "$work/output" && fail "a line without work that it could go through"

# Only spins are off: the other slopes must not hide it.
mkdir "$work/spins"
sed '/spin_100,time_ratio/s/,1,[^,]*,[^,]*,[^,]*,/,1,1.012,1.011,1.013,/' "$work/true/run.csv" >"$work/spins/run.csv"
slopes 1 "$table" spins
says "the spins" "| all | spin | 1 | 1.1988 | - | 0 of 1 (0.0 %) |"

# What has no number is said; what is of another family or metric is passed over.
mkdir "$work/torn"
{
  grep -v -e ',spin_100,time_ratio' -e '^long,' "$work/true/run.csv" | grep -v '^injected,long,work_400'
  echo 'injected,short,spin_100,time_ratio,1,,,,,skipped,"its baseline, exact, failed"'
  echo 'injected,long,work_400,time_ratio,1,1.5,1.4,1.6,5,wrong,while timed'
  echo 'matvec,unknown,unknown,time_ratio,1,2,2,2,5,ok,against vec16_rows'
  echo 'injected,short,work_400,dram_bytes,B,77,,,1,ok,'
} >"$work/torn/run.csv"
slopes 0 "$table" torn
says "a ratio that is missing is named" "* short/spin_100 time_ratio: skipped its baseline, exact, failed"
says "a ratio of a variant that went wrong is none" "* long/work_400 time_ratio: wrong while timed"
says "a truth that nothing was read of is named" "No ratio in these runs: short/spin_100, long/work_400."

# Drawn with --out, from relative paths too; the data beside it.
slopes 0 "$table" --out=drawn true
for file in slopes.md slopes.tsv slopes.png slopes.svg; do
  [ -s "$work/drawn/$file" ] || fail "--out leaves no $file"
done
[ "$(ls "$work/drawn")" = "$(printf 'slopes.md\nslopes.png\nslopes.svg\nslopes.tsv')" ] || fail "--out leaves more: $(ls "$work/drawn")"
cmp -s "$work/output" "$work/drawn/slopes.md" || fail "slopes.md is not what was printed"
grep -q 'short' "$work/drawn/slopes.svg" || fail "the chart does not name its cases"
[ "$(grep -c . "$work/drawn/slopes.tsv")" = 4 ] || fail "slopes.tsv has not a line a ratio"
grep -qx "work	long	4	3.9	4	4.1" "$work/drawn/slopes.tsv" || fail "slopes.tsv: $(cat "$work/drawn/slopes.tsv")"

# refused SENTENCE EXIT WORDS ARGUMENTS...
refused() {
  sentence=$1
  exit_code=$2
  words=$3
  shift 3
  slopes "$exit_code" "$@"
  grep -qF -e "$words" "$work/output" || fail "$sentence: does not say: $words"
}

# damage NAME EXPRESSION: the true run, changed by sed
damage() {
  mkdir -p "$work/$1"
  sed "$2" "$work/true/run.csv" >"$work/$1/run.csv"
}

refused "no run" 4 "expected at least one folder of a run" "$table"
refused "a folder that is none" 4 "nowhere: expected the folder of a run" "$table" nowhere
refused "an unknown argument" 4 "unknown argument --all" --all true
refused "no truth" 4 "expected the table of truths" --truth=nowhere.csv true
damage no_low 's/,low,/,lower,/'
refused "a column that is missing" 3 "run.csv:1: expected a column low" "$table" no_low
damage short_row '5s/,ok,/,ok/'
refused "a row with a field too few" 3 "run.csv:5: expected 11 fields" "$table" short_row
damage word 's/time_ratio,1,1.04,/time_ratio,1,fast,/'
refused "a value that is no number" 3 "expected value above 0, found 'fast'" "$table" word
damage turned 's/,1.039,1.041,/,1.041,1.039,/'
refused "an interval that is turned round" 3 "expected low <= value <= high" "$table" turned
damage stranger 's/,work_400,/,work_300,/'
refused "a variant without a truth" 3 "found 'short/work_300'" "$table" stranger
damage others 's/^injected,/matvec,/'
refused "a run of other families" 3 "expected a ratio of the family injected, found 'none'" "$table" others
printf 'case,variant,true_ratio\nshort,work_100,0\n' >"$work/zero.csv"
refused "a truth of zero" 3 "zero.csv:2: expected true_ratio above 0, found '0'" --truth="$work/zero.csv" true
printf 'case,variant,true_ratio\na,exact,1\na,exact,1\n' >"$work/twice.csv"
refused "a truth that stands there twice" 3 "twice.csv:3: expected a case and variant that are not there yet" --truth="$work/twice.csv" true
printf 'case,true_ratio,variant\n' >"$work/order.csv"
refused "truths in other columns" 3 "order.csv:1: expected case,variant,true_ratio" --truth="$work/order.csv" true

# The table that is checked in is the default, and fits a run of all of it.
cp "$tree/tests/data/injected/truth.csv" "$work/truth.csv"
run whole 1 0.001
slopes 0 whole
says "the whole family" "| all | work and spin | 90 | 1.0000 | 0.0000 | 90 of 90 (100.0 %) |"
[ "$failures" = 0 ]
