#!/bin/sh
# What is written for people fits a terminal: 120 columns, 140 where a row of a comparison
# stands beside names as long as ours. A command to type next is as long as it is.
set -eu
solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
data=$tree/tests/data/hand_report
failures=0

# fits COLUMNS ARGUMENTS...: no line of what solgate prints is longer, and it prints something
fits() {
    most=$1
    shift
    { "$solgate" "$@" || true; } | LC_ALL=C.UTF-8 awk -v most="$most" '
        length($0) > most && !/^(PASS|FAIL|OPEN|Next|[0-9]* rows?:) ?/ { print length($0) " columns: " $0; long = 1 }
        END { exit long || NR == 0 }' || {
        echo "FAIL: over $most columns, or nothing: solgate $*"
        failures=$((failures + 1))
    }
}

for list in families cases variants metrics groups gpus suites; do
    fits 140 list $list
done
fits 140 compare "$data/run" "$data/baseline.csv"
fits 120 gap "$data/run" --gpu-spec=h200
fits 120 explain "$data/run" matvec/r4096_c4096_f32 vec16_rows warp_per_row
fits 140 accepted show "$data/baseline.csv"

# What a terminal would obey is written out, wherever it comes from: the command line, a message
# of a run, a fact of its machine.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bell=$(printf 'a\033[31m\007b\377')
cp "$data/run/run.csv" "$work"
sed "s/^gpu_name,.*/gpu_name,$bell/; s/^digest.*/other,x/" "$data/run/env.csv" >"$work/env.csv"
LC_ALL=C sed "s/^\([^,]*,[^,]*,[^,]*,status,.*\),[^,]*\$/\1,$bell/" "$data/run/run.csv" >"$work/run.csv"
[ "$(LC_ALL=C grep -acF "$bell" "$work/run.csv")" -gt 1 ] || {
    echo "FAIL: no message of the run was replaced"
    failures=$((failures + 1))
}

# obeys_nothing ARGUMENTS...: no byte of what solgate writes is a control character but
# line ends, and all of it is UTF-8
obeys_nothing() {
    "$solgate" "$@" >"$work/printed" 2>&1 || true
    if LC_ALL=C tr -d '\n' <"$work/printed" | LC_ALL=C grep -q '[[:cntrl:]]' || ! iconv -f UTF-8 -t UTF-8 "$work/printed" >"$work/utf8" 2>&1; then
        echo "FAIL: unprintable bytes: solgate $*"
        failures=$((failures + 1))
    fi
    [ -s "$work/printed" ] || {
        echo "FAIL: nothing is printed: solgate $*"
        failures=$((failures + 1))
    }
}

for command in "list" "compare" "gap" "explain" "report" "accepted show" "run" ""; do
    # shellcheck disable=SC2086 # a command may have two words
    obeys_nothing $command "$bell"
done
for file in "$tree"/reports/format_*.c; do
    format=${file##*/format_}
    obeys_nothing compare "$work" "$data/before" --format="${format%.c}"
    obeys_nothing gap "$work" --gpu-spec=h200 --format="${format%.c}"
done
obeys_nothing explain "$work" matvec/r4096_c4096_f32 vec16_rows warp_per_row
obeys_nothing compare "$work" --format="$bell"
obeys_nothing list metrics --format="$bell"
[ "$failures" = 0 ]
