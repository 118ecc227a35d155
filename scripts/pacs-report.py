#!/usr/bin/env python3
"""Reads what quell denoise --attach maps,measurements wrote with pydicom, and compares it with what the command printed.

    pacs-report.py SOURCE RESULT JSON VERSION

SOURCE is the folder of the source images, RESULT that of the result with its maps and report, JSON what the command
printed with --json, VERSION the version of the program. Prints what was compared in one line; the exit status is 1 if
anything differs. Needs python3-pydicom.
"""
import array
import json
import pathlib
import sys

import pydicom
import pydicom.misc

PARAMETRIC_MAP = "1.2.840.10008.5.1.4.1.1.30"
ENHANCED_SR = "1.2.840.10008.5.1.4.1.1.88.22"


def fail(text):
    sys.exit(f"pacs-report: {text}")


def same(what, got, want):
    if got != want:
        fail(f"{what} is {got!r}, not {want!r}")


def near(what, got, want, relative=1e-5):
    if abs(got - want) > relative * abs(want):
        fail(f"{what} is {got}, not {want}")


def code(item):
    return item.CodeValue, item.CodingSchemeDesignator


class Item:
    """A content item of a structured report."""

    def __init__(self, data):
        self.data = data
        self.children = [Item(c) for c in data.get("ContentSequence", [])]
        self.meaning = data.ConceptNameCodeSequence[0].CodeMeaning if "ConceptNameCodeSequence" in data else ""

    def walk(self):
        yield self
        for c in self.children:
            yield from c.walk()

    def named(self, meaning, method=""):
        """The only child with a concept name, and where that is given with a method."""
        found = [c for c in self.children if c.meaning == meaning]
        if method:
            found = [c for c in found if c.named("Measurement Method").code[0] == method]
        if len(found) != 1:
            fail(f"\"{self.meaning}\" has {len(found)} items \"{meaning}\" {method}")
        return found[0]

    @property
    def text(self):
        return self.data.TextValue

    @property
    def code(self):
        return code(self.data.ConceptCodeSequence[0])

    @property
    def number(self):
        """The value and its unit; None for one that is absent."""
        values = self.data.get("MeasuredValueSequence", [])
        if not values:
            return None
        return float(values[0].NumericValue), values[0].MeasurementUnitsCodeSequence[0].CodeValue


def read(folder):
    return [pydicom.dcmread(p) for p in sorted(pathlib.Path(folder).iterdir()) if pydicom.misc.is_dicom(p)]


def group(report, name):
    found = [i for i in report.walk() if i.meaning == "Measurement Group" and i.named("Tracking Identifier").text == name]
    if len(found) != 1:
        fail(f"the report has {len(found)} groups \"{name}\"")
    return found[0]


def check_report(data, source, result, printed, version):
    report = Item(data)
    same("template", data.ContentTemplateSequence[0].TemplateIdentifier, "1500")
    images = {i.data.ReferencedSOPSequence[0].ReferencedSOPInstanceUID for i in report.walk() if i.data.ValueType == "IMAGE"}
    same("images of the report", images, {d.SOPInstanceUID for d in source + result})
    measures, recipe = printed["measures"], printed["recipe"]
    unit = {"HU": "[hnsf'U]"}.get(measures["unit"], "1")

    before, after = group(report, "Volume 1 of 1, input"), group(report, "Volume 1 of 1, result")
    for g, images in ((before, source), (after, result)):
        same("series of a group", g.named("Series Instance UID").data.UID, images[0].SeriesInstanceUID)
        same("algorithm", g.named("Algorithm Name").text, "quell")
        same("version", g.named("Algorithm Version").text, version)
    words = after.named("Algorithm Parameters").text.split()
    same("filter", words[:2], [recipe["filter"], f"{recipe['dims']}-D"])
    for word in words[2:]:
        name, _, value = word.partition("=")
        want = recipe["parameters"][name]
        if isinstance(want, (int, float)) and not isinstance(want, bool):
            near(name, float(value), want)
        else:
            same(name, value, ",".join(map(str, want)) if isinstance(want, list) else str(want).lower())

    sigma, has = before.named("Image noise", "NOISE_ESTIMATE").number
    near("sigma", sigma, measures["sigma"])
    same("unit of sigma", has, unit)
    same("confidence", before.named("Confidence of the noise").code, (measures["sigma_confidence"].upper(), "99QUELL"))
    less = after.named("Image noise", "EVEN_SQUARES").number[0] / before.named("Image noise", "EVEN_SQUARES").number[0]
    if not 0 < less < 1:
        fail(f"the noise in even squares becomes {less} times as strong")

    verdict = after.named("Verdict on the result")
    same("verdict", verdict.code, (measures["judgement"].upper(), "99QUELL"))
    same("reason of the verdict", verdict.named("Comment").text, measures["why"])
    return f"sigma {sigma}, {measures['judgement']}, " + check_shares(after, measures)


def check_shares(after, measures):
    """The figures by which the result is judged, in percent; one that is not known is not in the report."""
    texts = []
    for name, key in (("Noise removed", "noise_removed"), ("Contrast kept", "contrast_kept"), ("Texture kept", "texture_kept")):
        if measures[key] is None:
            same(f"items \"{name}\"", [c for c in after.children if c.meaning == name], [])
            continue
        share = after.named(name, "HOMOGENEOUS")
        same(f"unit of \"{name}\"", share.number[1], "%")
        near(name, share.number[0], 100 * measures[key])
        near(f"lower end of \"{name}\"", share.named("Lower end of the 95 % interval").number[0], 100 * measures[key + "_low"])
        near(f"upper end of \"{name}\"", share.named("Upper end of the 95 % interval").number[0], 100 * measures[key + "_high"])
        if key == "contrast_kept":
            near("diameter of the object", share.named("Diameter").number[0], measures["object_mm"])
        texts.append(f"{name.lower()} {share.number[0]} %")
    return ", ".join(texts) or "no shares known"


def check_maps(maps, source, result):
    """The first map is source less result in the positions of its frames, but for rounding; the second is a noise."""
    maps = sorted(maps, key=lambda m: m.ContentLabel, reverse=True)
    by_uid = {d.SOPInstanceUID: d for d in source + result}
    bits = lambda d: array.array("h" if d.PixelRepresentation else "H", d.PixelData)
    same("labels of the maps", [m.ContentLabel for m in maps], ["REMOVED", "NOISE_SD"])
    size, compared = source[0].Rows * source[0].Columns, 0
    for m in maps:
        same("units of a map", m.SharedFunctionalGroupsSequence[0].RealWorldValueMappingSequence[0].MeasurementUnitsCodeSequence[0].CodeValue,
             "[hnsf'U]" if source[0].Modality == "CT" else "1")
        values = array.array("f", m.FloatPixelData)
        same("voxels of a map", len(values), size * len(source))
        for k, frame in enumerate(m.PerFrameFunctionalGroupsSequence):
            named = [by_uid[i.ReferencedSOPInstanceUID] for i in frame.DerivationImageSequence[0].SourceImageSequence]
            for d in named:
                same("position of a frame", list(map(float, frame.PlanePositionSequence[0].ImagePositionPatient)), list(map(float, d.ImagePositionPatient)))
            if m.ContentLabel == "NOISE_SD":
                if any(v <= 0 for v in values[k * size:(k + 1) * size] if v != m.FloatPixelPaddingValue):
                    fail("a noise is not above 0")
                continue
            before, after = [bits(d) for d in named]
            slope = float(named[0].RescaleSlope)
            for i in range(0, size, 61):
                removed = values[k * size + i]
                if removed == m.FloatPixelPaddingValue:
                    continue
                if abs(removed - slope * (before[i] - after[i])) > 0.501 * slope:
                    fail(f"frame {k + 1} says {removed} was removed, and the images {slope * (before[i] - after[i])}")
                compared += 1
    return f"{compared} voxels of the map of what was removed"


def main():
    folder, out, printed, version = sys.argv[1:]
    source, written = read(folder), read(out)
    kind = lambda uid: [d for d in written if d.SOPClassUID == uid]
    result = [d for d in written if d.SOPClassUID == source[0].SOPClassUID]
    reports = kind(ENHANCED_SR)
    same("reports", len(reports), 1)
    with open(printed, encoding="utf-8") as f:
        texts = check_report(reports[0], source, result, json.load(f), version)
    print(texts + ", " + check_maps(kind(PARAMETRIC_MAP), source, result))


main()
