#!/bin/sh
# judge_functions SOLGATE PYTHON SCRATCH FILE: runs `ab --exec` on each function of FILE, which is
# tests/python/judged.py, and prints each function whose outcome is not in its line. Leaves
# functions that need a GPU out if SOLGATE_GATE_SIMULATED is set. Returns 1 if it prints a function.

judge_functions() {
  solgate=$1 python=$2 scratch=$3 file=$4 wrong=0
  PYTHONPATH="${file%/*}/../../python" "$python" "$file" >"$scratch/functions" || return 1
  [ "$(wc -l <"$scratch/functions")" = 53 ] || echo "FAILED: $file lists $(wc -l <"$scratch/functions") functions, not 53"
  while read -r name wanted; do
    case " $wanted " in *' gpu '*) [ -z "${SOLGATE_GATE_SIMULATED:-}" ] || continue ;; esac
    code=0
    timeout 300 "$solgate" ab --exec --out="$scratch/$name" --format=csv -- "$python" "$file" "$name" \
      >"$scratch/$name.csv" 2>"$scratch/$name.err" </dev/null || code=$?
    # Of each case the verdict, or the status of what is broken.
    found=$(sed 1d "$scratch/$name.csv" | awk -F , '{ split($21, why, ":"); sub(/"/, "", why[1]); print $14 == "broken" ? why[1] : $14 }')
    [ "$code" != 4 ] || found=usage
    others=$(for word in $found; do case " $wanted " in *" $word "*) ;; *) echo "$word" ;; esac; done)
    [ -z "$found" ] || [ -n "$others" ] || continue
    echo "FAILED: $name: exit $code, found '$found', expected one of: $wanted"
    tail -n 3 "$scratch/$name.csv" "$scratch/$name.err"
    wrong=1
  done <"$scratch/functions"
  return "$wrong"
}
