package open_test

import (
	"testing"

	"quell/app/job"
	"quell/app/open"
	"quell/internal/shareddata"
	"quell/volume"
)

// TestEncodingOfASeries: what classic and enhanced DICOM states of k-space comes with the volume.
func TestEncodingOfASeries(t *testing.T) {
	for name, want := range map[string]volume.Encoding{
		"mr/philips-slope":          {{64}, {39}},
		"mr/philips-pcasl-enhanced": {{80}, {70}},
		"mr/siemens-enhanced-xa10":  {{64}, {64}},
	} {
		in, err := open.Select(t.Context(), job.Input{Path: shareddata.Path(t, name)}, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := in.Load(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if in.Close(); s.Volume.Encoding != want {
			t.Errorf("%s: %v, want %v", name, s.Volume.Encoding, want)
		}
	}
}
