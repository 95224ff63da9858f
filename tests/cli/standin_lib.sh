# standin_lib.sh: for tests of programs on the stand-in of the driver and of CUPTI (tests/standin),
# sourced with the folder of solgate in $1. Goes to a folder of its own.
set -eu

bin=$(cd "$1" && pwd)
standin=$bin/../tests/standin
# shellcheck disable=SC2034  # of those that source it
program=$standin/standin_program
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOLGATE_HOME=$tree
LD_LIBRARY_PATH=$standin
SOLGATE_BASELINES=$work/accepted
export SOLGATE_HOME LD_LIBRARY_PATH SOLGATE_BASELINES
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH CUDA_HOME CUDA_PATH
cd "$work"
failures=0

fail() { echo "FAIL: $*" && failures=$((failures + 1)); }
# The dates of nights are whole seconds; two nights of one second have no order.
next_second() {
  second=$(date +%s)
  until [ "$(date +%s)" != "$second" ]; do sleep 0.05; done
}
# Is the process gone, though perhaps not yet reaped?
ended() {
  case $(cut -d ' ' -f 3 "/proc/$1/stat" 2>/dev/null) in
  '' | Z*) ;;
  *) return 1 ;;
  esac
}
# Does it end, within 20 s? Where disks are busy, a killed process takes seconds.
ends() {
  for _ in $(seq 400); do ended "$1" && return || sleep 0.05; done
  return 1
}
# runs CODE WORDS COMMAND...: the words are in what it prints, "" for none.
runs() {
  wanted=$1 words=$2 code=0
  shift 2
  [ "$1" != nightly ] || next_second
  "$bin/solgate" "$@" >out 2>&1 || code=$?
  [ "$code" = "$wanted" ] || fail "$*: exit code $code, expected $wanted: $(cat out)"
  grep -qF -e "$words" out || fail "$*: expected '$words', found $(cat out)"
}
# has RUN ROW: run.csv of the run has a row that contains these words.
has() { grep -qF -e "$2" "$1/run.csv" || fail "no row $2 in $(cat "$1/run.csv")"; }
