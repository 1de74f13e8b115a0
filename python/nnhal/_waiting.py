"""Fences and executions in an event loop."""

import asyncio
import os
from typing import Any

import numpy as np

from . import _native


async def _end_of(fence: _native.Fence, keep: object = None) -> None:
    """Waits until a fence has ended, without a thread.

    `keep` lives as long, also when the task that waits is cancelled.
    """
    if fence.done:
        return
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    # A descriptor of its own: several tasks may wait for one fence.
    descriptor = fence.share()

    def end(kept: object) -> None:
        loop.remove_reader(descriptor)
        os.close(descriptor)
        if not ended.done():
            ended.set_result(None)

    loop.add_reader(descriptor, end, keep)
    await ended


async def until(fence: _native.Fence) -> None:
    """Waits for a fence, and raises what it failed with."""
    await _end_of(fence)
    fence.wait()


async def outputs_of(execution: _native.Execution) -> list[np.ndarray[Any, Any]]:
    """The outputs of an execution when it has ended."""
    while True:
        fence = execution.fence
        if fence is not None:
            await _end_of(fence, execution)
        if not execution._relaunch():
            return execution._take()
