"""Starts nnhal-serve for the programs that ask it: check-serving-page, soak-serving and benchmarks/serving-load.py."""

import http.client
import subprocess
import sys
import threading


class Server:
    """nnhal-serve of a build, at a port that the system chooses, ready when this is made."""

    def __init__(self, build, models, *options):
        self.process = subprocess.Popen([build / "bin/nnhal-serve", f"--models={models}", "--port=0", *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = []
        for line in self.process.stdout:
            said.append(line)
            if line.startswith("ready: "):
                self.url = line.removeprefix("ready: ").split(",")[0].strip()
                break
        else:
            sys.exit(f"error: the server has not become ready: {''.join(said)}")
        self.port = int(self.url.rsplit(":", 1)[1])
        # What it says of loads would fill the pipe.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def close(self):
        """Its exit status."""
        self.process.terminate()
        return self.process.wait(timeout=60)
