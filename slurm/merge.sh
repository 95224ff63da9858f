#!/bin/sh
# merge.sh NIGHT SUITE [OPTION...] - the last job of night.sh, without a GPU: joins the parts to the
# run NIGHT/run, judges the run, adds it to the history unless a shard is missing, and writes its
# report and NIGHT/night.txt. The line #SBATCH is yours to change.
#SBATCH --cpus-per-task=1 --time=60 --no-requeue
set -eu
night=$1
shift
join() {
  set --
  for env in "$night"/parts/*/*/*/env.csv; do
    [ -e "$env" ] || { echo "no part was measured: look at $night/log" && return; }
    set -- "$@" "${env%/env.csv}"
  done
  solgate merge "$@" --out="$night/run" 2>&1
}

rm -rf "$night/run"
words=$(join) || true # where a shard is missing, the verdict of the run says so
echo "$words"
if [ -e "$night/run/env.csv" ]; then
  solgate nightly "$@" --run="$night/run"
else
  printf 'OPEN (exit 3): merge: %s\n' "$words" >"$night/night.txt"
fi
