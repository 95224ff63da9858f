#!/bin/sh
# What includes CUPTI's headers compiles wherever C finds C++'s headers too: behind a
# compiler wrapper that adds folders, and under CPATH and C_INCLUDE_PATH. Not under
# sanitizers: it runs no program of this tree.
set -eu

build=$(cd "$1/.." && pwd)
commands=$build/compile_commands.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! grep -q '"file": ".*/metrics/cupti/' "$commands"; then
  echo "skipped: this build has no CUDA"
  exit 77
fi
# The folders of C++, between the two lines of what the compiler prints,
# of which <string> is in the first.
c++ -E -x c++ -v /dev/null 2>&1 | sed -n '/^#include <\.\.\.>/,/^End of search/s/^ //p' | grep 'c++' >"$work/folders" || :
if [ ! -s "$work/folders" ]; then
  echo "skipped: no C++ compiler, or it prints no folders of its own"
  exit 77
fi
path=$(paste -sd: "$work/folders")

# The compile commands of the two files, to check them alone; without a cache in front.
sed -n '/"command": ".*\/\(metrics\/cupti\/range_profiler\|harness\/device\/cuda\/activity\)\.c",*$/ {
  s/^ *"command": "//
  s/",*$//
  s/\\"/"/g
  s/\\\\/\\/g
  s/^[^ ]*ccache //
  s/ -o [^ ]*/ -fsyntax-only/
  p
}' "$commands" >"$work/commands"
[ "$(wc -l <"$work/commands")" = 2 ] || {
  echo "expected the compile commands of two files in $commands, found:"
  cat "$work/commands"
  exit 1
}

failures=0
# compiles SENTENCE ARGUMENTS [VARIABLE=VALUE]: each file, by a compiler with these
# arguments first, in this environment
compiles() {
  sentence=$1
  while read -r compiler arguments; do
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$compiler" "$2" >"$work/cc"
    chmod +x "$work/cc"
    (cd "$build" && env ${3:+"$3"} sh -c "$work/cc $arguments") >"$work/log" 2>&1 || {
      echo "$sentence: $arguments"
      head -n 5 "$work/log"
      failures=$((failures + 1))
    }
  done <"$work/commands"
}

compiles "as it is built" ""
compiles "behind a wrapper with -isystem" "$(sed 's/^/-isystem /' "$work/folders" | paste -sd' ')"
compiles "behind a wrapper with -I" "$(sed 's/^/-I/' "$work/folders" | paste -sd' ')"
compiles "under CPATH" "" "CPATH=$path"
compiles "under C_INCLUDE_PATH" "" "C_INCLUDE_PATH=$path"

[ "$failures" = 0 ]
