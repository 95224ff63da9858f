#!/bin/sh
# Figures that the tree records are what its files and programs give today: those of
# docs/validation.md, the causes of reverted variants in docs/studies/reverted_causes.md, and the
# tables of kernels/blockscaled_gemm/stages.md.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
cd "$tree"
command -v python3 >/dev/null || { echo "skipped: no python3" && exit 77; }

python3 -B studies/claims.py --check
python3 -B studies/reverted_causes.py --bin="$bin" --check
! command -v "${CC:-cc}" >/dev/null || sh kernels/blockscaled_gemm/tools/gemm_stages.sh --check
