#!/bin/sh
# solgate run --sanitize: what failed runs once more under compute-sanitizer, which a script stands
# in for here. The first lines of its log are in the run and in the comparison; what hangs under it
# passes its deadline; without it a line tells so, and the run goes on.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

mkdir "$work/bin" "$work/none"
for tool in cat grep sed sleep rm mkdir tr timeout sh env; do
    ln -s "$(command -v $tool)" "$work/none/"
done
cat >"$work/bin/compute-sanitizer" <<'TOOL'
#!/bin/sh
# Runs what it is handed and writes the log that the variant asks for.
tool=${1#--tool=} log=${2#--log-file=}
shift 2
echo "$tool $*" >>"$CALLS"
case $*/$tool in
    */overrun/memcheck)
        finding='Invalid __global__ write of size 4 bytes
=========     at overrun(float *)+0x160 in overrun.cu:9
=========     by thread (31,0,0) in block (2,0,0)' ;;
    */wrong/racecheck)
        finding='Error: Race reported between Write access at wrong(float *)+0x80
=========     and Read access at wrong(float *)+0x90 [12 hazards]' ;;
    */nan/memcheck) finding='Error: Device not supported' ;;
    */unwritten/initcheck) echo "no room for a log" >&2; exit 1 ;;
esac
printf '========= COMPUTE-SANITIZER\n' >"$log"
"$@" || :
[ -z "${finding-}" ] || printf '========= %s\n' "$finding" >>"$log"
printf '========= ERROR SUMMARY: %d errors\n' "${finding:+1}" >>"$log"
TOOL
chmod +x "$work/bin/compute-sanitizer"
export CALLS="$work/calls"

cat >"$work/broken.suite" <<'SUITE'
[suite]
title     = what fails
metrics   = quick
processes = 5
tolerance = 5%
blocks    = 4
launches  = 2
deadline  = 2s
[null]
case    = tiny
variant = wrong
variant = nan
variant = overrun
variant = unwritten
variant = unsupported
variant = hang
SUITE

# row VARIANT TEXT: what the run in $out has of it
row()
{
    grep "^null,tiny,$1,sanitizer,,,,,,ok," "$out/run.csv" >"$work/row" || fail "$1: no row sanitizer"
    grep -qF -e "$2" "$work/row" || fail "$1: expected $2, found $(cat "$work/row")"
}

out=$work/with
PATH=$work/bin:$PATH run 0 "$work/broken.suite" --sanitize --out="$out"
says "sanitize: 5 items that failed, under compute-sanitizer"
says "null/tiny/overrun: memcheck: Invalid __global__ write"
row overrun 'Invalid __global__ write of size 4 bytes; at overrun(float *)+0x160 in overrun.cu:9 (sanitizer/null.tiny.overrun.memcheck.log)'
row wrong 'memcheck: nothing found; racecheck: Error: Race reported between Write access at wrong(float *)+0x80; and Read access'
row nan 'memcheck: Error: Device not supported (sanitizer/'
row unwritten 'racecheck: nothing found; initcheck: left with exit status 1 before it was done; last printed: no room for a log; synccheck: nothing found'
row hang ",synccheck: passed its deadline,"
[ "$(grep -c ',sanitizer,' "$out/run.csv")" = 5 ] || fail "other rows than of what failed"
[ "$(grep -c '/overrun' "$CALLS")" = 1 ] || fail "tools went on behind a finding: $(cat "$CALLS")"
[ "$(grep -c '/hang' "$CALLS")" = 1 ] || fail "tools went on behind a deadline: $(cat "$CALLS")"
grep -q -- '--pass=launch .*--item=null/tiny/wrong' "$CALLS" || fail "no launch of wrong: $(cat "$CALLS")"
grep -q 'by thread (31,0,0)' "$out/sanitizer/null.tiny.overrun.memcheck.log" || fail "the log of a finding is not kept"
[ "$(ls "$out/sanitizer" | wc -l)" = 3 ] || fail "logs without a finding are kept: $(ls "$out/sanitizer")"
"$solgate" baseline accept "$out" --out="$work/accepted.csv" >/dev/null
"$solgate" compare "$out" "$work/accepted.csv" --verbose >"$work/stdout"
prints "; racecheck: Error: Race reported between Write access at wrong(float *)+0x80"

# Taken up again nothing is looked at anew.
rm "$CALLS"
forget "$out" '"variant":"nan","metric":"sanitizer"'
PATH=$work/bin:$PATH run 0 "$work/broken.suite" --sanitize --out="$out" --resume
row nan "memcheck: Error: Device not supported"
[ "$(grep -vc '/nan' "$CALLS")" = 0 ] || fail "what was looked at is looked at again: $(cat "$CALLS")"

# Not installed.
out=$work/without
PATH=$work/none run 0 "$work/broken.suite" --sanitize --out="$out"
[ "$(grep -c 'no compute-sanitizer on PATH' "$work/stderr")" = 1 ] || fail "nothing tells once that the tool is missing"
grep -q ',sanitizer,' "$out/run.csv" && fail "rows of a tool that is not there"

# Not asked for.
rm -f "$CALLS"
PATH=$work/bin:$PATH run 0 "$work/broken.suite" --variant=wrong --out="$work/unasked"
[ ! -e "$CALLS" ] || fail "looked at without being asked"

exit "$failures"
