#!/bin/sh
# gate.sh [BASE] - may this be merged into BASE (default: main)? Builds BASE and the files here,
# gates each variant that was not built the same, and prints Markdown: the worst row of each family,
# with all rows folded. The last line has the verdict of the whole: fold.sh. A family that only one
# of the two has is not compared: 3.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR/..
. ci/fold.sh
base=${1:-main} below=$(git rev-parse --show-prefix) # commits are built at the top of the repository
before=$(mktemp -d)
trap 'rm -rf "$before"; close "gate against $base" "**"' EXIT
trap 'failed=130; exit' INT TERM
mkdir -p out "$before/tree"
mine=$(families . build)
failed=4
git archive "$base" | tar -x -C "$before/tree"
failed=3
theirs=$(families "$before/tree" "$before/build" 2>/dev/null) || {
  theirs=$mine
  tell "$base cannot be configured, so no family that went is named"
}
case $(echo $mine) in *' '*) several=y ;; *) several= ;; esac
for family in $mine; do
  code=0
  if has "$family" "$theirs"; then
    solgate ab --commits="$base" "$family" --module="${below}build/libsg_$family.so" --out="$(mktemp -d out/gate-XXXXXX)" \
      --build="${below:+cd '$below' && }cmake -S . -B build && cmake --build build --target sg_$family" --format=markdown >"$before/report" || code=$?
    line=$(head -n 1 "$before/report" | tr -d '*')
    [ -z "$several" ] || printf '\n<details><summary>%s</summary>\n\n' "${line:-$family}"
    awk '/^(BASE|[*][*](PASS|FAIL|OPEN)) / && NR > 1 && !open++ { print "<details><summary>all rows</summary>\n" }
      { print } END { if (open) print "\n</details>" }' "$before/report"
    [ -z "$several" ] || printf '\n</details>\n'
    judged "$code" "$family"
  else
    count 3 "$family is new"
  fi
done
for family in $theirs; do
  has "$family" "$mine" || count 3 "$family is no longer added"
done
[ -n "$told" ] || count 3 'no family can be built here'
failed=
