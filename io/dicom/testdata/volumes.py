#!/usr/bin/env python3
"""Writes volumes.json: what dcm2niix makes of series of several volumes,
multi-frame images and mosaics, turned to the order of axes that the tests use:
columns and rows as in the file, slices along row x column, LPS+. Voxels are
dcm2niix's integers, scaled by the slope and intercept that pydicom finds.
Usage: volumes.py SHARED > volumes.json, where SHARED is the folder of the
larger public series.
"""
import glob, hashlib, json, os, subprocess, sys, tempfile
import nibabel
import numpy as np
import pydicom


def rescale(folder):
    """The one slope and intercept of a series, wherever it keeps them."""
    found = set()
    for name in os.listdir(folder):
        try:
            ds = pydicom.dcmread(os.path.join(folder, name))
        except Exception:
            continue
        if "PerFrameFunctionalGroupsSequence" in ds:
            sources = [f.PixelValueTransformationSequence[0] for f in ds.PerFrameFunctionalGroupsSequence]
        else:
            sources = [ds]
        found |= {(float(s.get("RescaleSlope", 1)), float(s.get("RescaleIntercept", 0))) for s in sources}
    assert len(found) == 1, (folder, found)
    return found.pop()


def facts(folder):
    slope, inter = rescale(folder)
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run(["dcm2niix", "-b", "n", "-z", "n", "-f", "x", "-o", tmp, folder], check=True, stdout=subprocess.DEVNULL)
        name, = glob.glob(os.path.join(tmp, "*.nii"))
        img = nibabel.load(name)
        data = np.asarray(img.dataobj.get_unscaled())
        affine = np.diag([-1, -1, 1, 1]) @ img.affine
    if data.ndim == 3:
        data = data[..., None]

    def flip(axis):
        nonlocal data
        n = data.shape[axis] - 1
        affine[:, 3] += n * affine[:, axis]
        affine[:, axis] *= -1
        data = np.flip(data, axis)

    flip(1)  # dcm2niix turns rows upside down
    if np.linalg.det(affine[:3, :3]) < 0:
        flip(2)
    voxels = (data.astype("f8") * slope + inter).astype("<f4")
    return {
        "dims": list(data.shape[:3]),
        "affine": affine[:3].tolist(),
        "volumes": [hashlib.sha256(voxels[..., t].tobytes(order="F")).hexdigest() for t in range(data.shape[3])],
    }


shared = sys.argv[1]
json.dump({name: facts(os.path.join(shared, name)) for name in [
    "mr/philips-pcasl-classic", "mr/philips-pcasl-enhanced", "mr/siemens-enhanced-xa10",
    "mr/siemens-mosaic/ep2d_Asc_2", "mr/siemens-mosaic/ep2d_Int_HF_5", "mr/siemens-12bit",
    "mr/ge-temporal", "mr/philips-slope",
]}, sys.stdout, indent=1)
