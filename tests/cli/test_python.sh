#!/bin/sh
# The Python module: tests/python, by pytest.
# Not under sanitizers: no C is called.
set -eu
for python in python3 /usr/bin/python3; do
  if $python -c 'import numpy, pytest' 2>/dev/null; then
    cd "$(dirname "$0")/../python"
    exec env PYTHONDONTWRITEBYTECODE=1 $python -m pytest -q -p no:cacheprovider .
  fi
done
echo "no Python here has pytest and numpy: scripts/setup installs them"
exit 1
