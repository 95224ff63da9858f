#!/bin/sh
# A simulated year of nights, called by solgate's scan and by Apache Otava: delay,
# false alarms, place of the step.
#
#     tests/method/history_year.sh [BUILD] [--quick] [--series=N] [--seed=N] [--out=FILE]
#
# BUILD: the build folder (default build-nocuda). Otava is installed into a virtual environment of
# its own, OTAVA_VENV if that is set; it takes some 3 minutes a setting for 200 series. --quick: 60
# series, without Otava. Prints a table, and exits 1 if one of these does not hold:
#   * for each setting of Otava, solgate (usual or few alarms) finds each size of step as
#     fast, with no more false alarms;
#   * at most one false alarm in 1,000 clean nights of a series is left when each alarm is confirmed
#     by an A/B, which is simulated.
set -eu

build=build-nocuda quick=no series=200 seed=1 out=
for argument in "$@"; do
  case $argument in
    --quick) quick=yes series=60 ;;
    --series=*) series=${argument#*=} ;;
    --seed=*) seed=${argument#*=} ;;
    --out=*) out=${argument#*=} ;;
    -*)
      echo "history_year.sh: expected --quick, --series=N, --seed=N or --out=FILE, found $argument" >&2
      exit 4
      ;;
    *) build=$argument ;;
  esac
done
here=$(cd "$(dirname "$0")" && pwd)
year=$build/tests/history_year
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=$work/table.csv
echo fleet,tool,kind,series,found,delay_median,delay_mean,place_error,clean_nights,false_alarms,driver_alarms,single_nights,confirmed >"$table"

# score FLEET TOOL ALARMS
score() {
  awk -v fleet="$1" -v tool="$2" -f "$here/history_year.awk" "$work/year$1.csv" "$3" >>"$table"
}

# otava FLEET NAME WINDOW MAX_PVALUE MIN_MAGNITUDE [--levelled]
otava() {
  fleet=$1 name=$2
  shift 2
  "$venv/bin/python" "$here/history_otava.py" "$@" <"$work/year$fleet.csv" >"$work/$name.csv"
  score "$fleet" "$name" "$work/$name.csv"
}

for fleet in 1 5; do
  "$year" data "$fleet" "$seed" "$series" >"$work/year$fleet.csv"
  for alarms in usual few; do
    "$year" scan $alarms <"$work/year$fleet.csv" >"$work/$alarms.csv"
    score $fleet solgate_$alarms "$work/$alarms.csv"
    for pairs in pairs alike; do
      "$year" $pairs $alarms <"$work/year$fleet.csv" >"$work/${pairs}_$alarms.csv"
      score $fleet solgate_${pairs}_$alarms "$work/${pairs}_$alarms.csv"
    done
  done
done
if [ "$quick" = no ]; then
  venv=${OTAVA_VENV:-$work/venv}
  [ -x "$venv/bin/python" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install -q apache-otava==0.8.0; }
  otava 1 otava_defaults 50 0.001 0
  otava 1 otava_p1e-4 50 0.0001 0
  otava 1 otava_p1e-5 50 0.00001 0
  otava 1 otava_p1e-6 50 0.000001 0
  otava 1 otava_window_30 30 0.001 0
  otava 1 otava_window_100 100 0.001 0
  otava 1 otava_magnitude_0.25% 50 0.001 0.0025
  otava 5 otava_defaults 50 0.001 0
  otava 5 otava_levelled 50 0.001 0 --levelled
  otava 5 otava_levelled_p1e-4 50 0.0001 0 --levelled
  otava 5 otava_levelled_magnitude_0.25% 50 0.001 0.0025 --levelled
fi
[ -z "$out" ] || cp "$table" "$out"
awk -f "$here/history_year_table.awk" "$table"
