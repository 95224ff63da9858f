#!/bin/sh
# Every command that solgate knows explains itself: its form, its options, its exit codes, an
# example; and refuses what it does not know.
set -eu

solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
failures=0

fail() {
  echo "$*"
  failures=$((failures + 1))
}

# The commands are those of the header, not those that the program happens to list.
commands=$(sed -n 's/^    X(\([a-z_]*\), ".*/\1/p' "$tree/harness/cli/command.h")
[ -n "$commands" ] || fail "no command found in harness/cli/command.h"

all=$("$solgate" -h)
for command in $commands; do
  printf '%s\n' "$all" | grep -q "^ *$command " || fail "solgate -h does not name $command"
  help=$("$solgate" "$command" -h) || fail "solgate $command -h: exit $?"
  printf '%s\n' "$help" | grep -q "solgate $command" || fail "solgate $command -h does not show how it is called"
  printf '%s\n' "$help" | grep -qi 'exit' || fail "solgate $command -h does not tell its exit codes"
  code=0
  "$solgate" "$command" --no-such-option >/dev/null 2>"${TMPDIR:-/tmp}/help.$$" || code=$?
  [ "$code" = 4 ] || fail "solgate $command --no-such-option: exit $code, expected 4"
  grep -q '^solgate: ' "${TMPDIR:-/tmp}/help.$$" || fail "solgate $command --no-such-option: stderr does not begin with 'solgate: '"
done
rm -f "${TMPDIR:-/tmp}/help.$$"

version=$(sed -n 's/^project(solgate VERSION \([0-9.]*\).*/\1/p' "$tree/CMakeLists.txt")
[ "$("$solgate" help)" = "$("$solgate" -h)" ] || fail "help differs from -h"
[ "$("$solgate" help gap)" = "$("$solgate" gap -h)" ] || fail "help gap differs from gap -h"
for word in version -V; do
  [ "$("$solgate" $word)" = "$("$solgate" --version)" ] || fail "$word differs from --version"
done
case $("$solgate" --version) in
  "solgate $version" | "solgate $version "*) ;;
  *) fail "solgate --version: $("$solgate" --version), expected version $version" ;;
esac
code=0
"$solgate" no_such_command >/dev/null 2>&1 || code=$?
[ "$code" = 4 ] || fail "solgate no_such_command: exit $code, expected 4"
[ "$failures" = 0 ]
