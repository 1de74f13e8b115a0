#!/usr/bin/python3
"""Evaluates a model on a cluster of Dask distributed, or on workers that this program starts.

usage: evaluate.py MODEL [--photos=DIR | --samples=N] [--scheduler=tcp://HOST:8786 | --workers=N] [--report=FILE]

On each machine of a cluster:  dask worker tcp://HOST:8786     (packages dask, python3-distributed, python3-nnhal)
On one of them:                dask scheduler
"""

import argparse
import contextlib

import nnhal
import numpy as np
from nnhal import evaluation


def random_samples(path, count):
    """Inputs without meaning, for a first try without data."""
    drawn = np.random.default_rng(1)
    inputs = nnhal.load(path, device="nnhal-reference").inputs
    return [evaluation.Sample([drawn.random([extent or 1 for extent in one.shape]).astype(one.dtype) for one in inputs],
                              expected_class=0) for _ in range(count)]


@contextlib.contextmanager
def scheduler_of(arguments):
    if arguments.scheduler:
        yield arguments.scheduler
        return
    from distributed import LocalCluster

    with LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("model")
    parser.add_argument("--photos")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--scheduler")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--report")
    arguments = parser.parse_args()
    if arguments.photos:
        data = evaluation.photos(arguments.photos)
    else:
        data = random_samples(arguments.model, arguments.samples)
    with scheduler_of(arguments) as scheduler:
        report = nnhal.evaluate(arguments.model, data, scheduler=scheduler)
    print(report)
    if arguments.report:
        report.write(arguments.report)


if __name__ == "__main__":
    main()
