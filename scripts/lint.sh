#!/bin/sh
# lint.sh BUILD - clang-format, shellcheck, cppcheck and clang-tidy over the tree; clean or exit 1. BUILD holds compile_commands.json.
#
# Every tool runs even if an earlier one complained, so that one run shows everything there is to mend.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
if [ ! -f "${1:-}/compile_commands.json" ]; then
  echo "lint.sh: expected the folder of a configured build, found '${1:-}' (cmake --preset default makes one)" >&2
  exit 4
fi
build=$(cd "$1" && pwd)
cd "$root" || exit 3
cores=$(nproc)
failures=0

check() {
  title=$1
  shift
  if "$@"; then
    echo "lint: $title: clean"
  else
    echo "lint: $title: see above" >&2
    failures=$((failures + 1))
  fi
}

sources() {
  git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
    if [ -f "$file" ]; then echo "$file"; fi
  done
}

run_format() {
  sources '*.c' '*.h' '*.cu' '*.cuh' | xargs clang-format --dry-run -Werror
}

run_shellcheck() {
  sources '*.sh' scripts/setup .ci/run | xargs shellcheck --shell=sh --severity=warning
}

# What a file is compiled with decides what is read of it: only files of the build, so that a build without CUDA lints no CUDA.
compiled_files() {
  sed -n 's/^ *"file": "\(.*\.c\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u | grep "^$root/" | grep -v "^$build/"
}

run_cppcheck() {
  compiled_files | sed "s|^$root/||" | grep -v '^tests/' >"$build/lint_files.txt"
  cppcheck --file-list="$build/lint_files.txt" -j "$cores" --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppressions-list=.cppcheck --error-exitcode=1 -D_POSIX_C_SOURCE=200809L -D__GNUC__=12 '-DSOLGATE_VERSION=""' \
    -Ikernels -Iharness -Imetrics -I. -I"$build/generated"
}

run_tidy() {
  compiled_files | xargs -P "$cores" -n 2 clang-tidy --quiet -p "$build" 2>"$build/lint_tidy.log" || {
    grep -v 'warnings generated\.$' "$build/lint_tidy.log" >&2
    return 1
  }
}

check clang-format run_format
check shellcheck run_shellcheck
check cppcheck run_cppcheck
check clang-tidy run_tidy
[ "$failures" = 0 ]
