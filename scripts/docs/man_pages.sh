#!/bin/sh
# man_pages.sh --bin=DIR --out=DIR - writes man pages for solgate, its commands and subcommands,
# from the output of -h.
#
# There is no list here: `solgate -h` lists the commands, and a command's usage begins with its
# subcommands (`accepted show`).
set -eu

bin=
out=
for argument in "$@"; do
  case $argument in
    --bin=?*) bin=${argument#--bin=} ;;
    --out=?*) out=${argument#--out=} ;;
    *)
      echo "man_pages.sh: unknown argument $argument (known: --bin=DIR, --out=DIR)" >&2
      exit 4
      ;;
  esac
done
[ -n "$bin" ] && [ -n "$out" ] || {
  echo "man_pages.sh: expected --bin=DIR and --out=DIR" >&2
  exit 4
}
scripts=$(cd "$(dirname "$0")/.." && pwd)
solgate=$bin/solgate
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
"$solgate" --version >"$work/version"
version=$(cut -d' ' -f2 "$work/version")

# page NAME SUMMARY ARGUMENTS...: the page for `solgate ARGUMENTS`, whose output stays in $work/help
page() {
  name=$1
  summary=$2
  shift 2
  "$solgate" "$@" >"$work/help"
  awk -v name="$name" -v summary="$summary" -v version="$version" -f "$scripts/docs/man_page.awk" "$work/help" >"$work/page"
  mv "$work/page" "$out/$name.1"
}

"$solgate" -h >"$work/all"
page solgate "$(sed -n '2s/:.*//p' "$work/all")" -h
sed -n 's/^  \([a-z_]*\)  */\1 /p' "$work/all" >"$work/commands"
while read -r command summary; do
  page "solgate-$command" "$summary" "$command" -h
  awk '/^(Usage|  or): / { for (i = 4; i <= NF && $i ~ /^\[/; i++); if ($i ~ /^[a-z]+$/) print $i }' "$work/help" >"$work/parts"
  while read -r part; do
    "$solgate" "$command" "$part" -h >"$work/of_part"
    page "solgate-$command-$part" "$(sed -n '2s/[.:;?].*//p' "$work/of_part")" "$command" "$part" -h
  done <"$work/parts"
done <"$work/commands"
