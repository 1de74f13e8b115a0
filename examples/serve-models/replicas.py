#!/usr/bin/python3
"""How many replicas of nnhal-serve a load needs, from what one of them has measured.

usage: replicas.py METRICS --rate=N [--model=M] [--cores=N] [--wait=MS]

METRICS is the address of a server (http://HOST:8000/metrics) or a file with its answer. The server has to have executed
requests like those to come; a processor second that it used is taken for one of theirs. --rate is requests per second,
--cores those of a replica (default: of this machine), --wait the milliseconds (default 10) that 99 of 100 requests may
wait for a core at most.

Requests that arrive independently of each other (Poisson) at c cores, each for s seconds on average, wait by Erlang's
formula C(c, rate * s); service times are taken to be exponential, which is more uneven than executions of one model
are, so that waits are rather shorter (Performance of such queues: docs/Using/ServingCapacity.md).
"""

import argparse
import math
import os
import re
import sys
import urllib.request


def read_metrics(source):
    if source.startswith(("http://", "https://")):
        with urllib.request.urlopen(source) as answer:
            return answer.read().decode()
    with open(source) as file:
        return file.read()


def total(text, name, labels=()):
    """The sum of the samples of a metric that have all labels."""
    found = re.findall(rf"^{name}(\{{.*\}})? (\S+)", text, re.M)
    return sum(float(value) for given, value in found if all(label in given for label in labels))


def erlang_c(cores, load):
    """The probability that a request waits, of `load` cores' worth of work at `cores`."""
    if load >= cores:
        return 1.0
    # Erlang's B by its recursion, which does not overflow.
    blocked = 1.0
    for count in range(1, cores + 1):
        blocked = load * blocked / (count + load * blocked)
    return blocked / (1 - load / cores * (1 - blocked))


def wait_of(rate, seconds, cores, share):
    """What `share` of the requests do not wait longer than, in seconds."""
    spare = cores / seconds - rate
    if spare <= 0:
        return math.inf
    waiting = erlang_c(cores, rate * seconds)
    return max(0.0, math.log(waiting / (1 - share)) / spare) if waiting > 0 else 0.0


def mean_wait(rate, seconds, cores):
    """The mean wait in seconds, of those that do not wait, too."""
    spare = cores / seconds - rate
    return erlang_c(cores, rate * seconds) / spare if spare > 0 else math.inf


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("metrics")
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--model")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--wait", type=float, default=10.0)
    arguments = parser.parse_args()
    text = read_metrics(arguments.metrics)
    labels = ['code="ok"'] + ([f'model="{arguments.model}"'] if arguments.model else [])
    requests = total(text, "nnhal_serve_requests_total", labels)
    everything = total(text, "nnhal_serve_requests_total")
    if not requests:
        sys.exit(f"error: no request has succeeded{f' with model {arguments.model}' if arguments.model else ''}")
    # Of several models each has the share of processor time that its executions have.
    executing = total(text, "nnhal_serve_execution_seconds_sum")
    share = total(text, "nnhal_serve_execution_seconds_sum", labels[1:]) / executing if executing else 1.0
    seconds = total(text, "process_cpu_seconds_total") * share / requests
    print(f"{requests:.0f} of {everything:.0f} requests counted, {seconds * 1e3:.3f} ms of a core each: "
          f"a replica of {arguments.cores} cores is full at {arguments.cores / seconds:.0f} a second")
    replicas = 1
    while wait_of(arguments.rate / replicas, seconds, arguments.cores, 0.99) * 1e3 > arguments.wait:
        replicas += 1
    rate = arguments.rate / replicas
    print(f"{replicas} replicas: {rate:.0f} requests a second each, "
          f"{100 * rate * seconds / arguments.cores:.0f} % busy, 99 % wait "
          f"{wait_of(rate, seconds, arguments.cores, 0.99) * 1e3:.2f} ms at most, "
          f"{mean_wait(rate, seconds, arguments.cores) * 1e3:.2f} ms on average")


if __name__ == "__main__":
    main()
