"""versions.py DIR PACKAGE=A..B CLONE: for `solgate bisect`, a repository with an empty commit for each version from A to B that
has a wheel in DIR. Its branches good and bad are the ends."""

import pathlib
import re
import subprocess
import sys

from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename

folder, spec, clone = sys.argv[1:]
package, first, last = (re.fullmatch(r"(.+?)=(.+)\.\.(.+)", spec) or sys.exit(f"--of: expected PACKAGE=A..B, found {spec}")).groups()
wheels = [parse_wheel_filename(path.name)[:2] for path in pathlib.Path(folder).glob("*-*-*-*-*.whl")]
found = [str(version) for version in sorted({version for name, version in wheels if name == canonicalize_name(package)})]
if not {first, last} <= set(found) or found.index(first) >= found.index(last):
    sys.exit(f"{folder}: expected wheels of {package} {first} and of a later {last}, found {', '.join(found) or 'none'}")
commits = [f"commit refs/heads/bad\ncommitter solgate <solgate> 0 +0000\ndata <<.\n{package}=={version}\n.\n" for version in found]
commits[found.index(first)] += "reset refs/heads/good\nfrom refs/heads/bad\n"
subprocess.run(["git", "init", "--quiet", "--initial-branch=bad", clone], check=True)
stream = "".join(commits[found.index(first) : found.index(last) + 1])
subprocess.run(["git", "-C", clone, "fast-import", "--quiet"], input=stream, text=True, check=True)
