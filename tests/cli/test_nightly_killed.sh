#!/bin/sh
# solgate nightly is killed with SIGKILL at random moments: a night that has its file is whole, the
# next one runs, none is in the history twice. $1 is the folder of the programs;
# tests/cli/kill_matrix.sh 200 build/bin 1 night is the long one.
# Not under sanitizers: what dies by SIGKILL reports nothing, and slow
# programs are hit before they began.
exec sh "$(dirname "$0")/kill_matrix.sh" 24 "$1" 2 night
