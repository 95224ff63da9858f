#!/bin/sh
# test_package.sh BIN [--all [--cuda]] - a wheel of this build works in an environment with a blank
# in its path, and runs with glibc 2.34. --all, some minutes: scripts/package builds the same bytes
# in two folders; its wheel works wherever pip puts it; pip installs a clone; the Debian package
# builds a project, and leaves no file behind. Not under sanitizers: other tests run the programs.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset SOLGATE_HOME SOLGATE_BASELINES PYTHONPATH SG_DEMO
export SOLGATE_GATE_SIMULATED=1 PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
for system in python3 /usr/bin/python3 none; do
  ! $system -c 'import numpy, pip, pytest, venv' 2>/dev/null || break
done
[ "$system" != none ] || {
  echo "skipped: no Python here has numpy, pip, pytest and venv: scripts/setup installs them"
  exit 77
}

fail() { echo "FAILED: $*" && failures=$((failures + 1)); }
# expect CODE COMMAND...: its output is in $work/out
expect() {
  wanted=$1 code=0
  shift
  "$@" >"$work/out" 2>&1 </dev/null || code=$?
  [ "$code" = "$wanted" ] && return
  fail "$what: $*: exit $code instead of $wanted"
  tail -n 15 "$work/out" | sed 's/^/    /'
}

cat >"$work/gate.py" <<'PY'
import numpy as np, solgate
def inputs(seed, n):
    return (np.random.default_rng(seed).standard_normal(n),)
def double(x):
    return x + x
def test_gate(solgate_pair):
    solgate_pair(lambda x: 2 * x, double, inputs, cases=[dict(n=100)])
if __name__ == "__main__":
    solgate.pair(lambda x: 2 * x, double, inputs, cases=[dict(n=100)])
PY

# works WHAT BIN PYTHON: what is installed there does what a first day asks of it
works() {
  what=$1 solgate=$2/solgate python=$3
  rm -rf "$work/run"
  mkdir "$work/run"
  cd "$work/run"
  expect 0 "$solgate" run demo --out=R
  expect 1 "$solgate" compare R
  expect 0 "$python" -c 'import solgate; print(solgate.__version__)'
  version=$(cat "$work/out")
  expect 0 "$python" -m solgate --version
  grep -q "^solgate $version " "$work/out" || fail "$what: the module is $version, the program $(cat "$work/out")"
  expect 0 "$python" -m pytest -q -p ${plugin:-no:cacheprovider} "$work/gate.py"
  grep -q '1 case right' "$work/out" || fail "$what: no plugin of pytest: $(cat "$work/out")"
  expect 0 "$solgate" ab --exec --out=AB -- "$python" "$work/gate.py"
  cd "$work"
}

# install WHAT ARGUMENT...: by the pip of a new environment with a blank in its path
install() {
  what=$1
  shift
  rm -rf "$work/new env"
  $system -m venv --without-pip --system-site-packages "$work/new env"
  expect 0 $system -m pip --python "$work/new env/bin/python" install -q "$@"
}

# clean FOLDER: no file there names a path of this build or the host of a registry; programs and
# libraries run with glibc 2.34
clean() {
  {
    printf '%s\n' "$tree" "$work/" /tmp/tmp /tmp/pip
    [ "${HOME:-/}" = / ] || echo "$HOME/"
    {
      echo "${PIP_INDEX_URL:-}"
      $system -c 'from pip._internal.models.index import PyPI; print(PyPI.url, "://" + PyPI.file_storage_domain)' || true
      $system -m pip config list || true
      cat /etc/apt/sources.list /etc/apt/sources.list.d/* || true
    } 2>/dev/null | grep -o '://[^/ ]*' | sed 's,.*[/@],,' || true
  } | sort -u >"$work/texts"
  ! grep -rlaF -f "$work/texts" "$1" || fail "the files above have one of: $(tr '\n' ' ' <"$work/texts")"
  newest=$(find "$1" -type f \( -name '*.so' -o -path '*/bin/*' \) -exec objdump -T {} + 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -uV | sed -n '$p')
  [ "$(printf '%s\n' "$newest" GLIBC_2.34 | sort -V | sed -n '$p')" = GLIBC_2.34 ] || fail "$1 needs $newest"
}

if [ "${2:-}" != --all ]; then
  # A wheel of this build: cmake only installs.
  mkdir "$work/installer"
  cat >"$work/installer/cmake" <<EOF
#!/bin/sh
PATH=\${PATH#*:}
case \$1 in
  -E | --version) exec cmake "\$@" ;;
  --install) shift 2 && cmake --install "$bin/.." "\$@" ;;
esac
EOF
  chmod +x "$work/installer/cmake"
  isolation=
  ! $system -c 'import scikit_build_core' 2>/dev/null || isolation=--no-build-isolation
  PATH=$work/installer:$PATH SKBUILD_BUILD_DIR=$work/empty $system -m pip wheel -q $isolation --no-deps --wheel-dir "$work" "$tree" >"$work/out" 2>&1 || {
    cat "$work/out"
    grep -q 'No matching distribution\|onnection' "$work/out" || exit 1
    echo "skipped: pip cannot fetch scikit-build-core"
    exit 77
  }
  install wheel --no-index "$work"/*.whl
  works wheel "$work/new env/bin" "$work/new env/bin/python"
  expect 0 $system -m pip install -q --no-index --target "$work/a target" "$work"/*.whl
  expect 0 "$work/a target/bin/solgate" list variants demo
  # Another project's `solgate` is named.
  mkdir -p "$work/other/solgate" "$work/path"
  echo 'version = 3' >"$work/other/solgate/__init__.py"
  printf '#!/bin/sh\n' >"$work/path/solgate"
  chmod +x "$work/path/solgate"
  PATH=$work/path:$PATH PYTHONPATH=$work/other expect 77 "$work/new env/bin/solgate" doctor --format=csv
  grep -q "PATH finds $work/path/solgate before" "$work/out" || fail "doctor does not name the program of another project: $(cat "$work/out")"
  grep -q "python3 imports another project as solgate, from $work/other/solgate/__init__.py" "$work/out" || fail "doctor does not name the module of another project: $(cat "$work/out")"
  PATH="$work/new env/bin:$PATH" expect 77 "$work/new env/bin/solgate" doctor --format=csv
  ! grep -q 'PATH finds\|python3 imports' "$work/out" || fail "doctor takes its own program or module for another project's: $(cat "$work/out")"
  $system -m zipfile -e "$work"/*.whl "$work/unpacked"
  # Kernels that are not built for a package name their sources (-lineinfo).
  find "$work/unpacked" -name 'libsg_*' ! -name '*_demo.so' ! -name '*_null*.so' -delete
  clean "$work/unpacked"
  exit "$failures"
fi

# Nothing of folder, zone or permissions is in the packages.
git clone -q "$tree" "$work/one"
git clone -q "$tree" "$work/the other"
# shellcheck disable=SC2086 # no word, or one
sh "$work/one/scripts/package" ${3:-} "$work/packages" >"$work/first"
# shellcheck disable=SC2086
(umask 077 && TZ=Asia/Tokyo sh "$work/the other/scripts/package" ${3:-} "$work/again") >"$work/second"
cat "$work/second"
cmp "$work/first" "$work/second" || fail "the packages of two folders differ"
wheel=$(echo "$work"/packages/*.whl)
$system -m zipfile -e "$wheel" "$work/unpacked"
dpkg-deb -x "$work"/packages/*.deb "$work/unpacked"
clean "$work/unpacked"

install wheel --no-index "$wheel"
works wheel "$work/new env/bin" "$work/new env/bin/python"
install --target --no-index --target "$work/a target" "$wheel"
PYTHONPATH="$work/a target" works --target "$work/a target/bin" "$system"
what=--user
PYTHONUSERBASE="$work/a user" expect 0 "$system" -m pip install -q --user --no-index --break-system-packages "$wheel"
PYTHONUSERBASE="$work/a user" works --user "$work/a user/bin" "$system"
for place in "$work/one" "git+file://$work/one" "-e $work/one"; do
  # shellcheck disable=SC2086 # words
  install "$place" $place
  works "$place" "$work/new env/bin" "$work/new env/bin/python"
done

# The Debian package in an empty root: it builds a project, and leaves nothing behind.
what=.deb root=$work/root
in_root() {
  dpkg --root="$root" --force-not-root --force-depends --force-script-chrootless --log="$work/dpkg.log" "$@"
}
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status"
files() {
  (cd "$root" && find . ! -path './var/lib/dpkg/*' | sort)
}
files >"$work/before"
expect 0 in_root -i "$work"/packages/*.deb
for file in man/man1/solgate-compare.1 bash-completion/completions/solgate doc/solgate/README.md solgate/cmake/solgateConfig.cmake; do
  [ -s "$root/usr/share/$file" ] || fail "the Debian package has no $file"
done
unset PYTHONDONTWRITEBYTECODE
plugin=solgate.pytest
PYTHONPATH=$root/usr/share/solgate/python works .deb "$root/usr/bin" "$system"
cp -r "$root/usr/share/solgate/examples/project" "$work/project"
expect 0 cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$root/usr" -DCMAKE_CUDA_ARCHITECTURES=90-real
expect 0 cmake --build "$work/project/build"
expect 0 "$root/usr/bin/solgate" list variants --module="$(find "$work/project/build" -name 'libsg_*.so' | sort | sed -n 1p)"
expect 0 in_root --purge solgate
files | diff "$work/before" - || fail "the Debian package left files behind"
exit "$failures"
