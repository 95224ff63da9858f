#!/bin/sh
# test.sh [--quick|--all] - sets up, builds twice (as it is used; with address and undefined behaviour sanitizers), lints, and runs all tests
# in both builds. --quick: the first build and its tests only. --all: behind the tests also what takes long: 200,000 single changes of nights
# (tests/unit/cli/test_single_change.c) and 500 kills (scripts/validate/kill_matrix.sh). Exit 0 only if everything passed.
set -eu

quick=no
all=no
case ${1:-} in
  '') ;;
  --quick) quick=yes ;;
  --all) all=yes ;;
  *)
    echo "test.sh: unknown argument $1 (known: --quick, --all)" >&2
    exit 4
    ;;
esac
cd "$(dirname "$0")/.."
failed=

scripts/setup
cmake --preset default
cmake --build --preset default
if [ "$quick" = yes ]; then
  exec ctest --preset default -j "$(nproc)"
fi
cmake --preset sanitize
cmake --build --preset sanitize
cmake --build --preset default --target lint || failed="lint"
ctest --preset default -j "$(nproc)" || failed="$failed tests"
ctest --preset sanitize -j "$(nproc)" || failed="$failed tests-with-sanitizers"
if [ "$all" = yes ]; then
  (cd tests && SINGLE_CHANGES=200000 ../build/tests/test_single_change) || failed="$failed single-changes"
  scripts/validate/kill_matrix.sh 500 build/bin || failed="$failed kills"
fi
if [ -n "$failed" ]; then
  echo "test.sh: failed: $failed" >&2
  exit 1
fi
