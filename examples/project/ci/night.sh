#!/bin/sh
# night.sh [--allow-no-gpu] [--budget=TIME] [OPTION...] - a nightly run of each family that can be
# built here: `solgate nightly` with these options. Nights are kept in out/nights, their history in
# SOLGATE_HISTORY (default: out/history). The families share the budget, such as 90m. The last line
# has the verdict of the whole: fold.sh. A family that needs a GPU where none is ends it with 77,
# one that is not built, as without a CUDA compiler, with 3; --allow-no-gpu leaves both out.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR/..
. ci/fold.sh
allow=0 budget='' measured=''
for option in "$@"; do
  shift
  case $option in
    --allow-no-gpu) allow=1 ;;
    --budget=*[0-9][smh])
      budget=$(echo "${option#*=}" | awk '{ print int($1 * (/h/ ? 3600 : /m/ ? 60 : 1)) }')
      ;;
    *) set -- "$@" "$option" ;;
  esac
done
trap 'close night ""' EXIT
trap 'failed=130; exit' INT TERM
families=$(families . build)
cmake --build build >&2
end=$(($(date +%s) + ${budget:-0})) left=$(echo "$families" | wc -l)

# rebuild FAMILY: names the command that makes an accepted build again that the store lacks
rebuild() {
  again="solgate builds rebuild baselines/$1.csv"
  $again --dry-run 2>/dev/null | grep -q 'would be built again' || return 0
  below=$(git rev-parse --show-prefix) # commits are built at the top of the repository
  echo "An accepted build is missing: $again --repo=. --module='${below}build/libsg_$1.so'" \
    "--build=\"${below:+cd '$below' && }cmake -S . -B build && cmake --build build --target sg_$1\""
}
for family in $families; do
  code=0 share=$(((end - $(date +%s)) / left)) left=$((left - 1))
  [ "$share" -ge 60 ] || share=60
  solgate nightly "./$family.suite" --module="build/libsg_$family.so" --out=out/nights \
    --history="${SOLGATE_HISTORY:-out/history}" ${budget:+"--budget=${share}s"} "$@" || code=$?
  rebuild "$family"
  [ "$code" = 77 ] || measured=y
  if [ "$code$allow" = 771 ]; then
    tell "$family left out without a GPU"
  else
    judged "$code" "$family"
  fi
done
for suite in *.suite; do
  has "${suite%.suite}" "$families" || count $((allow ? 0 : 3)) "${suite%.suite} is not built here"
done
[ -n "$measured" ] || count 77 'nothing was measured'
failed=
