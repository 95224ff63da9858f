"""The structures and numbers of solgate/worker.py are those of harness/worker/library/gate.h."""

import os
import subprocess

from solgate import source, worker

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STRUCTURES = {"sg_program_gate": worker._Gate, "sg_gate_case": worker._Case, "sg_buffer": worker._Buffer}
FORMATS = dict(SG_F64="float64", SG_F32="float32", SG_F16="float16", SG_BF16="bfloat16", SG_E4M3="float8_e4m3fn", SG_I32="int32", SG_I8="int8")
NUMBERS = dict(SG_GATE_VERSION=worker._VERSION, SG_GATE_UNFIT=worker._UNFIT, SG_MAX_BUFFERS=worker._BUFFERS_MAX, SG_INPUT=worker._INPUT,
               SG_OUTPUT=worker._OUTPUT, SG_INOUT=worker._INOUT, SG_CUSTOM=worker._CUSTOM, SG_REARRANGED=worker._REARRANGED,
               SG_SETUP_S=source.SETUP_S, **{name: worker._FORMATS[kind][0] for name, kind in FORMATS.items()})  # fmt: skip


def test_structures_are_those_of_the_library(tmp_path):
    wanted, lines = {}, []
    for name, kind in STRUCTURES.items():
        for field, *_ in kind._fields_:
            wanted[f"{name}.{field}"] = [getattr(kind, field).offset, getattr(kind, field).size]
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof(struct {name}, {field}), sizeof(((struct {name} *)0)->{field}));')
    for name, number in NUMBERS.items():
        wanted[name] = [number]
        lines.append(f'printf("{name} %d\\n", (int){name});')
    program = '#include <stddef.h>\n#include <stdio.h>\n#include "results/message.h"\n#include "worker/library/gate.h"\nint main(void)\n{\n'
    (tmp_path / "facts.c").write_text(program + "\n".join(lines) + "\n}\n")
    subprocess.run(["cc", f"-iquote{TOP}/harness", f"-iquote{TOP}/kernels", f"-iquote{TOP}/metrics", "-o", tmp_path / "facts", tmp_path / "facts.c"], check=True)
    found = subprocess.run([tmp_path / "facts"], check=True, capture_output=True, text=True).stdout
    assert {line.split()[0]: list(map(int, line.split()[1:])) for line in found.splitlines()} == wanted
