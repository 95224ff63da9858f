#!/bin/sh
# test_verdicts.sh BIN [--update] - each command that judges says of every recorded run what
# tests/data/golden/verdicts.csv holds: the same exit code, and the same verdict for each row.
# scripts/validate/verdicts.sh makes the table.
set -eu

tests=$(cd "$(dirname "$0")/.." && pwd)
golden=$tests/data/golden/verdicts.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$tests/../scripts/validate/verdicts.sh" "$1" >"$work/verdicts.csv"

case ${2:-} in
  --update)
    cp "$work/verdicts.csv" "$golden"
    echo "$golden: $(wc -l <"$golden") lines written; git diff shows what changed"
    ;;
  '')
    diff -u "$golden" "$work/verdicts.csv" || {
      echo "A verdict or an exit code changed. If that is meant:"
      echo "    sh tests/cli/test_verdicts.sh $1 --update, and commit $golden"
      exit 1
    }
    ;;
  *)
    echo "$2: expected --update or nothing"
    exit 4
    ;;
esac
