#!/bin/sh
# init.sh TEMPLATE FOLDER BIN [PYTHON] - copies the files of a template to a folder, of which it
# replaces none, and prints what to type next. GitHub reads workflows only at the top of a git work
# tree: they go there. `solgate init` starts this script. BIN has solgate, PYTHON the Python module.
# Exit codes are those of solgate.
set -eu
from=$1 to=$2 bin=${3%/} python=${4-}
mkdir -p "$to" || exit 3
top=$(git -C "$to" rev-parse --show-toplevel 2>/dev/null) && below=$(git -C "$to" rev-parse --show-prefix) || below=
case $from in "$top"/examples/*) below= ;; esac # a first try in the clone of solgate
below=${below%/} job=$to/.github/workflows/solgate.yml
[ -z "$below" ] || job=$top/.github/workflows/solgate-$(echo "$below" | tr / -).yml
files=$(cd "$from" && find . -type f ! -path './build/*' ! -path './out/*' ! -name '*.pyc' | sort)
[ ! -e "$to/.gitignore" ] || files=$(echo "$files" | grep -vxF ./.gitignore)
place() { [ "$1" = ./.github/workflows/solgate.yml ] && echo "$job" || echo "$to/${1#./}"; }
for file in $files; do
  target=$(place "$file")
  if [ -e "$target" ] || [ -L "$target" ]; then
    echo "solgate: $target: is there already; nothing was written" >&2
    exit 4
  fi
done
for file in $files; do
  target=$(place "$file")
  mkdir -p "$(dirname "$target")" && cp "$from/$file" "$target" && chmod u+w "$target" || exit 3
done
[ -z "$below" ] || find "$job" "$to" -maxdepth 1 \( -path "$job" -o -name .gitlab-ci.yml \) -exec sed -i -e "s|^name: solgate|& $below|" \
  -e "s|^jobs:|defaults:\n  run:\n    working-directory: $below\n&|" -e "s|\(paths*: \[*\)out|\1$below/out|" \
  -e "s|^  tags: .*|&\n  before_script: [cd '$below']|" {} +

# word TEXT: in quotes if a shell needs them
word() {
  case $1 in
    *[!A-Za-z0-9_./-]*) printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf %s "$1" ;;
  esac
}
echo "$to: $(echo "$files" | wc -l) files. Next:"
if [ "${from##*/}" = slurm ]; then
  echo "    $(word "$to")/night.sh out/night 16 -- SUITE    # in 16 parts; docs/fleet.md goes on from here"
  exit
fi
echo "    cd $(word "$to")"
[ -z "$below" ] || echo "    git add . :/.github                          # the job for GitHub is at the top"
# If the shell does not find solgate in PATH, CMake does not either.
command -v solgate >/dev/null || echo "    export PATH=$(word "$bin"):\$PATH"
if [ -z "$python" ]; then
  echo "    cmake -S . -B build && cmake --build build"
  echo "    solgate run ./axpy.suite --module=build/libsg_axpy.so --out=out/R    # README.md goes on from here"
  exit
fi
# A package of this name on the index has no solgate.pair.
PATH=$PATH:$bin python3 -c 'import solgate; solgate.pair' 2>/dev/null || [ ! -d "$python/solgate" ] ||
  echo "    export PYTHONPATH=$(word "$python")\${PYTHONPATH:+:\$PYTHONPATH}"
echo "    python3 gate.py                              # right? Runs anywhere"
echo "    solgate ab --exec -- python3 gate.py         # and no slower? Needs a GPU"
