#!/bin/sh
# Whatever workers say, and however they end: a run ends with a code that is explained, or is
# finished by --resume with sound workers; what is finished then is read by every command, holds
# nothing that is no number and no control byte, and is never green where something failed. $2 is
# how many runs (default 24), $3 the first seed. The same seed does the same.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
runs=${2:-24}
first=${3:-1}

# solgate finds its worker beside itself.
mkdir "$work/bin"
cp "$1/solgate" "$work/bin/solgate"
cp "$1/../tests/faulty_worker" "$work/bin/solgate-worker"
ln -s "$(realpath "$1")/libsg_null.so" "$(realpath "$1")/libsg_null_reference.so" "$work/bin/"
export SOLGATE_HOME="$tree" SOLGATE_REAL_WORKER="$1/solgate-worker"
SOLGATE_REAL_WORKER=$(realpath "$SOLGATE_REAL_WORKER")
solgate=$work/bin/solgate
cat >"$suite" <<'SUITE'
[suite]
title     = one case, faulty workers
metrics   = quick
processes = 5
blocks    = 4
launches  = 1
deadline  = 20s

[null]
case      = tiny
variant   = slower
variant   = wrong
SUITE

# ended WHAT ALLOWED...: the last command's code is one of these
ended()
{
    what=$1
    shift
    for allowed in "$@"; do
        [ "$code" != "$allowed" ] || return 0
    done
    fail "seed $seed: $what: exit status $code, expected one of: $*"
}

# does COMMAND...: its code in $code
does()
{
    code=0
    timeout 120 "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$work/stdout" "$work/stderr"; then
        fail "seed $seed: control bytes in what $1 prints"
    fi
}

# clean DIR: nothing in it that a reader or a terminal trips over
clean()
{
    if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177-\377]')" "$1"/*.csv; then
        fail "seed $seed: control or broken bytes in $(LC_ALL=C grep -l "$(printf '[\001-\010\013-\037\177-\377]')" "$1"/*.csv | tr '\n' ' ')"
    fi
    cut -d, -f6-8 "$1/run.csv" | grep -qi inf && fail "seed $seed: an infinity in run.csv"
    return 0
}

# green DIR: exit 0 was said; is everything there?
green()
{
    [ "$(grep -c ',time,ns,[0-9]' "$1/run.csv")" = 2 ] || fail "seed $seed: exit 0 and not both times: $(grep ',time,' "$1/run.csv")"
    grep -q '^null,tiny,slower,time_ratio,1,[0-9]' "$1/run.csv" || fail "seed $seed: exit 0 without a ratio"
    [ "$(grep -c ',count_passes,1,[0-9]' "$1/run.csv")" = 2 ] || fail "seed $seed: exit 0 and not both counted"
    grep -q '^null,tiny,wrong,status,.*,wrong,' "$1/run.csv" || fail "seed $seed: exit 0 and wrong is not wrong"
}

finished=0
resumed=0
for seed in $(seq "$first" $((first + runs - 1))); do
    out=$work/$seed
    SOLGATE_FAULTS=$seed
    export SOLGATE_FAULTS
    if [ $((seed % 4)) = 0 ]; then
        set -- ab null/ok null/slower --case=tiny --tolerance=5%
    else
        set -- run "$suite"
    fi
    does "$@" --out="$out" --seed="$seed"
    ended "$1 with faults" 0 1 2 3 4 5
    unset SOLGATE_FAULTS
    if [ ! -d "$out" ]; then
        # Without a listing there is no run.
        ended "$1 without a folder" 3 4
        continue
    fi
    [ "$code" != 4 ] || fail "seed $seed: exit 4 after the run was begun"
    clean "$out"
    if ! grep -q '^state,finished$' "$out/env.csv"; then
        resumed=$((resumed + 1))
        does "$@" --out="$out" --seed="$seed" --resume
        ended "$1 --resume with sound workers" 0 1 2 3 5
        # A first worker that named another GPU, say, began another run: the
        # sound ones may not go on with it.
        if [ "$code" = 3 ] && grep -q 'this run was begun with' "$work/stderr"; then
            continue
        fi
        grep -q '^state,finished$' "$out/env.csv" || fail "seed $seed: --resume does not finish it"
    fi
    finished=$((finished + 1))
    clean "$out"
    if [ "$1" = run ] && [ "$code" = 0 ]; then
        green "$out"
    fi
    cp "$out/run.csv" "$work/before.csv"
    does compare "$out" "$out"
    ended 'compare' 0 1 2 3 5
    does gap "$out"
    ended 'gap' 0 3
    does report "$out" --out="$work/report"
    ended 'report' 0 1 2 3 5
    rm -rf "$work/report"
    does "$@" --out="$out" --seed="$seed" --resume
    ended "$1 --resume of a finished run" 0 1 2 3 5
    cmp -s "$out/run.csv" "$work/before.csv" || fail "seed $seed: --resume changed a finished run: $(diff "$work/before.csv" "$out/run.csv" | head -3)"
    rm -rf "$out"
done
echo "$runs runs with faulty workers from seed $first: $finished finished, $resumed of them by --resume"
[ "$finished" -gt $((runs / 2)) ] || fail "only $finished of $runs runs came to an end"
[ "$failures" = 0 ]
