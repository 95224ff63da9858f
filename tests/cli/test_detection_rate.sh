#!/bin/sh
# scripts/validate/detection_rate.sh on the null family: gates are run once, in pieces or not, and
# wrong verdicts and failures are told from each other.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# prove EXIT_STATUS OUT ARGUMENTS...: the script, with its output in $work/stdout and $work/stderr
prove()
{
    wanted=$1
    out=$work/$2
    shift 2
    code=0
    sh "$tree/scripts/validate/detection_rate.sh" --bin="$(dirname "$solgate")" --out="$out" --baseline=null/ok --case=tiny --case=small "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: prove_gate.sh $*"
}

# prints_line LINE: the last run did, on stdout
prints_line()
{
    grep -qxF -e "$1" "$work/stdout" || fail "stdout has no line: $1"
}

slower=--slower=null/slower:0.5%

# Begun, interrupted by its limit, and gone on with: what is there is not measured again.
prove 2 pieces --gates=2 --detections=1 $slower --minutes=0
grep -q '^0 of 3 gates done' "$work/stdout" || fail "a gate was run without a minute to spare"
prove 0 pieces --gates=1 --detections=1 $slower
prints_line 'null: 4 pairs of a kernel with itself, 0 false verdicts; fewer than 53 % are false, at 95 %'
prints_line '| 0.5 % | tiny | 2 | 2 | 0 | 0 | 0 |'
prints_line '| 0.5 % | all | 4 | 4 | 0 | 0 | 0 |'
prints_line '| slower | 0.5 % | small | 1 | 1 | 0 | 0 | 0 | 0 | 100.0 % |'
prints_line '| slower | 0.5 % | all | 2 | 2 | 0 | 0 | 0 | 0 | 100.0 % |'
prints_line 'wrong verdicts: 0'
cmp -s "$work/stdout" "$out/tables.md" || fail "tables.md is not what is printed"
[ ! -e "$out/aa.0001/samples.csv" ] || fail "samples are kept without --keep"
cp "$out/aa.0001/aa.csv" "$work/first.csv"
# One that was killed in the middle is begun anew, not taken for finished.
mkdir "$out/aa.0002"
cp "$out/aa.0001/env.csv" "$out/aa.0002/env.csv"
prove 0 pieces --gates=2 --detections=1 $slower --gpus=2 --keep
prints_line 'null: 6 pairs of a kernel with itself, 0 false verdicts; fewer than 39 % are false, at 95 %'
cmp -s "$out/aa.0001/aa.csv" "$work/first.csv" || fail "a gate that was finished was run again"
[ -s "$out/aa.0002/samples.csv" ] || fail "--keep keeps no samples"
[ "$(cut -d, -f2 "$out/aa.csv" | sort -u | wc -l)" = 4 ] || fail "two gates have the same seed"
"$solgate" aa --append="$work/tally.csv" "$out/aa.csv" >"$work/stdout" || fail "its pairs cannot be added to a tally"
[ "$(wc -l <"$work/tally.csv")" = 7 ] || fail "the tally has not all pairs"

# Slowdowns that are not found: not decided is not wrong, within is.
prove 0 undecided --gates=0 --detections=1 --slower=null/slower:2%
prints_line '| slower | 2 % | all | 2 | 0 | 2 | 0 | 0 | 0 | 0.0 % |'
prove 1 missed --gates=0 --detections=1 --slower=null/slower_slightly:0.5%
prints_line '| slower_slightly | 0.5 % | all | 2 | 0 | 0 | 0 | 2 | 0 | 0.0 % |'
prints_line 'wrong verdicts: 2'
# And an A/A pair that is not even.
prove 0 uneven --gates=1 --detections=0
sed -i '2s/,within$/,regressed/' "$out/aa.0001/aa.csv"
prove 1 uneven --gates=1 --detections=0
prints_line '| 0.5 % | all | 2 | 1 | 0 | 1 | 0 |'
prints_line 'wrong verdicts: 1'

prove 3 failing --gates=1 --detections=1 --slower=null/wrong:0.5%
says "detection_rate.sh: wrong.0001 left with 5"
[ -e "$out/aa.0001/comparison.csv" ] || fail "what was finished before a failure is lost"
prove 3 failing --gates=0 --detections=1 --slower=null/nobody:0.5%
says "no variant of the family is called nobody"
while IFS='|' read -r argument what; do
    prove 4 refused "$argument"
    says "$what"
done <<'REFUSED'
--gates=x|--gates: expected a whole number, found 'x'
--minutes=|--minutes: expected a whole number, found ''
--gpus=0|--gpus: expected 1 or more
--slower=null/slower|unknown argument --slower=null/slower
REFUSED
[ ! -e "$work/refused" ] || fail "refused, and left a folder"

[ "$failures" = 0 ]
