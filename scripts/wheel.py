"""Writes the Python wheel: the package python/quell and the command line, in a zip file (PEP 427). The same inputs give
the same bytes. Needs nothing but the standard library.

    wheel.py PROGRAM VERSION FOLDER    writes FOLDER/quell-VERSION-py3-none-manylinux_2_17_x86_64.whl and prints its path
"""

import base64
import hashlib
import os
import re
import sys
import zipfile

TAG = "py3-none-manylinux_2_17_x86_64"
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

METADATA = """\
Metadata-Version: 2.1
Name: quell
Version: {version}
Summary: Removes noise from CT and MR images in numpy arrays, and measures what was removed
License: Apache-2.0
Keywords: CT,MR,MRI,DICOM,NIfTI,denoising,noise,non-local means
Classifier: Development Status :: 4 - Beta
Classifier: Intended Audience :: Science/Research
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Medical Science Apps.
Classifier: Typing :: Typed
Requires-Python: >=3.8
Requires-Dist: numpy>=1.17
Description-Content-Type: text/markdown

{description}"""

WHEEL = f"""\
Wheel-Version: 1.0
Generator: quell scripts/wheel.py
Root-Is-Purelib: false
Tag: {TAG}
"""

ENTRY_POINTS = """\
[console_scripts]
quell = quell.__main__:main

[napari.manifest]
quell = quell:napari.yaml
"""


def python_version(version):
    """Returns a version of Quell as PEP 440 has it: what follows a + is letters and numbers with dots between them."""
    public, plus, local = version.partition("+")
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)*((a|b|rc)[0-9]+)?(\.dev[0-9]+)?", public):
        sys.exit(f"wheel: {version} is no version of a Python package; write 1.2.3 or 1.2.3rc1")
    return public + plus + re.sub(r"[^a-z0-9]+", ".", local.lower()).strip(".")


def contents(program, version):
    """Returns name, bytes and whether it is a program, of each file but RECORD."""
    folder = os.path.join(TOP, "python", "quell")
    for name in os.listdir(folder):
        if name.endswith((".py", ".yaml")) or name == "py.typed":
            with open(os.path.join(folder, name), "rb") as f:
                yield f"quell/{name}", f.read(), False
    with open(program, "rb") as f:
        yield "quell/bin/quell", f.read(), True
    info = f"quell-{version}.dist-info"
    with open(os.path.join(TOP, "python", "README.md"), encoding="utf-8") as f:
        yield f"{info}/METADATA", METADATA.format(version=version, description=f.read()).encode(), False
    with open(os.path.join(TOP, "LICENSE"), "rb") as f:
        yield f"{info}/LICENSE", f.read(), False
    yield f"{info}/WHEEL", WHEEL.encode(), False
    yield f"{info}/entry_points.txt", ENTRY_POINTS.encode(), False


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def main(program, version, folder):
    version = python_version(version)
    files = sorted(contents(program, version))
    record = f"quell-{version}.dist-info/RECORD"
    lines = "".join(record_line(name, data) for name, data, _ in files) + f"{record},,\n"
    files.append((record, lines.encode(), False))  # last, as PEP 427 recommends for dist-info
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"quell-{version}-{TAG}.whl")
    with zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data, executable in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix: the mode below counts
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    os.replace(path + ".new", path)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: wheel.py PROGRAM VERSION FOLDER")
    main(*sys.argv[1:])
