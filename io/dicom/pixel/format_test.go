package pixel_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// TestBitsMustFit pins the last high bit and the first and last number of stored bits of
// a 16-bit word.
func TestBitsMustFit(t *testing.T) {
	for _, c := range []struct {
		stored, high int
		fits         bool
	}{
		{16, 15, true}, {12, 11, true}, {12, 15, true}, {1, 0, true}, {1, 15, true},
		{12, 16, false}, {16, 16, false}, {17, 16, false}, {0, 15, false}, {12, 10, false},
	} {
		f := dicomtest.NewFake("1", 0, 0).With(part10.TagBitsStored, c.stored).With(part10.TagHighBit, c.high)
		e := dicomtest.Scan(t, fstest.MapFS{"a": {Data: f.File()}}).Entries[0]
		refused := e.Err != nil && strings.Contains(e.Err.Error(), "contradict")
		if refused == c.fits || (e.Err == nil) != c.fits {
			t.Errorf("%d bits stored, high bit %d: %v", c.stored, c.high, e.Err)
		}
	}
}

// TestSlopeZeroIsRefused refuses a slope that makes all values one, with any intercept.
func TestSlopeZeroIsRefused(t *testing.T) {
	for _, intercept := range []string{"0", "-1000"} {
		f := dicomtest.NewFake("1", 0, 0).With(part10.TagRescaleSlope, "0").With(part10.TagRescaleIntercept, intercept)
		dicomtest.WantError(t, dicomtest.Scan(t, fstest.MapFS{"a": {Data: f.File()}}).Entries[0].Err, "its rescale slope is 0")
	}
}
