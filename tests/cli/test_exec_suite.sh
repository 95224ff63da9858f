#!/bin/sh
# Programs in a suite, on the stand-in: their kernels are rows of a run as any other, accepted
# numbers gate them, a night measures on what is open, and a program that fails says how.
# shellcheck source=tests/cli/standin_lib.sh
. "$(dirname "$0")/standin_lib.sh"
# shellcheck source=tests/cli/no_charts.sh
. "$tree/tests/cli/no_charts.sh"

# suite NS: of a program with two cases, one of them with a range, and of one kernel of another.
suite() {
  cat >p.suite <<SUITE
[suite]
title = Programs
tolerance = 8%

[exec square]
command = $program init
case = small: launch=10 wait
case = large: grid=128 launch=20 push=step symbol=other launch=3 pop wait

[exec alone]
command = $program init symbol=other launch symbol=square ns=$1 launch=7 "say=said to nobody"
kernel = square
processes = 6
SUITE
}

# ---- rows, accepted, compared

suite 1000
runs 0 '4 kernels of 3 programs' run ./p.suite --out=R
has R 'exec,square_small,square,time,ns,1004.5,1004.5,1004.5,5,ok,'
has R 'exec,square_small,square,shape,,,,,,ok,launch=10 wait,'
has R 'exec,square_large,square,grid,block,128,'
has R 'exec,square_large_step,other,time,ns,1001,'
has R 'exec,alone,square,time,ns,1003,1003,1003,6,ok,'
has R 'exec,alone,square,role,,,,,,ok,baseline,'
if grep -q '^exec,alone,other,' R/run.csv || grep -q 'said to nobody' out; then fail "a kernel or a word too many"; fi
grep -q '^gpu,h200' R/env.csv && grep -q "^exec.square_small,$program init launch=10 wait" R/env.csv || fail "$(cat R/env.csv)"
runs 0 '70 rows new' accept R
runs 0 '8 rows: 8 within' nightly ./p.suite --out=N --history=H
suite 1300
runs 0 '1 kernel of 1 program' run ./p.suite --out=R2 --case=alone
runs 1 'exec/alone  square         time' compare R2 --case=alone
runs 1 'FAIL (exit 1): exec/alone/square +29.9 % slower than accepted' nightly ./p.suite --out=N --history=H
cat N/*/p/run.csv | grep -q '^exec,alone,square,time,.*,20,ok,' || fail "the open row was not measured on: $(cat out)"
runs 0 'exec/alone/square' history show --history=H
sed -i 's/launch=10 wait/launch=11 wait/' p.suite
runs 0 '' run ./p.suite --out=R3 --case=square_small
runs 3 'the case has changed' compare R3 --case=square_small

# ---- a symbol that gets a second geometry: its first one is still the accepted kernel

geometries() { printf '[suite]\ntitle = Geometries\ntolerance = 8%%\n[exec g]\ncommand = %s init %s\n' "$program" "$1" >g.suite; }
t=symbol=_Z5scaleIfEvPT_
geometries "$t grid=8 ns=1000 launch=5"
runs 0 '1 kernel of 1 program' run ./g.suite --out=G
runs 0 '' accept G
geometries "$t grid=8 ns=1200 launch=5 grid=9 launch=5 symbol=_Z5scaleIdEvPT_ launch=5"
runs 0 '3 kernels of 1 program' run ./g.suite --out=G2
runs 1 '4 rows: 2 regressed, 2 new' compare G2
runs 0 ', 0 gone' accept G2 --reason=slower
runs 0 '4 rows: 4 within' compare G2
geometries "$t grid=9 ns=1000 launch=5"
runs 0 '' run ./g.suite --out=G3
runs 0 '2 rows: 2 within' compare G3 G

# ---- launches, totals, ranges and the whole program gate, not only medians

changed='often new slow few rare graph range push fewer gone same'
{
  printf '[suite]\ntitle = Programs that change\ntolerance = 8%%\n'
  for name in $changed; do
    # shellcheck disable=SC2016  # for the shell that solgate starts
    printf '[exec %s]\ncommand = sh -c '"'"'exec "$0" init $(cat "$1")'"'"' %s %s\n' $name "$program" $name
  done
} >changed.suite
usual='push=step launch=40 pop symbol=tiny ns=50 launch=20'
for name in $changed; do echo "$usual" >$name; done
echo 'capture launch instantiate graph=9' >graph
runs 0 '' run ./changed.suite --out=W
runs 0 '' accept W
echo "$usual symbol=tiny ns=50 launch=180" >often                       # ten times as many
echo "$usual symbol=later ns=500000 launch" >new                        # a kernel of 500 us
echo "push=step launch=24 ns=10000 launch=16 pop ns=50 symbol=tiny launch=20" >slow # 40 % of launches
echo "$usual launch=20" >few                                            # of a kernel of 3 %, twice as many
echo "push=step launch=40 pop symbol=tiny ns=50 launch=13 ns=150 launch=7" >rare # of that, a third slower
echo 'capture launch instantiate graph=12' >graph
echo "push=next $usual pop symbol=later ns=9000 launch" >range          # another range
echo "push=step launch=40 symbol=later ns=9000 launch pop symbol=tiny ns=50 launch=20" >push # in that range
echo "push=step launch=20 pop symbol=tiny ns=50 launch=20" >fewer
echo "push=step launch=40 pop" >gone
runs 0 '' run ./changed.suite --out=W2
runs 1 '' compare W2 --format=csv
# verdict CASE VARIANT METRIC VERDICT: of that row
verdict() { grep -q "^exec,$1,$2,$3,.*,$4," out || fail "$1: no $3 of $2 is $4: $(grep "^exec,$1" out)"; }
verdict often tiny tool:launches regressed
verdict new whole_program time regressed
verdict slow_step square tool:total regressed
verdict slow whole_program time regressed
verdict few tiny tool:launches regressed
verdict rare tiny tool:total regressed
verdict graph square tool:launches regressed
verdict range whole_program time regressed
verdict push_step whole_range time regressed
verdict push whole_program time regressed
verdict fewer_step square tool:launches changed
verdict fewer_step whole_range time not_measured
verdict gone tiny status not_measured
grep -q '^exec,same.*,\(regressed\|improved\|invalid\)' out && fail "an unchanged program: $(cat out)"
mkdir night
{ sed 3q changed.suite && grep -A1 -e '^.exec new' changed.suite; } >night/changed.suite
runs 1 'exec/new/whole_program +' nightly night/changed.suite --out=WN --history=WH
runs 0 'exec/new/whole_program' history show --history=WH

# ---- a percentile gates where the accepted numbers ask for it: 2 % of launches ten times slower

tails() { printf '[suite]\ntitle = Tails\ntolerance = 8%%\n[exec tails]\ncommand = %s init %s\n' "$program" "$1" >tails.suite; }
tails launch=250
runs 0 '' run ./tails.suite --out=T
has T 'exec,tails,square,time_p99,ns,1247,1247,1247,5,ok,mean of 5 starts,'
runs 0 '' accept T
tails 'ns=9000 launch=5 ns=1000 launch=245'
runs 0 '' run ./tails.suite --out=T2
runs 2 '' compare T2 --format=csv # the total is not decided
verdict tails square time within
verdict tails square time_p99 changed
verdict tails square spikes changed
sed -i '/,time_p99,/s/,no,/,yes,/' accepted/tails.csv
runs 0 '' accepted seal accepted/tails.csv --reason=tails
runs 1 '' compare T2 --format=csv
verdict tails square time_p99 regressed

# ---- a program that crashes is open in the history, one that launches nothing is not measured

{ printf '[suite]\ntitle = Nights\ntolerance = 8%%\n' && grep -A1 --no-group-separator -e '^.exec \(same\|few\)' changed.suite; } >nights.suite
echo "$usual" >few
runs 0 '' run ./nights.suite --out=WA && runs 0 '' accept WA
for night in 0:usual 5:exit=3 0:usual 5:signal=9 0:usual 3:none; do
  case ${night#*:} in usual) echo "$usual" ;; none) echo nap=1 ;; *) echo "$usual ${night#*:}" ;; esac >few
  runs "${night%:*}" '' nightly ./nights.suite --out=WF --history=WG
  case $night in 5:*) runs 5 'status ok -> crash' history check --history=WG ;; esac
done
runs 2 'failed on ' history check --history=WG

# ---- the SM clock while it runs: what is not known of it makes the interval wide

cat >clock.suite <<SUITE
[suite]
title = A program that is looked at
tolerance = 8%
[exec square]
command = $program init launch=10 nap=60 launch=10 nap=60 wait
SUITE
# wide RUN: the half of its time's interval, in 0.1 %
wide() { "$bin/solgate" compare "$1" --format=csv | awk -F, '$3 == "square" && $4 == "time" { printf "%.0f", 500 * ($10 - $9) }'; }
STANDIN_CLOCK=1980 runs 0 '1 kernel' run ./clock.suite --out=C
has C 'exec,square,square,sm_clock,Hz,1.98e+09,'
grep -q '^exec,square,square,4,0,0,square,1004.5,1.98e+09,0' C/samples.csv || fail "no clock in $(cat C/samples.csv)"
runs 0 '' accept C
STANDIN_CLOCK=1965 runs 0 '' run ./clock.suite --out=C2
runs 0 '' run ./clock.suite --out=C3
[ "$(wide C3)" -gt 45 ] && [ "$(wide C2)" -lt 15 ] || fail "the interval is $(wide C2) with the clock, $(wide C3) without"

# ---- beside a family, counters, a part of it

sed -i 's/^tolerance.*/&\nmetrics = quick\n\n[demo]\ncase = n4k\nvariant = vec4/' p.suite
runs 0 '2 items of suite p on gpu h200: 2 ok' run ./p.suite --out=R4 --family=demo --family=exec --case=n4k --case=alone
has R4 'exec,alone,square,ipc,inst/cycle,'
has R4 'demo,n4k,vec4,time_ratio,'
runs 4 'no case of this run is called none; known: n4k, square_small, square_large, alone' run ./p.suite --out=R5 --case=none

# ---- stopped and taken up again, failing

cat >slow.suite <<SUITE
[suite]
title = The second one waits until a file is there
[exec fast]
command = $program init launch=5
[exec slow]
command = sh -c 'while ! [ -e there ]; do sleep 0.1; done; exec "\$0" init launch=2' $program
SUITE
"$bin/solgate" run ./slow.suite --out=R6 >out 2>&1 &
for _ in $(seq 200); do grep -q ',fast,' R6/run.log 2>/dev/null && break || sleep 0.1; done
kill -TERM $! || fail "ended by itself: $(cat out)"
code=0
wait $! || code=$?
[ "$code" = 130 ] && grep -q 'run ./slow.suite --out=R6 --resume' out || fail "stopped: $code, $(cat out)"
touch there
runs 0 '2 kernels of 2 programs' run ./slow.suite --out=R6 --resume
has R6 'exec,fast,square,time,ns,1002,1002,1002,5,ok,'
# Killed at 20 moments and resumed: the same rows as without, no trace, and no program goes on.
cat >killed.suite <<SUITE
[suite]
title = Programs that are killed with solgate
[exec one]
command = sh -c 'echo \$\$ >pid; exec "\$0" init launch=5 nap=20 push=step launch=3 pop nap=20' $program
[exec two]
command = $program init launch=4 nap=10
SUITE
runs 0 '3 kernels of 2 programs' run ./killed.suite --out=K
for ms in 10 30 50 80 110 140 180 220 260 300 340 390 440 500 560 630 700 800 900 1000; do
  rm -rf K2 pid
  "$bin/solgate" run ./killed.suite --out=K2 >out 2>&1 &
  sleep "$(printf %d.%03d $((ms / 1000)) $((ms % 1000)))"
  kill -9 $! 2>/dev/null || :
  wait $! || :
  [ ! -s pid ] || ends "$(cat pid)" || fail "a program goes on after solgate was killed"
  resume=
  [ ! -d K2 ] || resume=--resume
  runs 0 '3 kernels of 2 programs' run ./killed.suite --out=K2 $resume
  cmp K/run.csv K2/run.csv && [ ! -e K2/traces ] || fail "killed after $ms ms and resumed: $(diff K/run.csv K2/run.csv)"
done
cat >bad.suite <<SUITE
[suite]
title = Programs that fail
[exec exits]
command = $program init launch=5 wait exit=7
[exec dies]
command = $program init launch=5 wait signal=11
[exec hangs]
command = sh -c 'sleep 100 & echo \$! >sleeper; wait'
deadline = 300ms
[exec ranks]
command = sh -c 'setsid "\$0" init launch wait nap=60000 & echo \$! >rank; wait' $program
deadline = 1s
[exec outlives]
command = sh -c 'setsid -f sh -c "echo \\\$\\\$ >outliver; exec sleep 60"; exec "\$0" init launch' $program
[exec none]
command = $program say=hello
[exec lost]
command = $program init launch=5 take launch=5 wait
SUITE
runs 5 'expected ok, found crash: exit status 7' run ./bad.suite --out=R7
for words in 'exec/dies/whole_program: crash: killed by SIGSEGV' 'found hang: killed after the deadline of 0.3 s' 'ranks/whole_program: hang:' 'unavailable: the program launched no kernel' \
  '10 of 10 launches have no record' '1 kernel of 7 programs'; do
  grep -qF -e "$words" out || fail "no '$words' in $(cat out)"
done
ended "$(cat sleeper)" || fail "what a program started outlives its deadline"
ended "$(cat outliver)" || { kill "$(cat outliver)" && fail "what outlives a program of a suite goes on"; }
ended "$(cat rank)" || { kill "$(cat rank)" && fail "a rank in a session of its own outlives the deadline"; }
cat >each.suite <<SUITE
[suite]
title = The deadline is of a start, and not of one that is timed and one that counts
metrics = quick
[exec each]
command = sh -c '[ -e timed ] && [ "\${SOLGATE_TRACE#*__}" = "\$SOLGATE_TRACE" ] || sleep 0.8; : >timed; exec "\$0" init launch=2' $program
deadline = 1.4s
SUITE
runs 0 '1 kernel of 1 program' run ./each.suite --out=R10
has R10 'exec,each,square,ipc,inst/cycle,'
# A symbol may be longer than a line of a worker.
printf '#!/bin/sh\nexec %s init symbol=%s launch=2\n' "$program" "$(head -c 70000 /dev/zero | tr '\000' x)" >long.sh
printf '[suite]\ntitle = t\n[exec long]\ncommand = sh long.sh\n' >long.suite
runs 0 '1 kernel of 1 program' run ./long.suite --out=R11
printf '[suite]\ntitle = t\n[exec a]\ncommand = ./nothing_there\n' >missing.suite
runs 4 'set CUDA_VISIBLE_DEVICES instead' run ./missing.suite --gpu=1 --out=R8
runs 4 'missing.suite:3: ./nothing_there: cannot be started: No such file' run ./missing.suite --out=R8
runs 0 'cutedsl_blackwell  exec' list suites cutedsl_blackwell # it is read, and its commands are
export STANDIN_NO_GPU=1
runs 77 'the driver finds no GPU' run ./missing.suite --out=R9
runs 77 'programs: 5, 25 starts' run cutedsl_blackwell --out=R9
[ ! -e R9 ] || fail "a run without a GPU left $(ls R9)"
[ "$failures" = 0 ]
