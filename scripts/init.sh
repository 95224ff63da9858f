#!/bin/sh
# init.sh TEMPLATE FOLDER BIN [PYTHON] - copies the files of a template to a folder, of which it
# replaces none, and prints what to type next. `solgate init` starts this script. BIN has solgate,
# PYTHON the Python module. Exit codes are those of solgate.
set -eu
from=$1 to=$2 bin=${3%/} python=${4-}
files=$(cd "$from" && find . -type f ! -path './build/*' ! -path './out/*' ! -name '*.pyc' | sort)
for file in $files; do
  if [ -e "$to/$file" ] || [ -L "$to/$file" ]; then
    echo "solgate: $to/${file#./}: is there already; nothing was written" >&2
    exit 4
  fi
done
for file in $files; do
  mkdir -p "$(dirname "$to/$file")" && cp "$from/$file" "$to/$file" && chmod u+w "$to/$file" || exit 3
done

# word TEXT: in quotes if a shell needs them
word() {
  case $1 in
    *[!A-Za-z0-9_./-]*) printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf %s "$1" ;;
  esac
}
echo "$to: $(echo "$files" | wc -l) files. Next:"
echo "    cd $(word "$to")"
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
