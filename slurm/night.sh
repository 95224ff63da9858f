#!/bin/sh
# night.sh NIGHT SHARDS [SBATCH-OPTION...] -- SUITE [OPTION...] - a nightly run in SHARDS parts,
# each on one GPU of a Slurm cluster. All files go to NIGHT, a folder that all nodes see.
#
#     slurm/night.sh out/nights/$(date +%F) 16 --gres=gpu:h100:1 -- SUITE --module=FILE
#
# Options before -- are of sbatch, for the parts: a model of GPU, or --exclude=NODE for a sick node.
# Options after -- are of `solgate nightly`. Variables such as SBATCH_PARTITION are for all jobs.
#
# Waits for the verdict, prints NIGHT/night.txt and ends with its exit code; the jobs go on if
# night.sh is stopped. With the same NIGHT again only the shards are measured that are missing.
set -eu
refuse() {
  echo "night.sh: $1; expected: night.sh NIGHT SHARDS [SBATCH-OPTION...] -- SUITE [OPTION...]" >&2
  exit 4
}
here=$(cd "$(dirname "$0")" && pwd) shards=${2-}
case $shards in '' | 0* | *[!0-9]* | ?????*) refuse "SHARDS is '$shards', not a number from 1 to 9999" ;; esac
mkdir -p "$1/parts" "$1/tries" "$1/log" || exit 3
night=$(cd "$1" && pwd)
log=$(echo "$night/log" | sed 's/%/%%/g') # Slurm expands % in --output
shift 2
options=0 # of sbatch
for word in "$@"; do
  [ "$word" != -- ] || break
  options=$((options + 1))
done
[ $# -gt $((options + 1)) ] || refuse "no SUITE behind --"

# submit_parts ARRAY [SBATCH-OPTION...] -- WORD...: prints the number of the job
submit_parts() {
  array=$1 at=0
  shift
  for word in "$@"; do
    shift
    if [ $at = $options ]; then set -- "$@" "$here/part.sh" "$night" "$shards"; else set -- "$@" "$word"; fi
    at=$((at + 1))
  done
  sbatch --parsable --array="$array" --output="$log/%a.txt" "$@"
}

missing='' after=''
for i in $(seq 0 $((shards - 1))); do
  [ -d "$night/parts/$i" ] || missing=$missing${missing:+,}$i
done
[ -n "$missing" ] || [ ! -e "$night/night.txt" ] || refuse "$night has all shards and a verdict"
if [ -n "$missing" ]; then
  job=$(submit_parts "$missing" "$@") || exit 4
  after=afterany:${job%%;*},
  echo "night.sh: job ${job%%;*} measures shards $missing of $shards" >&2
fi
shift $((options + 1))
rm -f "$night/night.txt"
# One merge of this night at a time; night.txt has its exit code.
sbatch --wait --job-name="merge $night" --dependency="${after}singleton" \
  --output="$log/merge.txt" "$here/merge.sh" "$night" "$@" >&2 || true
cat "$night/night.txt" || echo "night.sh: $night has no verdict; $night/log/merge.txt has the reason" >&2
code=$(sed -n '1s/^[A-Z]* (exit \([0-9]*\)).*/\1/p' "$night/night.txt") || true
exit "${code:-3}"
