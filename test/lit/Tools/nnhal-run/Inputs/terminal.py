"""terminal.py COMMAND...: runs a command with a terminal as standard error.

Prints what the terminal receives, each carriage return as an end of line, and
then standard output."""

import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=slave) as process:
    os.close(slave)
    received = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # The last writer has closed the terminal.
            break
        if not piece:
            break
        received += piece
    output = process.stdout.read()
print(received.decode().replace("\r", "\n"))
print(output.decode(), end="")
sys.exit(process.returncode)
