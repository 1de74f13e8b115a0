#!/usr/bin/python3
"""How many replicas of nnhal-serve a load needs, from what one of them has measured.

usage: replicas.py METRICS --rate=N [--watch=SECONDS | --before=FILE] [--model=M] [--cores=N] [--wait=MS]

METRICS is the address of a server (http://HOST:8000/metrics), which is read twice, --watch seconds apart (default 30),
or a file with its answer, and FILE one with an earlier answer. In between the server executes requests like those to
come: all processor time that it uses is taken for theirs. --rate is requests per second, --cores those of a replica
(default: of this machine), --wait the milliseconds (default 10) that 99 of 100 requests may wait for a core at most.

Requests that arrive independently of each other (Poisson) at c cores, each for s seconds on average, wait by Erlang's
formula C(c, rate * s); service times are taken to be exponential, which is more uneven than executions of one model
are, so that waits are rather shorter (docs/Using/ServingCapacity.md).
"""

import argparse
import math
import os
import re
import sys
import time
import urllib.request


def is_address(source):
    return source.startswith(("http://", "https://"))


def read_metrics(source):
    if is_address(source):
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
    """The wait in seconds that `share` of the requests do not exceed."""
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
    parser.add_argument("--watch", type=float, default=30.0)
    parser.add_argument("--before")
    parser.add_argument("--model")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--wait", type=float, default=10.0)
    arguments = parser.parse_args()
    for name, least in (("rate", 1e-9), ("cores", 1), ("wait", 0.0), ("watch", 0.0)):
        if getattr(arguments, name) < least:
            sys.exit(f"error: --{name} is {getattr(arguments, name)}, expected {least} or more")
    if not arguments.before and not is_address(arguments.metrics):
        sys.exit("error: a file of metrics needs an earlier one: --before=FILE")
    before = read_metrics(arguments.before or arguments.metrics)
    if not arguments.before:
        time.sleep(arguments.watch)
    after = read_metrics(arguments.metrics)

    def grown(name, labels=()):
        return total(after, name, labels) - total(before, name, labels)

    of_model = [f'model="{arguments.model}"'] if arguments.model else []
    requests = grown("nnhal_serve_requests_total", ['code="ok"', *of_model])
    if requests <= 0:
        sys.exit(f"error: no request has succeeded meanwhile{f' with {arguments.model}' if arguments.model else ''}")
    # A model is charged with the share of processor time that its executions have.
    executing = grown("nnhal_serve_execution_seconds_sum")
    share = grown("nnhal_serve_execution_seconds_sum", of_model) / executing if executing else 1.0
    seconds = grown("process_cpu_seconds_total") * share / requests
    print(f"{requests:.0f} requests, {seconds * 1e3:.3f} ms of a core each: "
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
