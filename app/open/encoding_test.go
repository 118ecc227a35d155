package open_test

import (
	"testing"

	"quell/app/job"
	"quell/app/open"
	"quell/internal/shareddata"
	"quell/volume"
)

// TestEncodingOfASeries: what DICOM states of k-space comes with the volume.
func TestEncodingOfASeries(t *testing.T) {
	in, err := open.Select(t.Context(), job.Input{Path: shareddata.Path(t, "mr/philips-slope")}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s, err := in.Load(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := (volume.Encoding{{64}, {39}}); s.Volume.Encoding != want {
		t.Errorf("%v, want %v", s.Volume.Encoding, want)
	}
}
