#!/bin/sh
# judge_cheats SOLGATE PYTHON SCRATCH PATTERN: runs `ab --exec` on files of tests/python/cheats or
# tests/python/honest (their first line says what is found), and prints those of which something
# else was found. Files that need a GPU are left out where SOLGATE_GATE_SIMULATED is set.

judge_cheat() {
  file=$1 solgate=$2 python=$3 scratch=$4
  name=$(basename "$file" .py) wanted=$(sed -n '1s/^# //p' "$file") code=0
  case " $wanted " in *' gpu '*) [ -z "${SOLGATE_GATE_SIMULATED:-}" ] || return 0 ;; esac
  (cd "$(dirname "$file")" && exec timeout 300 "$solgate" ab --exec --out="$scratch/$name" --format=csv -- "$python" "$file") \
    >"$scratch/$name.csv" 2>"$scratch/$name.err" </dev/null || code=$?
  verdict=$(tail -n 1 "$scratch/$name.csv" | cut -d , -f 14)
  found=$verdict
  [ "$verdict" != broken ] || found=$(tail -n 1 "$scratch/$name.csv" | cut -d , -f 21 | sed 's/^"//; s/:.*//')
  [ "$code" != 4 ] || found=usage
  for word in $wanted; do [ "$word" != "$found" ] || return 0; done
  echo "FAILED: $name: exit $code, found '$found', expected one of: $wanted"
  tail -n 3 "$scratch/$name.csv" "$scratch/$name.err"
  return 1
}
