#!/bin/sh
# solgate-ci and action.yml, as a runner starts them: one comment, posted by the first push and
# updated by the next; the job's summary; the exit codes. gh and glab are stand-ins.
# Not under sanitizers: a gate of Python, which is not sanitized.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
python=/usr/bin/python3
for needed in jq git; do
  command -v $needed >/dev/null || { echo "skipped: $needed is not installed" && exit 77; }
done
$python -c 'import numpy, yaml' || { echo "no numpy or yaml in $python: scripts/setup installs them" && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset SOLGATE_HOME PYTHONPATH CI_JOB_URL CI_MERGE_REQUEST_IID GITHUB_REF GITHUB_STEP_SUMMARY GITHUB_OUTPUT GITHUB_RUN_ID
export PATH="$work/tools:$bin:$PATH" SOLGATE_BUILDS="$work/store" SOLGATE_GATE_SIMULATED=1 PYTHONDONTWRITEBYTECODE=1
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
fail() { echo "FAILED: $*" && failures=$((failures + 1)); }

# The stand-in keeps the comments in a folder, each a file, and lists them in two pages, as the
# programs do; the marks of JSON are escaped, as GitLab does.
mkdir "$work/tools" "$work/comments"
cat >"$work/tools/gh" <<'EOS'
#!/bin/sh
printf '%s\n' "$(basename "$0") $*" >>"$COMMENTS/../calls"
[ ! -e "$COMMENTS/../refused" ] || { echo 'HTTP 403: Resource not accessible' >&2 && exit 1; }
for word in "$@"; do case $word in body=@*) body=${word#body=@} ;; -X) ;; [a-z]*/*) path=$word ;; esac; done
case "$*" in
  'api --paginate '*)
    printf '[{"id": 1, "user": {"id": 7}, "body": "a \\u003cb\\u003e"}]'
    for file in "$COMMENTS"/*; do [ ! -e "$file" ] || jq -n --rawfile body "$file" --argjson id "$(basename "$file")" '[{id: $id, body: $body}]' | sed 's/</\\u003c/g'; done
    ;;
  'api -X POST '*) cp "$body" "$COMMENTS/$((100 + $(ls "$COMMENTS" | wc -l)))" ;;
  'api -X '*) cp "$body" "$COMMENTS/${path##*/}" ;;
esac
EOS
chmod +x "$work/tools/gh"
ln -s gh "$work/tools/glab"
export COMMENTS="$work/comments"
cat >"$work/tools/gate" <<'EOS'
#!/bin/sh
cat "$1"
[ "$#" = 2 ] || seq "$3" >&2
exit "$2"
EOS
chmod +x "$work/tools/gate"
cd "$work"
printf '**FAIL (exit 1): axpy\n\n| a |\n' >red
printf '<details><summary>a</summary>\n\n**PASS (exit 0): a**\n\n</details>\n\n**FAIL (exit 1): gate: b regressed**\n' >folded
: >nothing
{ echo '**PASS (exit 0): all**' && echo '<details><summary>rows</summary>' && seq 20000 && echo '</details>'; } >long

# ci SENTENCE EXIT CALLS ARGUMENT...: solgate-ci ends so, and the last call of gh or glab is so
ci() {
  sentence=$1 wanted=$2 calls=$3 code=0
  shift 3
  rm -f calls
  solgate-ci "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "$sentence: exit $code instead of $wanted: $(cat err)"
  case $(tail -n 1 calls 2>/dev/null) in "$calls"*) ;; *) fail "$sentence: called $(cat calls), not '$calls'" ;; esac
}
ci "outside of CI it only runs" 1 '' gate red 1
cmp -s out red || fail "the output is not the command's"
ci "an option is misspelt" 4 '' --inconclusiv=pass gate red 1
ci "undecided passes if it may" 0 '' --inconclusive=pass gate red 2
ci "a gate that did not measure fails" 3 '' --inconclusive=pass gate red 3
ci "what is slower never does" 1 '' --inconclusive=pass gate red 1
ci "undecided fails else" 2 '' gate red 2
export GITHUB_REF=refs/pull/12/merge GITHUB_REPOSITORY=o/r GITHUB_JOB=gate GITHUB_RUN_ID=5 GITHUB_SERVER_URL=https://host GITHUB_STEP_SUMMARY="$work/summary" GITHUB_OUTPUT="$work/output"
ci "the first push posts" 1 'gh api -X POST repos/o/r/issues/12/comments -F body=@' gate red 1
ci "the next one updates" 0 'gh api -X PATCH repos/o/r/issues/comments/100 -F body=@' gate long 0
[ "$(ls comments)" = 100 ] && [ "$(grep -c '^<!-- solgate: gate -->$' summary)" = 2 ] || fail "it is not one comment, and two summaries: $(ls comments)"
[ "$(wc -c <comments/100)" -lt 65536 ] && [ "$(grep -c '</details>' comments/100)" = 1 ] && grep -q '^Cut: ' comments/100 || fail "65,536 characters are passed, or a fold is open"
[ "$(cat output)" = "$(printf 'exit-code=1\nexit-code=0')" ] || fail "the outputs are $(cat output)"
ci "another gate has another comment" 1 'gh api -X POST ' --name='lint --> x' gate red 1
ci "by any letter of its name" 1 'gh api -X POST ' --name='lint --> [x]' gate red 1
ci "the verdict of several families comes first" 1 'gh api -X PATCH ' gate folded 1
[ "$(sed -n 2p comments/100)$(grep -c regressed comments/100)" = '**FAIL (exit 1): gate: b regressed**1' ] || fail "it does not: $(cat comments/100)"
[ "$(tail -n 1 comments/100)" = '[log](https://host/o/r/actions/runs/5)' ] || fail "the job is not linked: $(cat comments/100)"
ci "a gate that dies has a comment" 4 'gh api -X PATCH ' gate nothing 4
grep -q 'OPEN (exit 4): the gate printed nothing' comments/100 || fail "it does not: $(cat comments/100)"
ci "and the last lines of its errors" 77 'gh api -X PATCH ' gate nothing 77 9
[ "$(sed -n '2,8p' comments/100)" = "$(echo '**OPEN (exit 77): no GPU answers: run nvidia-smi and solgate doctor on the runner**' && echo && seq 5 9 | sed 's/^/    /')" ] || fail "it has not: $(cat comments/100)"
[ "$(cat err)" = "$(seq 9)" ] || fail "errors are not in the log: $(cat err)"
ci "which a verdict does not need" 1 'gh api -X PATCH ' gate red 1 9
! grep -q '^    9' comments/100 || fail "it has them: $(cat comments/100)"
touch refused
ci "without rights the exit code stays" 1 'gh api --paginate ' gate red 1
grep -q 'no comment was posted: ' err || fail "the log has no reason: $(cat err)"
rm -rf refused comments/*
(
  unset GITHUB_REF GITHUB_RUN_ID GITHUB_JOB
  export CI_MERGE_REQUEST_IID=3 CI_PROJECT_ID=9 CI_JOB_NAME=gate CI_JOB_URL=https://lab/job/1
  ci "GitLab: the first push posts" 1 'glab api -X POST projects/9/merge_requests/3/notes -F body=@' gate red 1
  ci "GitLab: the next one updates" 0 'glab api -X PUT projects/9/merge_requests/3/notes/100 -F body=@' gate red 0
  exit $failures
) || failures=$((failures + 1))
rm -rf comments/* summary output

# The action, of a repository whose gate is that of init. A runner evaluates what is in ${{ }}, and
# starts each step by bash, with new files for what a step hands on.
cat >runner.py <<'PY'
import os, re, subprocess, sys, tempfile, yaml
action = yaml.safe_load(open(sys.argv[1]))
given = dict(word.split("=", 1) for word in sys.argv[2:])
if "jobs" in action: # a workflow: what its gate runs
    steps = [step for step in action["jobs"]["gate"]["steps"] if "run" in step]
    os.chdir(action.get("defaults", {}).get("run", {}).get("working-directory", "."))
    action = {"inputs": {}, "outputs": {}, "runs": {"using": "composite", "steps": [{"shell": "bash", **step} for step in steps]}}
inputs = {name: given.get(name, facts.get("default", "")) for name, facts in action["inputs"].items()}
assert not set(given) - set(inputs) and all(facts["description"] for facts in action["inputs"].values())
known = {f"inputs.{name}": value for name, value in inputs.items()}
known |= {"github.token": "T", "github.event.pull_request.base.sha": os.environ["BASE_SHA"]}
fill = lambda text: re.sub(r"\$\{\{ *([^} ]+) *\}\}", lambda found: known[found[1]], text)
known["inputs.token"] = fill(known.get("inputs.token", ""))
env = dict(os.environ, GITHUB_ACTION_PATH=os.path.dirname(sys.argv[1]), RUNNER_TEMP=tempfile.mkdtemp(dir="."))
assert action["runs"]["using"] == "composite"
for step in action["runs"]["steps"]:
    if "uses" in step:
        continue
    assert step["shell"] == "bash" and "${{" not in step["run"]
    files = {name: tempfile.mkstemp(dir=env["RUNNER_TEMP"])[1] for name in ("GITHUB_PATH", "GITHUB_ENV", "GITHUB_OUTPUT")}
    own = {name: fill(value) for name, value in step["env"].items()}
    code = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], env={**env, **files, **own}).returncode
    read = lambda name: open(files[name]).read().splitlines()
    env["PATH"] = ":".join([*read("GITHUB_PATH"), env["PATH"]])
    env |= dict(line.split("=", 1) for line in read("GITHUB_ENV"))
    known |= {f"steps.{step.get('id')}.outputs." + line.split("=", 1)[0]: line.split("=", 1)[1] for line in read("GITHUB_OUTPUT")}
    if code:
        break
for output in action["outputs"].values():
    print("output", fill(output["value"]), file=open("action-output", "w")) if f"steps.gate.outputs.exit-code" in known else None
sys.exit(code)
PY
solgate init --python repo >/dev/null
cd repo
sed -i 's/1 << 20/1 << 12/' gate.py
git init -q -b main && git add -A && git commit -q -m base
BASE_SHA=$(git rev-parse HEAD)
export BASE_SHA
# What pip installs is seen by later steps: a stand-in of it, which installs what is here.
cat >../tools/pythonish <<EOS
#!/bin/sh
[ "\$*" = "-m pip install --quiet --no-deps --upgrade --target \$RUNNER_TEMP/solgate solgate.whl" ] || exec $python "\$@"
mkdir -p "\$RUNNER_TEMP/solgate/bin" && cp -R "$tree/python/solgate" "\$RUNNER_TEMP/solgate" && ln -s "$bin/solgate" "\$RUNNER_TEMP/solgate/bin"
EOS
chmod +x ../tools/pythonish
# action SENTENCE EXIT WORDS INPUT...: the action ends so, and the comment's second line begins so
yaml=$tree/action.yml
action() {
  sentence=$1 wanted=$2 words=$3 code=0
  shift 3
  $python ../runner.py "$yaml" "$@" >../out 2>../err || code=$?
  [ "$code" = "$wanted" ] || fail "action: $sentence: exit $code instead of $wanted: $(cat ../out ../err)"
  case $(sed -n 2p ../comments/* 2>/dev/null) in "$words"*) ;; *) fail "action: $sentence: the comment is $(cat ../comments/*), not '$words'" ;; esac
}
action "no gate" 4 ''
action "what is as fast as its base" 0 '**PASS (exit 0): ' wheel=solgate.whl python=pythonish gate=gate.py tolerance=5%
sed -i 's/^before = /scaled.simulated_ns = reference.simulated_ns = 10800\nbefore = /' gate.py
action "what is slower than its base, and not than the reference" 1 '**FAIL (exit 1): ' wheel=solgate.whl python=pythonish gate=gate.py tolerance=5%
[ "$(ls ../comments)" = 100 ] || fail "two runs of an action make comments $(ls ../comments)"
[ "$(cat action-output)" = 'output 1' ] || fail "the exit code is no output: $(cat action-output)"
action "a command, undecided, that may be" 0 '**OPEN (exit 2): x' inconclusive=pass command='echo "**OPEN (exit 2): x $BASE**"; exit 2'
action "and that may not be" 2 '**OPEN (exit 2): x' command='echo "**OPEN (exit 2): x $BASE**"; exit 2'
printf '[suite]\ntitle = t\nmetrics = quick\nprocesses = 5\nblocks = 4\n[demo]\ncase = n4k\n' >own.suite
action "a suite without accepted numbers" 3 '**OPEN (exit 3): compare: ' suite=./own.suite

BASE_SHA=0123456789012345678901234567890123456789 action "a clone without the base" 4 '' wheel=solgate.whl python=pythonish gate=gate.py

# The job of init: the same, and a pull request that adds the gate is compared with the reference.
yaml=.github/workflows/solgate.yml
ln -s $python ../tools/python3
export PYTHONPATH="$tree/python"
action "the job of init gates against the base" 1 '**FAIL (exit 1): scaled/'
git rm -q --cached gate.py && git commit -q -m 'A base without a gate'
BASE_SHA=$(git rev-parse HEAD)
action "and against the reference where the base has no gate" 0 '**PASS (exit 0): '

# In a folder of a repository the job is at the top, where GitHub reads it, and gates that folder.
cd ..
mkdir host && cd host
git init -q -b main
solgate init --python 'my gates' >../out
yaml='.github/workflows/solgate-my gates.yml'
[ ! -e 'my gates/.github' ] && git check-ignore -q 'my gates/out/x' || fail "init in a repository: $(find . -name .git -prune -o -type f -print)"
sed -i 's/1 << 20/1 << 12/' 'my gates/gate.py'
git add -A && git commit -q -m base
BASE_SHA=$(git rev-parse HEAD)
sed -i 's/^before = /scaled.simulated_ns = 10800\nbefore = /' 'my gates/gate.py'
action "the job of a folder gates against its base" 1 '**FAIL (exit 1): scaled/'
ls -d 'my gates'/out/gate-*/*/run.csv >../out || fail "nothing is where the job's artefact is: $(find . -name run.csv)"
[ "$failures" = 0 ]
