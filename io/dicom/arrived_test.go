package dicom_test

import (
	"testing"
	"testing/fstest"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// TestReadArrived knows what Quell made by its equipment, in every encoding, and by its description.
func TestReadArrived(t *testing.T) {
	equipment := func(enc part10.Encoding, undefined bool, makers ...string) dicomtest.RawElement {
		var items [][]byte
		for _, m := range makers {
			items = append(items, part10.AppendElement(nil, enc, part10.TagManufacturer, "LO", []byte(m)))
		}
		if undefined {
			return dicomtest.RawElement(dicomtest.SequenceOf(enc, part10.TagContributingEquipmentSequence, "SQ", enc, items...))
		}
		return dicomtest.RawElement(part10.AppendSequence(nil, enc, part10.TagContributingEquipmentSequence, items...))
	}
	for _, enc := range []part10.Encoding{part10.ExplicitLE, part10.ImplicitLE, part10.ExplicitBE} {
		fake := func() *dicomtest.Fake {
			f := dicomtest.NewFake("5", 0, 0)
			f.Enc = enc
			return f
		}
		for what, c := range map[string]struct {
			f        *dicomtest.Fake
			filtered bool
		}{
			"a scanner's":    {fake(), false},
			"other makers'":  {fake().With(part10.TagContributingEquipmentSequence, equipment(enc, false, "Other", "Quellen AG")), false},
			"Quell's":        {fake().With(part10.TagContributingEquipmentSequence, equipment(enc, false, "Other", "Quell")), true},
			"undefined":      {fake().With(part10.TagContributingEquipmentSequence, equipment(enc, true, "Quell")), true},
			"by description": {fake().With(part10.TagSeriesDescription, "Head [Quell nlm]"), true},
		} {
			got, err := dicom.ReadArrived(fstest.MapFS{"x": {Data: c.f.File()}}, "x")
			want := dicom.Arrived{UID: "1.2.3.5", StudyUID: "1.2.3.1", SeriesUID: "1.2.3.2", Filtered: c.filtered}
			if err != nil || got != want {
				t.Errorf("%s: %+v, %v, want %+v", what, got, err, want)
			}
		}
	}
	counted := dicomtest.NewFake("5", 0, 0).With(0x0020_1209, "300")
	if got, err := dicom.ReadArrived(fstest.MapFS{"x": {Data: counted.File()}}, "x"); err != nil || got.Instances != 300 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, missing := range []part10.Tag{part10.TagSOPInstanceUID, part10.TagSeriesInstanceUID, part10.TagStudyInstanceUID} {
		f := dicomtest.NewFake("5", 0, 0).With(missing, nil)
		if _, err := dicom.ReadArrived(fstest.MapFS{"x": {Data: f.File()}}, "x"); err == nil {
			t.Errorf("an instance without %v", missing)
		} else {
			dicomtest.WantSentence(t, missing.String(), err)
		}
	}
	file := dicomtest.NewFake("5", 0, 0).With(part10.TagContributingEquipmentSequence, equipment(part10.ExplicitLE, true, "Quell")).File()
	for n := range file {
		_, _ = dicom.ReadArrived(fstest.MapFS{"x": {Data: file[:n]}}, "x")
	}
}
