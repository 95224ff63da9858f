#!/bin/sh
# keep_ptxas.sh OBJECT COMMAND...: runs a compiler. What it prints goes to OBJECT.ptxas, for
# build_facts.sh; all of it but what ptxas prints of every kernel when it is asked to (-v) is
# printed as well, so that a build shows what it always did.
object=$1
shift
code=0
"$@" 2>"$object.ptxas" || code=$?
LC_ALL=C grep -vE '^ptxas info +: *([^( ]|$)|^ +[0-9]+ bytes stack frame' "$object.ptxas" >&2
exit "$code"
