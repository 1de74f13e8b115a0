"""Compares compilations that were interrupted after each phase with one that was not.

usage: resume-phases.py SCRATCH-PREFIX FORM FILE.mlir...

FORM is an option of nnhal-opt that keeps locations, which number the operations of the model and are part of the code.
A FILE may have several models with `// -----` between them.
"""

import pathlib
import subprocess
import sys

PHASES = ["legalize", "lower", "fuse", "bufferize", "plan", "vectorize", "outline", "llvm"]


def compile_module(source, options, target, *more):
    command = ["nnhal-opt", source, f"--nnhal-compile={options}", "-o", target, *more]
    subprocess.run(command, check=True)
    with open(target, "rb") as file:
        return file.read()


def differing_phases(model, form, scratch):
    """The phases after which IR that was written does not continue to the same code."""
    whole = compile_module(model, "", f"{scratch}.whole")
    for phase in PHASES:
        compile_module(model, f"until={phase}", f"{scratch}.half", form)
        if compile_module(f"{scratch}.half", f"from={phase}", f"{scratch}.rest") != whole:
            yield phase


def main():
    scratch, form, *files = sys.argv[1:]
    models = 0
    for file in files:
        for text in pathlib.Path(file).read_text().split("// -----\n"):
            if "nnhal.model" not in text:
                continue
            models += 1
            pathlib.Path(f"{scratch}.model").write_text(text)
            for different in differing_phases(f"{scratch}.model", form, scratch):
                print(f"{file}, model {models}: differs after {different}:\n{text[:200]}")
    print(f"{models} models continue after", ", ".join(PHASES))


main()
