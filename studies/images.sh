#!/bin/sh
# images.sh BUILD - builds the portable families in the folder BUILD as on a machine without a GPU,
# and checks with cuobjdump that each module holds code for every GPU of CMAKE_CUDA_ARCHITECTURES:
# machine code, and PTX of the last. Portable is what has .cu files and names no ARCHITECTURES. Exit
# 0 only if nothing is missing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:?the folder of a build}
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:$build/packages/nvidia/cu13/bin
command -v cuobjdump || python3 -m pip install -q --target "$build/packages" nvidia-cuda-cuobjdump==13.2.51
families=$(grep -L ARCHITECTURES "$root"/kernels/*/CMakeLists.txt | while read -r lists; do
  folder=${lists%/*}
  ! ls "$folder"/*.cu >/dev/null 2>&1 || basename "$folder"
done)

# A GPU that is here must not shorten the list.
cmake -G Ninja -S "$root" -B "$build" -DSOLGATE_TESTS=OFF -DSOLGATE_NVIDIA_SMI=/bin/false
# shellcheck disable=SC2046 # the targets are words
cmake --build "$build" -j "$(nproc)" --target $(echo "$families" | sed 's/^/sg_/')
wanted=$(sed -n 's/^CMAKE_CUDA_ARCHITECTURES:[A-Z]*=//p' "$build/CMakeCache.txt" | tr ';' '\n' | sed 's/\(.*\)-real/sm_\1/; t; s/.*/sm_&\ncompute_&/')
missing=no
for family in $families; do
  module=$build/bin/libsg_$family.so
  found=$(cuobjdump --list-elf "$module" && cuobjdump --list-ptx "$module" | sed 's/sm_\([0-9a-z]*\)\.ptx$/compute_\1/')
  for image in $wanted; do
    echo "$found" | grep -qw "$image" || {
      echo "images.sh: $family: no $image" >&2
      missing=yes
    }
  done
done
[ "$missing" = no ]
