#!/bin/sh
# history add: a night is added once, whole, under a name of its own; git merges what two
# machines added; what is none is refused.
set -eu
# shellcheck source=tests/cli/history_lib.sh
. "$(dirname "$0")/history_lib.sh"

nights runs 6
expect "a run is added" 0 "history/h200/s/20260101T020000Z-bbbb-" add runs/0
expect "the same run again adds nothing" 0 "there already, nothing added" add runs/0
[ "$(find history -type f | wc -l)" = 1 ] || fail "a run that was added twice is there $(find history -type f | wc -l) times"
expect "several at once" 0 "3 items" add runs/1 runs/2
expect "show lists the series" 0 "f/c/moved" show
grep -q 'f/c/base *time' out || fail "a baseline has a series of times"
expect "of one, each night" 0 "2026-01-03T02:00:00Z 0000002 bbbb" show f/c/moved
expect "another" 0 "added" add runs/3
expect "csv has every night" 0 "h200/s,f/c/still,ratio,2026-01-01T02:00:00Z,0000000,bbbb,580.1,ok,1." show f/c/still --format=csv

# What is no night.
sed 's/finished/running/' runs/4/env.csv >facts && mv facts runs/4/env.csv
expect "a run that is not finished" 3 "this run is not finished" add runs/4
sed '/^date,/d' runs/5/env.csv >facts && mv facts runs/5/env.csv
expect "a run without a date" 4 "its env.csv has no 'date'" add runs/5
sed 's/^suite,.*/suite,..\/s/' runs/3/env.csv >runs/5/env.csv
expect "a suite that is no folder's name" 4 "suite: expected a name of [a-z0-9_], found '../s'" add runs/5
expect "no run" 4 "expected the folder of a run" add nowhere
expect "no history" 4 "expected the folder of a history" check --history=nowhere
expect "no such series" 4 "expected a series of this history, found 'f/c/none'" show f/c/none
expect "no such group" 4 "expected a group of this history (h200/s), found 'h200/t'" check --group=h200/t

code=0
[ ! -c /dev/full ] || "$solgate" history add runs/0 >/dev/full 2>err || code=$?
[ ! -c /dev/full ] || [ "$code" = 3 ] || fail "what cannot be printed is not reported: exit $code"

# A night that was changed, or stands elsewhere.
night=$(ls history/h200/s/20260102*)
cp "$night" kept
sed 's/,ok,1\.2/,ok,1.1/; s/,ok,1\.1/,ok,1.0/' kept >"$night"
expect "a changed night" 3 "the file was changed after it was added" check
cp kept "$night"
cp kept "$(dirname "$night")/copy.csv"
expect "a night twice" 4 "expected this file at h200/s/${night##*/} by its facts, found it at copy.csv" check
rm "$(dirname "$night")/copy.csv"
mkdir -p moved/h200/t && cp "$night" moved/h200/t
expect "a night of another suite" 4 "moved/h200/t: expected this file at h200/s/" check --history=moved

# Two machines that share a history by git.
if command -v git >/dev/null; then
  export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
  git init -q -b main shared
  cp -r history shared/
  git -C shared add -A && git -C shared commit -qm nights
  git clone -q shared other
  nights later 12
  expect "here" 0 "added" add later/8 later/9 --history=shared/history
  expect "there" 0 "added" add later/9 later/10 later/11 --history=other/history
  expect "a decision here" 0 "accepted" accept f/c/moved --night=2026-01-09 --reason=one --history=shared/history
  expect "a decision there" 0 "accepted" accept 'f/*' --night=2026-01-09 --reason=other --history=other/history
  git -C shared add -A && git -C shared commit -qm here
  git -C other add -A && git -C other commit -qm there
  git -C other pull -q --no-rebase origin main >out 2>err || fail "git does not merge what two machines added"
  [ "$(find other/history/h200/s -maxdepth 1 -name '*.csv' | wc -l)" = 8 ] || fail "not each night of both is there once"
  expect "the merged one is read" 0 "8 nightly runs" check --history=other/history
fi

# What no night may have would make all of its group unreadable.
sed 's/^f,c,moved,time_ratio,1,[^,]*,[^,]*,[^,]*/f,c,moved,time_ratio,1,5e9,4e9,6e9/' runs/0/run.csv >row && cp row runs/0/run.csv
expect "a ratio beyond sense" 4 ".csv: f/c/moved: ratio: expected a number from 1e-09 to 1e+09, found '5e+09'" add runs/0 --history=odd
[ ! -e odd ] || fail "a run that was refused left a night behind"

[ "$failures" = 0 ]
