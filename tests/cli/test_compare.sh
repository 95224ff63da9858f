#!/bin/sh
# compare, explain and baseline on a run written by hand (tests/data/hand), changed line by line:
# exit codes, and what is printed. Verdicts of small edits, bad command lines and whole outputs are
# goldens (test_golden.sh: nights, refused, compare_*).
set -eu

# shellcheck source=tests/cli/hand_lib.sh
. "$(dirname "$0")/hand_lib.sh"

# Ratios of the fixture: tiled 0.9, wide 1, reverted 1.2 (accepted as slow), library 0.85.

run clean
expect "a clean run is 0" 0 "2 unresolved, 8 within" compare "$run"
[ "$(wc -l <"$scratch/out")" -le 20 ] || fail "a green night takes more than 20 lines"
expect "and says of what was tried why it is slower, where all is asked for" 0 "slower than its baseline, as accepted" compare "$run" --verbose
expect "the run.csv stands for its folder" 0 "2 unresolved, 8 within" compare "$run/run.csv"
expect "a baseline may be named" 0 "2 unresolved, 8 within" compare "$run" "$hand/baselines/hand.csv"
expect "which was accepted" 0 "hand.csv (accepted 2024-06-01)" compare "$run" "$hand/baselines/hand.csv"
expect "another run may stand for accepted numbers" 0 "hand/clean (run of 2024-06-01)" compare "$run" "$hand/clean"
expect "another run may be the baseline" 0 "within" compare "$run" "$hand/clean"
grep -q 'of the suite' "$scratch/out" && fail "of one suite there is no word of suites"

run of_foot
edit "$run/env.csv" 's/^suite,hand$/suite,foot/'
for format in text markdown; do
  expect "$format: accepted numbers of another suite are named as such" 0 "that is of the suite hand, this run of foot" \
    compare "$run" "$hand/baselines/hand.csv" --format=$format
done
expect "another run of another suite, too" 0 "that is of the suite foot, this run of hand" compare "$hand/clean" "$run"

run slow
edit "$run/run.csv" 's/^hand,large,wide,time_ratio,1,1,0.99[^,]*,1.00[^,]*/hand,large,wide,time_ratio,1,1.04,1.0388,1.0412/'
expect "a candidate that is 4 % slower is 1" 1 "regressed" compare "$run"
expect "inconclusive=pass does not let it pass" 1 "regressed" compare "$run" --inconclusive=pass
expect "what was tried and is slower is counted beside it" 1 "2 rows slower than their baseline variant" compare "$run"
expect "and explained where that is asked for" 1 "slower than its baseline, as accepted" compare "$run" --explain
expect "all rows are in the other formats as they are" 4 "--verbose is for --format=text" compare "$run" --verbose --format=csv

# ---- some items

expect "one case" 0 "1 unresolved, 4 within, of the items --case='l*', against" compare "$hand/clean" --case='l*'
expect "one variant, with the baseline of its cases" 0 "2 unresolved, 2 within, of the items --variant=tiled, against" compare "$hand/clean" --variant=tiled
expect "CSV of a part says so beside it" 0 "only the items --variant=tiled are judged" compare "$hand/clean" --variant=tiled --format=csv
expect "JUnit in it" 0 '<property name="selection" value="--variant=tiled"/>' compare "$hand/clean" --variant=tiled --format=junit
expect "what nothing matches is an error" 4 "no case of the run is called t*; known: large, small" compare "$hand/clean" --case='t*'

for format in text markdown junit; do
  expect "$format: where no time is decided nothing is green" 3 "none of its times could be decided" compare "$hand/clean" \
    --variant=base --format=$format
done
expect "JUnit has an error where nothing can be compared" 3 'errors="1"' compare "$tree/tests/data/b200/grouped_fastest" "$file" --format=junit

run slow_baseline
edit "$run/run.csv" 's/^hand,large,base,time,ns,120000,[^,]*,[^,]*/hand,large,base,time,ns,126000,125300,126700/'
expect "a baseline variant that is 5 % slower at the same clock is 1" 1 "at the same clock" compare "$run"

run slow_clock
edit "$run/run.csv" 's/^hand,large,base,time,ns,120000,[^,]*,[^,]*/hand,large,base,time,ns,126000,125300,126700/
s/^hand,large,base,sm_clock,Hz,1.755e+09/hand,large,base,sm_clock,Hz,1.671429e+09/'
expect "5 % slower because its clock was 5 % slower is no regression" 0 "within" compare "$run" --inconclusive=pass

run noisy
edit "$run/run.csv" 's/^hand,large,wide,time_ratio,1,1,0.99[^,]*,1.00[^,]*/hand,large,wide,time_ratio,1,1.004,0.99,1.018/'
expect "a wide interval is 2" 2 "inconclusive" compare "$run"
expect "unless it may pass" 0 "inconclusive" compare "$run" --inconclusive=pass

run broken
edit "$run/run.csv" 's/^hand,small,tiled,status,,,,,,ok,/hand,small,tiled,status,,,,,,wrong,"y[12,7]: 24.01, reference 0.5"/
/^hand,small,tiled,time/d
s/^hand,large,wide,time_ratio,1,1,0.99[^,]*,1.00[^,]*/hand,large,wide,time_ratio,1,1.04,1.0388,1.0412/'
expect "broken comes before regressed" 5 "regressed" compare "$run"

run fixed
edit "$run/run.csv" 's/^hand,small,zeros,status,,,,,,wrong,.*/hand,small,zeros,status,,,,,,ok,/'
expect "a variant that passes though its source says that it fails is 5" 5 "declares expect = wrong, but passes" compare "$run"
edit "$run/run.csv" '/^hand,small,zeros,expect,/d'
expect "once its source declares it right it is fixed" 3 "accepted as wrong, now correct" compare "$run"
expect "and has no accepted time yet" 3 "hand/small zeros time_ratio not_measured verified, but this run has no time_ratio" compare "$run"

run counters
edit "$run/run.csv" 's/^hand,large,tiled,registers,register,64/hand,large,tiled,registers,register,72/'
expect "a counter that differs explains and does not gate" 0 "1 differ" compare "$run"
cp "$hand/baselines/hand.csv" "$scratch/hand.csv"
edit "$scratch/hand.csv" '/^h200,hand,large,tiled,registers/s/,no,/,yes,/'
expect "numbers that were changed by hand are 3" 3 "solgate accepted seal $scratch/hand.csv" compare "$run" "$scratch/hand.csv"
seal "$scratch/hand.csv"
expect "unless its accepted row says that it gates" 1 "gate = yes" compare "$run" "$scratch/hand.csv"

run together
edit "$run/run.csv" 's/^hand,large,tiled,time_ratio,1,0.9,[^,]*,[^,]*/hand,large,tiled,time_ratio,1,0.927,0.926,0.928/
s/^hand,large,wide,time_ratio,1,1,[^,]*,[^,]*/hand,large,wide,time_ratio,1,1.03,1.029,1.031/
s/^hand,large,reverted,time_ratio,1,1.2,[^,]*,[^,]*/hand,large,reverted,time_ratio,1,1.236,1.235,1.237/
s/^hand,large,library,time_ratio,1,0.85,[^,]*,[^,]*/hand,large,library,time_ratio,1,0.8755,0.8745,0.8765/'
expect "candidates that move together point at their baseline" 1 "its baseline variant changed" compare "$run"

# ---- what must not be compared

run gpu
edit "$run/env.csv" 's/^gpu,h200/gpu,b200/'
expect "a GPU without accepted numbers is 3, and says what to do" 3 "solgate accept" compare "$run"
expect "and which file it looked for" 3 "baselines/hand.csv: no accepted numbers of b200 yet" compare "$run"

run driver
edit "$run/env.csv" 's/^driver,580.159.04/driver,580.82.07/'
expect "the same driver branch is comparable" 0 "within" compare "$run"

run damaged
edit "$run/run.csv" '5s/$/,one more/'
expect "accepted numbers that were named and are not there are 4" 4 "$scratch/none.csv: expected a file of accepted numbers, the folder of a run" \
  compare "$hand/clean" "$scratch/none.csv"
expect "damaged ones are 4 too" 4 "run.csv:5" compare "$hand/clean" "$run"
run gpu_name
edit "$run/env.csv" 's/^gpu,h200/gpu,..\/etc/'
expect "a GPU's key that is none is 4" 4 "gpu: expected a name of [a-z0-9_], found '../etc'" compare "$run"

# ---- explain
expect "what to type for ncu" 0 "--pass=launch --seed=" explain "$hand/clean" hand/large/tiled --ncu
expect "and for compute-sanitizer" 0 "compute-sanitizer --tool memcheck " explain "$hand/clean" hand/large/tiled --ncu
expect "and where the module is" 0 "libsg_hand.so --item=hand/large/tiled 3>/dev/null" explain "$hand/clean" hand/large/tiled --ncu

expect "counters that moved" 0 "registers" explain "$hand/clean" hand/large base tiled
expect "and the change of time" 0 "-10.0 %" explain "$hand/clean" hand/large base tiled
expect "two candidates are compared through their ratios to the baseline" 0 "time -25.0 %, each relative to base in its own run" \
  explain "$hand/clean" hand/large reverted tiled
expect "and so is a baseline against its candidate" 0 "time +11.1 %, each relative to base in its own run" explain "$hand/clean" hand/large tiled base
expect "what is wrong is said, with what is wrong about it" 0 "hand/small/tiled: wrong: y[12,7]: 24.01, reference 0.5" \
  explain "$scratch/broken" hand/small base tiled
expect "and its counters explain nothing" 0 "explain nothing" explain "$scratch/broken" hand/small base tiled
if grep -q ' -> \|counter  ' "$scratch/out"; then fail "counters of a wrong variant are shown"; fi
expect "on either side" 0 "hand/small/tiled: wrong" explain "$scratch/broken" hand/small tiled base
cp -R "$hand/clean" "$scratch/told"
printf '%s\n' 'hand,large,base,map_updates,1,17,,,,ok,of tensor maps' 'hand,large,tiled,map_updates,1,3,,,,ok,of tensor maps' \
  'hand,large,tiled,ring_bytes,B,2048,,,,ok,' 'hand,large,tiled,error_bits,1,3,,,,ok,' 'hand,small,tiled,of_another_case,1,1,,,,ok,' \
  'hand,large,tiled,kernels,1,2,,,1,ok,splitk; reduce' 'hand,large,base,kernels,1,,,,1,unavailable,nobody saw it' >>"$scratch/told/run.csv"
expect "facts of a family's own names are shown" 0 "ring_bytes" explain "$scratch/told" hand/large base tiled
tr -s ' ' <"$scratch/out" | grep -q '^map_updates 17.* 3.* of tensor maps$' || fail "a fact of both sides: its values and what it is"
tr -s ' ' <"$scratch/out" | grep -q '^ring_bytes - 2,048 B' || fail "a fact of one side"
grep -q '^tiled launches splitk; reduce$' "$scratch/out" || fail "the kernels of a launch"
if grep -q 'nobody saw' "$scratch/out"; then fail "kernels that are not known are named"; fi
grep -q '^error_bits ' "$scratch/out" || fail "one that is called like what verifying says"
if grep -q 'of_another_case\|work_flop' "$scratch/out"; then fail "what is no fact of these two is shown"; fi
expect "nothing moved" 0 "no counter moved" explain "$hand/clean" hand/large base base
# ---- baselines

expect "the baselines there are" 0 "baselines/hand.csv" accepted show
expect "one of them" 0 " slower" accepted show h200/hand
cp "$file" "$scratch/accepted.csv"
sed -i '/,time,ns,/s/ns,[0-9]/ns,9/' "$file"
expect "one that was changed is shown with a warning" 3 "warning: changed after it was accepted" accepted show h200/hand
expect "its numbers, too" 3 " slower" accepted show h200/hand
expect "and the way on" 3 "solgate accepted seal" accepted show h200/hand
cp "$scratch/accepted.csv" "$file"
expect "accepting the same again changes nothing" 0 "0 rows new, 0 changed, 0 gone, 0 worse" accept "$hand/clean"
cp "$file" "$scratch/accepted.csv"

expect "slower needs a reason" 4 "--reason" accept "$scratch/slow"
expect "and says what is slower" 4 "hand/large/wide time_ratio: 1 -> 1.04" accept "$scratch/slow"
cmp -s "$file" "$scratch/accepted.csv" || fail "what is refused is not written"
expect "a dry run writes nothing" 0 "nothing written" accept "$scratch/slow" --dry-run --reason=tiles
cmp -s "$file" "$scratch/accepted.csv" || fail "a dry run writes nothing"
expect "with a reason it is taken" 0 "1 worse" accept "$scratch/slow" --reason="larger tiles"
grep -q '^h200,hand,large,wide,time_ratio,.*,regressed,larger tiles,' "$file" || fail "the reason stands in the row"
expect "and then it is quiet" 0 "within" compare "$scratch/slow"
expect "and faster is news" 0 "fixed" compare "$hand/clean"
cp -R "$scratch/broken" "$scratch/declared_broken"
echo 'hand,small,tiled,expect,,,,,,wrong,' >>"$scratch/declared_broken/run.csv"
expect "one whose source declares it now needs a reason" 4 "ok -> wrong" accept "$scratch/declared_broken"
run third
edit "$run/run.csv" "s/^hand,small,wide,sm_clock,Hz,1.755e+09/hand,small,wide,sm_clock,Hz,1.7551e+09/"
expect "several runs tell how days differ" 0 "worse" accept "$hand/clean" "$scratch/slow" "$run" --reason="three days"
awk -F, '$4 == "wide" && $5 == "time_ratio" && $3 == "large" { exit !($18 > 0.02 && $18 < 0.03) }' "$file" || fail "sd_day of the three runs"
run other_suite
edit "$run/env.csv" 's/^suite,hand/suite,smoke/'
expect "another suite's run does not go into this file" 3 "suite is 'smoke' in the run, 'hand'" accept "$run" --out="$file" --reason=no
run without_batches
rm "$run/samples.csv"
expect "a run without its batches is not accepted" 4 "$run/samples.csv: the batches of the run are missing" accept "$run"
expect "and it is said how to get them" 4 "copy the whole folder" accept "$run"
expect "but compared" 0 "within" compare "$run" --inconclusive=pass
expect "another GPU has rows of its own" 0 "rows new" accept "$scratch/gpu"
expect "and the first ones stay" 0 "within" compare "$hand/clean" --inconclusive=pass
expect "and compare finds it" 0 "within" compare "$scratch/gpu"

# A tally of A/A pairs of a GPU is no accepted numbers.
mkdir "$SOLGATE_HOME/baselines/h200"
echo "date,seed,gpu,gpu_name,driver,family,case,variant,tolerance,processes,change,low,high,verdict" >"$SOLGATE_HOME/baselines/h200/aa.csv"
# ---- numbers of one GPU before those of its model

run of_a1
echo 'gpu_uuid_hash,a1' >>"$run/env.csv"
run of_b2
edit "$run/run.csv" "s/^hand,small,wide,sm_clock,Hz,1.755e+09/hand,small,wide,sm_clock,Hz,1.7551e+09/"
echo 'gpu_uuid_hash,b2' >>"$run/env.csv"
expect "without its own numbers, those of the model" 0 "against $file" compare "$scratch/of_a1" --inconclusive=pass
expect "the numbers of a GPU have rows of their own" 0 "baselines/hand.csv: " accept "$scratch/of_a1" --unit
expect "and come before those of the model" 0 "against $file of GPU a1" compare "$scratch/of_a1"
expect "in a report too" 0 "index.html" report "$scratch/of_a1" --tables-only --out="$scratch/report"
grep -q "hand.csv of GPU a1" "$scratch/report/report.md" || fail "the report says which numbers it used"
expect "on that GPU alone" 0 "against $file (" compare "$scratch/of_b2" --inconclusive=pass
expect "in a file that is named, too" 0 "against $file of GPU a1" compare "$scratch/of_a1" "$file" --inconclusive=pass
own=$scratch/own.csv
expect "a file with one GPU's alone" 0 "rows new" accept "$scratch/of_a1" --unit --out="$own"
seal "$scratch/of_a1"
seal "$scratch/of_b2"
expect "numbers of the run itself" 0 "of this very run" compare "$scratch/of_a1" "$own"
cp -r "$scratch/of_a1" "$scratch/of_that_second"
edit "$scratch/of_that_second/run.csv" 's/^hand,large,wide,time_ratio,1,1,/hand,large,wide,time_ratio,1,1.0001,/'
seal "$scratch/of_that_second"
expect "another run of that second" 0 "against $own" compare "$scratch/of_that_second" "$own" --inconclusive=pass
grep -q 'of this very run' "$scratch/out" && fail "another run that began in the same second is another run"
expect "another GPU of that second" 0 "against $own" compare "$scratch/of_b2" "$own" --inconclusive=pass
grep -q 'of this very run' "$scratch/out" && fail "a run of another GPU that began in the same second is another run"
expect "two GPUs are not one" 4 "expected runs of one GPU, found a1" accept "$scratch/of_a1" "$scratch/of_b2" --unit
expect "a fleet's numbers" 0 "rows new" accept "$scratch/of_a1" "$scratch/of_b2" --out="$scratch/fleet.csv"
expect "do not become one GPU's unsaid" 0 "numbers of 2 GPUs become numbers of 1" accept "$scratch/of_a1" --dry-run \
  --out="$scratch/fleet.csv"
expect "a GPU without a name has no rows" 4 "gpu_uuid_hash: expected a name of [a-z0-9_]" accept "$hand/clean" --unit
expect "they are shown" 0 "a1 accepted_units a1" accepted show a1/hand
expect "they stand in their place" 0 "good $file of a1" accepted verify --max-age=36500d --driver=580.1
edit "$own" 's/^a1,/b2,/'
seal "$own"
expect "as another GPU's they are malformed" 4 "found rows of 'b2'" accepted verify "$own" --max-age=36500d --driver=580.1

expect "all are good" 0 "0 malformed, 0 stale" accepted verify --max-age=36500d --driver=580.1
[ "$failures" = 0 ] || { echo "$failures failed" && exit 1; }
