#!/bin/sh
# tests/method/history_year.sh --quick: steps of a simulated year are found, and few
# alarms are false. Otava is not asked.
# Not under sanitizers: it simulates some millions of launches, by code
# that other tests run under them.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
said=$(sh "$tree/tests/method/history_year.sh" "$1/.." --quick --series=12) || {
  echo "$said"
  exit 1
}
echo "$said"
# GPUs, rule, false alarms in 100 nights, mean delay of +1 %, place of the steps. Of the ratio
# to the baseline, of pairs with accepted builds whose modules are off by themselves or not;
# with the usual and with few alarms.
echo "$said" | awk -F ' *[|] *' '
  /solgate/ { rows++; if ($4 > 1.2 || $7 > 3 || $11 > 1) { print "FAIL: " $0; failed = 1 } }
  END { exit failed || rows != 12 }'
