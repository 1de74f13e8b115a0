"""Runs a command with ever less memory, around the least with which it succeeds.

usage: limit-memory.py COMMAND...
Prints how the runs ended that did not succeed.
"""

import collections
import resource
import subprocess
import sys

MIB = 1 << 20


def run(mebibytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MIB, mebibytes * MIB))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return subprocess.run(sys.argv[1:], capture_output=True, preexec_fn=limit, text=True, check=False)


def main():
    low, high = 64, 4096
    outcomes = collections.Counter()
    while high - low > 1:
        middle = (low + high) // 2
        if run(middle).returncode == 0:
            high = middle
        else:
            low = middle
    for mebibytes in range(high - 1, high - 49, -4):
        done = run(mebibytes)
        if done.returncode == 0:
            continue
        lines = done.stderr.splitlines() or ["no message"]
        outcomes[f"status {done.returncode}: {lines[-1]}"] += 1
    for outcome in sorted(outcomes):
        print(outcome)


main()
