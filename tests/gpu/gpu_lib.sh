# shellcheck shell=sh
# Sourced by tests/gpu/test_*.sh with the folder of the programs as $1: leaves with 77
# where there is no GPU, and says why.
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bin/solgate" doctor >"$work/doctor" 2>&1 || {
  code=$?
  tail -n 1 "$work/doctor"
  exit "$code" # 77: no GPU, which ctest takes for a skip; 3: a GPU that cannot be measured is a failure
}
failures=0
fail() { echo "FAIL: $*" && failures=$((failures + 1)); }

# Of the run in $work/run. Names of its items have no commas and no quotes.
status() { # CASE VARIANT -> the word
  awk -F, -v c="$1" -v v="$2" '$2 == c && $3 == v && $4 == "status" { print $10 }' "$work/run/run.csv"
}

expect() { # CASE VARIANT WORD
  found=$(status "$1" "$2")
  [ "$found" = "$3" ] || fail "$1/$2: expected $3, found '$found'"
}

# A variant that is not broken on purpose is right wherever it runs.
expect_no_surprise() {
  awk -F, '
    $4 == "expect" { broken[$2 "/" $3] = 1 }
    $4 == "status" { status[$2 "/" $3] = $10 }
    END {
      for (item in status)
        if (!(item in broken) && status[item] !~ /^(ok|unsupported|unavailable)$/)
          print item ": " status[item]
    }' "$work/run/run.csv" >"$work/surprises"
  [ ! -s "$work/surprises" ] || fail "expected ok, unsupported or unavailable, found: $(sort "$work/surprises")"
}
