"""wrong-keys.py FILE: gives all models in a file of content keys another key, with the
digest that says that it is theirs. Fails when there is none."""

import hashlib
import sqlite3
import struct
import sys

connection = sqlite3.connect(sys.argv[1])
key = bytes(32)
with connection:
    rows = connection.execute("SELECT device, inode, variant, size, modified, changed FROM files").fetchall()
    for device, inode, variant, *rest in rows:
        check = hashlib.sha256(struct.pack("<5q", device, inode, *rest) + variant + key).digest()
        connection.execute("UPDATE files SET key = ? WHERE device = ? AND inode = ? AND variant = ?",
                           (key + check, device, inode, variant))
connection.close()
sys.exit(0 if rows else "no key is remembered")
