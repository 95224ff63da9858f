# shellcheck shell=sh
# shellcheck disable=SC2154 # out, repeat and passes are set by who sources this
# bench_lib.sh - wall times of commands, for the bench scripts that source it.
#
# Needs: out, a folder for logs; repeat, an odd number of rounds; passes, the exit
# codes that are no failure ("0 5").

# timed LOG COMMAND...: runs it and leaves its wall time in seconds in `elapsed`;
# descriptor 3 is where a worker answers.
timed() {
  log=$1
  shift
  code=0
  begin=$(date +%s.%N)
  "$@" >"$log" 2>&1 3>"$log.said" || code=$?
  elapsed=$(echo "$begin $(date +%s.%N)" | awk '{ printf "%.3f", $2 - $1 }')
  case " $passes " in
    *" $code "*) ;;
    *)
      echo "${0##*/}: failed with $code: $*; the end of $log:" >&2
      tail -n 20 "$log" >&2
      exit 3
      ;;
  esac
}

# median NAME COMMAND...: of the wall times of its rounds, which stay in OUT/NAME.times
median() {
  name=$1
  shift
  round=1
  : >"$out/$name.times"
  while [ "$round" -le "$repeat" ]; do
    timed "$out/$name.log" "$@"
    echo "$elapsed" >>"$out/$name.times"
    round=$((round + 1))
  done
  sort -n "$out/$name.times" | sed -n "$(((repeat + 1) / 2))p"
}
