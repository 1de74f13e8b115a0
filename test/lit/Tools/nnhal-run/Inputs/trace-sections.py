"""trace-sections.py PAGE MODEL FOLDER: traces of nnhal-run have the sections
that the table of PAGE lists, and no others."""

import fcntl
import json
import os
import re
import struct
import subprocess
import sys

page, model, folder = sys.argv[1:]
names = set()


def run(*arguments, file=model):
    trace = os.path.join(folder, "trace.json")
    command = ["nnhal-run", file, f"--trace={trace}", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "NNHAL_VLOG": "compilation"})
    return process, trace


def finish(process, trace):
    text = process.stderr.read()
    if process.wait() != 0:
        sys.exit(f"error: {process.args}: {text}")
    with open(trace, encoding="utf-8") as file:
        names.update(event["name"] for event in json.load(file)["traceEvents"] if event["ph"] in "Xb")


def lock(file, kind):
    # struct flock: type, whence, start, length, process.
    fcntl.fcntl(file, 37, struct.pack("hhqqixxxx", kind, os.SEEK_SET, 0, 0, 0))  # F_OFD_SETLK


cache = [f"--cache-dir={folder}/cache", f"--state-dir={folder}/state"]
finish(*run("--warmup=1", "--mode=all"))
finish(*run("--explain", "--pools=buffers"))
finish(*run("--deferred"))
# Threads share kernels that take several us.
operands = [{"type": "TENSOR_FLOAT32", "dimensions": [64, 4096], "lifetime": f"SUBGRAPH_{kind}"}
            for kind in ("INPUT", "OUTPUT")]
with open(f"{folder}/large.json", "w", encoding="utf-8") as file:
    json.dump({"main": {"operands": operands, "inputIndexes": [0], "outputIndexes": [1],
                        "operations": [{"type": "TANH", "inputs": [0], "outputs": [1]}]}}, file)
finish(*run(file=f"{folder}/large.json"))
for _ in range(2):
    finish(*run(*cache))
# Another process that compiles keeps the lock, until this one has begun to
# wait.
subprocess.run(["rm", "-r", f"{folder}/cache"], check=True)
os.mkdir(f"{folder}/cache")
with open(os.open(f"{folder}/cache/nnhal.lock", os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
    lock(file, fcntl.F_WRLCK)
    process, trace = run(*cache)
    for line in process.stderr:
        if "somebody else is compiling the same" in line:
            break
    lock(file, fcntl.F_UNLCK)
    finish(process, trace)

rows = []
with open(page, encoding="utf-8") as file:
    for cell in re.findall(r"^\| (`\[NN_[^|]*) \|", file.read(), re.M):
        prefix = ""
        for text in re.findall(r"`([^`]*)`", cell):
            match = re.match(r"\[NN_[A-Z_]+\]", text)
            prefix = match[0] if match else prefix
            detail = re.escape(text.removeprefix(prefix)).replace(r"\.\.\.", ".*")
            words = {"FILE": ".*", "RESULT": ".*", "N": "[0-9]+", "DEVICE": "nnhal-[a-z]+", "PASS": "cse|canonicalize|[a-z0-9]+(-[a-z0-9]+)+",
                     "PHASE": "import|legalize|lower|fuse|bufferize|plan|vectorize|outline|llvm|codegen",
                     "FUNCTION": "main|nnhal_entry|kernel_[0-9a-f]+"}
            detail = re.sub(r"\b[A-Z]+\b", lambda word: f"(?:{words[word[0]]})", detail)
            rows.append(re.escape(prefix) + detail)
if not rows:
    sys.exit(f"error: {page} has no table of sections")
missing = [row for row in rows if not any(re.fullmatch(row, name) for name in names)]
unlisted = [name for name in sorted(names) if not any(re.fullmatch(row, name) for row in rows)]
for row in missing:
    print(f"error: no trace has a section {row}", file=sys.stderr)
for name in unlisted:
    print(f"error: the page does not list {name}", file=sys.stderr)
sys.exit(1 if missing or unlisted else 0)
