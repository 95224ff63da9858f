#!/bin/sh
# A user's project, outside of this tree, builds a module against what was installed,
# and the installed solgate runs it.
# Not under sanitizers: modules are not sanitized, and other tests run all the rest.
set -eu

build=$(cd "$1/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# die TEXT [FILE]: the test fails with the text and what is in the file
die() {
  echo "$1"
  [ -z "${2:-}" ] || cat "$2"
  exit 1
}

quietly() {
  "$@" >"$work/log" 2>&1 || {
    code=$?
    echo "failed with $code: $*"
    cat "$work/log"
    exit 1
  }
}

quietly cmake --install "$build" --prefix "$work/prefix"
quietly "$work/prefix/bin/solgate" init "$work/project"
# For one GPU, to save time; the choice is the user's.
quietly cmake -S "$work/project" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CUDA_ARCHITECTURES=90-real
cp "$work/log" "$work/configured"
quietly cmake --build "$work/build"
grep -q '^CMAKE_CUDA_ARCHITECTURES:[A-Z]*=90-real$' "$work/build/CMakeCache.txt" || {
  echo "CMAKE_CUDA_ARCHITECTURES is not what the user set:"
  grep CMAKE_CUDA_ARCHITECTURES "$work/build/CMakeCache.txt"
  exit 1
}
# Where each module is stands in the output of the configuration.
sed -n 's/^-- family [a-z_]*: //p' "$work/configured" >"$work/modules"
while read -r path; do
  [ -f "$path" ] || die "the configuration prints $path for a module, and there is none"
done <"$work/modules"
[ -s "$work/modules" ] || die "the configuration does not print where the modules are:" "$work/configured"
module=$(find "$work/build" -name 'libsg_*.so' | sort | head -n 1)
[ -n "$module" ] || die "the project built no module"
symbols=$(nm -D --defined-only "$module" | awk '{ print $3 }' | grep -v '^_' | tr '\n' ' ')
[ "$symbols" = "solgate_module solgate_take_case " ] ||
  die "expected only solgate_module and solgate_take_case to be visible in the module, found: $symbols"

# What the compiler made of its kernels is in the module.
facts=$(find "$work/build" -name saxpy_build.h)
if [ -n "$facts" ] && ! grep -q 'name = "[^"]*one_each' "$facts"; then
  die "the build wrote down nothing about the kernels of saxpy:" "$facts"
fi

# A family's folder may have a blank in its name, whatever builds it.
mkdir -p "$work/outer/my family"
cp "$work/project/"*.[ch] "$work/outer/my family"
echo 'solgate_add_family(axpy)' >"$work/outer/my family/CMakeLists.txt"
cat >"$work/outer/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(outer LANGUAGES C)
find_package(solgate REQUIRED)
add_subdirectory("my family")
EOF
quietly cmake -S "$work/outer" -B "$work/built in it" -DCMAKE_PREFIX_PATH="$work/prefix"
quietly cmake --build "$work/built in it"

# Options that would change nothing.
# refused WORDS OPTION...: of solgate_add_family
refused() {
  words=$1
  shift
  echo "solgate_add_family(axpy $*)" >"$work/outer/my family/CMakeLists.txt"
  if cmake -S "$work/outer" -B "$work/built in it" >"$work/log" 2>&1 ||
    ! tr -s ' \n' ' ' <"$work/log" | grep -qF -e "$words"; then
    echo "solgate_add_family with $* is not refused by '$words':"
    cat "$work/log"
    exit 1
  fi
}
refused "ARCHITECTURES are of .cu files" ARCHITECTURES 90a
refused "[ARCHITECTURES architecture... [NEEDS word...]]" NEEDS wgmma

# A family of the user's own ways: warnings, a language standard, folders, a library, C++.
# With STRICT its warnings are errors.
mkdir "$work/own" "$work/own/headers"
sed 's/#include "axpy.h"/#include "axpy.h"\n#include <factor.h>/; s/AXPY_FACTOR \* x/factor() * x/' "$work/project/forwards.c" >"$work/own/forwards.c"
cp "$work/project/"family.c "$work/project/"axpy.h "$work/own"
printf 'float factor(void);\n' >"$work/own/headers/factor.h"
mkdir "$work/own/library"
printf '#include <factor.h>\nfloat factor(void) { return 2.5f; }\n' >"$work/own/library/factor.c"
cat >"$work/own/in_cpp.cpp" <<'EOF'
#include <vector>

#include "axpy.h"

#if __cplusplus != 201703L
#warning "not the standard of the project"
#endif

static void launch(const struct sg_launch *l)
{
    int unused;
    const std::vector<float> factor(1, AXPY_FACTOR * OF_LIBRARY);
    const float *x = (const float *)l->buffer[AXPY_X];
    for (int64_t i = 0; i < l->c->dim[AXPY_N]; i++)
        ((float *)l->buffer[AXPY_Y])[i] += factor[0] * x[i];
}

SG_VARIANT(axpy, in_cpp) = {.summary = "C++", .role = SG_CANDIDATE, .launch = launch};
EOF
cat >"$work/own/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(own LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
add_compile_options(-Wall)
find_package(solgate REQUIRED)
add_library(factor STATIC library/factor.c)
target_include_directories(factor PRIVATE headers)
target_compile_definitions(factor INTERFACE OF_LIBRARY=1)
set_target_properties(factor PROPERTIES POSITION_INDEPENDENT_CODE ON)
solgate_add_family(axpy ${STRICT} INCLUDE headers LIBRARIES factor)
get_target_property(module sg_axpy SOLGATE_MODULE)
message("the property is ${module}")
EOF
quietly cmake -S "$work/own" -B "$work/own/build" -DCMAKE_PREFIX_PATH="$work/prefix"
own=$(sed -n 's/^the property is //p' "$work/log")
quietly cmake --build "$work/own/build"
if ! grep -q 'warning: unused variable' "$work/log" || grep -q 'not the standard of the project' "$work/log"; then
  die "the family is not compiled by the flags and the standard of the project:" "$work/log"
fi
quietly "$work/prefix/bin/solgate" list variants --module="$own"
grep -q 'in_cpp' "$work/log" || die "the variant in C++ is not in the module $own:" "$work/log"
if cmake -S "$work/own" -B "$work/own/build" -DSTRICT=STRICT >"$work/log" 2>&1 && cmake --build "$work/own/build" >>"$work/log" 2>&1; then
  die "with STRICT a warning must be an error"
fi

# The installed program, from another folder: it finds its texts and its worker by where it is.
cd "$work"
family=$(basename "$module" .so)
family=${family#libsg_}
quietly "$work/prefix/bin/solgate" list families --module="$module"
grep -q "$family" "$work/log" || die "solgate list families does not name $family:" "$work/log"
quietly "$work/prefix/bin/solgate" list families
if ! grep -q '^null ' "$work/log" || [ ! -f "$work/prefix/libexec/solgate/libsg_null.so" ]; then
  die "the installed modules are not in libexec/solgate, or not found there:" "$work/log"
fi

# Without a suite everything in the module is run.
host=$(find "$work/build" -name libsg_axpy.so)
quietly "$work/prefix/bin/solgate" run --module="$host" --out="$work/all"
[ "$(grep -c ',status,.*,ok,' "$work/all/run.csv")" = 4 ] || die "not all of the module was run:" "$work/all/run.csv"

# A night as cron runs it: an empty environment, an installed solgate that its user may not write
# to, a family out of tree beside one of solgate's. As another user where possible, for root may
# write anywhere.
mkdir "$work/cron"
as_other=
chmod go+rx "$work"
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$work/cron" 2>/dev/null; then
  as_other="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
cat >"$work/cron/own.suite" <<'EOF'
[suite]
title   = a night of a family out of tree
metrics = quick
blocks  = 4

[axpy]

[null]
case    = tiny
variant = faster
EOF
# files: what is installed
files() {
  find "$work/prefix" -exec stat -c '%n %s %Y' {} + | sort
}
# night EXIT WORDS: solgate nightly ends so, with these words in its first two lines
night() {
  code=0
  # shellcheck disable=SC2086 # words
  (cd "$work/cron" && $as_other env -i HOME="$work/cron" "$work/prefix/bin/solgate" nightly own.suite --module="$host" --out=nights --history=history) \
    >"$work/log" 2>&1 || code=$?
  if [ "$code" != "$1" ] || ! head -n 2 "$work/cron/nights/"*/night.txt | tr -s ' \n' ' ' | grep -q "$2"; then
    die "a night of an installed solgate: exit $code instead of $1, or without '$2':" "$work/log"
  fi
}
files >"$work/before"
chmod -R a-w "$work/prefix"
[ -z "$as_other" ] || {
  chmod -R go+rX "$work/prefix" "$work/build"
  chown -R 65534:65534 "$work/cron"
  ! $as_other test -w "$work/prefix/bin" || die "the other user may write to what is installed"
}
night 3 'nightly: 1 suite, 0 rows; '
(
  cd "$work/cron"
  # shellcheck disable=SC2086 # words
  quietly $as_other env -i HOME="$work/cron" "$work/prefix/bin/solgate" accept nights/*/own --module="$host"
)
rm -r "$work/cron/nights"
night 0 'PASS (exit 0): nothing regressed.* nightly: 1 suite, 6 rows: .*; history: nothing is open'
[ "$(find "$work/cron/history" -name '*.csv' | wc -l)" = 2 ] || die "two nights are not in the history"
chmod -R u+w "$work/prefix"
files | cmp -s "$work/before" - || {
  echo "a night changed what is installed:"
  files | diff "$work/before" -
  exit 1
}

for page in README.md docs/triton.md; do
  [ -s "$work/prefix/share/doc/solgate/$page" ] || die "$page was not installed"
done
find "$work/prefix/share/doc/solgate" -name '*.md' | while read -r page; do
  { grep -o '](\(\.\./\)*[A-Za-z0-9_/]*\.[a-z]*[)#]' "$page" || true; } | sed 's/^](//; s/[)#]$//' | sort -u | while read -r link; do
    [ -e "${page%/*}/$link" ] || echo "$page: $link is not installed"
  done
done >"$work/dead"
[ ! -s "$work/dead" ] || {
  cat "$work/dead"
  exit 1
}
for page in solgate solgate-run solgate-accept solgate-accepted-show; do
  [ -s "$work/prefix/share/man/man1/$page.1" ] || die "no man page $page was installed"
done

