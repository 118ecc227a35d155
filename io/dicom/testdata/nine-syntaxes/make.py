#!/usr/bin/python3
"""Makes the nine files of this folder: one MR image in nine transfer syntaxes.

make.py 1.dcm: the image of dcm_qa_ts (BSD-2, see LICENSE), of which the middle 96 x 64
pixels are kept and private attributes are removed. Needs python3-pydicom dcmtk
libgdcm-tools.
"""
import os
import subprocess
import sys

import pydicom
from pydicom.uid import ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian

here = os.path.dirname(os.path.abspath(__file__))
path = lambda n: os.path.join(here, f"{n}.dcm")


def run(*args):
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


d = pydicom.dcmread(sys.argv[1])
d.remove_private_tags()  # with them what the reader needs to split a mosaic
d.ImageType = ["ORIGINAL", "PRIMARY", "M", "ND"]
pixels = d.pixel_array[160:224, 144:240]
d.Rows, d.Columns = pixels.shape
for n, syntax in (1, ExplicitVRLittleEndian), (2, ImplicitVRLittleEndian), (3, ExplicitVRBigEndian):
    d.file_meta.TransferSyntaxUID = syntax
    d.is_little_endian = syntax != ExplicitVRBigEndian
    d.is_implicit_VR = syntax == ImplicitVRLittleEndian
    d.PixelData = pixels.astype("<u2" if d.is_little_endian else ">u2").tobytes()
    d.save_as(path(n), write_like_original=False)
run("dcmcrle", path(1), path(4))
run("dcmcjpeg", "+e1", "+un", path(1), path(5))
run("gdcmconv", "--jpeg", path(1), path(6))
run("dcmcjpls", "+un", path(1), path(7))
run("gdcmconv", "--jpegls", path(1), path(8))
run("gdcmconv", "--j2k", path(1), path(9))
