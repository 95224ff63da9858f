#!/bin/sh
# images.sh BUILD - builds the portable families in the folder BUILD as on a machine without a GPU,
# and checks with cuobjdump that each module holds code for every GPU of the list
# (cmake/SolgateCuda.cmake): machine code for sm_80, sm_89, sm_90, sm_100 and sm_120, as far as the
# compiler knows them, and PTX of the last. Portable is what has .cu files and names no
# ARCHITECTURES. cuobjdump is that of the toolkit, else one of pip. Exit 0 only if nothing is
# missing, 3 if there is no cuobjdump.
set -eu

if [ $# != 1 ]; then
  echo "usage: images.sh BUILD" >&2
  exit 4
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1

cuobjdump=$(PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin command -v cuobjdump) || {
  python3 -m pip install -q --target "$build/packages" nvidia-cuda-cuobjdump==13.2.51 || {
    echo "images.sh: no cuobjdump in the toolkit, and none of pip" >&2
    exit 3
  }
  cuobjdump=$build/packages/nvidia/cu13/bin/cuobjdump
}

families=
targets=
for lists in "$root"/kernels/*/CMakeLists.txt; do
  folder=$(dirname "$lists")
  if ls "$folder"/*.cu >/dev/null 2>&1 && ! grep -q ARCHITECTURES "$lists"; then
    families="$families $(basename "$folder")"
    targets="$targets sg_$(basename "$folder")"
  fi
done

# A GPU that is here must not shorten the list.
cmake -G Ninja -S "$root" -B "$build" -DSOLGATE_TESTS=OFF -DSOLGATE_NVIDIA_SMI=/bin/false
# shellcheck disable=SC2086 # the targets are words
cmake --build "$build" -j "$(nproc)" --target $targets

chosen=$(sed -n 's/^CMAKE_CUDA_ARCHITECTURES:[A-Z]*=//p' "$build/CMakeCache.txt")
[ -n "$families" ] && [ -n "$chosen" ] || {
  echo "images.sh: expected portable families and CMAKE_CUDA_ARCHITECTURES in $build/CMakeCache.txt, found '$families' and '$chosen'" >&2
  exit 4
}
missing=0
# wants FAMILY FOUND IMAGE
wants() {
  case " $2 " in
    *" $3 "*) ;;
    *)
      echo "images.sh: $1: no $3" >&2
      missing=$((missing + 1))
      ;;
  esac
}

for family in $families; do
  module=$build/bin/libsg_$family.so
  found=$({
    "$cuobjdump" --list-elf "$module" | grep -o 'sm_[0-9a-z]*'
    "$cuobjdump" --list-ptx "$module" | sed -n 's/.*sm_\([0-9a-z]*\)\.ptx$/compute_\1/p'
  } | sort -u | tr '\n' ' ')
  echo "images.sh: $family: $found"
  for architecture in $(echo "$chosen" | tr ';' ' '); do
    wants "$family" "$found" "sm_${architecture%-real}"
    [ "${architecture%-real}" != "$architecture" ] || wants "$family" "$found" "compute_$architecture"
  done
done
[ "$missing" = 0 ]
