#!/bin/sh
# The completion of bash offers each command, each option of -h and their values, and no others.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
command -v bash >/dev/null 2>&1 || { echo "skipped: no bash" && exit 77; }
failures=0

# offers WORDS EXPECTED: behind these words, the last of which is being typed; a line is split as
# bash does, at blanks and before and behind =
offers() {
  # shellcheck disable=SC2016 # it is for bash
  offered=$(PATH=$bin:$PATH bash -c '. "$1"; COMP_WORDS=(); IFS=" " read -r -a COMP_WORDS <<<"$2"; [[ $2 == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _solgate; echo "${COMPREPLY[@]}"' bash "$tree/scripts/completion.bash" "$1")
  [ "$offered" = "$2" ] || {
    echo "FAILED: '$1' offers '$offered', expected '$2'"
    failures=$((failures + 1))
  }
}

commands=$(sed -n 's/^    X(\([a-z_]*\), ".*/\1/p' "$tree/harness/cli/command.h" | tr '\n' ' ')
offers 'solgate ' "${commands% }"
offers 'solgate base' baseline
offers 'solgate baseline ' 'show accept verify seal'
offers 'solgate baseline show --f' --format=
offers 'solgate compare --ex' --explain
offers 'solgate compare R --format = j' 'json junit'
offers 'solgate compare R --format =' 'csv html json junit markdown openmetrics text'
offers 'solgate gap R --gpu-spec = h2' h200
offers 'solgate run --l' ''
offers 'solgate run smo' smoke
offers 'solgate nightly nightl' nightly
offers 'solgate list fam' families
offers 'solgate list cases --form' --format=
offers 'solgate nonsense --' ''
for command in $commands; do
  offers "solgate $command --" "$("$bin/solgate" "$command" -h | grep -o '^  --[a-z0-9-]*=\{0,1\}' | tr -d ' ' | tr '\n' ' ' | sed 's/ $//')"
done
[ "$failures" = 0 ]
