package dicom_test

import (
	"testing"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// TestIdentity: a copy of a series has its identity; one of another patient, study or series has not, though its images kept
// their UIDs.
func TestIdentity(t *testing.T) {
	of := func(tag part10.Tag, value string) string {
		fakes := dicomtest.Stack(3)
		for _, f := range fakes {
			if tag != 0 {
				f.With(tag, value)
			}
		}
		return dicomtest.Scan(t, dicomtest.FilesOf(fakes)).Identity(0)
	}
	first := of(part10.Tag(0), "")
	if first == "" || first != of(part10.Tag(0), "") {
		t.Errorf("a copy has %q, the series %q", of(part10.Tag(0), ""), first)
	}
	for tag, value := range map[part10.Tag]string{part10.TagPatientName: "OTHER^ONE", part10.TagPatientID: "4712", part10.TagStudyInstanceUID: "1.2.77", part10.TagSeriesInstanceUID: "1.2.78"} {
		if of(tag, value) == first {
			t.Errorf("with another %v it is the same", tag)
		}
	}
}
