"""wrong-keys.py FILE: gives all models in a file of content keys another key.
Fails when there is none."""

import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1])
with connection:
    changed = connection.execute("UPDATE files SET key = zeroblob(32)").rowcount
connection.close()
sys.exit(0 if changed > 0 else "no key is remembered")
