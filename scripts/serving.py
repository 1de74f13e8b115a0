"""Starts nnhal-serve for the programs that ask it: check-serving-page, soak-serving and benchmarks/serving-load.py."""

import collections
import http.client
import subprocess
import sys
import threading


class Server:
    """nnhal-serve of a build, at a port that the system chooses, ready when this is made."""

    def __init__(self, build, models, *options):
        self.process = subprocess.Popen([build / "bin/nnhal-serve", f"--models={models}", "--http=127.0.0.1:0", *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        # The last of what it says; what it says of loads would fill the pipe.
        self._said = collections.deque(maxlen=200)
        for line in self.process.stdout:
            self._said.append(line)
            if line.startswith("ready: "):
                self.url = line.removeprefix("ready: ").split(",")[0].strip()
                break
        else:
            sys.exit(f"error: the server has not become ready: {''.join(self._said)}")
        self.port = int(self.url.rsplit(":", 1)[1])
        self._listener = threading.Thread(target=self._said.extend, args=[self.process.stdout], daemon=True)
        self._listener.start()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def close(self):
        """Its exit status. One that is not 0 is explained by the last of what the server has said."""
        self.process.terminate()
        status = self.process.wait(timeout=60)
        if status != 0:
            self._listener.join(timeout=10)
            print("".join(self._said), file=sys.stderr)
        return status
