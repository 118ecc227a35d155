"""What goes wrong."""

from __future__ import annotations


class QuellError(Exception):
    """A request that cannot be done, as one sentence: what is wrong, and what to do.

    ``kind`` is a word for where the fault lies ("usage", "input", "device", "cancelled", "internal", "failed"), ``code``
    says what is the matter ("noise.unknown"), ``file`` is the file concerned; docs/reference/scripting.md lists them.
    """

    def __init__(self, text: str, kind: str = "failed", code: str = "", file: str = "") -> None:
        super().__init__(text)
        self.kind, self.code, self.file = kind, code, file


class QuellMemoryError(QuellError, MemoryError):
    """A request that needs more memory than is free, refused before it takes any."""


class QuellWarning(UserWarning):
    """Something that a person should know of a result."""
