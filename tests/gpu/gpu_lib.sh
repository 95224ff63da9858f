# shellcheck shell=sh
# Sourced by tests/gpu/test_*.sh with the folder of the programs as $1: leaves with 77 where there is no GPU, and says why.
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bin/solgate" doctor >"$work/doctor" 2>&1 || {
  code=$?
  tail -n 1 "$work/doctor"
  exit "$code" # 77: no GPU, which ctest takes for a skip; 3: a GPU that cannot be measured is a failure
}
failures=0
fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}
