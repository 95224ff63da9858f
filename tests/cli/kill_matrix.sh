#!/bin/sh
# kill_matrix.sh N [BIN] [SEED] [WHAT...] - kills solgate N times with SIGKILL at random moments and
# takes up what is left. WHAT: run, ab, accept (of a baseline), night; by default all of them; the
# null family. Counted are kills that broke something: what was finished is not kept, a folder that
# no command reads, bytes other than those of a run that nothing ended, accepted numbers that are
# neither the old ones nor the new, a night that has its file and is not whole, or that is in the
# history twice. BIN is the folder of the programs (default: build/bin), SEED that of the moments
# (default: 1). Prints a table; exit 0 only if nothing broke.
set -eu

number=${1:-}
bin=${2:-build/bin}
seed=${3:-1}
case $number in
  '' | *[!0-9]*)
    echo "usage: kill_matrix.sh N [BIN] [SEED] [run|ab|accept|night...]" >&2
    exit 4
    ;;
esac
if [ "$#" -gt 3 ]; then shift 3; else set -- run ab accept night; fi
bin=$(realpath "$bin")
solgate=$bin/solgate
[ -x "$solgate" ] || {
  echo "kill_matrix.sh: no solgate in $bin" >&2
  exit 4
}
work=$(mktemp -d)
export SOLGATE_BUILDS="$work/builds"
trap 'rm -rf "$work"' EXIT
broken=0
suite=$work/kills.suite
cat >"$suite" <<'SUITE'
[suite]
title     = what is killed again and again
metrics   = quick
processes = 5
blocks    = 4
launches  = 2
deadline  = 20s

[null]
case      = tiny
case      = small
variant   = slower
variant   = faster
SUITE
items=6
pairs=30
gate='ab null/ok null/slower --case=tiny --case=small --tolerance=5%'

# breaks WHAT...: one more kill that broke something, with what is left of the output
breaks() {
  broken=$((broken + 1))
  echo "BROKEN, kill $kill: $*"
  tail -n 5 "$work/output" 2>/dev/null | sed 's/^/    /'
}

# does COMMAND...: its code in $code, what it says in $work/output; without gnuplot,
# whose charts would be most of a night
does() {
  code=0
  timeout 120 env PATH=/nowhere "$solgate" "$@" >"$work/output" 2>&1 || code=$?
}

# ms LIMIT [LEAST]: a random number of milliseconds as seconds, from
# LEAST, or 0; the next one of the seed
ms() {
  awk -v seed="$seed" -v drawn="$drawn" -v limit="$1" -v least="${2:-0}" \
    'BEGIN { srand(seed * 100003 + drawn); rand(); printf "%.4f", (least + rand() * (limit - least)) / 1000 }'
}

# killed LEAST_MS LIMIT_MS COMMAND...: the command is started and killed so many
# milliseconds later, unless it is done before
killed() {
  drawn=$((drawn + 1))
  pause=$(ms "$2" "$1")
  shift 2
  PATH=/nowhere "$solgate" "$@" >"$work/output" 2>&1 &
  pid=$!
  sleep "$pause"
  kill -s KILL "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
}

# took COMMAND...: milliseconds of a whole one
took() {
  begin=$(date +%s%N)
  does "$@"
  echo $((($(date +%s%N) - begin) / 1000000 + 1))
}

# readable DIR: the end of a run, equal to that of one that nothing ended
readable() {
  [ "$code" = "$3" ] || breaks "$1: taken up: exit status $code instead of $3"
  grep -q '^state,finished$' "$1/env.csv" || breaks "$1: not finished"
  cmp -s "$2/run.csv" "$1/run.csv" || breaks "$1: run.csv differs: $(diff "$2/run.csv" "$1/run.csv" | head -n 2 | tr '\n' ' ')"
  sort "$1/samples.csv" >"$work/sorted"
  sort "$2/samples.csv" | cmp -s - "$work/sorted" || breaks "$1: samples.csv has other batches"
  does compare "$1" "$2"
  [ "$code" -le 2 ] || breaks "$1: compare: exit status $code"
  does gap "$1"
  [ "$code" = 0 ] || breaks "$1: gap: exit status $code"
}

# kept: what the last run was to do again, against what it had before
kept() {
  verified=$(sed -n 's/^verify: \([0-9]*\) items*.*/\1/p' "$work/output")
  [ "$((${verified:-0} + done_before))" = "$items" ] || breaks "$done_before of $items items were verified, and ${verified:-0} again"
  timed=$(sed -n 's/^time: .* processe*s*, \([0-9]*\) pairs* in all.*/\1/p' "$work/output")
  [ "$((${timed:-0} + timed_before))" -le "$pairs" ] || breaks "$timed_before of $pairs pairs were timed, and ${timed:-0} again"
}

# count_before DIR: what is whole in it: items with a status,
# pairs of processes whose end was seen
count_before() {
  done_before=0 timed_before=0
  [ -e "$1/run.log" ] || return 0
  done_before=$(awk '/^value,.*,status,,/ { n++ } /^whole/ { whole = n } END { print whole + 0 }' "$1/run.log")
  timed_before=$(awk -F, '
    /^process/ { ended[$2] = $5 != "" }
    /^sample/ { samples[$5]++ }
    END { for (process in samples) pairs += ended[process] * samples[process] / 16; print pairs + 0 }' "$1/run.log")
}

kill_run() {
  killed 0 "$run_ms" run "$suite" --out="$out" --seed=5 --jobs=2
  if grep -q '^state,finished$' "$out/env.csv" 2>/dev/null; then
    late=$((late + 1))
    done_before=$items timed_before=$pairs
  else
    [ ! -d "$out" ] || count_before "$out"
    [ -d "$out" ] || done_before=0 timed_before=0
  fi
  [ -d "$out" ] && way=--resume || way=
  does run "$suite" --out="$out" --seed=5 --jobs=2 ${way:+"$way"}
  cp "$work/output" "$work/resumed"
  kept
  readable "$out" "$work/whole" 0
}

# shellcheck disable=SC2086 # a gate is words
kill_ab() {
  killed 0 "$ab_ms" $gate --out="$out" --seed=5
  ! grep -q '^state,finished$' "$out/env.csv" 2>/dev/null || late=$((late + 1))
  [ -d "$out" ] && way=--resume || way=
  does $gate --out="$out" --seed=5 ${way:+"$way"}
  readable "$out" "$work/gate" 0
}

# accepted FILE: what a reader finds there, whichever files it takes it from: the
# accepted numbers of each row of a run
accepted() {
  "$solgate" compare "$work/whole" "$1" --format=csv 2>"$work/output" | cut -d, -f1-6,11 | cksum
}

kill_accept() {
  mkdir -p "$out/null"
  cp "$work/old/null/"* "$out/null/"
  killed 0 "$accept_ms" baseline accept "$work/other" --out="$out/null/kills.csv" --reason=kills
  found=$(accepted "$out/null/kills.csv")
  case $found in
    "$old_sum") ;;
    "$new_sum") late=$((late + 1)) ;;
    *) breaks "accept: neither the old numbers nor the new ones are read" ;;
  esac
  does baseline verify "$out/null/kills.csv" --max-age=36500d
  [ "$code" = "$verify_code" ] || breaks "accept: baseline verify: exit status $code instead of $verify_code"
  does builds list --format=csv --baselines="$out"
  ! grep -Eq ',(damaged|missing),' "$work/output" || breaks "accept: a build is not whole, or is not there"
}

# whole DIR: a night that has its file
whole() {
  head -n 1 "$1/night.txt" | grep -q '^[A-Z]* (exit [012]): nightly: ' || breaks "$1: its file begins otherwise: $(head -n 1 "$1/night.txt")"
  does compare "$1/kills" --baselines="$work/old"
  [ "$code" -le 2 ] || breaks "$1: compare: exit status $code"
  finished=$((finished + 1))
}

# All of them in one folder and one history. Each has its own seed: of two runs in one second with
# one seed the digests would be the same.
kill_night() {
  killed 0 $((night_ms * 5 / 4)) nightly "$suite" --out="$work/nights" --history="$work/history" --baselines="$work/old" --seed="$kill"
  last=$(find "$work/nights" -mindepth 1 -maxdepth 1 2>/dev/null | sort -V | tail -n 1)
  if [ -e "$last/night.txt" ]; then
    late=$((late + 1))
    whole "$last"
  fi
  if [ $((kill % 5)) = 0 ]; then
    does nightly "$suite" --out="$work/nights" --history="$work/history" --baselines="$work/old" --seed="$number$kill"
    [ "$code" -le 2 ] || breaks "the next night: exit status $code"
    whole "$(find "$work/nights" -mindepth 1 -maxdepth 1 | sort -V | tail -n 1)"
    does history check --history="$work/history"
    [ "$code" -le 2 ] || breaks "history check: exit status $code"
  fi
  find "$work/history" -name '*.csv' -exec sed -n 's/^fact,run,//p' {} + 2>/dev/null | sort >"$work/kept"
  [ -z "$(uniq -d "$work/kept")" ] || breaks "a night is in the history twice"
  [ "$(wc -l <"$work/kept")" -ge "$finished" ] || breaks "$finished nights are finished, and $(wc -l <"$work/kept") in the history"
}

# What nothing ends.
kill=0
drawn=0
run_ms=$(took run "$suite" --out="$work/whole" --seed=5 --jobs=2)
# shellcheck disable=SC2086 # a gate is words
ab_ms=$(took $gate --out="$work/gate" --seed=5)
does run "$suite" --out="$work/other" --seed=6
mkdir -p "$work/old/null" "$work/new/null"
does baseline accept "$work/whole" --out="$work/old/null/kills.csv"
[ "$code" = 0 ] || breaks "the first accept: exit status $code"
cp "$work/old/null/"* "$work/new/null/"
accept_ms=$(took baseline accept "$work/other" --out="$work/new/null/kills.csv" --reason=kills)
old_sum=$(accepted "$work/old/null/kills.csv")
new_sum=$(accepted "$work/new/null/kills.csv")
does baseline verify "$work/old/null/kills.csv" --max-age=36500d
verify_code=$code
[ "$old_sum" != "$new_sum" ] || breaks "both runs are accepted as the same numbers"

finished=0
night_ms=$(took nightly "$suite" --out="$work/nights.whole" --history="$work/history" --baselines="$work/old" --seed=7)

printf '%-8s %8s %10s %8s\n' what kills 'too late' broken
left=$number
kinds=$#
for what in "$@"; do
  late=0
  before=$broken
  kills=$((left / kinds))
  left=$((left - kills))
  kinds=$((kinds - 1))
  for kill in $(seq 1 "$kills"); do
    out=$work/$what.$kill
    "kill_$what"
    rm -rf "$out"
  done
  printf '%-8s %8d %10d %8d\n' "$what" "$kills" "$late" $((broken - before))
done
[ "$broken" = 0 ]
