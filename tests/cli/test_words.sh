#!/bin/sh
# Lists that must exist twice agree: words of the tables in the headers and in the guide, formats'
# rows and number formats in metrics.ini. And the tree has no unfinished business, no path of one
# machine, no words that the style refuses and no file over 600 lines.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
cd "$tree"
failures=0
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

fail() {
  echo "$*"
  failures=$((failures + 1))
}

# words TABLE FILE: the second column of an X-macro table.
words() {
  found=$(sed -n "/^#define $1(X)/,/[^\\\\]\$/s/^ *X([A-Za-z0-9_]*, \"\([a-z0-9_]*\)\".*/\1/p" "$2")
  [ -n "$found" ] || fail "no words found in $1 of $2"
  printf '%s\n' "$found"
}

# As a row of a table or a word in code style: a word of the language alone ("ok",
# "new") would be found in any text.
for word in $(words SG_STATUS_TABLE kernels/solgate_kernel.h); do
  grep -qs "\`$word\`" docs/verdicts.md || fail "docs/verdicts.md does not explain \`$word\`"
done

# Each verdict is the first column of a row of the guide, and the row has the exit code of the
# table.
sed -n 's/^ *X(SG_[A-Z_]*, "\([a-z_]*\)", [A-Z]*, \([A-Z]*\),.*/\1 \2/p' harness/stats/verdict.h >"$scratch"
[ -s "$scratch" ] || fail "no verdicts found in harness/stats/verdict.h"
while read -r word exit; do
  code=$(sed -n "s/^ *X(SG_EXIT_$exit, \([0-9]*\), .*/\1/p" harness/util/err.h)
  awk -F '|' -v word="\`$word\`" -v code="$code" '
    index($2, word) && $(NF - 1) ~ (code ? "^ (exit )?" code : "^ ?0? ?$") { found = 1 }
    END { exit !found }' docs/verdicts.md || fail "docs/verdicts.md has no row of \`$word\` with the exit code $code"
done <"$scratch"

# The exit codes, as the first column of their table in the guide.
codes=$(sed -n 's/^ *X(SG_EXIT_[A-Z_]*, \([0-9]*\), ".*/\1/p' harness/util/err.h | tr '\n' ' ')
found=$(sed -n '/^#* Exit codes$/,/^#* [^E]/s/^| \([0-9]*\) |.*/\1/p' docs/verdicts.md | tr '\n' ' ')
[ -n "$codes" ] || fail "no exit codes found in harness/util/err.h"
[ "$found" = "$codes" ] || fail "docs/verdicts.md has the exit codes $found instead of $codes"

for dtype in $(words SG_DTYPE_TABLE kernels/solgate_kernel.h); do
  grep -q "^\[work_flop_$dtype\]" metrics/metrics.ini || fail "metrics.ini has no [work_flop_$dtype]"
done
sed -n 's/^\[work_flop_\([a-z0-9]*\)\].*/\1/p' metrics/metrics.ini >"$scratch"
while read -r flop; do
  words SG_DTYPE_TABLE kernels/solgate_kernel.h | grep -qx "$flop" || fail "metrics.ini has [work_flop_$flop], which is no number format"
done <"$scratch"

# First column of the table of run.csv; a name in angle brackets stands for several, and the
# facts of a variant are no metrics.
awk -F '|' '/^### samples.csv/ { exit } $2 ~ /^ `/ { gsub(/[`,]/, "", $2); print $2 }' docs/formats.md | tr -s ' ' '\n' |
  grep -vxE -e '.*<.*' -e '|status|expect|role|shape|note|identity|host_bound|guessed_work|error_signature|suspect|unit|unfit' >"$scratch"
[ -s "$scratch" ] || fail "no metric rows found in docs/formats.md"
while read -r row; do
  grep -q "^\[$row\]" metrics/metrics.ini || fail "docs/formats.md has the row $row, metrics.ini has no such section"
done <"$scratch"

# Written in halves, so that this file is no find of its own.
unfinished="TO""DO|FIX""ME|XX""X|HA""CK|not imple""mented|place""holder|st""ub|for n""ow"
found=$(git grep -nIwE "($unfinished)" -- . ':!tests/data' 2>/dev/null | head -n 10 || true)
[ -z "$found" ] || fail "unfinished by its own words: $found"
found=$(git grep -nIE '(^|[^a-zA-Z0-9_.])/(ro''ot|ho''me|Us''ers)/' -- . 2>/dev/null | head -n 10 || true)
[ -z "$found" ] || fail "paths of somebody's machine: $found"

# Words of no plain English; say what is meant: "is not known", "the caller", "reports".
refused='nob''ody|someb''ody|anyb''ody|whoe''ver|whome''ver|befa''ll|hopel''ess'
found=$(git grep -nIwE "($refused)" -- harness metrics reports scripts cmake docs kernels '*.md' ':!kernels/reference' ':!tests' | head -n 10 || true)
[ -z "$found" ] || fail "not plain English: $found"

# Code is in files of at most 600 lines.
found=$(git ls-files -- '*.[ch]' '*.cu' '*.cuh' '*.cpp' '*.sh' '*.awk' '*.py' '*.gp' '*.cmake' '*/CMakeLists.txt' ':!tests/data' 2>/dev/null |
  xargs wc -l 2>/dev/null | awk '$1 > 600 && $2 != "total" { print $2 }')
[ -z "$found" ] || fail "over 600 lines: $found"

[ "$failures" = 0 ]
