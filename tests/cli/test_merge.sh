#!/bin/sh
# run --shard and merge: parts of a suite give the run of the whole suite, in any order; parts that
# do not belong together, or are missing, are named and never pass; the merged run is judged,
# accepted and kept item by item, by the GPU that measured the item.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
export SOLGATE_BASELINES="$work/accepted" SOLGATE_BUILDS="$work/builds"
cd "$work"
cat >parts.suite <<'SUITE'
[suite]
title     = in parts
metrics   = quick
processes = 5
blocks    = 4
launches  = 2
deadline  = 20s

[null]
case      = tiny
case      = small
case      = large
case      = rows=32 cols=48
variant   = slower
variant   = wrong

[demo]
case      = n4k
SUITE

# parts FOLDER N [OPTION...]: each on another GPU
parts() {
  mkdir "$1"
  for i in $(seq 0 $(($2 - 1))); do
    SOLGATE_NULL_UNIT=g$i run 0 parts.suite --shard="$i/$2" --out="$1/$i" ${3+"$3"}
  done
}

# merges EXIT_STATUS FOLDER PART...
merges() {
  wanted=$1 out=$2 code=0
  shift 2
  "$solgate" merge "$@" --out="$out" >stdout 2>stderr || code=$?
  [ "$code" = "$wanted" ] || fail "merge $*: exit status $code instead of $wanted"
}

# judges EXIT_STATUS TEXT COMMAND...
judges() {
  wanted=$1 text=$2 code=0
  shift 2
  "$solgate" "$@" >stdout 2>stderr || code=$?
  [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: solgate $*"
  cat stdout stderr | tr -s ' \n' ' ' | grep -qF -e "$text" || fail "solgate $* does not say: $text"
}

# facts RUN: what no clock decides
facts() { grep -v -e ',unit,' "$1/run.csv" | cut -d, -f1-5,10; }

run 0 parts.suite --out=whole
for n in 1 2 7; do
  parts "p$n" $n
  # shellcheck disable=SC2046 # words
  merges 0 "m$n" $(seq -f "p$n/%g" 0 $((n - 1)))
  # shellcheck disable=SC2046 # words
  merges 0 "r$n" $(seq -f "p$n/%g" $((n - 1)) -1 0)
  for file in run env units parts; do
    cmp "m$n/$file.csv" "r$n/$file.csv" || fail "$n parts: $file.csv depends on their order"
  done
  facts whole >whole.facts
  facts "m$n" | diff whole.facts - || fail "$n parts: other items than the whole run"
done
[ "$(wc -l <m7/parts.csv)" = 8 ] || fail "parts.csv has not 7 parts"
merges 0 m7 p7/? # over itself

# A part that is itself in parts: two GPUs of a node that has shard 0 of 2.
SOLGATE_NULL_UNIT=g0 run 0 parts.suite --shard=0,2/6 --out=sub0
SOLGATE_NULL_UNIT=g1 run 0 parts.suite --shard=4/6 --out=sub1
SOLGATE_NULL_UNIT=g2 run 0 parts.suite --shard=1,3,5/6 --out=sub2
merges 0 sub sub1 sub2 sub0
facts sub | diff whole.facts - || fail "several shards in a part: other items"

for wrong in 2/2 x/2 1 1/0 1,1/3 /2; do
  told 4 "expected I/N, with I from 0 to N - 1 and N from 1 to 1000000, found '$wrong'" run parts.suite --shard=$wrong
done
told 4 "this run was started with --shard=0/2, found the whole suite" run parts.suite --out=p2/0 --resume

# ---- sets of parts that must not be merged

# broken NAME TEXT PART...: exit 3 with the text, and nothing is written
broken() {
  name=$1 text=$2
  shift 2
  merges 3 broken "$@"
  grep -qF -e "$text" stderr || fail "$name: merge does not say: $text"
  [ ! -e broken ] || fail "$name: something is written"
}
# edited NAME EXPRESSION: part 1 of 2 with other facts
edited() {
  rm -rf "$1" && cp -R p2/1 "$1"
  sed -e '/^digest,/d' -e "$2" p2/1/env.csv >"$1/env.csv"
}
broken "a folder that is not there" "nowhere: expected the folder of a run" p2/0 nowhere
ln -s p2/0 copy
broken "doubled" "p2/0: copy has shard 0/2 too" p2/0 p2/1 copy
broken "a whole run" "whole: expected a part of a suite" p2/0 whole
broken "other N" "p7/3: one of 7 shards here, of 2 in p2/0" p2/0 p7/3
edited killed 's/^state,.*/state,running/'
broken killed "killed: this run is not finished" p2/0 killed
edited code 's/^code.null,.*/code.null,0123456789abcdef/'
broken "other code" "code: code.null is '0123456789abcdef' here, '" p2/0 code
edited terms 's/^tolerance,.*/tolerance,0.02/'
broken "other terms" "terms: tolerance is '0.02' here, '0.005' in p2/0" p2/0 terms
edited seed 's/^seed,.*/seed,9/'
broken "another seed" "seed: seed is '9' here, '1' in p2/0" p2/0 seed
edited model 's/^gpu,.*/gpu,h200/'
broken "another model" "model: gpu is 'h200' here, 'null' in p2/0" p2/0 model
edited driver 's/^gpu,.*/&\ndriver,580.1/'
edited older 's/^gpu,.*/&\ndriver,570.1/' && sed -i 's,^shard.*,shard\,0/2,' older/env.csv
broken "another driver" "driver: driver is '580.1' here, '570.1' in older" driver older
edited half 's/x/x/' && head -c 5000 p2/1/run.csv >half/run.csv
broken "half-written" "half/run.csv" p2/0 half
rm half/run.csv
broken "without rows" "half/run.csv" p2/0 half
rm -rf changed && cp -R p2/1 changed && sed -i 's/,time_ratio,1,1/,time_ratio,1,2/' changed/run.csv
broken "changed by hand" "changed/env.csv: run.csv or env.csv was changed" p2/0 changed

# A missing shard: its number, and a run that nobody passes.
merges 3 lacks p7/0 p7/1 p7/2 p7/4 p7/6
grep -qF 'not_measured: 3,5/7' stderr || fail "merge does not name the missing shards"
judges 3 'shard/3_of_7/missing not_measured: skipped in this run: no part has it: solgate run parts.suite --shard=3/7' compare lacks whole
judges 3 'shards of the suite are missing in this run: 3,5/7' accept lacks

# ---- the numbers of each GPU

parts q2 2 --seed=2
merges 0 R q2/0 q2/1
judges 0 '0 worse' accept m2
grep -q '1:g0' accepted/parts.csv || fail "a row does not name the GPU that measured it"
judges 0 'PASS (exit 0)' compare R
judges 0 'of the items --shard=0/2' compare q2/0
run 0 parts.suite --seed=3 --out=elsewhere
judges 2 'inconclusive' compare elsewhere
rm accepted/parts.csv
for i in 0 1; do
  SOLGATE_NULL_UNIT=g$i run 0 parts.suite --out="unit$i"
  judges 0 '0 worse' accept --unit "unit$i"
done
judges 0 'of GPU g0 and 1 more' compare R
sed -i 's/^g1,/g3,/' accepted/parts.csv && judges 0 '' accepted seal accepted/parts.csv --reason=test
judges 3 'not_accepted' compare R

# Times of one GPU that others used are invalid, those of the other one are not.
SOLGATE_NULL_TROUBLE='g1/*:others' SOLGATE_NULL_UNIT=g1 run 3 parts.suite --shard=1/2 --out=shared
merges 0 beside p2/0 shared
judges 3 'other process' compare beside m2
grep -q 'null/.* invalid' stdout || fail "no item of the shared GPU is invalid"
judges 3 'other process' accept beside

# A part that is gone when its samples are needed.
rm -rf accepted
mv q2/1 gone
judges 3 'q2/1: this part of R is gone' accept R
mkdir nights
judges 3 'q2/1: this part of R is gone' history add --history=nights R
cp -R q2/0 q2/1
judges 3 'q2/1: this part has changed since it was merged into R' accept R
rm -rf q2/1 && mv gone q2/1
judges 0 'added' history add --history=nights R
judges 0 '' report R --tables-only --out=page
judges 0 'null/large' gap R --gpu-spec=h100

# A nightly run in parts: one in the history, unless a shard is missing.
judges 0 "0 worse" accept R
mkdir history night
for i in 0 1 2; do
  SOLGATE_NULL_UNIT=g$i judges 0 'history: none is kept' nightly parts.suite --shard=$i/3 --all --out="night/parts/$i" --history=history --seed=4
done
[ -z "$(ls history)" ] || fail "a part is in the history"
merges 3 night/lacks night/parts/[01]/*/parts
judges 3 'this run is not kept, because shards are missing: 2/3' nightly parts.suite --run=night/lacks --history=history
[ -z "$(ls history)" ] || fail "a run that lacks a shard is in the history"
merges 0 night/run night/parts/?/*/parts
judges 0 "PASS (exit 0): nothing regressed" nightly parts.suite --run=night/run --history=history
cmp -s stdout night/night.txt || fail "night.txt is not in the folder of the nightly run"
[ "$(find history -name '*.csv' | wc -l)" = 1 ] && [ -e night/run/report/index.html ] || fail "the merged run is not kept, or has no report"
told 4 'p2/0: expected a whole run of suite parts, found its part --shard=0/2; ' nightly parts.suite --run=p2/0
told 4 'p2/0: expected a whole run of suite parts, found its part --shard=0/2; ' history add --history=nights p2/0
told 4 'night/run: expected a run of suite null, found one of suite parts' nightly null --run=night/run
rm night/night.txt
judges 0 'nightly run night, ' nightly parts.suite --run=night/run// --history=history
[ -e night/night.txt ] || fail "night.txt is elsewhere if the path of the run ends in a slash"
told 4 'expected the one SUITE of the run, found 2' nightly parts.suite null --run=night/run
told 4 '--run' nightly parts.suite --run=night/run --shard=0/3

[ "$failures" = 0 ]
