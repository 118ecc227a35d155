"""The functions of the package."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np

from ._errors import QuellTypeError, QuellValueError
from ._memory import Segment, copy, owner_of
from ._process import Progress, process

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Recipe = Dict[str, Any]


@dataclass
class Result:
    """A filtered array, and how it came about."""

    array: "NDArray[np.float32]"
    #: as it was run, with plain numbers; given to ``denoise`` it gives the same result again. Of 4-D arrays that of the first volume
    recipe: Recipe
    #: as it was asked for, with automatic values
    asked: Recipe
    #: standard deviation of the noise of the input; None if it is not known or was not needed
    sigma: Optional[float]
    #: "cpu" or "cuda"
    engine: str
    #: that the filter took
    seconds: float
    #: sentences for a person
    warnings: List[str]
    #: the verdict, if ``assess`` was asked for: "nothing", "little", "good", "fades", "texture" or "unknown"
    judgement: Optional[str] = None
    #: everything that is known, as ``quell denoise --json``
    details: Dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass
class Estimate:
    """The noise of an array."""

    #: standard deviation, in the unit of the array; None if it is not known: ``why`` says the reason
    sigma: Optional[float]
    #: "high" (within about 5 %), "fair" (20 %), "low" or "none"
    confidence: str
    #: "gaussian" or "rician"
    model: str
    #: of each slice; None for one that has no figure
    per_slice: List[Optional[float]]
    #: what limits the figure, as a sentence
    why: str
    #: sigma of each voxel, if ``map`` was asked for
    map: Optional["NDArray[np.float32]"] = None
    #: everything that is known, as ``quell estimate --json``
    details: Dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass
class Assessment:
    """How well an array was denoised."""

    #: "nothing", "little", "good", "fades", "texture" or "unknown"
    judgement: str
    #: shares from 0 to 1, None if they are not known; ``details`` has their intervals
    noise_removed: Optional[float]
    contrast_kept: Optional[float]
    texture_kept: Optional[float]
    #: as a sentence
    why: str
    #: standard deviation of the noise of the array before; None if it is not known
    sigma: Optional[float]
    #: standard deviation of what was removed
    residual_sd: Optional[float]
    #: everything that is known, as ``quell assess --json``
    details: Dict[str, Any] = field(default_factory=dict, repr=False)


class _Call:
    """The arrays of one request in shared memory, until the end of a ``with`` block, which holds the process."""

    def __init__(self, array: "ArrayLike", spacing: Any, affine: Any, modality: Optional[str], axes: int = 3) -> None:
        self.given = array, spacing, affine, modality
        self.axes = axes  # at most
        self.process = process()
        self.scratch: List[Segment] = []

    def __enter__(self) -> "_Call":
        self.process.lock.acquire()
        try:
            self.begin(*self.given)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            for segment in self.scratch:
                self.process.pool.give(segment)
            self.scratch = []
        finally:
            self.process.lock.release()

    def begin(self, array: "ArrayLike", spacing: Any, affine: Any, modality: Optional[str]) -> None:
        self.process.start()
        self.before = _checked(array, "array", self.axes)
        self.shape = self.before.shape[-3:]
        self.dims = list(self.shape[::-1]) + [1] * (3 - len(self.shape))
        # The output and the result that is copied to it; and the input, unless it is shared already.
        self.process.room(4 * self.before.size * (2 if owner_of(self.before) is not None else 3))
        self.image = self.place(self.before)
        if spacing is not None:
            spacing = [float(s) for s in np.ravel(spacing)]
            if len(spacing) != len(self.shape):
                raise QuellValueError(f"the spacing has {len(spacing)} numbers and the array {len(self.shape)} axes in space; give one for each, in mm", "usage")
            self.image["spacing"] = spacing[::-1] + [1.0] * (3 - len(spacing))
        if affine is not None:
            self.image["affine"] = np.asarray(affine, float).tolist()
        if modality is not None:
            self.image["modality"] = modality

    def place(self, array: np.ndarray[Any, Any], dtype: str = "<f4") -> Dict[str, Any]:
        """Returns an array as a request names it: itself if it lies in shared memory, else a copy."""
        masked = array.mask if isinstance(array, np.ma.MaskedArray) else np.ma.nomask
        array = np.asarray(array)
        shared = owner_of(array) if dtype == "<f4" and masked is np.ma.nomask else None
        if shared is None:
            segment = self.process.pool.take(array.size * np.dtype(dtype).itemsize)
            self.scratch.append(segment)
            to = segment.view(0, array.shape, dtype)
            copy(to, array)
            if masked is not np.ma.nomask:
                to[masked] = np.nan if dtype == "<f4" else 0
            shared = segment, 0
        return self.named(shared[0], shared[1], array)

    def named(self, segment: Segment, offset: int, array: np.ndarray[Any, Any]) -> Dict[str, Any]:
        name: Dict[str, Any] = {"memory": self.process.number(segment), "offset": offset, "dims": self.dims}
        return name if array.ndim < 4 else {**name, "volumes": array.shape[0]}

    def other(self, array: "ArrayLike", what: str) -> np.ndarray[Any, Any]:
        """Returns an array that has to be of the shape of the first."""
        a = _checked(array, what)
        if a.shape != self.shape:
            raise QuellValueError(f"the {what} is of shape {a.shape}, and the array of {self.shape}", "usage")
        return a

    def steer(self, request: Dict[str, Any], mask: Any, noise_map: Any) -> None:
        if mask is not None:
            request["mask"] = self.place(self.other(mask, "mask") != 0, "u1")
        if isinstance(noise_map, str):
            request["noise_map"] = noise_map
        elif noise_map is not None:
            request["noise_map"] = self.place(self.other(noise_map, "noise map"))

    def output(self) -> Tuple[Segment, Dict[str, Any]]:
        """Returns memory for a result and its name. It is the caller's."""
        segment = self.process.pool.take(4 * self.before.size)
        self.scratch.append(segment)
        return segment, self.named(segment, 0, self.before)

    def keep(self, segment: Segment) -> np.ndarray[Any, Any]:
        """Returns the array of an output, which then owns the segment; masked as the input is."""
        self.scratch.remove(segment)
        result = self.process.pool.array(segment, self.before.shape)
        if isinstance(self.before, np.ma.MaskedArray):
            return np.ma.MaskedArray(result, mask=np.ma.getmaskarray(self.before).copy())
        return result


def _checked(array: "ArrayLike", what: str, axes: int = 3) -> np.ndarray[Any, Any]:
    a = np.asanyarray(array) if isinstance(array, np.ma.MaskedArray) else np.asarray(array)
    if a.dtype.kind not in "iufb":
        raise QuellTypeError(f"the {what} is of type {a.dtype}; give real numbers, such as the magnitude of complex ones", "usage")
    if not 2 <= a.ndim <= axes:
        series = " or a series (volume, z, y, x)" if axes == 4 else ""
        raise QuellValueError(f"the {what} has {a.ndim} {'axis' if a.ndim == 1 else 'axes'}; give one slice (y, x) or one volume (z, y, x){series} at a time", "usage")
    if a.size == 0:
        raise QuellValueError(f"the {what} is empty", "usage")
    return a


def _plain(value: Any) -> Any:
    """Returns a parameter as JSON has it."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    return list(value) if isinstance(value, tuple) else value


def empty(shape: Union[int, Sequence[int]]) -> "NDArray[np.float32]":
    """Returns an array of float32 in shared memory, to be filled: the functions here take it without a copy."""
    shape = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    p = process()
    size = 4 * max(prod(shape), 1)
    with p.lock:
        p.room(size)
        return p.pool.array(p.pool.take(size), shape)


@overload
def denoise(array: "ArrayLike", filter: Optional[str] = ..., *, details: Literal[False] = ..., **options: Any) -> "NDArray[np.float32]": ...


@overload
def denoise(array: "ArrayLike", filter: Optional[str] = ..., *, details: Literal[True], **options: Any) -> Result: ...


def denoise(
    array: "ArrayLike",
    filter: Optional[str] = None,
    *,
    dims: Union[int, str, None] = None,
    spacing: Optional[Sequence[float]] = None,
    affine: Optional["ArrayLike"] = None,
    modality: Optional[str] = None,
    mask: Optional["ArrayLike"] = None,
    noise_map: Union[str, "ArrayLike", None] = None,
    preset: Optional[str] = None,
    recipe: Optional[Mapping[str, Any]] = None,
    engine: str = "auto",
    threads: int = 0,
    details: bool = False,
    assess: bool = False,
    progress: Optional[Progress] = None,
    **parameters: Any,
) -> Union["NDArray[np.float32]", Result]:
    """Removes noise from a volume, a slice or a 4-D series.

    ``array`` has the axes (z, y, x), or (y, x) for one slice: slices first, as pydicom, SimpleITK and imageio give them. A 4-D
    series has (volume, z, y, x): "lowrank" filters its volumes together, every other filter each by itself.
    An array of nibabel has (x, y, z); give ``image.get_fdata().T``, and transpose the result. Integers and floats of any
    size and layout are taken; they are filtered as float32, which is the type of the result. The input is not changed. A
    voxel that is not finite is padding: it is not used, and NaN in the result. So is one that is masked in an array of
    ``numpy.ma``, for which the result is such an array with the same mask.

    filter     "nlm" (if nothing is given), "prinlm", "bnlm", "odct", "bilateral", "sadct", "lpa", "slab", "gaussian" or "median"; "lowrank" of a 4-D series
    parameters of the filter, as on the command line with _ for -: ``h=12``, ``h="1.2sigma"``, ``sigma_range="auto"``
    dims       2 slice by slice, 3 as a volume, "auto" what suits the spacing, which is the default of a filter
    spacing    mm between voxels along the axes of the array: (z, y, x); 1 if not given
    affine     in place of the spacing: 4 x 4, maps a voxel index (x, y, z) to RAS+ mm, as nibabel has it
    modality   "CT" (values in HU) or "MR"; if not given, the values decide
    mask       voxels that are 0 in it are left as they are, and not used
    noise_map  sigma of each voxel, "auto" to estimate it, or "none"; if not given, it is estimated if noise varies
    preset     by name in place of a filter; recipe: a dict, as ``Result.recipe``. Parameters override both
    engine     "auto", "cpu" or "cuda"; threads: of the CPU, 0 for all
    details    return a ``Result`` with the recipe, sigma and more in place of the array; assess: also a verdict
    progress   is called with the voxels done and their number. An exception in it cancels

    Errors are ``QuellError``: ``QuellValueError``, ``QuellTypeError`` and ``QuellMemoryError`` are Python's errors of these
    names too. Sentences for a person are a ``QuellWarning``. Calls of several threads are done one after another.
    """
    if filter is None and preset is None and recipe is None:
        filter = "nlm"
    request: Dict[str, Any] = {"do": "denoise", "engine": engine, "assess": assess}
    if threads:
        request["threads"] = threads
    for name, value in (("filter", filter), ("preset", preset), ("dims", dims), ("recipe", recipe)):
        if value is not None:
            request[name] = value
    if parameters:
        request["parameters"] = {name.replace("_", "-"): _plain(value) for name, value in parameters.items()}
    with _Call(array, spacing, affine, modality, 4) as call:
        request["input"] = call.image
        call.steer(request, mask, noise_map)
        segment, request["output"] = call.output()
        reply = call.process.ask(request, progress)
        result = call.keep(segment)
    if not details:
        return result
    measures = reply.get("measures") or {}
    return Result(
        array=result,
        recipe=reply.get("recipe") or reply["volumes"][0]["recipe"],
        asked=reply["asked"],
        sigma=_known(reply.get("estimate") or {}),
        engine=reply["engine"],
        seconds=reply["seconds"]["filter"],
        warnings=reply["warnings"],
        judgement=measures.get("judgement"),
        details=reply,
    )


def _known(figure: Mapping[str, Any], confidence: str = "confidence") -> Optional[float]:
    """Returns sigma of a figure that has one."""
    return None if figure.get(confidence, "none") == "none" else figure.get("sigma")


def estimate(
    array: "ArrayLike",
    *,
    spacing: Optional[Sequence[float]] = None,
    affine: Optional["ArrayLike"] = None,
    modality: Optional[str] = None,
    map: bool = False,
) -> Estimate:
    """Estimates the noise of a volume or a slice, and of each voxel if ``map`` is set. See ``denoise`` for the arguments."""
    request: Dict[str, Any] = {"do": "estimate"}
    with _Call(array, spacing, affine, modality) as call:
        request["input"] = call.image
        if map:
            segment, request["output"] = call.output()
        reply = call.process.ask(request)
        mapped = call.keep(segment) if map else None
    return Estimate(
        sigma=_known(reply),
        confidence=reply.get("confidence", "none"),
        model=reply.get("model", ""),
        per_slice=[_known(figure) for figure in reply.get("slices") or []],
        why=reply.get("unknown") or reply.get("why") or "",
        map=mapped,
        details=reply,
    )


def assess(
    before: "ArrayLike",
    after: "ArrayLike",
    *,
    recipe: Optional[Mapping[str, Any]] = None,
    spacing: Optional[Sequence[float]] = None,
    affine: Optional["ArrayLike"] = None,
    modality: Optional[str] = None,
    mask: Optional["ArrayLike"] = None,
    noise_map: Union[str, "ArrayLike", None] = None,
) -> Assessment:
    """Judges how well ``after`` was denoised from ``before``, without a reference.

    ``recipe`` is that of ``Result.recipe``; without it the filter whose result is most like ``after`` stands in. A result
    of another program is judged, too. See ``denoise`` for the other arguments.
    """
    request: Dict[str, Any] = {"do": "assess"}
    if recipe is not None:
        request["recipe"] = recipe
    with _Call(before, spacing, affine, modality) as call:
        request["input"] = call.image
        request["result"] = call.place(call.other(after, "result"))
        call.steer(request, mask, noise_map)
        reply = call.process.ask(request)
    return Assessment(
        judgement=reply["judgement"],
        noise_removed=reply.get("noise_removed"),
        contrast_kept=reply.get("contrast_kept"),
        texture_kept=reply.get("texture_kept"),
        why=reply.get("why", ""),
        sigma=_known(reply, "sigma_confidence"),
        residual_sd=reply.get("residual_sd"),
        details=reply,
    )
