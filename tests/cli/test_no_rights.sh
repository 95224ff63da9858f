#!/bin/sh
# A user without rights to the folder of a run, of accepted numbers, of builds or of a history: one
# line with path and reason, exit 3 or 4, and nothing is half written.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# Of root nothing is kept: then another user does it.
as=
if [ "$(id -u)" = 0 ]; then
    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
    $as "$solgate" --version >"$work/stdout" 2>"$work/stderr" || {
        echo "skipped: no other user who can start solgate"
        exit 77
    }
fi
chmod 755 "$work"
run 0 "$suite" --out="$work/run" --seed="$seed" --case=tiny --variant=slower
mkdir "$work/locked"
chmod 555 "$work/locked"

# refused CODE PATH ARGUMENTS...: one line with the path and the reason, and no file
refused() {
    wanted=$1 path=$2
    shift 2
    code=0
    # shellcheck disable=SC2086 # several words, or none
    env SOLGATE_BUILDS="$work/locked/builds" $as "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: solgate $*"
    says "solgate: $path"
    says 'Permission denied'
    [ "$(grep -c '^solgate: ' "$work/stderr")" = 1 ] || fail "more than one line: solgate $*"
    [ -z "$(ls -A "$work/locked")" ] || fail "something was written: solgate $*"
}
refused 3 "$work/locked/x: " run "$suite" --out="$work/locked/x" --case=tiny --variant=slower
refused 3 "$work/locked" run "$suite" --out="$work/locked" --case=tiny --variant=slower
refused 3 "$work/locked/null: " accept "$work/run" --out="$work/locked/null/small.csv"
refused 3 "$work/locked/report: " report "$work/run" --out="$work/locked/report"
refused 3 "$work/locked/null: " history add "$work/run" --history="$work/locked"
chmod 000 "$work/locked"
refused 3 "$work/locked: " builds list --builds="$work/locked"
refused 4 "$work/locked: " history check --history="$work/locked"
chmod 555 "$work/locked"
chmod 000 "$work/run/run.csv"
refused 4 "$work/run/run.csv: " gap "$work/run"
chmod 755 "$work/locked"

[ "$failures" = 0 ]
