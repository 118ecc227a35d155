"""The quell process that does the work, kept alive between calls.

It is started by the first call, and again by the next call after it ended. Requests and replies are those of
``quell serve-arrays``, which docs/PYTHON.md describes.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import threading
import warnings
from typing import IO, Any, Callable, Dict, Optional, Tuple

from ._errors import QuellError, QuellMemoryError, QuellValueError, QuellWarning, error_of
from ._memory import Pool, Segment

PROTOCOL = 1
_SMALL = 64 << 20  # bytes below which nobody asks whether there is memory

Progress = Callable[[int, int], Any]


def program() -> str:
    """Returns the path of the command line: that of QUELL_PROGRAM, the one of this package, or the one on the PATH."""
    named = os.environ.get("QUELL_PROGRAM")
    if named:
        return named
    bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "quell")
    if os.path.exists(bundled):
        return bundled
    found = shutil.which("quell")
    if found is None:
        raise QuellError("the program quell is not installed; install the wheel of this package, or put quell on the PATH", "usage")
    return found


class Process:
    """A quell process and what it has mapped. Calls of several threads are done one after another."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.pool = Pool(self._unmap)
        self._pid = os.getpid()
        self._child: Optional[subprocess.Popen[bytes]] = None
        self._errors: Optional[IO[bytes]] = None
        self._mapped: Dict[Segment, int] = {}
        self._last = 0

    def ask(self, request: Dict[str, Any], progress: Optional[Progress] = None) -> Dict[str, Any]:
        """Sends a request and returns the result. The caller holds the lock and has called start. A warning of the server is a warning here."""
        self._last += 1
        number = self._last
        try:
            self._send({"id": number, **request})
            return self._reply(number, progress)
        except BaseException as e:
            if not isinstance(e, QuellError):
                self._cancel(number)
            raise

    def number(self, segment: Segment) -> int:
        """Returns the number by which the server knows a segment, which it maps if it has not yet."""
        if segment not in self._mapped:
            self._mapped[segment] = self.ask({"do": "map", "file": segment.path})["memory"]
        return self._mapped[segment]

    def room(self, size: int) -> None:
        """Raises a MemoryError unless so many bytes are free, by the budget of the process. The caller holds the lock."""
        if size < _SMALL:
            return
        self.start()
        try:
            self.ask({"do": "room", "bytes": size})
        except QuellMemoryError:
            self.pool.clear()
            self.ask({"do": "room", "bytes": size})

    def start(self) -> None:
        """Starts the process if none runs, before the first segment of a call is mapped."""
        if self._child is not None and self._child.poll() is None:
            return
        self.stop()
        self._errors = tempfile.TemporaryFile()
        path = program()
        try:
            # A session of its own: Ctrl-C reaches this process alone, which cancels the request.
            self._child = subprocess.Popen(
                [path, "serve-arrays"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True
            )
        except OSError as e:
            raise QuellError(f"{path} cannot be started: {e.strerror}", "usage", file=path) from e
        hello = self._read()
        if hello.get("protocol") != "quell.arrays" or hello.get("version") != PROTOCOL:
            self.stop()
            raise QuellError(f"{path} is of another version than this package; install the same version of both", "usage", file=path)

    def stop(self) -> None:
        """Ends the process. What it has mapped is forgotten."""
        child, self._child = self._child, None
        self._mapped.clear()
        if child is not None:
            for stream in (child.stdin, child.stdout):
                try:
                    if stream is not None:
                        stream.close()
                except OSError:
                    pass  # it has ended
            try:
                child.wait(2)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def belongs_here(self) -> bool:
        """Says whether the process is this one's: a fork has its parent's."""
        return self._pid == os.getpid()

    def _send(self, request: Dict[str, Any]) -> None:
        # Not started again here: a new process numbers other segments with the numbers in the request.
        try:
            to, _ = self._streams()
            to.write(json.dumps(request, allow_nan=False).encode() + b"\n")
            to.flush()
        except ValueError as e:
            raise QuellValueError(f"a number is not finite: {e}", "usage") from e
        except OSError as e:
            raise self._died() from e

    def _read(self) -> Dict[str, Any]:
        line = self._streams()[1].readline()
        if not line.endswith(b"\n"):
            raise self._died()
        reply: Dict[str, Any] = json.loads(line)
        return reply

    def _streams(self) -> Tuple[IO[bytes], IO[bytes]]:
        """Returns the input and the output of the process, which runs."""
        assert self._child is not None and self._child.stdin is not None and self._child.stdout is not None
        return self._child.stdin, self._child.stdout

    def _reply(self, number: int, progress: Optional[Progress]) -> Dict[str, Any]:
        while True:
            reply = self._read()
            if reply.get("id") != number:
                continue  # of a request that was cancelled
            event = reply.get("event")
            if event == "progress":
                if progress is not None and reply.get("step") == "filtering":
                    progress(reply.get("done", 0), reply.get("total", 0))
            elif event == "warning":
                warnings.warn(reply["text"], QuellWarning, stacklevel=4)
            elif event is None:
                if "error" in reply:
                    raise error_of(reply["error"])
                result: Dict[str, Any] = reply["result"]
                return result

    def _cancel(self, number: int) -> None:
        """Cancels a request and waits for its end; a second interrupt ends the process."""
        if self._child is None:
            return
        try:
            self._send({"id": number, "do": "cancel"})
            while True:
                reply = self._read()
                if reply.get("id") == number and "event" not in reply:
                    return
        except QuellError:
            pass
        except BaseException:
            if self._child is not None:
                self._child.kill()
            raise

    def _died(self) -> QuellError:
        assert self._child is not None and self._errors is not None
        code = self._child.wait()
        self._errors.seek(0)
        said = self._errors.read()[-2000:].decode(errors="replace").strip()
        self.stop()
        how = f"signal {-code}" if code < 0 else f"code {code}"
        return QuellError(f"the quell process ended with {how}; the next call starts it again" + (f". It said: {said}" if said else ""), "internal")

    def _unmap(self, segment: Segment) -> None:
        """Lets the server give a segment back, unless it is busy: then the next call does."""
        if not self.belongs_here() or not self.lock.acquire(blocking=False):
            return
        try:
            number = self._mapped.pop(segment, None)
            if number is not None and self._child is not None and self._child.poll() is None:
                self.ask({"do": "unmap", "memory": number})
        except QuellError:
            pass  # it has ended, and with it all that it had mapped
        finally:
            self.lock.release()


_process: Optional[Process] = None
_making = threading.Lock()


def process() -> Process:
    """Returns the process of this interpreter."""
    global _process
    with _making:
        if _process is None or not _process.belongs_here():
            _process = Process()
        return _process


@atexit.register
def close() -> None:
    """Ends the quell process and gives its memory back. The next call starts it again."""
    if _process is not None and _process.belongs_here():
        with _process.lock:
            _process.stop()
        _process.pool.clear()
