#!/bin/sh
# scripts/validate/ncu_crosscheck.sh finds what differs and nothing else: with stand-ins for
# solgate, the worker and ncu, on PATH and in a folder, and a copy of the scripts with a
# table of explanations of its own.
# Not under sanitizers: the work is done by a shell script.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run" "$work/scripts" "$work/scripts/validate"
cp -R "$tree/scripts/lib" "$work/scripts"
cp "$tree"/scripts/validate/ncu_crosscheck.* "$work/scripts/validate"
cat >"$work/scripts/validate/ncu_crosscheck_explained.csv" <<'CSV'
metric,items,limit,reason
inst,matvec/small/b,1%,"b polls, for one thing"
inst,matvec/other/*,100%,another case
hit_rate,matvec/small/b,1.5,too narrow a limit would not do
hit_rate,matvec/*,5,two passes
CSV

cat >"$work/bin/solgate" <<'SCRIPT'
#!/bin/sh
cat <<'CSV'
name,unit,better,class,floor,floor_ratio,source,cupti,cupti_exceptions,meaning
inst,inst,lower,exact,0,0,cupti,smsp__inst_executed.sum,,"instructions, of all warps"
hit_rate,%,neither,noisy,1,0,cupti,another_name,GA100=absent GH100=lts__t_sector_hit_rate.pct,found in L2
duration,ns,lower,noisy,0,0.01,cupti,gpu__time_duration.sum,,time while counting
bytes,B,lower,noisy,1000,0,cupti,dram__bytes_read.sum,,from DRAM
cycles,cycle,lower,noisy,0,0,cupti,sm__cycles_elapsed.max,,clock cycles
peak,%,higher,noisy,1,0,cupti,sm__throughput.avg.pct_of_peak_sustained_elapsed,,share of the peak
tma,B,lower,exact,0,0,cupti,l1tex__tma.sum,,not permitted here
tmem,B,lower,exact,0,0,cupti,sm__tmem.sum,GH100=absent,not on this chip
registers,1,lower,exact,0,0,launch,,,of a thread
CSV
SCRIPT
# Values of a metric come from the environment, one for all repetitions or one for each; the number
# of a repetition is in a file's name.
cat >"$work/bin/pick" <<'SCRIPT'
pick() {
  # shellcheck disable=SC2086 # a list of values
  set -- "$1" $2
  [ $# = 2 ] || shift "$(($1 - 1))"
  echo "$2"
}
SCRIPT
cat >"$work/bin/solgate-worker" <<'SCRIPT'
#!/bin/sh
. "$(dirname "$0")/pick"
[ "$1" = --pass=count ] || exit 0
items=$(printf '%s\n' "$@" | sed -n 's/^--item=//p')
rest=$(printf '%s\n' "$@" | sed -n '/^--item=/d; /^--module=/s|/.*/|/|; p' | tr '\n' ' ')
if [ "$rest" != "--pass=count --module=/libsg_matvec.so --metric=inst --metric=hit_rate --metric=duration --metric=bytes --metric=cycles --metric=peak --metric=tma --metric=registers --seed=7 --l2=warm " ]; then
  echo "asked to count otherwise than the run did: $rest"
  exit 1
fi
number=$(readlink /proc/$$/fd/3 | sed 's/.*again\.\([0-9]*\)\.said$/\1/')
{
  echo "hello	2	count"
  for item in $items; do
    row="value	$(echo "$item" | tr / '\t')"
    echo "begin	$(echo "$item" | tr / '\t')"
    echo "$row	inst	inst	$(pick "$number" "$OUR_INST")			1	ok	"
    echo "$row	hit_rate	%	$(pick "$number" "$OUR_HIT")			1	ok	"
    echo "$row	duration	ns	$(pick "$number" "$OUR_TIME")			1	ok	"
    echo "$row	bytes	B	$(pick "$number" "$OUR_BYTES")			1	ok	"
    echo "$row	cycles	cycle	$(pick "$number" "$OUR_CYCLES")			1	ok	"
    echo "$row	peak	%	$(pick "$number" "$OUR_PEAK")			1	ok	"
    echo "$row	tma	B					unavailable	not permitted"
  done
  echo "bye"
} >&3
SCRIPT
# Thousands as ncu writes them.
cat >"$work/bin/ncu" <<'SCRIPT'
#!/bin/sh
. "$(dirname "$0")/pick"
if [ "$1" = --version ]; then
  echo "Version 2025.3"
  exit 0
fi
while [ "$1" != --log-file ]; do shift; done
if [ "$4" != "smsp__inst_executed.sum,lts__t_sector_hit_rate.pct,gpu__time_duration.sum,dram__bytes_read.sum,sm__cycles_elapsed.max,sm__throughput.avg.pct_of_peak_sustained_elapsed" ]; then
  echo "asked for other metrics: $4"
  exit 1
fi
number=$(echo "$2" | sed 's/.*\.\([0-9]*\)\.csv$/\1/')
cat >"$2" <<CSV
==PROF== Connected to process 1
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","set_up(int *)","smsp__inst_executed.sum","inst","17"
"1","k(const float *, ""x"")","smsp__inst_executed.sum","inst","$(pick "$number" "$NCU_INST")"
"1","k(const float *, ""x"")","lts__t_sector_hit_rate.pct","%","$(pick "$number" "$NCU_HIT")"
"1","k(const float *, ""x"")","gpu__time_duration.sum","ns","$(pick "$number" "$NCU_TIME")"
"1","k(const float *, ""x"")","dram__bytes_read.sum","byte","$(pick "$number" "$NCU_BYTES")"
"1","k(const float *, ""x"")","sm__cycles_elapsed.max","cycle","$(pick "$number" "$NCU_CYCLES")"
"1","k(const float *, ""x"")","sm__throughput.avg.pct_of_peak_sustained_elapsed","%","$(pick "$number" "$NCU_PEAK")"
CSV
SCRIPT
chmod +x "$work/bin/solgate" "$work/bin/solgate-worker" "$work/bin/ncu"
# shellcheck source=/dev/null
. "$work/bin/pick"

printf 'key,value\nseed,7\nl2,warm\nmetrics,inst+hit_rate+duration+bytes+cycles+peak+tma+registers\nchip,GH100\n' >"$work/run/env.csv"
# What the run counted is the first repetition.
write_run() {
  echo "family,case,variant,metric,unit,value,low,high,n,status,message"
  for variant in $variants wrong; do
    status=ok
    [ "$variant" != wrong ] || status=wrong
    cat <<CSV
matvec,small,$variant,status,,,,,,$status,"y[1,2]: ""odd"""
matvec,small,$variant,kernels,1,1,,,1,ok,
matvec,small,$variant,inst,inst,$(pick 1 "$OUR_INST"),,,1,ok,
matvec,small,$variant,hit_rate,%,$(pick 1 "$OUR_HIT"),,,1,ok,
matvec,small,$variant,duration,ns,$(pick 1 "$OUR_TIME"),,,1,ok,
matvec,small,$variant,bytes,B,$(pick 1 "$OUR_BYTES"),,,1,ok,
matvec,small,$variant,cycles,cycle,$(pick 1 "$OUR_CYCLES"),,,1,ok,
matvec,small,$variant,peak,%,$(pick 1 "$OUR_PEAK"),,,1,ok,
matvec,small,$variant,tma,B,,,,,unavailable,not permitted
matvec,small,$variant,registers,1,32,,,1,ok,
matvec,small,$variant,count_passes,1,9,,,1,ok,
CSV
  done
}

failures=0
variants="a b c d e f"
# check SENTENCE EXIT NAME=VALUES... LINE: the exit code, and a line that is there; what is
# not given is equal in both tools
check() {
  sentence=$1
  wanted=$2
  shift 2
  export OUR_INST=1234567 OUR_HIT=50.5 OUR_TIME=1000 OUR_BYTES=5000 OUR_CYCLES=1000 OUR_PEAK=80
  export NCU_INST=1,234,567 NCU_HIT=50.5 NCU_TIME=1,000 NCU_BYTES=5,000 NCU_CYCLES=1,000 NCU_PEAK=80
  while [ $# -gt 1 ]; do
    export "${1?}"
    shift
  done
  write_run >"$work/run/run.csv"
  code=0
  PATH=$work/bin:$PATH sh "$work/scripts/validate/ncu_crosscheck.sh" --bin="$work/bin" --run="$work/run" --out="$work/out" >"$work/table" 2>&1 || code=$?
  if [ "$code" != "$wanted" ] || ! grep -qxF -e "$1" "$work/table"; then
    echo "$sentence: exit $code, expected $wanted and this line: $1; found:"
    head -n 40 "$work/table"
    failures=$((failures + 1))
  fi
}
a='| matvec/small/a |'
b='| matvec/small/b |'

check "equal values are ok, and a counter that neither has" 0 '| matvec/small/a | 7 | 0 | 0 | 0 |'
check "what neither has says so" 0 "$a tma | unavailable | - | - | both have it | ok |"
check "an exact counter off by one is an exception" 1 NCU_INST=1,234,568 "$a inst | 1234567 | 1234568 | -0.00 % | equal | EXCEPTION |"
check "an exact counter that is off once in three is one, if its range lies elsewhere" 1 OUR_INST="1234567 1234567 1234568" NCU_INST=1,234,570 \
  "$a inst | 1234567 [1234567, 1234568] | 1234570 | -0.00 % | equal | EXCEPTION |"
check "ranges of an exact counter may overlap where ncu does not repeat it" 0 NCU_INST="1,234,568 1,234,569 1,234,560" \
  "$a inst | 1234567 | 1234568 [1234560, 1234569] | -0.00 % | equal | ok within spread |"
check "or be as far apart as the wider one is wide" 0 NCU_INST="1,234,569 1,234,570 1,234,571" \
  "$a inst | 1234567 | 1234570 [1234569, 1234571] | -0.00 % | equal | ok within spread |"
check "but no further" 1 NCU_INST="1,234,570 1,234,571 1,234,572" \
  "$a inst | 1234567 | 1234571 [1234570, 1234572] | -0.00 % | equal | EXCEPTION |"
check "and by no more than 15 %, however little ncu repeats it" 1 NCU_INST="1,000,000 1,000,000 2,000,000" \
  "$a inst | 1234567 | 1000000 [1000000, 2000000] | +23.46 % | equal | EXCEPTION |"
check "a time may differ by 2 %" 0 NCU_TIME=1,020 "$a duration | 1000 | 1020 | -1.96 % | 3 % | ok |"
check "a time may not differ by 5 %" 1 NCU_TIME=1,050 "$a duration | 1000 | 1050 | -4.76 % | 3 % | EXCEPTION |"
check "medians decide, and one odd launch does not" 0 NCU_TIME="1,000 1,400 1,010" OUR_TIME="1000 990 700" \
  "$a duration | 990 [700, 1000] | 1010 [1000, 1400] | -1.98 % | 3 % | ok |"
check "where medians are too far apart, ranges may be near" 0 NCU_TIME="1,100 1,060 1,120" OUR_TIME="1000 1030 990" \
  "$a duration | 1000 [990, 1030] | 1100 [1060, 1120] | -9.09 % | 3 % | ok within spread |"
check "but not further apart than the rule" 1 NCU_TIME="1,100 1,070 1,120" OUR_TIME="1000 1030 990" \
  "$a duration | 1000 [990, 1030] | 1100 [1070, 1120] | -9.09 % | 3 % | EXCEPTION |"
check "and a wide spread does not excuse a sixth" 1 NCU_TIME="1,200 900 1,300" "$a duration | 1000 | 1200 [900, 1300] | -16.67 % | 3 % | EXCEPTION |"
check "a percentage may differ by a point" 0 NCU_HIT=51.4 "$a hit_rate | 50.5 | 51.4 | -0.90 points | 3 % or 1 point | ok |"
check "a small amount may differ by the metric's floor" 0 NCU_BYTES=5,999 "$a bytes | 5000 | 5999 | -16.65 % | 3 % or 1000 B | ok |"
check "and not by more" 1 NCU_BYTES=6,001 "$a bytes | 5000 | 6001 | -16.68 % | 3 % or 1000 B | EXCEPTION |"
check "a share of the peak may differ by 3 %" 1 NCU_PEAK=83 "$a peak | 80 | 83 | -3.00 points | 3 % or 1 point | EXCEPTION |"
check "and by as much more as the cycles do" 0 OUR_CYCLES=1020 NCU_PEAK=83 "$a peak | 80 | 83 | -3.00 points | 5 % or 1 point | ok |"
check "which may not differ by more than 3 %" 1 OUR_CYCLES=1040 "$a cycles | 1040 | 1000 | +4.00 % | 3 % | EXCEPTION |"
check "what is no rate does not profit" 1 OUR_CYCLES=1020 NCU_BYTES=6,001 "$a bytes | 5000 | 6001 | -16.68 % | 3 % or 1000 B | EXCEPTION |"
check "what is explained is, within its limit in points" 1 NCU_HIT=55.4 \
  "$a hit_rate | 50.5 | 55.4 | -4.90 points | 3 % or 1 point | explained: two passes |"
check "the first line that fits counts" 1 NCU_HIT=55.4 "$b hit_rate | 50.5 | 55.4 | -4.90 points | 3 % or 1 point | EXCEPTION |"
check "nothing is explained beyond its limit" 1 NCU_HIT=55.6 "$a hit_rate | 50.5 | 55.6 | -5.10 points | 3 % or 1 point | EXCEPTION |"
check "a limit may be relative" 1 NCU_INST=1,230,000 "$b inst | 1234567 | 1230000 | +0.37 % | equal | explained: b polls, for one thing |"
check "relative to ncu's value" 1 NCU_INST=1,250,000 "$b inst | 1234567 | 1250000 | -1.23 % | equal | EXCEPTION |"
check "a metric that ncu could not read is an exception" 1 NCU_HIT=n/a "$a hit_rate | 3 of 3 values, ok | 0 of 3 values | - | both have it | EXCEPTION |"
check "and one that it could not read once" 1 NCU_HIT="50.5 n/a 50.5" \
  "$a hit_rate | 3 of 3 values, ok | 2 of 3 values | - | both have it | EXCEPTION |"
check "or that solgate could not count once" 1 OUR_HIT="50.5 50.5 nan" "$a hit_rate | 2 of 3 values, ok | 3 of 3 values | - | both have it | EXCEPTION |"
if grep -q 'matvec/small/wrong' "$work/table"; then
  echo "an item that came out wrong must not be looked at"
  failures=$((failures + 1))
fi
echo "inst,*,,no limit" >>"$work/scripts/validate/ncu_crosscheck_explained.csv"
check "a reason needs a limit" 3 "ncu_crosscheck.awk: $work/scripts/validate/ncu_crosscheck_explained.csv:6: expected a limit and a reason, found inst,*,,no limit"
variants=a
check "fewer than six kernels are refused" 3 "ncu_crosscheck.sh: at least six kernels are wanted; counted and right in $work/run: matvec/small/a"

# The table that is checked in is one that the script can read.
awk -F, 'FNR > 1 { split($0, field, /,/); if (field[3] !~ /^[0-9.]+%?$/ || $4 == "") { print FILENAME ":" FNR ": " $0; bad = 1 } } END { exit bad }' \
  "$tree/scripts/validate/ncu_crosscheck_explained.csv" || failures=$((failures + 1))
[ "$failures" = 0 ]
