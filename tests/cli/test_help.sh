#!/bin/sh
# Every command explains itself and refuses an unknown option. It has a man page with all that its
# -h says, and a formatter, where there is one, finds nothing to complain about.
set -eu

bin=$1
solgate=$bin/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() { echo "FAILED: $*" && failures=$((failures + 1)); }

sh "$tree/scripts/docs/man_pages.sh" --bin="$bin" --out="$work/man1"

# is_whole PAGE ARGUMENTS...: the page has each word of the help of those arguments, in its order;
# sections' titles and headings aside.
is_whole() {
  page=$work/man1/$1.1
  shift
  [ -f "$page" ] || {
    fail "solgate $*: no page"
    return
  }
  "$solgate" "$@" | sed -E 's/^(Usage|  or): +//; s/^- //; s/^(Exit codes|Examples?): *//' | tr -s ' \n' '\n\n' | sed '/^$/d' >"$work/said"
  sed -E '1,/^\.SH SYNOPSIS$/d; /^\.SH SEE ALSO$/,$d; /^\.(SH|TP|PP|br|nf|fi|nh|ad)/d; s/^\.IP \\\(bu 2$//; s/^\.B //; s/^\\&//; s/\\-/-/g; s/\\e/\\/g' "$page" |
    tr -s ' \n' '\n\n' | sed '/^$/d' >"$work/written"
  cmp -s "$work/said" "$work/written" || fail "solgate $*: its page says otherwise: $(diff "$work/said" "$work/written" | head -n 5)"
  awk '/^\.SH/ { notes = $2 == "NOTES" } notes && /^ *\\-\\-[a-z]/ { print; found = 1 } END { exit found }' "$page" ||
    fail "solgate $*: options of its page stand under NOTES"
  for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES; do
    [ "$(grep -cx "\.SH $section" "$page")" = 1 ] || fail "solgate $*: its page has no section $section, or several"
  done
}

all=$("$solgate" -h)
is_whole solgate -h
commands=$(sed -n 's/^    X(\([a-z_]*\), ".*/\1/p' "$tree/harness/cli/command.h")
for command in $commands; do
  is_whole "solgate-$command" "$command" -h
  printf '%s\n' "$all" | grep -q "^ *$command " || fail "solgate -h does not name $command"
  code=0
  "$solgate" "$command" --no-such-option >"$work/said" 2>"$work/err" || code=$?
  [ "$code" = 4 ] && grep -q '^solgate: ' "$work/err" || fail "solgate $command --no-such-option: exit $code, expected 4"
done
parts=
for whole in baseline history builds; do
  own=$(sed -n "s/^ *X($whole, \([a-z]*\)).*/\1/p" "$tree/harness/cli/command.h")
  [ -n "$own" ] || fail "no part of $whole found in harness/cli/command.h"
  for part in $own; do
    is_whole "solgate-$whole-$part" "$whole" "$part" -h
  done
  parts="$parts $own"
done
pages=$(find "$work/man1" -name '*.1' | wc -l)
# shellcheck disable=SC2086 # lists of words
set -- $commands $parts
[ "$pages" = $(($# + 1)) ] || fail "$pages pages of $(($# + 1)) commands and parts"

for page in "$work"/man1/*.1; do
  if command -v mandoc >/dev/null 2>&1; then
    mandoc -W warning -T lint "$page" >"$work/complaints" 2>&1 || fail "mandoc: $(head -n 3 "$work/complaints")"
  fi
  if command -v groff >/dev/null 2>&1; then
    groff -man -Tutf8 -ww "$page" >"$work/shown" 2>"$work/complaints" || fail "groff: ${page##*/}: exit $?"
    [ ! -s "$work/complaints" ] || fail "groff: ${page##*/}: $(head -n 3 "$work/complaints")"
    [ -s "$work/shown" ] || fail "groff: ${page##*/}: nothing to read"
  fi
done

version=$(sed -n 's/^project(solgate VERSION \([0-9.]*\).*/\1/p' "$tree/CMakeLists.txt")
[ "$("$solgate" help)" = "$all" ] || fail "help differs from -h"
[ "$("$solgate" help gap)" = "$("$solgate" gap -h)" ] || fail "help gap differs from gap -h"
for word in version -V --version; do
  case $("$solgate" $word) in
    "solgate $version" | "solgate $version "*) ;;
    *) fail "solgate $word: $("$solgate" $word), expected version $version" ;;
  esac
done
[ "$failures" = 0 ]
