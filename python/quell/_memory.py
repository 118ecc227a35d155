"""Memory that this process shares with the quell process.

A segment is a file in memory that both map. Filling memory that is new from the system takes longer than copying, so
segments that are not needed any more are kept for the next call, up to a limit.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import weakref
from collections import deque
from typing import Any, Callable, Deque, List, Optional, Tuple

import numpy as np

KEPT_BYTES = 512 << 20  # of segments that nobody uses
_ROUND = 2 << 20  # sizes are multiples of this, so that segments fit again
_COPY = 8 << 20  # bytes from which a copy is divided between threads


class Segment:
    """Shared memory with its path, by which another process opens it."""

    def __init__(self, size: int) -> None:
        self.size = -(-size // _ROUND) * _ROUND
        self.temporary = ""
        if hasattr(os, "memfd_create") and os.path.exists("/proc/self/fd"):
            self.fd = os.memfd_create("quell", os.MFD_CLOEXEC)
            self.path = f"/proc/{os.getpid()}/fd/{self.fd}"
        else:
            self.fd, self.path = tempfile.mkstemp(prefix="quell-")
            self.temporary = self.path
        try:
            os.ftruncate(self.fd, self.size)
            self.map = mmap.mmap(self.fd, self.size)
        except (OSError, ValueError) as e:
            self.close()
            raise MemoryError(f"there are no {self.size} bytes of shared memory: {e}") from e
        self.address = np.frombuffer(self.map, np.uint8).ctypes.data

    def view(self, offset: int, shape: Tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
        """Returns an array in the segment; it must not outlive its use of the segment."""
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self.map, dtype, count, offset).reshape(shape)

    def close(self) -> None:
        """Gives the memory back, as soon as no array uses it."""
        if self.temporary:
            os.unlink(self.temporary)
            self.temporary = ""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


class Owner:
    """The base of an array in a segment: the segment is free when the array and all views of it are gone."""

    def __init__(self, segment: Segment, shape: Tuple[int, ...]) -> None:
        self.segment = segment
        self.__array_interface__ = {
            "version": 3,
            "data": (segment.address, False),
            "typestr": np.dtype(np.float32).str,
            "shape": shape,
        }


class Pool:
    """Segments for the calls of one process. Safe for use by several threads."""

    def __init__(self, dropped: Callable[[Segment], None]) -> None:
        self._dropped = dropped  # is called for every segment that is closed
        self._lock = threading.Lock()
        self._free: List[Segment] = []
        self._returned: Deque[Segment] = deque()  # finalizers may run while the lock is held

    def take(self, size: int) -> Segment:
        """Returns a segment of at least that size, one that was used before if there is one."""
        self.tidy(wait=True)
        with self._lock:
            fitting = [s for s in self._free if size <= s.size <= 2 * size + _ROUND]
            if fitting:
                best = min(fitting, key=lambda s: s.size)
                self._free.remove(best)
                return best
        return Segment(size)

    def give(self, segment: Segment) -> None:
        """Takes a segment back."""
        self._returned.append(segment)
        self.tidy(wait=False)

    def array(self, segment: Segment, shape: Tuple[int, ...]) -> np.ndarray[Any, Any]:
        """Returns the beginning of a segment as an array that gives it back in the end."""
        owner = Owner(segment, shape)
        weakref.finalize(owner, self.give, segment).atexit = False
        return np.asarray(owner)

    def tidy(self, wait: bool) -> None:
        """Keeps the segments that came back, and closes the oldest beyond the limit."""
        if not self._lock.acquire(blocking=wait):
            return
        closed = []
        try:
            while self._returned:
                self._free.append(self._returned.popleft())
            while self._free and sum(s.size for s in self._free) > KEPT_BYTES:
                closed.append(self._free.pop(0))
        finally:
            self._lock.release()
        for segment in closed:
            self._close(segment)

    def clear(self) -> None:
        """Closes all segments that nobody uses."""
        self.tidy(wait=True)
        with self._lock:
            closed, self._free = self._free, []
        for segment in closed:
            self._close(segment)

    def _close(self, segment: Segment) -> None:
        self._dropped(segment)
        segment.close()


def owner_of(array: np.ndarray[Any, Any]) -> Optional[Tuple[Segment, int]]:
    """Returns the segment in which an array lies as the server reads it, and its offset; None for other arrays."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, Owner) or array.dtype != np.float32 or not array.flags.c_contiguous:
        return None
    return base.segment, array.__array_interface__["data"][0] - base.segment.address


def copy(to: np.ndarray[Any, Any], array: np.ndarray[Any, Any]) -> None:
    """Copies with a conversion of the type, on several threads if there is much: numpy copies on one."""
    parts = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, 4, len(to))
    if to.nbytes < _COPY or parts < 2:
        np.copyto(to, array, casting="unsafe")
        return
    ends = [len(to) * k // parts for k in range(parts + 1)]
    workers = [
        threading.Thread(target=np.copyto, args=(to[a:b], array[a:b]), kwargs={"casting": "unsafe"})
        for a, b in zip(ends[1:], ends[2:])
    ]
    for worker in workers:
        worker.start()
    np.copyto(to[: ends[1]], array[: ends[1]], casting="unsafe")
    for worker in workers:
        worker.join()
