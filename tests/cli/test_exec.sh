#!/bin/sh
# solgate exec: the kernels of a program, on a stand-in of the driver and of CUPTI (tests/standin).
# The program's output and exit status are its own, all launches are there, and what is missing is
# said with the reason.
# shellcheck source=tests/cli/standin_lib.sh
. "$(dirname "$0")/standin_lib.sh"

# runs CODE WORDS ARGUMENT...: what solgate exec says on stderr, "" for nothing; into the run R.
runs() {
  wanted=$1 words=$2 code=0
  shift 2
  rm -rf R
  "$bin/solgate" exec --out=R "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "$*: exit code $code, expected $wanted: $(cat err)"
  if [ "$words" ]; then
    grep -qF -e "$words" err || fail "$*: expected '$words', found $(cat err)"
  else
    [ ! -s err ] || fail "$*: found $(cat err)"
  fi
}
# has ROW: of R, as it begins.
has() { grep -qF -e "$1" R/run.csv || fail "no row $1 in $(cat R/run.csv)"; }
# launches CASE/VARIANT NUMBER
launches() { has "exec,${1%/*},${1#*/},tool:launches,1,$2,"; }

# ---- complete, and without a trace in what the program does

runs 0 '' -- "$program" init launch=10 wait say=hello
[ "$(cat out)" = hello ] || fail "stdout is not the program's"
launches all/square 10
has 'exec,all,square,time,ns,1004.5,1000,1009,10,ok,median of 10,'
has 'exec,all,square,grid,block,64,'
has 'square, grid (64, 1, 1), block (256, 1, 1), 32 registers'
grep -q '^gpu,h200' R/env.csv || fail "no GPU in env.csv"
[ "$(ls R)" = "$(printf 'env.csv\nrun.csv')" ] || fail "found in the run: $(ls R)"
runs 7 'complaint' -- "$program" complain=complaint init launch exit=7
[ "$(cat err)" = complaint ] || fail "stderr is not the program's: $(cat err)"
runs 0 '' -- sh -c "'$program' init launch=2; '$program' init launch=3; '$program' say=none" # several processes
launches all/square 5
runs 0 '' -- "$program" init launch=300 thread=20
launches all/square 320
runs 0 '' -- "$program" init launch=100000 # more than a buffer and the samples of a series
launches all/square 100000
runs 0 '' -- "$program" init fails=1 launch=3 fails=0 launch=2
launches all/square 2


# ---- graphs, ranges, names

runs 0 '' -- "$program" init capture launch=3 grid=9 launch=2 instantiate graph=4 wait
launches "$(sed -n 's/^exec,\(all\),\([a-z0-9_]*\),grid,block,9,.*/\1\/\2/p' R/run.csv)" 8
runs 0 '' -- "$program" init capture launch symbol=conditional launch instantiate graph=4 wait
launches all/conditional 4
runs 0 '' -- "$program" push=early init launch push=inner launch=2 library=step launch=3 pop launch=4 pop launch=5
launches early/square 5
launches inner/square 5
launches all/square 5
runs 0 '' -- "$program" init start=epoch launch=2 worker=count thread=3 end launch=4
launches epoch/square 5
launches count/square 4
# The name is that of the symbol, whatever else runs; nvcc's files and hashes are not part of it.
named() { runs 0 '' -- "$program" init "$@" && sed -n 's/^exec,all,\([a-z0-9_]*\),note,.*/\1/p' R/run.csv; }
[ "$(named symbol=_Z5scaleIfEvPT_ launch symbol=_Z5scaleIdEvPT_ launch | sort | head -1)" = scale_2ffc5d18 ] || fail "$(cat R/run.csv)"
[ "$(named symbol=_Z5scaleIfEvPT_ launch)" = "$(named symbol=_Z5scaleIfEvPT_ launch=2 symbol=scale grid=7 launch | grep scale_)" ] ||
  fail "the name of a kernel depends on others: $(cat R/run.csv)"
[ "$(named symbol=_ZN27_GLOBAL__N__0123abcd_4_a_cu5scaleEv launch)" = "$(named symbol=_ZN27_GLOBAL__N__fedc3210_4_a_cu5scaleEv launch)" ] ||
  fail "the name of a kernel depends on the hash of its file"
runs 0 '' --range='in*' --kernel='^other' -- "$program" init push=inner launch symbol=other launch=2 pop launch
[ "$(grep -c tool:launches R/run.csv)" = 1 ] || fail "--range and --kernel: found $(cat R/run.csv)"
launches inner/other 2
runs 3 'none that --range and --kernel match' --kernel=nothing -- "$program" init launch
runs 0 '' --processes=3 -- "$program" init launch=5
has 'exec,all,square,time,ns,1002,1002,1002,3,ok,mean of 3 starts,0,0'
launches all/square 5

# ---- beyond the median: 2 % of the launches ten times slower

slow='ns=9000 launch=5 ns=1000' # of 250
runs 0 '' -- "$program" init launch=250
has 'exec,all,square,time_p90,ns,1224,1214,1234,250,ok,of 250,'
has 'exec,all,square,time_p99,ns,1247,,,250,ok,of 250,'
has 'exec,all,square,spikes,%,0,0,1.5133'
# shellcheck disable=SC2086  # words
runs 0 '' -- "$program" init $slow launch=245
has 'exec,all,square,time,ns,1124.5,'
has 'exec,all,square,time_p90,ns,1224,'
has 'exec,all,square,time_p99,ns,9002,'
has 'exec,all,square,spikes,%,2,0.8'
# shellcheck disable=SC2086
runs 0 '' --processes=3 -- "$program" init $slow launch=245
has 'exec,all,square,time_p99,ns,9002,9002,9002,3,ok,mean of 3 starts,'
has 'exec,all,square,spikes,%,2,2,2,3,ok,mean of 3 starts,'
runs 0 '' -- "$program" init launch=99 symbol=few launch=9
if grep -q -e time_p99 -e '^exec,all,few,\(time_p\|spikes\)' R/run.csv; then fail "percentiles of too few launches: $(cat R/run.csv)"; fi

# ---- launch latency: of launches on an idle device, without the first, which loads the code

runs 0 '' -- "$program" init idle=9000 late=4000 launch late=5000 launch=5 late=3000 launch=6 idle=0 late=0 launch=30
has 'exec,all,square,launch_latency,ns,3001,3001,5001,11,ok,of 11,'
runs 0 '' --processes=2 -- "$program" init idle=9000 late=4000 launch=12 symbol=queued idle=0 launch=12 symbol=few idle=9000 launch=10
has 'exec,all,square,launch_latency,ns,4001,4001,4001,2,ok,mean of 2 starts,'
[ "$(grep -c launch_latency R/run.csv)" = 1 ] || fail "latencies of a full queue or of few launches: $(cat R/run.csv)"
runs 0 '' -- "$program" init idle=9000 capture launch=12 instantiate graph=4 # calls of graphs
if grep launch_latency R/run.csv; then fail "a latency of a graph's kernels"; fi

# ---- an injection of NVTX that was set before is called, too

cat >earlier.c <<'C'
#include <stdio.h>
static int push(const char *name) { return printf("earlier %s\n", name); }
int InitializeInjectionNvtx2(const void *(*table)(unsigned));
int InitializeInjectionNvtx2(const void *(*table)(unsigned))
{
    const struct { unsigned long size; int (*module)(unsigned, void ***, unsigned *); } *callbacks = table(1);
    void **core;
    unsigned count;
    callbacks->module(1, &core, &count);
    *(int (**)(const char *))core[9] = push;
    return 1;
}
C
if "${CC:-cc}" -shared -fPIC -o earlier.so earlier.c 2>log; then
  NVTX_INJECTION64_PATH=$work/earlier.so "$bin/solgate" exec --out=R2 -- "$program" init push=both launch >out 2>err || fail "chained: $(cat err)"
  grep -q 'earlier both' out || fail "the earlier injection was not called"
  grep -q '^exec,both,square,tool:launches,1,1,' R2/run.csv || fail "ours was not called"
fi

# ---- what is missing, and why

runs 3 '10 of 10 launches have no record' -- "$program" init launch=5 take launch=5 wait
grep -q 'torch.profiler' err || fail "taken: $(cat err)"
runs 3 'switched CUPTI off (cuptiFinalize)' -- "$program" init launch=5 wait finalize launch=5
runs 3 "another tool is CUPTI's only subscriber" -- "$program" subscribe init launch=3
runs 0 '' -- "$program" init subscribe launch=3
runs 3 '1 of 6 launches have no record: CUPTI dropped 1' -- "$program" init launch=4 drop=1 launch=2 wait
runs 3 '2 kernels started before they were launched' -- "$program" init early=1000000 launch=2 early=0 launch
grep -q '^unfit,"process [0-9]* (standin_program): 2 kernels' R/env.csv || fail "env.csv does not say why"
"$bin/solgate" compare R R >out 2>err && fail "an invalid run is compared: $(cat out)"
runs 9 '5 of 5 launches have no record: the process ended by _exit or a signal' -- "$program" init launch=5 _exit=9
runs 137 '5 of 5 launches have no record: the process ended by _exit or a signal' -- "$program" init launch=5 signal=9
runs 134 '1 of 1 launches' -- "$program" init launch signal=6
runs 0 '' -- "$program" init launch=5 wait _exit=0 # what it waited for is written down
launches all/square 5
runs 0 '' -- "$program" init launch=3 fork wait # the child has nothing of its parent's
launches all/square 3
runs 0 '' -- "$program" init launch=3 fork=0 wait
launches all/square 3
runs 3 'expected kernels, found no launch in the program' -- "$program" say=nothing
# Processes that are not seen, or not to their end; with their name.
# outlives WORDS COMMAND: in a folder of its own, for several at once
outlives() {
  folder=$(mktemp -d -p .)
  code=0
  "$bin/solgate" exec --out="$folder/R" -- sh -c "$2" >"$folder/out" 2>&1 || code=$?
  [ "$code" = 3 ] && grep -qF "$1 still runs after the program has ended" "$folder/out" || {
    fail "$2: $code, $(cat "$folder/out")" && return 1
  }
}
late="{ sleep 2.5; '$program' init launch=99; }"
others=
outlives '(sh)' "$late & '$program' init launch=5" & # begins late
others="$others $!"
outlives '(sh)' "$late & exec '$program' init launch=5" &
others="$others $!"
outlives '(standin_program)' "'$program' init launch=99 nap=5000 launch & '$program' init launch=5 nap=20" &
others="$others $!"
outlives '(standin_program)' "setsid -f '$program' init launch=99 nap=5000; '$program' init launch=5 nap=20" &
for other in $others $!; do wait "$other" || failures=$((failures + 1)); done
# A daemon that never has the driver is none of those, whether it detaches itself or not.
outlived() { "$bin/solgate" exec --out="$1" -- sh -c "$2" >"$1.out" 2>&1 || fail "$2: $(cat "$1.out")"; }
outlived daemon1 "sleep 4 >/dev/null & '$program' init launch=5" &
outlived daemon2 "setsid -f sh -c 'sleep 4; :'; exec '$program' init launch=5" &
wait
grep -q '^exec,all,square,tool:launches,1,5,' daemon1/run.csv && grep -q '^exec,all,square,tool:launches,1,5,' daemon2/run.csv || fail "daemons: $(cat daemon?.out)"
printf 'echo script; exec "$0.program" init launch=5\n' >plain && chmod +x plain && ln -s "$program" plain.program
runs 0 '' -- ./plain # no first line of #!
runs 4 'cannot be started: No such file' -- ./none
runs 0 '' -- sh -c "'$program' init launch=9 nap=200 & '$program' init launch=5" # its end is waited for
launches all/square 14
for unseen in "env -u CUDA_INJECTION64_PATH '$program' init nap=30 launch=99" "env -i LD_LIBRARY_PATH='$standin' '$program' init launch=99 nap=30" \
  "CUDA_INJECTION64_PATH= '$program' init launch=99 nap=30"; do
  runs 3 '(standin_program) uses the driver, but its environment lacks the library' -- sh -c "$unseen & '$program' init launch=5 nap=50; wait"
done
runs 3 '(standin_program) uses the driver' -- sh -c "setsid -f env -i LD_LIBRARY_PATH='$standin' '$program' init launch=99 nap=200; '$program' init launch=5"
unset CUDA_INJECTION64_PATH
export CUDA_INJECTION64_PATH=/a/tool.so
runs 3 "CUDA_INJECTION64_PATH: expected it to be unset, found '/a/tool.so'" -- "$program" init launch
unset CUDA_INJECTION64_PATH

# ---- counters, in a start of their own

# counts CASE/VARIANT METRIC VALUE N
counts() {
  grep -q "^exec,${1%/*},${1#*/},$2,[^,]*,$3,[^,]*,[^,]*,$4,ok," R/run.csv || fail "no $2 of $1 that is $3, $4 times: $(grep ",$2," R/run.csv)"
}
runs 0 '' --metrics=instructions,dram_read_bytes -- "$program" init launch=10 push=in grid=7 launch=4 wait say=once
[ "$(cat out)" = once ] || fail "counting: the output is not that of one start: $(cat out)"
counts all/square instructions '[0-9]*' 5 # the first three, the fourth and the eighth
counts in/square dram_read_bytes '[0-9]*' 4
has 'exec,all,square,time,ns,1004.5,'
runs 0 '' --metrics -- "$program" init launch=2 # the list of one pass
counts all/square ipc '[0-9]*' 2
# Counted work: gap makes a limit of it, for each kernel and the range, and says that counters
# cannot tell which work was needed.
runs 0 '' --metrics=work -- "$program" init push=step launch=4 symbol=other grid=7 launch=2 pop
"$bin/solgate" gap R --format=csv >gap.csv && "$bin/solgate" gap R >gap.txt || fail "gap of counted work: $(cat gap.csv)"
[ "$(grep -c 'Counters cannot tell' gap.txt)" = 1 ] && grep -q 'launches did more than fits into this time' gap.txt || fail "what counted work is not: $(cat gap.txt)"
awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
  FILENAME == "R/run.csv" { value[$3, $4] = $6; next }
  function sums(v) { return value[v, "fadd"] + value[v, "fmul"] + 2 * value[v, "ffma"] + value[v, "dadd"] + value[v, "dmul"] + 2 * value[v, "dfma"] + \
    value[v, "tensor_f64"] + value[v, "tensor_tf32"] + value[v, "tensor_bf16"] + value[v, "tensor_f16"] + value[v, "tensor_e4m3"] + value[v, "tensor_i8"] }
  { v = $3; flop = $at[FILENAME, "counted_flop"]; if ($at[FILENAME, "work_kind"] != "counted") bad = v " is not counted" }
  v == "whole_range" { whole = flop; next }
  { sum += value[v, "tool:launches"] * flop; n++; if (flop != sums(v) || flop < 1) bad = v " has " flop " flop, expected " sums(v) }
  END { if (n != 2 || sum != whole) bad = n " kernels of " sum " flop, the range has " whole; print bad; exit bad != "" }' R/run.csv gap.csv >wrong ||
  fail "counted work: $(cat wrong gap.csv)"
runs 0 '' --metrics=ipc --skip=1 --count=2 --kernel=square -- "$program" init symbol=other launch=3 symbol=square launch=9
counts all/square ipc 64 2
[ "$(grep -c ',ipc,' R/run.csv)" = 1 ] || fail "--kernel counts others: $(cat R/run.csv)"
runs 0 '' --metrics=ipc -- "$program" init symbol=ncclDevKernel_AllReduce launch symbol=k capture launch instantiate graph=2
grep -q '^exec,all,nccldevkernel_allreduce_[0-9a-f]*,count_passes,,,,,,unavailable,not counted: it waits for other GPUs,' R/run.csv || fail "NCCL: $(cat R/run.csv)"
has 'exec,all,k,count_passes,,,,,,unavailable,launched by a graph,'
runs 0 '' --metrics=ipc --count-range --range=step -- "$program" init launch push=step symbol=k grid=3 launch=2 push=inner launch=2 pop capture launch instantiate graph=2 pop launch=5
has 'exec,step,whole_range,ipc,inst/cycle,18,'
# One of two processes does not end while it is counted: both are ended, and the program is started
# again.
cat >ranks <<'SH'
if [ "${SOLGATE_TRACE#*__}" != "$SOLGATE_TRACE" ]; then
  "$1" init launch wait nap=60000 &
  echo $! >>rank
fi
exec "$1" init symbol=stuck launch symbol=k launch=2
SH
runs 0 '' --metrics=ipc -- sh ranks "$program"
has 'exec,all,stuck,count_passes,,,,,,unavailable,did not end while counted: it waits for another kernel,'
counts all/k ipc 64 2
ended "$(head -n 1 rank)" || fail "a process of the start that was ended goes on"
kill "$(tail -n 1 rank)"
# Processes on one GPU, which one of them has the counters of at a time.
export STANDIN_CLIENT="$work/client"
each='nap=30 symbol=b launch nap=30 wait symbol=c launch nap=30 symbol=d launch'
for apart in 'symbol=a launch=6' 'wait=1 symbol=a launch=2 nap=200' 'symbol=a launch nap=400'; do
  runs 0 '' --metrics=ipc -- sh -c "'$program' init $apart $each & '$program' init $apart $each; wait"
  [ "$(grep -c ',ipc,inst/cycle,64,' R/run.csv)" = 4 ] && ! grep ',count_passes,.*unavailable' R/run.csv || fail "$apart: $(cat R/run.csv)"
done
counts all/b ipc 64 2
runs 0 '' --metrics=ipc --count-range --range=step -- sh -c "'$program' init push=step launch=2 pop nap=200 & '$program' init push=step launch=2 pop; wait"
counts step/whole_range ipc 128 2
exec 8>"$STANDIN_CLIENT" && flock 8
runs 3 'another client has them, such as DCGM, a profiler, or another process of this program' --metrics=ipc -- "$program" init launch
exec 8>&-
unset STANDIN_CLIENT
# A program that ends by itself at a signal that was to stop solgate is not started again.
cat >stops <<'SH'
echo start >>starts
"$1" init launch=5
trap 'exit 0' TERM
: >there
while :; do sleep 0.1; done
SH
"$bin/solgate" exec --out=R --processes=3 -- sh stops "$program" >out 2>err &
for _ in $(seq 100); do [ -e there ] && break || sleep 0.1; done
kill -TERM $!
code=0
wait $! || code=$?
[ "$code $(wc -l <starts)" = '130 1' ] && grep -qF 'stopped by a signal after 1 of 3 starts' err || fail "stopped: exit code $code, starts $(wc -l <starts)"
launches all/square 5
# One that is ignored, as under nohup, stops nothing.
cat >ignores <<'SH'
echo start >>ignored
[ -e hung_up ] || kill -HUP "$PPID"
: >hung_up
exec "$1" init launch=5
SH
(
  trap '' HUP
  runs 0 '' --processes=2 -- sh ignores "$program"
  exit "$failures"
) || failures=$?
[ "$(wc -l <ignored)" = 2 ] || fail "a signal that is ignored stops the starts: $(wc -l <ignored) of 2"
runs 0 '' --metrics=ipc -- "$program" init launch=100 symbol=k grid=5 launch=2 capture launch instantiate graph=2 grid=6 launch wait nap=1 grid=7 launch=40
counts all/square ipc 64 8 # several at once, others between them, and a graph
for grid in 5 6 7; do grep -q "^exec,all,k_g[0-9a-f]*,ipc,inst/cycle,$grid," R/run.csv || fail "grid $grid is not counted: $(cat R/run.csv)"; done
# Of several passes: a launch is replayed for all; of those that are asked for only the first, and
# then sets take turns.
export STANDIN_PER_PASS=1
three=--metrics=ipc,instructions,sm_throughput
runs 0 '' $three -- "$program" init launch=100 symbol=k grid=5 launch=2 fails=1 launch fails=0 launch grid=6 launch
counts all/square ipc 64 8
counts all/square sm_throughput 704 8
grep -q "^exec,all,k_g[0-9a-f]*,ipc,inst/cycle,5,[^,]*,[^,]*,3," R/run.csv || fail "one that fails is counted: $(cat R/run.csv)"
runs 0 '' $three --skip=2 --count=31 -- "$program" init launch=100 symbol=k launch
counts all/square ipc 64 15 # the first, and two turns of seven
counts all/square instructions 1024 15 # another counter than ipc, at its own place
counts all/square sm_throughput 704 3 # replayed in its turns, which are of one launch
runs 0 '' $three --skip=0 --count=9 -- "$program" init launch=8 symbol=k launch
for metric in ipc instructions sm_throughput; do counts all/k $metric '[0-9]*' 1; done # a single launch has all
runs 0 '' $three --count-range -- "$program" init push=a grid=3 launch=2 pop push=a launch=2 pop push=b launch pop
has 'exec,a,whole_range,ipc,inst/cycle,6,'
has 'exec,a,whole_range,instructions,inst,96,'
has 'exec,a,whole_range,count_passes,,,,,,unavailable,"1 of 3 counters have no value: '
has 'exec,b,whole_range,count_passes,,,,,,unavailable,"2 of 3 counters have no value: '
unset STANDIN_PER_PASS
export STANDIN_CHILD=1
runs 0 '' --metrics=ipc -- "$program" init launch=100 symbol=k grid=5 launch=4
counts all/k ipc 5 4 # where kernels launch kernels each is counted by itself
counts all/square ipc 64 '[1-9]'
unset STANDIN_CHILD
runs 0 '' --metrics=ipc -- "$program" init launch=5 context=1 symbol=k launch=5 context=0 launch # a context that comes late
counts all/k ipc 64 4
for result in 26/'another client has them' 27/'under MPS' 35/'not permitted' 40/'not permitted' 7/''; do
  export STANDIN_NO_COUNTERS="${result%%/*}"
  runs 3 'kernels were timed but not counted: counters could not be read: cuptiProfilerGetCounterAvailability' --metrics=ipc -- "$program" init launch=2
  grep -F "(${result%%/*})" err | grep -qF "${result#*/}" || fail "counters that are held: $(cat err)"
  launches all/square 2
done
unset STANDIN_NO_COUNTERS
runs 4 'no_such_metric' --metrics=no_such_metric -- "$program" init
runs 4 '--skip' --skip=1 -- "$program" init

# ---- the folder: a run of exec is replaced whole or not at all, and nothing else is replaced

# into CODE WORDS DIR: exec of 7 launches
into() {
  code=0
  "$bin/solgate" exec --out="$3" -- "$program" init launch=7 >"$work/out" 2>"$work/err" || code=$?
  [ "$code" = "$1" ] && case $(cat "$work/err") in *"$2"*) ;; *) false ;; esac || fail "into $3: $code, $(cat "$work/err")"
}
SG_DEMO=accepted "$bin/solgate" run demo --out=M --case=n4k >/dev/null 2>&1 || fail "no run of the demo"
mkdir hand other && : >hand/run.csv && echo 'what for' >other/notes.txt
"$bin/solgate" import "$tree/tests/data/import/torch_2_kernel.json" --out=I >/dev/null || fail "import"
for folder in M hand other I; do
  before=$(cd $folder && cksum *)
  into 4 'the folder is not empty (' $folder
  [ "$before" = "$(cd $folder && cksum *)" ] && [ ! -e $folder.unfinished ] || fail "$folder was changed"
done
(cd other && rm notes.txt && into 4 'found the working folder' . && into 4 'found the working folder' ../other && exit "$failures") || failures=$?
mkdir own.unfinished && cp M/samples.csv own.unfinished
into 4 'samples.csv is in it' own
rm -r own.unfinished
into 0 '' other # it is empty
into 0 '' new/deep/own/
ln -s other link
: >other/run.csv
into 0 '' link
[ -L link ] && [ -s other/run.csv ] || fail "a link is not followed"
(cd other && : >verdict.csv)
into 4 'verdict.csv is in it' other
echo notes >notes.txt
code=0
"$bin/solgate" exec --out=busy -- sh -c 'cp notes.txt busy; exec "$@"' sh "$program" init launch=7 >out 2>err || code=$?
[ "$code" = 4 ] && grep -q 'notes.txt is in it); --out=DIR names another folder; the new run is in .*/busy.unfinished' err && [ -s busy.unfinished/run.csv ] ||
  fail "a program that writes to its run's folder: $code, $(cat err)"
for ms in 1 2 3 5 8 12 16 20 25 30 40 60; do
  "$bin/solgate" exec --out=new/deep/own -- "$program" init launch=$((ms + 7)) >out 2>err &
  pid=$!
  sleep "$(printf 0.%03d $ms)"
  kill -9 $pid 2>/dev/null || :
  wait $pid 2>/dev/null || :
  "$bin/solgate" compare new/deep/own new/deep/own >out 2>err || fail "killed after $ms ms: $(cat err)"
done
into 0 '' new/deep/own
[ "$(ls new/deep)" = own ] && [ "$(ls new/deep/own)" = "$(printf 'env.csv\nrun.csv')" ] || fail "left: $(ls new/deep new/deep/*)"
"$bin/solgate" exec --out=new/deep/own -- "$program" init launch=9 nap=20000 >out2 2>&1 &
for _ in $(seq 100); do # until the first solgate holds the lock, not only the folder
  if [ -e new/deep/own.unfinished ] && ! flock -n new/deep/own.unfinished true; then break; fi
  sleep 0.1
done
into 4 'another solgate is writing to this run' new/deep/own
kill $! && wait $! || :

# ---- a full disk: no space for the trace, the run, or either of them in a suite and a gate

# on_full CODE WORDS COMMAND...
on_full() {
  wanted=$1 words=$2 code=0
  shift 2
  "$@" >"$work/out" 2>&1 || code=$?
  [ "$code" = "$wanted" ] && grep -qF "$words" "$work/out" || fail "$*: $code, $(cat "$work/out")"
}
printf '[suite]\ntitle = t\n[exec a]\ncommand = %s init launch=5\n' "$program" >full.suite
# all_full WHY: programs that launch kernels
all_full() {
  on_full 3 "$1" "$bin/solgate" exec --out=F/exec -- "$program" init launch=5
  on_full 3 "$1" "$bin/solgate" run "$work/full.suite" --out=F/run
  on_full 3 "$1" "$bin/solgate" ab --exec --out=F/ab "$program init launch=5" "$program init launch=5"
}
mkdir disk F
(
  trap '' XFSZ
  ulimit -f 64
  all_full 'the trace could not be written: File too large'
  exit "$failures"
) || failures=$?
[ -n "${SOLGATE_SANITIZED:-}" ] || (
  # shellcheck disable=SC3045
  ulimit -v 250000 # less than the mapping of a trace
  on_full 3 'the trace could not be written: Cannot allocate memory' "$bin/solgate" exec --out=F/small -- "$program" init launch=5
  exit "$failures"
) || failures=$?
if mount -t tmpfs -o size=64k none disk 2>/dev/null; then
  cd disk
  head -c 64k /dev/zero >fill 2>/dev/null || :
  all_full 'No space left on device'
  on_full 3 'No space left on device' "$bin/solgate" import "$tree/tests/data/import/torch_2_kernel.json" --out=import
  cd ..
  umount -l disk
  for inodes in 3 4 5; do # no room for one more file: of the trace, the output, the run
    mount -t tmpfs -o size=4m,nr_inodes=$inodes none disk && cd disk
    [ $inodes = 5 ] || on_full 3 'No space left on device' "$bin/solgate" exec --out=R -- "$program" init launch=5
    cd .. && umount -l disk && mount -t tmpfs -o size=4m,nr_inodes=$inodes none disk && cd disk
    on_full 3 'No space left on device' "$bin/solgate" run "$work/full.suite" --out=R
    cd .. && umount -l disk
  done
fi

# ---- usage, and no GPU

runs 4 'expected -- and a program' --range=x
runs 4 'which select launches' --metrics --count-range --skip=1 -- "$program" init
runs 4 'expected a regular expression' --kernel='(' -- "$program" init
runs 4 'cannot be started: No such file' -- ./nothing_there
export STANDIN_NO_GPU=1
runs 77 'the driver finds no GPU' -- "$program" say=started
[ ! -s out ] || fail "the program was started without a GPU"
unset STANDIN_NO_GPU
mkdir empty
LD_LIBRARY_PATH=$work/empty
if ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
  runs 77 'libcuda.so.1 not found' -- "$program" say=started
fi

# ---- the library needs libc and shows what the driver and NVTX call

if command -v readelf >/dev/null && command -v nm >/dev/null; then
  needed=$(readelf -d "$bin/libsolgate-inject.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v -e '^libc\.' -e '^libdl\.' -e '^ld-linux' || :)
  [ -z "$needed" ] || fail "the library needs $needed"
  shown=$(nm -D --defined-only "$bin/libsolgate-inject.so" | sed 's/.* //' | tr '\n' ' ')
  [ "$shown" = "InitializeInjection InitializeInjectionNvtx2 " ] || fail "the library shows $shown"
fi
[ "$(cat "$tree"/harness/inject/*.[ch] "$tree/harness/trace/trace.h" | wc -l)" -lt 3200 ] || fail "the library has 3,200 lines or more"
[ "$failures" = 0 ]
