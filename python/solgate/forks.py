"""Forks of this program that become workers of a gate, so that imports run once.

While a program lists its gates for solgate, descriptor 3 is a pipe that closes when solgate ends.
`pair` then leaves a process behind that waits at a socket next to the gate's script. A worker of
that gate sends its command line and its descriptors 0 to 3 (gate_script.c). A fork then becomes that
worker, in its process group, and the worker exits like the fork. CUDA does not survive a fork: if
the driver is initialised, each worker starts the program again.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import stat
import sys
import threading
import traceback

from . import commit, gate, source, worker
from .arrays import Misuse

_LIFELINE_FD = 3
_MESSAGE_MAX = 1 << 18
_NOT_INITIALIZED = 3  # CUDA_ERROR_NOT_INITIALIZED

_line = None  # line of the program that initialised CUDA


def is_cuda_initialised():
    try:
        cuda = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return False
    return cuda.cuDeviceGetCount(ctypes.byref(ctypes.c_int())) != _NOT_INITIALIZED


def watch(frame):
    """Traces the program to find the line that initialises CUDA."""
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # torch.cuda.is_available() then needs no CUDA
    if sys.gettrace() or is_cuda_initialised():
        return
    at = frame.f_lineno

    def on_line(here, event, _):
        nonlocal at
        global _line
        if _line is None and is_cuda_initialised():
            _line = f"{here.f_code.co_filename}:{at}"
        at = here.f_lineno
        return on_line

    sys.settrace(lambda *_: None)
    frame.f_trace = on_line


def offer(new, folder, lifeline, program):
    """Writes the gate's script, and leaves a fork behind if this process can be forked."""
    caller = gate.caller()
    _check_descriptor(lifeline, caller)
    script = os.path.join(folder, new.name)
    source.write(script, new.name, program[0], program[1:])
    if new.baseline:  # as options of `solgate ab`
        side = "candidate" if not (new.identical and _ask(new.runs_identical)) else "baseline" if new.baseline is new.candidate else ""
        tolerance = f" --tolerance={new.tolerance}" if new.tolerance else ""
        known = commit.origin(new.baseline)
        of = f" --of={known[0].label}" if known else ""
        with open(os.path.join(folder, ".list"), "a") as file:
            file.write(f"{new.name}/baseline{side and f' {new.name}/{side}'}{tolerance}{of}\n")
    obstacle = _obstacle(caller)
    if obstacle is None:
        _fork_server(new, script)
    elif obstacle and len(gate.gates) == 1:
        print(f"solgate: {obstacle}: each process imports anew, which takes longer", file=sys.stderr)


def _check_descriptor(lifeline, caller):
    """Raises Misuse if the descriptor that workers report on is missing: a launcher closes it for its
    children. lifeline: inode of the pipe."""
    with contextlib.suppress(OSError):
        pipe = os.fstat(_LIFELINE_FD)
        if stat.S_ISFIFO(pipe.st_mode) and lifeline == str(pipe.st_ino):
            if select.select([_LIFELINE_FD], [], [], 0)[0]:
                sys.exit("solgate has ended")
            return
    who = "a worker of pytest-xdist" if "PYTEST_XDIST_WORKER" in os.environ else "a process that a launcher started"
    raise Misuse(f"{caller}: {who}, without descriptor {_LIFELINE_FD} of solgate, cannot be measured: start the program "
                 "itself, and pytest without -n")  # fmt: skip


def _obstacle(caller):
    """Why this process must not be forked; None: it can be. "": not supported here."""
    if not hasattr(socket, "recv_fds"):
        return ""
    if is_cuda_initialised():
        return f"{_line or caller}: CUDA is initialised before solgate.pair"
    if threading.active_count() > 1:
        return f"{caller}: threads run before solgate.pair"
    return None


def _ask(question):
    """Answers the question in a fork, because it initialises CUDA; in this process if a fork is not
    possible."""
    can_fork = not is_cuda_initialised() and threading.active_count() == 1
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork() if can_fork else 0
    if child:
        return os.waitpid(child, 0)[1] == 0
    answer = False
    with contextlib.suppress(BaseException if can_fork else Exception):
        answer = question()
    if can_fork:
        os._exit(0 if answer else 1)
    return answer


def _fork_server(gate, script):
    """Leaves a fork behind that waits for workers of the gate; returns in this process."""
    commit.keep()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    name = source.address(script)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name)  # left by a killed solgate
    listener.bind(name)
    listener.listen(128)
    sys.stdout.flush()
    sys.stderr.flush()
    if os.fork() == 0:
        sys.settrace(None)
        commit.own_all()
        own = os.stat(name).st_ino
        try:
            _wait(gate, listener)
        finally:
            with contextlib.suppress(OSError):
                if os.stat(name).st_ino == own:  # a resumed run has its own socket
                    os.unlink(name)
            worker.leave(0)
    listener.close()


def _wait(gate, listener):
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    while _LIFELINE_FD not in select.select([_LIFELINE_FD, listener], [], [])[0]:
        with contextlib.suppress(OSError):  # only that worker fails
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    _serve(gate, connection)


def _serve(gate, connection):
    """Starts a worker, tells its connection how it ended, and ends."""
    try:
        words, descriptors, _, _ = socket.recv_fds(connection, _MESSAGE_MAX, 4)
        child = os.fork()
        if child == 0:
            # Joins the process group of the requester, so that both are killed together.
            peer = int.from_bytes(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 4), sys.byteorder)
            os.setpgid(0, os.getpgid(peer))
            for i, descriptor in enumerate(descriptors):
                os.dup2(descriptor, i)
                os.close(descriptor)
            worker.work(gate, os.fsdecode(words).split(source.SEPARATOR))
        for descriptor in descriptors:
            os.close(descriptor)
        connection.send(ctypes.c_int(os.waitpid(child, 0)[1]))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        worker.leave(3)
