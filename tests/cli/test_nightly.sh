#!/bin/sh
# solgate nightly: what is open is measured on and then decides the exit code; a night is a folder
# whose night.txt comes last; budget, lock, history and several suites. In cron's empty environment,
# of simulated times by fixed seeds.
set -eu
bin=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

fail() {
  echo "FAILED: $*"
  sed 's/^/    /' out err 2>/dev/null | tail -25
  failures=$((failures + 1))
}

solgate() {
  env -i SOLGATE_NULL_UNIT="${unit:-}" SOLGATE_BUILDS="$work/store" SOLGATE_BASELINES="$work/accepted" "$bin/solgate" "$@"
}

# night SENTENCE EXIT WORDS [ARGUMENT...]: one that times all rows ends so, and prints the words
night() {
  sentence=$1 wanted=$2 words=$3
  shift 3
  code=0
  solgate nightly --all "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "$sentence: exit $code instead of $wanted"
  cat out err | tr -s ' \n' '  ' | grep -qF -e "$words" || fail "$sentence: does not print '$words'"
}

# prints SENTENCE WORDS: the last night did
prints() {
  tr -s ' \n' '  ' <out | grep -qF -e "$2" || fail "$1: does not print '$2'"
}

# runs NAME: in how many processes the last night timed null/small/NAME
runs() {
  sed -n "s/^null,small,$1,time,.*,\([0-9]*\),ok,.*/\1/p" "$(find out_of_it -name run.csv | sort | tail -n 1)"
}

# suite NAME VARIANT...
suite() {
  file=$1.suite
  {
    printf '[suite]\ntitle = %s\nmetrics = quick\nprocesses = 10\nblocks = 12\ndeadline = 1s\n\n[null]\ncase = small\n' "$1"
    shift
    printf 'variant = %s\n' "$@"
  } >"$file"
}
suite small slower noisy
suite other faster

night "without a suite there is nothing to do" 4 "SUITE is missing"
night "a suite is named once" 4 "expected each suite once, found 'small' twice" small.suite ./small.suite
night "a budget is a time" 4 "expected a time such as 20m, found '0s'" small.suite --budget=0s

# Accepted from three runs of one suite and one of the other; so the store has the build.
night "without accepted numbers nothing is judged" 3 "no accepted numbers of null yet" small.suite --seed=1 --out=out_of_it
prints "the verdict is in one line, the counts in the next" "OPEN (exit 3): compare: $PWD/accepted/small.csv: no accepted numbers of null yet nightly: 1 suite, 0 rows"
prints "no history is kept unless there is one" "history: none is kept"
head -n 1 out | grep -q "^OPEN (exit 3): compare: " || fail "a night does not begin with its verdict"
cmp -s out out_of_it/*/night.txt || fail "night.txt is not what was printed"
for seed in 1 2 3; do solgate run small.suite --out=small.$seed --seed=$seed >out 2>err; done
solgate run other.suite --out=other.1 --seed=1 >out 2>err
for name in small other; do
  solgate accept $name.[123] >out 2>err || fail "$name cannot be accepted"
done
cp -R accepted as_accepted
rm -rf out_of_it

mkdir history
night "two suites are one night" 0 "2 suites, 5 rows: 5 identical" small.suite other.suite --seed=7 --out=out_of_it
for name in small other; do
  [ "$(find out_of_it -path "*/$name/run.csv" -o -path "*/$name/report/index.html" | wc -l)" = 2 ] || fail "there is no run or report of $name"
  [ "$(find history/null/$name -name '*.csv' | wc -l)" = 1 ] || fail "$name is not in ./history"
  grep -q "null/$name: 1 nightly run," out_of_it/*/$name/report/report.md || fail "the report of $name lacks its history"
done
[ "$(grep -c '^[0-9]* timed launches checked, 0 differ$' out)" = 2 ] || fail "a night does not print what was checked of each suite"
[ "$(grep -c '^nightly: ' out)" = 1 ] || fail "a night has $(grep -c '^nightly: ' out) verdicts"
prints "without their builds rows would be judged by accepted numbers" "3 of 3 rows paired with the accepted build"
[ "$(runs slower)" = 10 ] || fail "what is within is measured on"

# Another build of the same, in so few rounds that 10 processes cannot settle the noisy one.
sed 's/the sum may cancel/the sum can cancel/' "$bin/libsg_null.so" >other.so
sed 's/blocks = .*/blocks = 4/' small.suite >fewer && mv fewer small.suite
rm -rf out_of_it
night "rows that are open are measured on" 0 "open items, re-measured with up to 20 processes: 1" small.suite --seed=7 --module=other.so --out=out_of_it
grep -q '^null,small,noisy,build_ratio,.*,20,ok,' out_of_it/*/small/run.csv || fail "the pair of builds is not measured on"
[ "$(runs noisy)" = 20 ] || fail "its item is not measured on"
[ "$(runs slower)" = 10 ] || fail "another one is"
solgate compare out_of_it/*/small >out 2>err || fail "the run is not whole"

# ten_nights FOLDER PROGRAM: the one night of a history ten times before, each item changed by awk
ten_nights() {
  there=$(find "$1" -name '*.csv')
  for day in 01 02 03 04 05 06 07 08 09 10; do
    copy=$(dirname "$there")/202601${day}T020000Z-$(basename "$there" | cut -d- -f2-)
    awk -F, -v OFS=, -v day="$day" '$2 == "date" { $3 = "2026-01-" day "T02:00:00Z" }'" $2 { print }" "$there" >"$copy"
    digest=$(solgate history check --history="$1" 2>&1 | sed -n 's/.*expected \([0-9a-f]*\) of the rows above.*/\1/p')
    sed -i "s/^fact,digest,[0-9a-f]*/fact,digest,$digest/" "$copy"
  done
  rm -rf out_of_it "$there"
}

# In ten nights before its processes differed by a quarter as much, to both sides: noise.
rm -rf out_of_it && mkdir nights_of_before
night "without nights before that is not seen" 0 "3 rows with fewer than ten earlier nightly runs" small.suite --seed=7 --module=other.so --out=out_of_it --history=nights_of_before --format=markdown
case $(tr '\n' ' ' <out) in "**PASS (exit 0): "*"  nightly: 1 suite"*"## small  **"*"</details>"*) ;; *) fail "a night is no comment: $(cat out)" ;; esac
ten_nights nights_of_before '$1 == "item" && $15 != "" { $15 /= 4 }'
night "a noisier night is no slow state" 0 "3 rows: 1 unresolved, 2 within" small.suite --seed=7 --module=other.so \
  --out=out_of_it --history=nights_of_before

# What is off tonight alone is measured again in the same night, before a person is asked. Where the
# later processes read otherwise, theirs is the night's value.
rm -rf out_of_it && mkdir nights_before_off
night "a first night" 0 "nightly: 1 suite, 3 rows" small.suite --seed=7 --module=other.so --out=out_of_it --history=nights_before_off
ten_nights nights_before_off '$2 == "null/small/slower" { $11 *= 0.99 }'
night "what is off is measured again" 0 "open items, re-measured with up to 20 processes: 2" small.suite --seed=7 --module=other.so \
  --out=out_of_it --history=nights_before_off
prints "and asks for an A/B if it stays off" "null/small/slower off build +"
[ "$(runs slower)" = 20 ] || fail "it is not"
# kept: the pair of slower in the history `kept` of the run
kept() {
  rm -rf kept
  solgate history add --history=kept "$1" >out 2>err || fail "$1 is not added"
  sed -n 's/^item,null\/small\/slower,//p' "$(find kept -name '*.csv')" | cut -d, -f9
}
run=$(echo out_of_it/*/small)
pooled=$(sed -n 's/^null,small,slower,build_ratio,1,\([^,]*\),.*/\1/p' "$run/run.csv")
[ "$(kept "$run")" = "$pooled" ] || fail "the history does not keep what all processes read, $pooled"
cp -R "$run" outlier
awk -F, -v OFS=, '$3 == "slower_base" && $7 == "slower" && $4 < 10 { $8 = sprintf("%.9g", $8 * 1.02) } { print }' "$run/samples.csv" >outlier/samples.csv
solgate accepted seal outlier --reason=test >out 2>err || fail "the edited run cannot be sealed"
later=$(kept outlier)
awk -v all="$pooled" -v later="$later" 'BEGIN { exit !(later != all && later > all - 0.002 && later < all + 0.002) }' ||
  fail "the later processes are not the value: $later beside $pooled"

# Without the build, which cannot be made again, by accepted numbers that are made to be faster than
# what is measured.
rm -rf store
sed -i 's/^\(null,,,,commit.null,,,,,,,[^,-]*\)[^,]*/\1-dirty/' as_accepted/small.csv
suite small slower noisy
# accepted_as FACTOR VARIANT
accepted_as() {
  rm -rf accepted out_of_it
  cp -R as_accepted accepted
  awk -F, -v OFS=, -v factor="$1" -v variant="$2" '$4 == variant && $5 == "time_ratio" {
    for (i = 7; i <= 9; i++) $i = sprintf("%.9g", $i * factor) } { print }' as_accepted/small.csv >accepted/small.csv
  solgate accepted seal accepted/small.csv --reason=test >out 2>err || fail "the edited numbers cannot be sealed"
}
accepted_as 0.97 slower
night "what is slower then is regressed" 1 "FAIL (exit 1): null/small/slower +3." small.suite --seed=7 --out=out_of_it --history=nights
prints "the comparison has why" "0 of 3 rows paired with the accepted build, 3 judged by accepted numbers alone (null/small/noisy: the store lacks its build, "
prints "and what to do" "\`solgate builds rebuild $(sed -n 's/^code.null,//p' out_of_it/*/small/env.csv)\` prints why; ...)"
[ "$(runs slower)" = 20 ] || fail "what is regressed is not confirmed"
code=0
solgate compare out_of_it/*/small >out 2>err || code=$?
[ "$code" = 1 ] || fail "compare of the same run: exit $code"
accepted_as 0.9 slower
sed 's/:unknown,/:ffff,/' accepted/small.csv >units && mv units accepted/small.csv
solgate accepted seal accepted/small.csv --reason=test >out 2>err || fail "numbers of another GPU cannot be sealed"
night "numbers of other GPUs alone ask, and judge nothing" 2 "OPEN (exit 2): null/small/slower +1" small.suite --seed=7 --out=out_of_it
prints "with what to do" "pair it with its accepted build"

# On a GPU that was never seen the first night ends with the command that pairs the next one.
accepted_as 1 slower
night "the first night on a GPU" 3 "none of its times could be decided" small.suite --seed=7 --gpu=1 --module=other.so --out=out_of_it
# shellcheck disable=SC2046 # the words of a command
solgate $(sed -n 's/^to pair every row in the next nightly run: solgate //p' out) >out 2>err || fail "its command: $(cat err)"
night "the second night" 0 "3 of 3 rows paired with the accepted build" small.suite --seed=8 --gpu=1 --module=other.so --out=out_of_it
rm -rf store
accepted_as 0.9935 slower
sleep 1 # the history keeps one night a second
night "a suspect stays open" 2 "OPEN (exit 2): null/small/slower " small.suite --seed=7 --out=out_of_it --history=nights
accepted_as 0.9965 noisy
sleep 1
night "what is unresolved fails nothing" 0 " unresolved (may hide up to " small.suite --seed=7 \
  --out=out_of_it --history=nights
[ "$(find nights -name '*.csv' | wc -l)" = 3 ] || fail "three nights are $(find nights -name '*.csv' | wc -l) in the history"

# A variant that hangs for its deadline of 1 s eats a budget of less.
suite small slower hangs_when_timed
suite other hang
rm -rf out_of_it
night "behind the budget nothing is measured" 5 "suite other.suite: not measured, the time budget was exhausted" small.suite other.suite \
  --seed=7 --budget=800ms --out=out_of_it
prints "and each row says so" "of its processes; 5 are needed"
prints "the verdict counts them" "1 suite not started: the time budget was exhausted"

# One at a time. What kill -9 leaves is no obstacle, and no finished night.
rm -rf out_of_it
suite other hangs_when_timed
sed 's/deadline = .*/deadline = 60s/' other.suite >hangs && mv hangs other.suite
: >first
env -i SOLGATE_NULL_UNIT=taken SOLGATE_BASELINES="$work/accepted" "$bin/solgate" nightly other.suite --out=out_of_it \
  --history=shared >first 2>&1 &
pid=$!
until grep -q '^suite ' first; do sleep 0.05; done
night "a second night is refused" 4 "out_of_it: another nightly run is under way: a process has locked this folder" other.suite --out=out_of_it
unit=taken
night "so is one on the same GPU" 4 "expected GPU taken free, found it in use by another run of solgate" other.suite --out=elsewhere
suite other faster
unit=other
night "another GPU shares the history" 3 "1 suite, 2 rows: " other.suite --seed=7 --out=elsewhere --history=shared
[ "$(find shared -name '*-other-*.csv' | wc -l)" = 1 ] || fail "the night of the other GPU is not in the history"
unit=
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
[ ! -e "$(echo out_of_it/*/night.txt)" ] || fail "a night that was killed has its file"
suite other faster
night "the next one runs" 0 "1 suite, 2 rows: 1 unresolved, 1 " other.suite --seed=7 --out=out_of_it
[ "$(find out_of_it -name night.txt | wc -l)" = 1 ] || fail "one night is finished, not $(find out_of_it -name night.txt | wc -l)"

[ "$failures" = 0 ]
