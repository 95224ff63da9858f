#!/bin/sh
# docs/gap.md has the tables that solgate makes of the recorded runs today, and a run on
# an H200 finds its place in them.
set -eu

bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

sh "$tree/scripts/docs/update_gap.sh" --check --bin="$bin" || fail "docs/gap.md is not current"

# A tree of this test's own, which the script writes to: without a recording of an
# H200, whatever the real one has.
mkdir -p "$work/tree/docs" "$work/tree/tests/data/h200" "$work/tree/baselines"
for path in scripts metrics tests/data/b200; do
  ln -s "$tree/$path" "$work/tree/$path"
done
cp "$tree/docs/gap.md" "$work/tree/docs"
update="sh $work/tree/scripts/docs/update_gap.sh --bin=$bin"
page=$work/tree/docs/gap.md
$update
grep -q 'No run of it on an H200 is recorded yet' "$page" || fail "it does not say that there is no recording"
$update --check || fail "what was just written is not current"
sed 's/326.0 us/325.0 us/' "$page" >"$work/changed"
cp "$work/changed" "$page"
$update --check >/dev/null && fail "a changed number is current"
$update
grep -q '| group_gemm/g8_m1024_n4096_k7168_e2m1 | cute_dsl (baseline) | tests/data/b200/grouped_baseline | 326.0 us | 17.31x |' "$page" ||
  fail "another line of the first case"

# A run on an H200, made up: in two formats a baseline, two of a vendor, two candidates, one of them
# wrong; another family; counters.
# rows FORMAT READ_BYTES: of the first case in that format, from lines of VARIANT ROLE TIME STATUS.
rows() {
  while read -r variant role time status; do
    name=group_gemm,g8_m1024_n4096_k7168_$1,$variant
    echo "$name,role,,,,,,ok,$role"
    echo "$name,status,,,,,,$status,"
    echo "$name,registers,register,90,,,1,ok,"
    [ "$status" = ok ] || continue
    echo "$name,time,ns,$time,,,5,ok,"
    echo "$name,work_flop_$1,flop,60129542144,,,,ok,"
    echo "$name,work_read_bytes,B,$2,,,,ok,"
    echo "$name,work_write_bytes,B,8388608,,,,ok,"
  done
}
mkdir "$work/run"
sed '/^digest/d; s/^gpu,b200/gpu,h200/' "$tree/tests/data/b200/grouped_baseline/env.csv" >"$work/run/env.csv"
{
  sed -n 1p "$tree/tests/data/b200/grouped_baseline/run.csv"
  echo 'matvec,c,v,time,ns,1,,,,ok,'
  rows bf16 484442112 <<'ROWS'
baseline baseline 128000 ok
cublas_loop vendor 140000 ok
cublaslt_graph vendor 131500 ok
bm64 candidate 125000 ok
tail_missing candidate 90000 wrong
ROWS
  rows e4m3 242507776 <<'ROWS'
baseline baseline 68000 ok
cublaslt_graph vendor 73200 ok
in_order candidate 68500 ok
ROWS
} >"$work/run/run.csv"
$update --record="$work/run" || fail "a run on an H200 is not taken"
grep -q '| group_gemm/g8_m1024_n4096_k7168_bf16 | bm64 | 125.0 us | 1.22x |' "$page" || fail "no table of the H200"
grep -q '| group_gemm/g8_m1024_n4096_k7168_e4m3 | baseline | 68.00 us | 1.30x | 3.69 TB/s |' "$page" ||
  fail "no e4m3 in the table: $(grep '_e4m3 | baseline' "$page")"
grep -q '| group_gemm/g8_m1024_n4096_k7168_bf16 | cublas_loop (vendor) | 140.0 us | 1.36x |' "$page" || fail "no table of the vendor"
recorded=$work/tree/tests/data/h200/group_gemm/run.csv
grep -qE '^matvec|,registers,' "$recorded" && fail "more was recorded than a gap table needs"
$update --check || fail "with a recording it is not current"

cp -R "$work/run" "$work/unfinished"
sed -i 's/^state,.*/state,running/' "$work/unfinished/env.csv"
cp "$recorded" "$work/before.csv"
sed -i 's/,128000,/,127000,/' "$work/unfinished/run.csv"
code=0
$update --record="$work/unfinished" 2>"$work/err" || code=$?
[ $code = 3 ] || fail "a run that is not finished: exit code $code"
cmp -s "$recorded" "$work/before.csv" || fail "a run that is not finished took the place of the recording"

code=0
$update --record="$tree/tests/data/b200/grouped_baseline" 2>"$work/err" || code=$?
[ $code = 4 ] || fail "a run on another GPU: exit code $code"
grep -q "found gpu 'b200'" "$work/err" || fail "it does not say which GPU it found"
code=0
$update --no-such-option 2>"$work/err" || code=$?
[ $code = 4 ] || fail "an unknown argument: exit code $code"

[ "$failures" = 0 ]
