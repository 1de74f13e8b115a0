"""Data sets, evaluators and reports; in this process and on workers of Dask distributed, some of which die."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import nnhal
import numpy as np
from nnhal import _shards, evaluation
from support import SMALL_CNN, RefusalTest, ScratchTest, addition, counter, image

try:
    import distributed
except ImportError:
    distributed = None
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/evaluate-on-a-cluster/evaluate.py"


def samples(count=24, classes=10):
    """Samples of small_cnn.tflite whose classes are as good as drawn."""
    return [evaluation.Sample([image(number)], expected_class=number % classes, name=f"image {number}")
            for number in range(count)]


class Slow:
    """An evaluator that takes its time, so that workers can die in the middle."""

    def __init__(self, seconds):
        self.seconds = seconds

    def judge(self, sample, outputs):
        time.sleep(self.seconds)
        return float(outputs[0].astype(np.float64).sum()), sample.name

    def finish(self, judgements):
        return {"sum": sum(value for value, _ in judgements), "samples": len(judgements)}


class EvaluationTest(ScratchTest, RefusalTest):
    def test_top_k_is_that_of_numpy(self):
        model, given = nnhal.load(SMALL_CNN), samples()
        report = evaluation.evaluate(SMALL_CNN, given, part_size=5)
        order = [list(np.argsort(-model(one.inputs[0])[0][0], kind="stable")) for one in given]
        for k in (1, 3, 5):
            expected = sum(one.expected_class in ranks[:k] for one, ranks in zip(given, order)) / len(given)
            self.assertEqual(report.values[f"top_{k}"], expected)
        self.assertEqual(len(report.latencies), len(given))
        self.assertEqual(report.errors, [])

    def test_differences_from_expected_outputs(self):
        given = [evaluation.Sample([np.float32([[1, 2, 3]] * 2), np.float32([[1, 1, 1]] * 2)],
                                   expected=[np.float32([[2, 3, 4], [2, 3, 7]])]) for _ in range(2)]
        report = evaluation.evaluate(addition(), given)
        self.assertEqual(report.sum_of_mean_square_errors, 2 * 9 / 6)
        self.assertEqual(report.max_single_error, 3)
        self.assertEqual(report.values, {})

    def test_report_is_that_of_the_benchmark(self):
        report = evaluation.evaluate(SMALL_CNN, samples(3), {"kind": "top-k", "expected_top1": 1.0})
        run, = json.loads(report.json)["runs"]
        self.assertEqual((run["model"], run["data"], run["device"], run["test_set_size"]),
                         ("small_cnn", "samples", "nnhal-cpu", 3))
        self.assertEqual([one["key"] for one in run["evaluators"]], [f"top_{k}" for k in range(1, 6)])
        self.assertRegex(report.errors[0], "and 100.00 % less 5.00 is expected")
        report.write(self.scratch / "page.html")
        self.assertIn("small_cnn", (self.scratch / "page.html").read_text())
        report.write(self.scratch / "report.json")
        self.assertEqual((self.scratch / "report.json").read_text(), report.json)

    def test_files(self):
        model = nnhal.load(SMALL_CNN)
        for number in range(3):
            np.save(self.scratch / f"{number}.input.npy", image(number))
            np.save(self.scratch / f"{number}.output.npy", model(image(number))[0])
        data = evaluation.tensors(self.scratch, input_suffix=".input.npy", output_suffix=".output.npy")
        report = evaluation.evaluate(SMALL_CNN, data, Slow(0))
        self.assertEqual((report.samples, report.max_single_error, report.values["samples"]), (3, 0, 3))

    def test_frames_carry_states(self):
        np.save(self.scratch / "in.npy", np.float32([[[1]], [[2]], [[3]]]))
        np.save(self.scratch / "out.npy", np.float32([[[1]], [[3]], [[6]]]))
        data = evaluation.tensors(inputs={0: self.scratch / "in.npy"}, outputs={0: self.scratch / "out.npy"}, frames=True)
        report = evaluation.evaluate(counter(), data)
        self.assertEqual((report.max_single_error, len(report.latencies)), (0, 3))

    def test_refusals(self):
        evaluate = evaluation.evaluate
        self.assertRefused("cannot open 'missing.tflite': No such file", evaluate, "missing.tflite", samples(1))
        self.assertRefused("there are no photos in", evaluate, SMALL_CNN, evaluation.photos(self.scratch))
        two = {"kind": "photos", "directory": str(self.scratch), "preprocessing": ["correct", "as-published"]}
        self.assertRefused("the data set has 2 preprocessings, expected 1", evaluate, SMALL_CNN,
                           evaluation.Files("two", json.dumps(two)))
        self.assertRefused("has no class, which top-k compares with", evaluate, SMALL_CNN,
                           [evaluation.Sample([image()], name="a")], "top-k")
        self.assertRefused('expected top-k, mel-cep-log-f0 or phone-error-rate, found "top"', evaluate, SMALL_CNN,
                           samples(1), "top")
        self.assertRefused("sample 'two' has 2 inputs, the model 1", evaluate, SMALL_CNN,
                           [evaluation.Sample([image(), image()], name="two")])
        self.assertRefused("an expected output of sample 'text' has elements of type '<U1', which no output has",
                           evaluate, SMALL_CNN, [evaluation.Sample([image()], expected=[np.array(["a"])], name="text")])
        with self.assertRaisesRegex(ValueError, "the data set is empty"):
            evaluate(SMALL_CNN, [])
        with self.assertRaisesRegex(ValueError, "part_size: 0 is less than 1"):
            evaluate(SMALL_CNN, samples(1), part_size=0)
        with self.assertRaisesRegex(TypeError, r"an evaluator is a name, a dictionary or has judge\(\) and finish\(\)"):
            evaluate(SMALL_CNN, samples(1), 3)

    def test_progress(self):
        seen = []
        evaluation.evaluate(SMALL_CNN, samples(5), part_size=2, progress=seen.append)
        self.assertEqual([(one.samples_done, one.samples, one.workers) for one in seen], [(2, 5, 0), (4, 5, 0), (5, 5, 0)])


def accuracy(report):
    """The part of a report that does not depend on where and when it was made."""
    return report.values, report.errors, report.sum_of_mean_square_errors, report.max_single_error


@unittest.skipUnless(distributed, "python3-distributed is not installed")
class ClusterTest(ScratchTest, RefusalTest):
    def setUp(self):
        super().setUp()
        # Debian's Dask and Tornado warn of each other.
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore")

    def cluster(self, workers, allowed_failures=3):
        """A scheduler whose workers are processes that come again when they are killed."""
        import dask

        dask.config.set({"distributed.scheduler.allowed-failures": allowed_failures})
        cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None,
                                           local_directory=str(self.scratch), silence_logs=60)
        self.addCleanup(cluster.close)
        return cluster

    def test_accuracy_is_that_of_one_process(self):
        given = samples()
        alone = evaluation.evaluate(SMALL_CNN, given, ["top-k", Slow(0)])
        for device in ("nnhal-cpu", "nnhal-reference"):
            report = evaluation.evaluate(SMALL_CNN, given, ["top-k", Slow(0)], self.cluster(2).scheduler_address,
                                         device=device, part_size=5)
            self.assertEqual(accuracy(report)[0].keys(), accuracy(alone)[0].keys())
            if device == "nnhal-cpu":
                self.assertEqual(accuracy(report), accuracy(alone))
            self.assertEqual(json.loads(report.json)["runs"][0]["device"], device)

    def test_another_kind_of_machine_is_compiled_for_there(self):
        cluster = self.cluster(1)
        with distributed.Client(cluster, set_as_default=False) as client:
            kind = client.submit(_shards.kind_of_machine).result()
            self.assertEqual(kind, _shards.kind_of_machine())
            client.run(pretendAnotherKind)
            report = evaluation.evaluate(SMALL_CNN, samples(6), scheduler=client, part_size=2)
            self.assertEqual(accuracy(report), accuracy(evaluation.evaluate(SMALL_CNN, samples(6))))
            self.assertEqual(client.run(compilations), {worker: 1 for worker in client.nthreads()})

    def test_two_evaluations_of_one_model_at_once(self):
        address, reports = self.cluster(2).scheduler_address, []

        def evaluate(seconds):
            reports.append(evaluation.evaluate(SMALL_CNN, samples(8), ["top-k", Slow(seconds)], address, part_size=1))

        threads = [threading.Thread(target=evaluate, args=(seconds,)) for seconds in (0, 0.3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(*map(accuracy, reports))

    def test_killed_workers_cost_no_result(self):
        given, stop, killed = samples(60), threading.Event(), []
        alone = evaluation.evaluate(SMALL_CNN, given, ["top-k", Slow(0)])
        cluster = self.cluster(2, allowed_failures=1000)

        def kill():
            while not stop.wait(0.7) and len(killed) < 3:
                # A nanny gives up a worker that dies before it has registered.
                running = [nanny.pid for nanny in cluster.workers.values()
                           if nanny.pid and nanny.worker_address in cluster.scheduler.workers]
                if running:
                    os.kill(running[len(killed) % len(running)], signal.SIGKILL)
                    killed.append(running)

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            report = evaluation.evaluate(SMALL_CNN, given, ["top-k", Slow(0.1)], cluster.scheduler_address, part_size=4)
        finally:
            stop.set()
            thread.join()
        self.assertGreaterEqual(len(killed), 2)
        self.assertEqual(accuracy(report), accuracy(alone))

    def test_sample_that_kills_is_named(self):
        given = samples(6)
        self.assertRefused("samples 4 to 5 were on 2 workers that died; the scheduler's setting "
                           "distributed.scheduler.allowed-failures is 1", evaluation.evaluate, SMALL_CNN, given,
                           Deadly("image 5"), self.cluster(1, allowed_failures=1).scheduler_address, part_size=2,
                           kind=nnhal.GeneralFailureError)

    def test_cluster_without_workers_is_no_hang(self):
        self.assertRefused("no part has ended for 1 s; the scheduler has 0 workers", evaluation.evaluate, SMALL_CNN,
                           samples(1), scheduler=self.cluster(0).scheduler_address, timeout=1,
                           kind=nnhal.DeadObjectError)

    def test_failure_on_a_worker_is_the_same_exception(self):
        self.assertRefused("'a' has no class, which top-k compares with", evaluation.evaluate, SMALL_CNN,
                           [evaluation.Sample([image()], name="a")], "top-k", self.cluster(1).scheduler_address)

    def test_failure_of_the_system_on_a_worker_is_no_death(self):
        with self.assertRaisesRegex(FileNotFoundError, "labels.txt"):
            evaluation.evaluate(SMALL_CNN, samples(2), Fileless(), self.cluster(1).scheduler_address)

    def test_example(self):
        done = subprocess.run([sys.executable, EXAMPLE, SMALL_CNN, "--samples=12", "--workers=2",
                               f"--report={self.scratch / 'report.json'}"], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "Report\\(12 samples")
        self.assertEqual(json.loads((self.scratch / "report.json").read_text())["runs"][0]["test_set_size"], 12)


class Fileless(Slow):
    """An evaluator that lacks a file."""

    def __init__(self):
        super().__init__(0)

    def judge(self, sample, outputs):
        raise FileNotFoundError(2, "No such file or directory", "labels.txt")


class Deadly(Slow):
    """An evaluator that ends the process at one sample."""

    def __init__(self, name):
        super().__init__(0)
        self.name = name

    def judge(self, sample, outputs):
        if sample.name == self.name:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().judge(sample, outputs)


def pretendAnotherKind():
    """Makes a worker one of another machine, which counts its compilations."""
    original, counted = _shards.compile_here, []

    def compile_here(*arguments):
        counted.append(1)
        return original(*arguments)

    _shards.kind_of_machine = lambda: "another"
    _shards.compile_here, _shards.counted = compile_here, counted


def compilations():
    return len(_shards.counted)


if __name__ == "__main__":
    unittest.main()
