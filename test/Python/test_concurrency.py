"""Threads, event loops, fences and bursts."""

import asyncio
import os
import subprocess
import threading
import time
import unittest

import nnhal
import numpy as np
from support import SMALL_CNN, RefusalTest, ScratchTest, addition, image

TASKS = 16


class ThreadTest(unittest.TestCase):
    def test_threads_at_once(self):
        model = nnhal.load(SMALL_CNN)
        images = [image(seed) for seed in range(TASKS)]
        expected = [model(one)[0] for one in images]
        failures = []

        def work(index):
            for _ in range(100):
                if not np.array_equal(model(images[index])[0], expected[index]):
                    failures.append(index)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(TASKS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(model.statistics.executions, TASKS * 101)
        self.assertEqual(model.statistics.copied_bytes, 0)

    def test_threads_load_at_once(self):
        outputs = []
        threads = [threading.Thread(target=lambda: outputs.append(nnhal.load(SMALL_CNN)(image())[0]))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(outputs), 4)
        for one in outputs:
            np.testing.assert_array_equal(one, outputs[0])

    def test_the_interpreter_runs_while_a_model_is_compiled(self):
        ended = threading.Event()
        thread = threading.Thread(target=lambda: (nnhal.load(SMALL_CNN), ended.set()))
        turns = 0
        thread.start()
        while not ended.is_set():
            turns += 1
            time.sleep(0.001)
        thread.join()
        # A load that kept the lock would let this loop run once or twice.
        self.assertGreater(turns, 10)

    def test_the_interpreter_runs_while_a_model_executes(self):
        a = np.ones((1 << 20, 3), np.float32)
        model = nnhal.load(addition(shape=a.shape), device="nnhal-reference")
        ended = threading.Event()
        thread = threading.Thread(target=lambda: (model(a, a), ended.set()))
        turns = 0
        thread.start()
        while not ended.is_set():
            turns += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(turns, 5)


class AsyncTest(RefusalTest):
    def setUp(self):
        self.model = nnhal.load(SMALL_CNN)

    def test_tasks_at_once(self):
        images = [image(seed) for seed in range(TASKS)]
        expected = [self.model(one)[0] for one in images]

        async def work(index):
            for _ in range(20):
                np.testing.assert_array_equal((await self.model.run_async(images[index]))[0], expected[index])

        async def everything():
            await asyncio.gather(*(asyncio.create_task(work(index)) for index in range(TASKS)))

        before = len(os.listdir("/proc/self/fd"))
        asyncio.run(everything())
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        self.assertEqual(self.model.statistics.copied_bytes, 0)

    def test_the_loop_goes_on(self):
        a = np.ones((1 << 20, 3), np.float32)
        model = nnhal.load(addition(shape=a.shape), device="nnhal-reference")

        async def everything():
            execution, turns = asyncio.ensure_future(model.run_async(a, a)), 0
            while not execution.done():
                turns += 1
                await asyncio.sleep(0.001)
            np.testing.assert_array_equal((await execution)[0][0], [2, 2, 2])
            return turns

        self.assertGreater(asyncio.run(everything()), 5)

    def test_cancelled_tasks_leave_the_execution_its_arrays(self):
        # Large enough that the execution is under way when the task is cancelled.
        shape = (1 << 20, 3)
        model = nnhal.load(addition(shape=shape), device="nnhal-reference")

        async def everything():
            task = asyncio.create_task(model.run_async(np.ones(shape, np.float32), np.ones(shape, np.float32)))
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            return await model.run_async(np.ones(shape, np.float32), np.ones(shape, np.float32))

        np.testing.assert_array_equal(asyncio.run(everything())[0], np.full(shape, 2, np.float32))

    def test_unknown_extents(self):
        model = nnhal.load(addition(shape=(0, 3)), device="nnhal-reference")
        for rows in (4, 2, 6):
            a = np.ones((rows, 3), np.float32)
            np.testing.assert_array_equal(asyncio.run(model.run_async(a, a))[0], a + a)

    def test_failures(self):
        with self.assertRaises(nnhal.MissedDeadlineError):
            asyncio.run(self.model.run_async(image(), timeout=0))
        self.assertRefused("input 0 ('image') has extent 16", lambda: asyncio.run(
            self.model.run_async(np.zeros((1, 16, 32, 3), np.float32))))

    def test_results_are_taken_once(self):
        execution = self.model.launch(image())
        np.testing.assert_array_equal(execution.result()[0], self.model(image())[0])
        self.assertTrue(execution.done)
        self.assertRefused("the outputs of this execution have been taken", execution.result)

    def test_executions_that_nobody_waits_for(self):
        for _ in range(20):
            self.model.launch(image())
        np.testing.assert_array_equal(self.model(image())[0], self.model(image())[0])


class FenceTest(RefusalTest):
    def setUp(self):
        self.model = nnhal.load(SMALL_CNN)

    def test_executions_wait_for_fences(self):
        fences = [nnhal.Fence(), nnhal.Fence()]
        execution = self.model.launch(image(), wait_for=fences)
        fences[0].signal()
        self.assertFalse(execution.done)
        fences[1].signal()
        np.testing.assert_array_equal(execution.result()[0], self.model(image())[0])

    def test_executions_follow_each_other(self):
        ready = nnhal.Fence()
        first = self.model.launch(image(1), wait_for=[ready])
        second = self.model.launch(image(2), wait_for=[first.fence])
        self.assertFalse(second.done)
        ready.signal()
        np.testing.assert_array_equal(second.result()[0], self.model(image(2))[0])
        self.assertTrue(first.done)

    def test_fences_are_awaitable(self):
        fence = nnhal.Fence()

        async def everything():
            waiting = [asyncio.ensure_future(fence) for _ in range(3)]
            await asyncio.sleep(0.01)
            self.assertFalse(any(one.done() for one in waiting))
            threading.Timer(0.01, fence.signal).start()
            await asyncio.gather(*waiting)
            await fence

        asyncio.run(everything())

    def test_failures(self):
        fence = nnhal.Fence()
        self.assertRefused("", fence.wait, 0.001, kind=nnhal.MissedDeadlineError)
        execution = self.model.launch(image(), wait_for=[fence])
        fence.fail("no data")
        self.assertRefused("no data", fence.wait, kind=nnhal.GeneralFailureError)
        self.assertRefused("", execution.result, kind=nnhal.GeneralFailureError)
        with self.assertRaisesRegex(nnhal.GeneralFailureError, "no data"):
            asyncio.run(self.wait(fence))
        self.assertRefused("a timeout of -1 s is not 0 to ", fence.wait, -1)

    async def wait(self, fence):
        await fence

    def test_time_after_fences(self):
        fence = nnhal.Fence()
        execution = self.model.launch(image(), wait_for=[fence], timeout_after_fences=0)
        fence.signal()
        self.assertRefused("", execution.result, kind=nnhal.MissedDeadlineError)

    def test_descriptors_of_others(self):
        readEnd, writeEnd = os.pipe()
        fence = nnhal.Fence.adopt(readEnd)
        self.assertEqual(fence.fileno(), readEnd)
        self.assertFalse(fence.done)
        self.assertRefused("an adopted fence is signaled elsewhere", fence.signal)
        self.assertRefused("an adopted fence is signaled elsewhere", fence.fail, "no data")
        os.write(writeEnd, b"1")
        fence.wait()
        os.close(writeEnd)
        self.assertRefused("", nnhal.Fence.adopt, -1)


class BurstTest(RefusalTest):
    def test_bursts(self):
        model = nnhal.load(SMALL_CNN)
        with model.burst() as run:
            for seed in range(5):
                np.testing.assert_array_equal(run(image(seed))[0], model(image(seed))[0])
            self.assertEqual(run.ordinary_executions, 0)
        self.assertRefused("the burst is closed", run, image())
        # The queues of a burst take arguments in pools: what NumPy allocates is staged.
        self.assertEqual(model.statistics.converted_bytes, 0)
        self.assertGreater(model.statistics.staged_bytes, 0)

    def test_one_execution_at_a_time(self):
        a = np.ones((1 << 18, 3), np.float32)
        burst = nnhal.load(addition(shape=a.shape), device="nnhal-reference").burst()
        failures = []

        def work():
            for _ in range(5):
                try:
                    burst(a, a)
                except nnhal.GeneralFailureError as error:
                    failures.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal(burst(a, a)[0][0], [2, 2, 2])
        self.assertGreater(len(failures), 0)


class StreamTest(RefusalTest):
    def test_one_execution_at_a_time(self):
        from support import counter
        stream = nnhal.load(counter(), device="nnhal-reference").stream()
        one, results, failures = np.ones((1, 1), np.float32), [], []

        def work():
            for _ in range(2000):
                try:
                    results.append(stream(one)[0][0, 0])
                except nnhal.GeneralFailureError as error:
                    failures.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # Each execution began where another one had ended.
        self.assertEqual(sorted(results), list(range(1, len(results) + 1)))
        self.assertEqual(set(failures) - {"another execution of this stream runs"}, set())


@unittest.skipUnless(os.path.exists(os.environ.get("NNHAL_SERVICE", "")), "nnhal-service is not built")
class ServiceTest(ScratchTest, RefusalTest):
    def test_devices_of_a_service(self):
        socket = self.scratch / "socket"
        service = subprocess.Popen([os.environ["NNHAL_SERVICE"], f"--socket={socket}",
                                    f"--state-dir={self.scratch / 'state'}"], stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 10
            while not socket.exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            model = nnhal.load(SMALL_CNN, service=socket)
            np.testing.assert_allclose(model(image())[0], nnhal.load(SMALL_CNN)(image())[0], atol=1e-6)
            np.testing.assert_array_equal(asyncio.run(model.run_async(image()))[0], model(image())[0])
            with model.burst() as run:
                np.testing.assert_array_equal(run(image())[0], model(image())[0])
            self.assertRefused("executes on the threads of its service: threads has no effect", nnhal.load, SMALL_CNN,
                               service=socket, threads=2)
        finally:
            service.terminate()
            service.wait()
        self.assertRefused("", model, image(), kind=nnhal.DeadObjectError)


if __name__ == "__main__":
    unittest.main()
