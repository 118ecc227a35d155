package attributes

import "strings"

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
