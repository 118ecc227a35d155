package derive

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"quell/io/dicom/part10"
	"quell/io/dicom/part10/charset"
)

// rule is the change of one attribute of the source in a derived series (PS3.3
// C.7.6.1.1.2, C.12.4). An attribute without a rule is copied byte for byte: patient,
// study, frame of reference, position, spacing, bits, rescale, window, padding, overlays,
// private groups and all others.
type rule struct {
	tag   part10.Tag
	vr    string // "xs": US or SS as the pixels are
	when  when
	value func(*image) []byte // the new value; for SQ the encoded items
}

// when selects the sources to which a rule applies. Images with functional groups state
// the derivation of each frame there (groupEdits); other images, mosaics and images that
// should have such groups but lack them state it once.
type when int

const (
	always       when = iota // set, even if the source does not have it
	unlessPET                // likewise, but in PET the value of the source is kept
	ungrouped                // likewise, in images without functional groups
	grouped                  // likewise, in images with functional groups
	present                  // replaced if the source has it
	missing                  // set if the source has none or an empty one
	removed                  // removed
	groupRemoved             // removed from images of the classes with functional groups
	cutRemoved               // removed if frames are left out
	numbered                 // set in series of several volumes
)

// derivedAttributes is the whole of what an export changes, in order of tags.
// Besides it there are the meta header (new), group lengths (removed), the
// recipe's private block (recipeBlock) and the pixels.
//
// The dates are dates of the export, so an object that is exported again under the same
// UID differs in them from the first; an archive may keep either.
//
// Kept on purpose: Dimension Index Values and Dimension Organization UID, also if
// frames are left out, for equal indices of one organization mean the same in source
// and result (C.7.6.17.2) and need not begin at 1 in each; ImageType's value 4 and the
// Frame Type's; and the source's word on lossy compression and burned-in text.
var derivedAttributes = []rule{
	{tag: 0x00080001, when: removed}, // LengthToEnd (retired): would be wrong
	{part10.TagImageType, "CS", always, (*image).imageType},
	{part10.TagInstanceCreationDate, "DA", always, func(s *image) []byte { return part10.Date(s.Now) }},
	{part10.TagInstanceCreationTime, "TM", always, func(s *image) []byte { return part10.Time(s.Now) }},
	{tag: 0x00080014, when: removed}, // InstanceCreatorUID: it was not that device
	{part10.TagSOPInstanceUID, "UI", always, func(s *image) []byte { return []byte(s.sopUID) }},
	{part10.TagSeriesDate, "DA", unlessPET, func(s *image) []byte { return part10.Date(s.Now) }},
	{part10.TagContentDate, "DA", always, func(s *image) []byte { return part10.Date(s.Now) }},
	{part10.TagSeriesTime, "TM", unlessPET, func(s *image) []byte { return part10.Time(s.Now) }},
	{part10.TagContentTime, "TM", always, func(s *image) []byte { return part10.Time(s.Now) }},
	{part10.TagSeriesDescription, "LO", always, (*image).seriesDescription},
	{part10.TagDerivationDescription, "ST", ungrouped, (*image).derivationDescription},
	{part10.TagSourceImageSequence, "SQ", ungrouped, (*image).sourceImage},
	{part10.TagSourceImageEvidenceSequence, "SQ", grouped, (*image).sourceEvidence},
	{part10.TagDerivationCodeSequence, "SQ", ungrouped, (*image).derivationCode},
	// The pulse sequence of Enhanced MR (C.8.13.4) and its bulk motion (C.8.13.3) are
	// required of ORIGINAL images alone. The standard allows them elsewhere, but
	// the validator dciodvfy (2022) calls each an error; the source has them.
	{tag: 0x00180023, when: groupRemoved}, // MRAcquisitionType
	{tag: 0x00189005, when: groupRemoved}, // PulseSequenceName
	{tag: 0x00189008, when: groupRemoved}, // EchoPulseSequence
	{tag: 0x00189011, when: groupRemoved}, // MultipleSpinEcho
	{tag: 0x00189012, when: groupRemoved}, // MultiPlanarExcitation
	{tag: 0x00189014, when: groupRemoved}, // PhaseContrast
	{tag: 0x00189015, when: groupRemoved}, // TimeOfFlightContrast
	{tag: 0x00189017, when: groupRemoved}, // SteadyStatePulseSequence
	{tag: 0x00189018, when: groupRemoved}, // EchoPlanarPulseSequence
	{tag: 0x00189024, when: groupRemoved}, // SaturationRecovery
	{tag: 0x00189025, when: groupRemoved}, // SpectrallySelectedSuppression
	{tag: 0x00189029, when: groupRemoved}, // OversamplingPhase
	{tag: 0x00189032, when: groupRemoved}, // GeometryOfKSpaceTraversal
	{tag: 0x00189033, when: groupRemoved}, // SegmentedKSpaceTraversal
	{tag: 0x00189034, when: groupRemoved}, // RectilinearPhaseEncodeReordering
	{tag: 0x00189093, when: groupRemoved}, // NumberOfKSpaceTrajectories
	{tag: 0x00189094, when: groupRemoved}, // CoverageOfKSpace
	{tag: 0x00189172, when: groupRemoved}, // BulkMotionCompensationTechnique
	{part10.TagContributingEquipmentSequence, "SQ", always, (*image).contributingEquipment},
	{part10.TagStudyInstanceUID, "UI", missing, func(s *image) []byte { return []byte(s.studyUID) }},
	{part10.TagSeriesInstanceUID, "UI", always, func(s *image) []byte { return []byte(s.seriesUID) }},
	{part10.TagSeriesNumber, "IS", always, (*image).seriesNumber},
	{part10.TagInstanceNumber, "IS", numbered, func(s *image) []byte { return strconv.AppendInt(nil, int64(s.number), 10) }},
	// The parts of a concatenation become independent images.
	{tag: 0x00200242, when: groupRemoved}, // SOPInstanceUIDOfConcatenationSource
	{tag: 0x00209161, when: groupRemoved}, // ConcatenationUID
	{tag: 0x00209162, when: groupRemoved}, // InConcatenationNumber
	{tag: 0x00209163, when: groupRemoved}, // InConcatenationTotalNumber
	{tag: 0x00209228, when: groupRemoved}, // ConcatenationFrameOffsetNumber
	{tag: 0x00209311, when: cutRemoved},   // DimensionOrganizationType: a volume alone is no temporal loop
	{part10.TagNumberOfFrames, "IS", grouped, (*image).numberOfFrames},
	{part10.TagSmallestImagePixelValue, "xs", present, func(s *image) []byte { return s.storedValue(s.smallest) }},
	{part10.TagLargestImagePixelValue, "xs", present, func(s *image) []byte { return s.storedValue(s.largest) }},
	{tag: part10.TagSmallestPixelValueInSeries, when: removed},
	{tag: part10.TagLargestPixelValueInSeries, when: removed},
	{tag: part10.TagSmallestImagePixelValueInPlane, when: removed},
	{tag: part10.TagLargestImagePixelValueInPlane, when: removed},
	{tag: 0x00286010, when: cutRemoved},                       // RepresentativeFrameNumber: frames have other numbers
	{tag: part10.TagIconImageSequence, when: removed},         // shows the source
	{tag: part10.TagMACParametersSequence, when: removed},     // signs the source
	{tag: part10.TagDigitalSignaturesSequence, when: removed}, // signs the source
	{tag: part10.TagDataSetTrailingPadding, when: removed},
}

// datedBySeries reports whether Series Date and Time are the origin of the other times of
// the image, decay correction among them, as in PET (C.8.9.1.1.5): another origin would give
// a wrong uptake.
func (s *image) datedBySeries() bool { return string(s.Text(part10.TagModality)) == "PT" }

// imageType sets value 1 to DERIVED and value 2 to SECONDARY, unless SECONDARY is not
// allowed; value 3 (AXIAL, which CT requires) and later ones are kept.
func (s *image) imageType() []byte {
	second := "SECONDARY"
	if s.grouped() || part10.PrimaryAlone[string(s.Text(part10.TagSOPClassUID))] {
		second = "" // as it is
	}
	return derivedType(s.Text(part10.TagImageType), second)
}

// derivedType returns the value of ImageType or FrameType of a derived image.
func derivedType(source []byte, second string) []byte {
	values := bytes.Split(source, []byte{'\\'})
	if len(values) < 2 {
		values = [][]byte{nil, []byte("PRIMARY")}
	}
	values[0] = []byte("DERIVED")
	if second != "" {
		values[1] = []byte(second)
	}
	return bytes.Join(values, []byte{'\\'})
}

// seriesDescription appends the suffix to the text of the source; its bytes are kept in
// their character set; LO holds 64 characters.
func (s *image) seriesDescription() []byte {
	const most = 64
	suffix := part10.Clip(part10.ASCII(s.Suffix), most)
	old := s.Text(part10.TagSeriesDescription)
	if len(old) == 0 || suffix == "" {
		return append(bytes.Clone(old), suffix...)
	}
	old, whole := s.firstCharacters(old, most-1-len(suffix))
	if !whole {
		return []byte(suffix)
	}
	return append(append(bytes.Clone(old), ' '), suffix...)
}

// firstCharacters returns the first n characters of a text of the source. ok is false if
// its bytes cannot be divided into characters, as in ISO 2022 with its escape sequences.
func (s *image) firstCharacters(text []byte, n int) (first []byte, ok bool) {
	if len(text) <= n {
		return text, true
	}
	switch terms := string(s.Text(part10.TagSpecificCharacterSet)); {
	case terms == "ISO_IR 192":
		for i := range string(text) {
			if n--; n < 0 {
				return text[:i], true
			}
		}
		return text, true
	case charset.IsASCII(text), strings.HasPrefix(terms, "ISO_IR ") && !strings.Contains(terms, `\`):
		return text[:max(n, 0)], true
	}
	return nil, false
}

// derivationDescription appends to the source's own derivation; ST holds 1024 characters.
func (s *image) derivationDescription() []byte {
	const most = 1024
	text := part10.Clip(part10.ASCII(s.Description), most)
	old := s.Text(part10.TagDerivationDescription)
	if len(old) == 0 || len(old)+2+len(text) > most {
		return []byte(text)
	}
	return append(append(bytes.Clone(old), "; "...), text...)
}

// sourceImage refers to the slice at the same position. A 3-D filter used its neighbours
// too, as the recipe states.
func (s *image) sourceImage() []byte {
	return s.sourceReference(0)
}

// sourceReference is an item that refers to the source image, or to one of its
// frames (counted from 1).
func (s *image) sourceReference(frame int) []byte {
	item := s.sourceInstance()
	if frame > 0 {
		item = part10.AppendElement(item, s.Encoding, part10.TagReferencedFrameNumber, "IS", strconv.AppendInt(nil, int64(frame), 10))
	}
	item = part10.AppendElement(item, s.Encoding, part10.TagSpatialLocationsPreserved, "CS", []byte("YES"))
	item = part10.AppendCode(item, s.Encoding, part10.TagPurposeOfReferenceCodeSequence, sourceForProcessing)
	return part10.AppendItem(nil, s.Encoding, item)
}

// sourceInstance is the reference to the source's SOP instance alone.
func (s *image) sourceInstance() []byte {
	item := part10.AppendElement(nil, s.Encoding, part10.TagReferencedSOPClassUID, "UI", s.Text(part10.TagSOPClassUID))
	return part10.AppendElement(item, s.Encoding, part10.TagReferencedSOPInstanceUID, "UI", s.Text(part10.TagSOPInstanceUID))
}

// sourceEvidence lists the series of the images that frames refer to.
func (s *image) sourceEvidence() []byte {
	series := part10.AppendSequence(nil, s.Encoding, part10.TagReferencedSOPSequence, s.sourceInstance())
	series = part10.AppendElement(series, s.Encoding, part10.TagSeriesInstanceUID, "UI", s.Text(part10.TagSeriesInstanceUID))
	study := part10.AppendSequence(nil, s.Encoding, part10.TagReferencedSeriesSequence, series)
	study = part10.AppendElement(study, s.Encoding, part10.TagStudyInstanceUID, "UI", s.Text(part10.TagStudyInstanceUID))
	return part10.AppendItem(s.sourceItems(part10.TagSourceImageEvidenceSequence), s.Encoding, study)
}

// numberOfFrames counts the exported frames.
func (s *image) numberOfFrames() []byte {
	return strconv.AppendInt(nil, int64(len(s.slices)), 10)
}

// derivationCode appends to the codes of earlier derivations.
func (s *image) derivationCode() []byte {
	return part10.AppendItem(s.sourceItems(part10.TagDerivationCodeSequence), s.Encoding, part10.CodeItem(s.Encoding, s.code()))
}

// contributingEquipment appends Quell to what already worked on the image;
// the General Equipment module stays the scanner's.
func (s *image) contributingEquipment() []byte {
	var item []byte
	item = part10.AppendElement(item, s.Encoding, part10.TagManufacturer, "LO", []byte(product))
	item = part10.AppendElement(item, s.Encoding, part10.TagManufacturerModelName, "LO", []byte(product))
	item = part10.AppendElement(item, s.Encoding, part10.TagSoftwareVersions, "LO", []byte(part10.Clip(part10.ASCII(s.Version), 64)))
	item = part10.AppendElement(item, s.Encoding, part10.TagContributionDateTime, "DT", append(part10.Date(s.Now), part10.Time(s.Now)...))
	item = part10.AppendCode(item, s.Encoding, part10.TagPurposeOfReferenceCodeSequence, processingEquipment)
	return part10.AppendItem(s.sourceItems(part10.TagContributingEquipmentSequence), s.Encoding, item)
}

// seriesNumber returns the source's number plus 9000, within the range of IS.
func (s *image) seriesNumber() []byte {
	n, err := strconv.ParseInt(strings.TrimSpace(string(s.Text(part10.TagSeriesNumber))), 10, 32)
	if err != nil {
		n = 0
	}
	return s.numberOf(n)
}

// numberOf returns the number of the derived series from the number of its source.
func (d *Derived) numberOf(n int64) []byte {
	const offset, most = 9000, 1<<31 - 1
	if n > most-offset {
		n = 0
	}
	return strconv.AppendInt(nil, n+offset, 10)
}

// storedValue encodes a stored pixel value.
func (s *image) storedValue(v int64) []byte {
	return s.Encoding.Order.(binary.AppendByteOrder).AppendUint16(nil, uint16(v))
}
