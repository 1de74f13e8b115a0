"""hold.py DIRECTORY entry|file COMMAND...: runs COMMAND while the lock of the
first entry of a cache directory is held: that of its token in nnhal.lock, or
that of its model-cache file."""

import fcntl
import pathlib
import struct
import subprocess
import sys

directory, what, command = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
path = sorted(path for path in directory.iterdir() if path.name[64:] == "10")[0]
if what == "file":
    file = open(path, "r+b")
    fcntl.flock(file, fcntl.LOCK_EX)
else:
    token = [ord(low) - 65 | (ord(high) - 65) << 4
             for low, high in zip(path.name[0:16:2], path.name[1:16:2])]
    place = int.from_bytes(bytes(token), "little") >> 2
    file = open(directory / "nnhal.lock", "r+b")
    F_OFD_SETLK = 37
    fcntl.fcntl(file, F_OFD_SETLK,
                struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, place, 1, 0))
sys.exit(subprocess.run(command).returncode)
