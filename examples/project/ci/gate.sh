#!/bin/sh
# gate.sh [BASE] - may this be merged into BASE (default: main)? Builds BASE and what stands here,
# gates each variant that was not built the same, and prints a summary in Markdown. Ends with the
# highest exit code of `solgate ab`.
set -eu
cd "$(dirname "$0")/.."
base=${1:-main}
worst=0
mkdir -p out
# The families that can be built here.
families=$(cmake -S . -B build | sed -n 's/^-- family \([a-z0-9_]*\): .*/\1/p')
for family in $families; do
  code=0
  solgate ab --commits="$base" "$family" --module="build/libsg_$family.so" --out="$(mktemp -d out/gate-XXXXXX)" \
    --build="cmake -S . -B build && cmake --build build --target sg_$family" --format=markdown || code=$?
  [ "$code" -le "$worst" ] || worst=$code
done
[ -n "$families" ] || worst=3
exit "$worst"
