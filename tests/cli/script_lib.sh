# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # header is used and script is set by those who source it
# Sourced by tests of a script that makes a table of a run, $script, a path in the
# tree. Leaves $work, a folder that goes when the test ends, $header, that of a run,
# and $failures, to be 0 at its end.

tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
header=family,case,variant,metric,unit,value,low,high,n,status,message

fail() {
  echo "FAIL: $*"
  sed 's/^/    /' "$work/output" | head -n 40
  failures=$((failures + 1))
}

# ends EXIT ARGUMENTS...: the script in $work, with what it says in $work/output
ends() {
  wanted=$1
  shift
  code=0
  (cd "$work" && sh "$tree/$script" "$@") >"$work/output" 2>&1 || code=$?
  [ "$code" = "$wanted" ] || fail "exit $code instead of $wanted: $script $*"
}

# says SENTENCE TEXT: the output has it
says() {
  grep -qF -e "$2" "$work/output" || fail "$1: nowhere: $2"
}
