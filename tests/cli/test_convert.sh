#!/bin/sh
# scripts/convert.py: a run as earlier versions wrote it is converted and sealed again; one that was
# edited is left alone.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
convert="$(dirname "$0")/../../scripts/convert.py"
command -v python3 >/dev/null || exit 77

printf '[suite]\ntitle = t\nblocks = 4\nlaunches = 1\nmetrics = quick\n[null]\ncase = tiny\nvariant = slower\n' >"$work/t.suite"
run 0 "$work/t.suite" --seed=1 --out="$work/new"
cp -R "$work/new" "$work/old"
sed -i 's/^\(null,tiny,slower,time_ratio,.*,ok\),ok,/\1,against ok,/' "$work/old/run.csv"
sed -i '/^digest/d; s/^state,/timed,"changed, and null\/tiny\/ok+"\nsegment_ms,2000\n&/' "$work/old/env.csv"
"$solgate" baseline seal "$work/old" --reason='as it was' >"$work/stdout" 2>"$work/stderr" || fail "seal: $?"
cp -R "$work/old" "$work/edited"
sed -i 's/,against ok,/,against  ok,/' "$work/edited/run.csv"

code=0
python3 "$convert" "$work/old" "$work/new" "$work/edited" 2>"$work/stderr" || code=$?
[ "$code" = 3 ] || fail "an edited run: exit $code"
says 'edited/env.csv: expected the digest of its files, found another one: left alone'
grep -q 'against  ok' "$work/edited/run.csv" || fail "an edited run was converted"
cmp "$work/old/run.csv" "$work/new/run.csv" || fail "the rows are not as they are written today"
grep -q '^timed,changed$' "$work/old/env.csv" && grep -q '^timed_drawn,null/tiny/ok$' "$work/old/env.csv" &&
    grep -q '^sustained,yes$' "$work/old/env.csv" || fail "the facts: $(cat "$work/old/env.csv")"
"$solgate" compare "$work/old" "$work/old" >"$work/stdout" 2>"$work/stderr" || fail "the digest of a converted run: $?"
cp -R "$work/old" "$work/again"
python3 "$convert" "$work/again" && diff -r "$work/old" "$work/again" || fail "a converted run changes again"
[ "$failures" = 0 ]
