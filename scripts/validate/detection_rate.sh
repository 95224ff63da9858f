#!/bin/sh
# detection_rate.sh [--bin=DIR] [--out=DIR] [--gates=112] [--detections=12]
# [--minutes=M] [--gpus=1] [--seed=1] [--keep]
#   [--baseline=FAMILY/VARIANT] [--slower=FAMILY/VARIANT:TOLERANCE]... [--case=CASE]... - how often
#   is the verdict of `solgate ab` wrong?
#
# Runs many gates: --gates of BASELINE (injected/exact) against itself, where any verdict but within
# or inconclusive is false, and --detections of each SLOWER (injected/work_025:0.1% and
# injected/work_100:0.5%) against BASELINE, where each case must come out regressed; on all cases,
# or on each CASE that is named. Needs the built programs in DIR (build-release/bin) and no
# compiler. Gates share nothing; each has a seed of its own, from --seed on.
# May be run in pieces, with the same arguments: a gate that is finished in OUT is not run
# again, one that is not is begun anew, and with --minutes no gate begins that, taking as long
# as the longest before it, would end later. With --gpus=N GPUs 0 to N-1 work side by side, each
# on the next gate that none has taken.
# Leaves in OUT a folder a gate (aa.csv, comparison.csv, env.csv; with --keep the whole run), aa.csv
# with the A/A pairs of all of them, which `solgate aa --append=baselines/<gpu>/aa.csv OUT/aa.csv`
# adds to the tally, detection.csv with the rows of the slower variants, and tables.md, which is
# printed. Exit 0 when all gates are done and no verdict is wrong; 1 when one is: an A/A pair
# regressed or improved, or a slowdown within or improved; 2 when none is and gates are left; 3 when
# a gate fails or is refused by a guard.
set -eu

scripts=$(cd "$(dirname "$0")/.." && pwd)
bin=$scripts/../build-release/bin
out=out/detection_rate
gates=112
detections=12
minutes=
gpus=1
first_seed=1
keep=
baseline=injected/exact
slower=
cases=

fail() {
  echo "detection_rate.sh: $2" >&2
  exit "$1"
}

# whole ARGUMENT: its value, which must be a whole number
whole() {
  case ${1#*=} in
    '' | *[!0-9]*) fail 4 "${1%%=*}: expected a whole number, found '${1#*=}'" ;;
  esac
  echo "${1#*=}"
}

for argument in "$@"; do
  case $argument in
    --bin=?*) bin=${argument#--bin=} ;;
    --out=?*) out=${argument#--out=} ;;
    --gates=*) gates=$(whole "$argument") ;;
    --detections=*) detections=$(whole "$argument") ;;
    --minutes=*) minutes=$(whole "$argument") ;;
    --gpus=*) gpus=$(whole "$argument") ;;
    --seed=*) first_seed=$(whole "$argument") ;;
    --keep) keep=yes ;;
    --baseline=?*/?*) baseline=${argument#--baseline=} ;;
    --slower=?*/?*:?*%) slower="$slower ${argument#--slower=}" ;;
    --case=?*) cases="$cases $argument" ;;
    -h | --help)
      sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *)
      fail 4 "unknown argument $argument (known: --bin= --out= --gates= --detections= --minutes= --gpus= --seed= --keep
  --baseline=FAMILY/VARIANT --slower=FAMILY/VARIANT:TOLERANCE --case=CASE)"
      ;;
  esac
done
# A path that looks like an assignment would be one to awk.
case $out in
  /*) ;;
  *) out=$PWD/$out ;;
esac
[ "$gpus" -gt 0 ] || fail 4 "--gpus: expected 1 or more, found '0'"
slower=${slower:-injected/work_025:0.1% injected/work_100:0.5%}
[ -x "$bin/solgate" ] || fail 3 "$bin/solgate is not there"

# A line a gate: name, candidate, tolerance, seed. Both kinds take turns, so that a
# part of them says something of both.
list_gates() {
  round=0
  while [ "$round" -lt "$gates" ] || [ "$round" -lt "$detections" ]; do
    seed=$((first_seed + round))
    round=$((round + 1))
    [ "$round" -gt "$gates" ] || printf 'aa.%04d %s 0.5%% %d\n' "$round" "$baseline" "$seed"
    [ "$round" -le "$detections" ] || continue
    for each in $slower; do
      candidate=${each%:*}
      seed=$((seed + 100000))
      printf '%s.%04d %s %s %d\n' "${candidate#*/}" "$round" "$candidate" "${each##*:}" "$seed"
    done
  done
}

is_finished() {
  [ -e "$out/$1/comparison.csv" ]
}

# run_gate GPU NAME CANDIDATE TOLERANCE SEED: comparison.csv comes last,
# and says that the folder is whole.
run_gate() {
  folder=$out/$2
  rm -rf "$folder"
  code=0
  # shellcheck disable=SC2086 # options, a word each
  "$bin/solgate" ab "$baseline" "$3" $cases --tolerance="$4" --seed="$5" --gpu="$1" --format=csv --out="$folder" >"$out/$2.csv" 2>"$out/$2.log" \
    </dev/null &
  gate=$!
  wait "$gate" || code=$?
  if [ "$code" -gt 3 ] || ! grep -q '^state,finished$' "$folder/env.csv"; then
    echo "detection_rate.sh: $2 left with $code; the end of $out/$2.log:" >&2
    tail -n 20 "$out/$2.log" >&2
    return 3
  fi
  [ -n "$keep" ] || rm -f "$folder/samples.csv" "$folder/run.csv"
  rm "$out/$2.log"
  mv "$out/$2.csv" "$folder/comparison.csv"
}

# One GPU's work: gate after gate that no other GPU has taken, which is whose folder was made here.
work_through() {
  trap 'kill "$gate" 2>/dev/null; exit 143' TERM
  number=0
  longest=0
  while read -r name candidate tolerance seed; do
    number=$((number + 1))
    if is_finished "$name" || ! mkdir "$out/taken/$name" 2>/dev/null; then continue; fi
    begin=$(date +%s)
    if [ -n "$minutes" ] && [ $((begin + longest)) -ge $((started + 60 * minutes)) ]; then break; fi
    run_gate "$1" "$name" "$candidate" "$tolerance" "$seed"
    took=$(($(date +%s) - begin))
    [ "$took" -le "$longest" ] || longest=$took
    echo "detection_rate.sh: $name ($number of $count) on GPU $1: $took s" >&2
  done <"$out/gates.txt"
}

run_gates() {
  workers=
  gpu=0
  while [ "$gpu" -lt "$gpus" ]; do
    work_through "$gpu" &
    workers="$workers $!"
    gpu=$((gpu + 1))
  done
  # shellcheck disable=SC2064,SC2086 # these processes, one word each
  trap "kill $workers 2>/dev/null; exit 130" INT TERM
  failed=0
  for worker in $workers; do
    wait "$worker" || failed=3
  done
  trap - INT TERM
  [ "$failed" = 0 ] || exit "$failed"
}

# Prints the tables of what is finished; left is how many gates are not.
tabulate() {
  set --
  while read -r name candidate tolerance seed; do
    ! is_finished "$name" || set -- "$@" "$out/$name"
  done <"$out/gates.txt"
  left=$((count - $#))
  echo "$# of $count gates done, \`solgate ab $baseline CANDIDATE\`, $(date -u +%Y-%m-%d)"
  [ $# -gt 0 ] || return 0
  echo
  sed -n 's/^\(tool_version\|commit\|gpu_name\|driver\),/* \1: /p' "$1/env.csv"
  echo
  rm -f "$out/aa.csv"
  "$bin/solgate" aa --append="$out/aa.csv" "$@"
  echo
  for folder in "$@"; do
    shift
    set -- "$@" "$folder/comparison.csv"
  done
  awk -F, -v baseline="${baseline#*/}" '
    FNR == 1 { n = split(FILENAME, part, "/") }
    NR == 1 { print "gate," $0 }
    FNR > 1 && $3 != baseline { print part[n - 1] "," $0 }' "$@" >"$out/detection.csv"
  awk -v pairs="$out/aa.csv" -v detection="$out/detection.csv" -f "$scripts/lib/csv.awk" -f "$scripts/validate/detection_rate.awk"
}

rm -rf "$out/taken"
mkdir -p "$out/taken"
started=$(date +%s)
list_gates >"$out/gates.txt"
count=$(wc -l <"$out/gates.txt")
run_gates
rm -r "$out/taken"
tabulate >"$out/tables.md"
cat "$out/tables.md"
refused=$(cat "$out"/*/comparison.csv 2>/dev/null | grep -c ',invalid,invalid,' || true)
[ "$refused" = 0 ] || fail 3 "$refused rows are invalid, so their gates say nothing: see why in $out/*/comparison.csv, remove those folders and run it again"
! grep -q '^wrong verdicts: [1-9]' "$out/tables.md" || exit 1
[ "$left" = 0 ] || exit 2
