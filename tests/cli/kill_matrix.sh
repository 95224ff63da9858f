#!/bin/sh
# kill_matrix.sh N [BIN] [SEED] [WHAT...] - kills solgate N times with SIGKILL at random moments and
# resumes or repeats the command. WHAT (default: all):
#   run, ab, accept, night   of the null family
#   gpus                     run --gpu=0,1,2 or one of its child processes
#   exec, ab_exec            of programs on the stand-in of the driver (tests/standin)
#   ab_python                of functions of a Python program
#   import                   of a trace of nsys
# Kills that broke something are counted: finished work is lost, no command reads the folder, the
# resumed run differs from a run without a kill, a run or accepted numbers are neither the old nor
# the new ones, an unfinished gate has a verdict, a night is incomplete or twice in the history. BIN
# is the folder of the programs (default: build/bin), SEED that of the moments (default: 1). Prints
# a table; exit 0 only if nothing broke.
set -eu

number=${1:-}
bin=${2:-build/bin}
seed=${3:-1}
case $number in
  '' | *[!0-9]*)
    echo "usage: kill_matrix.sh N [BIN] [SEED] [WHAT...]" >&2
    exit 4
    ;;
esac
if [ "$#" -gt 3 ]; then shift 3; else set -- run gpus ab accept night exec import ab_exec ab_python; fi
bin=$(realpath "$bin")
tree=$(realpath "$(dirname "$0")/../..")
standin=$bin/../tests/standin
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
items=6 pairs=30
gate='ab null/ok null/slower --case=tiny --case=small --tolerance=5%'

# breaks WHAT...: one more kill that broke something, with what is left of the output
breaks() {
  broken=$((broken + 1))
  echo "BROKEN, kill $kill: $*"
  tail -n 5 "$work/output" 2>/dev/null | sed 's/^/    /'
}

# Without gnuplot, whose charts would be most of a night.
path=/nowhere
libraries=

# does COMMAND...: its code in $code, what it says in $work/output
does() {
  code=0
  timeout 120 env PATH="$path" LD_LIBRARY_PATH="$libraries" "$solgate" "$@" >"$work/output" 2>&1 </dev/null || code=$?
}

# succeeds COMMAND...
succeeds() {
  does "$@"
  [ "$code" = 0 ] || breaks "$what: $1: exit status $code"
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
  env PATH="$path" LD_LIBRARY_PATH="$libraries" "$solgate" "$@" >"$work/output" 2>&1 </dev/null &
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

# facts DIR: what no clock and no GPU decides
facts() { grep -v ',unit,,' "$1/run.csv" | cut -d, -f1-5,10; }

begin_gpus() {
  {
    sed '/^case .*small/a case = large\ncase = rows=32 cols=48\ncase = rows=33 cols=48' "$suite"
    printf '\n[demo]\n'
  } >"$work/gpus.suite"
  succeeds run "$work/gpus.suite" --out="$work/gpus.whole" --seed=5
  whole_ms=$(took run "$work/gpus.suite" --gpu=0,1,2 --out="$work/gpus.parts" --seed=5)
}

# parts DIR: its finished parts, each with its digest
parts() { grep -H '^digest,' "$1"/parts/0*/env.csv 2>/dev/null | sort || true; }

# Kills solgate, or at every second kill one of its child processes, which it has to replace.
kill_gpus() {
  drawn=$((drawn + 1))
  "$solgate" run "$work/gpus.suite" --gpu=0,1,2 --out="$out" --seed=5 >"$work/output" 2>&1 </dev/null &
  pid=$! victim=$! code=0
  sleep "$(ms "$whole_ms")"
  [ $((kill % 2)) = 0 ] || victim=$(pgrep -o -f -- "--out=$out/parts/" || echo "$pid")
  kill -s KILL "$victim" 2>/dev/null || true
  wait "$pid" 2>/dev/null || code=$?
  [ "$victim" = "$pid" ] || [ "$code" = 0 ] || breaks "$what: a child was killed: exit status $code"
  for _ in 1 2 3 4 5 6 7 8 9 left; do
    pgrep -f -- "--out=$out" >/dev/null || break
    [ "$_" = left ] && breaks "$what: processes are left: $(pgrep -a -f -- "--out=$out")"
    sleep 0.1
  done
  ! grep -q '^state,finished$' "$out/env.csv" 2>/dev/null || late=$((late + 1))
  parts "$out" >"$work/finished"
  succeeds run "$work/gpus.suite" --gpu=0,1,2 --out="$out" --seed=5 --resume
  parts "$out" | comm -13 - "$work/finished" | grep -q . && breaks "$what: finished parts are lost"
  facts "$work/gpus.whole" >"$work/whole.facts"
  facts "$out" | cmp -s - "$work/whole.facts" || breaks "$what: resumed: other items"
}

begin_ab() {
  # shellcheck disable=SC2086 # a gate is words
  whole_ms=$(took $gate --out="$work/gate" --seed=5)
}

# shellcheck disable=SC2086 # a gate is words
kill_ab() {
  killed 0 "$whole_ms" $gate --out="$out" --seed=5
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
  mkdir -p "$out"
  cp "$work/old/kills.csv" "$out/"
  killed 0 "$accept_ms" accept "$work/other" --out="$out/kills.csv" --reason=kills
  found=$(accepted "$out/kills.csv")
  case $found in
    "$old_sum") ;;
    "$new_sum") late=$((late + 1)) ;;
    *) breaks "accept: neither the old numbers nor the new ones are read" ;;
  esac
  does accepted verify "$out/kills.csv" --max-age=36500d
  [ "$code" = "$verify_code" ] || breaks "accept: accepted verify: exit status $code instead of $verify_code"
  does builds list --format=csv --baselines="$out"
  ! grep -Eq ',(damaged|missing),' "$work/output" || breaks "accept: a build is not whole, or is not there"
}

# whole DIR: a night that has its file
whole() {
  head -n 1 "$1/night.txt" | grep -q '^[A-Z]* (exit [012]): ' || breaks "$1: its file begins otherwise: $(head -n 1 "$1/night.txt")"
  does compare "$1/kills" --baselines="$work/old"
  [ "$code" -le 2 ] || breaks "$1: compare: exit status $code"
  finished=$((finished + 1))
}

begin_night() {
  whole_ms=$(took nightly "$suite" --out="$work/nights.whole" --history="$work/history" --baselines="$work/old" --seed=7)
}

# All of them in one folder and one history. Each has its own seed: of two runs in one second with
# one seed the digests would be the same.
kill_night() {
  killed 0 $((whole_ms * 5 / 4)) nightly "$suite" --out="$work/nights" --history="$work/history" --baselines="$work/old" --seed="$kill"
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

# same DIR DIR: two runs that were written as a whole, equal but for their dates
same() {
  [ -e "$1/env.csv" ] && [ -e "$2/env.csv" ] && cmp -s "$1/run.csv" "$2/run.csv" &&
    [ "$(sed '/^date,/d; /^digest,/d' "$1/env.csv")" = "$(sed '/^date,/d; /^digest,/d' "$2/env.csv")" ]
}

# kill_whole COMMAND...: the command writes a run as a whole, at every second kill over an old run
kill_whole() {
  [ $((kill % 2)) = 0 ] || cp -R "$work/$what.old" "$out"
  killed 0 "$whole_ms" "$@"
  if same "$work/$what.new" "$out"; then
    late=$((late + 1))
  elif [ $((kill % 2)) = 0 ]; then
    [ -z "$(ls "$out" 2>/dev/null)" ] || breaks "$what: a part of a run: $(ls "$out")"
  else
    same "$work/$what.old" "$out" || breaks "$what: neither the old run nor the new one"
  fi
  [ ! -e "$out/run.csv" ] || succeeds compare "$out" "$work/$what.new"
  succeeds "$@"
  same "$work/$what.new" "$out" || breaks "$what: a second $what wrote another run"
  [ ! -e "$out.unfinished" ] || breaks "$what: $out.unfinished is left"
}

# program NS [NS]: a command of 60 kernels on the stand-in, of which the first takes the second time
program() {
  awk -v program="$standin/standin_program" -v ns="$1" -v first="${2:-$1}" 'BEGIN {
    printf "%s init", program
    for (i = 0; i < 60; i++) printf " symbol=k%d ns=%d launch=3", i, i ? ns : first }'
}

begin_exec() {
  libraries=$standin
  old=$(program 1000) new=$(program 1000 1500)
  # shellcheck disable=SC2086 # words
  succeeds exec --out="$work/exec.old" --metrics -- $old
  # shellcheck disable=SC2086 # words
  whole_ms=$(took exec --out="$work/exec.new" --metrics -- $new)
}

# shellcheck disable=SC2086 # words
kill_exec() { kill_whole exec --out="$out" --metrics -- $new; }

# trace NS: a trace of nsys with 3000 kernels
trace() {
  sed -n 2p "$tree/tests/data/import/nsys_2022_trace.csv"
  awk -v ns="$1" 'BEGIN { for (i = 0; i < 600; i++)
    printf "%d,%d,%d,2,1,1,64,1,1,24,0.000,0.000,,,,,NVIDIA A100-SXM4-80GB (0),1,7,k%d\n", 1e6 + i * 9999, ns + i, i, i }'
}

begin_import() {
  trace 1000 >"$work/old.csv"
  trace 3000 >"$work/new.csv"
  succeeds import "$work/old.csv" --out="$work/import.old"
  whole_ms=$(took import "$work/new.csv" --out="$work/import.new")
}

kill_import() { kill_whole import "$work/new.csv" --out="$out"; }

begin_ab_exec() {
  libraries=$standin
  old=$(program 1000) new=$(program 1000 1500)
  whole_ms=$(took ab --exec --out="$work/ab_exec" "$old" "$new")
  grep -q ',regressed,' "$work/ab_exec/verdict.csv" || breaks "$what: a slower kernel has not regressed"
}

# started DIR: the files of finished starts
started() { (cd "$1" && find starts -type f 2>/dev/null | sort); }

kill_ab_exec() {
  killed 0 "$whole_ms" ab --exec --out="$out" "$old" "$new"
  if grep -q '^state,finished$' "$out/env.csv" 2>/dev/null; then
    late=$((late + 1))
    same "$out" "$work/ab_exec" || breaks "$what: another run"
    [ ! -e "$out/verdict.csv" ] || cmp -s "$work/ab_exec/verdict.csv" "$out/verdict.csv" || breaks "$what: another verdict"
  else
    [ ! -e "$out/verdict.csv" ] || breaks "$what: an unfinished gate has verdict.csv"
    for command in "compare $work/ab_exec" "report --tables-only --out=$out.page"; do
      # shellcheck disable=SC2086 # words
      does $command "$out"
      [ "$code" -ge 3 ] || breaks "$what: $command: exit status $code for an unfinished gate"
    done
  fi
  [ -d "$out" ] && way=--resume || way=
  [ ! -d "$out" ] || started "$out" >"$work/started"
  does ab --exec --out="$out" "$old" "$new" ${way:+"$way"}
  [ "$code" = 1 ] || breaks "$what: resumed: exit status $code instead of 1"
  same "$out" "$work/ab_exec" || breaks "$what: resumed: another run"
  cmp -s "$work/ab_exec/verdict.csv" "$out/verdict.csv" || breaks "$what: resumed: another verdict"
  [ -z "$way" ] || [ -z "$(started "$out" | comm -13 - "$work/started")" ] || breaks "$what: resumed: finished starts are lost"
}

begin_ab_python() {
  path=$PATH
  export SOLGATE_GATE_SIMULATED=1 PYTHONDONTWRITEBYTECODE=1
  for python in python3 /usr/bin/python3 none; do
    ! $python -c 'import numpy' 2>/dev/null || break
  done
  [ "$python" != none ] || breaks "no Python here has numpy: scripts/setup installs it"
  cat >"$work/gate.py" <<'PY'
import numpy as np, solgate
def inputs(seed, n):
    return (np.random.default_rng(seed).standard_normal(n).astype("float32"),)
def double(x):
    return x * 2
def slower(x):
    return double(x)
slower.simulated_ns = 10300
for candidate in slower, lambda x: x * 3:
    name = candidate.__name__.strip("<>")
    solgate.pair(lambda x: double(x), candidate, inputs, name=name, cases=[dict(n=10)], tolerance="1%")
PY
  whole_ms=$(took ab --exec --out="$work/ab_python" -- "$python" "$work/gate.py")
}

# whole_part LOG: the groups of a log whose end was written
whole_part() { awk '{ group = group $0 "\n" } /^whole/ { printf "%s", group; group = "" }' "$1" 2>/dev/null || true; }

kill_ab_python() {
  killed 0 "$whole_ms" ab --exec --out="$out" -- "$python" "$work/gate.py"
  for gate in slower lambda; do
    whole_part "$out/$gate/run.log" >"$work/$gate.log"
  done
  [ ! -e "$out/lambda/verdict.csv" ] || late=$((late + 1))
  does ab --exec --out="$out" --resume -- "$python" "$work/gate.py"
  [ "$code" = 5 ] || breaks "$what: resumed: exit status $code instead of 5"
  for gate in slower lambda; do
    whole_part "$out/$gate/run.log" | head -c "$(wc -c <"$work/$gate.log")" | cmp -s - "$work/$gate.log" ||
      breaks "$what: $gate: finished groups of run.log are lost"
    for file in run.csv verdict.csv; do
      cmp -s "$work/ab_python/$gate/$file" "$out/$gate/$file" || breaks "$what: $gate/$file differs"
    done
  done
}

# ---- runs without a kill; those of the null family serve run, accept and night

kill=0 drawn=0
what=setup
run_ms=$(took run "$suite" --out="$work/whole" --seed=5 --jobs=2)
does run "$suite" --out="$work/other" --seed=6
mkdir -p "$work/old" "$work/new"
does accept "$work/whole" --out="$work/old/kills.csv"
[ "$code" = 0 ] || breaks "the first accept: exit status $code"
cp "$work/old/kills.csv" "$work/new/"
accept_ms=$(took accept "$work/other" --out="$work/new/kills.csv" --reason=kills)
old_sum=$(accepted "$work/old/kills.csv")
new_sum=$(accepted "$work/new/kills.csv")
does accepted verify "$work/old/kills.csv" --max-age=36500d
verify_code=$code
[ "$old_sum" != "$new_sum" ] || breaks "both runs are accepted as the same numbers"

finished=0

printf '%-9s %8s %10s %8s\n' what kills 'too late' broken
left=$number
kinds=$#
for what in "$@"; do
  late=0
  before=$broken
  path=/nowhere libraries=
  case $what in
    run | accept) ;;
    *) "begin_$what" ;;
  esac
  kills=$((left / kinds))
  left=$((left - kills))
  kinds=$((kinds - 1))
  for kill in $(seq 1 "$kills"); do
    out=$work/$what.$kill
    "kill_$what"
    rm -rf "$out" "$out.unfinished" "$out.page"
  done
  printf '%-9s %8d %10d %8d\n' "$what" "$kills" "$late" $((broken - before))
done
[ "$broken" = 0 ]
