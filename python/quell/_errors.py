"""What goes wrong."""

from __future__ import annotations

import re
from typing import Mapping


class QuellError(Exception):
    """A request that cannot be done, as one sentence: what is wrong, and what to do.

    ``kind`` is a word for where the fault lies ("usage", "input", "device", "cancelled", "internal", "failed"), ``code``
    says what is the matter ("noise.unknown"), ``file`` is the file concerned; docs/reference/scripting.md lists them.
    """

    def __init__(self, text: str, kind: str = "failed", code: str = "", file: str = "") -> None:
        super().__init__(text)
        self.kind, self.code, self.file = kind, code, file


class QuellValueError(QuellError, ValueError):
    """An argument that cannot be used: kind is "usage"."""


class QuellTypeError(QuellError, TypeError):
    """An array whose type cannot be filtered."""


class QuellMemoryError(QuellError, MemoryError):
    """A request that needs more memory than is free, refused before it takes any."""


class QuellWarning(UserWarning):
    """Something that a person should know of a result."""


def error_of(reply: Mapping[str, str]) -> QuellError:
    """Returns the error of a reply of the program, with the names of parameters as Python has them."""
    text, kind, code = reply["text"], reply["kind"], reply.get("code", "")
    if code == "memory.short":
        return QuellMemoryError(text, kind, code, reply.get("file", ""))
    if kind != "usage":
        return QuellError(text, kind, code, reply.get("file", ""))
    if re.match(r"[a-z]+(: [a-z-]+:| has no parameter )", text):
        text = re.sub(r"(?<=[a-z])-(?=[a-z])", "_", text)
    return QuellValueError(text, kind, code, reply.get("file", ""))
