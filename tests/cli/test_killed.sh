#!/bin/sh
# A short kill matrix: SIGKILL leaves a whole run or one that is resumed. $1 is the folder of the
# programs; kill_matrix.sh 500 is the long one.
# Not under sanitizers: what dies by SIGKILL reports nothing, and slow programs are hit before they
# began.
exec sh "$(dirname "$0")/kill_matrix.sh" 32 "$1" 1
