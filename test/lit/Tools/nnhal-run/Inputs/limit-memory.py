"""Runs a command with ever less memory, around the least with which it succeeds.

usage: limit-memory.py PROBE -- COMMAND...
PROBE is a file that the compiler refuses as soon as it is open. Limits with
which it cannot even say so are left out: they keep the dynamic linker from
loading the compiler's libraries, which is before any code of the project.
Prints how the runs ended that did not succeed. MLIR's Operation::create()
writes to what malloc() returns without a look at it, so that a process
whose last growth of the heap is for an operation is killed; with some limits
that is every second run. What is printed of a limit is the end of one of 20 runs
that was not killed, if there is one: a fault of this project's code is there
each time.
"""

import collections
import resource
import subprocess
import sys

MIB = 1 << 20
split = sys.argv.index("--")
probe, command = sys.argv[1], sys.argv[split + 1:]


def run(arguments, mebibytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MIB, mebibytes * MIB))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return subprocess.run(arguments, capture_output=True, preexec_fn=limit, text=True, check=False)


def opensTheCompiler(mebibytes):
    done = run([command[0], probe, "--emit=" + probe + ".nncache"], mebibytes)
    return "expected operation name" in done.stderr


def main():
    low, high = 64, 4096
    outcomes = collections.Counter()
    while high - low > 1:
        middle = (low + high) // 2
        if run(command, middle).returncode == 0:
            high = middle
        else:
            low = middle
    for mebibytes in range(high - 1, high - 49, -2):
        done = run(command, mebibytes)
        if done.returncode == 0 or not opensTheCompiler(mebibytes):
            continue
        for _ in range(19):
            if done.returncode >= 0:
                break
            done = run(command, mebibytes)
        if done.returncode == 0:
            continue
        lines = done.stderr.splitlines() or ["no message"]
        outcomes[f"status {done.returncode}: {lines[-1]}"] += 1
    for outcome in sorted(outcomes):
        print(outcome)


main()
