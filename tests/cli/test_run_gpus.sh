#!/bin/sh
# run and nightly --gpu=all: several GPUs give the items and verdicts of one; the cases of a lost
# GPU go to the others; what no GPU could measure is not_measured; a run is resumed on other GPUs.
# tests/cli/kill_matrix.sh kills such runs.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
export SOLGATE_BASELINES="$work/accepted" SOLGATE_BUILDS="$work/builds" SOLGATE_NULL_LOST="$work/lost"
cd "$work"
mkdir lost
{
  printf '[suite]\ntitle = on GPUs\nmetrics = quick\nprocesses = 5\nblocks = 4\nlaunches = 2\ndeadline = 20s\n\n[null]\n'
  printf 'variant = %s\n' slower noisy
  printf 'case = %s\n' tiny small large 'rows=32 cols=48' 'rows=33 cols=48'
} >gpus.suite

# facts RUN: what no clock and no GPU decides
facts() { grep -v ',unit,,' "$1/run.csv" | cut -d, -f1-5,10; }

# whole RUN: it has all items of the run on one GPU, and each case was measured on one GPU
whole() {
  facts "$1" | diff one.facts - >stdout || fail "$1: other items than on one GPU"
  [ -z "$(awk -F, '$4 == "unit" && seen[$1 "/" $2]++ && $11 != unit[$1 "/" $2] { print } { if ($4 == "unit") unit[$1 "/" $2] = $11 }' "$1/run.csv")" ] ||
    fail "$1: a case was measured on two GPUs"
}

run 0 gpus.suite --out=one
facts one >one.facts
run 0 gpus.suite --gpu=all --out=all
says ' wait'
prints 'GPU seconds: GPU 0 '
whole all
[ "$(wc -l <all/units.csv)" -gt 3 ] || fail "--gpu=all used few GPUs"
grep -q '^null,small,' all/parts/0002_gpu0/run.csv || fail "the case with most work is not dealt first"
run 0 gpus.suite --gpu=all --out=all --resume
whole all

told 3 'was started with seed "1", found "9"' run gpus.suite --gpu=all --out=all --resume --seed=9
told 3 'was started with metrics ' run gpus.suite --gpu=all --out=all --resume --metrics=default

told 4 "expected GPUs from 0 to 63 such as 0 or 0,2, or all, found '0,x'" run gpus.suite --gpu=0,x
told 4 'the folder is not empty' run gpus.suite --gpu=0,1 --out=all
cp -R one 'begun on one'
told 4 "found run.log, which is of a run on one; resume with: solgate run gpus.suite --out='begun on one' --resume" run gpus.suite --gpu=0,1 --out='begun on one' --resume
told 4 'found parts, which is of a run on several; resume with: solgate run gpus.suite --gpu=all --out=all --resume' run gpus.suite --out=all --resume
grep -q '^events,none in [0-9]* processes$' all/env.csv || fail "env.csv does not say that there were no events"
told 77 'no GPU can be used: --gpu: expected a GPU below 8' run gpus.suite --gpu=8,9 --out=none

# A GPU is lost at its first, middle or last process; two are; one is not there at the start.
for trouble in null1/0:lost null1/2:lost null1/4:lost 'null1/4:lost null0/1:lost'; do
  rm -rf lost R history && mkdir lost
  SOLGATE_NULL_TROUBLE=$trouble run 0 gpus.suite --gpu=0,1,2 --out=R
  says 'GPU 1 leaves the pool: '
  prints 'left the pool: '
  whole R
  grep -q '^null1,.*null1 is lost$' R/units.csv || fail "units.csv does not name the lost GPU"
  "$solgate" history add --history=history R >stdout 2>&1 || fail "history add: exit status $?"
  "$solgate" fleet history >stdout 2>&1 || true
  prints ' null1 is lost: '
done

# All are lost: at once, or when a part is done.
rm -rf lost R && mkdir lost
SOLGATE_NULL_TROUBLE='*:lost' run 3 gpus.suite --gpu=0,1 --out=R
says 'no part of the suite was measured'
rm -rf lost R && mkdir lost
{
  code=0
  "$solgate" run gpus.suite --gpu=0,1 --out=R 2>&1 || code=$?
  echo "exit $code"
} | while read -r line; do
  case $line in "GPU "*case*) touch lost/null0 lost/null1 ;; esac
  echo "$line"
done >stdout
grep -q '^exit 3' stdout || fail "all GPUs are lost: not exit 3"
grep -q 'skipped: GPU 0: .*null0 is lost; GPU 1: ' stdout || fail "all GPUs are lost: an item does not say why"
code=0
"$solgate" accept R >stdout 2>&1 || code=$?
[ "$code" = 3 ] || fail "an incomplete run is accepted: $code"
rm -rf lost && mkdir lost
run 0 gpus.suite --gpu=0,1 --out=R --resume
whole R

# An unfinished part of a GPU that is hidden now, and of one whose place another GPU has.
cp -R all hidden
for part in hidden/parts/0*_gpu[14]; do
  sed -i -e '/^digest,/d' -e 's/^state,.*/state,running/' "$part/env.csv"
done
sed -i 's/^gpu_uuid_hash,.*/gpu_uuid_hash,other/' hidden/parts/0*_gpu4/env.csv
run 0 gpus.suite --gpu=2,4 --out=hidden --resume
whole hidden

# Times of one GPU that others used are invalid.
SOLGATE_NULL_TROUBLE='null1/*:others' run 3 gpus.suite --gpu=1,2 --out=shared
prints 'invalid: '

# A machine of a fleet: two GPUs measure a shard.
run 0 gpus.suite --shard=0/2 --gpu=0,1 --out=p0
run 0 gpus.suite --shard=1/2 --gpu=2,3 --out=p1
run 0 gpus.suite --shard=0/1000000 --gpu=0,1 --out=empty
grep -q '^state,finished$' empty/env.csv || fail "a shard without a case is no finished part"
"$solgate" nightly gpus.suite --shard=0/1000000 --out=night_empty >stdout 2>stderr || fail "a shard without a case: exit status $?"
prints 'PASS (exit 0): no case of the suite is in this part'
"$solgate" merge p1 p0 --out=merged >stdout 2>&1 || fail "merge: exit status $?"
whole merged

# Nightly: same verdicts, open rows measured again where they began.
"$solgate" accept one >stdout 2>&1 || fail "accept: exit status $?"
sed 's/the sum may cancel/the sum can cancel/' "$(dirname "$solgate")/libsg_null.so" >other.so
for gpus in 0 all; do
  "$solgate" nightly gpus.suite --module=other.so --seed=7 --gpu=$gpus --out=night$gpus >"said$gpus" 2>stderr || fail "nightly --gpu=$gpus: exit status $?"
  sed -n '1,2p; /^[0-9]* rows/p; /^open items/p' "said$gpus" >"verdict$gpus"
  facts "$(echo night$gpus/*/gpus)" >"night$gpus.facts"
done
diff verdict0 verdictall >stdout || fail "nightly: another verdict on all GPUs"
diff night0.facts nightall.facts >stdout || fail "nightly: other rows on all GPUs"
grep -q '^open items' verdictall || fail "nightly: no open items"
grep -q 'GPU seconds' saidall || fail "nightly: no GPU seconds"

[ "$failures" = 0 ]
