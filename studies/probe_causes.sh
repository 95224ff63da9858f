#!/bin/sh
# probe_causes.sh RUN [BIN] - what `solgate explain` names for each variant of a run, against the
# base, and what is there: RUN/expect.csv (family,variant,kind,causes), or "Expect: NAME, NAME." at
# the head of kernels/probe/VARIANT.cu. Of kind `known` is what a mechanism makes slower by 2 % or
# more: is it first, within two, and, where the time is split, its share within 25 points of 100?
# `unknown`: as much, by a mechanism that has no row: no more than half of the added time is under a
# cause that is none of `causes`. `none`: as fast, or the same code: nothing is named. Prints a line
# a pair, a table of what is first in place of each, and the sums. Exit 0 if 9 of 10 of the known
# are right first, 2 if not.
set -eu
export LC_ALL=C
tree=$(cd "$(dirname "$0")/.." && pwd)
run=$1
bin=${2:-build-release/bin}

expected() {
  if [ -e "$run/expect.csv" ]; then
    tail -n +2 "$run/expect.csv"
    return
  fi
  for file in "$tree"/kernels/probe/*.cu; do
    causes=$(tr '\n' ' ' <"$file" | sed -n 's/.*Expect: \([^.]*\)\..*/\1/p' | sed 's/  *\* / /g; s/^ *//; s/, */;/g')
    [ -z "$causes" ] || echo "probe,$(basename "$file" .cu),known,$causes"
  done
}

expected | while IFS=, read -r family variant kind causes; do
  awk -F, -v family="$family" -v variant="$variant" -v kind="$kind" '
    $1 == family && $3 == variant && $4 == "time_ratio" && $10 == "ok" && (kind == "none" || $6 >= 1.02) { print $2, $6 }' "$run/run.csv" |
    while read -r case ratio; do
      "$bin/solgate" explain "$run" "$family/$case" base "$variant" --format=csv |
        awk -v pair="$variant,$family/$case,$kind" -v ratio="$ratio" -v expected="$causes" '
          NR == 1 { next }
          NF == 0 { exit }
          {
            name = $0; rest = $0
            if (sub(/^"/, "", name)) { sub(/".*/, "", name); sub(/^"[^"]*"/, "", rest) } else { sub(/,.*/, "", name); sub(/^[^,]*/, "", rest) }
            sub(/,.*/, "", name)
            split(rest, field, ",")
            cause[++n] = name
            is_split += field[2] != ""
            is_open = sub(/^not explained: /, "", name)
            if (index(";" expected ";", ";" name ";")) { points += field[2]; if (!at) at = n }
            else if (!is_open) other += field[2] == "" ? 100 * (ratio - 1) : field[2]
          }
          END {
            all = ratio - 1
            printf "%s,%d,%s,%.0f,%s;%s\n", pair, at, (n == 0 || is_split ? sprintf("%.0f", points / all) : "-"), other / all,
              (n > 0 ? cause[1] : "none"), (n > 1 ? cause[2] : "none")
          }'
    done
done | awk -F, '
  function add(mechanism) { if (!(mechanism in pairs)) order[++mechanisms] = mechanism; return mechanism }
  {
    split($7, named, ";")
    all[$3]++
    if ($3 == "none") is = named[1] == "none"
    else if ($3 == "unknown") is = $6 <= 50
    else is = $4 == 1
    right[$3] += is
    printf "%-6s  %s %s: %s; %s; share %s %%\n", is ? "right" : $3 == "known" && $4 == 2 ? "second" : "wrong", $1, $2, named[1], named[2], $5
    if ($3 != "known") next
    m = add($1); near = $5 != "-" && $5 >= 75 && $5 <= 125
    pairs[m]++; first[m] += $4 == 1; two[m] += $4 == 1 || $4 == 2; split_time[m] += $5 != "-"; shares[m] += near
    all_two += $4 == 1 || $4 == 2; all_split += $5 != "-"; all_near += near
    if ($4 != 1) instead[m] = instead[m] (instead[m] == "" ? "" : "; ") named[1]
  }
  END {
    print "| mechanism | pairs | first | within two | share within 25 points | first in place of it |\n|---|---|---|---|---|---|"
    for (i = 1; i <= mechanisms; i++) {
      m = order[i]
      printf "| %s | %d | %d | %d | %d of %d | %s |\n", m, pairs[m], first[m], two[m], shares[m], split_time[m], instead[m]
    }
    printf "%d of %d first, %d within two; of %d the time is split, the share of %d is within 25 points of 100\n", right["known"],
      all["known"], all_two, all_split, all_near
    if (all["unknown"]) printf "%d of %d unknown ones have no more than half of it under another cause\n", right["unknown"], all["unknown"]
    if (all["none"]) printf "%d of %d that are as fast have no cause\n", right["none"], all["none"]
    exit 10 * right["known"] < 9 * all["known"] ? 2 : 0
  }'
