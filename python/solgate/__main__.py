"""`python -m solgate ARGUMENTS`: the program solgate of this installation."""

import os
import shutil
import sys
import sysconfig

_above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_places = [
    sysconfig.get_path("scripts"),
    sysconfig.get_path("scripts", "posix_user"),
    os.path.join(_above, "bin"),  # pip install --target
    os.path.join(_above, *[os.pardir] * 3, "bin"),  # PREFIX/share/solgate/python
    os.path.dirname(shutil.which("solgate") or ""),
]


def main():
    for place in _places:
        # Another project has a program of this name. Only this one installs metrics.ini.
        if os.path.exists(os.path.join(place, os.pardir, "share", "solgate", "metrics", "metrics.ini")):
            program = os.path.join(place, "solgate")
            os.execv(program, [program, *sys.argv[1:]])
    sys.exit(f"solgate: no program solgate with ../share/solgate in {', '.join(filter(None, _places))}")


main()
