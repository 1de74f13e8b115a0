"""Compares compilations that were interrupted after each phase with one that was not.

usage: resume-phases.py MODEL.mlir SCRATCH-PREFIX
"""

import subprocess
import sys

PHASES = ["legalize", "lower", "fuse", "bufferize", "plan", "vectorize", "outline", "llvm"]


def compile_module(source, options, target, *more):
    command = ["nnhal-opt", source, f"--nnhal-compile={options}", "-o", target, *more]
    subprocess.run(command, check=True)
    with open(target, "rb") as file:
        return file.read()


def main():
    model, scratch = sys.argv[1:]
    whole = compile_module(model, "", f"{scratch}.whole")
    equal = []
    for phase in PHASES:
        # Locations number the operations of the model, which is part of the code.
        for form in (["--mlir-print-debuginfo"], ["--emit-bytecode"]):
            compile_module(model, f"until={phase}", f"{scratch}.half", *form)
            if compile_module(f"{scratch}.half", f"from={phase}", f"{scratch}.rest") != whole:
                print(f"differs after {phase} {form}")
                return
        equal.append(phase)
    print("equal after", ", ".join(equal))


main()
