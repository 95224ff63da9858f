#!/bin/sh
# Whatever ends a run, no worker survives it, and --resume ends in the bytes of a run that nothing
# ended: no row lost, none invented.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# Variants that hang make each phase last: wherever a signal strikes, it strikes an unfinished run.
sed -i '/small$/d; s/^deadline .*/deadline = 2s/; s/^variant .*wrong$/&\nvariant = hang\nvariant = hangs_when_timed/' "$suite"
run 0 "$suite" --out="$work/whole" --seed="$seed"
items=$(grep -c ',status,' "$work/whole/run.csv")

# begin DIR: a run in the background; $pid is solgate itself, which takes
# SIGINT as it would in a terminal
begin()
{
    env --default-signal=INT "$solgate" run "$suite" --out="$1" --seed="$seed" --jobs=2 >"$work/stdout" 2>"$work/stderr" &
    pid=$!
}

# ended EXIT_STATUS WHAT: the run in the background has left so
ended()
{
    code=0
    wait "$pid" || code=$?
    [ "$code" = "$1" ] || fail "$2: exit status $code instead of $1"
    gone "$2"
}

resume()
{
    run 0 "$suite" --out="$1" --seed="$seed" --resume
    same "$work/whole" "$1" "$2"
}

# pass that must have begun, seconds after that, signal, exit status
while read -r pass seconds signal code; do
    what="SIG$signal $seconds s into $pass"
    dir=$work/$pass.$seconds.$signal
    begin "$dir"
    await processes "--pass=$pass" >"$work/pids"
    sleep "$seconds"
    kill -s "$signal" "$pid"
    ended "$code" "$what"
    done_before=$(grep -c ',status,' "$dir/run.csv") || true
    [ "$signal" = KILL ] || [ "$done_before" = 0 ] || says "--resume"
    resume "$dir" "$what"
    left=$(sed -n 's/^verify: \([0-9]*\) items.*/\1/p' "$work/stderr")
    [ "$((${left:-0} + done_before))" = "$items" ] || fail "$what: $done_before of $items were verified, and ${left:-0} again"
done <<'MOMENTS'
verify 0 KILL 137
verify 0.4 KILL 137
verify 0.8 INT 130
time 0.3 KILL 137
time 1 TERM 130
time 1.6 HUP 130
MOMENTS

# A worker that does not want to leave, and one in a loop.
for variant in stubborn hang; do
    # Added first: once sed has deleted the last line, nothing is added behind it.
    sed "\$a variant = $variant
        /^variant/d" "$suite" >"$work/$variant.suite"
    [ "$(sed -n 's/^variant *= //p' "$work/$variant.suite")" = "$variant" ] || fail "the suite runs more than $variant, or less"
    for signal in INT KILL; do
        dir=$work/$variant.$signal
        env --default-signal=INT "$solgate" run "$work/$variant.suite" --out="$dir" --seed="$seed" >"$work/stdout" 2>"$work/stderr" &
        pid=$!
        await processes "/tiny/$variant" >"$work/pids"
        kill -s "$signal" "$pid"
        [ "$signal" = INT ] && code=130 || code=137
        ended "$code" "$signal while $variant runs"
    done
done

# A worker killed from outside costs its own item.
sed 's/= 2s/= 60s/' "$suite" >"$work/long.suite"
"$solgate" run "$work/long.suite" --out="$work/outside" --seed="$seed" --case=tiny --variant=hang >"$work/stdout" 2>"$work/stderr" &
pid=$!
await lines_in "$work/outside/run.csv" 3
await process --pass=verify /hang
kill -s KILL "$(cat "$work/pid")"
ended 5 "a worker killed from outside"
grep -q '^null,tiny,hang,status,.*,crash,killed by SIGKILL' "$work/outside/run.csv" || fail "a worker killed from outside is not told"
grep -q '^null,tiny,ok,time,ns,' "$work/outside/run.csv" || fail "a worker killed from outside cost another item"

begin "$work/busy"
await processes --pass=verify >"$work/pids"
code=0
"$solgate" run "$suite" --out="$work/busy" --resume >"$work/other" 2>&1 || code=$?
[ "$code" = 4 ] || fail "two solgates in one folder: exit status $code instead of 4"
ended 0 "the first of two"
same "$work/whole" "$work/busy" "the first of two"

[ "$failures" = 0 ]
