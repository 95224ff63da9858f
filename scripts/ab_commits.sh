#!/bin/sh
# ab_commits.sh BASE HEAD FAMILY [--variant=V]... [OPTION of `solgate ab`]... - may HEAD be
# merged, as far as FAMILY's kernels go?
#
# Builds kernels/FAMILY at two commits, in a clone that shares the objects of this repository, and
# gates each variant of HEAD against the same variant of BASE; one that BASE does not have is
# gated against BASE's baseline variant. Without --variant: those whose file differs, or all that
# should be right when a file that they share does. With --out=DIR the runs are kept, in
# DIR/VARIANT. Exit code: the worst of the gates', in the order of docs/method.md 8; 0 when
# nothing differs, 3 when a commit does not build. SOLGATE_BIN=FOLDER names programs to gate with,
# which are otherwise built from HEAD.
set -eu

usage() {
  sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
}

note() {
  echo "ab_commits.sh: $*" >&2
}

case ${1-} in
  -h | --help)
    usage
    exit 0
    ;;
esac
if [ $# -lt 3 ]; then
  note "expected BASE HEAD FAMILY, found $# arguments (-h prints the usage)"
  exit 4
fi
family=$3
tree=$(cd "$(dirname "$0")/.." && pwd)
commit() {
  git -C "$tree" rev-parse --quiet --verify "$1^{commit}" || {
    note "no such commit: $1"
    exit 4
  }
}
base=$(commit "$1")
head=$(commit "$2")
shift 3

variants=
out=
count=$#
while [ "$count" -gt 0 ]; do
  case $1 in
    --variant=?*) variants="$variants ${1#--variant=}" ;;
    --out=?*) out=${1#--out=} ;;
    *) set -- "$@" "$1" ;;
  esac
  shift
  count=$((count - 1))
done
case $out in
  '' | /*) ;;
  *) out=$PWD/$out ;;
esac

work=$(mktemp -d)
leave() {
  rm -rf "$work"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# has COMMIT VARIANT: its file is there
has() {
  git -C "$tree" ls-tree --name-only "$1" "kernels/$family/" | grep -qE "/$2\.(c|cpp|cu)$"
}

for each in "$base" "$head"; do
  has "$each" family || {
    note "no family $family (kernels/$family/family.c, .cpp or .cu) in $(git -C "$tree" describe --always "$each")"
    exit 4
  }
done

# build COMMIT FOLDER: both in one place, one after the other: what a compiler writes of paths
# into device code is then the same.
build() {
  note "building $family at $(git -C "$tree" log -1 --format='%h %s' "$1")"
  git -C "$work/source" -c core.hooksPath=/dev/null checkout --quiet --detach "$1"
  rm -rf "$work/build"
  # A family without .cu files is built without CUDA: to look for that takes longer than to build.
  cuda=OFF
  ! git -C "$tree" ls-tree --name-only "$1" "kernels/$family/" | grep -q '\.cu$' || cuda=ON
  if ! cmake -S "$work/source" -B "$work/build" -G Ninja -DSOLGATE_TESTS=OFF -DSOLGATE_CUDA="$cuda" >"$work/log" 2>&1 ||
    ! ninja -C "$work/build" "sg_$family" >>"$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    note "this commit does not build"
    exit 3
  fi
  mkdir "$2"
  cp "$work/build/bin/libsg_$family.so" "$2"
}
# As sg_script_add_clone of harness/cli/script.c does, for its reason.
common=$(cd "$tree" && cd "$(git rev-parse --git-common-dir)" && pwd)
git clone --quiet --shared --no-checkout "$common" "$work/source"
build "$base" "$work/base"
build "$head" "$work/head"
bin=${SOLGATE_BIN:-$work/build/bin}
if [ -z "${SOLGATE_BIN:-}" ] && ! ninja -C "$work/build" solgate solgate-worker >"$work/log" 2>&1; then
  tail -n 20 "$work/log" >&2
  note "solgate of HEAD does not build; SOLGATE_BIN=FOLDER names another"
  exit 3
fi
# Beside HEAD's module, which is the one of this family that they then know.
cp "$bin/solgate" "$bin/solgate-worker" "$work/head"
solgate=$work/head/solgate
export SOLGATE_HOME="$work/source"

listed=$("$solgate" list variants --format=csv | sed -n "s/^$family,\([a-z0-9_]*\),\([a-z]*\),\([a-z_]*\),.*/\1 \2 \3/p")
should_be_right() {
  printf '%s\n' "$listed" | sed -n 's/^\([a-z0-9_]*\) [a-z]* ok$/\1/p'
}
baseline=$(printf '%s\n' "$listed" | sed -n 's/^\([a-z0-9_]*\) baseline .*/\1/p')

if [ -z "$variants" ]; then
  # Notes and tools of a family are no part of its kernels.
  changed=$(git -C "$tree" diff --name-only "$base" "$head" -- "kernels/$family" ':(glob)kernels/*.h' ':(exclude,glob)kernels/*/*.md' \
    ":(exclude)kernels/$family/tools")
  for variant in $(should_be_right); do
    own=$(printf '%s\n' "$changed" | grep -cE "^kernels/$family/$variant\.(c|cpp|cu)$") || true
    [ "$own" = 0 ] || variants="$variants $variant"
  done
  # A file that is no variant's: it may change all of them.
  for file in $changed; do
    name=$(basename "$file")
    printf '%s\n' "$listed" | grep -q "^${name%.*} " || variants=$(should_be_right | tr '\n' ' ')
  done
  if [ -z "$variants" ]; then
    note "no kernel of $family that should be right differs between the two"
    exit 0
  fi
fi

rank() {
  case $1 in
    0) echo 0 ;;
    2) echo 1 ;;
    3) echo 2 ;;
    1) echo 3 ;;
    5) echo 4 ;;
    *) echo 5 ;;
  esac
}

worst=0
for variant in $variants; do
  against=$variant
  has "$base" "$variant" || against=$baseline
  note "$family/$variant against $family/$against of before"
  code=0
  "$solgate" ab "$work/base/libsg_$family.so:$family/$against" "$work/head/libsg_$family.so:$family/$variant" \
    --out="${out:-$work/runs}/$variant" "$@" || code=$?
  echo
  [ "$(rank "$code")" -le "$(rank "$worst")" ] || worst=$code
done
exit "$worst"
