#!/bin/sh
# probe_causes.sh RUN [BIN] - what `solgate explain` names for each pair of a run of the suite probe
# that is slower by 2 % or more, against the mechanism that the pair has: "Expect: NAME, NAME." at
# the head of kernels/probe/VARIANT.cu, or, where the code that was recorded does something else,
# the line of the pair in RUN/expect.csv. Prints a line a pair; a table of how many are right first
# and within two, of how many the share is within 25 points of 100, and of what is first in place of
# it; and the sums. Exit 0 if 9 of 10 are right first, 2 if not.
set -eu
export LC_ALL=C
tree=$(cd "$(dirname "$0")/../.." && pwd)
run=$1
bin=${2:-build-release/bin}

for file in "$tree"/kernels/probe/*.cu; do
  variant=${file##*/}
  variant=${variant%.cu}
  of_source=$(tr '\n' ' ' <"$file" | sed -n 's/.*Expect: \([^.]*\)\..*/\1/p' | sed 's/  *\* / /g; s/^ *//; s/, */;/g')
  [ -n "$of_source" ] || continue
  awk -F, -v variant="$variant" '$3 == variant && $4 == "time_ratio" && $10 == "ok" && $6 >= 1.02 { print $2, $6 }' "$run/run.csv" |
    while read -r case ratio; do
      expected=$of_source
      [ ! -e "$run/expect.csv" ] || expected=$(awk -F, -v case="$case" -v variant="$variant" -v expected="$of_source" \
        '$1 == case && $2 == variant { expected = $3 } END { print expected }' "$run/expect.csv")
      "$bin/solgate" explain "$run" "probe/$case" base "$variant" --format=csv |
        awk -v pair="$variant,$case" -v ratio="$ratio" -v expected="$expected" -v of_source="$of_source" '
          NR == 1 { next }
          NF == 0 { exit }
          {
            name = $0; rest = $0
            if (sub(/^"/, "", name)) { sub(/".*/, "", name); sub(/^"[^"]*"/, "", rest) } else { sub(/,.*/, "", name); sub(/^[^,]*/, "", rest) }
            sub(/,.*/, "", name); split(rest, field, ",")
            cause[++n] = name
            if (index(";" expected ";", ";" name ";")) { points += field[2]; if (!at) at = n }
            if (!by_name && index(";" of_source ";", ";" name ";")) by_name = n
          }
          END {
            share = points / (ratio - 1)
            printf "%s,%d,%d,%.0f,%s,%s\n", pair, at, by_name, share, (n > 0 ? cause[1] : "none"), (n > 1 ? cause[2] : "none")
          }'
    done
done | awk -F, '
  {
    verdict = $3 == 1 ? "first" : $3 == 2 ? "second" : "wrong"
    printf "%-6s  %s %s: %s; %s; share %d %%\n", verdict, $1, $2, $6 , $7, $5
    if (!($1 in pairs)) order[++variants] = $1
    pairs[$1]++; first[$1] += $3 == 1; two[$1] += $3 == 1 || $3 == 2; near[$1] += $5 >= 75 && $5 <= 125
    if ($3 != 1) else_first[$1] = else_first[$1] (else_first[$1] == "" ? "" : ", ") $6
    all++; all_first += $3 == 1; all_two += $3 == 1 || $3 == 2; all_near += $5 >= 75 && $5 <= 125
    name_first += $4 == 1; name_two += $4 == 1 || $4 == 2
  }
  END {
    print "| mechanism | pairs | first | within two | share within 25 points | first in place of it |\n|---|---|---|---|---|---|"
    for (i = 1; i <= variants; i++)
      printf "| %s | %d | %d | %d | %d | %s |\n", order[i], pairs[order[i]], first[order[i]], two[order[i]], near[order[i]], else_first[order[i]]
    printf "by the names of sources alone: %d first, %d within two\n", name_first, name_two
    printf "%d of %d first, %d within two; the share of %d is within 25 points of 100\n", all_first, all, all_two, all_near
    exit 10 * all_first < 9 * all ? 2 : 0
  }'
