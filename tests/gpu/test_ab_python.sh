#!/bin/sh
# Not under sanitizers: libsolgate_gate.so is loaded by Python, which is not sanitized.
# solgate ab --exec on a GPU, with torch: the cheats of tests/python/judged.py are found, its honest
# functions and outputs of integers are judged.
set -eu
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/../cli" && pwd)
. "$here/cheats_lib.sh"
nvidia-smi -L >/dev/null 2>&1 || {
  echo "skipped: no GPU here"
  exit 77
}
python3 -c 'import torch' 2>/dev/null || {
  echo "skipped: python3 has no torch"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
export PYTHONDONTWRITEBYTECODE=1
judge_functions "$bin/solgate" python3 "$work" "${here%/*}/python/judged.py" || failures=$((failures + 1))
[ "$failures" = 0 ]
