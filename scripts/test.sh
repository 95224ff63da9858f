#!/bin/sh
# test.sh [--quick] - sets up, builds twice (as it is used; with address and undefined behaviour sanitizers), lints, and runs all tests in
# both builds. --quick: the first build and its tests only. Exit 0 only if everything passed.
set -eu

quick=no
case ${1:-} in
  '') ;;
  --quick) quick=yes ;;
  *)
    echo "test.sh: unknown argument $1 (known: --quick)" >&2
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
if [ -n "$failed" ]; then
  echo "test.sh: failed: $failed" >&2
  exit 1
fi
