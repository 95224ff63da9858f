#!/bin/sh
# An option that takes a value is given once, in every command, unless its -h says that it may
# repeat: then all values count. The table below has every option of every command.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# start COMMAND... [ARGUMENTS]: of solgate, or of its worker; in $code how it ended
start()
{
    code=0
    if [ "$1" = worker ]; then
        shift
        "$(dirname "$solgate")/solgate-worker" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    else
        "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    fi
}

# The option that there is none of ends a command that took both values, before it does anything.
while read -r often option first second command; do
    # shellcheck disable=SC2086 # a command may be two words
    start $command "--$option=$first" "--$option=$second" --none
    [ "$code" = 4 ] || fail "exit status $code instead of 4: $command --$option=$first --$option=$second --none"
    case $often in
        once) grep -q -e ": expected --$option=.* once, found '$first' and '$second'" "$work/stderr" || fail "$command: --$option: both values are not named" ;;
        often) says "'--none' is no option" ;;
    esac
    printf '%s --%s %s\n' "$command" "$option" "$often" >>"$work/tried"
done <<'TABLE'
once format text csv list
often module a.so b.so list
often family a b list
often case a b list
often variant a b list
once gpu 0 1 doctor
once baselines a b doctor
once out a b doctor
once from a b doctor
once suite a b doctor
once out a b run
once baselines a b run
once builds a b run
often family a b run
often case a b run
often variant a b run
often metrics a b run
once config a b run
often module a.so b.so run
once gpu 0 0 run
once seed 1 2 run
once jobs 1 2 run
once sweep a/b a/c run
often case a b ab
once commits a b ab
once repo a b ab
once build a b ab
often variant a b ab
once build a b bisect
once gpu 0 1 bisect
once l2 cold warm bisect
once module a.so b.so bisect
once out a b bisect
once repo a b bisect
once tolerance 1% 2% bisect
once tolerance 1% 2% ab
often module a.so b.so ab
once baselines a b ab
once config a b ab
once out a b ab
once seed 1 2 ab
once gpu 0 1 ab
once l2 cold warm ab
once format text csv ab
once inconclusive pass fail ab
once append a b aa
once format text csv aa
once format text csv compare
once baselines a b compare
often family a b compare
often case a b compare
often variant a b compare
once inconclusive pass fail compare
often family a b gap
often case a b gap
often variant a b gap
once top 1 2 gap
once gpu-spec h200 b200 gap
once format text csv gap
once out a b gap
once m 1 2 sol
once n 1 2 sol
once k 1 2 sol
once flop 1 2 sol
once bytes 1 2 sol
once dtype bf16 f16 sol
once out-dtype bf16 f16 sol
once scale-block 16 32 sol
once scale-bytes 1 2 sol
once scale-rows 1 2 sol
once time 1us 2us sol
once gpu-spec h200 b200 sol
once format text csv sol
once out a b report
once baseline a b report
once baselines a b report
often family a b report
often case a b report
often variant a b report
once note a b report
once baselines a b nightly
once budget 1m 2m nightly
once builds a b nightly
once gpu 0 1 nightly
once history a b nightly
often module a.so b.so nightly
once out a b nightly
once seed 1 2 nightly
once gpu-spec h200 b200 report
once out a b baseline accept
once baselines a b baseline accept
often family a b baseline accept
often case a b baseline accept
often variant a b baseline accept
once reason a b baseline accept
once builds a b baseline accept
often module a.so b.so baseline accept
once until 2026-12-31 2027-12-31 baseline accept
often waive f/c/v f/c/w baseline accept
once reason a b baseline seal
once max-age 1d 2d baseline verify
once driver 1 2 baseline verify
once pass list time worker
often module a.so b.so worker
often against a.so b.so worker
once baseline a b worker
once drift a b worker
often tolerance 0.1 0.2 worker
often item a/b/c a/b/d worker
often setting a/b/c:d:e=1 a/b/f:d:e=2 worker
often metric a b worker
once seed 1 2 worker
once gpu 0 1 worker
once process 0 1 worker
once attempt 0 1 worker
once blocks 1 2 worker
once launches 1 2 worker
once repeats 1 2 worker
once segment-ms 1 2 worker
once l2 cold warm worker
TABLE

# A value left out is one as well.
start run --sweep --sweep=a/b
says "expected --sweep=FAMILY/VARIANT once, found '' and 'a/b'"
# What has no value means the same twice.
start run --resume --resume --none
says "'--none' is no option"
start run a b
says "expected [SUITE], found 'b' after 'a'"

# No option of a command's -h is left out of the table (an example in it may show one again), and it
# says of those that may repeat that they may.
{
    "$solgate" -h | sed -n 's/^  \([a-z]\{1,\}\)  *[A-Za-z].*/\1/p' | grep -vx baseline
    printf 'baseline show\nbaseline accept\nbaseline seal\nbaseline verify\nworker\n'
} | while read -r command; do
    # shellcheck disable=SC2086
    start $command -h
    awk -v command="$command" '
        function tell() {
            gsub(/ +/, " ", text)
            if (option != "")
                print command, option, text ~ /may repeat/ ? "often" : "once"
            option = ""
        }
        NF == 0 || $1 ~ /^-/ { tell(); text = "" }
        $1 ~ /^--[a-z0-9-]+\[?=/ { option = $1; sub(/\[?=.*/, "", option) }
        { text = text " " $0 }
        END { tell() }' "$work/stdout"
done >"$work/told"
for file in tried told; do
    sort -u "$work/$file" >"$work/$file.sorted"
done
diff "$work/tried.sorted" "$work/told.sorted" >"$work/stdout" || fail "the options tried (<) are not those that -h tells (>)"

[ "$failures" = 0 ]
