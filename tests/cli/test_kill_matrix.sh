#!/bin/sh
# A short kill matrix: what SIGKILL leaves of a run, a gate, a run whose worker is killed and an
# accept is whole, or is taken up. $1 is the folder of the programs; tests/cli/kill_matrix.sh
# 500 is the long one, test_nightly_killed.sh that of nights.
# Not under sanitizers: what dies by SIGKILL reports nothing, and slow
# programs are hit before they began.
exec sh "$(dirname "$0")/kill_matrix.sh" 20 "$1" 1 run ab worker accept
