"""A gate as a source of variants: a script in the place of a kernel module (harness/plan/gate_script.h).

As a program, `source.py SCRIPT NAME FOLDER PROGRAM ARGUMENT...` is a worker of the gate. A fork of
a program that has imported everything does the work if one waits at SCRIPT.fork (forks.py),
otherwise the program, started anew. As a program it imports little, as each process starts it.
"""

import _socket  # socket itself takes as long to import as Python to start
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


def _ask_fork(script, words):
    """Hands descriptors 0 to 3 to a fork, and returns how it ended; None: no fork waits."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    descriptors = b"".join(fd.to_bytes(4, sys.byteorder) for fd in range(4))
    try:
        connection.connect(address(script))
        connection.sendmsg([os.fsencode(words)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptors)])
    except OSError:
        return None
    # The fork must hold the only copies: readers of these pipes wait for all copies to close.
    os.close(0)
    os.close(3)
    how = connection.recv(4)
    return int.from_bytes(how, sys.byteorder) if len(how) == 4 else 3 << 8


def _main(script, name, folder, *program):
    announce_setup()
    how = _ask_fork(script, os.environ[VARIABLE])
    if how is None:
        os.environ[VARIABLE] = name + SEPARATOR + os.environ[VARIABLE]
        os.chdir(folder)
        os.execvp(program[0], program)
    if os.WIFSIGNALED(how):
        import resource
        import signal

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the fork has already dumped core
        if os.WTERMSIG(how) != signal.SIGKILL:
            signal.signal(os.WTERMSIG(how), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(how))
    os._exit(os.WEXITSTATUS(how))


if __name__ == "__main__":
    _main(*sys.argv[1:])
