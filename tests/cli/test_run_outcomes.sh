#!/bin/sh
# Every outcome of the null family arises and is told apart; a variant that fails has no numbers;
# the same seed gives the same bytes.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# All but the variant that floods stdout, which has a run of its own below.
variants=$("$solgate" list variants null --format=csv | sed -n 's/^null,\([^,]*\),.*/variant = \1/p' | grep -v floods_stdout)
{
    sed '/^case .*small$/d; /^variant /d' "$suite"
    echo "$variants"
} >"$work/all.suite"
run 0 "$work/all.suite" --out="$work/a" --seed="$seed" --jobs=8
gone "after a run"

# variant, its row `status`, part of the message
while read -r variant status message; do
    row=$(grep "^null,tiny,$variant,status," "$work/a/run.csv") || fail "no status of $variant"
    case $row in
    *",$status,"*"$message"*) ;;
    *) fail "$variant: expected $status, $message; found $row" ;;
    esac
    if [ "$status" = ok ]; then
        grep -q "^null,tiny,$variant,time,ns,[0-9.]*,[0-9.]*,[0-9.]*,5,ok," "$work/a/run.csv" || fail "$variant: no time over 5 processes"
        grep -q "^null,tiny,$variant,count_passes,1," "$work/a/run.csv" || fail "$variant: no counters"
        grep -q "^null,tiny,$variant,work_read_bytes,B," "$work/a/run.csv" || fail "$variant: no work"
        grep -q "^null,tiny,$variant,sol_gap,1," "$work/a/run.csv" || fail "$variant: no speed of light"
    elif grep "^null,tiny,$variant," "$work/a/run.csv" | grep -qv ",role,\|,shape,\|,expect,\|,status,\|,error_signature,"; then
        fail "$variant is $status and has numbers"
    fi
done <<'OUTCOMES'
ok ok
noisy ok
slower ok
slower_noisy ok
slower_slightly ok
faster ok
polls ok
wrong wrong y[
nan nan y[
unwritten unwritten y[
overrun overrun
overwrites_input overrun
nondeterministic nondeterministic
launch_failed launch_failed
cuda_error cuda_error
crash crash killed by SIGSEGV
killed crash killed by SIGKILL
exits crash exited with status 3
hang hang no message for
stubborn hang no message for
oom oom
unsupported unsupported
unavailable unavailable
crashes_when_timed crash while timed, process 0
hangs_when_timed hang while timed, process 0
OUTCOMES

told=$(cut -d, -f4,10 "$work/a/run.csv" | sed -n 's/^status,//p' | sort -u)
sed -n 's/^ *X(SG_[A-Z_]*, "\([a-z_]*\)", .*/\1/p' "$tree/kernels/solgate_kernel.h" | sed '/^unavailable$/q' >"$work/words"
while read -r status; do
    # `skipped` needs a family with a broken baseline: test_run_modules.sh. The other two:
    # test_null_faults.sh.
    case $status in
    skipped | misplaced | leak) ;;
    *) echo "$told" | grep -qx "$status" || fail "no variant ended as $status" ;;
    esac
done <"$work/words"

# A seed of its own: one in thirty has a spike in its few blocks that hides the 2 %.
run 0 "$suite" --case=tiny --out="$work/slower" --seed=1 --variant=slower
ratio=$(sed -n 's/^null,tiny,slower,time_ratio,1,\([0-9.]*\),.*/\1/p' "$work/slower/run.csv")
awk -v r="$ratio" 'BEGIN { exit !(r > 1.01 && r < 1.03) }' || fail "slower by 2 %: time_ratio $ratio"
grep -q '^null,tiny,slower,time_ratio,.*,ok,' "$work/a/run.csv" || fail "time_ratio does not say against what"
grep -q '^null,tiny,ok,time_ratio,' "$work/a/run.csv" && fail "the baseline has a ratio to itself"
grep -q '^Next: solgate gap ' "$work/stdout" || fail "no next command"
grep -q "^ *solgate accept $work/slower  " "$work/stdout" || fail "what was never accepted is not offered to be"
grep -q '^state,finished$' "$work/a/env.csv" || fail "not finished"
sed 1d "$work/a/run.csv" | cut -d, -f1-4 | LC_ALL=C sort -c -t, -k1,1 -k2,2 -k3,3 -k4,4 || fail "run.csv is not sorted"

run 0 "$suite" --out="$work/b" --seed="$seed"
run 0 "$suite" --out="$work/c" --seed="$seed" --jobs=1
same "$work/b" "$work/c" "one or four at a time"

# Filters: the baseline stays, nothing else does.
run 0 "$suite" --out="$work/e" --seed="$seed" --variant=slower --case=small --metrics=registers,ipc
variants=$(sed 1d "$work/e/run.csv" | cut -d, -f1-3 | sort -u | tr '\n' ' ')
[ "$variants" = "null,small,ok null,small,slower " ] || fail "filtered to $variants"
grep -q '^null,small,ok,registers,' "$work/e/run.csv" || fail "--metrics: no registers"
grep -q '^null,small,ok,dram_throughput,' "$work/e/run.csv" && fail "--metrics: more than was asked for"

# What floods_stdout prints passes through solgate and stays nowhere. (The
# sanitizers' own memory would not fit.)
if [ -z "${SOLGATE_SANITIZED:-}" ]; then
    # shellcheck disable=SC3045 # every shell of Linux has -v
    ulimit -v 262144
    run 0 null --out="$work/f" --seed="$seed" --case=tiny --variant=floods_stdout
    grep -q '^null,tiny,floods_stdout,time_ratio,' "$work/f/run.csv" || fail "a flood of output in 256 MiB of memory"
fi

[ "$failures" = 0 ]
