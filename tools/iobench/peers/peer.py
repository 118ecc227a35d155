"""Opens a series with pydicom or a volume with nibabel, once, and prints the milliseconds without the imports.

peer.py pydicom FOLDER | nibabel FILE | version pydicom|nibabel
"""
import os
import sys
import time

import numpy as np


def open_pydicom(folder):
    """Reads every file, sorts them by position along the normal and returns real values as one float32 array."""
    slices = [pydicom.dcmread(entry.path) for entry in os.scandir(folder)]
    row, col = np.reshape(slices[0].ImageOrientationPatient, (2, 3)).astype(float)
    normal = np.cross(row, col)
    slices.sort(key=lambda s: float(np.dot(normal, s.ImagePositionPatient)))
    out = np.empty((len(slices), slices[0].Rows, slices[0].Columns), np.float32)
    for z, s in enumerate(slices):
        out[z] = s.pixel_array * np.float32(s.RescaleSlope) + np.float32(s.RescaleIntercept)
    return out


def open_nibabel(path):
    return nibabel.load(path).get_fdata(dtype=np.float32)


what, where = sys.argv[1:]
if what == "version":
    print(__import__(where).__version__)
    sys.exit()
if what == "pydicom":
    import pydicom
else:
    import nibabel
work = {"pydicom": open_pydicom, "nibabel": open_nibabel}[what]
start = time.perf_counter()
work(where)
print(f"{(time.perf_counter() - start) * 1000:.1f}")
