#!/bin/sh
# test_probe_causes.sh BIN - of the pairs of suite probe, recorded on an H100, as many have their
# mechanism named first, and within two, as docs/validation.md states. The target is 9 of 10.
set -eu
bin=$1
tree=$(cd "$(dirname "$0")/../.." && pwd)
found=$(sh "$tree/scripts/studies/probe_causes.sh" "$tree/tests/data/h100/probe" "$bin" | tail -n 1)
grep -qF "$found" "$tree/docs/validation.md" || {
  echo "found: $found; docs/validation.md has another figure"
  exit 1
}
