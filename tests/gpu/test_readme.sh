#!/bin/sh
# Command blocks of pages that need a GPU (scripts/docs/blocks.py).
set -eu
nvidia-smi -L >/dev/null 2>&1 && python3 -c 'import torch, triton' 2>/dev/null || {
  echo "skipped: no GPU answers, or this Python has no torch and triton"
  exit 77
}
exec python3 -B "$(dirname "$0")/../../scripts/docs/blocks.py" --gpu --bin="$1" docs/triton.md
