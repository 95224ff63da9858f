#!/bin/sh
# A run measures one build: --resume refuses another module, suite, worker or definition of a
# metric, and a module that is swapped while it runs ends it. With what it was begun with it goes
# on, to the bytes of a run that nothing ended.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# So many processes that the swaps below come long before the last of them.
sed -i '/crash/d; /wrong/d; /= small/d; s/^processes.*/processes = 30/' "$suite"
module=$work/libsg_null.so
cp "$1/libsg_null.so" "$module"
cp "$module" "$work/first.so"
cp "$module" "$work/other.so"
printf 'x' >>"$work/other.so" # behind the end of an ELF file nothing is loaded

# go EXIT_STATUS OUT ARGUMENTS...
go() {
    wanted=$1 out=$2
    shift 2
    run "$wanted" "$suite" --out="$out" --seed="$seed" --module="$module" "$@"
}

go 0 "$work/whole"
for key in code.null drift_code worker_code suite_hash metrics_hash; do
    grep -q "^$key,[0-9a-f]\{16\}\$" "$work/whole/env.csv" || fail "env.csv has no $key"
done

# unfinished NAME: the run as it was before its last phase
unfinished() {
    rm -rf "${work:?}/$1"
    cp -r "$work/whole" "$work/$1"
    sed -i 's/^state,finished$/state,running/' "$work/$1/env.csv"
    forget "$work/$1" '^value,[^,]*,[^,]*,slower,'
}

# refused KEY: with both values and the way on, and nothing of the run is touched
refused() {
    unfinished refused
    cp -r "$work/refused" "$work/before"
    go 3 "$work/refused" --resume
    says "started with $1 \"$(sed -n "s/^$1,//p" "$work/whole/env.csv")\""
    says 'another --out'
    diff -r "$work/before" "$work/refused" >"$work/stdout" || fail "$1: a run that was refused is another one afterwards"
    rm -r "$work/before"
}
cp "$work/other.so" "$module"
refused code.null
cp "$work/first.so" "$module"
cp "$suite" "$work/suite"
echo '; a remark' >>"$suite"
refused suite_hash
cp "$work/suite" "$suite"
cp "$work/whole/env.csv" "$work/env"
for key in metrics_hash worker_code drift_code commit; do
    sed -i "s/^$key,.*/$key,0123/" "$work/whole/env.csv"
    refused "$key"
    cp "$work/env" "$work/whole/env.csv"
done
unfinished nameless
sed -i '/^code.null,/d' "$work/nameless/env.csv"
go 3 "$work/nameless" --resume
says 'started with code.null ""'
unfinished again
go 0 "$work/again" --resume
same "$work/whole" "$work/again" "the same build"

# Swapped while it runs, by a file that takes its name, by one that is written
# over it and by nothing, which kills the worker that has it mapped: the workers
# before it are kept, and no other runs.
for way in mv truncate; do
    dir=$work/swapped.$way
    "$solgate" run "$suite" --out="$dir" --seed="$seed" --module="$module" >"$work/stdout" 2>"$work/stderr" &
    pid=$!
    await logs sample 2 "$dir"
    cp "$work/other.so" "$work/new.so"
    kill -s STOP "$pid"
    if [ "$(sed -n 's/^state,//p' "$dir/env.csv")" = running ]; then
        case $way in
            truncate) : >"$module" ;;
            *) "$way" "$work/new.so" "$module" ;;
        esac
        kill -s CONT "$pid"
        code=0
        wait "$pid" || code=$?
        [ "$code" = 3 ] || fail "swapped by $way: exit status $code instead of 3"
        says 'started with code.null'
        grep -q '^state,running$' "$dir/env.csv" || fail "swapped by $way: called finished"
        ! grep -q ',crash,' "$dir/run.csv" || fail "swapped by $way: called a crash of the variant"
        cp "$work/other.so" "$module"
        go 3 "$dir" --resume
    else
        kill -s CONT "$pid"
        wait "$pid"
        fail "swapped by $way: the run was finished before that"
    fi
    rm -f "$module"
    cp "$work/first.so" "$module"
    go 0 "$dir" --resume
    same "$work/whole" "$dir" "swapped by $way and put back"
done

# A gate has two builds, which go by names of their own.
gate="ab $module:null/ok $work/first.so:null/slower --case=tiny --tolerance=1%"
# shellcheck disable=SC2086 # words
told 1 '' $gate --out="$work/gate"
sed -i 's/^state,finished$/state,running/' "$work/gate/env.csv"
cp "$work/other.so" "$module"
# shellcheck disable=SC2086 # words
told 3 'started with baseline_code' $gate --out="$work/gate" --resume

[ "$failures" = 0 ]
