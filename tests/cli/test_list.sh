#!/bin/sh
# solgate list: each list says what the files and modules hold, as text and as CSV;
# what cannot be listed is refused.
set -eu
solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
failures=0

fail() { echo "FAIL: $*" && failures=$((failures + 1)); }

# names LIST: its first column
names() {
    "$solgate" list "$1" --format=csv | sed 1d | cut -d, -f1 | sort
}

# What is a file is a row.
for pair in "suites kernels/suites suite" "gpus metrics/gpus gpu" "groups metrics/groups group"; do
    # shellcheck disable=SC2086 # three words
    set -- $pair
    files=$(cd "$tree/$2" && for file in *."$3"; do echo "${file%."$3"}"; done | sort)
    [ "$(names "$1")" = "$files" ] || fail "list $1: $(names "$1" | tr '\n' ' '), and the files are $(echo "$files" | tr '\n' ' ')"
done
sections=$(sed -n 's/^\[\([a-z0-9_:]*\)\]$/\1/p' "$tree/metrics/metrics.ini" | sort)
[ "$(names metrics)" = "$sections" ] || fail "list metrics differs from the sections of metrics.ini"
variants=$(cd "$tree/kernels/null" && grep -lE "^(SG_VARIANT|NULL_(RIGHT|BROKEN))\(" -- *.c | sed 's/\.c$//' | sort)
listed=$("$solgate" list variants --format=csv | sed -n 's/^null,\([^,]*\),.*/\1/p' | sort)
[ "$listed" = "$variants" ] || fail "list variants differs from the files of kernels/null"
"$solgate" list variants --format=csv | grep -q '^null,wrong,candidate,wrong,' || fail "list variants does not say what is expected"
"$solgate" list metrics --format=csv | grep -q '^registers,register,lower,exact,0,0,launch,,,' || fail "list metrics does not say what registers are"

# Patterns: of any name of a row, or of FAMILY/NAME.
rows() {
    "$solgate" list "$@" --format=csv | sed 1d | cut -d, -f1,2 | tr '\n' ' '
}
[ "$(rows cases 'null/t*')" = "null,tiny " ] || fail "cases of a family and of a pattern: $(rows cases 'null/t*')"
[ "$(rows knobs 'wid*')" = "null,tuned " ] || fail "a pattern of knobs: $(rows knobs 'wid*')"
[ "$("$solgate" list gpus 'b200*' --format=csv | wc -l)" = 3 ] || fail "a pattern of files: $(rows gpus 'b200*')"
[ "$(rows variants null/ok)" = "null,ok " ] || fail "a variant of a family: $(rows variants null/ok)"

for wrong in "cases none_such" "metric" "families cases" "--format=xml"; do
    code=0
    # shellcheck disable=SC2086 # words of a command line
    "$solgate" list $wrong >/dev/null 2>&1 || code=$?
    [ "$code" = 4 ] || fail "list $wrong: exit $code, expected 4"
done
code=0
said=$("$solgate" list metrics --module=libsg_null.so 2>&1) || code=$?
[ "$code" = 4 ] || fail "a module for a list that has none of it: exit $code, expected 4"
[ "${said#*--module has families, cases, variants, knobs and kernels: it cannot go with metrics}" != "$said" ] || fail "it is said as: $said"
"$solgate" list metrics | head -n 1 >/dev/null || fail "a reader that leaves early is a failure"

[ "$failures" = 0 ]
