#!/usr/bin/python3
"""Load tests of nnhal-serve: requests with binary tensors over HTTP, by autocannon on the same processors.

usage: PYTHONPATH=BUILD-DIR/python benchmarks/serving-load.py BUILD-DIR MODEL... [--autocannon=DIR]
       [--connections=32] [--seconds=5] [--rounds=3] [--no-random]

In each round executions in this process (as many threads as there are processors), requests as fast as --connections
can send them (autocannon), and requests that this program sends at random moments, at 50, 70 and 80 % of that rate,
take turns. Printed for each: requests per second, their share of the executions in process, latencies, processor time
per request of server and generator; and for random moments the time that requests waited for an execution, beside what
the queueing model of examples/serve-models/replicas.py says. DIR is a folder to which npm installs autocannon (default:
BUILD-DIR/autocannon). --no-random leaves those at random moments out, for models of few microseconds: this program is
slower than they are.
"""

import argparse
import json
import os
import pathlib
import queue
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import nnhal
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "scripts"), str(ROOT / "examples/serve-models")]
import replicas  # noqa: E402
import serving  # noqa: E402

PACES = (0.5, 0.7, 0.8)
# Its command line would read a body as text.
AUTOCANNON = """const [module, options, file] = process.argv.slice(1);
require(module)({...JSON.parse(options), body: require("fs").readFileSync(file)},
  (error, result) => { if (error) throw error; console.log(JSON.stringify(result)); });"""
TYPES = {"bool": "BOOL", "uint8": "UINT8", "int8": "INT8", "uint16": "UINT16", "int16": "INT16", "int32": "INT32",
         "int64": "INT64", "float16": "FP16", "float32": "FP32"}


def in_process(model, arrays, seconds):
    """Executions per second of as many threads as there are processors."""
    counts, stop = [], time.monotonic() + seconds

    def execute():
        count = 0
        while time.monotonic() < stop:
            model(*arrays)
            count += 1
        counts.append(count)

    threads = [threading.Thread(target=execute) for _ in range(os.cpu_count())]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds


def body_of(inputs, arrays):
    """A request whose tensors are bytes, and the length of its JSON."""
    described = [{"name": one.name or f"input{number}", "datatype": TYPES[str(array.dtype)], "shape": list(array.shape),
                  "parameters": {"binary_data_size": array.nbytes}}
                 for number, (one, array) in enumerate(zip(inputs, arrays))]
    header = json.dumps({"inputs": described, "parameters": {"binary_data_output": True}}).encode()
    return header + b"".join(array.tobytes() for array in arrays), len(header)


class MeasuredServer(serving.Server):
    """nnhal-serve with one model."""

    def __init__(self, build, model, folder):
        models = folder / "models"
        models.mkdir()
        (models / "net.tflite").symlink_to(model.resolve())
        super().__init__(build, models)

    def metrics(self):
        with urllib.request.urlopen(f"{self.url}/metrics") as answer:
            return answer.read().decode()

    def settle(self):
        """Waits until it has nothing to do: a generator that ends leaves requests behind."""
        while any(replicas.total(text, name) for text in [self.metrics()]
                  for name in ("nnhal_serve_queue_depth", "nnhal_serve_executions_live")):
            time.sleep(0.05)


def used(who):
    times = resource.getrusage(who)
    return times.ru_utime + times.ru_stime


class Measurement:
    """Counts the work of server and generator between two looks."""

    def __init__(self, server, generator):
        self._server, self._generator = server, generator
        server.settle()
        self._before, self._used = server.metrics(), used(generator)

    def end(self, **told):
        generator = used(self._generator) - self._used
        after = self._server.metrics()

        def grown(name):
            return replicas.total(after, name) - replicas.total(self._before, name)

        count = grown("nnhal_serve_requests_total")
        return {**told, "server": grown("process_cpu_seconds_total") / count, "generator": generator / count,
                "waited": grown("nnhal_serve_queue_seconds_sum") / count}


def saturate(arguments, server, request, length):
    """Requests as fast as all connections can send them, by autocannon."""
    measurement = Measurement(server, resource.RUSAGE_CHILDREN)
    options = {"url": f"{server.url}/v2/models/net/infer", "method": "POST", "connections": arguments.connections,
               "duration": arguments.seconds, "headers": {"Inference-Header-Content-Length": str(length),
                                                          "Content-Type": "application/octet-stream"}}
    done = subprocess.run(["node", "-e", AUTOCANNON, arguments.autocannon / "node_modules/autocannon",
                           json.dumps(options), request], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    if told["non2xx"] or told["errors"]:
        sys.exit(f"error: {told['non2xx']} requests were refused, {told['errors']} failed")
    return measurement.end(rate=told["requests"]["average"], median=told["latency"]["p50"],
                           p99=told["latency"]["p99"])


def send_at_random(arguments, server, content, length, rate, seed):
    """Requests at moments that have nothing to do with each other, whose latencies count from these."""
    moments = np.cumsum(np.random.default_rng(seed).exponential(1 / rate, int(rate * arguments.seconds) + 1))
    due, latencies = queue.SimpleQueue(), []
    headers = {"Inference-Header-Content-Length": str(length), "Content-Type": "application/octet-stream"}

    def send():
        connection = server.connect()
        while (moment := due.get()) is not None:
            connection.request("POST", "/v2/models/net/infer", content, headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status == 200:
                latencies.append(time.monotonic() - moment)
        connection.close()

    measurement = Measurement(server, resource.RUSAGE_SELF)
    threads = [threading.Thread(target=send) for _ in range(arguments.connections)]
    for thread in threads:
        thread.start()
    begin = time.monotonic()
    for moment in moments:
        time.sleep(max(0.0, begin + moment - time.monotonic()))
        due.put(begin + moment)
    for _ in threads:
        due.put(None)
    for thread in threads:
        thread.join()
    if len(latencies) != len(moments):
        sys.exit(f"error: {len(moments) - len(latencies)} of {len(moments)} requests were refused")
    return measurement.end(rate=len(moments) / moments[-1], median=float(np.quantile(latencies, 0.5)) * 1e3,
                           p99=float(np.quantile(latencies, 0.99)) * 1e3)


def spread(values, digits=2):
    return f"{statistics.median(values):.{digits}f} [{min(values):.{digits}f}, {max(values):.{digits}f}]"


def show(what, rounds, plain):
    def column(key, factor=1.0):
        return [one[key] * factor for one in rounds]

    shares = [one["rate"] / executions for one, executions in zip(rounds, plain)]
    print(f"  {what}: {spread(column('rate'), 0)} requests/s, {spread(shares)} of executions in process; "
          f"median {spread(column('median'), 1)} ms, 99 % {spread(column('p99'), 1)} ms; processor time per request "
          f"{spread(column('server', 1e6), 0)} us, of the generator {spread(column('generator', 1e6), 0)} us")


def show_wait(rounds):
    """The wait for an execution, and what is to be expected for requests that come at random."""
    expected = [replicas.mean_wait(one["rate"], one["server"], os.cpu_count()) * 1e6 for one in rounds]
    print(f"    waited {spread([one['waited'] * 1e6 for one in rounds], 0)} us; the queueing model says "
          f"{spread(expected, 0)} us at {spread([one['rate'] for one in rounds], 0)} requests/s")


def measure(arguments, path):
    model = nnhal.load(path)
    random = np.random.default_rng(1)
    inputs = [one for one in model.inputs if not one.is_state]
    arrays = [(random.random([extent or 1 for extent in one.shape]) * 100).astype(one.dtype) for one in inputs]
    plain, full, paced = [], [], {pace: [] for pace in PACES}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        request = folder / "request"
        content, length = body_of(inputs, arrays)
        request.write_bytes(content)
        server = MeasuredServer(arguments.build, path, folder)
        try:
            for number in range(arguments.rounds):
                plain.append(in_process(model, arrays, arguments.seconds))
                full.append(saturate(arguments, server, request, length))
                for pace in PACES if arguments.random else ():
                    paced[pace].append(send_at_random(arguments, server, content, length, pace * full[-1]["rate"],
                                                      seed=number))
        finally:
            server.close()
    print(f"{path.name}: {spread(plain, 0)} executions/s in process, {len(content)} bytes a request")
    show(f"{arguments.connections} connections", full, plain)
    for pace, rounds in paced.items():
        if rounds:
            show(f"at random, {100 * pace:.0f} % of that", rounds, plain)
            show_wait(rounds)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    parser.add_argument("--autocannon", type=pathlib.Path)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-random", dest="random", action="store_false")
    arguments = parser.parse_intermixed_args()
    arguments.autocannon = (arguments.autocannon or arguments.build / "autocannon").resolve()
    if not (arguments.autocannon / "node_modules/autocannon").exists():
        arguments.autocannon.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent", "autocannon@8"],
                       cwd=arguments.autocannon, check=True)
    for path in arguments.models:
        measure(arguments, path)


if __name__ == "__main__":
    main()
