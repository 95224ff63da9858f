#!/bin/sh
# test_reverted_causes.sh BIN - docs/studies/reverted_causes.md has the output of explain for the
# reverted variants of the GEMM families.
set -eu
command -v python3 >/dev/null || { echo "skipped: no python3" && exit 77; }
tree=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 -B "$tree/studies/reverted_causes.py" --bin="$1" --check
