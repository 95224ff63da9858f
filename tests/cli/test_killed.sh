#!/bin/sh
# A short kill matrix: what SIGKILL leaves of a run, a gate, an accept and a night is whole, or is
# taken up. $1 is the folder of the programs; kill_matrix.sh 500 is the long one.
# Not under sanitizers: what dies by SIGKILL reports nothing, and slow programs are hit before they
# began.
exec sh "$(dirname "$0")/kill_matrix.sh" 20 "$1" 1
