"""Copies the files that mention an operation, and leaves out one place of it
after another: check-operation has to name just that one.

usage: leave-out.py CHECK-OPERATION NAME FOLDER
"""

import pathlib
import shutil
import subprocess
import sys

script, name, folder = sys.argv[1:]
root = pathlib.Path(script).resolve().parent.parent
tree = pathlib.Path(folder)


def run(*options):
    return subprocess.run([sys.executable, script, *options, name], capture_output=True, text=True)


places = {}
for line in run("--list").stdout.splitlines():
    if line.startswith(f"{name}: "):
        what, file = line[len(name) + 2:].split(": ")
        places.setdefault(what, []).append(file)
for file in {file for files in places.values() for file in files}:
    (tree / file).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(root / file, tree / file)
print(run(f"--root={tree}").stdout, end="")
for what, files in places.items():
    for file in files:
        # Comments do not count.
        (tree / file).write_text("" if file.endswith(".md") else f"// {name}, nnhal.{name.lower()}\n")
    result = run(f"--root={tree}")
    print(f"without the {what}: {result.stderr.strip()}; exit status {result.returncode}")
    for file in files:
        shutil.copy(root / file, tree / file)
