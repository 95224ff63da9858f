#!/bin/sh
# test.sh [--quick|--all] - sets up, builds twice (the usual build; with address and undefined
# behaviour sanitizers), tests and lints. Prints the time of each phase at the end.
#
# All tests run in the first build. The sanitizer build runs the unit tests and the goldens, which
# cover each command and format. --quick: only the first build and its tests. --all adds slow
# checks: all tests under sanitizers, the linters on all files, the statistics of the engine on
# thirty times as many runs, fuzzing of the readers, 500 kills, packages, ten lost nodes of a
# cluster, and, with CUDA, kernels for each GPU and with the oldest toolkit. Kernels are built for
# the GPUs of this machine. Without a GPU they only have to compile, so they are built for one GPU,
# the variants of a family as one file, and not optimised, except with --all.
# Exit 0 only if everything passed.
set -u

mode=${1:---usual}
case $mode in
  --usual | --quick | --all) ;;
  *)
    echo "test.sh: unknown argument $1 (known: --quick, --all)" >&2
    exit 4
    ;;
esac
cd "$(dirname "$0")/.." || exit 3
jobs=$(($(nproc) * 3)) # of tests: most of them wait for processes
work=$(mktemp -d)
started=$(date +%s)
running=

# Sets spent to the CPU seconds of this shell's finished children. $(...) would read those of a
# subshell.
read_time() {
  times >"$work/times"
  spent=$(sed -n 2p "$work/times" | tr 'ms' '  ' | awk '{ printf "%.0f", $1 * 60 + $2 + $3 * 60 + $4 }')
}

# note OUTCOME: adds a table row for the current phase
note() {
  read_time
  printf '  %-24s %6d %6d   %s\n' "$running" $(($(date +%s) - began)) $((spent - spent_before)) "$1" >>"$work/table"
  running=
}

# phase TITLE COMMAND...: runs the command, and continues if it fails; true if it passed
phase() {
  running=$1
  shift
  echo "test.sh: $running"
  began=$(date +%s)
  read_time
  spent_before=$spent
  if "$@"; then note passed; else
    note FAILED
    return 1
  fi
}

leave() {
  code=$?
  [ -z "$running" ] || note STOPPED
  read_time
  printf '\n  %-24s %6s %6s\n' phase 'wall s' 'CPU s'
  cat "$work/table"
  printf '  %-24s %6d %6d\n' total $(($(date +%s) - started)) "$spent"
  if grep -qE 'FAILED|STOPPED|NOT RUN' "$work/table"; then
    [ "$code" != 0 ] || code=1
    echo "test.sh: failed" >&2
  fi
  rm -rf "$work"
  exit "$code"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build() {
  cmake --preset "$@" && cmake --build --preset "$1"
}

build_kernels() {
  if nvidia-smi -L >/dev/null 2>&1; then
    build default -DSOLGATE_QUICK_KERNELS=OFF
  else
    quick=ON kernels='-O0 -DNDEBUG' # of their code for the host
    [ "$mode" != --all ] || quick=OFF kernels='-O2 -g -DNDEBUG'
    lines='-O2 -g1 -DNDEBUG' # enough for a backtrace, and an eighth faster
    build default -DCMAKE_CUDA_ARCHITECTURES=90-real -DSOLGATE_QUICK_KERNELS="$quick" -DCMAKE_CUDA_FLAGS_RELWITHDEBINFO="$kernels" \
      -DCMAKE_C_FLAGS_RELWITHDEBINFO="$lines" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="$lines"
  fi
}

# tested TITLE PRESET BUILD...: builds and runs the tests selected by $select
tested() {
  title=$1 preset=$2
  shift 2
  # shellcheck disable=SC2086 # arguments of ctest
  if phase "build$title" "$@"; then
    phase "tests$title" ctest --preset "$preset" -j "$jobs" $select
  else
    printf '  %-24s %6s %6s   %s\n' "tests$title" - - 'NOT RUN' >>"$work/table"
  fi
}

statistics() {
  (cd tests && ENGINE_RUNS=100 ../build/tests/test_sequential_promises && METHOD_GATES=100000 ../build/tests/test_gate_promises &&
    METHOD_GATES=100000 ../build/tests/test_fleet_promises && METHOD_NIGHTS=6000 ../build/tests/test_night_promises)
}

phase 'set up' scripts/setup || exit 1
select=
tested '' default build_kernels
[ "$mode" != --quick ] || exit 0
if [ "$mode" != --all ]; then
  select='-LE plain -R ^test_|golden'
  tested ', sanitizers' sanitize build sanitize
  phase 'lint' scripts/lint.sh build --changed
  exit
fi
tested ', sanitizers' sanitize build sanitize
phase 'lint, all files' scripts/lint.sh build
phase 'statistics of the engine' statistics
phase 'fuzzing of readers' tests/fuzz/fuzz.sh build-fuzz 60
phase 'kills' tests/cli/kill_matrix.sh 500 build/bin
phase 'packages' tests/cli/test_package.sh build/bin --all
phase 'lost nodes' tests/cli/test_slurm.sh build/bin --all
if command -v nvcc >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then
  phase 'kernels for each GPU' studies/images.sh build-portable
  phase 'oldest CUDA toolkit' studies/oldest_cuda.sh build build-oldest
fi
