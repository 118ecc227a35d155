package dicom

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// rule is what happens to one attribute of the source when a series is derived
// from it (PS3.3 C.7.6.1.1.2, C.12.4). An attribute without a rule is copied byte
// for byte: patient, study, frame of reference, position, spacing, bits,
// rescale, window, padding, overlays, private groups and all the rest.
type rule struct {
	tag   tagID
	vr    string // "xs": US or SS as the pixels are
	when  when
	value func(*derivedImage) []byte // the new value; for SQ the encoded items
}

// when says to which sources a rule applies. Images with functional groups say
// there how each frame was derived (groupEdits); the others, mosaics and images
// that should have such groups but lack them among them, say it once.
type when int

const (
	always       when = iota // set, whether the source has it or not
	unlessPET                // likewise, but in PET the source's is kept
	ungrouped                // likewise, in images without functional groups
	grouped                  // likewise, in images with functional groups
	present                  // replaced where the source has it
	missing                  // set where the source has none, or an empty one
	removed                  // left out
	groupRemoved             // left out of images of the classes with functional groups
	cutRemoved               // left out where frames are
)

// derivedAttributes is the whole of what an export changes, in order of tags.
// Besides it there are the meta header (new), group lengths (removed), the
// recipe's private block (recipeBlock) and the pixels.
//
// The dates say when an object was made, so an object that is exported again under
// the same UID differs in them from the first; an archive may keep either.
//
// Kept on purpose: Dimension Index Values and Dimension Organization UID, also where
// frames are left out, for equal indices of one organization mean the same in source
// and result (C.7.6.17.2) and need not begin at 1 in each; ImageType's value 4 and the
// Frame Type's; and the source's word on lossy compression and burned-in text.
var derivedAttributes = []rule{
	{tag: 0x00080001, when: removed}, // LengthToEnd (retired): would be wrong
	{tagImageType, "CS", always, (*derivedImage).imageType},
	{tagInstanceCreationDate, "DA", always, func(s *derivedImage) []byte { return dicomDate(s.Now) }},
	{tagInstanceCreationTime, "TM", always, func(s *derivedImage) []byte { return dicomTime(s.Now) }},
	{tag: 0x00080014, when: removed}, // InstanceCreatorUID: it was not that device
	{tagSOPInstanceUID, "UI", always, func(s *derivedImage) []byte { return []byte(s.sopUID) }},
	{tagSeriesDate, "DA", unlessPET, func(s *derivedImage) []byte { return dicomDate(s.Now) }},
	{tagContentDate, "DA", always, func(s *derivedImage) []byte { return dicomDate(s.Now) }},
	{tagSeriesTime, "TM", unlessPET, func(s *derivedImage) []byte { return dicomTime(s.Now) }},
	{tagContentTime, "TM", always, func(s *derivedImage) []byte { return dicomTime(s.Now) }},
	{tagSeriesDescription, "LO", always, (*derivedImage).seriesDescription},
	{tagDerivationDescription, "ST", ungrouped, (*derivedImage).derivationDescription},
	{tagSourceImageSequence, "SQ", ungrouped, (*derivedImage).sourceImage},
	{tagSourceImageEvidenceSequence, "SQ", grouped, (*derivedImage).sourceEvidence},
	{tagDerivationCodeSequence, "SQ", ungrouped, (*derivedImage).derivationCode},
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
	{tagContributingEquipmentSequence, "SQ", always, (*derivedImage).contributingEquipment},
	{tagStudyInstanceUID, "UI", missing, func(s *derivedImage) []byte { return []byte(s.studyUID) }},
	{tagSeriesInstanceUID, "UI", always, func(s *derivedImage) []byte { return []byte(s.seriesUID) }},
	{tagSeriesNumber, "IS", always, (*derivedImage).seriesNumber},
	// The parts of a concatenation become images of their own.
	{tag: 0x00200242, when: groupRemoved}, // SOPInstanceUIDOfConcatenationSource
	{tag: 0x00209161, when: groupRemoved}, // ConcatenationUID
	{tag: 0x00209162, when: groupRemoved}, // InConcatenationNumber
	{tag: 0x00209163, when: groupRemoved}, // InConcatenationTotalNumber
	{tag: 0x00209228, when: groupRemoved}, // ConcatenationFrameOffsetNumber
	{tag: 0x00209311, when: cutRemoved},   // DimensionOrganizationType: a volume alone is no temporal loop
	{tagNumberOfFrames, "IS", grouped, (*derivedImage).numberOfFrames},
	{tagSmallestImagePixelValue, "xs", present, func(s *derivedImage) []byte { return s.storedValue(s.smallest) }},
	{tagLargestImagePixelValue, "xs", present, func(s *derivedImage) []byte { return s.storedValue(s.largest) }},
	{tag: tagSmallestPixelValueInSeries, when: removed},
	{tag: tagLargestPixelValueInSeries, when: removed},
	{tag: tagSmallestImagePixelValueInPlane, when: removed},
	{tag: tagLargestImagePixelValueInPlane, when: removed},
	{tag: 0x00286010, when: cutRemoved},                // RepresentativeFrameNumber: frames have other numbers
	{tag: tagIconImageSequence, when: removed},         // shows the source
	{tag: tagMACParametersSequence, when: removed},     // signs the source
	{tag: tagDigitalSignaturesSequence, when: removed}, // signs the source
	{tag: tagDataSetTrailingPadding, when: removed},
}

// datedBySeries says whether Series Date and Time are the zero of the image's other
// times, decay correction among them, as in PET (C.8.9.1.1.5): with others the uptake
// would come out wrong.
func (s *derivedImage) datedBySeries() bool { return string(s.source(tagModality)) == "PT" }

// imageType makes value 1 DERIVED and value 2 SECONDARY, or, where SECONDARY is not
// allowed, leaves it; value 3 (AXIAL, which CT demands) and any behind it are kept.
func (s *derivedImage) imageType() []byte {
	second := "SECONDARY"
	if s.grouped() || primaryAlone[string(s.source(tagSOPClassUID))] {
		second = "" // as it is
	}
	return derivedType(s.source(tagImageType), second)
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

// seriesDescription puts the suffix behind the source's own text, whose bytes
// (of whatever character set) are kept; LO holds 64 characters.
func (s *derivedImage) seriesDescription() []byte {
	const most = 64
	suffix := clip(ascii(s.Suffix), most)
	old := s.source(tagSeriesDescription)
	if len(old) == 0 || suffix == "" {
		return append(bytes.Clone(old), suffix...)
	}
	old, whole := s.firstCharacters(old, most-1-len(suffix))
	if !whole {
		return []byte(suffix)
	}
	return append(append(bytes.Clone(old), ' '), suffix...)
}

// firstCharacters returns the first n characters of a text of the source. It says
// no where it cannot tell how many bytes those are, as in ISO 2022, where escape
// sequences lie between them.
func (s *derivedImage) firstCharacters(text []byte, n int) (first []byte, ok bool) {
	if len(text) <= n {
		return text, true
	}
	switch charset := string(s.source(tagSpecificCharacterSet)); {
	case charset == "ISO_IR 192":
		for i := range string(text) {
			if n--; n < 0 {
				return text[:i], true
			}
		}
		return text, true
	case isASCII(text), strings.HasPrefix(charset, "ISO_IR ") && !strings.Contains(charset, `\`):
		return text[:max(n, 0)], true
	}
	return nil, false
}

// derivationDescription adds to what the source says of its own derivation; ST
// holds 1024 characters.
func (s *derivedImage) derivationDescription() []byte {
	const most = 1024
	text := clip(ascii(s.Description), most)
	old := s.source(tagDerivationDescription)
	if len(old) == 0 || len(old)+2+len(text) > most {
		return []byte(text)
	}
	return append(append(bytes.Clone(old), "; "...), text...)
}

// sourceImage refers to the slice at the same position. A 3-D filter used its
// neighbours too: the recipe says so.
func (s *derivedImage) sourceImage() []byte {
	return s.sourceReference(0)
}

// sourceReference is an item that refers to the source image, or to one of its
// frames (counted from 1).
func (s *derivedImage) sourceReference(frame int) []byte {
	item := s.sourceInstance()
	if frame > 0 {
		item = appendElement(item, s.enc, tagReferencedFrameNumber, "IS", strconv.AppendInt(nil, int64(frame), 10))
	}
	item = appendElement(item, s.enc, tagSpatialLocationsPreserved, "CS", []byte("YES"))
	item = appendCode(item, s.enc, tagPurposeOfReferenceCodeSequence, sourceForProcessing)
	return appendItem(nil, s.enc, item)
}

// sourceInstance is the reference to the source's SOP instance alone.
func (s *derivedImage) sourceInstance() []byte {
	item := appendElement(nil, s.enc, tagReferencedSOPClassUID, "UI", s.source(tagSOPClassUID))
	return appendElement(item, s.enc, tagReferencedSOPInstanceUID, "UI", s.source(tagSOPInstanceUID))
}

// sourceEvidence says of which series the images are that frames refer to.
func (s *derivedImage) sourceEvidence() []byte {
	series := appendSequence(nil, s.enc, tagReferencedSOPSequence, s.sourceInstance())
	series = appendElement(series, s.enc, tagSeriesInstanceUID, "UI", s.source(tagSeriesInstanceUID))
	study := appendSequence(nil, s.enc, tagReferencedSeriesSequence, series)
	study = appendElement(study, s.enc, tagStudyInstanceUID, "UI", s.source(tagStudyInstanceUID))
	return appendItem(s.sourceItems(tagSourceImageEvidenceSequence), s.enc, study)
}

// numberOfFrames counts what is exported.
func (s *derivedImage) numberOfFrames() []byte {
	return strconv.AppendInt(nil, int64(len(s.slices)), 10)
}

// derivationCode appends to the codes of earlier derivations.
func (s *derivedImage) derivationCode() []byte {
	return appendItem(s.sourceItems(tagDerivationCodeSequence), s.enc, codeItem(s.enc, s.code()))
}

// contributingEquipment appends Quell to what already worked on the image;
// the General Equipment module stays the scanner's.
func (s *derivedImage) contributingEquipment() []byte {
	var item []byte
	item = appendElement(item, s.enc, tagManufacturer, "LO", []byte(product))
	item = appendElement(item, s.enc, tagManufacturerModelName, "LO", []byte(product))
	item = appendElement(item, s.enc, tagSoftwareVersions, "LO", []byte(clip(ascii(s.Version), 64)))
	item = appendElement(item, s.enc, tagContributionDateTime, "DT", append(dicomDate(s.Now), dicomTime(s.Now)...))
	item = appendCode(item, s.enc, tagPurposeOfReferenceCodeSequence, processingEquipment)
	return appendItem(s.sourceItems(tagContributingEquipmentSequence), s.enc, item)
}

// seriesNumber moves the derived series behind the source's: n + 9000, within
// the range of IS.
func (s *derivedImage) seriesNumber() []byte {
	const offset, most = 9000, 1<<31 - 1
	n, err := strconv.ParseInt(strings.TrimSpace(string(s.source(tagSeriesNumber))), 10, 32)
	if err != nil || n > most-offset {
		n = 0
	}
	return strconv.AppendInt(nil, n+offset, 10)
}

// storedValue encodes a stored pixel value.
func (s *derivedImage) storedValue(v int64) []byte {
	return s.enc.order.(binary.AppendByteOrder).AppendUint16(nil, uint16(v))
}
