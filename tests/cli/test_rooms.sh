#!/bin/sh
# Not under sanitizers: it runs no program of this tree.
# Each room uses only rooms above it (CMakeLists.txt), each include names its room, and CUDA is
# included only where CUDA may be. One include turned round, in a copy of the tree, fails.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# faults TREE: what the includes of a tree do against its rooms.
faults() {
  (
    cd "$1"
    find harness metrics reports -path metrics/cupti_c -prune -o -type f \( -name '*.[ch]' -o -name '*.cu' \) -print | sort |
      xargs awk -f "$here/rooms.awk" CMakeLists.txt
  )
}

mkdir -p "$scratch/tree/kernels"
cp -R "$tree/CMakeLists.txt" "$tree/harness" "$tree/metrics" "$tree/reports" "$scratch/tree"
cp "$tree"/kernels/*.h "$scratch/tree/kernels"

# expect_fault WHAT FILE LINE PATTERN: the copy of the tree, with LINE behind the first include of
# FILE, has the fault.
expect_fault() {
  awk -v line="$3" '{ print } /^#include/ && !done { print line; done = 1 }' "$tree/$2" >"$scratch/tree/$2"
  if ! faults "$scratch/tree" | grep -q "$4"; then
    echo "$1: expected a fault like '$4', found:"
    faults "$scratch/tree"
    exit 1
  fi
  cp "$tree/$2" "$scratch/tree/$2"
}

found=$(faults "$tree")
if [ -n "$found" ]; then
  printf '%s\n' "$found"
  exit 1
fi
expect_fault "an include turned round" harness/stats/decision.c '#include "compare/compare.h"' 'stats may not use compare'
expect_fault "an include without a room" harness/stats/decision.c '#include "decision.h"' 'names its room, found "decision.h"'
expect_fault "CUDA outside of its rooms" harness/compare/compare.c '#include <cuda.h>' 'compare.c: includes <cuda.h>'
expect_fault "a header of CUDA's room" harness/worker/session.c '#include "device/cuda/driver.h"' 'session.c: includes harness/device/cuda/driver.h'
expect_fault "a program that a room uses" harness/worker/session.c '#include "run/execution.h"' 'worker may not use run'
sed 's/^solgate_room(stats harness\/stats USES util)/solgate_room(stats harness\/stats USES util results)/' "$tree/CMakeLists.txt" >"$scratch/tree/CMakeLists.txt"
faults "$scratch/tree" | grep -q 'stats uses results, which does not stand above it' || {
  echo "a room below: expected a fault"
  exit 1
}

# harness/README.md lists the rooms in their order.
sed -n 's/^ *solgate_room([a-z0-9_]* \(harness\/\)\{0,1\}\([a-z0-9_\/]*\).*/\2/p' "$tree/CMakeLists.txt" >"$scratch/rooms"
grep '^| `' "$tree/harness/README.md" | cut -d '|' -f 2 | grep -o '`[^`]*`' | tr -d '`' >"$scratch/listed"
if ! diff "$scratch/rooms" "$scratch/listed"; then
  echo "harness/README.md lists other rooms than CMakeLists.txt, or in another order"
  exit 1
fi

# A tag of the project has one definition, so that its name leads to one header.
twice=$(cd "$tree" && grep -rhoE --include='*.[ch]' '^(struct|enum|union) sg_[a-z0-9_]+ \{' harness metrics reports kernels | sort | uniq -d)
if [ -n "$twice" ]; then
  printf 'defined twice:\n%s\n' "$twice"
  exit 1
fi
