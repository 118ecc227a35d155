package dicom

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	lib "github.com/suyashkumar/dicom"
	"github.com/suyashkumar/dicom/pkg/tag"
)

// The functional groups of multi-frame images (PS3.3 C.7.6.16): a sequence of
// one item for what all frames share, and one of an item per frame.
const (
	tagSharedFunctionalGroupsSequence   tagID = 0x52009229
	tagPerFrameFunctionalGroupsSequence tagID = 0x52009230

	tagPixelMeasuresSequence                         tagID = 0x00289110
	tagPlanePositionSequence                         tagID = 0x00209113
	tagPlaneOrientationSequence                      tagID = 0x00209116
	tagPixelValueTransformationSequence              tagID = 0x00289145
	tagFrameVOILUTSequence                           tagID = 0x00289132
	tagFrameContentSequence                          tagID = 0x00209111
	tagMRImageFrameTypeSequence                      tagID = 0x00189226
	tagCTImageFrameTypeSequence                      tagID = 0x00189329
	tagPETFrameTypeSequence                          tagID = 0x00189751
	tagMREchoSequence                                tagID = 0x00189114
	tagMRDiffusionSequence                           tagID = 0x00189117
	tagDiffusionGradientDirectionSequence            tagID = 0x00189076
	tagMRModifierSequence                            tagID = 0x00189115
	tagCardiacSynchronizationSequence                tagID = 0x00189118
	tagCTReconstructionSequence                      tagID = 0x00189314
	tagUnassignedSharedConvertedAttributesSequence   tagID = 0x00209170
	tagUnassignedPerFrameConvertedAttributesSequence tagID = 0x00209171

	tagReferencedSeriesSequence    tagID = 0x00081115
	tagReferencedFrameNumber       tagID = 0x00081160
	tagReferencedSOPSequence       tagID = 0x00081199
	tagDerivationImageSequence     tagID = 0x00089124
	tagSourceImageEvidenceSequence tagID = 0x00089154

	tagFrameType                      tagID = 0x00089007
	tagComplexImageComponent          tagID = 0x00089208
	tagFrameAcquisitionDateTime       tagID = 0x00189074
	tagInversionTimes                 tagID = 0x00189079
	tagEffectiveEchoTime              tagID = 0x00189082
	tagDiffusionGradientOrientation   tagID = 0x00189089
	tagStackID                        tagID = 0x00209056
	tagTemporalPositionIndex          tagID = 0x00209128
	tagNominalCardiacTriggerDelayTime tagID = 0x00209153
	tagFrameAcquisitionNumber         tagID = 0x00209156
)

// groupAttributes are the functional groups that are read and, of each, the
// attributes that are taken: where a frame lies, what its values mean, and
// what may tell volumes apart.
var groupAttributes = map[tagID][]tagID{
	tagPixelMeasuresSequence:              {tagPixelSpacing, tagSliceThickness, tagSpacingBetweenSlices},
	tagPlanePositionSequence:              {tagImagePositionPatient},
	tagPlaneOrientationSequence:           {tagImageOrientationPatient},
	tagPixelValueTransformationSequence:   {tagRescaleIntercept, tagRescaleSlope, tagRescaleType},
	tagFrameVOILUTSequence:                {tagWindowCenter, tagWindowWidth, tagWindowCenterWidthExplanation},
	tagFrameContentSequence:               {tagStackID, tagTemporalPositionIndex, tagFrameAcquisitionNumber, tagFrameAcquisitionDateTime},
	tagMRImageFrameTypeSequence:           {tagFrameType, tagComplexImageComponent},
	tagCTImageFrameTypeSequence:           {tagFrameType},
	tagPETFrameTypeSequence:               {tagFrameType},
	tagMREchoSequence:                     {tagEffectiveEchoTime},
	tagMRDiffusionSequence:                {tagDiffusionBValue},
	tagDiffusionGradientDirectionSequence: {tagDiffusionGradientOrientation}, // inside the one before
	tagMRModifierSequence:                 {tagInversionTimes},
	tagCardiacSynchronizationSequence:     {tagNominalCardiacTriggerDelayTime},
	tagCTReconstructionSequence:           {tagConvolutionKernel},
	// A legacy converted image keeps here what the groups have no place for.
	tagUnassignedSharedConvertedAttributesSequence:   legacyAttributes,
	tagUnassignedPerFrameConvertedAttributesSequence: legacyAttributes,
	// Nuclear medicine keeps position and orientation of the first slice here.
	tagDetectorInformationSequence: {tagImagePositionPatient, tagImageOrientationPatient},
}

var legacyAttributes = []tagID{tagImageType, tagEchoNumbers, tagEchoTime, tagTriggerTime,
	tagAcquisitionNumber, tagTemporalPositionIdentifier, tagAcquisitionTime}

// tagDetectorInformationSequence has the form of a functional group.
const tagDetectorInformationSequence tagID = 0x00540022

// readGroups returns the attributes of each of the first most items of a
// sequence of functional groups that the tokenizer kept, and how many items there
// are; nil where there is no such sequence.
func readGroups(p *part10, t tagID, most int) (groups []attributes, items int, err error) {
	b, e, err := p.keptElement(t)
	if b == nil || err != nil {
		return nil, 0, err
	}
	err = eachItem(b, e, p.syntax.encoding, func(item sequenceItem) error {
		if items++; items > most {
			return nil
		}
		a := attributes{set: map[tagID]*lib.Element{}}
		groups = append(groups, a)
		return a.addGroups(b, item)
	})
	return groups, items, err
}

// readGroup returns the attributes of a single group that the tokenizer kept.
func readGroup(p *part10, t tagID) (attributes, error) {
	a := attributes{set: map[tagID]*lib.Element{}}
	b, e, err := p.keptElement(t)
	if b == nil || err != nil {
		return a, err
	}
	return a, a.addGroups(b, sequenceItem{enc: p.syntax.encoding, elements: []element{e}})
}

// addGroups takes the attributes of one item of functional groups. The groups
// that are read have one item each; were there more, the first would count.
func (a attributes) addGroups(b []byte, item sequenceItem) error {
	for _, parent := range item.elements {
		take, ok := groupAttributes[parent.tag]
		if !ok {
			continue
		}
		err := eachItem(b, parent, item.enc, func(group sequenceItem) error {
			for _, e := range group.elements {
				if parent.tag == tagMRDiffusionSequence && e.tag == tagDiffusionGradientDirectionSequence {
					if err := a.addGroups(b, sequenceItem{enc: group.enc, elements: []element{e}}); err != nil {
						return err
					}
				}
			}
			a.take(b, group, take...)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// take takes some attributes of an item, unless it has them from one before.
func (a attributes) take(b []byte, item sequenceItem, tags ...tagID) {
	for _, e := range item.elements {
		if _, had := a.set[e.tag]; had || !slices.Contains(tags, e.tag) || e.length == undefinedLength {
			continue
		}
		if v, ok := decodeValue(b[e.value:e.end], e, item.enc); ok {
			a.set[e.tag] = v
		}
	}
}

// decodeValue makes an element of the bytes of a text, float or integer value,
// which is all that functional groups are asked for: the library would have to
// be started anew for each frame.
func decodeValue(b []byte, e element, enc encoding) (*lib.Element, bool) {
	vr := e.vr
	if enc.implicit || vr == "UN" {
		vr = dictionaryVR(e.tag)
	}
	var data any
	switch order := enc.order; vr {
	case "FD", "FL", "UL", "US", "SL", "SS":
		size := map[string]int{"FD": 8, "FL": 4, "UL": 4, "SL": 4, "US": 2, "SS": 2}[vr]
		var floats []float64
		var ints []int
		for ; len(b) >= size; b = b[size:] {
			switch vr {
			case "FD":
				floats = append(floats, math.Float64frombits(order.Uint64(b)))
			case "FL":
				floats = append(floats, float64(math.Float32frombits(order.Uint32(b))))
			default:
				ints = append(ints, integerAt(b, vr, order))
			}
		}
		if data = any(ints); len(floats) > 0 {
			data = floats
		}
		if len(floats)+len(ints) == 0 || slices.ContainsFunc(floats, notFinite) {
			return nil, false
		}
	case "AS", "CS", "DA", "DS", "DT", "IS", "LO", "SH", "TM":
		if len(b) > maxWantedValue {
			return nil, false
		}
		data = strings.Split(strings.TrimRight(string(b), valuePadding), `\`)
	default:
		return nil, false
	}
	v, err := lib.NewValue(data)
	if err != nil {
		return nil, false
	}
	return &lib.Element{Tag: tag.Tag{Group: e.tag.group(), Element: e.tag.element()}, Value: v}, true
}

func integerAt(b []byte, vr string, order binary.ByteOrder) int {
	switch vr {
	case "UL":
		return int(order.Uint32(b))
	case "SL":
		return int(int32(order.Uint32(b)))
	case "US":
		return int(order.Uint16(b))
	default:
		return int(int16(order.Uint16(b)))
	}
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
