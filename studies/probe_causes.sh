#!/bin/sh
# probe_causes.sh RUN [BIN] - what `solgate explain` names for each variant of a run, against the
# base, and what is there: RUN/expect.csv (family,variant,kind,causes,against), or "Expect: NAME,
# NAME. Against: VARIANT." at the head of kernels/FAMILY/VARIANT.cu. Of kind `known` is what a
# mechanism makes slower by 2 % or more: is it first, within two, does its +- hold all that was
# added, and, where the time is split, is its share within 25 points of 100?
# `unknown`: as much, by a mechanism that has no row: no more than half of the added time is under a
# cause that is none of `causes`. `none`: as fast, or the same code: nothing is named. Prints a line
# a pair, a table of what is first in place of each, and the sums. Exit 0 if 9 of 10 of the known
# are right first, 2 if not.
set -eu
export LC_ALL=C
tree=$(cd "$(dirname "$0")/.." && pwd)
run=$1
bin=${2:-build-release/bin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expected() {
  if [ -e "$run/expect.csv" ]; then
    tail -n +2 "$run/expect.csv"
    return
  fi
  for file in "$tree"/kernels/probe*/*.cu; do
    tr '\n' ' ' <"$file" | sed 's/  *\* / /g' | awk -v variant="$(basename "$file" .cu)" -v family="$(basename "$(dirname "$file")")" '
      function word(name) { return match($0, name ": [^.]*[.]") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 3) : "" }
      { causes = word("Expect"); gsub(/, */, ";", causes); if (causes) print family "," variant ",known," causes "," word("Against") }'
  done
}

# Each pair reads the rows of its case alone: a run of all cases takes ten times as long to read.
awk -F, -v work="$work" 'NR == 1 { head = $0; next }
  { folder = work "/" $1 "." $2; if (!(folder in has)) { has[folder]; system("mkdir " folder); print head >(folder "/run.csv") } print >(folder "/run.csv") }' "$run/run.csv"
for folder in "$work"/*; do sed '/^digest,/d' "$run/env.csv" >"$folder/env.csv"; done

expected | while IFS=, read -r family variant kind causes against; do
  awk -F, -v family="$family" -v variant="$variant" -v against="$against" -v kind="$kind" '
    $1 == family && $3 == against && $4 == "time_ratio" { of[$2] = $6 }
    $1 == family && $3 == variant && $4 == "time_ratio" && $10 == "ok" { ratio[$2] = $6; order[++n] = $2 }
    END { for (i = 1; i <= n; i++) { r = ratio[order[i]] / (order[i] in of ? of[order[i]] : 1); if (kind == "none" || r >= 1.02) print order[i], r } }' "$run/run.csv" |
    while read -r case ratio; do
      printf '@%s,%s/%s,%s\t%s\t%s\n' "$variant" "$family" "$case" "$kind" "$ratio" "$causes"
      "$bin/solgate" explain "$work/$family.$case" "$family/$case" "${against:-base}" "$variant" --format=csv
    done
done | awk -F '\t' '
  function finish() {
    all = ratio - 1
    off = points - 100 * all
    holds = at && error != "" ? (off <= error && -off <= error) : "-"
    if (pair != "") printf "%s,%d,%s,%.0f,%s;%s,%s,%d\n", pair, at, (n == 0 || is_split ? sprintf("%.0f", points / all) : "-"), other / all,
      (n > 0 ? cause[1] : "none"), (n > 1 ? cause[2] : "none"), holds, sum <= 105 * all + 0.1
    n = at = sum = is_split = points = other = is_over = 0
    error = ""
  }
  /^@/ { finish(); pair = substr($1, 2); ratio = $2; expected = $3; getline; next }
  NF == 0 { is_over = 1 }
  is_over { next }
  {
    name = $0; rest = $0
    if (sub(/^"/, "", name)) { sub(/".*/, "", name); sub(/^"[^"]*"/, "", rest) } else { sub(/,.*/, "", name); sub(/^[^,]*/, "", rest) }
    sub(/,.*/, "", name)
    split(rest, field, ",")
    sum += field[2]
    if (field[2] + 0 < 0) next # saved elsewhere
    cause[++n] = name
    is_split += field[2] != ""
    is_open = sub(/^not explained: /, "", name)
    if (index(";" expected ";", ";" name ";")) { points += field[2]; if (!at) { at = n; error = field[3] } }
    else if (!is_open) other += field[2] == "" ? 100 * (ratio - 1) : field[2]
  }
  END { finish() }' | awk -F, '
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
    if ($8 != "-") { held += $8; with_error++ }
    m = add($1); near = $5 != "-" && $5 >= 75 && $5 <= 125
    pairs[m]++; first[m] += $4 == 1; two[m] += $4 == 1 || $4 == 2; split_time[m] += $5 != "-"; shares[m] += near
    all_two += $4 == 1 || $4 == 2; all_split += $5 != "-"; all_near += near; if ($5 != "-") within += $9
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
    printf "of %d the +- of %d holds it, %.0f %%; causes are within 105 %% of it in %d of %d\n", with_error, held, 100 * held / with_error, within, all_split
    if (all["unknown"]) printf "%d of %d unknown ones have no more than half of it under another cause\n", right["unknown"], all["unknown"]
    if (all["none"]) printf "%d of %d that are as fast have no cause\n", right["none"], all["none"]
    exit 10 * right["known"] < 9 * all["known"] ? 2 : 0
  }'
