#!/bin/sh
# The pinned kernels are the ones whose times are on record: every source of kernels/reference is
# in pinned.hash, with its SHA-256.
# Not under sanitizers: it runs no program of this tree.
set -eu
export LC_ALL=C

tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check FOLDER: 0 if the folder's sources are the pinned ones.
check() {
  (cd "$1" && sha256sum --strict --quiet --check pinned.hash && sha256sum -- *.cu *.cuh | cmp -s - pinned.hash) >"$work/log" 2>&1
}

if ! check "$tree/kernels/reference"; then
  cat "$work/log"
  echo "kernels/reference is not what kernels/reference/pinned.hash pins: times on record are of other kernels than these."
  echo "If that is meant: cd kernels/reference && LC_ALL=C sha256sum -- *.cu *.cuh >pinned.hash, and begin the record of drift anew."
  exit 1
fi

# A changed source, and one more source, are both found.
cp -R "$tree/kernels/reference" "$work/changed"
echo "/* another kernel */" >>"$work/changed/reference.cuh"
cp -R "$tree/kernels/reference" "$work/more"
echo "/* one more */" >"$work/more/pinned_5pct.cu"
for folder in changed more; do
  if check "$work/$folder"; then
    echo "a folder with sources $folder passes as pinned"
    exit 1
  fi
done
