#!/bin/sh
# kernels/stream/tools/floor.sh holds items of a run made by hand against its copies, and
# refuses what it does not understand.
# Not under sanitizers: the work is done by a shell script.
set -eu

script=kernels/stream/tools/floor.sh
# shellcheck source=tests/cli/script_lib.sh
. "$(dirname "$0")/script_lib.sh"

# item FAMILY CASE VARIANT STATUS TIME WORK DRAM: rows of one item, half of
# its work read; DRAM -: not counted
item() {
  echo "$1,$2,$3,status,,,,,,$4,"
  [ "$4" = ok ] || return 0
  echo "$1,$2,$3,time,ns,$5,,,5,ok,"
  echo "$1,$2,$3,work_read_bytes,B,$(($6 / 2)),,,,ok,"
  echo "$1,$2,$3,work_write_bytes,B,$(($6 / 2)),,,,ok,"
  [ "$7" = - ] || echo "$1,$2,$3,dram_bytes,B,$7,,,,ok,"
}

for run in run alone broken foreign negative one nothing; do mkdir -p "$work/$run"; done
{
  echo "$header"
  item group_gemm between baseline ok 60000 150000000 200000000
  item group_gemm between vendor unavailable
  item group_gemm below baseline ok 25000 50000000 -
  item group_gemm beyond baseline ok 180000 600000000 -
  item group_gemm nothing baseline ok 60000 0 -
  item group_gemm warm baseline ok 60000 150000000 -
  echo "group_gemm,warm,baseline,l2_state,,,,,,wrong,declared cold"
  item stream copy_200 copy_once ok 55000 200000000 -
  item stream copy_200 copy ok 50000 200000000 200000000
  item stream copy_200 copy_8 ok 60000 200000000 -
  item stream copy_300 copy ok 10 300000000 -
  echo "stream,copy_300,copy,l2_state,,,,,,wrong,declared cold"
  item stream copy_100 copy ok 30000 100000000 -
  item stream copy_400 copy hang
} >"$work/run/run.csv"
grep -v '^stream' "$work/run/run.csv" >"$work/alone/run.csv"
sed 's/,60000,/,soon,/' "$work/run/run.csv" >"$work/broken/run.csv"
echo "metric,status" >"$work/foreign/run.csv"
sed 's/,60000,/,-60000,/' "$work/run/run.csv" >"$work/negative/run.csv"
{
  echo "$header"
  item group_gemm between baseline ok 60000 150000000 -
  item stream copy_100 copy ok 30000 100000000 -
} >"$work/one/run.csv"
: >"$work/nothing/run.csv"

ends 0 run
says 'between two copies the line through both counts, of as many bytes the fastest' '| group_gemm/between | baseline | 60.00 us | 150.0 MB | 1.500 | 1.600 | 200 MB | 1.200 |'
says 'below all of them the rate of the least, and DRAM that was not counted has no place' \
  '| group_gemm/below | baseline | 25.00 us | 50.0 MB | 1.667 | 2.000 | - | - |'
says 'beyond all of them the rate of the largest' '| group_gemm/beyond | baseline | 180.00 us | 600.0 MB | 1.200 | 1.200 | - | - |'
says 'work of no bytes has no floor' '| group_gemm/nothing | baseline | not timed | - | - | - | - | - |'
says 'a time with an L2 in another state is none' '| group_gemm/warm | baseline | invalid | - | - | - | - | - |'
says 'nor is a copy' '| stream/copy_300 | copy | invalid | - | - | - | - | - |'
says 'a slower copy is held against the fastest' '| stream/copy_200 | copy_8 | 60.00 us | 200.0 MB | 1.200 | 1.200 | - | - |'
says 'a copy is as long as itself' '| stream/copy_200 | copy | 50.00 us | 200.0 MB | 1.000 | 1.000 | 200 MB | 1.000 |'
says 'what was not timed has its status' '| group_gemm/between | vendor | unavailable | - | - | - | - | - |'
says 'a copy that failed is none to be held against' '| stream/copy_400 | copy | hang | - | - | - | - | - |'
[ "$(wc -l <"$work/output")" = 14 ] || fail 'a line an item, below the head'

ends 3 alone
says 'a run without copies is refused' "alone/run.csv: expected copies: items of the family stream that are ok, found 'none'"
ends 3 broken
says 'a time that is no number is refused, with its line' "broken/run.csv:3: expected time of 0 or more, found 'soon'"
ends 3 negative
says 'nor is a time below nothing' "negative/run.csv:3: expected time of 0 or more, found '-60000'"
ends 3 nothing
says 'an empty file is refused' "nothing/run.csv: expected the header of a run, found 'nothing'"
ends 0 one
says 'one copy is enough' '| group_gemm/between | baseline | 60.00 us | 150.0 MB | 1.333 | 1.333 | - | - |'
ends 3 foreign
says 'another file is refused' "expected the header of a run, found 'metric,status'"
ends 4 nowhere
says 'no run is refused' "found no run.csv in 'nowhere'"
ends 4 run alone
says 'one run at a time' 'expected the folder of one run, found 2 arguments'
ends 4 --fast
says 'no options' 'unknown argument --fast'
[ "$failures" = 0 ]
