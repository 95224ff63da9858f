#!/bin/sh
# A user's project, outside of this tree, builds a module against what was installed, and the installed solgate runs it.
# Not under sanitizers: modules are not sanitized, and other tests run all the rest.
set -eu

build=$(cd "$1/.." && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() {
  "$@" >"$work/log" 2>&1 || {
    code=$?
    echo "failed with $code: $*"
    cat "$work/log"
    exit 1
  }
}

quietly cmake --install "$build" --prefix "$work/prefix"
cp -R "$tree/examples/out_of_tree" "$work/project"
quietly cmake -S "$work/project" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=RelWithDebInfo
quietly cmake --build "$work/build"

module=$(find "$work/build" -name 'libsg_*.so' | sort | head -n 1)
if [ -z "$module" ]; then
  echo "the project built no module"
  exit 1
fi
symbols=$(nm -D --defined-only "$module" | awk '{ print $3 }' | grep -v '^_' | tr '\n' ' ')
if [ "$symbols" != "solgate_module " ]; then
  echo "expected only solgate_module to be visible in the module, found: $symbols"
  exit 1
fi

# What the compiler made of its kernels is in the module.
facts=$(find "$work/build" -name saxpy_build.h)
if [ -n "$facts" ] && ! grep -q 'name = "[^"]*one_each' "$facts"; then
  echo "the build wrote down nothing about the kernels of saxpy:"
  cat "$facts"
  exit 1
fi

# A family's folder may have a blank in its name, whatever builds it.
mkdir -p "$work/outer/my family"
cp "$work/project/"*.[ch] "$work/outer/my family"
echo 'solgate_add_family(out_of_tree)' >"$work/outer/my family/CMakeLists.txt"
cat >"$work/outer/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(outer LANGUAGES C)
find_package(solgate REQUIRED)
add_subdirectory("my family")
EOF
for generator in "Unix Makefiles" Ninja; do
  case $generator in
  Ninja) command -v ninja >"$work/log" || continue ;;
  *) command -v make >"$work/log" || continue ;;
  esac
  quietly cmake -G "$generator" -S "$work/outer" -B "$work/built by $generator" -DCMAKE_PREFIX_PATH="$work/prefix"
  quietly cmake --build "$work/built by $generator"
done

# The installed program, from another folder: it finds its texts and its worker by where it is.
cd "$work"
family=$(basename "$module" .so)
family=${family#libsg_}
quietly "$work/prefix/bin/solgate" list families --module="$module"
grep -q "$family" "$work/log" || {
  echo "solgate list families does not name $family:"
  cat "$work/log"
  exit 1
}

# Without a suite everything in the module is run.
host=$(find "$work/build" -name libsg_out_of_tree.so)
quietly "$work/prefix/bin/solgate" run --module="$host" --out="$work/all"
[ "$(grep -c ',status,.*,ok,' "$work/all/run.csv")" = 4 ] || {
  echo "not all of the module was run:"
  cat "$work/all/run.csv"
  exit 1
}

# What a variant leaves open is in its module.
saxpy=$(find "$work/build" -name libsg_saxpy.so | head -n 1)
if [ -n "$saxpy" ]; then
  quietly "$work/prefix/bin/solgate" list knobs --module="$saxpy" --format=csv
  grep -qx 'saxpy,grid_stride,blocks,1 2 4 8 16 32,of a multiprocessor' "$work/log" || {
    echo "solgate list knobs does not name the knob of saxpy:"
    cat "$work/log"
    exit 1
  }
fi

for page in README.md docs/guide.md examples/out_of_tree/CMakeLists.txt; do
  [ -s "$work/prefix/share/doc/solgate/$page" ] || {
    echo "$page was not installed"
    exit 1
  }
done
for page in solgate solgate-run solgate-baseline-accept; do
  [ -s "$work/prefix/share/man/man1/$page.1" ] || {
    echo "no man page $page was installed"
    exit 1
  }
done

# A variant without its SG_VARIANT is a link error that names the symbol.
printf '#include "solgate_kernel.h"\n' >"$work/project/forgotten.c"
if cmake -S "$work/project" -B "$work/build" >"$work/log" 2>&1 && cmake --build "$work/build" >>"$work/log" 2>&1; then
  echo "a variant that defines nothing must not link"
  exit 1
fi
grep -q "sg_variant_${family}_forgotten" "$work/log" || {
  echo "the link error does not name sg_variant_${family}_forgotten:"
  cat "$work/log"
  exit 1
}
