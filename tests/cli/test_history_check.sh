#!/bin/sh
# history check, accept, confirm: what is open on the last night, with its exit code; what was
# decided; charts of a step.
set -eu
# shellcheck source=tests/cli/history_lib.sh
. "$(dirname "$0")/history_lib.sh"

# fresh NIGHTS ASSIGNMENT...: a history of such nights
fresh() {
  rm -rf runs history
  nights runs "$@"
  "$solgate" history add runs/* >out 2>err || fail "nights are not added"
}

fresh 50
expect "nights without a change" 0 "nothing is open in 3 series" check

fresh 50 at=40 step=0.01
expect "a step" 2 "f/c/moved slower ratio +1." check
expect "its place and its commits" 2 "since 2026-02-13, found 2026-02-14; commits 0000039..0000040" check
grep -q '^Next: solgate ab --commits=0000039..0000040 f --variant=moved --out=AB' out || fail "the command that decides is not there"
! grep -q 'f/c/still' out || fail "a series without a step is listed"
expect "a tolerance above it" 0 "nothing is open" check --tolerance=3%
expect "csv" 2 "h200/s,f/c/moved,ratio,slower,0.01" check --format=csv
expect "few alarms find it too" 2 "f/c/moved slower" check --alarms=few
expect "show" 0 "step 2026-02-13 +1." show f/c/moved

# A page over all nights.
expect "a page" 0 "page/index.html" report --out=page --tables-only
for words in '<title>history: OPEN (exit 2): f/c/' '1 finding: 1 slower' '<td>f/c/moved</td>' 'h200/s: 3 series, 50 nightly runs' 'data-nights="'; do
  grep -qF "$words" page/index.html || fail "the page lacks $words"
done
expect "a page has a folder" 4 "--out=DIR is missing" report
if command -v gnuplot >/dev/null; then
  expect "a page with charts" 0 "page/index.html" report --out=page
  [ -s page/charts/trend_f-c-moved.svg ] && [ -s page/charts/trend_f-c-moved_narrow.svg ] || fail "the series with a step is not drawn"
  grep -qF 'href="#chart-trend_f-c-moved"' page/index.html || fail "its row leads to no chart"
fi

# Decisions.
expect "a reason is needed" 4 "reason" accept f/c/moved --night=2026-02-13
expect "a night is needed" 4 "expected a date" accept f/c/moved --night=x --reason=y
expect "a series that is there" 4 "found none called 'f/c/mover'" accept f/c/mover --night=2026-02-13 --reason=y
expect "a day with several nights" 4 "h200/nightly has 7 nightly runs on 2026-11-24: name one by its time, such as 2026-11-24T02:33:09Z" \
  accept 'matvec/*' --night=2026-11-24 --reason=y --history="$tree/tests/data/h200/nights"
cp -r "$tree/tests/data/h200/nights" same
expect "a second with two" 0 "series from 2026-11-24T02:15:56Z on" accept 'matvec/*' --night=2026-11-24T02:15:56Z --reason=y --history=same
expect "no night that is yet to come" 4 "found none called" accept f/c/moved --night=2027-01-01 --reason=y
cp -r history kept
expect "accepted" 0 "accepted in 1 series from 2026-02-13 on" accept 'f/c/m*' --night=2026-02-13 --reason='more, and "better", checks'
expect "it is not open any more" 0 "nothing is open" check
expect "and is shown as that" 0 "accepted; commits" show f/c/moved
rm -r history && mv kept history

# The interleaved A/B of the step: its run as `solgate ab` leaves it.
# gate RATIO [SED-OF-ENV [SED-OF-ROWS]]: and sealed
gate() {
  rm -rf ab && mkdir ab
  {
    echo family,case,variant,metric,unit,value,low,high,n,status,message,se,sd
    for side in moved moved_base; do
      ratio=$1
      [ "$side" = moved ] || ratio=1.0001
      echo "f,c,$side,status,,,,,,ok,,,"
      echo "f,c,$side,time_ratio,1,$ratio,$ratio,$ratio,10,ok,moved_base,0.0002,0.0006"
    done
  } | sed "${3-}" >ab/run.csv
  printf '%s\n' key,value schema,2 state,finished suite,ab gpu,h200 date,2026-03-01T00:00:00Z seed,1 tolerance,0.005 lambda,1 \
    baseline,old.so:f/moved candidate,f/moved baseline_code,00000000000000b0 candidate_code,00000000000000c0 \
    baseline_commit,0000039abcde candidate_commit,0000040abcde | sed "${2-}" >ab/env.csv
  echo family,case,variant,pair >ab/samples.csv
  "$solgate" accepted seal ab --reason=test >out 2>err || fail "the A/B is not sealed"
}
gate 1.003
expect "one that sees neither" 0 "0.003 refuted" confirm ab
expect "refuted: nothing is open" 0 "nothing is open" check
rm -r history/h200/s/steps
# What is no A/B of this step decides nothing.
# no_gate SENTENCE WORDS RATIO [SED-OF-ENV [SED-OF-ROWS]]
no_gate() {
  gate "$3" "${4-}" "${5-}"
  expect "$1" 3 "$2" confirm ab
  [ ! -e history/h200/s/steps ] || fail "$1: it is written"
}
no_gate "a file with itself" "found one build, '00000000000000b0', against itself" 1.0001 's/00c0$/00b0/'
no_gate "without its builds" "expected a valid run of" 1.0001 '/_code/d'
no_gate "swapped" "its commits are '0000040abcde' and '0000039abcde'" 0.9902 's/0039/0099/; s/0040/0039/; s/0099/0040/'
no_gate "of other commits" "the step lies between '0000039' and '0000040'" 1.0001 's/0000039/0000038/'
no_gate "of one of the two" "refused" 1.0001 's/0000040/0000041/'
no_gate "of a few digits that agree" "refused" 1.0001 's/0000039abcde/00000/; s/0000040abcde/00000/'
no_gate "invalid" "expected a valid run of" 1.0001 '$s/$/\nunfit,the GPU was shared/'
no_gate "of continuous launches" "expected an A/B without --sustained" 1.0001 '$s/$/\nsustained,yes/'
no_gate "of before digests of samples" "it is incomplete, or of an older version" 1.0001 '/^lambda/d'
# undecided SENTENCE RATIO [SED-OF-ENV [SED-OF-ROWS]]
undecided() {
  gate "$2" "${3-}" "${4-}"
  expect "$1" 0 "${5:-not settled}" confirm ab
  [ ! -e history/h200/s/steps ] || fail "$1: it is written"
}
undecided "inconclusive" 1.0046 's/tolerance,0.005/tolerance,0.0045/' 's/moved,time_ratio.*0.0002/&1/; /moved,/s/0.00021,/0.0001,/'
undecided "decided too early" 1.0001 '' 's/,10,ok/,5,ok/'
undecided "with an A/A that is not even" 1.0001 '' '/moved_base,time/s/1.0001/1.02/g'
undecided "wrong itself" 1.0001 '' 's/moved,status,,,,,,ok/moved,status,,,,,,wrong/' "no open finding"
undecided "of another GPU model" 1.0001 's/h200/h100/' '' "no open finding"
gate 1.0001 's/0000039abcde/unknown/; s/0000040abcde/unknown/'
expect "of modules from elsewhere" 3 "refused" confirm ab

gate 1.0052
expect "half of the step" 0 "not settled" confirm ab
[ ! -e history/h200/s/steps ] || fail "what is not settled is written"
gate 1.0098
expect "what check does not list by its tolerance" 0 "nothing is open" check --tolerance=2%
expect "is not confirmed by it" 0 "no open finding of this history is in that run" confirm ab --tolerance=2%
expect "the step" 0 "0.0098 confirmed" confirm ab
expect "confirmed: exit 1" 1 "f/c/moved regressed ratio +1." check
expect "and then accepted" 0 "accepted" accept f/c/moved --night=2026-02-13 --reason=why
expect "accepted: exit 0" 0 "nothing is open" check
gate 1.0098 's,^baseline\,.*,baseline\,base.so:f/base,'
expect "a gate of two variants" 3 "expected an A/B of two builds of one variant, found 'f/moved' against 'f/base'" confirm ab
expect "a run that is no gate" 3 "expected a valid run of" confirm runs/0
expect "a gate is no night" 3 "expected a run of a suite" add ab
printf 'night,series,decision,reason,date,source\n2026-02-13,f/c/moved,fine,why,2026-03-01,\n' >history/h200/s/steps/hand.csv
expect "a decision of no kind" 4 "hand.csv:2: decision: expected accepted, confirmed or refuted, found 'fine'" check
printf 'night,series,decision,reason,date,source\n2026-02-13,f/c/moved,accepted,,2026-03-01,\n' >history/h200/s/steps/hand.csv
expect "one without a reason" 4 "hand.csv:2: reason: expected a reason" check

# A step of all rows, by a commit; then by a driver, which fails nothing.
fresh 36 gpus=1 at=30 all=0.03
expect "a step of all rows" 2 "3 of 3 rows are slower since 2026-02-03, by 3.1 % on average. That run has a new commit 0000029 -> 0000030" check
sed -i 's/^driver,.*/driver,590/' runs/3?/env.csv
rm -r history
"$solgate" history add runs/* >out 2>err || fail "nights are not added"
expect "with a new driver" 0 "by 3.1 % on average. That run has a new driver 580.1 -> 590, commit 0000029 -> 0000030" check

fresh 36 gpus=3 at=30 all=0.03
expect "GPUs in turns are not new" 2 "% on average. That run has a new commit 0000027 -> 0000030" check

fresh 30 at=100 last=0.01 registers=48
expect "the last night alone" 2 "f/c/moved off ratio +0.9" check
expect "a counter at once" 2 "f/c/moved changed registers 40 -> 48" check
expect "and in show" 0 "counter 2026-02-02 registers 40 -> 48" show f/c/moved

fresh 30 at=100 spread=0.004
expect "processes that differ by more than ever" 2 "f/c/moved spread processes differ by 0.4 % (sd) on 2026-02-02, 6.1 times as much" check
expect "as CSV" 2 'h200/s,f/c/moved,,spread,,,,,,,,,,no,"processes differ by 0.4 %' check --format=csv
expect "which may be accepted" 0 "accepted in 1 series" accept f/c/moved --night=2026-02-02 --reason=known
expect "then it is closed" 0 "nothing is open" check

fresh 30 at=100 status=wrong
expect "a variant that is wrong now" 5 "f/c/still broken status ok -> wrong" check
cp -r runs/29 next
sed 's/^date,.*/date,2026-02-03T02:00:00Z/; s/^seed,.*/seed,99/' runs/29/env.csv >next/env.csv
"$solgate" history add next >/dev/null
expect "and the night after" 5 "f/c/still broken status ok -> wrong, ok until 2026-01-28" check
expect "what it is may be accepted" 0 "accepted in 1 series" accept f/c/still --night=2026-02-02 --reason=known
expect "until it is ok again" 0 "nothing is open" check

# Wrong on every third night, and right on the last.
fresh 7 gpus=7
expect "GPUs that take turns" 2 "2 of 3 rows cannot be watched" check
grep -q '^Next: solgate nightly SUITE$' out || fail "the next step is not a whole command"
fresh 40 at=30 step=0.03 gpus=20
expect "a step leads, before rows that cannot be watched" 2 "OPEN (exit 2): f/c/moved +" check

fresh 30 at=100 gpus=1
for night in 19 22 25 28; do sed -i 's/\(f,c,still,status,,,,,,\)ok/\1wrong/; /f,c,still,time/d' runs/$night/run.csv; done
rm -r history
"$solgate" history add runs/* >out 2>err || fail "nights are not added"
expect "wrong now and then" 2 "f/c/still flaky failed on 2026-02-01 and up to 3 nightly runs before; correct in 1 of the 9 nightly runs" check
expect "which may be accepted" 0 "accepted in 1 series" accept f/c/still --night=2026-02-01 --reason=known
expect "then it is closed" 0 "nothing is open" check

# Nights that are paired with the accepted build. What moves is its ratio to that build; another
# accepted build is no step, and settles its own.
fresh 50 builds=1 at=40 code=40 accept=99 step=0.01
grep -q ': added, 3 items, 3 of them against their accepted builds$' out || fail "add does not count what is paired"
expect "a step that pairs of builds see" 2 "f/c/moved slower build +1." check
expect "as CSV" 2 "h200/s,f/c/moved,build,slower,0.0" check --format=csv
gate 1.0001 '/_commit/d; s/00b0$/0002/; s/00c0$/0001/'
expect "an A/B of its builds in the other order" 3 "refused" confirm ab
gate 1.0101 '/_commit/d; s/00b0$/0001/; s/00c0$/0002/'
expect "an A/B of its builds" 0 "0.0101 confirmed" confirm ab
expect "is as good as one of its commits" 1 "f/c/moved regressed build +1." check
fresh 50 builds=1 at=40 code=40 accept=44 step=0.01
expect "its build is accepted" 0 "nothing is open in 3 series" check
expect "shown as that" 0 "step 2026-02-13 +1.0" show f/c/moved
expect "with its reason" 0 "accepted with its build" show f/c/moved
grep -q '^build  2026-02-16.* ok  *1\.0[01][0-9]* .* 0000000000000001$' out || fail "the last night before it is not shown against the old build"
expect "CSV names the builds" 0 "h200/s,f/c/moved,build,2026-02-22T02:00:00Z" show f/c/moved --format=csv
[ "$(grep -c ',0000000000000002,$' out)" = 6 ] && [ "$(grep -c ',0000000000000001,$' out)" = 44 ] || fail "not every night names its build"
expect "all series are of builds" 0 "f/c/base build 50 0" show
fresh 50 builds=1 at=40 code=40 accept=44 step=0.004
expect "less than the tolerance" 2 "f/c/moved slower build +0.4" check
if command -v gnuplot >/dev/null; then
  expect "a chart" 0 "step" show f/c/moved --chart=paired
  grep -q 'against the accepted build' paired/trend_f-c-moved.svg || fail "the axis does not name the accepted build"
  awk '$2 == 5 { if (!n++) first = $1; last = $1 } END { exit !(first < -0.3 && last * last < 0.04) }' paired/trend_f-c-moved.tsv ||
    fail "0 is not the accepted build"
fi

# A last night without times leaves open what they would have been.
fresh 20 at=100
mkdir unfit && cp runs/19/run.csv unfit/
sed 's/^date,.*/date,2026-02-03T02:00:00Z/; s/^seed,.*/seed,99/; $s/$/\nunfit,the GPU was shared/' runs/19/env.csv >unfit/env.csv
"$solgate" history add unfit >/dev/null
expect "a last night whose times are invalid" 3 "its times are not judged: the GPU was shared" check
expect "as CSV" 3 "h200/s,,,invalid,,,,,,,,,,no,the last nightly run; its times are not judged: the GPU was shared" check --format=csv

# Nor does one without items. What was wrong stays open until it is right on the same GPU.
# after STATUS NIGHT DATE UNIT [SED]: another night, of that GPU
after() {
  rm -rf next && mkdir next && sed "${4-}" "runs/$1/run.csv" >next/run.csv
  sed "s/^date,.*/date,$2T02:00:00Z/; s/^seed,.*/seed,1/; s/^gpu_uuid_hash,.*/gpu_uuid_hash,$3/" "runs/$1/env.csv" >next/env.csv
}
fresh 30 at=100 status=wrong
after 28 2026-02-03 aaaa '/^f,/d'
expect "a night without items" 0 "added, 0 items" add next
expect "hides nothing" 5 "f/c/still broken status ok -> wrong; not measured since 2026-02-02 on GPU aaaa" check
expect "and is not green" 5 "the last nightly run has no items" check
after 28 2026-02-04 bbbb '/still/d'
expect "one without the item" 0 "added, 2 items" add next
expect "nor does that" 5 "f/c/still broken status ok -> wrong; not measured since 2026-02-02" check
after 28 2026-02-05 bbbb
expect "one on another GPU, which is right" 0 "added, 3 items" add next
expect "nor that" 5 "f/c/still broken status ok -> wrong; not measured since 2026-02-02" check
after 28 2026-02-06 aaaa
expect "right on the same GPU" 0 "added, 3 items" add next
expect "closes it" 0 "f/c/still fixed status wrong -> ok" check
after 28 2026-02-07 aaaa '/^f,/d'
expect "a night without items after green ones" 0 "added, 0 items" add next
expect "is not green" 3 "invalid the last nightly run has no items" check
after 28 2026-02-08 aaaa '/,time/d'
expect "a night without times" 0 "added" add next
expect "neither" 3 "the last nightly run has no times" check

# Dates that cannot be true are refused; nights from before that was so are named, and left out.
fresh 30 at=100 status=wrong
"$solgate" history check --format=csv >before 2>&1 || true
for date in 2036-01-01 1970-01-01 2025-12-31 "$(date -u -d '+40 hours' +%F)"; do
  after 28 "$date" aaaa
  expect "a run of $date" 3 "expected the date of a nightly run, found a date" add next
done
"$solgate" history check --format=csv >now 2>&1 || true
cmp -s before now || fail "what was refused is in the history"
# dated DAY: a night of that day is in the history, right, as solgate once took it
dated() {
  last=$(find history/h200/s -name '20260128*')
  there=history/h200/s/$(echo "$1" | tr -d -)${last##*/20260128}
  sed "s/2026-01-28T/$1T/" "$last" >"$there"
  digest=$("$solgate" history check 2>&1 | sed -n 's/.*expected \([0-9a-f]*\) of the rows above.*/\1/p')
  sed -i "s/^fact,digest,[0-9a-f]*/fact,digest,$digest/" "$there"
}
for date in 2036-01-01 1970-01-01; do
  dated "$date"
  expect "a night of $date hides nothing" 5 "f/c/still broken status ok -> wrong" check
  expect "and is named" 5 "invalid ${there##*/} is dated" check
  "$solgate" history check --format=csv 2>&1 | grep -v invalid | cmp -s before - || fail "a night of $date changes what is found"
done
expect "as CSV" 5 "h200/s,,,invalid,,,,,,,,,,no,$(basename "$there") is dated before 2026-01-01" check --format=csv
expect "accepted for a night that is not believed" 4 "found none called" accept f/c/still --night=2035-01-01 --reason=y
after 28 2026-02-03 aaaa
expect "right again" 0 "added" add next
expect "nights that are not believed are not green" 3 "is dated in the future" check

# What is no group.
fresh 3
mkdir -p history/docs/drafts
expect "a folder without nights is no group" 4 "expected a group of this history (h200/s), found 'docs/drafts'" check --group=docs/drafts
rm -r history/h200
expect "nor are there nights without files" 4 "found none" check

fresh 50 at=40 step=0.01
if command -v gnuplot >/dev/null; then
  expect "a chart" 0 "step" show f/c/moved --chart=charts
  for ending in png svg tsv; do
    [ -s charts/trend_f-c-moved.$ending ] || fail "no charts/trend_f-c-moved.$ending"
  done
  grep -q '+1\.' charts/trend_f-c-moved.svg || fail "the chart does not mark the step"
  expect "a chart of all" 4 "--chart: expected a SERIES to draw" show --chart=charts
fi
[ "$failures" = 0 ]
