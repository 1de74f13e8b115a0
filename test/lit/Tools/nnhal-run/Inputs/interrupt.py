"""Interrupts a program as soon as it has temporary files, and fails if it does
not end by that, or leaves some."""

import os
import signal
import subprocess
import sys
import time

folder, *command = sys.argv[1:]
for number in (signal.SIGINT, signal.SIGTERM):
    program = subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": folder},
        # Who runs the tests may ignore the signal.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    while not os.listdir(folder) and program.poll() is None:
        time.sleep(0.01)
    program.send_signal(number)
    status = program.wait()
    if status != -number:
        sys.exit(f"{command[0]} ended with {status}")
    # Another process removes them a moment later.
    deadline = time.monotonic() + 20
    while os.listdir(folder) and time.monotonic() < deadline:
        time.sleep(0.01)
    if left := os.listdir(folder):
        sys.exit(f"{command[0]} has left {left}")
