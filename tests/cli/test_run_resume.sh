#!/bin/sh
# What is left of a run is taken up again: torn files, a disk that was full, a run
# that is finished; and what does not belong together is refused. --resume ends in the
# bytes of a run that nothing ended.
# shellcheck disable=SC2016 # a dollar of sed's
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

run 0 "$suite" --out="$work/whole" --seed="$seed"

# resumed DIR WHAT: it ends in the bytes of the whole one
resumed() {
    run 0 "$suite" --out="$1" --seed="$seed" --resume
    same "$work/whole" "$1" "$2"
}

# A log that ends in half a group, behind groups that are missing; no table was written.
cp -r "$work/whole" "$work/torn"
rm "$work/torn/run.csv" "$work/torn/samples.csv" "$work/torn/processes.csv"
forget "$work/torn" '^value,null,small,slower,status,\|,faster,count_passes,'
printf 'value,null,tiny,ok,role,,,,,,ok,baseline,,\nval' >>"$work/torn/run.log"
resumed "$work/torn" "a torn log"

sed 's/^launches.*/&\nrepeats = 2/' "$suite" >"$work/twice.suite"
run 3 "$work/twice.suite" --out="$work/torn" --resume

# A finished run has nothing left to do.
run 0 "$suite" --out="$work/torn" --resume
cmp -s "$work/whole/run.csv" "$work/torn/run.csv" || fail "resuming a finished run changed it"
grep -q '^verify:\|^time:\|^count:' "$work/stderr" && fail "resuming a finished run did something"

# Its tables are written anew from its log.
cp -r "$work/whole" "$work/changed"
sed -i '/,slower,time,/s/ns,[0-9]/ns,9/' "$work/changed/run.csv"
sed -i '$d' "$work/changed/samples.csv"
resumed "$work/changed" "changed tables"

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
# measured yet, and both ways lead on.
for way in '' --resume; do
    mkdir "$work/bare"
    : >"$work/bare/run.log"
    : >"$work/bare/env.csv.123.tmp"
    run 0 "$suite" --out="$work/bare" --seed="$seed" ${way:+"$way"}
    same "$work/whole" "$work/bare" "killed before env.csv${way:+, $way}"
    rm -r "$work/bare"
done
mkdir "$work/bare"
printf 'mine\n' >"$work/bare/run.csv"
run 4 "$suite" --out="$work/bare"
says 'is not empty (run.csv is in it)'
run 4 "$suite" --out="$work/bare" --resume
[ "$(cat "$work/bare/run.csv")" = mine ] || fail "a file that is no run's was written over"

# A line that is none is nothing to go on from; where it stands is said.
cp -r "$work/whole" "$work/broken"
sed -i '7s/^/was /' "$work/broken/run.log"
run 4 "$suite" --out="$work/broken" --seed="$seed" --resume
says "$work/broken/run.log:7: expected a message"

# Blocks and processes as many as it takes: of a noisy variant more, and --resume comes to the same
# numbers. A seed of its own: by chance a noisy variant may be settled by five processes, too.
sed 's/^processes .*/processes = auto/; s/^blocks .*/blocks = 8/; s/^tolerance .*/tolerance = 0.2%/; s/^variant .*wrong$/variant = noisy/; /^case .*small$/d' \
    "$suite" >"$work/auto.suite"
run 0 "$work/auto.suite" --out="$work/auto" --seed=1
grep -q '^processes,auto$' "$work/auto/env.csv" || fail "processes = auto: env.csv does not say so"

# made PAIR FIELD: the different values of a field of samples.csv, of
# a pair's batches on the case tiny
made() {
    awk -F, -v pair="$1" -v field="$2" '$2 == "tiny" && $3 == pair { print $field }' "$work/auto/samples.csv" | sort -u | wc -l
}
[ "$(made slower 4)" = 5 ] || fail "2 % slower takes $(made slower 4) processes at a tolerance of 0.2 %"
[ "$(made noisy 4)" -gt 5 ] || fail "a noisy variant takes $(made noisy 4) processes"
[ "$(made noisy 5)" -gt "$(made ok 5)" ] || fail "a noisy variant has $(made noisy 5) blocks, a quiet one $(made ok 5)"
[ "$(made ok 5)" -gt 8 ] || fail "at a tolerance of 0.2 % a quiet one has $(made ok 5) blocks"
[ "$(made crashes_when_timed 4)" = 0 ] || fail "batches of a variant that crashes when it is timed"
awk -F, '$4 == "time_ratio" { all++; n += $9 == 5 || $9 == 10 || $9 == 12 || $9 == 20 } END { exit !(all == 3 && n == 3) }' \
    "$work/auto/run.csv" || fail "processes = auto: not all ratios stop at a look"

# torn WHAT SED_SCRIPT: the log cut about so is taken up, and ends in the same bytes
torn() {
    cp -r "$work/auto" "$work/cut"
    sed "$2" "$work/auto/run.log" >"$work/cut/run.log"
    run 0 "$work/auto.suite" --out="$work/cut" --seed=1 --resume
    same "$work/auto" "$work/cut" "$1"
    rm -r "$work/cut"
}
last=$(grep -n '^sample,[^,]*,[^,]*,noisy,2,' "$work/auto/run.log" | tail -n 1 | cut -d: -f1)
torn "in the last block of a process" "$((last - 1)),\$d"
torn "a process without an end" '/^process,3,[0-9]*,[^,]*,2/,$d'
torn "nothing but the verification" '/^process,/,$d'
run 0 "$work/auto.suite" --out="$work/auto" --seed=1 --resume
grep -q '^verify:\|^time:\|^count:' "$work/stderr" && fail "resuming a finished run of auto did something"

# What must not be mixed is not.
refused() {
    cp -r "$work/whole" "$work/refused"
    sed -i "s/^state,finished$/state,running/; $1" "$work/refused/env.csv"
    forget "$work/refused" '^value,null,tiny,slower,status,'
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
says 'started with the whole suite, found --case=tiny --variant=slower'
grep -q '^state,running$' "$work/chosen/env.csv" || fail "another choice: called finished"
run 0 "$suite" --out="$work/chosen" --resume
same "$work/whole" "$work/chosen" "taken up with the same choice"

rm -r "$work/chosen"
run 0 "$suite" --out="$work/chosen" --seed="$seed" --variant=slower --variant=faster --metrics=quick
sed -i 's/^state,finished$/state,running/' "$work/chosen/env.csv"
run 4 "$suite" --out="$work/chosen" --resume
says 'started with --variant=faster --variant=slower, found the whole suite'
run 0 "$suite" --out="$work/chosen" --resume --variant=faster --variant=slower --variant=faster
sed -i 's/^state,finished$/state,running/' "$work/chosen/env.csv"
"$solgate" compare "$work/chosen" >"$work/stdout" 2>"$work/stderr" || true
says "solgate run $suite --variant=faster --variant=slower --metrics=quick --out=$work/chosen --resume"

[ "$failures" = 0 ]
