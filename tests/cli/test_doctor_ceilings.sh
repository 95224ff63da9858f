#!/bin/sh
# Ceilings from end to end, on the simulated GPU and on recorded runs: measured by workers, kept
# where they belong, found by gap and report.
set -eu

solgate=$(cd "$1" && pwd)/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# A home of this test's own: what is measured is written into it.
mkdir "$work/home" "$work/home/baselines"
for folder in metrics kernels reports; do
  ln -s "$tree/$folder" "$work/home/$folder"
done
export SOLGATE_HOME="$work/home"

fail() {
  echo "FAILED: $sentence: $1"
  sed 's/^/    /' "$work/out" | head -n 20
  failures=$((failures + 1))
}

# expect SENTENCE CODE ARGUMENTS...: the exit code; what was printed is in $work/out.
expect() {
  sentence=$1 code=$2
  shift 2
  found=0
  "$solgate" "$@" >"$work/out" 2>&1 </dev/null || found=$?
  [ "$found" = "$code" ] || fail "exit code $found, should be $code"
}

# says TEXT: of the last command.
says() {
  grep -qF -e "$1" "$work/out" || fail "'$1' is not said"
}

# copy RUN NAME: a run under another name, to be edited: without its digest.
copy() {
  cp -R "$1" "$work/$2"
  sed '/^digest/d' "$1/env.csv" >"$work/$2/env.csv"
}

# The null family's work is bound by memory throughout; one variant
# hangs, and costs its deadline alone.
cat >"$work/null.suite" <<'SUITE'
[suite]
title     = ceilings of the simulated GPU
metrics   = registers
processes = 5
blocks    = 4
deadline  = 2s

[null]
case    = middle
variant = faster
variant = hang
SUITE
expect "what the workers measured is said and kept" 0 doctor --ceilings --suite="$work/null.suite" --out="$work/run"
says 'dram     '
says 'null/middle/faster'
says "written to $SOLGATE_HOME/baselines/null/ceilings.csv"
kept=$work/home/baselines/null/ceilings.csv
best=$(awk -F, '$3 == "faster" && $4 == "time" { printf "%.4g", 256 * 256 * 12 / ($6 * 1e-9) }' "$work/run/run.csv")
found=$(awk -F, '$1 == "dram" { printf "%.4g", $3 }' "$kept")
[ "$best" = "$found" ] || fail "kept $found B/s, the run has $best"
[ "$(sed -n 1p "$kept")" = ceiling,unit,value,from,l2,gpu,gpu_name,gpu_uuid_hash,driver,date ] || fail "another header"
[ "$(wc -l <"$kept")" = 2 ] || fail "a ceiling of what was not measured"

expect "what a measured one takes the place of is said" 0 doctor --ceilings --suite="$work/null.suite" --from="$work/run"
sed -n 3p "$work/out" | grep -q 'measured *before' || fail "no column of what the file had"

expect "gap finds them, and says so" 0 gap "$work/run"
says 'measured with a cold L2: DRAM '
says 'baselines/null/ceilings.csv'
grep -Eq 'faster .* (99|100)\.[0-9] %$' "$work/out" || fail 'not a share of the ceiling'
expect "a list of baselines has no ceilings in it" 4 accepted show null/ceilings
expect "nor does a check of all of them stumble over it, or take it for numbers" 3 accepted verify
says 'baselines: no accepted numbers in it'

expect "those of a recorded run are of its GPU" 0 doctor --ceilings --suite=smoke --from="$tree/tests/data/h200/clean"
unit=$(sed -n 's/^gpu_uuid_hash,//p' "$tree/tests/data/h200/clean/env.csv")
says "written to $SOLGATE_HOME/baselines/h200/$unit/ceilings.csv"
expect "or of its model, if that is asked for" 0 doctor --ceilings --model --suite=smoke --from="$tree/tests/data/h200/clean"
says "written to $SOLGATE_HOME/baselines/h200/ceilings.csv"
expect "the GPU's own come first" 0 gap "$tree/tests/data/h200/clean" --format=markdown
says "baselines/h200/$unit/ceilings.csv, GPU $unit"
rm "$work/home/baselines/h200/$unit/ceilings.csv"
expect "then its model's" 0 gap "$tree/tests/data/h200/clean" --format=csv
says ',baselines/h200/ceilings.csv,cold,cold'
expect "another spec has none" 0 gap "$tree/tests/data/h200/clean" --gpu-spec=a100
says 'no measured ceilings'
expect "a report has them too" 0 report "$tree/tests/data/h200/clean" --out="$work/report" --tables-only
grep -q 'measured with a cold L2: DRAM' "$work/report/index.html" || fail "not in index.html"
grep -q ',baselines/h200/ceilings.csv,cold,cold,' "$work/report/gap.csv" || fail "not in gap.csv"
grep -q 'The L2 was' "$work/out" "$work/report/index.html" && fail "a state is called another where it is the same"

# A launch without work in a run with a case of next to none.
copy "$tree/tests/data/h200/clean" floor
{
  cat "$tree/tests/data/h200/clean/run.csv"
  echo 'launch,one_warp,plain,role,,,,,,ok,baseline'
  echo 'launch,one_warp,plain,status,,,,,,ok,'
  echo 'launch,one_warp,plain,time,ns,1311,1300,1322,5,ok,'
  echo 'launch,one_warp,plain,work_write_bytes,B,128,,,,ok,'
} >"$work/floor/run.csv"
expect "without a launch floor its absence is told where a limit is short" 0 gap "$tree/tests/data/h200/clean"
says '2 cases have a limit below 1 us'
expect "the shortest launch of a case with next to no work is the launch floor" 0 doctor --ceilings --model --suite=smoke --from="$work/floor"
grep -q '^launch  *1.311 us  *-  *-  *-  *launch/one_warp/plain$' "$work/out" || fail "it is not in the table"
grep -q '^launch,ns,1311,launch/one_warp/plain,' "$work/home/baselines/h200/ceilings.csv" || fail "it is not kept"
expect "no limit is below it" 0 gap "$tree/tests/data/h200/clean" --case=r64_c64_f32
says 'An empty kernel takes 1.311 us on this GPU'
grep -q '^matvec/r64_c64_f32 .* launch  *1.311 us$' "$work/out" || fail "the launch does not bind"
grep -q 'warp_per_row .* 1.05x ' "$work/out" || fail "the gap is over another limit"
expect "of larger work the limit is as before" 0 gap "$tree/tests/data/h200/clean" --case=r2048_c2048_f32
grep -q '^matvec/r2048_c2048_f32 .* memory  *3.499 us$' "$work/out" || fail "it is not"
expect "what takes its place has none" 0 doctor --ceilings --model --suite=smoke --from="$tree/tests/data/h200/clean"

model=$work/home/baselines/h200/ceilings.csv
sed -i 's/,cold,h200,/,clean,h200,/' "$model"
other='The L2 was cold in this run and clean where the ceilings were measured'
expect "ceilings of another state of the L2 are told as such" 0 gap "$tree/tests/data/h200/clean" --format=markdown
says 'measured with a clean L2: DRAM '
says "$other"
expect "in columns too" 0 gap "$tree/tests/data/h200/clean" --format=csv
says ',baselines/h200/ceilings.csv,cold,clean'
expect "and in a report" 0 report "$tree/tests/data/h200/clean" --out="$work/report" --tables-only
grep -q "$other" "$work/report/index.html" || fail "not in index.html"
copy "$tree/tests/data/h200/clean" unnamed
cp "$model" "$work/before.csv"
sed '/^gpu_uuid_hash,/d; /^digest/d' "$tree/tests/data/h200/clean/env.csv" >"$work/unnamed/env.csv"
expect "one GPU that has no name is not taken for its model" 4 doctor --ceilings --suite=smoke --from="$work/unnamed"
says "$work/unnamed/env.csv: gpu_uuid_hash: expected the hash of the run's GPU, found ''"
says "--from=$work/unnamed --model"
cmp -s "$model" "$work/before.csv" || fail "the model's file is another one now"
echo junk >"$kept"
expect "a run says its speed of light without them" 0 run "$work/null.suite" --out="$work/beside_junk"
grep -q '^null,middle,faster,sol_gap,' "$work/beside_junk/run.csv" || fail "the rows are lost"
expect "and a malformed file is not replaced" 4 doctor --ceilings --suite="$work/null.suite" --from="$work/run"
says "baselines/null/ceilings.csv:1: "
[ "$(cat "$kept")" = junk ] || fail "it is"
rm "$kept"

sed -i '2s/B\/s/GB\/s/' "$work/home/baselines/h200/ceilings.csv"
expect "a malformed file is an error with its line" 4 gap "$tree/tests/data/h200/clean"
says "baselines/h200/ceilings.csv:2: unit: expected B/s, found 'GB/s'"

rm -r "$work/home/baselines/null"
copy "$work/run" busy
echo 'neighbours,2 other processes computed on this GPU' >>"$work/busy/env.csv"
expect "a run that may not be believed has no ceilings" 3 doctor --ceilings --suite="$work/null.suite" --from="$work/busy"
says '2 other processes'
copy "$work/run" fast
sed 's/^\(null,middle,faster,time,ns\),.*/\1,1,1,1,5,ok,,0.01,0.02/' "$work/run/run.csv" >"$work/fast/run.csv"
expect "nor has one with a time that cannot be" 3 doctor --ceilings --suite="$work/null.suite" --from="$work/fast"
says 'null/middle/faster: 1.000 ns for work that takes 786.4 ns at 1.00 TB/s'
[ ! -e "$work/home/baselines/null" ] || fail "something was kept"

expect "a folder without --ceilings means nothing" 4 doctor --out="$work/x"
says '--out needs --ceilings'
expect "measured, or taken from a run" 4 doctor --ceilings --from="$work/run" --out="$work/x"
says '--out cannot go with --from'
expect "a run was of the GPU that it was of" 4 doctor --ceilings --from="$work/run" --gpu=0
says '--gpu cannot go with --from'
expect "a run of another suite has no ceilings" 4 doctor --ceilings --from="$work/run"
says "$work/run/env.csv:5: suite: expected ceiling, found 'null'; --suite=SUITE"
"$solgate" run "$work/null.suite" --variant=faster --out="$work/part" >"$work/out" 2>&1 || fail "no run of a part"
expect "nor has one of a part of the suite" 4 doctor --ceilings --suite="$work/null.suite" --from="$work/part"
says "null.suite:8: expected a row of null/middle/hang in $work/part/run.csv, found none"
[ ! -e "$work/home/baselines/null" ] || fail "something was kept"
rm "$work/home/baselines/h200/ceilings.csv"
copy "$tree/tests/data/h200/clean" warm
sed -i 's/^l2,cold/l2,warm/' "$work/warm/env.csv"
sed -i '/,dram_read_bytes,/d' "$work/warm/run.csv"
expect "a warm L2 says nothing of DRAM" 0 doctor --ceilings --suite=smoke --from="$work/warm"
grep -q '^f32 ' "$work/out" || fail "nor of arithmetic"
grep -q '^dram,' "$work/home/baselines/h200/$unit/ceilings.csv" && fail "it is kept all the same"
expect "a suite that is none" 4 doctor --ceilings --suite=no_such_suite --out="$work/x"
if "$solgate" list families --format=csv | grep -q '^stream,'; then
  export CUDA_VISIBLE_DEVICES=
  expect "no GPU, no ceilings" 77 doctor --ceilings --out="$work/x"
fi

[ "$failures" = 0 ]
