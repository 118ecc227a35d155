package dicom_test

import (
	"fmt"
	"strconv"
	"testing"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// TestStepOfOneTime: a functional series with one acquisition time for all images has the step that they state, and
// one with different times has the step of these, or none.
func TestStepOfOneTime(t *testing.T) {
	for name, c := range map[string]struct {
		time func(volume int) string
		want float64
	}{
		"one time": {func(int) string { return "114815" }, 5},
		"no time":  {func(int) string { return "" }, 5},
		"even":     {func(v int) string { return strconv.Itoa(114800 + 2*v) }, 2},
		"uneven":   {func(v int) string { return strconv.Itoa(114800 + v*v) }, 0},
	} {
		files := map[string]*dicomtest.Fake{}
		for v := range 4 {
			for z := range 3 {
				f := dicomtest.NewFake(fmt.Sprintf("8.%d.%d", v, z), 2.5*float64(z), 10*v).With(part10.TagModality, "MR").
					With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.4").With(part10.TagInstanceNumber, strconv.Itoa(1+3*v+z)).
					With(part10.TagScanningSequence, `EP\GR`).With(part10.TagMRAcquisitionType, "2D").With(part10.TagRepetitionTime, "5000").
					With(part10.TagTemporalPositionIdentifier, strconv.Itoa(v+1))
				if at := c.time(v); at != "" {
					f.With(part10.TagAcquisitionTime, at)
				}
				files[fmt.Sprintf("%d-%d", v, z)] = f
			}
		}
		catalog := dicomtest.Scan(t, dicomtest.FilesOf(files))
		if len(catalog.Entries) != 4 || catalog.Entries[0].Group == nil {
			t.Fatalf("%s: %d entries", name, len(catalog.Entries))
		}
		if got := catalog.Entries[0].Group.Step; got != c.want {
			t.Errorf("%s: a step of %g s, want %g", name, got, c.want)
		}
	}
}
