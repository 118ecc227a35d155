#!/usr/bin/env python3
"""Writes facts.json: what each filter of docs/FILTERS.md gives on small volumes.

Brute force with numpy, written from the formulas and apart from the Go code, so
that the two can find each other's mistakes. Run by hand: ./facts.py > facts.json
"""
import json
import math
from itertools import product

import numpy as np

rng = np.random.default_rng(2005)


def volume(nx, ny, nz, spacing, mask=False):
    z, y, x = np.mgrid[0:nz, 0:ny, 0:nx]
    v = 60.0 + 70 * ((x // 3 + y // 2 + z // 2) % 2) + rng.normal(0, 9, x.shape)
    m = rng.random(x.shape) > 0.2 if mask else np.ones(x.shape, bool)
    return {"v": np.round(v, 1).astype(np.float32).astype(float), "m": m, "s": spacing}


def offsets(radius):
    rx, ry, rz = radius
    return product(range(-rz, rz + 1), range(-ry, ry + 1), range(-rx, rx + 1))


def neighbours(vol, i, radius):
    """Offsets (dz, dy, dx) != 0 and indices of the voxels that may be used."""
    for d in offsets(radius):
        j = tuple(np.add(i, d))
        if any(d) and all(0 <= a < n for a, n in zip(j, vol["v"].shape)) and vol["m"][j]:
            yield d, j


def radii(p, dims, vol):
    r = p.get("radius", "auto")
    if r == "auto":
        s = [1, 1, 1] if p.get("voxel-units") else vol["s"]
        r = [math.ceil(2 * p["sigma-spatial"] / a) for a in s]
    elif len(r) == 1:
        r = r * 3
    return r if dims == 3 else [r[0], r[1], 0]


def spatial(p, d, vol):
    s = [1, 1, 1] if p.get("voxel-units") else vol["s"]
    return math.exp(-0.5 * sum((k * a / p["sigma-spatial"]) ** 2 for k, a in zip(d[::-1], s)))


def gaussian(p, dims, vol, i):
    v, num, den = vol["v"], vol["v"][i], 1.0
    for d, j in neighbours(vol, i, radii(p, dims, vol)):
        w = spatial(p, d, vol)
        num, den = num + w * v[j], den + w
    return num / den


def bilateral(p, dims, vol, i):
    v, num, den = vol["v"], vol["v"][i], 1.0
    sr = p["sigma-range"]
    if isinstance(sr, str):
        used = v[vol["m"]]
        sr = float(sr[:-1]) / 100 * (used.max() - used.min())
    for d, j in neighbours(vol, i, radii(p, dims, vol)):
        w = spatial(p, d, vol) * math.exp(-0.5 * ((v[j] - v[i]) / sr) ** 2)
        num, den = num + w * v[j], den + w
    return num / den


def median(p, dims, vol, i):
    values = [vol["v"][j] for _, j in neighbours(vol, i, radii(p, dims, vol))]
    return float(np.median(values + [vol["v"][i]]))


def nlm(p, dims, vol, i):
    v, f, s = vol["v"], p["patch-radius"], p["search-radius"]
    fz = f if dims == 3 else 0
    pad = np.pad(v, ((fz, fz), (f, f), (f, f)), mode="symmetric")
    k = np.mgrid[-fz:fz + 1, -f:f + 1, -f:f + 1]
    a = np.ones(k[0].shape)
    if p["patch-weights"] == "gaussian":
        a = np.exp(-(k ** 2).sum(0) / (2 * p["patch-sigma"] ** 2))
    a /= a.sum()

    def patch(j):
        return pad[j[0]:j[0] + 2 * fz + 1, j[1]:j[1] + 2 * f + 1, j[2]:j[2] + 2 * f + 1]

    lk = p["weighting"] == "lk"
    js = [j for _, j in neighbours(vol, i, (s, s, s if dims == 3 else 0))]
    dist = np.array([(a * abs(patch(i) - patch(j)) ** (p["k"] if lk else 2)).sum() for j in js])
    if lk:
        match = dist.sum()
        w = match - dist
    else:
        match = 1.0
        w = np.exp(-np.maximum(0, dist - 2 * p["sigma"] ** 2) / p["h"] ** 2)
    if len(js) == 0:
        centre = 1.0
    else:
        centre = match if p["centre"] == "one" else w.max()
    total = w.sum() + centre
    if total == 0:
        return v[i]
    u = np.array([v[j] for j in js])
    if p["rician"]:
        mean = ((w * u ** 2).sum() + centre * v[i] ** 2) / total
        return math.sqrt(max(0, mean - 2 * p["sigma"] ** 2))
    return ((w * u).sum() + centre * v[i]) / total


def lpa(p, dims, vol, i):
    v, m = vol["v"][i[0]], vol["m"][i[0]]
    ny, nx = v.shape
    num = den = 0.0
    for t in range(8):
        step = (round(math.sin(t * math.pi / 4)), round(math.cos(t * math.pi / 4)))
        intervals = []
        for h in p["scales"]:
            g, u = [], []
            for j in range(h):
                y, x = i[1] + j * step[0], i[2] + j * step[1]
                if 0 <= y < ny and 0 <= x < nx and m[y, x]:
                    g.append(1 - (j / h) ** 2)
                    u.append(v[y, x])
            g = np.array(g) / sum(g)
            mu, q = g @ np.array(u), g @ g
            half = p["gamma"] * p["sigma"] * math.sqrt(q)
            intervals.append((mu - half, mu + half))
            if max(a for a, _ in intervals) > min(b for _, b in intervals):
                break
            chosen = mu, q
        num, den = num + chosen[0] / chosen[1], den + 1 / chosen[1]
    return num / den


FILTERS = {"gaussian": gaussian, "bilateral": bilateral, "median": median, "nlm": nlm, "lpa": lpa}
NLM = {"h": 9, "patch-radius": 1, "search-radius": 2, "patch-weights": "gaussian", "patch-sigma": 1,
       "sigma": 0, "centre": "max", "weighting": "gaussian", "k": 2, "rician": False}
LK = NLM | {"weighting": "lk", "h": "auto"}  # lk ignores h
SPATIAL = {"sigma-spatial": 1.2, "radius": "auto", "voxel-units": False}
LPA = {"gamma": 1.05, "sigma": 9, "scales": [1, 2, 3, 5, 7, 8]}

recipes = [
    ("gaussian", 2, SPATIAL), ("gaussian", 3, SPATIAL), ("gaussian", 3, SPATIAL | {"voxel-units": True}),
    ("gaussian", 3, SPATIAL | {"radius": [2, 1, 1]}),
    ("median", 2, {"radius": [1]}), ("median", 3, {"radius": [1, 2, 1]}),
    ("bilateral", 2, SPATIAL | {"sigma-range": 20}), ("bilateral", 3, SPATIAL | {"sigma-range": "15%"}),
    ("lpa", 2, LPA), ("lpa", 2, LPA | {"gamma": 2.5, "scales": [1, 3, 4]}),
    ("nlm", 2, NLM), ("nlm", 3, NLM), ("nlm", 3, NLM | {"patch-weights": "uniform", "patch-radius": 2}),
    ("nlm", 2, NLM | {"patch-radius": 3, "patch-sigma": 2}),
    ("nlm", 3, NLM | {"centre": "one", "patch-radius": 0}), ("nlm", 3, NLM | {"sigma": 9}),
    ("nlm", 3, NLM | {"rician": True, "sigma": 40}), ("nlm", 2, NLM | {"h": 2}),
    ("nlm", 3, LK | {"k": 1}), ("nlm", 2, LK | {"k": 2, "centre": "one"}),
    ("nlm", 3, LK | {"k": 4, "rician": True, "sigma": 9}),
]
volumes = {"block": volume(5, 4, 3, (0.8, 0.9, 2.0)), "slice": volume(9, 7, 1, (1, 1, 1)),
           "padded": volume(6, 4, 3, (0.8, 0.9, 2.0), mask=True)}

facts = []
for (name, dims, p), (label, vol) in product(recipes, volumes.items()):
    want = [FILTERS[name](p, dims, vol, i) if vol["m"][i] else vol["v"][i] for i in np.ndindex(vol["v"].shape)]
    facts.append({"volume": label, "recipe": {"version": 1, "filter": name, "dims": dims, "parameters": p},
                  "want": [round(float(x), 3) for x in want]})
out = {"volumes": {k: {"dims": vol["v"].shape[::-1], "spacing": vol["s"],
                       "values": [round(float(x), 1) for x in vol["v"].ravel()],
                       "mask": [bool(x) for x in vol["m"].ravel()]} for k, vol in volumes.items()}}
print("{")
print(' "volumes": {\n  ' + ",\n  ".join(f'"{k}": {json.dumps(v, separators=(",", ":"))}' for k, v in out["volumes"].items()) + "},")
print(' "facts": [\n  ' + ",\n  ".join(json.dumps(f, separators=(",", ":")) for f in facts) + "]\n}")
