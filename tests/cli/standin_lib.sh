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
