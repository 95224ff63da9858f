#!/bin/sh
# A sweep on the simulated GPU, where the best of 24 configurations is known, and the fastest ones
# are broken: wrong, a crash, a hang, a crash when timed, a refusal. Each costs itself; what is best
# is confirmed by processes that did not choose it, and --config takes what was written.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
printf '%s\n' '[suite]' 'title = knobs' 'processes = auto' 'deadline = 1s' '[null]' 'case = tiny' 'case = small' 'variant = tuned' 'variant = slower' \
    >"$work/knobs.suite"
cd "$work"
seed=11 # the same for all: one seed in a hundred takes the own choice of `small`, which is the best there is, for slower than itself

# of STAGE CASE NUMBER METRIC: the row of a configuration in a stage, as value low high n status
# message
of() {
    grep "^null,$2,tuned_c0$3,$4," "S/null/tuned/$1/run.csv" | cut -d, -f6-11 | tr , ' '
}

run 0 ./knobs.suite --sweep=null/tuned --out=S --seed="$seed"
[ "$(grep -c '^null,.*,status,' S/null/tuned/choose/run.csv)" = 50 ] || fail "expected 24 configurations and a default in each of two cases"
for row in 'wrong:19' 'crash:20' 'hang:21' 'crash:22' 'wrong:23' 'unsupported:24'; do
    for case in tiny small; do
        [ "$(of choose "$case" "${row#*:}" status | cut -d' ' -f5)" = "${row%:*}" ] || fail "$case, configuration ${row#*:} is not ${row%:*}"
    done
done
of choose tiny 22 status | grep -q 'while timed' || fail "a crash while timed is not told as one"
[ "$(of choose tiny 15 time_ratio)" != "$(of confirm tiny 15 time_ratio)" ] || fail "the margin is that of the choosing"
of confirm tiny 15 time_ratio | awk '{ exit !($2 < 0.95 && 0.95 < $3 && $1 > $2 && $1 < $3 && $4 >= 5) }' ||
    fail "the margin is not the known one: $(of confirm tiny 15 time_ratio)"
[ "$(grep -c '  best$' stdout)" = 1 ] || fail "expected one best, that of tiny"
prints 'null/tiny/tuned: 24 configurations, 18 ok, 2 wrong, 2 crash, 1 hang, 1 unsupported'
prints ' 1 width=4 depth=3 0.9'
prints 'best: width=4 depth=3 0.9'
prints 'null/small/tuned: 24 configurations'
prints 'keep the default'
prints 'Next: solgate run ./knobs.suite --config=S/null.config'

cp stdout whole
grep -v '^; on ' S/null.config >whole.config
run 0 ./knobs.suite --sweep=null/tuned --out=S --seed="$seed" --resume
cmp -s stdout whole || fail "taken up when it was finished, it came out otherwise"

# What it wrote is a file of knobs, with its margin beside it.
grep -qx '\[null/tuned\]' S/null.config || fail "no section of the variant"
[ "$(grep -v '^;' S/null.config | sed 1d)" = 'tiny = width=4 depth=3' ] || fail "another line than that of tiny's best: $(cat S/null.config)"
grep -q '^; 0\.9[0-9]*x \[0\.9[0-9]*, 0\.9[0-9]*\] of the default, by [0-9]* processes that took no part in choosing$' S/null.config ||
    fail "no margin with its interval"
run 0 ./knobs.suite --config=S/null.config --out=configured --variant=tuned --seed="$seed"
grep -q '^null,tiny,tuned,knob_width,1,4,' configured/run.csv || fail "what was written is not what is run"
grep -q '^null,small,tuned,knob_width,1,0,' configured/run.csv || fail "small was set"

# Killed half way and taken up without its seed, as it is told to be typed, it comes out the same.
rm -r S/null/tuned/confirm S/null.config
mkdir S/null/tuned/confirm # of a kill before env.csv was there
: >S/null/tuned/confirm/run.log
sed -i 's/^state,finished$/state,running/' S/null/tuned/choose/env.csv
sed -i '400,$d' S/null/tuned/choose/run.log
run 0 ./knobs.suite --sweep=null/tuned --out=S --resume
cmp -s stdout whole || fail "killed half way, it came out otherwise"
grep -v '^; on ' S/null.config | cmp -s - whole.config || fail "killed half way, it writes other knobs"
run 4 ./knobs.suite --sweep=null/tuned --out=S --seed="$seed"
says 'S: the folder is not empty'

# Stopped, and out of room (a file may not grow): what was measured is kept, and the command that is
# printed goes on.
env --default-signal=INT "$solgate" run ./knobs.suite --sweep=null/tuned --case=tiny --out=stopped --seed="$seed" >stdout 2>stderr &
pid=$!
while [ ! -s stopped/null/tuned/choose/run.log ] && kill -0 "$pid" 2>/dev/null; do
    sleep 0.1
done
kill -s INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 130 ] || fail "stopped: exit status $code instead of 130"
says 'results are kept, resume with: solgate run ./knobs.suite --case=tiny --sweep=null/tuned --out=stopped --resume'
code=0
(ulimit -f 20 && exec "$solgate" run ./knobs.suite --sweep=null/tuned --case=tiny --out=stopped --resume) >stdout 2>stderr || code=$?
[ "$code" = 3 ] || fail "without room: exit status $code instead of 3"
says 'cannot be written: File too large'
says '--out=stopped --resume'
run 0 ./knobs.suite --case=tiny --sweep=null/tuned --out=stopped --resume
grep '^best: ' stdout >best
grep '^best: ' whole | cmp -s - best || fail "stopped twice, it came out otherwise"

# Folders that are no sweep's: nothing is begun in them, and nothing is said to be kept.
mkdir other
echo mine >other/file
told 4 'other: the folder is not empty (file is in it)' run ./knobs.suite --sweep --out=other
told 4 'other: expected the folder of an unfinished sweep' run ./knobs.suite --sweep --out=other --resume
[ "$(ls other)" = file ] || fail "a folder of something else got a sweep"
told 4 'nowhere: expected the folder of an unfinished sweep, found none' run ./knobs.suite --sweep --out=nowhere --resume
told 4 'other/file: cannot be read as a folder' run ./knobs.suite --sweep --out=other/file
told 3 'this folder cannot be created' run ./knobs.suite --sweep --out=/proc/nowhere
grep -q 'results are kept' "$work/stderr" && fail "nothing was found out, and is said to be kept"

# Without a name every variant that has knobs is swept. A confirmation that may not be believed
# stays one until it is measured again, and it says how; what to do next holds for the same modules.
module=$(cd "$(dirname "$solgate")" && pwd)/libsg_null.so
code=0
SOLGATE_NULL_TROUBLE='*:hw_thermal' "$solgate" run ./knobs.suite --sweep --case=tiny --out=hot --seed="$seed" --module="$module" \
    >stdout 2>stderr || code=$?
[ "$code" = 3 ] || fail "a sweep on a hot GPU: exit status $code instead of 3"
says 'hot/null/tuned/confirm: 5 processes cannot be kept'
says 'remove its folder, and --resume measures this stage again'
rm -r hot/null/tuned/confirm
run 0 ./knobs.suite --sweep --case=tiny --out=hot --seed="$seed" --module="$module" --resume
prints "Next: solgate run ./knobs.suite --module=$module --config=hot/null.config"
[ "$(grep -c '^null,.*,status,' hot/null/tuned/choose/run.csv)" = 25 ] || fail "--case=tiny: expected 24 configurations and a default"

# What makes no sense is refused before anything runs.
told 4 'expected a variant of this run that has knobs, found null/slower; it has: null/tuned' run ./knobs.suite --sweep=null/slower --out=x
told 4 'found null/tun; it has: null/tuned' run ./knobs.suite --sweep=null/tun --out=x
told 4 '--config cannot go with --sweep' run ./knobs.suite --sweep --config=S/null.config --out=x
told 4 '--metrics cannot go with --sweep' run ./knobs.suite --sweep --metrics=stall --out=x
told 4 'found none; it has: none' run ./knobs.suite --sweep --variant=slower --out=x
[ ! -e x ] || fail "a sweep that was refused left a folder"
if [ -e "$(dirname "$solgate")/libsg_matvec.so" ] && [ ! -e /dev/nvidiactl ]; then
    told 77 'no NVIDIA driver' run matvec --sweep --case=r1_c1048576_f32 --out=x
    [ ! -e x ] || fail "a sweep without its GPU left a folder"
fi

# A stage is no run to accept; what can be done with it is printed, and can be done.
stage=S/null/tuned/confirm
told 4 'a stage of a sweep' accept $stage
told 3 "the stage confirm of a sweep has no accepted numbers: \`solgate compare $stage $stage --explain\`" compare $stage
says 'solgate run SUITE --config=FILE'
grep -q 'solgate accept ' "$work/stdout" "$work/stderr" && fail "compare of a stage offers to accept it"
"$solgate" compare $stage $stage --explain >"$work/stdout" 2>"$work/stderr" || fail "what it offers ends with $?"
[ "$failures" = 0 ]
