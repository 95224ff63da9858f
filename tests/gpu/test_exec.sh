#!/bin/sh
# solgate exec on programs that make it hard (tests/gpu/traps.cu): all kernels are there, or what is
# missing is said. TRAPS names the program where it is not beside the tests.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=SCRIPTDIR/gpu_lib.sh
. "$here/gpu_lib.sh"
traps=${TRAPS:-$bin/../tests/traps}
[ -x "$traps" ] || { echo "no program $traps: it is built where nvcc is" && exit 77; }
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
cd "$work"

# trap NAME NUMBER CODE LAUNCHES WORDS [OPTION...]: of all kernels together, and on stderr
trapped() {
  name=$1 number=$2 wanted=$3 launches=$4 words=$5 code=0
  shift 5
  rm -rf R
  timeout 60 "$bin/solgate" exec --out=R "$@" -- "$traps" "$name" "$number" >out 2>err || code=$?
  found=$(grep -hs ',tool:launches,' R/run.csv | awk -F, '{ all += $6 } END { print all + 0 }')
  echo "$name $*: exit $code, $found launches, $(grep -c ',ipc,.*,ok,' R/run.csv 2>/dev/null || :) counted; $(head -c 300 err)"
  [ "$code $found" = "$wanted $launches" ] || fail "$name $*: expected exit $wanted and $launches launches"
  if [ "$words" ]; then
    grep -qF -e "$words" err || fail "$name $*: expected '$words'"
  else
    [ ! -s err ] || fail "$name $*: it complains"
  fi
}

for name in plain clusters cooperatives programmatic many_streams reset; do
  trapped "$name" 6 0 6 ''
  trapped "$name" 6 0 6 '' --metrics
  grep -q ',ipc,.*,ok,' R/run.csv || fail "$name: nothing was counted"
done
trapped late_context 6 0 12 ''
trapped late_context 6 0 12 '' --metrics
trapped graph 6 0 30 ''
trapped graph 6 0 30 '' --metrics
grep -q 'count_passes.*launched by a graph' R/run.csv || fail "graph: it is not said that graphs are not counted"
trapped graph 6 0 30 '' --metrics --count-range
trapped no_wait 6 5 6 ''
trapped leaves 6 6 6 ''
trapped aborts 6 134 6 ''
trapped killed 6 137 6 '3 of 9 launches have no record: the process ended by _exit or a signal'
trapped forks 6 0 12 ''
trapped subscriber_first 6 3 0 "another tool is CUPTI's only subscriber"
trapped subscriber_later 6 0 12 ''
trapped takes_records 6 3 0 'launches have no record'
trapped finalizes 6 3 6 'switched CUPTI off (cuptiFinalize)'
CUDA_INJECTION64_PATH=/nowhere/x.so trapped plain 6 3 0 'expected it to be unset'
trapped many 100000 0 100001 'a launch until done' # the program's own words

# Two kernels that wait for each other. Code that is loaded late would wait for the first to end.
export CUDA_MODULE_LOADING=EAGER
trapped spin 3 0 6 ''
trapped spin 3 0 6 '' --metrics
grep -q ',waits[^,]*,count_passes.*did not end while counted' R/run.csv || fail "spin: the kernel that waits is not said to"
unset CUDA_MODULE_LOADING

# Another user has no right to count where the driver keeps it for administrators.
if grep -q 'RmProfilingAdminOnly: 1' /proc/driver/nvidia/params 2>/dev/null && [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 777 "$work"
  code=0
  setpriv --reuid=65534 --clear-groups --bounding-set=-all "$bin/solgate" exec --out=N --metrics -- "$traps" plain 6 >out 2>err || code=$?
  echo "without permission: exit $code; $(head -c 300 err)"
  [ "$code" = 3 ] || fail "without permission it ends with $code"
  grep -q 'kernels were timed but not counted' err || fail "without permission: $(cat err)"
fi

# A server of MPS, where one can be started: times are there, counters or why they are not.
if command -v nvidia-cuda-mps-control >/dev/null; then
  export CUDA_MPS_PIPE_DIRECTORY="$work/mps" CUDA_MPS_LOG_DIRECTORY="$work/mps"
  mkdir mps
  if nvidia-cuda-mps-control -d 2>/dev/null; then
    code=0
    # The server numbers those GPUs anew that it was shown.
    timeout 60 env -u CUDA_VISIBLE_DEVICES "$bin/solgate" exec --out=M --metrics -- "$traps" plain 6 >out 2>err || code=$?
    echo quit | timeout 20 nvidia-cuda-mps-control >/dev/null 2>&1 || :
    echo "MPS: exit $code; $(head -c 300 err)"
    grep -q 'tool:launches,1,6,' M/run.csv || [ "$code" = 3 ] || fail "MPS: exit $code: $(cat err)"
  fi
  unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
fi

[ "$failures" = 0 ]
