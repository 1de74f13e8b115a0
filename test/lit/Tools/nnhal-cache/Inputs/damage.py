"""damage.py DIRECTORY model|data OFFSET: flips a byte of the first such file.
damage.py DIRECTORY age SECONDS: makes both files of the first entry older.
damage.py DIRECTORY rename PLACE: changes that letter in the names of both."""

import os
import pathlib
import sys
import time

directory, what, number = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
names = sorted(path for path in directory.iterdir() if path.name[64:] in ("10", "20"))
if what == "age":
    then = time.time() - number
    for path in names[:2]:
        os.utime(path, (then, then))
elif what == "rename":
    for path in names[:2]:
        letter = "B" if path.name[number] == "A" else "A"
        path.rename(directory / (path.name[:number] + letter + path.name[number + 1 :]))
else:
    ending = {"model": "10", "data": "20"}[what]
    path = next(path for path in names if path.name.endswith(ending))
    data = bytearray(path.read_bytes())
    data[number] ^= 0x40
    path.write_bytes(data)
