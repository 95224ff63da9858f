#!/bin/sh
# test_slurm.sh BIN [--all] - slurm/night.sh on an emulated cluster of four nodes with two GPUs: a
# night in 16 parts ends as the same night on one GPU does. Each part is there once, whatever
# happens to a node or a task. --all: a node is lost ten times, and tasks meet their time limit.
# Not under sanitizers: only scripts and Slurm are new here, and tasks have deadlines.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
solgate=$(cd "$1" && pwd)/solgate
# shellcheck source=tests/cli/slurm_lib.sh
. "$tree/tests/cli/slurm_lib.sh"
slurm_needs
needs_compiler
mode=${2-} shards=16
unset SOLGATE_HISTORY
export SOLGATE_BUILDS="$work/store" SOLGATE_BASELINES="$work/accepted"
trap 'slurm_stop; rm -rf "$work"' EXIT
trap 'exit 1' TERM INT
cd "$work"
mkdir bin hold
# shellcheck source=tests/cli/no_charts.sh
. "$tree/tests/cli/no_charts.sh"
PATH=$work/bin:$PATH

# The scheduler's own --wait looks again after up to 30 s.
sbatch=$(command -v sbatch)
cat >bin/sbatch <<EOS
#!/bin/sh
[ "\$1" = --wait ] || exec "$sbatch" "\$@"
shift
job=\$("$sbatch" --parsable "\$@") || exit
while squeue -h -j "\$job" -o %T 2>/dev/null | grep -qvE 'COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL'; do sleep 0.2; done
EOS
# A simulated GPU is named by its place in the cluster. A shard in `hold` waits before it measures,
# so that the test can disturb it. `begun.SHARD` has a line for each try: the node, and part.sh.
cat >bin/solgate <<EOS
#!/bin/sh
if [ -n "\${SLURM_ARRAY_TASK_ID-}" ]; then
  export SOLGATE_NULL_UNIT="\${SLURMD_NODENAME}_\$SLURM_JOB_GPUS"
  echo "\$SLURMD_NODENAME \$PPID" >>"$work/begun.\$SLURM_ARRAY_TASK_ID"
  tries=0
  while [ -e "$work/hold/\$SLURM_ARRAY_TASK_ID" ] && [ \$tries -lt 600 ]; do
    tries=\$((tries + 1))
    sleep 0.1
  done
fi
[ ! -e "$work/no_locks.so" ] || export LD_PRELOAD="$work/no_locks.so"
exec "$solgate" "\$@"
EOS
chmod +x bin/*
# As on a file system without locks.
cat >no_locks.c <<'C'
#include <errno.h>
int flock(int descriptor, int operation);
int flock(int descriptor, int operation)
{
    (void)descriptor, (void)operation;
    errno = ENOLCK;
    return -1;
}
C
cat >module.c <<'C'
#include <string.h>

#include "doubling.h"

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)knob;
    return (struct sg_simulation){.time_ns = variant[0] == 's' && c->name[0] == 'e' ? 40000 * BY : 40000, .clock_exponent = 1};
}

static void launch(const struct sg_launch *l)
{
    doubling_launch(l);
    if (WRONG && l->c->name[0] == 'f')
        ((float *)l->buffer[1])[7] += 1;
}

static const struct sg_case cases[] = {DOUBLING_CASE("a"), DOUBLING_CASE("b"), DOUBLING_CASE("c"), DOUBLING_CASE("d"),
                                       DOUBLING_CASE("e"), DOUBLING_CASE("f"), DOUBLING_CASE("g"), DOUBLING_CASE("h"),
                                       DOUBLING_CASE("i"), DOUBLING_CASE("j"), DOUBLING_CASE("k"), DOUBLING_CASE("l")};
static const struct sg_family family = {DOUBLING_FIELDS(cases), .simulate = simulate};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant slow = {.summary = "slower or wrong in other builds", .role = SG_CANDIDATE, .launch = launch};
static const struct sg_named_variant variants[] = {{"base", &base}, {"slow", &slow}};

DOUBLING_MODULE("f", family, variants)
C
cat >s.suite <<'SUITE'
[suite]
title     = twelve cases
tolerance = 0.5%
metrics   = quick
processes = 10
blocks    = 12

[f]
SUITE
defaults BY=1.0 WRONG=0
for build in accepted same regressed broken; do
  case $build in regressed) option=-DBY=1.03 ;; broken) option=-DWRONG=1 ;; same) option=-O2 ;; *) option=-O0 ;; esac
  build_module $build.so $option
done
run 0 s.suite --module=accepted.so --out=first
"$solgate" accept first --module=accepted.so >stdout 2>stderr || fail "accept"
"$solgate" init --slurm >stdout || fail "init --slurm"

give_up() { fail "$*: $(squeue 2>&1)" && exit 1; }

# one_gpu BUILD: the exit code of a night of this build on one GPU
one_gpu() {
  code=0
  PATH=/nowhere "$solgate" nightly s.suite --module="$1.so" --out="one.$1" --seed=3 >stdout 2>stderr || code=$?
  echo "$code"
}

# night NAME BUILD [SBATCH-OPTION...]: in the background; its number is $night
night() {
  name=$1 build=$2
  shift 2
  mkdir -p "history.$name"
  slurm/night.sh "$name" $shards --gres=gpu:h100:1 "$@" -- s.suite --module="$build.so" --history="history.$name" --seed=3 >"$name.out" 2>"$name.err" &
  night=$!
}

# ended NUMBER NAME EXIT: the night ends so, its first line says so, and parts and merge agree
ended() {
  code=0
  wait "$1" || code=$?
  cp "$2.out" stdout
  cp "$2.err" stderr
  [ "$code" = "$3" ] || fail "$2: exit $code instead of $3"
  head -n 1 "$2/night.txt" | grep -q "(exit $3): " || fail "$2: night.txt begins with: $(head -n 1 "$2/night.txt")"
  cmp -s "$2/night.txt" "$2.out" || fail "$2: night.txt is not printed"
}

# whole NAME: all parts are in the merged run, each once, and it is the one night in the history
whole() {
  [ "$(sed 1d "$1/run/parts.csv" | cut -d, -f2 | sort -u | wc -l)" = $shards ] && [ "$(wc -l <"$1/run/parts.csv")" = $((shards + 1)) ] ||
    fail "$1: not each shard once: $(cat "$1/run/parts.csv")"
  [ "$(find "history.$1" -name '*.csv' | wc -l)" = 1 ] || fail "$1: not one night in the history"
  [ "$(grep -c ',time,' "$1/run/run.csv")" = 24 ] || fail "$1: the run has $(grep -c ',time,' "$1/run/run.csv") times instead of 24"
}

slurm_start 4 2
began=$(date +%s)

# ---- as on one GPU

same=$(one_gpu same) regressed=$(one_gpu regressed) broken=$(one_gpu broken)
[ "$same $regressed $broken" = "0 1 5" ] || fail "nights on one GPU end with $same $regressed $broken"
numbers=
for build in same regressed broken; do
  night $build $build
  numbers="$numbers $night"
done
# shellcheck disable=SC2086 # three numbers
set -- $numbers
ended "$1" same 0
ended "$2" regressed 1
ended "$3" broken 5
whole same
whole regressed
grep -q 'f/e/slow.*slower' regressed/night.txt || fail "the regressed row is not named"
[ "$(sed 1d same/run/units.csv | wc -l)" -gt 1 ] || fail "all parts were measured on one GPU"

# What cannot be measured has no verdict. A folder is for one nightly run.
refused() {
  code=0
  slurm/night.sh refused%j "${shards_wanted-1}" "$@" >stdout 2>stderr || code=$?
}
refused --gres=gpu:b200:1 -- s.suite
[ "$code" = 4 ] && says 'Requested node configuration is not available' || fail "a GPU that no node has: exit $code"
refused -- nowhere.suite
[ "$code" = 3 ] && prints 'OPEN (exit 3): merge: no part was measured: look at' || fail "a suite that is nowhere: exit $code"
[ -s refused%j/log/merge.txt ] || fail "Slurm expands % in the name of the folder"
shards_wanted=10000 refused -- s.suite
[ "$code" = 4 ] && says 'not a number from 1 to 9999' || fail "a senseless number of shards: exit $code"
refused --
[ "$code" = 4 ] && says 'no SUITE behind --' || fail "no suite: exit $code"
night same same
wait "$night" && fail "a second nightly run in a folder ends with 0"
grep -q 'same has all shards and a verdict' same.err || fail "a second nightly run in a folder is not refused: $(cat same.err)"
[ -e same/night.txt ] || fail "its verdict is gone"

# ---- tasks and nodes that are lost, without locks

# begun SHARD TIMES: so many tries of the shard have begun
begun() { [ "$(cat "begun.$1" 2>/dev/null | wc -l)" -ge "$2" ]; }
node_of() { cut -d ' ' -f 1 "begun.$1"; }
job_of() { sed -n 's/^night.sh: job \([0-9]*\) .*/\1/p' "$1.err"; }
tries_of() { grep -ls '^state,finished$' "$1/tries/$2".*/*/*/env.csv "$1/parts/$2"/*/*/env.csv | wc -l; }

# lose NAME: a night that loses the node of shard 0 while its tasks live on. Two tasks on
# other nodes begin again, as after preemption and before a time limit; a third one is cancelled.
lose() {
  name=$1
  rm -f begun.*
  touch hold/0 hold/1 hold/2 hold/3 hold/4 hold/5 hold/6 hold/7
  night "$name" same
  for i in 0 1 2 3 4 5 6 7; do slurm_until 30 begun $i 1 || give_up "$name: shard $i does not begin"; done
  job=$(job_of "$name") lost=$(node_of 0) on_lost='' on_others=''
  for i in 0 1 2 3 4 5 6 7; do
    if [ "$(node_of $i)" = "$lost" ]; then on_lost="$on_lost $i"; else on_others="$on_others $i"; fi
  done
  # shellcheck disable=SC2086 # numbers
  set -- $on_others
  preempted=$1 timed=$2 cancelled=$3
  slurm_lose "$lost"
  scontrol requeue "${job}_$preempted"
  kill -USR1 "$(cut -d ' ' -f 2 "begun.$timed")" # what --signal=B:USR1@90 does; scancel waits here
  scancel "${job}_$cancelled"
  shift 3
  for i in "$@"; do rm "hold/$i"; done
  for i in $on_lost $preempted $timed; do slurm_until 30 begun "$i" 2 || give_up "$name: shard $i does not begin again"; done
  rm -f hold/*
  ended "$night" "$name" 3
  grep -q "because shards are missing: $cancelled/$shards\$" "$name/night.txt" || fail "$name: the missing shard $cancelled is not named"
  [ -z "$(find "history.$name" -name '*.csv')" ] || fail "$name: a night without a shard is in the history"
  night "$name" same
  ended "$night" "$name" 0
  [ "$(sed -n 's/.* measures shards //p' "$name.err")" = "$cancelled of $shards" ] || fail "$name: more is measured than is missing"
  whole "$name"
  for i in $on_lost; do
    [ "$(tries_of "$name" "$i")" = 2 ] || fail "$name: not both tries of shard $i ended"
  done
}

"$cc" -shared -fPIC -o no_locks.so no_locks.c
lose lost
if [ "$mode" = --all ]; then
  for repeat in 1 2 3 4 5 6 7 8 9; do
    slurm_return "$lost" || give_up "the node $lost does not come back"
    [ $repeat != 5 ] || rm no_locks.so
    lose lost.$repeat
    # shellcheck disable=SC2154 # set by slurm_start
    echo "$name: lost $lost with the shards$on_lost"
  done
  rm -f begun.* no_locks.so
  touch hold/0
  night limit same --time=1 --signal=B:USR1@30
  slurm_until 180 begun 0 2 || give_up "a task that meets its time limit does not begin again"
  rm hold/0
  ended "$night" limit 0
  whole limit
fi
echo "$(($(date +%s) - began)) s"
[ "$failures" = 0 ]
