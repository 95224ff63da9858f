#!/bin/sh
# update_readme.sh [--check] [--bin=DIR] - pastes real output between the markers of README.md: `solgate compare` of the recorded slow H200
# run, and the gap table of the recorded clean one. --check: changes nothing, exit 1 if README.md is not current.
set -eu

check=no
bin=build-release/bin
for argument in "$@"; do
  case $argument in
    --check) check=yes ;;
    --bin=?*) bin=${argument#--bin=} ;;
    *)
      echo "update_readme.sh: unknown argument $argument (known: --check, --bin=DIR)" >&2
      exit 4
      ;;
  esac
done
case $bin in
  /*) ;;
  *) bin=$PWD/$bin ;;
esac
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The first screen has room for the verdict and what is not green.
code=0
SOLGATE_HOME=$PWD "$bin/solgate" compare tests/data/h200/slow >"$work/output" || code=$?
if [ "$code" != 1 ]; then
  echo "update_readme.sh: compare of the recorded slow run: exit $code, expected 1" >&2
  exit 3
fi
{
  echo "    \$ solgate compare tests/data/h200/slow"
  sed -e '/./!d' -e "s|$PWD/||" -e 's/^/    /' "$work/output" | head -n 20
} >"$work/compare"
"$bin/solgate" gap tests/data/h200/clean --format=markdown >"$work/gap"

# replace NAME FILE: what stands between <!-- NAME --> and <!-- /NAME -->.
replace() {
  awk -v name="$1" -v file="$2" -f scripts/docs/markers.awk "$work/README.md" >"$work/next"
  mv "$work/next" "$work/README.md"
}

cp README.md "$work/README.md"
replace compare "$work/compare"
replace gap "$work/gap"
if cmp -s "$work/README.md" README.md; then
  exit 0
elif [ "$check" = yes ]; then
  echo "README.md is not current; scripts/docs/update_readme.sh makes it so:"
  diff README.md "$work/README.md"
  exit 1
fi
cp "$work/README.md" README.md
