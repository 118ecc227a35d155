#!/usr/bin/env python3
"""Writes facts.json: what pydicom and numpy find in the series that the tests
read. Usage: facts.py ASSETS SHARED > facts.json, where ASSETS is the folder of
the bundled series and SHARED that of the larger public series.

dcm2niix, where it is installed, adds the affine that it gives a series.
"""
import hashlib, json, os, subprocess, sys, tempfile
import numpy as np
import pydicom


def slices(folder):
    out = []
    for name in sorted(os.listdir(folder)):
        try:
            ds = pydicom.dcmread(os.path.join(folder, name))
        except Exception:
            continue
        if "PixelData" in ds and "ImagePositionPatient" in ds:
            out.append((name, ds))
    iop = np.array(out[0][1].ImageOrientationPatient, float)
    normal = np.cross(iop[:3], iop[3:])
    out.sort(key=lambda s: np.dot(normal, np.array(s[1].ImagePositionPatient, float)))
    return out


def facts(folder, with_dcm2niix):
    s = slices(folder)
    first, last = s[0][1], s[-1][1]
    vol = np.stack([(d.pixel_array * float(d.get("RescaleSlope", 1)) + float(d.get("RescaleIntercept", 0)))
                    .astype("<f4") for _, d in s])
    iop = np.array(first.ImageOrientationPatient, float)
    dy, dx = (float(v) for v in first.PixelSpacing)
    p0, p1 = (np.array(d.ImagePositionPatient, float) for d in (first, last))
    affine = np.column_stack([iop[:3] * dx, iop[3:] * dy, (p1 - p0) / (len(s) - 1), p0])
    out = {
        "dims": [first.Columns, first.Rows, len(s)],
        "order": [n for n, _ in s],
        "affine": affine.tolist(),
        "sha256": hashlib.sha256(vol.tobytes()).hexdigest(),
        "min": float(vol.min()), "max": float(vol.max()), "mean": float(vol.mean(dtype="f8")),
        "modality": first.Modality,
    }
    if "PixelPaddingValue" in first:
        out["padding"] = int((vol == float(first.PixelPaddingValue)).sum())
    if with_dcm2niix:
        import nibabel
        with tempfile.TemporaryDirectory() as tmp:
            subprocess.run(["dcm2niix", "-b", "n", "-z", "n", "-f", "x", "-o", tmp, folder], check=True, stdout=subprocess.DEVNULL)
            img = nibabel.load(os.path.join(tmp, "x.nii"))
            out["dcm2niix"] = {"shape": list(img.shape), "affine": img.affine[:3].tolist()}
    return out


assets, shared = sys.argv[1:3]
json.dump({
    "bundled": facts(assets, False),
    "ct/philips-head-study/S2010": facts(os.path.join(shared, "ct/philips-head-study/S2010"), True),
    "ct/ge-head-tilted": facts(os.path.join(shared, "ct/ge-head-tilted"), False),
    "mr/philips-t1-170": facts(os.path.join(shared, "mr/philips-t1-170"), True),
    "mr/philips-pcasl-classic": facts(os.path.join(shared, "mr/philips-pcasl-classic"), True),
}, sys.stdout, indent=1)
