"""A gate as a source of variants: a script in the place of a kernel module (harness/plan/gate_script.h).

As a program, `source.py SCRIPT NAME FOLDER PROGRAM ARGUMENT...` starts the program as a worker of
the gate. solgate-worker runs it if no fork of the program waits at SCRIPT.fork (forks.py).
"""

import os
import sys

VARIABLE, SEPARATOR = "SOLGATE_GATE", "\x1f"
LIST = "--list"
SETUP_S = 120  # as SG_SETUP_S


def asked():
    """What solgate asks this program: the name of a gate, the path of the library and a worker's
    command line; or LIST, the folder for scripts, the inode of descriptor 3, a folder and the
    program; or nothing."""
    return os.environ[VARIABLE].split(SEPARATOR) if VARIABLE in os.environ else []


def write(script, name, folder, program):
    import shlex

    with open(script, "w") as file:
        words = shlex.join([name, folder, *program])
        file.write(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -IS "$SOLGATE_HOME/python/solgate/source.py" "$0" {words}\n')


def announce_setup():
    """Gives this worker time for imports or a first call. Only before the library takes over
    descriptor 3."""
    os.write(3, b"setup,%d\n" % SETUP_S)


def address(script):
    """The socket next to the script, named by its folder's descriptor because socket names must be
    short."""
    folder = os.open(os.path.dirname(script) or ".", os.O_PATH | os.O_DIRECTORY)
    return f"/proc/self/fd/{folder}/{os.path.basename(script)}.fork"


def _main(_, name, folder, *program):
    announce_setup()
    os.environ[VARIABLE] = name + SEPARATOR + os.environ[VARIABLE]
    os.chdir(folder)
    os.execvp(program[0], program)


if __name__ == "__main__":
    _main(*sys.argv[1:])
