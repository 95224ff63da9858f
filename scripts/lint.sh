#!/bin/sh
# lint.sh BUILD [--changed[=COMMIT]] - runs clang-format, the width check of comments, shellcheck,
# cppcheck and clang-tidy; exit 1 unless all are clean. BUILD has compile_commands.json.
#
# Every tool runs even if an earlier one complained, so that one run shows all faults. With
# --changed, shellcheck, cppcheck and clang-tidy, which take nearly all of the time, read only files
# that differ from COMMIT or include one that differs. COMMIT defaults to the fork point from the
# remote's default branch, and to HEAD~1 on that branch.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
if [ ! -f "${1:-}/compile_commands.json" ]; then
  echo "lint.sh: expected the folder of a configured build, found '${1:-}' (cmake --preset default makes one)" >&2
  exit 4
fi
build=$(cd "$1" && pwd)
case ${2:-} in
  '') changed=no ;;
  --changed) changed=yes base= ;;
  --changed=?*) changed=yes base=${2#--changed=} ;;
  *)
    echo "lint.sh: unknown argument $2 (known: --changed, --changed=COMMIT)" >&2
    exit 4
    ;;
esac
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
  sources '*.c' '*.h' '*.cu' '*.cuh' '*.cpp' | xargs -P "$cores" -n 50 clang-format --dry-run -Werror
}

# Excludes generated files, which are as wide as their data, and kernels/reference, which is fixed.
run_comment_width() {
  sources '*.c' '*.h' '*.cu' '*.cuh' '*.cpp' '*.sh' '*.awk' '*.gp' '*.cmake' '*.in' '*CMakeLists.txt' '*.suite' '*.group' \
    '*.gpu' '*.ini' '*.md' scripts/setup .ci/run ':!tests/data' ':!docs/studies/gap.md' \
    ':!kernels/*/stages.md' ':!kernels/reference' | xargs awk -f scripts/lib/comment_width.awk
}

# Only files of the build, because the compile options decide what is read: a build without CUDA
# lints no CUDA.
compiled_files() {
  sed -n 's/^ *"file": "\(.*\.c\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u | grep "^$root/" | grep -v "^$build/"
}

# Prints the commit to compare with; nothing if there is none, as in a clone of depth 1.
base_commit() {
  if [ -n "$base" ]; then
    git rev-parse --quiet --verify "$base^{commit}"
    return
  fi
  head=$(git rev-parse HEAD 2>/dev/null) || return 0
  fork=$(git merge-base HEAD origin/HEAD 2>/dev/null)
  if [ -z "$fork" ] || [ "$fork" = "$head" ]; then
    fork=$(git rev-parse --quiet --verify 'HEAD~1^{commit}')
  fi
  echo "$fork"
}

# Prints the paths that differ from commit $1, committed or not, except files that only moved.
changed_files() {
  git diff -M --diff-filter=d --name-status "$1" | awk -F '\t' '$1 != "R100" { print $NF }'
  git ls-files --others --exclude-standard
}

# Prints the changed C files and scripts, and those that include a changed header or script.
changed_sources() {
  changed_files "$1" | while read -r file; do
    case $file in
      *.h) git grep -l --untracked -F "${file##*/}\"" -- '*.c' ;;
      *.sh) echo "$file" && git grep -l --untracked "^ *\. .*/${file##*/}" -- '*.sh' ;;
      *.clang-tidy | .cppcheck) git ls-files '*.c' ;;
      *) echo "$file" ;;
    esac
  done | sort -u
}

# Writes the files for shellcheck to $build/lint_scripts.txt, those for clang-tidy and cppcheck to
# $build/lint_compiled.txt, and describes them.
choose_files() {
  compiled_files | sed "s|^$root/||" >"$build/lint_compiled.txt"
  sources '*.sh' scripts/setup scripts/ci/solgate-ci .ci/run >"$build/lint_scripts.txt"
  [ "$changed" = yes ] || return 0
  commit=$(base_commit)
  if [ -z "$commit" ]; then
    echo "lint: no commit ${base:-before this one} to compare with: all files are read"
    return 0
  fi
  changed_sources "$commit" >"$build/lint_changed.txt"
  for kind in compiled scripts; do
    all=$(wc -l <"$build/lint_$kind.txt")
    grep -xF -f "$build/lint_changed.txt" "$build/lint_$kind.txt" >"$build/lint_some.txt"
    mv "$build/lint_some.txt" "$build/lint_$kind.txt"
    echo "lint: $kind: reads $(wc -l <"$build/lint_$kind.txt") of $all files, those that differ from $(git rev-parse --short "$commit")"
  done
}

run_shellcheck() {
  xargs -r -P "$cores" -n 50 shellcheck -x --shell=sh --severity=warning <"$build/lint_scripts.txt"
}

run_cppcheck() {
  grep -vE '^(tests|studies)/' "$build/lint_compiled.txt" >"$build/lint_files.txt" || return 0
  cppcheck --file-list="$build/lint_files.txt" -j "$cores" --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppressions-list=.cppcheck --error-exitcode=1 -D_POSIX_C_SOURCE=200809L -D__GNUC__=12 '-DSOLGATE_VERSION=""' \
    -Ikernels -Iharness -Imetrics -I. -I"$build/generated"
}

run_tidy() {
  xargs -r -P "$cores" -n 2 clang-tidy --quiet -p "$build" <"$build/lint_compiled.txt" 2>"$build/lint_tidy.log" || {
    grep -v 'warnings\{0,1\} generated\.$' "$build/lint_tidy.log" >&2
    return 1
  }
}

choose_files
check clang-format run_format
check 'comments at most 100 columns wide' run_comment_width
check shellcheck run_shellcheck
check cppcheck run_cppcheck
check clang-tidy run_tidy
[ "$failures" = 0 ]
