#!/bin/sh
# What is left of a run is taken up again: torn files, a disk that was full, a run
# that is finished; and what does not belong together is refused. --resume ends in the
# bytes of a run that nothing ended.
# shellcheck disable=SC2016 # a dollar of sed's
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

run 0 "$suite" --out="$work/whole" --seed="$seed"

# Torn files: half a batch, half a line, half a process's batches.
cp -r "$work/whole" "$work/torn"
grep -v ',small,slower,status,\|,small,faster,count_passes,' "$work/whole/run.csv" >"$work/torn/run.csv"
printf 'null,tiny,slower,role,,,' >>"$work/torn/run.csv"
sed '50,53d' "$work/whole/samples.csv" >"$work/torn/samples.csv"
printf 'null,tiny,fas' >>"$work/torn/samples.csv"
sed -i 's/^state,finished$/state,running/' "$work/torn/env.csv"
run 0 "$suite" --out="$work/torn" --seed="$seed" --resume
cmp -s "$work/whole/run.csv" "$work/torn/run.csv" || fail "torn files: run.csv differs"
sort "$work/whole/samples.csv" >"$work/sorted"
sort "$work/torn/samples.csv" | cmp -s - "$work/sorted" || fail "torn files: samples.csv has other batches"

sed -i 's/^state,finished$/state,running/' "$work/torn/env.csv"
sed 's/^launches.*/&\nrepeats = 2/' "$suite" >"$work/twice.suite"
run 3 "$work/twice.suite" --out="$work/torn" --resume
sed -i 's/^state,running$/state,finished/' "$work/torn/env.csv"

# A finished run has nothing left to do.
run 0 "$suite" --out="$work/torn" --resume
cmp -s "$work/whole/run.csv" "$work/torn/run.csv" || fail "resuming a finished run changed it"
grep -q '^verify:\|^time:\|^count:' "$work/stderr" && fail "resuming a finished run did something"

# Nor has one whose files were changed since: it is refused as it is, and every byte of it stays.
# changed SENTENCE CODE FILE SCRIPT TEXT: a file of the finished run is
# changed, and stderr says what is wrong
changed()
{
    rm -rf "$work/changed" "$work/as_changed"
    cp -r "$work/whole" "$work/changed"
    sed -i "$4" "$work/changed/$3"
    cmp -s "$work/whole/$3" "$work/changed/$3" && fail "$1: nothing was changed"
    cp -r "$work/changed" "$work/as_changed"
    run "$2" "$suite" --out="$work/changed" --seed="$seed" --resume
    says "$5"
    diff -r "$work/changed" "$work/as_changed" >"$work/stdout" || fail "$1: --resume changes the folder: $(head -3 "$work/stdout")"
}
changed "a time" 3 run.csv '/,slower,time,/s/ns,[0-9]/ns,9/' "run.csv or env.csv was changed after the run had ended"
changed "the seed" 3 env.csv 's/^seed,.*/seed,1/' "run.csv or env.csv was changed after the run had ended"
run 0 "$suite" --out="$work/whole" --seed="$seed" --resume

# A disk that fills up: what was whole is kept.
code=0
(
    ulimit -f 12
    exec "$solgate" run "$suite" --out="$work/disk" --seed="$seed"
) >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 3 ] || fail "a full disk: exit status $code instead of 3"
gone "a full disk"
run 0 "$suite" --out="$work/disk" --seed="$seed" --resume
same "$work/whole" "$work/disk" "a full disk"

# Killed after its files were made and before env.csv said what they are of: nothing was
# measured yet, and it goes on.
mkdir "$work/bare"
head -n 1 "$work/whole/run.csv" >"$work/bare/run.csv"
printf '%s' "$(head -c 3 "$work/whole/samples.csv")" >"$work/bare/samples.csv"
: >"$work/bare/env.csv.123.tmp"
run 0 "$suite" --out="$work/bare" --seed="$seed" --resume
same "$work/whole" "$work/bare" "killed before env.csv"
rm -r "$work/bare"
mkdir "$work/bare"
printf 'mine\n' >"$work/bare/run.csv"
run 4 "$suite" --out="$work/bare"
says 'is not empty (run.csv is in it)'
run 4 "$suite" --out="$work/bare" --resume
[ "$(cat "$work/bare/run.csv")" = mine ] || fail "a file that is no run's was written over"

# A row or a batch that is there twice is nothing to go on from; where it stands is said.
doubled()
{
    cp -r "$work/whole" "$work/doubled"
    sed -i 's/^state,finished$/state,running/' "$work/doubled/env.csv"
    tail -n 1 "$work/whole/$1" >>"$work/doubled/$1"
    run 4 "$suite" --out="$work/doubled" --seed="$seed" --resume
    says "$work/doubled/$1:"
    says 'once'
    rm -r "$work/doubled"
}
doubled run.csv
doubled samples.csv

# Blocks and processes as many as it takes: of a noisy variant more, and --resume comes to the same
# numbers. A seed of its own: by chance a noisy variant may be settled by five processes, too.
sed 's/^processes .*/processes = auto/; s/^blocks .*/blocks = 8/; s/^tolerance .*/tolerance = 0.2%/; s/^variant .*wrong$/variant = noisy/' \
    "$suite" >"$work/auto.suite"
run 0 "$work/auto.suite" --out="$work/auto" --seed=1
grep -q '^processes,auto$' "$work/auto/env.csv" || fail "processes = auto: env.csv does not say so"

# made PAIR FIELD: the different values of a field of samples.csv, of
# a pair's batches on the case tiny
made()
{
    awk -F, -v pair="$1" -v field="$2" '$2 == "tiny" && $3 == pair { print $field }' "$work/auto/samples.csv" | sort -u | wc -l
}
[ "$(made slower 4)" = 5 ] || fail "2 % slower takes $(made slower 4) processes at a tolerance of 0.2 %"
[ "$(made noisy 4)" -gt 5 ] || fail "a noisy variant takes $(made noisy 4) processes"
[ "$(made noisy 5)" -gt "$(made ok 5)" ] || fail "a noisy variant has $(made noisy 5) blocks, a quiet one $(made ok 5)"
[ "$(made ok 5)" -gt 8 ] || fail "at a tolerance of 0.2 % a quiet one has $(made ok 5) blocks"
[ "$(made crashes_when_timed 4)" = 0 ] || fail "batches of a variant that crashes when it is timed"
awk -F, '$4 == "time_ratio" { all++; n += $9 == 5 || $9 == 10 || $9 == 12 || $9 == 20 } END { exit !(all == 6 && n == 6) }' \
    "$work/auto/run.csv" || fail "processes = auto: not all ratios stop at a look"

sort "$work/auto/samples.csv" >"$work/sorted"
# torn WHAT SED_SCRIPT: samples.csv cut about so is taken up, and ends in the same rows and batches
torn()
{
    cp -r "$work/auto" "$work/torn"
    sed "$2" "$work/auto/samples.csv" >"$work/torn/samples.csv"
    sed -i 's/^state,finished$/state,running/' "$work/torn/env.csv"
    run 0 "$work/auto.suite" --out="$work/torn" --seed=1 --resume
    cmp -s "$work/auto/run.csv" "$work/torn/run.csv" || fail "$1: run.csv differs"
    sort "$work/torn/samples.csv" | cmp -s - "$work/sorted" || fail "$1: samples.csv has other batches"
    rm -r "$work/torn"
}
rm -r "$work/torn"
last=$(grep -n '^null,tiny,noisy,2,' "$work/auto/samples.csv" | tail -n 1 | cut -d: -f1)
torn "the last block of a process" "$((last - 3)),${last}d"
torn "a process with 8 blocks of many" "/^null,tiny,noisy,3,[89],/d; /^null,tiny,noisy,3,[0-9][0-9]/d"
torn "every process but the first" '/^[^,]*,[^,]*,[^,]*,[1-9]/d'
run 0 "$work/auto.suite" --out="$work/auto" --seed=1 --resume
grep -q '^verify:\|^time:\|^count:' "$work/stderr" && fail "resuming a finished run of auto did something"

# What must not be mixed is not.
refused()
{
    cp -r "$work/whole" "$work/refused"
    sed -i "s/^state,finished$/state,running/; $1" "$work/refused/env.csv"
    grep -v ',tiny,slower,status,' "$work/whole/run.csv" >"$work/refused/run.csv"
    run 3 "$suite" --out="$work/refused" --resume ${2:+"$2"}
    shift 2
    for word in "$@"; do
        says "$word"
    done
    rm -r "$work/refused"
}
refused 's/^x$/x/' "--seed=7" "seed \"$seed\"" '"7"'
refused 's/^gpu_name,.*/gpu_name,NVIDIA H200/' '' 'gpu_name "NVIDIA H200"' '"null"'
refused 's/^tolerance.null,.*/tolerance.null,0.01/' '' 'tolerance.null "0.01"' '"0.005"'

# A run that no command could read when it is done does not go on.
for value in date,yesterday l2_bytes,inf; do
    cp -r "$work/whole" "$work/refused"
    sed -i "/^${value%,*},/d; s/^state,finished$/state,running/" "$work/refused/env.csv"
    echo "$value" >>"$work/refused/env.csv"
    run 4 "$suite" --out="$work/refused" --resume
    says "$work/refused/env.csv:$(wc -l <"$work/refused/env.csv"): ${value%,*}: expected"
    rm -r "$work/refused"
done

# Another choice of what to run does not go on: its end would be called the end of the whole.
cp -r "$work/whole" "$work/chosen"
sed -i 's/^state,finished$/state,running/' "$work/chosen/env.csv"
run 4 "$suite" --out="$work/chosen" --resume --variant=slower --case=tiny
says 'begun with everything of its suite, and cannot go on with --case=tiny --variant=slower'
grep -q '^state,running$' "$work/chosen/env.csv" || fail "another choice: called finished"
run 0 "$suite" --out="$work/chosen" --resume
same "$work/whole" "$work/chosen" "taken up with the same choice"

rm -r "$work/chosen"
run 0 "$suite" --out="$work/chosen" --seed="$seed" --variant=slower --variant=faster --metrics=quick
sed -i 's/^state,finished$/state,running/' "$work/chosen/env.csv"
run 4 "$suite" --out="$work/chosen" --resume
says 'begun with --variant=faster --variant=slower, and cannot go on with everything of its suite'
run 0 "$suite" --out="$work/chosen" --resume --variant=faster --variant=slower --variant=faster
sed -i 's/^state,finished$/state,running/' "$work/chosen/env.csv"
"$solgate" compare "$work/chosen" >"$work/stdout" 2>"$work/stderr" || true
says "solgate run $suite --variant=faster --variant=slower --metrics=quick --out=$work/chosen --resume"

[ "$failures" = 0 ]
