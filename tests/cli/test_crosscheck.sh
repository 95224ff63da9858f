#!/bin/sh
# scripts/crosscheck_ncu.sh finds what differs and nothing else: with stand-ins for solgate, the worker and ncu, on PATH and in a folder.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"

cat >"$work/bin/solgate" <<'SCRIPT'
#!/bin/sh
cat <<'CSV'
name,unit,better,class,floor,floor_ratio,source,cupti,cupti_exceptions,meaning
inst,inst,lower,exact,0,0,cupti,smsp__inst_executed.sum,,"instructions, of all warps"
hit_rate,%,neither,noisy,1,0,cupti,another_name,GA100=absent GH100=lts__t_sector_hit_rate.pct,found in L2
duration,ns,lower,noisy,0,0.01,cupti,gpu__time_duration.sum,,time while counting
tma,B,lower,exact,0,0,cupti,l1tex__tma.sum,GH100=absent,absent here
registers,1,lower,exact,0,0,launch,,,of a thread
CSV
SCRIPT
cat >"$work/bin/solgate-worker" <<'SCRIPT'
#!/bin/sh
exit 0
SCRIPT
# Values come from the environment; thousands as ncu writes them.
cat >"$work/bin/ncu" <<'SCRIPT'
#!/bin/sh
if [ "$1" = --version ]; then
  echo "Version 2025.3"
  exit 0
fi
while [ "$1" != --log-file ]; do shift; done
case $2 in */again.*) NCU_INST=${NCU_INST_AGAIN:-$NCU_INST} ;; esac
if [ "$4" != "smsp__inst_executed.sum,lts__t_sector_hit_rate.pct,gpu__time_duration.sum" ]; then
  echo "asked for other metrics: $4"
  exit 1
fi
cat >"$2" <<CSV
==PROF== Connected to process 1
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","k(const float *, ""x"")","smsp__inst_executed.sum","inst","$NCU_INST"
"0","k(const float *, ""x"")","lts__t_sector_hit_rate.pct","%","$NCU_HIT"
"0","k(const float *, ""x"")","gpu__time_duration.sum","ns","$NCU_TIME"
CSV
SCRIPT
chmod +x "$work/bin/solgate" "$work/bin/solgate-worker" "$work/bin/ncu"

printf 'key,value\nchip,GH100\n' >"$work/run/env.csv"
echo "family,case,variant,metric,unit,value,low,high,n,status,message" >"$work/run/run.csv"
for variant in a b c d e f wrong; do
  status=ok
  [ "$variant" != wrong ] || status=wrong
  cat >>"$work/run/run.csv" <<CSV
matvec,small,$variant,status,,,,,,$status,"y[1,2]: ""odd"""
matvec,small,$variant,kernels,1,1,,,1,ok,
matvec,small,$variant,inst,inst,1234567,,,1,ok,
matvec,small,$variant,hit_rate,%,50.5,,,1,ok,
matvec,small,$variant,duration,ns,1000,,,1,ok,
matvec,small,$variant,tma,B,,,,,unavailable,no such counter on GH100
matvec,small,$variant,registers,1,32,,,1,ok,
matvec,small,$variant,count_passes,1,9,,,1,ok,
CSV
done

failures=0
# check SENTENCE EXIT INST HIT TIME PATTERN: the exit code, and a row of the first item that matches.
check() {
  code=0
  NCU_INST=$3 NCU_INST_AGAIN=${NCU_INST_AGAIN:-} NCU_HIT=$4 NCU_TIME=$5 PATH=$work/bin:$PATH sh "$tree/scripts/crosscheck_ncu.sh" --bin="$work/bin" --run="$work/run" \
    --out="$work/out" >"$work/table" 2>&1 || code=$?
  if [ "$code" != "$2" ] || ! grep -q "$6" "$work/table"; then
    echo "$1: exit $code, expected $2 and a line with $6; found:"
    cat "$work/table"
    failures=$((failures + 1))
  fi
}

check "equal values are ok" 0 1,234,567 50.5 1,000 '| matvec/small/a | 3 | 0 | 0 |'
check "an exact counter off by one is an exception" 1 1,234,568 50.5 1,000 '| matvec/small/a | inst | 1234567 | 1234568 |.*| equal | EXCEPTION |'
NCU_INST_AGAIN=1,234,566 check "an exact counter that ncu does not repeat may lie between its two values" 0 1,234,568 50.5 1,000 '| 1234567 | 1234568 | 1234566 |.*| ok |'
NCU_INST_AGAIN=1,234,569 check "but not beyond what they differ by" 1 1,234,570 50.5 1,000 '| 1234567 | 1234570 | 1234569 |.*EXCEPTION'
check "a percentage may differ by a point" 0 1,234,567 51.4 1,000 '| hit_rate | 50.5 | 51.4 | 51.4 | -0.90 points | 3 % or 1 point | ok |'
check "a percentage may not differ by two points and 4 %" 1 1,234,567 52.6 1,000 'hit_rate.*EXCEPTION'
check "a time may differ by 2 %" 0 1,234,567 50.5 1,020 '| duration | 1000 | 1020 | 1020 | -1.96 % | 3 % | ok |'
check "a time may not differ by 5 %" 1 1,234,567 50.5 1,050 'duration.*EXCEPTION'
check "a metric that ncu could not read is an exception" 1 1,234,567 n/a 1,000 'hit_rate.*EXCEPTION'
if grep -q 'matvec/small/wrong' "$work/table"; then
  echo "an item that came out wrong must not be looked at"
  failures=$((failures + 1))
fi
grep -v ',[bcdef],' "$work/run/run.csv" >"$work/few" && mv "$work/few" "$work/run/run.csv"
check "fewer than six kernels are refused" 3 1,234,567 50.5 1,000 'at least six kernels'
[ "$failures" = 0 ]
