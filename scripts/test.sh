#!/bin/sh
# test.sh [--quick|--all] - sets up, builds twice (as it is used; with address and undefined
# behaviour sanitizers), lints, and runs all tests. At the end it prints what each phase took.
#
# Every test runs in the first build. Under sanitizers run those that run C code of this tree; the
# label "plain" marks the others, and their names are printed. --quick: the first build and its
# tests only. --all adds what takes long: clang-tidy on every file instead of the changed ones, the
# tests with the label "plain" under sanitizers too, the statistics of the engine on five times as
# many runs, 200,000 single changes of nights (tests/unit/cli/test_single_change.c), 500 kills
# (scripts/validate/kill_matrix.sh), kernels for each GPU (images.sh there), and all that needs CUDA
# against the oldest toolkit (oldest_cuda.sh). Kernels are built for the GPUs that are here. Where
# none is, they are built for one and, but for --all, not optimised (SOLGATE_QUICK_KERNELS): they
# only have to compile. Exit 0 only if everything passed.
set -u

mode=usual
case ${1:-} in
  '') ;;
  --quick | --all) mode=${1#--} ;;
  *)
    echo "test.sh: unknown argument $1 (known: --quick, --all)" >&2
    exit 4
    ;;
esac
cd "$(dirname "$0")/.." || exit 3
jobs=$(($(nproc) + 2)) # of tests: many of them wait
work=$(mktemp -d)
: >"$work/table"
running=

# Sets spent: seconds of processor time that finished children took. Called from $(...) it would
# tell those of another shell's children.
look_at_time() {
  times >"$work/times"
  spent=$(sed -n 2p "$work/times" | tr 'ms' '  ' | awk '{ printf "%.0f", $1 * 60 + $2 + $3 * 60 + $4 }')
}

# note OUTCOME: a row of the table for the phase that runs
note() {
  took=$(($(date +%s) - began))
  look_at_time
  printf '  %-24s %6d %6d   %s\n' "$running" "$took" "$((spent - spent_before))" "$1" >>"$work/table"
}

# phase TITLE COMMAND...: runs it and goes on, whatever comes of it; true if it passed
phase() {
  running=$1
  shift
  echo "test.sh: $running"
  began=$(date +%s)
  look_at_time
  spent_before=$spent
  if "$@"; then
    note passed
    running=
  else
    note FAILED
    running=
    return 1
  fi
}

# lost TITLE...: phases that cannot run because an earlier one failed
lost() {
  for title in "$@"; do
    printf '  %-24s %6s %6s   %s\n' "$title" - - 'NOT RUN' >>"$work/table"
  done
}

leave() {
  code=$?
  [ -z "$running" ] || note STOPPED
  printf '\n  %-24s %6s %6s\n' phase 'wall s' 'CPU s'
  cat "$work/table"
  look_at_time
  printf '  %-24s %6d %6d\n' total "$(($(date +%s) - started))" "$spent"
  if grep -qE 'FAILED|STOPPED|NOT RUN' "$work/table"; then
    [ "$code" != 0 ] || code=1
    echo "test.sh: failed" >&2
  fi
  rm -rf "$work"
  exit "$code"
}
started=$(date +%s)
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build() {
  cmake --preset "$@" && cmake --build --preset "$1"
}

build_kernels() {
  if nvidia-smi -L >/dev/null 2>&1; then
    build default -DSOLGATE_QUICK_KERNELS=OFF
  elif [ "$mode" = all ]; then
    build default -DCMAKE_CUDA_ARCHITECTURES=90-real -DSOLGATE_QUICK_KERNELS=OFF
  else
    build default -DCMAKE_CUDA_ARCHITECTURES=90-real -DSOLGATE_QUICK_KERNELS=ON
  fi
}

sanitized_tests() {
  if [ "$mode" = all ]; then
    ctest --preset sanitize -j "$jobs"
  else
    echo "test.sh: left out under sanitizers (they ran in the first build; --all runs them here too):"
    grep -ro --include='test_*' 'Not under sanitizers: .*' tests | sed 's/Not under sanitizers:/ /; s/^/  /'
    ctest --preset sanitize -j "$jobs" -LE plain
  fi
}

single_changes() {
  (cd tests && SINGLE_CHANGES=200000 ../build/tests/test_single_change)
}

statistics() {
  (cd tests && ENGINE_RUNS=100 ../build/tests/test_sequential_promises && METHOD_GATES=100000 ../build/tests/test_gate_promises &&
    METHOD_GATES=100000 ../build/tests/test_fleet_promises)
}

# 200 nights of 200 rows, some 2.5 seconds each.
nights() {
  lines=$work/nights.csv
  for gpus in 1 5 20; do
    tests/method/fleet_nights.sh build/bin --nights=40 --gpus=$gpus --first=$((1000 * gpus)) --out="$lines" || return 1
  done
  tests/method/fleet_nights.sh build/bin --nights=40 --gpus=5 --first=31000 --changed --out="$lines" &&
    tests/method/fleet_nights.sh build/bin --nights=40 --gpus=5 --first=32000 --changed --tolerance=0.25 \
      --noise=0.016 --blocks=12 --out="$lines" &&
    tests/method/fleet_nights.sh --table "$lines"
}

phase 'set up' scripts/setup || exit 1
if phase 'build' build_kernels; then
  phase 'tests' ctest --preset default -j "$jobs"
else
  lost 'tests'
fi
[ "$mode" != quick ] || exit 0
if phase 'build with sanitizers' build sanitize; then
  phase 'tests with sanitizers' sanitized_tests
else
  lost 'tests with sanitizers'
fi
if [ "$mode" = all ]; then
  phase 'lint, all files' scripts/lint.sh build
  phase 'statistics of the engine' statistics
  phase 'nights of a fleet' nights
  phase 'single changes' single_changes
  phase 'kills' scripts/validate/kill_matrix.sh 500 build/bin
  if command -v nvcc >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then
    phase 'kernels for each GPU' scripts/validate/images.sh build-portable
    phase 'oldest CUDA toolkit' scripts/validate/oldest_cuda.sh build build-oldest
  fi
else
  phase 'lint' scripts/lint.sh build --changed
  echo "test.sh: left out without --all: clang-tidy on files that did not change, tests labelled" \
    "\"plain\" under sanitizers, long statistics, 200 nights of a fleet, 200,000 single changes, 500 kills," \
    "optimised kernels where no GPU is, kernels for each GPU, the oldest CUDA toolkit"
fi
