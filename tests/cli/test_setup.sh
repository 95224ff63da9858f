#!/bin/sh
# scripts/setup tells what is missing and how to get it, and touches nothing when it only checks: on
# a PATH with stand-ins for the tools. Not under sanitizers: it runs no program of this tree.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/path"
for tool in sh sed sort tr head cat grep; do
  ln -s "$(command -v "$tool")" "$work/path/$tool"
done
tools="c++ ninja git gnuplot clang-format clang-tidy cppcheck shellcheck"
for tool in $tools cc apt-get; do
  printf '#!/bin/sh\n' >"$work/path/$tool"
done
# shellcheck disable=SC2016 # the stand-ins expand these
{
  printf '#!/bin/sh\necho "cmake version $CMAKE_VERSION"\n' >"$work/path/cmake"
  printf '#!/bin/sh\necho "$*" >>"%s"\n' "$work/installed" >"$work/path/apt-get"
}
chmod +x "$work"/path/*

failures=0
# check SENTENCE EXIT PATTERN ARGUMENT...
check() {
  sentence=$1
  expected=$2
  pattern=$3
  shift 3
  code=0
  CMAKE_VERSION=${version:-3.25.1} PATH=$work/path "$work/path/sh" "$tree/scripts/setup" "$@" >"$work/output" 2>&1 || code=$?
  if [ "$code" != "$expected" ] || ! grep -q -e "$pattern" "$work/output"; then
    echo "$sentence: exit $code, expected $expected and '$pattern' in:"
    cat "$work/output"
    failures=$((failures + 1))
  fi
}

check "with everything there it says so" 0 'all there' --check
rm "$work/path/ninja" "$work/path/cppcheck"
check "what is missing is named with the line that installs it" 3 'sudo apt-get install .* cppcheck ninja-build' --check
rm "$work/path/gnuplot"
check "what only tests need is not asked of a machine that runs" 3 'no-install-recommends gnuplot-nox ninja-build$' --check --run-only
check "an unknown argument is refused" 4 'unknown argument --frobnicate' --frobnicate
for tool in ninja cppcheck gnuplot; do
  cp "$work/path/git" "$work/path/$tool"
done
version=3.22.1
check "a cmake that is too old is refused" 3 'cmake 3.22.1 is too old, 3.25' --check
if [ -e "$work/installed" ]; then
  echo "--check must install nothing; it called apt-get $(cat "$work/installed")"
  failures=$((failures + 1))
fi
[ "$failures" = 0 ]
