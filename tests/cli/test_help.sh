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
commands=$(sed -n 's/^int sg_cmd_\([a-z_]*\)(.*/\1/p' "$tree/harness/cli/command.h")
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

# The options that users and other tests rely on.
while read -r command options; do
  help=$("$solgate" "$command" -h)
  for option in $options; do
    printf '%s\n' "$help" | grep -q -e "$option" || fail "solgate $command -h does not mention $option"
  done
done <<'OPTIONS'
list --format families cases variants metrics groups gpus suites
doctor --gpu --ceilings --model --out --from --suite
run SUITE --out --family --case --variant --metrics --module --gpu --allow-shared-gpu --resume
ab BASELINE CANDIDATE --case --tolerance --module --out --seed --gpu --l2 --format --inconclusive --resume --commits --repo --build --variant
bisect GOOD BAD FAMILY/CASE/VARIANT --repo --build --module --tolerance --out --gpu --l2
aa RUN --format text csv
compare RUN BASELINE --format --inconclusive text csv markdown junit
gap RUN --gpu-spec --format
sol --m --n --k --dtype --out-dtype --scale-block --scale-bytes --scale-rows --time --gpu-spec --format
explain RUN FAMILY/CASE BASELINE CANDIDATE
report RUN --baseline --out --note
import TOOL FILE --gpu --out google_benchmark
baseline show accept verify --reason
history add show check confirm accept --chart --alarms --night --reason
builds list show prune rebuild --keep --dry-run --repo --format --builds
OPTIONS

# The exit codes that it can end with, and no others (docs/method.md 8).
while read -r command codes; do
  found=$("$solgate" "$command" -h | tr '\n' ' ' | tr -s ' ' | sed 's/.*Exit codes: //' | tr ',;' '[\n*]' | sed -n 's/^ *\([0-9][0-9]*\) .*/\1/p' |
    tr '\n' ' ')
  [ "${found% }" = "$codes" ] || fail "solgate $command -h: exit codes $found instead of $codes"
done <<'CODES'
list 0 4
doctor 0 3 4 5 77
bisect 0 2 3 4
aa 0 4
compare 0 1 2 3 4 5
gap 0 3 4
sol 0 4
explain 0 3 4
report 0 3 4 5
import 0 3 4
baseline 0 3 4
history 0 1 2 3 4 5
builds 0 3 4
CODES

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
