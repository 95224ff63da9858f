#!/bin/sh
# Where accepted numbers are read from and written to: --baselines, SOLGATE_BASELINES, ./baselines,
# those that came with solgate. What is installed is never written to.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
hand=$tree/tests/data/hand
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
unset SOLGATE_HOME SOLGATE_BASELINES

# As `cmake --install` lays it out, outside of any tree.
prefix=$scratch/prefix
mkdir -p "$prefix/bin" "$prefix/share/solgate/baselines" "$scratch/here"
cp "$bin/solgate" "$bin/solgate-worker" "$bin/libsg_null.so" "$prefix/bin"
for part in metrics kernels reports; do
  ln -s "$tree/$part" "$prefix/share/solgate/$part"
done
cp "$hand"/baselines/hand.csv "$prefix/share/solgate/baselines"
(cd "$prefix" && find . -type f -exec cksum {} +) >"$scratch/installed"
solgate=$prefix/bin/solgate
cd "$scratch/here"

# expect SENTENCE CODE WORD COMMAND...
expect() {
  sentence=$1 code=$2 word=$3 found=0
  shift 3
  "$@" >"$scratch/out" 2>&1 </dev/null || found=$?
  if [ "$found" != "$code" ] || ! tr -s ' \n' ' ' <"$scratch/out" | grep -qF -e "$word"; then
    echo "FAILED: $sentence: exit code $found, should be $code, with '$word'"
    sed 's/^/    /' "$scratch/out"
    failures=$((failures + 1))
  fi
}

expect "without a folder here the installed numbers are read" 0 "against $prefix/share/solgate/baselines/hand.csv" \
  "$solgate" compare "$hand/clean"
expect "and doctor names them" 77 "accepted $prefix/share/solgate/baselines" "$solgate" doctor
expect "with the folder that accept writes to" 77 "accept baselines" "$solgate" doctor
expect "accepting makes it" 0 "baselines/hand.csv: " "$solgate" accept "$hand/clean"
[ -f baselines/hand.csv ] || { echo "FAILED: nothing stands in ./baselines" && failures=$((failures + 1)); }
expect "which is then read first" 0 "against baselines/hand.csv" "$solgate" compare "$hand/clean"
expect "and named by doctor" 77 "accepted baselines, then $prefix" "$solgate" doctor
expect "and by show" 0 "baselines/hand.csv" "$solgate" accepted show
expect "and found by its short name" 0 "baselines/hand.csv" "$solgate" accepted show h200/hand

expect "a folder that is named is the only one" 3 "$scratch/other/hand.csv: no accepted numbers of h200 yet" \
  "$solgate" compare "$hand/clean" --baselines="$scratch/other"
expect "accept writes there" 0 "$scratch/other/hand.csv: " "$solgate" accept "$hand/clean" --baselines="$scratch/other"
expect "and compare reads there" 0 "against $scratch/other/hand.csv" "$solgate" compare "$hand/clean" --baselines="$scratch/other"
expect "so does report" 0 "index.html" "$solgate" report "$hand/clean" --baselines="$scratch/other" --tables-only --out=R
grep -q "$scratch/other/hand.csv" R/report.md || { echo "FAILED: the report is not against those" && failures=$((failures + 1)); }
expect "the variable does the same" 0 "against $scratch/other/hand.csv" env SOLGATE_BASELINES="$scratch/other" \
  "$solgate" compare "$hand/clean"
expect "the option outweighs it" 3 "$scratch/third/hand.csv" env SOLGATE_BASELINES="$scratch/other" \
  "$solgate" compare "$hand/clean" --baselines="$scratch/third"
expect "ceilings stand there too" 0 "written to $scratch/other/h200/ceilings.csv" "$solgate" doctor --ceilings --model --suite=smoke \
  --from="$tree/tests/data/h200/clean" --baselines="$scratch/other"
expect "where gap finds them" 0 "baselines/h200/ceilings.csv" env SOLGATE_BASELINES="$scratch/other" "$solgate" gap "$tree/tests/data/h200/clean"
expect "the name of a folder is not empty" 4 "expected a folder" "$solgate" compare "$hand/clean" --baselines=

# Nor is a clone, from elsewhere: its baselines/ stand beside its build.
clone=$scratch/clone
mkdir -p "$clone/build/bin" "$clone/baselines" "$scratch/there"
cp "$bin/solgate" "$bin/solgate-worker" "$bin/libsg_null.so" "$clone/build/bin"
for part in metrics kernels reports; do
  ln -s "$tree/$part" "$clone/$part"
done
cd "$scratch/there"
expect "a clone is not written to from elsewhere" 0 "baselines/hand.csv: " "$clone/build/bin/solgate" accept "$hand/clean"
if [ ! -f baselines/hand.csv ] || [ -n "$(ls "$clone/baselines")" ]; then
  echo "FAILED: accepted numbers stand in the clone: $(ls "$clone/baselines")"
  failures=$((failures + 1))
fi
cd "$clone"
expect "but by who stands there" 0 "baselines/hand.csv: " build/bin/solgate accept "$hand/clean"
[ -f baselines/hand.csv ] || { echo "FAILED: nothing stands in the clone" && failures=$((failures + 1)); }

(cd "$prefix" && find . -type f -exec cksum {} +) | cmp -s - "$scratch/installed" || {
  echo "FAILED: what is installed was written to"
  failures=$((failures + 1))
}
[ "$failures" = 0 ]
