#!/bin/sh
# judge_functions SOLGATE PYTHON SCRATCH FILE: runs `ab --exec` on the functions of FILE, which is
# tests/python/judged.py, and prints each function whose outcome is not in its line. One program has
# all but those that patch Python. With SOLGATE_GATE_SIMULATED, functions that need a GPU are left
# out. Returns 1 if it prints a function.

# judge NAME...: adds the verdicts of one program with these functions to $scratch/judged
judge() {
  code=0
  timeout 560 "$solgate" ab --exec --out="$scratch/$1" --format=csv -- "$python" "$file" "$@" \
    >"$scratch/out.csv" 2>"$scratch/$1.err" </dev/null || code=$?
  cat "$scratch/out.csv" >>"$scratch/judged"
  [ "$code" != 4 ] || echo "$1,,,,,,,,,,,,,usage" >>"$scratch/judged"
}

judge_functions() {
  solgate=$1 python=$2 scratch=$3 file=$4 wrong=0 together=
  PYTHONPATH="${file%/*}/../../python" "$python" "$file" >"$scratch/functions" || return 1
  [ "$(wc -l <"$scratch/functions")" = 53 ] || echo "FAILED: $file lists $(wc -l <"$scratch/functions") functions, not 53"
  [ -z "${SOLGATE_GATE_SIMULATED:-}" ] || sed -i '/ gpu\( \|$\)/d' "$scratch/functions"
  while read -r name _; do
    case $name in
      patches_*) judge "$name" ;;
      *) together="$together $name" ;;
    esac
  done <"$scratch/functions"
  # shellcheck disable=SC2086 # names
  [ -z "$together" ] || judge $together
  while read -r name wanted; do
    # Of each case the verdict, or the status of what is broken.
    found=$(awk -F , -v name="$name" '$1 == name { split($21, why, ":"); sub(/"/, "", why[1]); print $14 == "broken" ? why[1] : $14 }' "$scratch/judged")
    others=$(for word in $found; do case " $wanted " in *" $word "*) ;; *) echo "$word" ;; esac; done)
    [ -z "$found" ] || [ -n "$others" ] || continue
    echo "FAILED: $name: found '$found', expected one of: $wanted"
    grep "^$name," "$scratch/judged" | tail -n 3
    tail -n 3 "$scratch"/*.err
    wrong=1
  done <"$scratch/functions"
  return "$wrong"
}
