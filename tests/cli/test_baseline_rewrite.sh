#!/bin/sh
# test_baseline_rewrite.sh BIN - accepted numbers that an older version wrote, in the lines
# of the newest schema: a fraction of the lines, and every command that reads them says the
# same. Accepting anew adds no line.
set -eu

bin=$1
solgate=$bin/solgate
tests=$(cd "$(dirname "$0")/.." && pwd)
data=$tests/data
SOLGATE_HOME=$tests/..
export SOLGATE_HOME
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# said FILE RUN: what is said of the run against these numbers, but for
# their name; numbers to five digits
said() {
    for form in --format=csv --format=markdown --format=junit; do
        code=0
        "$solgate" compare "$2" "$1" $form 2>&1 || code=$?
        echo "$form: exit $code"
    done | awk -F, -v OFS=, '{
        for (i = 1; i <= NF; i++)
            if ($i ~ /^-?[0-9.]+(e[-+][0-9]+)?$/) $i = sprintf("%.5g", $i)
        print
    }'
    code=0
    "$solgate" baseline verify "$1" --max-age=36500d --driver=580.1 2>&1 || code=$?
    echo "verify: exit $code"
}

# unwrapped: lines as they are, however long the paths in them
unwrapped() {
    tr '\n' ' ' | tr -s ' ' | sed 's/ exit /\nexit /g'
}

# rewritten NUMBERS RUN...: the numbers say of each run what they said before
rewritten() {
    old=$1
    shift
    cp "$old" "$work/new.csv"
    cp "${old%.csv}.env.csv" "$work/new.env.csv"
    "$solgate" baseline seal "$work/new.csv" --reason=schema >"$work/stdout" || fail "$old: $(cat "$work/stdout")"
    grep -qx 'schema,3' "$work/new.env.csv" || fail "$old: $(grep '^schema' "$work/new.env.csv")"
    [ "$(wc -l <"$work/new.csv")" -lt "$(wc -l <"$old")" ] || fail "$old: $(wc -l <"$work/new.csv") lines"
    for run in "$@"; do
        said "$old" "$run" | unwrapped >"$work/before"
        said "$work/new.csv" "$run" | unwrapped >"$work/after"
        sed -E 's/(good +[^ ]*): [0-9]+ rows/\1/; s/[^ ]*(baseline|hand|new)\.csv/NUMBERS/g' -i "$work/before" "$work/after"
        diff "$work/before" "$work/after" || fail "$old of $run"
        grep -q 'exit [0-9]' "$work/after" || fail "$old of $run: nothing is said"
    done
}

rewritten "$data/hand/baselines/h200/hand.csv" "$data/hand/clean"
rewritten "$data/hand_report/baseline.csv" "$data/hand_report/before" "$data/hand_report/run"

# Of numbers that were accepted once more nothing is new.
"$solgate" baseline accept "$data/hand/clean" --out="$work/once.csv" >"$work/stdout"
cp "$work/once.csv" "$work/twice.csv"
cp "$work/once.env.csv" "$work/twice.env.csv"
"$solgate" baseline accept "$data/hand/clean" --out="$work/twice.csv" >"$work/stdout"
grep -q ': 0 rows new, 0 changed, 0 gone, 0 worse$' "$work/stdout" || fail "accepted again: $(cat "$work/stdout")"
cmp -s "$work/once.csv" "$work/twice.csv" || fail "accepting the same run again changes the file"
# Nor of those of an older version: they get the lines that sealing gives them.
for name in hand sealed; do
    cp "$data/hand/baselines/h200/hand.csv" "$work/$name.csv"
    cp "$data/hand/baselines/h200/hand.env.csv" "$work/$name.env.csv"
done
"$solgate" baseline seal "$work/sealed.csv" --reason=schema >"$work/stdout"
"$solgate" baseline accept "$data/hand/clean" --out="$work/hand.csv" >"$work/stdout"
grep -q ': 0 rows new, 0 changed, 0 gone, 0 worse$' "$work/stdout" || fail "accepted over an old file: $(cat "$work/stdout")"
cmp -s "$work/sealed.csv" "$work/hand.csv" || fail "accepting over an old file leaves lines of it"

# The numbers of this tree are in the newest schema: sealing changes no line.
find "$tests/../baselines" -name '*.env.csv' | sort >"$work/env"
while read -r env; do
    grep -qx 'schema,3' "$env" || fail "$env: $(grep '^schema' "$env")"
    cp "$env" "$work/kept.env.csv"
    cp "${env%.env.csv}.csv" "$work/kept.csv"
    "$solgate" baseline seal "$work/kept.csv" --reason=again >"$work/stdout"
    cmp -s "$work/kept.csv" "${env%.env.csv}.csv" || fail "${env%.env.csv}.csv is not what solgate writes"
done <"$work/env"

[ "$failures" = 0 ]
