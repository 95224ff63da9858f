#!/bin/sh
# solgate ab --exec of commands, on the stand-in of the driver and of CUPTI: fresh processes in
# turns, kernel by kernel; ranges of one program; what one side lacks is said; "same code".
# shellcheck source=tests/cli/standin_lib.sh
. "$(dirname "$0")/standin_lib.sh"
p=$program

# gate CODE WORDS COMMAND...: what it prints, into the run R
gate() {
  wanted=$1 words=$2 code=0
  shift 2
  rm -rf R
  "$bin/solgate" ab --exec --out=R "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "$*: exit code $code, expected $wanted: $(cat out err)"
  says "$words"
}
says() { tr -s ' \n' ' ' <out | cat - err | grep -qF -e "$1" || fail "expected '$1', found $(cat out err)"; }
has() { grep -qF -e "$1" R/run.csv || fail "no row $1 in $(cat R/run.csv)"; }

# ---- two commands

export STANDIN_ASKED=$work/asked # the name of the GPU: by the first start alone
gate 0 '2 rows: 2 within, against' "$p init launch=20 wait" "'$p' init \"launch=2\"0 wait say=two\\ words"
unset STANDIN_ASKED
! grep -q 'starts chose' out || fail "starts that chose alike: $(cat out)"
[ "$(wc -l <asked)" = 1 ] || fail "the driver is asked $(wc -l <asked) times for its GPU"
says '10 starts of each side'
has 'exec,all,square,time_ratio,1,1,1,1,10,ok,square_base,'
has 'exec,all,square_base,time,ns,1009.48'
has 'exec,all,whole_range,tool:launches,1,20,'
[ "$(cat R/candidate.out)" = 'two words' ] || fail "the words of a command are parted otherwise: $(cat R/candidate.out)"
gate 1 '2 regressed' "$p init ns=1000 launch=5" "$p init ns=1030 launch=5"
says '2.99 % slower than baseline'
grep -q '^exec,all,square,time_ratio.*,regressed,slower,' R/verdict.csv || fail "no verdict is kept: $(cat R/verdict.csv)"
gate 0 '2 within' --tolerance=5% --format=json "$p init ns=1000 launch=5" "$p init ns=1030 launch=5"
"$bin/solgate" report R --out=page >report 2>&1 || fail "no page of it: $(cat report)"
grep -q '1.030x' page/index.html || fail "the page does not show the ratio"
code=0
"$bin/solgate" compare R >out 2>err || code=$?
[ "$code" = 3 ] || fail "a gate is compared with accepted numbers: $code"

# ---- a percentile of the launches, where the gate asks for it: 2 % of them ten times slower

slow="$p init ns=9000 launch=5 ns=1000 launch=245"
gate 0 '2 within' --tolerance=wide:25% "$p init launch=250" "$slow"
gate 1 '1 regressed, 1 within' --tolerance=wide:25% --percentile=99 "$p init launch=250" "$slow"
says 'percentile 99 of the launches of each start'
says '+622 %'
# 21 slow launches of 2,048 are just enough; a sample of 256 would miss them.
gate 1 '1 regressed, 1 within' --tolerance=wide:25% --percentile=99 "$p init grid=3 launch=2048" "$p init grid=3 ns=9000 launch=21 ns=1000 launch=2027"
gate 3 '1 invalid, 1 within' --percentile=99 "$p init launch=99" "$p init launch=99"
says 'not launched in each start at least 100 times, as percentile 99 needs'
gate 3 '2 invalid, 1 within' --tolerance=wide:25% --percentile=99 "$p init symbol=old launch=250" "$p init symbol=new launch=250"
# Starts that launch it more or less often than a percentile needs have chosen alike.
cat >wavers <<'SH'
n=$(($(cat "$1") + 1))
echo $n >"$1"
exec "$2" init launch=$((90 + n % 2 * 20))
SH
echo 0 | tee a >b
gate 3 '1 invalid, 1 within' --percentile=99 "sh wavers a $p" "sh wavers b $p"
! grep -q 'starts chose' R/verdict.csv || fail "starts that chose alike: $(cat R/verdict.csv)"

# ---- what only one side has, other geometries, small kernels, ranges

gate 1 '1 regressed, 1 within, 2 that only one side has' "$p init launch=20 symbol=old launch=3" "$p init launch=20 symbol=new launch=6"
says 'only one side launches it: all/old (baseline, 12.9 %), all/new (candidate, 23 %)'
gate 0 '2 within' "$p init grid=8 launch=9" "$p init grid=16 launch=9"
grep -q 'grid (16, 1, 1).*, and was grid (8, 1, 1)' R/verdict.csv || fail "another grid is not said: $(cat R/verdict.csv)"
gate 0 '2 within' "$p init symbol=_Z5scaleIfEvPT_ launch=9" "$p init symbol=_Z5scaleIdEvPT_ launch=9"
grep -q '_Z5scaleIdEvPT_, and was _Z5scaleIfEvPT_' R/verdict.csv || fail "another kernel of the name is not said: $(cat R/verdict.csv)"
gate 0 '3 within, against' "$p init grid=8 launch=4 grid=9 launch=4" "$p init grid=8 launch=4 grid=9 launch=4 ns=5 symbol=small launch" --kernel=square
gate 3 '1 invalid, 2 within, 1 that only one side has' "$p init push=a launch=9 pop" "$p init push=a launch=9 pop push=b launch"
says 'launches it: b/square (candidate, 100 %)'
gate 3 '2 invalid, 2 within' "$p init launch=9 push=a launch=9 pop" "$p init launch=9 push=b ns=1200 launch=9 pop" # a range renamed
grep -q '^exec,b,whole_range,status,.*,invalid,.*only the candidate has this range' R/verdict.csv || fail "$(cat R/verdict.csv)"
cat >late <<'SH'
# late COUNT NS PROGRAM: the first start lacks range b
n=$(($(cat "$1") + 1))
echo $n >"$1"
[ $n = 1 ] || more="push=b ns=$2 launch=9 pop"
exec "$3" init push=a launch=9 pop ${more:-}
SH
for a in 0 1; do # both sides are late, or the candidate
  echo $a >a && echo 0 >b
  gate 3 '1 invalid, 2 within' "sh late a 1000 $p" "sh late b 2000 $p"
  says 'exec/b/whole_range invalid: not launched in the first start of each side'
done
gate 0 '2 within, 1 that only one side has' --range=a "$p init push=a launch=9 pop" "$p init push=a launch=9 symbol=small ns=1 launch pop push=b launch"
gate 0 '2 within' --range=b "$p init launch=5 push=b launch=9" "$p init launch=7 push=b launch=9"
both="$p init symbol=gemm launch=5 symbol=gemm_base launch=5"
gate 0 '3 within' "$both" "$both" # the baseline of gemm is not called gemm_base
both="$p init push=step.1 launch=5 pop push=step_1 launch=5 pop"
gate 0 '4 within' "$both" "$both"
gate 0 '1 kernel below 1 % of its range' "$p init launch=200 symbol=small launch" "$p init launch=200 symbol=small launch"

# ---- a tuner that chooses anew in each start

cat >tunes <<'SH'
# tunes COUNT NS PROGRAM: every third start chooses a kernel that is 20 % slower
n=$(($(cat "$1") + 1)) ns=$2
echo $n >"$1"
[ $((n % 3)) != 2 ] || grid=16 ns=$((ns * 12 / 10))
exec "$3" init symbol=tiled grid=${grid:-8} ns=$((ns + n % 4)) launch=20
SH
# Triton's cache has the kernel twice: the launched one has its warps and registers, 32 of them.
for entry in '2 \020' '3 \040'; do
  stages=${entry% *}
  mkdir -p cache/$stages
  echo "{\"num_warps\": 8, \"warp_size\": 32, \"shared\": 0, \"num_stages\": $stages, \"maxnreg\": null}" >cache/$stages/tiled.json
  printf 'ELF \004\057\010\000\007\000\000\000'"${entry#* }"'\000\000\000' >cache/$stages/tiled.cubin
done
# tuned CODE WORDS NS: the sides do not choose alike in each start
tuned() {
  echo 0 >a
  echo 2 >b
  gate "$1" "$2" "sh tunes a 10000 $p" "sh tunes b $3 $p"
  says 'starts chose different kernels: baseline tiled, grid (8, 1, 1), block (256, 1, 1), 0 B dynamic shared, 32 registers, num_warps 8, num_stages 3 in 13 of 20 starts; tiled, grid (16, 1, 1),'
  says 'in 7 of 20 starts; candidate tiled, grid (8, 1, 1),'
}
export TRITON_CACHE_DIR=$work/cache
tuned 2 'most frequent choice of each side (13 and 14 starts): within, ' 10000
has 'whole_range_base,note,,,,,,ok,"all kernels of the range; tiled, grid (8, 1, 1), block (256, 1, 1), 0 B dynamic shared, 32 registers, num_warps 8, num_stages 3 in 13 of'
! grep -q 'only the' R/verdict.csv || fail "a choice of both sides is called one side's: $(cat R/verdict.csv)"
tuned 2 'most frequent choice of each side (13 and 14 starts): regressed, +3' 10300

cat >many <<'SH'
# many COUNT PROGRAM: every third start chooses another grid of five kernels, and other code
n=$(($(cat "$1") + 1)) grid=8
echo $n >"$1"
[ $((n % 3)) != 2 ] || grid=16
for i in 1 2 3 4 5; do set -- "$@" symbol=tiled_$i launch=9; done
shift
program=$1
shift
exec "$program" init symbol=coded code=x$grid launch=9 grid=$grid "$@"
SH
echo 0 | tee a >b
gate 0 'within, +0.00 % [-0.00, +0.00]' --format=csv "sh many a $p" "sh many b $p"
says ' and 3 more in 7 of 10 starts; coded, grid (64, 1, 1), block (256, 1, 1), 0 B dynamic shared, 32 registers, code '

# ---- machine code

gate 0 'within' --format=csv "$p init code=abc launch=5" "$p init code=abc launch=5"
says 'same code'
gate 0 'within' --format=csv "$p init code=abc launch=5" "$p init code=abd launch=5"
! grep -q 'same code' out || fail "other code is taken for the same: $(cat out)"
for side in 1 2; do
  grid="${grid:-} grid=$side launch=9" # one geometry, then two
  "$bin/solgate" exec --out=E$side -- "$p" init code=abc launch=9 symbol=other code=$side launch=9 symbol=moved $grid >/dev/null 2>err || fail "exec: $(cat err)"
done
"$bin/solgate" compare E1 E2 --format=csv >out 2>err || :
grep -q '^exec,all,square,time,.*; same code' out || fail "compare does not say that the code is the same: $(cat out err)"
! grep -q '^exec,all,other,time,.*; same code' out || fail "compare takes other code for the same: $(cat out)"
"$bin/solgate" gap E1 E2 --format=csv >gap
"$bin/solgate" compare E2 E1 --info --format=csv | cmp - gap && grep -q '^exec,all,moved_g[0-9a-f]*,10.*,1[0-9.]*,1,' gap ||
  fail "gap pairs kernels otherwise than compare: $(cat gap)"

# ---- ranges of one program that take turns

# turns NS
turns() {
  for _ in 1 2 3; do
    printf 'push=solgate:baseline/x push=inner ns=1000 launch=2 pop pop push=solgate:candidate/x ns=%s launch=2 pop ' "$1"
    printf 'push=solgate:candidate/x launch=2 pop push=solgate:baseline/x ns=1000 launch=2 pop '
  done
}
gate 0 '2 rows: 2 within, against solgate:baseline' "$p init $(turns 1000) launch=3"
has 'exec,x,square,time_ratio,1,1,1,1,10,ok,square_base,'
gate 1 '2 regressed' "$p init $(turns 1050)"
first="push=solgate:baseline/x ns=9000 launch pop push=solgate:candidate/x ns=1000 launch pop" # of all, is slow
gate 0 '2 within' "$p init $first $(turns 1000)"
gate 3 'that alternate, A B B A or A B, at least 4, found 2 ranges with 2 turns' \
  "$p init push=solgate:baseline launch=9 pop push=solgate:candidate launch=9"
sides() { for case in a b c; do printf 'push=solgate:%s/%s launch=9 pop ' "$1" $case; done; }
gate 3 'at least 4, found 2 ranges with 2 turns in case a' "$p init $(sides baseline) $(sides candidate)"
gate 3 'in ranges solgate:baseline and solgate:candidate, found none' "$p init $(turns 1000 | sed 's/launch/grid/g')"

# ---- killed, and continued: the starts that it has are not made again

count="sh -c 'echo \$\$ >pid; echo >>starts; exec \"\$0\" init launch=5 nap=\$(cat nap)'"
echo 600000 >nap
rm -rf R pid
"$bin/solgate" ab --exec --out=R "$count $p" "$p init launch=5" >out 2>&1 &
for _ in $(seq 2000); do [ ! -s pid ] || break; sleep 0.01; done
kill -9 $! && wait $! || :
ends "$(cat pid)" || fail "a program goes on after solgate was killed: $(ps -o pid,ppid,stat,etime,args -p "$(cat pid)" | tail -n 1)"
echo 10 >nap
rm -rf R starts
gate 1 '2 regressed' "$count $p" "$p init ns=1050 launch=5"
mv R K
needed=$(wc -l <starts)
for ms in 10 70 130 210 290 370 450 550 700 900; do
  rm -rf R starts
  "$bin/solgate" ab --exec --out=R "$count $p" "$p init ns=1050 launch=5" >out 2>&1 &
  sleep "0.$(printf %03d $ms)"
  kill -9 $! 2>/dev/null || :
  wait $! || :
  [ -d R ] || mkdir R
  code=0
  "$bin/solgate" ab --exec --out=R --resume "$count $p" "$p init ns=1050 launch=5" >out 2>err || code=$?
  [ $code = 1 ] || fail "killed after $ms ms and resumed: exit code $code, $(cat out err)"
  cmp K/run.csv R/run.csv && cmp K/verdict.csv R/verdict.csv && [ ! -e R/traces ] ||
    fail "killed after $ms ms and resumed: $(diff K/run.csv R/run.csv)"
  [ "$(wc -l <starts)" -le $((needed + 1)) ] ||
    fail "killed after $ms ms: A was started $(wc -l <starts) times, expected $needed, or one more"
done
# resumed CODE WORDS COMMAND...: what a resumed R prints
resumed() {
  wanted=$1 words=$2 code=0
  shift 2
  "$bin/solgate" ab --exec --out=R --resume "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "resumed: $*: exit code $code, expected $wanted: $(cat out err)"
  says "$words"
}
letter() { printf "sh -c 'printf %s >>order; exec \"\$0\" init launch=5'" "$1"; } # orders are drawn
for seed in 1 2 2; do
  rm -f order
  gate 0 within "--seed=$seed" "$(letter A) $p" "$(letter B) $p"
  orders="${orders:-} $(cat order)"
done
set -- $orders
[ "$2" = "$3" ] && [ "$1" != "$2" ] && [ ${#1} = 20 ] || fail "orders of the starts by seed: $orders"
gate 1 '2 regressed' "$count $p" "$p init ns=1050 launch=5"
resumed 3 'this run was started with seed "1", found "2"' --seed=2 "$count $p" "$p init ns=1050 launch=5"
rm starts
resumed 1 '2 regressed' "$count $p" "$p init ns=1050 launch=5" # a finished run
[ ! -e starts ] || fail "a finished run is measured again"
resumed 3 'this run was started with candidate' "$count $p" "$p init launch=5"
resumed 3 'this run was started with tolerance "0.005", found "0.02"' --tolerance=2% "$count $p" "$p init ns=1050 launch=5"
gate 5 'baseline: exit status 7; its output is in R/baseline.out; results are kept, resume with: solgate ab --exec' "$p init launch exit=7" "$p init launch"
gate 5 'candidate: no end after 0.3 s: killed (--deadline); its output is in R/candidate.out' --deadline=300ms "$p init" "sh -c 'echo \$\$ >pid; sleep 100'"
ends "$(cat pid)" || fail "a program goes on after its deadline"
[ ! -e R/env.csv ] || fail "a run without a start is kept"

# ---- what cannot be judged

gate 5 'baseline: exit status 4; its output is in R/baseline.out' "$p init launch exit=4" "$p init launch"
gate 5 'candidate: killed by SIGABRT; its output is in R/candidate.out' "$p init launch" "$p init launch signal=6"
gate 3 'launches have no record' "$p init launch=4 _exit=0" "$p init launch=4"
gate 3 'expected kernels that both sides launch, found none' "$p init" "$p init launch"
# once FILE: a command that launches nothing when the file is there
once() { printf 'sh -c "[ -e %s ] || exec %s init launch=5 say= >%s"' "$1" "$p" "$1"; }
gate 3 'exec/all whole_range invalid' "$(once one)" "$(once two)"
says 'not launched in each start'
cat >stops <<'SH'
trap 'exit 0' TERM
"$1" init launch=5
: >there
while :; do sleep 0.1; done
SH
rm -rf R
"$bin/solgate" ab --exec --out=R "sh stops $p" "sh stops $p" >out 2>err &
for _ in $(seq 100); do [ -e there ] && break || sleep 0.1; done
kill -TERM $!
code=0
wait $! || code=$?
[ "$code" = 130 ] || fail "stopped while a program runs that ends with 0 at it: exit code $code, $(cat out err)"
gate 4 'expected a command with closed quotes' "$p 'init" "$p"
gate 4 "expected a command, found ' '" ' ' "$p"
gate 4 'cannot be started: No such file' ./nothing "$p"
gate 4 'l2 goes with: BASELINE CANDIDATE' --l2=warm "$p" "$p"
code=0
"$bin/solgate" ab --range=x a/b a/c >out 2>&1 || code=$?
[ "$code" = 4 ] || fail "--range without --exec: $code"
[ "$failures" = 0 ]
