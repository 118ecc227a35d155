#!/usr/bin/python3
"""Makes the streams in this folder, and facts.json with the results of other decoders.

make.py CT.dcm MR.dcm: a signed 16-bit CT slice (dcm_qa_ct, In/GE) and a 12-bit MR slice
(dcm_qa_ts, 1.dcm), of which small parts are used; both sets are BSD-2, see LICENSE.
Needs python3-pydicom python3-numpy dcmtk libgdcm-tools libcharls2 libopenjp2-tools openjph-tools
libjpeg-turbo-progs.

A lossless stream must decode to its source, a lossy one to the pixels of DCMTK
(JPEG, JPEG-LS), OpenJPEG (JPEG 2000) or OpenJPH (high throughput, within `within`).
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.encaps import encapsulate, generate_pixel_data_frame

here = os.path.dirname(os.path.abspath(__file__))
facts = []
JPEG, JPEGLS, J2K = "1.2.840.10008.1.2.4.", "1.2.840.10008.1.2.4.8", "1.2.840.10008.1.2.4.9"


class Image:
    def __init__(self, name, pixels, stored, signed):
        self.name, self.pixels, self.stored, self.signed = name, pixels, stored, signed
        self.alloc = 8 * pixels.dtype.itemsize

    def dicom(self, path):
        d = Dataset()
        d.file_meta = FileMetaDataset()
        d.file_meta.TransferSyntaxUID = "1.2.840.10008.1.2.1"
        d.file_meta.MediaStorageSOPClassUID = d.SOPClassUID = "1.2.840.10008.5.1.4.1.1.7"
        d.file_meta.MediaStorageSOPInstanceUID = d.SOPInstanceUID = "1.2.3.4"
        d.PatientName = d.PatientID = ""
        d.StudyInstanceUID, d.SeriesInstanceUID, d.Modality = "1.2.1", "1.2.2", "OT"
        d.SamplesPerPixel, d.PhotometricInterpretation = 1, "MONOCHROME2"
        d.Rows, d.Columns = self.pixels.shape
        d.BitsAllocated, d.BitsStored, d.HighBit = self.alloc, self.stored, self.stored - 1
        d.PixelRepresentation = int(self.signed)
        b = self.pixels.tobytes()
        d.add_new(0x7FE00010, "OW" if self.alloc > 8 else "OB", b + b"\0" * (len(b) % 2))
        d.is_little_endian, d.is_implicit_VR = True, False
        d.save_as(path, write_like_original=False)


def run(*args):
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stream_of(path):
    d = pydicom.dcmread(path)
    return next(iter(generate_pixel_data_frame(d.PixelData, 1)))


def keep(image, variant, uid, stream, pixels, by, within=0, signed=None):
    """Stores a stream and the pixels (their stored bits) to which it must decode."""
    name = f"{image.name}-{variant}"
    with open(os.path.join(here, name), "wb") as f:
        f.write(stream)
    signed = image.signed if signed is None else signed
    mask = (1 << image.stored) - 1
    want = (pixels.astype(np.int64) & mask).astype("<u4").tobytes()
    fact = dict(name=name, syntax=uid, rows=image.pixels.shape[0], cols=image.pixels.shape[1], allocated=image.alloc,
                stored=image.stored, signed=bool(signed), sha256=hashlib.sha256(want).hexdigest(), by=by)
    if within:
        with open(os.path.join(here, name + ".pixels"), "wb") as f:
            f.write((pixels.astype(np.int64) & mask).astype("<u2").tobytes())
        fact["within"] = within
    facts.append(fact)


def dcmtk(image, variant, uid, encoder, decoder, lossy, *options):
    image.dicom("src.dcm")
    run(encoder, *options, "src.dcm", "enc.dcm")
    pixels = image.pixels
    signed = image.signed
    if lossy:
        run(decoder, "enc.dcm", "dec.dcm")
        d = pydicom.dcmread("dec.dcm")
        pixels = np.frombuffer(d.PixelData, image.pixels.dtype)[: pixels.size]
        signed = d.PixelRepresentation == 1  # lossy JPEG rescales to unsigned
    keep(image, variant, uid, stream_of("enc.dcm"), pixels, "dcmtk" if lossy else "the source", signed=signed)


def j2k(image, variant, lossy, *options, suffix="j2k"):
    big = image.pixels.astype(image.pixels.dtype.newbyteorder(">"))
    open("in.raw", "wb").write(big.tobytes())
    h, w = image.pixels.shape
    depth = image.alloc if image.signed else image.stored
    run("opj_compress", "-i", "in.raw", "-F", f"{w},{h},1,{depth},{'s' if image.signed else 'u'}",
        "-o", "out." + suffix, "-n", "3" if min(h, w) > 16 else "1", *options)
    pixels = image.pixels
    if lossy:
        run("opj_decompress", "-i", "out." + suffix, "-o", "out.rawl")
        pixels = np.fromfile("out.rawl", image.pixels.dtype)
    keep(image, variant, J2K + ("1" if lossy else "0"), open("out." + suffix, "rb").read(), pixels,
         "OpenJPEG" if lossy else "the source")


def pgm(image, path):
    """Writes an image as unsigned; the minimum of a signed one is subtracted."""
    h, w = image.pixels.shape
    least = -(1 << (image.stored - 1)) if image.signed else 0
    big = (image.pixels.astype(np.int64) - least).astype(f">u{image.alloc // 8}")
    open(path, "wb").write(b"P5\n%d %d\n%d\n" % (w, h, (1 << image.stored) - 1) + big.tobytes())


def call_signed(stream):
    """Turns a JPEG 2000 stream of unsigned pixels into one of signed pixels. An encoder first
    subtracts half of the range from unsigned values (T.800 annex G.1) and nothing from signed
    ones, so that both give the same stream except for the sign in SIZ."""
    s = bytearray(stream)
    s[s.index(b"\xff\x51") + 40] |= 0x80
    return bytes(s)


def j2k_of_pgm(image, variant, *options):
    pgm(image, "in.pgm")
    run("opj_compress", "-i", "in.pgm", "-o", "out.j2k", "-n", "3", *options)
    stream = open("out.j2k", "rb").read()
    keep(image, variant, J2K + "0", call_signed(stream) if image.signed else stream, image.pixels, "the source")


def htj2k(image, variant, uid, within, *options):
    h, w = image.pixels.shape
    big = image.pixels.astype(image.pixels.dtype.newbyteorder(">"))
    pgm(image, "in.pgm")
    run("ojph_compress", "-i", "in.pgm", "-o", "out.j2c", "-num_decomps", "3", *options)
    pixels = image.pixels
    if within:
        run("ojph_expand", "-i", "out.j2c", "-o", "out.pgm")
        pixels = np.frombuffer(open("out.pgm", "rb").read()[-image.pixels.nbytes:], big.dtype)
    stream = open("out.j2c", "rb").read()
    keep(image, variant, JPEG + uid, call_signed(stream) if image.signed else stream, pixels,
         "OpenJPH" if within else "the source", within)


def ls_with_restarts(image, variant, uid, rows, width, *options):
    """JPEG-LS with a restart marker every so many rows: DCMTK and GDCM write none. Strips
    are coded one by one, and their scans put together; CharLS, in GDCM, must read the stream.
    The interval is written in width bytes (T.87 C.2.5)."""
    def parts(pixels):
        Image("strip", pixels, image.stored, image.signed).dicom("src.dcm")
        run("dcmcjpls", *options, "src.dcm", "enc.dcm")
        s = stream_of("enc.dcm")
        at = s.index(b"\xff\xda")
        end = at + 2 + int.from_bytes(s[at + 2:at + 4], "big")
        return s[:at], s[at:end], s[end:s.rindex(b"\xff\xd9")].removesuffix(b"\xff")
    head, scan_header, _ = parts(image.pixels)
    h = image.pixels.shape[0]
    s = head + b"\xff\xdd" + (2 + width).to_bytes(2, "big") + rows.to_bytes(width, "big") + scan_header
    for i, y in enumerate(range(0, h, rows)):
        if y > 0:
            s += b"\xff" + bytes([0xD0 + (i - 1) % 8])
        s += parts(image.pixels[y:y + rows])[2]
    s += b"\xff\xd9"
    image.dicom("src.dcm")
    d = pydicom.dcmread("src.dcm")
    d.file_meta.TransferSyntaxUID = uid
    d.PixelData = encapsulate([s])
    d["PixelData"].is_undefined_length, d["PixelData"].VR = True, "OB"
    d.save_as("enc.dcm", write_like_original=False)
    run("gdcmconv", "--raw", "enc.dcm", "dec.dcm")
    keep(image, variant, uid, s, pydicom.dcmread("dec.dcm").pixel_array, "GDCM")


def lossless_with_restarts(image, variant, rows, predictor):
    """JPEG lossless with a restart marker every so many rows: DCMTK and GDCM write none.
    Every category has a code of five bits. DCMTK must read the stream."""
    p = image.pixels.astype(np.int64) & ((1 << image.stored) - 1)
    h, w = p.shape
    s = bytearray(b"\xff\xd8\xff\xc3\x00\x0b" + bytes([image.stored, h >> 8, h & 255, w >> 8, w & 255, 1, 1, 0x11, 0]))
    s += b"\xff\xc4\x00\x24\x00" + bytes([0, 0, 0, 0, 17] + [0] * 11) + bytes(range(17))
    s += b"\xff\xdd\x00\x04" + bytes([rows * w >> 8, rows * w & 255])
    s += b"\xff\xda\x00\x08\x01\x01\x00" + bytes([predictor, 0, 0])
    for y0 in range(0, h, rows):
        bits = ""
        for y in range(y0, min(y0 + rows, h)):
            for x in range(w):
                a, b, c = p[y, x - 1], p[y - 1, x], p[y - 1, x - 1]
                if y == y0:
                    guess = a if x else 1 << (image.stored - 1)
                else:
                    guess = b if x == 0 else {1: a, 4: a + b - c, 7: (a + b) >> 1}[predictor]
                d = (int(p[y, x]) - int(guess) + 32768) % 65536 - 32768
                n = abs(d).bit_length()
                bits += f"{n:05b}"
                if 0 < n < 16:
                    bits += f"{d if d > 0 else d + (1 << n) - 1:0{n}b}"
        bits += "1" * (-len(bits) % 8)
        s += b"".join(b"\xff\x00" if c == 255 else bytes([c])
                      for c in int(bits, 2).to_bytes(len(bits) // 8, "big"))
        if y0 + rows < h:
            s += b"\xff" + bytes([0xD0 + y0 // rows % 8])
    s += b"\xff\xd9"
    image.dicom("src.dcm")
    d = pydicom.dcmread("src.dcm")
    d.file_meta.TransferSyntaxUID = JPEG + "57"
    d.PixelData = encapsulate([bytes(s)])
    d["PixelData"].is_undefined_length, d["PixelData"].VR = True, "OB"
    d.save_as("enc.dcm", write_like_original=False)
    run("dcmdjpeg", "enc.dcm", "dec.dcm")
    got = pydicom.dcmread("dec.dcm").pixel_array
    assert np.array_equal(got.astype(np.int64) & ((1 << image.stored) - 1), p)
    keep(image, variant, JPEG + "57", bytes(s), p, "the source")


def main(ct, mr):
    rng = np.random.default_rng(5)
    y, x = np.mgrid[0:67, 0:45]
    waves = np.sin(x / 7) * np.cos(y / 5)
    ct = Image("ct", pydicom.dcmread(ct).pixel_array[180:220, 200:248].astype("<i2"), 16, True)
    mr = Image("mr", pydicom.dcmread(mr).pixel_array[150:198, 150:202].astype("<u2"), 12, False)
    u16 = Image("u16", (np.cumsum(rng.integers(-3000, 3000, (24, 33)), axis=1) % 65536).astype("<u2"), 16, False)
    s12 = Image("s12", np.clip(800 * waves + rng.normal(0, 60, x.shape), -2048, 2047).astype("<i2"), 12, True)
    u8 = Image("u8", np.clip(128 + 100 * waves + rng.normal(0, 6, x.shape), 0, 255).astype("u1"), 8, False)
    flat = Image("flat", np.full((50, 70), 37, "<u2"), 12, False)
    column = Image("column", rng.integers(0, 4096, (29, 1)).astype("<u2"), 12, False)
    noise = Image("noise", rng.integers(-32768, 32768, (21, 23)).astype("<i2"), 16, True)
    u32 = Image("u32", rng.integers(0, 1 << 32, (17, 19)).astype("<u4"), 32, False)
    u32.pixels[3:9] = 77
    shape = x[:31, :37], y[:31, :37]
    ramp = (np.sin(shape[0] / 7) * np.cos(shape[1] / 5) + 1) / 2
    u5 = Image("u5", np.rint(31 * ramp).astype("u1"), 5, False)
    u1 = Image("u1", np.rint(ramp).astype("u1"), 1, False)
    s13 = Image("s13", np.rint(8191 * ramp - 4096).astype("<i2"), 13, True)

    for image in ct, u8, flat, column, u32:
        dcmtk(image, "rle", "1.2.840.10008.1.2.5", "dcmcrle", "dcmdrle", False)
    for sv in range(1, 8):
        dcmtk(mr, f"lossless-sv{sv}", JPEG + "57", "dcmcjpeg", "dcmdjpeg", False, "+el", "+sv", str(sv))
        dcmtk(u16, f"lossless-sv{sv}", JPEG + "57", "dcmcjpeg", "dcmdjpeg", False, "+el", "+sv", str(sv))
    for image in ct, s12, u8, flat, column, noise:
        dcmtk(image, "lossless", JPEG + "70", "dcmcjpeg", "dcmdjpeg", False, "+e1")
    dcmtk(mr, "lossless-pt2", JPEG + "57", "dcmcjpeg", "dcmdjpeg", True, "+el", "+sv", "4", "+pt", "2")
    dcmtk(s13, "lossless-pt1", JPEG + "57", "dcmcjpeg", "dcmdjpeg", True, "+el", "+sv", "7", "+pt", "1")
    dcmtk(u5, "lossless", JPEG + "70", "dcmcjpeg", "dcmdjpeg", False, "+e1")
    lossless_with_restarts(mr, "lossless-restarts", 5, 4)
    lossless_with_restarts(s12, "lossless-restarts", 1, 7)
    dcmtk(u8, "baseline", JPEG + "50", "dcmcjpeg", "dcmdjpeg", True, "+eb", "+q", "75")
    for image in mr, u8, column:
        dcmtk(image, "extended", JPEG + "51", "dcmcjpeg", "dcmdjpeg", True, "+ee", "+q", "85")
    restarts(u8)
    for image in ct, mr, u16, s12, u8, flat, column, noise, s13:
        dcmtk(image, "ls", JPEGLS + "0", "dcmcjpls", "dcmdjpls", False, "+el")
    for image in mr, u8, column, flat:
        dcmtk(image, "near3", JPEGLS + "1", "dcmcjpls", "dcmdjpls", True, "+en", "+md", "3")
    dcmtk(u16, "near-preset", JPEGLS + "1", "dcmcjpls", "dcmdjpls", True,
          "+en", "+md", "1", "+t1", "900", "+t2", "2000", "+t3", "6000", "+rs", "31")
    dcmtk(u8, "near1", JPEGLS + "1", "dcmcjpls", "dcmdjpls", True, "+en", "+md", "1")
    dcmtk(u16, "near10", JPEGLS + "1", "dcmcjpls", "dcmdjpls", True, "+en", "+md", "10")
    ls_with_restarts(u8, "ls-restarts", JPEGLS + "0", 7, 2, "+el")
    ls_with_restarts(flat, "ls-restarts", JPEGLS + "0", 1, 3, "+el")
    ls_with_restarts(mr, "near3-restarts", JPEGLS + "1", 5, 4, "+en", "+md", "3")
    for image in ct, mr, u8, flat, column, noise:
        j2k(image, "j2k", False)
    j2k(mr, "j2k-tiles", False, "-t", "32,24")
    j2k(mr, "j2k-rpcl", False, "-p", "RPCL", "-c", "[32,32]", "-b", "16,16", "-SOP", "-EPH")
    j2k(ct, "j2k-modes", False, "-M", "63")
    j2k(ct, "jp2", False, suffix="jp2")
    j2k(mr, "j2k-layers", False, "-r", "20,6,1", "-TP", "R", "-t", "32,32")
    j2k(mr, "j2k-roi", False, "-ROI", "c=0,U=5")
    j2k(ct, "j2k-offset", False, "-d", "5,3", "-t", "20,20", "-T", "3,2")
    for image in u1, u5, s13:
        j2k_of_pgm(image, "j2k")
    j2k(ct, "j2k-lossy", True, "-I", "-r", "6")
    j2k(u8, "j2k-lossy", True, "-r", "20,8,4")
    for image in mr, u16, u8, ct, s12:
        htj2k(image, "ht", "201", 0, "-reversible", "true")
    htj2k(mr, "ht-tiles", "201", 0, "-reversible", "true", "-tile_size", "{32,32}")
    htj2k(mr, "ht-rpcl", "202", 0, "-reversible", "true", "-prog_order", "RPCL")
    htj2k(mr, "ht-lossy", "203", 1, "-qstep", "0.002")
    json.dump(facts, open(os.path.join(here, "facts.json"), "w"), indent=1)


def restarts(image):
    h, w = image.pixels.shape
    open("in.pgm", "wb").write(b"P5\n%d %d\n255\n" % (w, h) + image.pixels.tobytes())
    run("cjpeg", "-grayscale", "-restart", "4B", "-outfile", "out.jpg", "in.pgm")
    run("djpeg", "-dct", "int", "-pnm", "-outfile", "out.pgm", "out.jpg")
    pixels = np.frombuffer(open("out.pgm", "rb").read()[-h * w:], "u1")
    keep(image, "baseline-restarts", JPEG + "50", open("out.jpg", "rb").read(), pixels, "libjpeg")


if __name__ == "__main__":
    ct, mr = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        main(ct, mr)
