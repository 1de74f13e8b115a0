"""Ends the process of a device while nnhal-run executes a model there.

usage: kill-host.py FOLDER MODEL
"""

import json
import os
import signal
import subprocess
import sys
import time

folder, model = sys.argv[1:]
# The path of a socket is short, and that of the test may not be.
os.chdir(folder)


def host_at_work():
    """The process of nnhal-reference once it executes; else None."""
    status = subprocess.run(["nnhal-service", "--status=json", "--socket=s"], capture_output=True, text=True)
    for device in json.loads(status.stdout or "{}").get("devices", []):
        if device["name"] == "nnhal-reference" and any(client["executions"] for client in device["clients"]):
            return device["process"]
    return None


with open("log", "w") as log:
    service = subprocess.Popen(["nnhal-service", "--socket=s", "--state-dir=state"], stderr=log)
try:
    while not os.path.exists("s"):
        assert service.poll() is None, "the service has ended"
        time.sleep(0.01)
    client = subprocess.Popen(["nnhal-run", "--service=s", model, "--device=nnhal-reference", "--repeat=3000"])
    host = None
    while not host:
        assert client.poll() is None, "nnhal-run has ended"
        host = host_at_work()
    os.kill(host, signal.SIGKILL)
    status = client.wait()
finally:
    service.terminate()
    service.wait()
sys.exit(status)
