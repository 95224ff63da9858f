#!/bin/sh
# Numbers of a text, which have no spread (tests/data/b200): what compare says of them,
# and when it does not believe them.
set -eu

solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
data=$tree/tests/data/b200
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export SOLGATE_HOME="$tree"
failures=0

# expect SENTENCE CODE COMMAND...: the exit code; what was printed is in $scratch/out.
expect() {
  sentence=$1 code=$2
  shift 2
  found=0
  "$solgate" "$@" >"$scratch/out" 2>&1 </dev/null || found=$?
  [ "$found" = "$code" ] || fail "exit code $found, should be $code"
}

# says TEXT: of the last command.
says() {
  grep -qF -e "$1" "$scratch/out" || fail "'$1' is not said"
}

fail() {
  echo "FAILED: $sentence: $1"
  sed 's/^/    /' "$scratch/out"
  failures=$((failures + 1))
}

# copy NAME SED-SCRIPT: what is timed of greedy/ under another name, its env changed, its
# digest gone; its path is in $copy.
copy() {
  copy=$scratch/$1
  mkdir "$copy"
  sed "/^digest/d; $2" "$data/greedy/env.csv" >"$copy/env.csv"
  grep -v ',m8192_n8192_k1024_256x256,' "$data/greedy/run.csv" >"$copy/run.csv"
}

copy timed ''
timed=$copy

expect "the reverted attempt is found, and its fault before its times" 5 compare "$data/target_5ab_4c" "$data/greedy"
says '2 regressed, 1 broken'
says '45.65 us  49.36 us  +8.1 %  regressed'
says '8.13 % slower than accepted (both are quoted, without a spread) (tolerance 2 %)'
says 'fewer stages: up to 8.1 points: fewer loads are in flight'
says '38.88 us  39.72 us  +2.2 %  regressed'
says '2.16 % slower'
says 'expected ok, found cuda_error: illegal memory access'

expect "markdown has the verdict in a column" 5 compare "$data/target_5ab_4c" "$data/greedy" --format=markdown
says '| 45.65 us | 49.36 us | +8.1 % | regressed |'

expect "the csv has no interval, no resolution and no q where there was no spread" 5 compare "$data/target_5ab_4c" "$data/greedy" --format=csv
says 'time,ns,45650,49360,0.0812705367,,,0.02,,,regressed,'

expect "quoted numbers that are the same are within" 0 compare "$timed" "$timed"
says '2 within'
expect "and the csv says within what" 0 compare "$timed" "$timed" --format=csv
says '"within 2 % of accepted (both are quoted, without a spread)"'

copy wide 's/^tolerance,0.02/tolerance,0.022/'
expect "the tolerance alone decides, that of what stands for accepted numbers" 5 compare "$data/target_5ab_4c" "$copy"
says '1 regressed, 1 broken'
says '1 within'
expect "and never the run's own" 5 compare "$data/target_5ab_4c" "$timed"
says '2 regressed, 1 broken'

copy measured 's/^time_source,quoted/time_source,cuda_event/'
expect "what was measured is invalid without its interval" 3 compare "$copy" "$copy"
says 'fewer than 5 processes, or no interval'
for pair in "$copy $timed" "$timed $copy"; do
  # shellcheck disable=SC2086 # two runs
  expect "and is not compared with what is quoted" 3 compare $pair
  says 'not comparable: time_source is '
done

expect "a quoted number is never accepted: it has no batches" 4 accept "$data/greedy" --out="$scratch/accepted.csv"
says 'samples.csv'

[ $failures = 0 ]
