#!/bin/sh
# probe_causes.sh RUN [BIN] - what `solgate explain` names first for each pair of a run of the
# suite probe that is slower by 2 % or more, against the mechanism that the pair has: "Expect:
# NAME, NAME." at the head of kernels/probe/VARIANT.cu. Prints a line a pair and how many are
# right first, and within two. Exit 0 if 9 of 10 are right first, 2 if not.
set -eu
export LC_ALL=C
tree=$(cd "$(dirname "$0")/../.." && pwd)
run=$1
bin=${2:-build-release/bin}

# cause CASE VARIANT N: the N-th line of what is named, without points and limits
cause()
{
  "$bin/solgate" explain "$run" "probe/$1" base "$2" --format=csv | sed -n "$(($3 + 1))s/^\"\{0,1\}\([^,\"]*\).*/\1/p"
}

pairs=0 first=0 second=0
for file in "$tree"/kernels/probe/*.cu; do
  variant=${file##*/}
  variant=${variant%.cu}
  expected=$(tr '\n' ' ' <"$file" | sed -n 's/.*Expect: \([^.]*\)\..*/,\1,/p' | sed 's/  *\* / /g; s/, */,/g')
  [ -n "$expected" ] || continue
  for case in $(awk -F, -v variant="$variant" '$3 == variant && $4 == "time_ratio" && $10 == "ok" && $6 >= 1.02 { print $2 }' "$run/run.csv"); do
    one=$(cause "$case" "$variant" 1)
    two=$(cause "$case" "$variant" 2)
    pairs=$((pairs + 1))
    verdict=wrong
    case $expected in *,"$one",*) verdict=first ;; *,"$two",*) verdict=second ;; esac
    [ $verdict != first ] || first=$((first + 1))
    [ $verdict != second ] || second=$((second + 1))
    echo "$verdict  $variant $case: ${one:-none}; ${two:-none}"
  done
done
echo "$first of $pairs first, $((first + second)) within two"
[ $((10 * first)) -ge $((9 * pairs)) ] || exit 2
