#!/bin/sh
# `solgate ab` on the null family: each verdict with its exit code, every format, two files of one
# family, an interruption, and what is refused; its A/A pairs, counted.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# ab EXIT_STATUS ARGUMENTS...: solgate ab, with its output in $work/stdout and $work/stderr
ab() {
    wanted=$1
    shift
    code=0
    timeout 300 "$solgate" ab "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: solgate ab $*"
}

# candidate, exit status, options, first line, a part of the rest; two
# cases, unless the options name one
number=0
while IFS='|' read -r candidate code options first rest; do
    case $code in 0) decision=PASS ;; [15]) decision=FAIL ;; *) decision=OPEN ;; esac
    number=$((number + 1))
    case $options in
    *--case=*) ;;
    *) options="$options --case=tiny --case=small" ;;
    esac
    # shellcheck disable=SC2086 # a list of options
    ab "$code" null/ok "null/$candidate" --seed=1 --out="$work/verdict.$number" $options
    sed -n 1p "$work/stdout" | grep -q "^$decision (exit $code): " && [ "$(sed -n 2p "$work/stdout")" = "$first, against null/ok; simulated times, no GPU" ] || fail "$candidate $options: expected $first"
    prints "$rest"
    [ "$number" != 1 ] || prints 'uncoalesced loads'
    grep -q '^state,finished$' "$work/verdict.$number/env.csv" || fail "$candidate: not finished"
done <<'VERDICTS'
slower|1||2 rows: 2 regressed|null/tiny slower 1.020x 5.014 us -> 5.153 us +2.0 % [
slower|0|--tolerance=4%|2 rows: 2 within|the baseline against itself: 2 of 2 A/A pairs consistent
slower_slightly|0||2 rows: 2 within|null/tiny slower_slightly 1.002x
slower_slightly|1|--tolerance=0.1%|2 rows: 2 regressed|tolerance 0.1 %
faster|0||2 rows: 2 improved|% faster than ok
ok|0||2 rows: 2 identical|null/small ok 1.000x
noisy|2|--tolerance=0.03% --case=tiny|1 row: 1 inconclusive|it would be within
wrong|5||2 rows: 2 broken|wrong: y[
crashes_when_timed|5||2 rows: 2 broken|while timed, process 0: killed by SIGABRT
hang|5||2 rows: 2 broken|hang: no message for
unsupported|3||2 rows: 2 invalid|needs a multiple of
VERDICTS

# An inconclusive row passes where that is asked for; it need not be measured again.
ab 0 null/ok null/noisy --seed=1 --out="$work/verdict.7" --tolerance=0.03% --case=tiny --inconclusive=pass --resume
[ "$(sed -n 2p "$work/stdout")" = "1 row: 1 inconclusive, against null/ok; simulated times, no GPU" ] || fail "--inconclusive=pass: another verdict"
prints "it would be within"

# The options that would settle an inconclusive row do.
ab 2 null/ok null/noisy --seed=1 --out="$work/verdict.7" --tolerance=0.03% --case=tiny --resume --format=csv
settling=$(sed -n 's/.*would be within: \(--case=[^",;]*\).*/\1/p' "$work/stdout")
# shellcheck disable=SC2086 # words of a command line
ab 0 null/ok null/noisy $settling --seed=1 --out="$work/settled"
prints "1 within, against null/ok"

# One bad case costs itself: the baseline is measured all the same, and what
# is there can be read like any run.
grep -q '^null,tiny,ok,time_ratio,1,.*,ok,' "$work/verdict.9/run.csv" || fail "a candidate that dies costs the baseline its pair"
grep -q '^null,tiny,crashes_when_timed,status,.*,crash,"while timed' "$work/verdict.9/run.csv" || fail "no row says that it crashed"
grep -q '^null,tiny,slower,time_ratio,1,.*,5,ok,ok,' "$work/verdict.1/run.csv" || fail "no ratio in run.csv"
"$solgate" compare "$work/verdict.1" "$work/verdict.2" >"$work/stdout" || fail "compare does not take two gates' runs for the same"
"$solgate" explain "$work/verdict.1" null/tiny ok slower >"$work/stdout"
prints 'global_load_sectors'

# Without --case all that both support are judged: test_ab_many.sh.
ab 3 null/ok null/unsupported --out="$work/nothing"
says "no case was judged"
ab 1 null/ok null/slower --case=tiny --case=small --case=ragged --out="$work/cases"
[ "$(sed -n 2p "$work/stdout")" = "3 rows: 3 regressed, against null/ok; simulated times, no GPU" ] || fail "not all cases were judged"
ab 0 null/slower null/ok --case=tiny --out="$work/turned"
prints '% faster than slower'

# Formats: the same rows.
resume=
for format in csv markdown junit; do
    ab 1 null/ok null/slower --case=tiny --seed=1 --out="$work/formats" --format="$format" $resume
    cp "$work/stdout" "$work/printed.$format"
    resume=--resume
done
grep -q '^null,tiny,slower,time_ratio,1,,1.0[0-9]*,0.0[0-9]*,.*,regressed,slower,.*,5,yes,"*[0-9.]* % slower than ok ' "$work/printed.csv" ||
    fail "csv: no row of the pair"
grep -qF '| case | candidate | ratio | times | change | processes | detectable | verdict |' "$work/printed.markdown" || fail "markdown: no table"
grep -qF '<failure message="regressed +2.0 % ' "$work/printed.junit" || fail "junit: no failure"

# Its page has its verdict; what was kept of that is read strictly.
"$solgate" report "$work/verdict.1" --out="$work/page" --tables-only >"$work/stdout" 2>"$work/stderr" || fail "no page of a gate"
grep -q '<title>.*FAIL (exit 1): ' "$work/page/index.html" || fail "the page of a gate has another title"
grep -qF '2 rows: 2 regressed, against null/ok; simulated times, no GPU</p>' "$work/page/index.html" || fail "the page of a gate lacks its verdict"
ab 0 null/ok null/faster --case=tiny --out="$work/faster"
"$solgate" report "$work/faster" --out="$work/page.faster" --tables-only >"$work/stdout" 2>"$work/stderr" || fail "no page of a gate with a negative change: $(cat "$work/stderr")"
grep -qF 'nothing accepted' "$work/page/index.html" && fail "a gate is held against accepted numbers"
cp -r "$work/verdict.1" "$work/edited"
sed -i 's/,regressed,/,regresed,/' "$work/edited/verdict.csv"
code=0
"$solgate" report "$work/edited" --out="$work/page" --tables-only >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 4 ] && grep -qF "verdict.csv:2: expected a verdict, found 'regresed'" "$work/stderr" || fail "a verdict that is none is read"

# Two files of one family. The same bytes under two names are the same code; another build
# is not, and both stand in one run.
cp "$1/libsg_null.so" "$work/copy.so"
ab 0 "$work/copy.so:null/ok" null/ok --case=tiny --out="$work/copy"
prints 'null/tiny ok 1.000x'
prints 'identical'
grep -q '^null,tiny,ok,time_ratio,1,.*,ok_base,' "$work/copy/run.csv" || fail "two files: the candidate is not held against the other file"
grep -q '^null,tiny,ok_base,time_ratio,1,.*,ok_base,' "$work/copy/run.csv" || fail "two files: no A/A pair of the baseline"
[ "$(wc -l <"$work/copy/aa.csv")" = 3 ] || fail "two files of the same code: both pairs are A/A pairs"
sed -i "s/the sum may cancel/the sum can cancel/" "$work/copy.so"
ab 0 "$work/copy.so:null/ok" null/ok --case=tiny --out="$work/other"
[ "$(sed -n 2p "$work/stdout")" = "1 row: 1 within, against $work/copy.so:null/ok; simulated times, no GPU" ] || fail "another build is taken for the same code"
ab 1 "$work/copy.so:null/ok" null/slower --case=tiny --out="$work/both"
prints '% slower than the build of BASELINE'
ab 1 null/ok null/slower --module="$work/copy.so" --case=tiny --out="$work/module"
grep -q '^null,tiny,ok,role,' "$work/module/run.csv" || fail "--module: one file for both sides is no pair of files"

# The pilot: a noisy candidate has more blocks than a quiet pair, which has the 8 of every gate, in
# each process of its own number. blocks PAIR: how many each of its processes has
blocks() {
    awk -F, -v pair="$1" '$2 == "tiny" && $3 == pair && $6 == 0 { n[$4]++ } END { for (p in n) print n[p] }' "$work/piloted/samples.csv"
}
ab 0 null/ok null/noisy --tolerance=0.5% --case=tiny --seed=2 --out="$work/piloted"
[ "$(blocks ok | sort -u)" = 8 ] || fail "a quiet pair has other than 8 blocks: $(blocks ok | tr '\n' ' ')"
blocks noisy | awk '{ n += $1 > 8 && $1 < 300; all++ } END { exit !(n == 10 && all == 10) }' ||
    fail "a noisy pair has $(blocks noisy | tr '\n' ' ') blocks"
[ "$(blocks noisy | sort -u | wc -l)" -gt 1 ] || fail "all processes of a noisy pair have as many blocks"

# An interruption, and going on: the same bytes as without, blocks as many as the pilots say.
set -- null/ok null/noisy --tolerance=0.4% --case=tiny --case=small --seed="$seed"
code=0
"$solgate" ab "$@" --out="$work/whole" >"$work/stdout" 2>"$work/stderr" || code=$?
case $code in
0 | 2) whole_code=$code ;;
*) fail "exit status $code of a gate that is within or inconclusive" ;;
esac
cp "$work/stdout" "$work/whole.stdout"
cut -d, -f3- "$work/whole/aa.csv" >"$work/whole.aa"
for lines in 400 4000; do
    dir=$work/killed.$lines
    "$solgate" ab "$@" --out="$dir" >"$work/stdout" 2>"$work/stderr" &
    pid=$!
    await logs sample "$lines" "$dir"
    kill -s KILL "$pid"
    wait "$pid" 2>/dev/null || true
    gone "a gate that was killed"
    ab "$whole_code" "$@" --out="$dir" --resume
    same "$work/whole" "$dir" "killed after $lines batches"
    cmp -s "$work/whole.stdout" "$work/stdout" || fail "killed after $lines batches: it says something else"
    cut -d, -f3- "$dir/aa.csv" | cmp -s - "$work/whole.aa" || fail "killed after $lines batches: other A/A pairs"
done
sed -i 's/^state,finished$/state,running/' "$work/whole/env.csv"
code=0
"$solgate" compare "$work/whole" "$work/verdict.1" >/dev/null 2>"$work/stderr" || code=$?
[ "$code" = 3 ] || fail "an unfinished gate is compared: exit status $code"
says "solgate ab null/ok null/noisy"
ab 3 null/ok null/noisy --tolerance=0.3% --case=tiny --case=small --out="$work/whole" --resume
says 'tolerance "0.004"'
ab 3 null/ok null/slower --tolerance=0.4% --case=tiny --case=small --out="$work/whole" --resume
says 'candidate "null/noisy"'

# What is refused before anything is made; bad command lines are goldens.
while IFS='|' read -r arguments what; do
    # shellcheck disable=SC2086 # a list of arguments
    ab 4 $arguments --out="$work/refused"
    says "$what"
    [ ! -e "$work/refused" ] || fail "refused, and left a folder: $arguments"
done <<REFUSED
nobody/ok nobody/slower --module=$(dirname "$solgate")/libsg_null.so|has the family null, not nobody
null/ok matvec/x|two variants of one family
$work/nofile.so:null/ok null/slower|nofile.so
$work/stdout:null/ok null/slower|expected a kernel module
$work/copy.so:null/ok $work/copy.so:null/slower --module=$work/copy.so|BASELINE and CANDIDATE both name one
REFUSED

# What fits the folder of a gate, and what does not.
told 3 "a run of \`solgate ab\` has no accepted numbers: \`solgate ab null/" compare "$work/verdict.1"
says " --out=$work/verdict.1 --resume\` prints its verdict again without measuring, \`solgate compare $work/verdict.1 OTHER\`"
told 4 "accept runs of \`solgate run SUITE\`" accept "$work/verdict.1" --out="$work/accepted.csv"
[ ! -e "$work/accepted.csv" ] || fail "numbers of a gate are accepted"
sed -n 's/^command,//p' "$work/verdict.1/env.csv" >"$work/again"
# shellcheck disable=SC2046 # words of a command line
ab 1 $(cut -d' ' -f2- "$work/again") --out="$work/verdict.1" --resume
if grep -q '^time: ' "$work/stderr"; then fail "a verdict that is asked for again is measured again"; fi

# The tally.
aa() { python3 "$tree/studies/false_alarms.py" "$@" >"$work/stdout" 2>"$work/stderr"; }
if command -v python3 >"$work/python"; then
    aa "$work/verdict.1" "$work/cases/aa.csv" || fail "the A/A pairs are not counted: $(cat "$work/stderr")"
    grep -qF '| null | null | 5 | 0 | 0 | 0 | 45.08 % |' "$work/stdout" || fail "A/A pairs are miscounted: $(cat "$work/stdout")"
    sed '2s/within$/regressed/' "$work/verdict.1/aa.csv" >"$work/odd.csv"
    aa "$work/odd.csv" && grep -qF '| null | null | 2 | 1 | 0 | 0 | 97.47 % |' "$work/stdout" || fail "a false verdict is miscounted: $(cat "$work/stdout")"
    aa "$work/cases" "$work/cases/aa.csv" && fail "a pair is counted twice"
    says "expected each pair once"
fi

# Default folders: one that another has made in the same second is not taken.
mkdir "$work/here" && cd "$work/here"
begun=$(date +%s)
seq "$begun" $((begun + 60)) | sed 's/^/@/' | date -u -f - '+out/ab-%Y%m%dT%H%M%SZ/taken out/demo-%Y%m%dT%H%M%SZ/taken' | xargs mkdir -p
ab 0 null/ok null/ok --case=tiny --tolerance=2%
[ "$(ls -d out/ab-*-2/run.csv out/ab-*-2 2>/dev/null | wc -l)" = 2 ] || fail "no folder out/ab-<second>-2: $(ls out)"
ab 0 null/ok null/ok --case=tiny --tolerance=2% &
ab 0 null/ok null/ok --case=tiny --tolerance=2%
wait $! || failures=$((failures + 1))
[ "$(ls -d out/ab-*/run.csv | wc -l)" = 3 ] || fail "two gates at once do not have a folder each: $(ls -d out/ab-*/run.csv)"
run 0 demo --case=n4k
[ "$(ls -d out/demo-*-2/run.csv | wc -l)" = 1 ] || fail "no folder out/demo-<second>-2: $(ls out)"
cd "$tree"

[ "$failures" = 0 ]
