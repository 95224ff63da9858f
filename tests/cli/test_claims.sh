#!/bin/sh
# Figures of README.md and docs/validation.md that follow from files of the tree are what these
# files say today.
set -eu
cd "$(dirname "$0")/../.."
command -v python3 >/dev/null || { echo "skipped: no python3" && exit 77; }
python3 -B studies/claims.py --check
