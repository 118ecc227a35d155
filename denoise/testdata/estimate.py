#!/usr/bin/env python3
"""Writes estimate.json: noise estimates of a small volume by numpy, with scikit-image's Otsu.

Run by hand: ./estimate.py > estimate.json
"""
import json

import numpy as np
from skimage.filters import threshold_otsu

rng = np.random.default_rng(1979)
nz, ny, nx = 5, 14, 16
z, y, x = np.mgrid[0:nz, 0:ny, 0:nx]
v = np.where((x - 8) ** 2 + (y - 7) ** 2 < 40, 120.0 + 3 * z, 10.0) + rng.normal(0, 6, x.shape)
v = np.round(v, 1).astype(np.float32)
mask = rng.random(v.shape) > 0.03


def estimate(v, mask, threshold, axes):
    """1.4826 median |e| over the foreground voxels that have all their neighbours."""
    n = 2 * len(axes)
    pad = np.pad(v.astype(float), 1, constant_values=np.nan)
    use = np.pad(mask, 1)
    total, whole = np.zeros(pad.shape), use.copy()
    for a in axes:
        for s in (-1, 1):
            total += np.roll(pad, s, a)
            whole &= np.roll(use, s, a)
    e = np.sqrt(n / (n + 1)) * (pad - total / n)
    e = abs(e[whole & np.isfinite(e) & (pad > threshold)])
    return float(1.4826 * np.median(e)) if len(e) else 0.0


def facts(v, mask):
    t = float(threshold_otsu(v[mask], nbins=256))
    axes = (0, 1, 2) if len(v) >= 3 else (1, 2)
    return {"dims": v.shape[::-1], "values": [round(float(a), 1) for a in v.ravel()],
            "mask": None if mask.all() else [bool(a) for a in mask.ravel()],
            "otsu": t, "sigma": estimate(v, mask, t, axes),
            "per_slice": [estimate(v[k:k + 1], mask[k:k + 1], t, (1, 2)) for k in range(len(v))]}


print(json.dumps([facts(v, np.ones_like(mask)), facts(v, mask), facts(v[:1], np.ones_like(mask[:1]))],
                 separators=(",", ":")))
