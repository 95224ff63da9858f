#!/bin/sh
# scripts/floor.sh holds items of a run made by hand against its copies, and refuses what it does not understand.
set -eu

script=floor
# shellcheck source=tests/cli/script_lib.sh
. "$(dirname "$0")/script_lib.sh"

# item FAMILY CASE VARIANT STATUS TIME WORK DRAM: rows of one item, half of its work read; DRAM -: not counted
item() {
  echo "$1,$2,$3,status,,,,,,$4,"
  [ "$4" = ok ] || return 0
  echo "$1,$2,$3,time,ns,$5,,,5,ok,"
  echo "$1,$2,$3,work_read_bytes,B,$(($6 / 2)),,,,ok,"
  echo "$1,$2,$3,work_write_bytes,B,$(($6 / 2)),,,,ok,"
  [ "$7" = - ] || echo "$1,$2,$3,dram_bytes,B,$7,,,,ok,"
}

mkdir -p "$work/run" "$work/alone" "$work/broken" "$work/foreign"
{
  echo "$header"
  item group_gemm between baseline ok 60000 150000000 200000000
  item group_gemm between vendor unavailable
  item group_gemm below baseline ok 25000 50000000 -
  item stream copy_200 copy ok 50000 200000000 200000000
  item stream copy_100 copy ok 30000 100000000 -
  item stream copy_400 copy hang
} >"$work/run/run.csv"
grep -v '^stream' "$work/run/run.csv" >"$work/alone/run.csv"
sed 's/,60000,/,soon,/' "$work/run/run.csv" >"$work/broken/run.csv"
echo "a,b" >"$work/foreign/run.csv"

ends 0 run
says 'between two copies the line through both counts' '| between | baseline | 60.00 us | 150.0 MB | 1.500 | 1.600 | 200 MB | 1.200 |'
says 'below all of them the rate of the least, and DRAM that was not counted has no place' \
  '| below | baseline | 25.00 us | 50.0 MB | 1.667 | 2.000 | - | - |'
says 'a copy is as long as itself' '| copy_200 | copy | 50.00 us | 200.0 MB | 1.000 | 1.000 | 200 MB | 1.000 |'
says 'what was not timed has its status' '| between | vendor | unavailable | - | - | - | - | - |'
says 'a copy that failed is none to be held against' '| copy_400 | copy | hang | - | - | - | - | - |'
[ "$(wc -l <"$work/output")" = 8 ] || fail 'a line an item, below the head'

ends 3 alone
says 'a run without copies is refused' "alone/run.csv: expected copies: items of the family stream that are ok, found 'none'"
ends 3 broken
says 'a time that is no number is refused, with its line' "broken/run.csv:3: expected time, a number, found 'soon'"
ends 3 foreign
says 'another file is refused' "expected the header of a run, found 'a,b'"
ends 4 nowhere
says 'no run is refused' "found no run.csv in 'nowhere'"
ends 4 run alone
says 'one run at a time' 'expected the folder of one run, found 2 arguments'
ends 4 --fast
says 'no options' 'unknown argument --fast'
[ "$failures" = 0 ]
