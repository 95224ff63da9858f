#!/bin/sh
# Every command explains itself and refuses an unknown option. It has a man page with all that its
# -h says, and a formatter, where there is one, finds nothing to complain about. The completion of
# bash offers each command, each option of -h and their values, and no others. Each list of
# `solgate list` says what the files and modules hold; what cannot be listed is refused.
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
for whole in accepted history builds; do
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

version=$(sed -n 's/^__version__ = "\([0-9.]*\)".*/\1/p' "$tree/python/solgate/__init__.py")
[ "$("$solgate" help)" = "$all" ] || fail "help differs from -h"
[ "$("$solgate" help gap)" = "$("$solgate" gap -h)" ] || fail "help gap differs from gap -h"
for word in version -V --version; do
  case $("$solgate" $word) in
    "solgate $version" | "solgate $version "*) ;;
    *) fail "solgate $word: $("$solgate" $word), expected version $version" ;;
  esac
done

# ---- completion

if command -v bash >"$work/said" 2>&1; then
  # offers WORDS EXPECTED: behind these words, the last of which is being typed; a line is split as
  # bash does, at blanks and before and behind =
  offers() {
    # shellcheck disable=SC2016 # it is for bash
    offered=$(PATH=$bin:$PATH bash -c '. "$1"; COMP_WORDS=(); IFS=" " read -r -a COMP_WORDS <<<"$2"; [[ $2 == *" " ]] && COMP_WORDS+=("")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _solgate; echo "${COMPREPLY[@]}"' bash "$tree/scripts/completion.bash" "$1")
    [ "$offered" = "$2" ] || fail "'$1' offers '$offered', expected '$2'"
  }

  commands=$(sed -n 's/^    X(\([a-z_]*\), ".*/\1/p' "$tree/harness/cli/command.h" | tr '\n' ' ')
  offers 'solgate ' "${commands% }"
  offers 'solgate accepte' accepted
  offers 'solgate accepted ' 'show verify seal'
  offers 'solgate accepted show --f' --format=
  offers 'solgate compare --ex' --explain
  offers 'solgate compare R --format = j' 'json junit'
  offers 'solgate compare R --format =' 'csv html json junit markdown openmetrics text'
  offers 'solgate gap R --gpu-spec = h2' 'h20 h200'
  offers 'solgate run --l' ''
  offers 'solgate run smo' smoke
  offers 'solgate nightly nightl' nightly
  offers 'solgate list fam' families
  offers 'solgate list cases --form' --format=
  offers 'solgate nonsense --' ''
  for command in $commands; do
    offers "solgate $command --" "$("$bin/solgate" "$command" -h | grep -o '^  --[a-z0-9-]*=\{0,1\}' | tr -d ' ' | tr '\n' ' ' | sed 's/ $//')"
  done
fi

# ---- lists

# names LIST: its first column
names() {
  "$solgate" list "$1" --format=csv | sed 1d | cut -d, -f1 | sort
}

# What is a file is a row.
for pair in "suites kernels/suites suite" "gpus metrics/gpus gpu" "groups metrics/groups group"; do
  # shellcheck disable=SC2086 # three words
  set -- $pair
  files=$(cd "$tree/$2" && for file in *."$3"; do echo "${file%."$3"}"; done | sort)
  [ "$(names "$1")" = "$files" ] || fail "list $1: $(names "$1" | tr '\n' ' '), and the files are $(echo "$files" | tr '\n' ' ')"
done
sections=$(sed -n 's/^\[\([a-z0-9_:]*\)\]$/\1/p' "$tree/metrics/metrics.ini" | sort)
[ "$(names metrics)" = "$sections" ] || fail "list metrics differs from the sections of metrics.ini"
variants=$(cd "$tree/kernels/null" && grep -lE "^(SG_VARIANT|NULL_(RIGHT|BROKEN))\(" -- *.c | sed 's/\.c$//' | sort)
listed=$("$solgate" list variants --format=csv | sed -n 's/^null,\([^,]*\),.*/\1/p' | sort)
[ "$listed" = "$variants" ] || fail "list variants differs from the files of kernels/null"
"$solgate" list variants --format=csv | grep -q '^null,wrong,candidate,wrong,' || fail "list variants does not say what is expected"
"$solgate" list metrics --format=csv | grep -q '^registers,register,lower,exact,0,0,launch,,,' || fail "list metrics does not say what registers are"

# Patterns: of any name of a row, or of FAMILY/NAME.
rows() {
  "$solgate" list "$@" --format=csv | sed 1d | cut -d, -f1,2 | tr '\n' ' '
}
[ "$(rows cases 'null/t*')" = "null,tiny " ] || fail "cases of a family and of a pattern: $(rows cases 'null/t*')"
[ "$(rows knobs 'wid*')" = "null,tuned " ] || fail "a pattern of knobs: $(rows knobs 'wid*')"
[ "$("$solgate" list gpus 'b200*' --format=csv | wc -l)" = 3 ] || fail "a pattern of files: $(rows gpus 'b200*')"
[ "$(rows variants null/ok)" = "null,ok " ] || fail "a variant of a family: $(rows variants null/ok)"

for wrong in "cases none_such" "metric" "families cases" "--format=xml"; do
  code=0
  # shellcheck disable=SC2086 # words of a command line
  "$solgate" list $wrong >/dev/null 2>&1 || code=$?
  [ "$code" = 4 ] || fail "list $wrong: exit $code, expected 4"
done
code=0
said=$("$solgate" list metrics --module=libsg_null.so 2>&1) || code=$?
[ "$code" = 4 ] || fail "a module for a list that has none of it: exit $code, expected 4"
[ "${said#*--module has families, cases, variants, knobs and kernels: it cannot be combined with metrics}" != "$said" ] || fail "it is said as: $said"
"$solgate" list metrics | head -n 1 >/dev/null || fail "a reader that leaves early is a failure"
[ "$failures" = 0 ]
