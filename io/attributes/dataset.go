// Package attributes holds what archives answer about patients, studies, series and instances: sets of
// attributes with typed values, whatever protocol brought them.
//
//	dataset.go  tags, elements, values
//	form.go     what the values of a VR are
//	query.go    searches
//	retrieval.go  retrievals, UIDs
//	codec.go    data sets of the DICOM network: implicit and explicit little endian
//
// DICOM JSON is read by io/dicomweb. Texts are UTF-8. Nothing here is safe for concurrent changes; what
// is not changed may be read by many goroutines.
package attributes

import (
	"fmt"
	"strconv"
	"strings"
)

// Tag is the tag of an attribute: group in the upper 16 bits, element in the lower ones.
type Tag uint32

// Attributes of answers that callers need most.
const (
	SOPClassUID       Tag = 0x0008_0016
	SOPInstanceUID    Tag = 0x0008_0018
	StudyDate         Tag = 0x0008_0020
	StudyTime         Tag = 0x0008_0030
	AccessionNumber   Tag = 0x0008_0050
	Modality          Tag = 0x0008_0060
	ModalitiesInStudy Tag = 0x0008_0061
	StudyDescription  Tag = 0x0008_1030
	SeriesDescription Tag = 0x0008_103E
	PatientName       Tag = 0x0010_0010
	PatientID         Tag = 0x0010_0020
	StudyInstanceUID  Tag = 0x0020_000D
	SeriesInstanceUID Tag = 0x0020_000E
	SeriesNumber      Tag = 0x0020_0011
	InstanceNumber    Tag = 0x0020_0013
	StudySeries       Tag = 0x0020_1206 // NumberOfStudyRelatedSeries
	StudyInstances    Tag = 0x0020_1208 // NumberOfStudyRelatedInstances
	SeriesInstances   Tag = 0x0020_1209 // NumberOfSeriesRelatedInstances
)

// String returns the eight digits of DICOM JSON.
func (t Tag) String() string { return fmt.Sprintf("%08X", uint32(t)) }

// Dataset is a set of attributes. It must not be changed while others read it.
type Dataset map[Tag]Element

// Element is the value of an attribute. Its VR is one of PS3.5 and fits its values.
type Element struct {
	VR     string
	Values []Value
	Items  []Dataset // of VR SQ
	// BulkDataURI is the address of a value that is not in the answer. It is never followed: it
	// may be of another host.
	BulkDataURI string
}

// Value is one of the values of an element. An empty value is the zero Value.
type Value struct {
	Text   string  // of a number its digits; of PN the alphabetic group
	Number float64 // if IsNumber
	// IsNumber is true for values of numeric VR; a text of IS or DS that is no number is
	// kept as a text.
	IsNumber bool
}

// Text returns the first value of an attribute as text: of PN the alphabetic group, of a number
// its digits, "" if there is none.
func (d Dataset) Text(t Tag) string {
	if v := d[t].Values; len(v) > 0 {
		return v[0].Text
	}
	return ""
}

// Texts returns all values of an attribute as texts, nil if there is none.
func (d Dataset) Texts(t Tag) []string {
	var all []string
	for _, v := range d[t].Values {
		all = append(all, v.Text)
	}
	return all
}

// Number returns the first value of an attribute. It is false if there is none, or no number.
func (d Dataset) Number(t Tag) (float64, bool) {
	if v := d[t].Values; len(v) > 0 && v[0].IsNumber {
		return v[0].Number, true
	}
	return 0, false
}

// Count returns the first value of an attribute if it is a whole number from 0 to 2^31-1.
func (d Dataset) Count(t Tag) (int, bool) {
	n, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(d.Text(t)), "+"), 10, 32)
	return int(n), err == nil && n >= 0
}

// Form is what the values of a VR are, as DICOM JSON groups them (PS3.18 table F.2.3-1). It is 0 for a
// VR that does not exist.
type Form int

// Forms of values.
const (
	Text Form = iota + 1
	Number
	Person
	Sequence
	Bulk // of JSON InlineBinary or BulkDataURI
)

// FormOf returns the form of the values of a VR.
func FormOf(vr string) Form { return forms[vr] }

var forms = func() map[string]Form {
	m := map[string]Form{"PN": Person, "SQ": Sequence}
	for f, all := range map[Form]string{
		Text: "AE AS AT CS DA DT LO LT SH ST TM UC UI UR UT", Number: "DS FD FL IS SL SS SV UL US UV",
		Bulk: "OB OD OF OL OV OW UN",
	} {
		for vr := range strings.FieldsSeq(all) {
			m[vr] = f
		}
	}
	return m
}()
