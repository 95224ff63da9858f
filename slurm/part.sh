#!/bin/sh
# part.sh NIGHT SHARDS SUITE [OPTION...] - a task of night.sh: measures a shard on a GPU. The lines
# #SBATCH are yours to change. Let a part take a few minutes: another try begins anew.
#SBATCH --job-name=part --gres=gpu:1 --cpus-per-task=4 --time=30
#SBATCH --requeue --open-mode=append --signal=B:USR1@90
#
# Slurm begins a task anew after preemption. After the loss of a node both tries may live on. So
# each try writes to its own folder, and a rename lets in the first one that ends. No lock is used.
set -eu
night=$1 shards=$2 shard=$SLURM_ARRAY_TASK_ID pid=
shift 2
[ ! -d "$night/parts/$shard" ] || exit 0
try=$(mktemp -d "$night/tries/$shard.XXXXXX")
echo "part.sh: shard $shard of $shards on ${SLURMD_NODENAME-}, try ${try##*.}"

# again REASON: lets Slurm begin anew, twice; then the verdict names the shard as missing
again() {
  echo "part.sh: $1"
  [ "${SLURM_RESTART_COUNT:-0}" -ge 2 ] || scontrol requeue "$SLURM_JOB_ID"
  exit 3
}
trap 'kill "$pid" || true; again "the time limit is near"' USR1

# The run of this try is finished, and a GPU answered if it has items.
is_measured() {
  run=$(echo "$try"/*/*/env.csv) && run=${run%/env.csv}
  grep -qs '^state,finished$' "$run/env.csv" || return 1
  grep -q '^gpu_name,' "$run/env.csv" || [ "$(wc -l <"$run/run.csv")" = 1 ]
}

solgate nightly "$@" --shard="$shard/$shards" --out="$try" & # a signal interrupts `wait` alone
pid=$! code=0
wait "$pid" || code=$?
case $code in
  77) again "no GPU answers" ;;
  0 | 1 | 2 | 3 | 5) is_measured || again "nothing was measured" ;;
  *) exit "$code" ;;
esac
# A rename onto a folder that is not empty fails.
mv -T "$try" "$night/parts/$shard" 2>/dev/null || echo "part.sh: another try of shard $shard was first"
