#!/bin/sh
# Whatever is broken, missing or not measured is never green: the run written by hand and
# its accepted numbers, changed in one place each, with the exit code of compare. Each
# change three times: as a hand edit, which is not sealed and is 3 whatever it says;
# without a digest; and vouched for.
# shellcheck disable=SC2016 # a dollar of sed's
set -eu
# shellcheck source=tests/cli/hand_lib.sh
. "$(dirname "$0")/hand_lib.sh"

cp -R "$hand/clean" "$scratch/sealed"
seal "$scratch/sealed"

# night SENTENCE CODE WORD RUN.CSV-SCRIPT [ENV.CSV-SCRIPT]: the clean run, changed. An
# ENV.CSV-SCRIPT of - takes the place of no RUN.CSV-SCRIPT.
night() {
  run=$scratch/night
  rm -rf "$run"
  cp -R "$scratch/sealed" "$run"
  [ -z "$4" ] || edit "$run/run.csv" "$4"
  [ -z "${5:-}" ] || edit "$run/env.csv" "$5"
  expect "$1, and not vouched for" 3 "was changed after the run had ended" compare "$run" "$against"
  edit "$run/env.csv" '/^digest/d'
  expect "$1" "$2" "$3" compare "$run" "$against"
  [ "$2" = 4 ] || seal "$run"
  expect "$1, and vouched for" "$2" "$3" compare "$run" "$against"
}

# numbers SENTENCE CODE WORD RUN SCRIPT: what was accepted, changed, against a run.
numbers() {
  changed=$scratch/changed.csv
  cp "$hand/baselines/hand.csv" "$changed"
  edit "$changed" "$5"
  if [ "$2" = 4 ]; then
    expect "$1" 4 "$3" compare "$4" "$changed"
    expect "$1, which cannot be vouched for" 4 "$3" accepted seal "$changed" --reason="edited by a test"
    return
  fi
  [ "$2" = 5 ] && refused=5 || refused=3 # what a run is by itself, it is whatever it is compared with
  expect "$1, and not vouched for" "$refused" "was changed since it was accepted" compare "$4" "$changed"
  edit "$changed" '/^,,,,digest,/d'
  expect "$1, without a digest" "$refused" "it has no digest, so changes cannot be detected" compare "$4" "$changed"
  seal "$changed"
  expect "$1" "$2" "$3" compare "$4" "$changed"
}

clean=$scratch/sealed
run slow
edit "$run/run.csv" 's/^hand,large,wide,time_ratio,1,1,[^,]*,[^,]*/hand,large,wide,time_ratio,1,1.04,1.0388,1.0412/'
slow=$run
against=$file

expect "the clean run, sealed, is 0" 0 "2 unresolved, 8 within" compare "$clean"
grep -q 'no digest' "$scratch/out" && fail "it has a digest"
expect "a run without a digest says so" 0 "the run has no digest" compare "$hand/clean"
expect "the slow run is 1" 1 "1 regressed" compare "$slow"
expect "a run against itself is within" 0 "2 unresolved, 8 within" compare "$clean" "$clean"
expect "so is a recorded one" 0 " within" compare "$tree/tests/data/h200/clean" "$tree/tests/data/h200/clean"

# ---- accepted numbers that are not whole

for night in "$clean" "$slow"; do
  numbers "a header and nothing else" 3 "12 rows: 12 not_accepted" "$night" '/^h200,hand,.*,registers,/!{/^h200,hand,/d}'
  numbers "ratios that are gone" 3 "8 not_accepted" "$night" '/,time_ratio,/d'
  numbers "times and ratios that are gone" 3 "10 not_accepted" "$night" '/,time,/d; /,time_ratio,/d'
  numbers "tolerances that were emptied" 3 "10 cannot_be_gated" "$night" 's/,[0-9.]*,yes,/,,yes,/'
  for tolerance in 1 0 15 -0.01 1e400; do
    numbers "a tolerance of $tolerance" 4 "tolerance: expected a" "$night" "s/^\(h200,hand,large,wide,time_ratio,.*\),0.005,yes,/\1,$tolerance,yes,/"
  done
done
numbers "another number of items" 0 "2 unresolved, 8 within" "$clean" "$(fact accepted_items 15)"
numbers "all gates off" 3 "10 cannot_be_gated" "$clean" 's/,yes,/,no,/'
numbers "all gates off, and a slow row" 1 "1 regressed" "$slow" 's/,yes,/,no,/'
numbers "one of 20 % where the suite allows 25 %" 1 "1 regressed" "$slow" '/^h200,hand,large,wide,time_ratio/s/,0.005,yes,/,0.2,yes,/
  s/^h200,,,,tolerance,/h200,,,,tolerance_max,,,,,,,0.25,,,,,,,,,,,\n&/'
numbers "what numbers that are cut in half lack is not accepted" 3 "7 not_accepted" "$clean" '/^h200,hand,small,/d; /^h200,hand,large,wide,/d'
numbers "a value outside of its own interval" 3 "the accepted number is outside of its interval" "$clean" \
  's/^\(h200,hand,large,wide,time_ratio,1\),1,/\1,1.04,/'
numbers "another source of times" 3 "time_source is 'cupti_activity' in the run, 'cuda_event'" "$clean" \
  "$(fact time_source cuda_event)"
numbers "no source of times" 3 "time_source is 'cupti_activity' in the run, ''" "$clean" '/,,,,time_source,/d'
# ---- runs of which something is missing, or is not what was accepted

wide='hand,large,wide,time_ratio,1'
night "30 % slower in an interval of 25 % is not within" 2 "1 inconclusive" "s/^$wide,1,[^,]*,[^,]*/$wide,1.3,1.02,1.66/"
against=$clean
night "nor against another run" 2 "1 inconclusive" "s/^$wide,1,[^,]*,[^,]*/$wide,1.3,1.02,1.66/"
expect "nor is a run against one so noisy" 3 "above tolerance_max, 10 %" compare "$clean" "$run"
expect "nor against itself" 3 "above tolerance_max, 10 %" compare "$run" "$run"
against=$file
night "4 % slower is regressed" 1 "1 regressed" "s/^$wide,1,[^,]*,[^,]*/$wide,1.04,1.0388,1.0412/"
night "a value above its own interval" 3 "outside of its interval" "s/^$wide,1,[^,]*,[^,]*/$wide,1.04,0.998,1.002/"
night "another source of times" 3 "time_source is 'cuda_event'" '' 's/^time_source,.*/time_source,cuda_event/'
night "no source of times" 3 "env.csv has no time_source" '' '/^time_source,/d'

night "all variants skipped" 3 "14 not_measured" 's/^\(hand,[a-z]*,[a-z]*,status,,,,,\),[a-z]*,/\1,skipped,/; /,time/d'
gone='/^hand,large,wide,time/d'
night "a right variant that was not timed" 3 "hand/large wide time_ratio not_measured verified, but this run has no time_ratio" "$gone"
night "one that died while it was timed" 3 "not timed: crash: signal 11" \
  "s/^hand,large,wide,time,.*/hand,large,wide,time,,,,,,crash,signal 11/; /^hand,large,wide,time_ratio/d"
night "one of which so it may not have been verified" 3 "so it may not have been verified" '/^hand,large,wide,status,/d'
night "one that is not there" 3 "hand/large wide not_measured accepted, but not in this run" '/^hand,large,wide,/d'
night "half of its work" 3 "the case has changed (work_flop_f32 is '117500000', accepted '235000000')" \
  's/^\(hand,large,wide,work_flop_f32,flop\),235000000/\1,117500000/'
night "nothing but a header" 3 "the run has no rows" '1!d'

# ---- an accepted bug (unwritten, by all who look), and accepted numbers that say so

night "a variant that writes nothing" 5 "hand/large wide broken expected ok, found unwritten" \
  "s/^\(hand,large,wide,status,,,,,\),ok,/\1,unwritten,no element was written/; $gone"
bug=$scratch/bug
rm -rf "$bug" && cp -R "$run" "$bug"
numbers "and is in the accepted numbers" 5 "hand/large wide broken expected ok, found unwritten" "$bug" \
  "s/^\(h200,hand,large,wide,status,,,,,\),ok,,,yes,,,,,,/\1,unwritten,no element was written,,yes,,,,,unwritten,ticket 12/; /^h200,hand,large,wide,time/d"
expect "is 5" 5 "expected ok, found unwritten" accept "$bug" --out="$scratch/changed.csv"
expect "for a reason, too" 5 "--waive=hand/large/wide" accept "$bug" --out="$scratch/changed.csv" --reason="known"
expect "and in a report" 5 "1 variant is not what it is declared to be" report "$bug" --baseline="$scratch/changed.csv" --tables-only \
  --out="$scratch/report"

# ---- a part of the suite on one GPU, accepted beside the whole of its model

edit "$file" "$(fact accepted_units a1); s/,1:unknown,/,1:a1,/"
seal "$file"
run of_a1
echo 'gpu_uuid_hash,a1' >>"$run/env.csv"
whole=$run
run part
edit "$run/run.csv" '/^hand,small,/d; /,tiled,/d; /,reverted,/d; /,library,/d; /,refuses,/d; /,zeros,/d'
printf '%s\n' gpu_uuid_hash,a1 'selection,--case=large --variant=wide' >>"$run/env.csv"
part=$run
run slow_tiled
edit "$run/run.csv" 's/^hand,large,tiled,time_ratio,1,0.9,[^,]*,[^,]*/hand,large,tiled,time_ratio,1,0.95,0.949,0.951/'
echo 'gpu_uuid_hash,a1' >>"$run/env.csv"
expect "what is slow by the model's numbers" 1 "1 regressed" compare "$run"
expect "stays so when a part of the suite" 0 "rows new" accept "$part" --unit
expect "is accepted for this GPU" 1 "1 regressed" compare "$run"
expect "and all the rest is held against the model's numbers" 0 "2 unresolved, 8 within" compare "$whole"
expect "a part of the suite says what was left out" 3 "12 not_measured" compare "$part"
expect "a model's numbers that are not sealed hide nothing" 0 "2 unresolved, 8 within" compare "$whole"
edit "$file" 's/^\(h200,hand,large,tiled,time_ratio,1\),0.9,/\1,0.95,/'
expect "but are 3" 3 "was changed since it was accepted" compare "$whole"
edit "$file" '/^h200,/d'
seal "$file"
expect "without them what has no number is not accepted" 3 "not_accepted" compare "$whole"
numbers_as_they_were

# A checkout with other line ends, and an editor's mark, change nothing.
numbers_as_they_were
run crlf
"$solgate" accepted seal "$run" --reason="as it is" >"$scratch/out"
for changed in "$run/run.csv" "$run/env.csv" "$file"; do
  edit "$changed" "s/\$/$(printf '\r')/"
  expect "line ends of another system in $(basename "$changed")" 0 "2 unresolved, 8 within" compare "$run"
done
cp "$file" "$scratch/marked"
printf '\357\273\277' | cat - "$scratch/marked" >"$file"
expect "an editor's mark" 0 "2 unresolved, 8 within" compare "$run"
numbers_as_they_were
edit "$file" 's/^\(h200,hand,large,wide,role,.*\),no,/\1,yes,/'
expect "a gate that nothing stands behind" 4 "gate: expected no, because the row is descriptive" compare "$run"
numbers_as_they_were
edit "$file" 's/^h200,hand,large,wide,time_ratio/h200,hand,large,wide,waiver,,,,,,ok,until October,,no,,,,,,known,,,\n&/'
expect "a waiver whose last day cannot be read" 4 "its last day, such as 2026-12-31" compare "$run"
numbers_as_they_were
[ "$failures" = 0 ] || {
  echo "$failures failed"
  exit 1
}
