"""Writes the small images of this folder with nibabel, and writes what nibabel reads
from them and from nibabel/ and niivue/ to facts.json. Affines are RAS+, as in nibabel.
For complex numbers and colours there is an entry for each component.

    python3 facts.py            the files of this folder
    python3 facts.py FOLDER     the public images below FOLDER that are not in this folder, to facts-real.json
"""
import glob, gzip, json, os, struct, sys
import nibabel as nib
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))


def components(im):
    """The name of each component and the function that computes it."""
    dtype = im.get_data_dtype()
    if dtype.kind == "c":
        return {"magnitude": np.abs, "phase": np.angle, "real": np.real, "imaginary": np.imag}
    if dtype.names:
        return {
            "luminance": lambda x: x["R"] * 0.299 + x["G"] * 0.587 + x["B"] * 0.114,
            "red": lambda x: x["R"], "green": lambda x: x["G"], "blue": lambda x: x["B"]}
    return {"": np.asanyarray}


def facts_of(name, im):
    return {(name + " " + c).rstrip(): fact(im, c) for c in components(im)}


def fact(im, component=""):
    data = np.asanyarray(im.dataobj)
    if data.dtype.kind == "c":
        data = data.astype(np.complex128)
    data = components(im)[component](data).astype(np.float64)
    volumes = data.reshape(data.shape[:3] + (-1,), order="F")
    result = {
        "shape": list(data.shape), "dtype": {"RGB": "RGB24", "RGBA": "RGBA32"}.get(
            im.header.get_value_label("datatype"), im.get_data_dtype().name),
        "affine": im.affine[:3].tolist(), "volumes": volumes.shape[-1],
    }
    for key, x in ("first", volumes[..., 0]), ("last", volumes[..., -1]):
        flat = x.ravel(order="F").astype(np.float32).astype(np.float64)
        weights = np.arange(1, flat.size + 1) % 97  # depends on the order of the voxels
        finite = np.where(np.isfinite(flat), flat, 0)
        result[key] = {
            "finite": int(np.isfinite(flat).sum()), "sum": float(finite.sum()),
            "weighted": float((finite * weights).sum()), "magnitude": float(np.abs(finite).sum()),
        }
    return result


def save(facts, name):
    json.dump(facts, open(os.path.join(here, name), "w"), indent=1, sort_keys=True)


if len(sys.argv) > 1:
    os.chdir(sys.argv[1])
    real = {}
    for name in sorted(glob.glob("nifti/*/*") + glob.glob("template/*.nii.gz")):
        if os.path.exists(os.path.join(here, name.removeprefix("nifti/"))):
            continue
        try:
            im = nib.load(name)
            np.asanyarray(im.dataobj)
        except (nib.filebasedimages.ImageFileError, FileNotFoundError):
            continue
        real.update(facts_of(name, im))
    save(real, "facts-real.json")
    sys.exit()

os.chdir(here)
rng = np.random.default_rng(20090101)
oblique = nib.affines.from_matvec(
    nib.eulerangles.euler2mat(0.3, -0.2, 0.45) @ np.diag([0.75, 0.875, 2.5]), [-120.25, 85.5, -310.75])


def values(dtype, shape):
    d = np.dtype(dtype)
    if d.kind == "f":
        return (rng.normal(size=shape) * 100).astype(d)
    info = np.iinfo(d)
    return rng.integers(info.min, info.max, size=shape, dtype=d, endpoint=True)


def image(cls, data, affine, endian="<", q=1, s=1, slope=None, inter=None, pixdim=None):
    header = cls.header_class(endianness=endian)
    header.set_data_dtype(data.dtype)
    im = cls(data, affine, header)
    if q is not None:
        im.set_qform(affine if q else None, q)
        im.set_sform(affine if s else None, s)
    if slope is not None:
        im.header.set_slope_inter(slope, inter)
    if pixdim is not None:
        im.header["pixdim"][1:4] = pixdim
    return im


def patch(name, *changes):
    raw = bytearray(open(name, "rb").read())
    for offset, fmt, value in changes:
        struct.pack_into(fmt, raw, offset, value)
    open(name, "wb").write(raw)


shape = (5, 4, 3)
for name in ["uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]:
    for order, endian in ("le", "<"), ("be", ">"):
        nib.save(image(nib.Nifti1Image, values(name, shape), oblique, endian), f"{name}-{order}.nii")
i16 = values("int16", shape)
nib.save(image(nib.Nifti2Image, i16, oblique), "nifti2-le.nii")
nib.save(image(nib.Nifti2Image, i16, oblique, ">"), "nifti2-be.nii")
nib.save(image(nib.Nifti1Pair, i16, oblique), "pair.hdr")
nib.save(image(nib.Nifti2Pair, i16, oblique, ">"), "pair2.img")
nib.save(image(nib.Nifti1Image, i16, oblique, q=1, s=0), "qform-only.nii")
nib.save(image(nib.Nifti1Image, i16, oblique @ np.diag([1, 1, -1, 1]), q=1, s=0), "qfac.nii")
half_turn = np.diag([-2.0, -3.0, 4.0, 1.0])
nib.save(image(nib.Nifti1Image, i16, half_turn, q=2, s=0), "half-turn.nii")
nib.save(image(nib.Nifti1Image, i16, np.diag([2.0, 3, 4, 1]), q=0, s=0), "no-codes.nii")
sheared = oblique.copy()
sheared[:3, 1] += 0.3 * sheared[:3, 2]
nib.save(image(nib.Nifti1Image, i16, sheared, q=0, s=2), "sheared.nii")
nib.save(image(nib.Nifti1Image, i16, oblique), "two-transforms.nii")
patch("two-transforms.nii", (254, "<h", 4), (292, "<f", 17.5))
nib.save(image(nib.Nifti1Image, i16, oblique), "scaled.nii")
patch("scaled.nii", (112, "<f", 0.1), (116, "<f", -1024.5))
nib.save(image(nib.Nifti1Image, i16, oblique), "slope-zero.nii")
patch("slope-zero.nii", (112, "<f", 0.0), (116, "<f", 77.0))
nib.save(image(nib.Nifti1Image, i16, oblique), "slope-nan.nii")
patch("slope-nan.nii", (112, "<f", float("nan")), (116, "<f", float("nan")))
nib.save(image(nib.Nifti1Image, i16, oblique), "offset-zero.nii")
patch("offset-zero.nii", (108, "<f", 0.0))
nib.save(image(nib.Nifti1Image, i16, oblique), "trailing-ones.nii")
patch("trailing-ones.nii", (40, "<h", 7), *[(42 + 2 * i, "<h", 1) for i in range(3, 7)])
nib.save(image(nib.Nifti1Image, values("int16", (6, 5)), oblique), "slice.nii")
nib.save(image(nib.Nifti1Image, values("int16", (5, 4, 3, 4)), oblique), "four-d.nii")
nib.save(image(nib.Nifti1Image, values("float32", (5, 4, 3, 1, 3)), oblique), "vector.nii")
holes = values("float32", shape)
holes[0, 0, 0], holes[1, 2, 1], holes[4, 3, 2] = np.nan, np.inf, -np.inf
nib.save(image(nib.Nifti1Image, holes, oblique), "holes.nii")
extended = image(nib.Nifti1Image, i16, oblique)
extended.header.extensions.append(nib.nifti1.Nifti1Extension("comment", b"a first note"))
extended.header.extensions.append(nib.nifti1.Nifti1Extension(44, bytes(range(200))))
extended.header["descrip"] = b"eighty bytes at most"
extended.header["intent_code"] = 1001
extended.header.set_intent("estimate", (), "T1 map")
extended.header.set_xyzt_units("mm", "sec")
extended.header["pixdim"][4] = 2.25
extended.header["cal_max"], extended.header["cal_min"] = 900, 100
nib.save(extended, "extended.nii")
plain = gzip.compress(open("int16-le.nii", "rb").read(), mtime=0)
raw = open("int16-le.nii", "rb").read()
open("trailing-garbage.nii.gz", "wb").write(plain + b"\0" * 700 + b"end")
open("two-members.nii.gz", "wb").write(gzip.compress(raw[:400], mtime=0) + gzip.compress(raw[400:], mtime=0))
open("gzip-in-disguise.nii", "wb").write(plain)
open("no-gzip.nii.gz", "wb").write(raw)
for order, endian in ("le", "<"), ("be", ">"):
    analyze = image(nib.Spm2AnalyzeImage if order == "be" else nib.AnalyzeImage, i16, np.diag([-2.0, 3, 4, 1]), endian, q=None)
    nib.save(analyze, f"analyze-{order}.hdr")
patch("analyze-be.hdr", (112, ">f", 0.25), (253, ">h", 2), (255, ">h", 3), (257, ">h", 2))
for mat in glob.glob("*.mat"):
    os.remove(mat)  # nibabel reads SPM's .mat file, Quell the header alone
for order, endian in ("le", "<"), ("be", ">"):
    for bits in 64, 128:
        numbers = (rng.normal(size=(5, 4, 3, 2)) + 1j * rng.normal(size=(5, 4, 3, 2))).astype(f"c{bits // 8}")
        nib.save(image(nib.Nifti1Image, numbers, oblique, endian, slope=0.5, inter=0), f"complex{bits}-{order}.nii")
for name, fields in ("rgb24", "RGB"), ("rgba32", "RGBA"):
    colours = rng.integers(0, 256, size=shape + (len(fields),), dtype=np.uint8)
    nib.save(image(nib.Nifti1Image, colours.view([(c, "u1") for c in fields])[..., 0], oblique), f"{name}.nii")
for name, code in ("complex256", 2048), ("float128", 1536):
    nib.save(image(nib.Nifti1Image, i16, oblique), f"refused-{name}.nii")
    patch(f"refused-{name}.nii", (70, "<h", code))

facts = {}
for name in sorted(glob.glob("*.nii*") + glob.glob("*.hdr") + ["pair2.img"] + glob.glob("nibabel/*.nii*") + glob.glob("niivue/*.nii*")):
    if name.startswith("refused") or name == "pair2.hdr":
        continue
    # nibabel recognises gzip by the name, Quell by the content; nibabel refuses bytes after the gzip.
    if name in ("gzip-in-disguise.nii", "no-gzip.nii.gz", "trailing-garbage.nii.gz"):
        im = nib.load("int16-le.nii")
    elif name == "offset-zero.nii":
        im = nib.load("qform-only.nii")  # nibabel would read the header as voxels; these voxels are the same
    else:
        im = nib.load(name)
    facts.update(facts_of(name, im))
save(facts, "facts.json")
