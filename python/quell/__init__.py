"""Removes noise from CT and MR images in numpy arrays, and measures what was removed. Not for clinical use.

    import quell

    denoised = quell.denoise(volume, filter="nlm", h="auto", spacing=(2.5, 0.7, 0.7))
    quell.estimate(volume).sigma
    quell.assess(volume, denoised).judgement

Arrays have the axes (z, y, x). The work is done by the program quell, in a process that is started by the first call and
kept for the next ones; the results are those of the command line, bit for bit.
"""

from ._api import Assessment, Estimate, Result, assess, denoise, empty, estimate
from ._errors import QuellError, QuellMemoryError, QuellTypeError, QuellValueError, QuellWarning
from ._process import close

__all__ = [
    "Assessment", "Estimate", "QuellError", "QuellMemoryError", "QuellTypeError", "QuellValueError", "QuellWarning", "Result",
    "assess", "close", "denoise", "empty", "estimate",
]  # fmt: skip
