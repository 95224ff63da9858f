#!/bin/sh
# The gap table. Runs made by hand that cannot be are refused by their place; those that are only
# odd have tables with numbers. The table of every recorded run agrees with its verdicts: the sign
# of time / baseline's time - 1 is that of the paired change, row by row. In
# tests/data/h200/group_gemm 8 of 135 rows would fail with times as they were measured.
set -eu

solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOLGATE_HOME="$tree"
run=$work/run
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# make: a run of one variant on the invented GPU; its rows are read from standard input.
make() {
  rm -rf "$run"
  mkdir "$run"
  printf 'key,value\nschema,1\nsuite,hand\nstate,finished\ngpu,null\n' >"$run/env.csv"
  {
    echo 'family,case,variant,metric,unit,value,low,high,n,status,message'
    sed 's/^/f,c,v,/'
  } >"$run/run.csv"
}

# with_time VALUE: of a kernel of 4 kB that takes so long.
with_time() {
  make <<ROWS
status,,,,,,ok,
work_read_bytes,B,3000,,,,ok,
work_write_bytes,B,1000,,,,ok,
time,ns,$1,,,5,ok,
ROWS
}

# refused SENTENCE WORDS [OPTION...]: exit code 4, what is wrong is named, and no table is printed.
refused() {
  sentence=$1 words=$2
  shift 2
  code=0
  "$solgate" gap "$run" "$@" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" = 4 ] || fail "$sentence: exit code $code"
  grep -qF -e "$words" "$work/err" || fail "$sentence: '$words' is not said but $(cat "$work/err")"
  [ ! -s "$work/out" ] || fail "$sentence: a table all the same"
}

# shown SENTENCE WORDS [CODE]: a table in every format, with nothing in it that is no
# number, nor one of a hundred digits.
shown() {
  for format in text csv markdown; do
    code=0
    "$solgate" gap "$run" --format=$format >"$work/$format" 2>"$work/err" || code=$?
    [ "$code" = "${3:-0}" ] || fail "$1: exit code $code as $format"
    grep -vE '^(peaks|  invented|measured|no measured)' "$work/$format" >"$work/rows"
    grep -iwE 'nan|inf|[0-9]{30,}' "$work/rows" && fail "$1: not a number as $format"
  done
  grep -qF -e "$2" "$work/text" || fail "$1: '$2' is not in the table but $(cat "$work/text")"
}

while read -r value sentence; do
  with_time "$value"
  refused "$sentence" "$run/run.csv:5: f/c/v time: expected nanoseconds, finite and over 0"
done <<'TIMES'
0 a launch that takes no time
nan one whose time is no number
TIMES
with_time -5
refused "one that ends before it begins" "$run/run.csv:5: value: expected 0 or a number from 1e-100 to 1e100, found '-5'"
with_time 1e-90
shown "a time that no clock sees" 'invalid: faster than physics' 3
code=0
"$solgate" gap "$run" "$run" >"$work/out" 2>"$work/err" || code=$?
[ $code = 3 ] && grep -q 'f/c  *v  ' "$work/out" || fail "an impossible time beside itself: $code $(cat "$work/out" "$work/err")"

with_time 5000
shown "no shape and no role" '1250x'
grep -q shape "$work/text" && fail "a column without a shape in it"
sed -i '/^f,c,v,status/d' "$run/run.csv"
shown "no status" '1250x'
sed -i '/^f,c,v,time/d' "$run/run.csv"
shown "no time" 'not timed: f/v: no time in c'
sed -i '/^f,c,v,work/d' "$run/run.csv"
shown "no row at all" 'The run does not record flop or bytes'
with_time 5000
sed -i 's/work_read_bytes,B,3000/work_read_bytes,B,nan/' "$run/run.csv"
refused "work that is no number" 'f/c/v: work_read_bytes: expected an amount of work, finite and not negative, found nan'
make <<'ROWS'
work_read_bytes,B,0,,,,ok,
time,ns,5,,,5,ok,
ROWS
refused "no work at all" 'f/c/v: the case has no work'
make <<'ROWS'
work_flop_f32,flop,2e9,,,,ok,
time,ns,500000,,,5,ok,
ROWS
shown "arithmetic without bytes" '5.00x'

with_time 5000
refused "a pattern that no case has" "--case: no case of the run is called x*; known: c" '--case=x*'
refused "no variant of each case" "--top: expected a whole number" --top=0
refused "a format without a gap table" "found 'junit'" --format=junit
sed -i '/^gpu,/d' "$run/env.csv"
refused "a GPU that is not known" 'choose one with --gpu-spec=KEY'
"$solgate" gap "$run" --gpu-spec=null | grep -q 1250x || fail "a spec that is asked for is enough"
: >"$run/env.csv"
refused "facts that are empty" "$run/env.csv:1: expected a header, found an empty file"

# ---- recorded runs

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
    fail "$run: $(cat "$work/out")"
  fi
done
[ "$all" -ge 200 ] || fail "only $all paired rows were compared"

# ---- two runs side by side

# side FOLDER GPU TIMES...: a run of kernels of 33.5 MB, as VARIANT=TIME,LOW,HIGH
side() {
  mkdir "$1"
  printf 'key,value\nschema,1\nsuite,hand\nstate,finished\nl2,cold\ndriver,580.1\ngpu,%s\n' "$2" >"$1/env.csv"
  printf 'family,case,variant,metric,unit,value,low,high,n,status,message\n' >"$1/run.csv"
  where=$1
  shift 2
  for item; do
    printf 'f,%s,time,ns,%s,5,ok,\n' "${item%%=*}" "${item#*=}"
    case $item in f* | c* | d*) printf 'f,%s,work_read_bytes,B,33500000,,,,ok,\n' "${item%%=*}" ;; esac
  done >>"$where/run.csv"
}

# H100: 10 us at its peak of DRAM; H200: 6.98 us, a ratio of 0.698. An L4's launch is not known.
side "$work/a" h100 c,alike=20000,19990,20010 c,less=20000,19990,20010 c,more=20000,19990,20010 c,only_a=20000,19990,20010 \
  c,open=20000,0,20010 c,unclear=20000,19000,21000 n,no_work=20000,19990,20010
side "$work/b" h200 c,alike=14200,14190,14210 c,less=19000,18990,19010 c,more=12000,11990,12010 \
  c,open=15000,14990,15010 c,unclear=15000,12000,19000 d,only_b=20000,19990,20010 n,no_work=10000,9990,10010
"$solgate" gap "$work/a" "$work/b" --format=csv >"$work/csv" || fail "two GPUs: exit code $?"
cut -d, -f2-6,9,11-16 "$work/csv" | sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g' | cmp -s - /dev/fd/3 3<<'CSV' || fail "two GPUs side by side: $(cat "$work/csv")"
case,variant,time_a_ns,time_b_ns,ratio,limit_ratio,gains,bound_a,bound_b,of_limit_a,of_limit_b,gpu_a
c,less,20000,19000,0.95,0.697,less,memory,memory,0.5,0.367,h100
c,open,20000,15000,0.75,0.697,unclear,memory,memory,0.5,0.465,h100
c,unclear,20000,15000,0.75,0.697,unclear,memory,memory,0.5,0.465,h100
c,alike,20000,14200,0.71,0.697,alike,memory,memory,0.5,0.491,h100
c,more,20000,12000,0.6,0.697,more,memory,memory,0.5,0.581,h100
n,no_work,20000,10000,0.5,,,,,,,h100
c,only_a,20000,,,,,memory,,0.5,,h100
d,only_b,,20000,,,,,memory,,0.348,h100
CSV
for format in text markdown html json; do
  "$solgate" gap "$work/a" "$work/b" --format=$format >"$work/out" || fail "two GPUs as $format: exit code $?"
  grep -q 'For information, not a verdict: 1 of the 5 items' "$work/out" || fail "two GPUs as $format: $(cat "$work/out")"
  [ $format = html ] || ! grep -iwE 'nan|inf' "$work/out" || fail "two GPUs: not a number as $format"
done
"$solgate" compare "$work/b" "$work/a" --info --format=csv | cmp -s - "$work/csv" || fail "compare --info is not the table of gap"
[ "$("$solgate" gap "$work/a" "$work/b" --top=2 --format=csv | wc -l)" = 3 ] || fail "--top=2 of two runs"
"$solgate" gap "$work/a" "$work/b" --variant=less --format=csv | cut -d, -f3 | tr '\n' ' ' | grep -q '^variant less $' || fail "--variant of two runs"
code=0
"$solgate" compare "$work/b" "$work/a" 2>"$work/err" >"$work/out" || code=$?
[ "$code" = 3 ] && grep -q 'RUN OTHER --info' "$work/err" || fail "the refusal of two models names compare --info: $code $(cat "$work/err")"
for with in --gate --explain --format=junit; do
  code=0
  "$solgate" compare "$work/b" "$work/a" --info $with 2>"$work/err" >"$work/out" || code=$?
  [ "$code" = 4 ] && [ ! -s "$work/out" ] || fail "compare --info $with: exit code $code"
done
sed '/less,work/s/335/670/' "$work/b/run.csv" >"$work/work" && mv "$work/work" "$work/b/run.csv"
"$solgate" gap "$work/a" "$work/b" --variant=less --format=csv | grep -q ',less,20000,19000,0.95,.*,,,,memory,memory,' || fail "limits of different work have a ratio"
sed 's/^l2,cold/l2,warm/; $a percentile,99' "$work/b/env.csv" >"$work/warm" && mv "$work/warm" "$work/b/env.csv"
"$solgate" gap "$work/a" "$work/b" --format=markdown >"$work/out"
grep -q 'l2 is cold in A and warm in B: ' "$work/out" && grep -q 'suite hand, percentile 99' "$work/out" || fail "other settings of B are not said: $(cat "$work/out")"
# A launch bounds the H100, and that of the L4 is not known; then the GPU itself is not known.
side "$work/l4" l4 c,alike=20000,19990,20010
sed -i 's/33500000/33500/' "$work/a/run.csv" "$work/l4/run.csv"
"$solgate" gap "$work/a" "$work/l4" --variant=alike --format=csv | grep -q ',alike,20000,20000,1,.*,,,,launch,memory,' || fail "limits of two kinds have a ratio"
sed -i 's/^gpu,.*/gpu,unknown/' "$work/l4/env.csv"
"$solgate" gap "$work/a" "$work/l4" >"$work/out" || fail "a GPU without a spec: exit code $?"
grep -q 'No file of metrics/gpus fits' "$work/out" && grep -q 'f/c  *alike  *20.00 us  20.00 us  *0.00 %' "$work/out" || fail "a GPU without a spec: $(cat "$work/out")"

# counted TIME KERNELS...: a program's kernels, ten launches each; those called w* are counted
counted() {
  time=$1
  shift
  for kernel; do
    printf "exec,all,$kernel,%s,,,5,ok,\n" "time,ns,$time" tool:launches,1,10 "tool:total,ns,${time}0"
    case $kernel in w*) printf "exec,all,$kernel,%s,,,5,ok,\n" dram_read_bytes,B,33500000 dram_write_bytes,B,0 ffma,inst,1000 ;; esac
  done
  printf 'exec,all,whole_range,time,ns,%d0,,,5,ok,\n' $((time * $#))
}
for kernels in 'w1 w2' 'w1 w2 uncounted'; do
  counted 20000 $kernels | sed -i -e '2,$d' -e '1r /dev/stdin' "$work/a/run.csv"
  counted 18000 $kernels | sed -i -e '2,$d' -e '1r /dev/stdin' "$work/b/run.csv"
  "$solgate" gap "$work/a" "$work/b" --format=csv | cut -d, -f3,6,11,14 >"$work/out"
  case $kernels in # a range has a limit if each of its kernels has
    *uncounted) range=whole_range,0.9,, ;;
    *) range=whole_range,0.9,less,0.5 ;;
  esac
  grep -qx 'w1,0.9,less,0.5' "$work/out" && grep -qx "$range" "$work/out" && [ "$(grep -c whole "$work/out")" = 1 ] ||
    fail "a range of $kernels: $(cat "$work/out")"
done

# A variant that is slower in the second one is so by as much as compare finds.
"$solgate" gap "$tree/tests/data/h200/clean" "$tree/tests/data/h200/slow" --family=matvec --case=r64_c64_f32 >"$work/out"
grep -q ' us  *+23.3 % \[+22.3, +24.2\]' "$work/out" ||
  fail "the slowed kernel is not +23.3 % over the first run: $(cat "$work/out")"
[ "$failures" = 0 ]
