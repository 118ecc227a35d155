"""Quell in napari: a reader of series, folders of DICOM files included, and a widget that denoises a layer.

python -m quell.napari FOLDER opens a folder without the plugin; napari.yaml names both for the plugin.
"""

import subprocess
import sys

import numpy as np

import quell
from quell._process import program


def read(path):
    """Returns the largest series under a path as napari layer data: the axes are (z, y, x)."""
    run = subprocess.run([program(), "convert", path, "-", "--format", "nii"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode:
        raise OSError(run.stderr.decode().splitlines()[-1])
    header = np.frombuffer(run.stdout, "<i2", 8, offset=40)
    dims = [int(n) for n in header[1 : header[0] + 1]]
    voxels = np.frombuffer(run.stdout, "<f4", int(np.prod(dims)), offset=352).reshape(dims[::-1])
    spacing = np.frombuffer(run.stdout, "<f4", 8, offset=76)[1 : header[0] + 1]
    return [(voxels, {"name": path.rstrip("/").rsplit("/", 1)[-1], "scale": [float(s) or 1.0 for s in spacing[::-1]]}, "image")]


def napari_get_reader(path):
    """Returns the reader of a path that Quell can read; None for others."""
    if isinstance(path, list):
        path = path[0]
    info = subprocess.run([program(), "info", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return read if info.returncode == 0 else None


def denoise_layer(layer: "napari.layers.Image", filter: str = "nlm", h: str = "auto", dims: str = "auto") -> "napari.types.LayerDataTuple":
    """Filters a layer to a new one, with the recipe and the noise in its metadata."""
    parameters = {"h": h} if h != "auto" else {}
    result = quell.denoise(
        np.asarray(layer.data), filter, dims=dims if dims == "auto" else int(dims), spacing=layer.scale, details=True, **parameters
    )
    kept = {"recipe": result.recipe, "sigma": result.sigma}
    return result.array, {"name": f"{layer.name} {filter}", "scale": layer.scale, "contrast_limits": layer.contrast_limits, "metadata": kept}, "image"


if __name__ == "__main__":
    import napari
    from magicgui import magicgui

    viewer = napari.Viewer()
    for data, options, _ in read(sys.argv[1]):
        viewer.add_image(data, **options)
    choices = {"choices": ["nlm", "prinlm", "bnlm", "odct", "bilateral"]}
    viewer.window.add_dock_widget(magicgui(denoise_layer, filter=choices, dims={"choices": ["auto", "2", "3"]}))
    napari.run()
