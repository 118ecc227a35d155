package instance_test

import (
	"encoding/binary"
	"math"
	"os"
	"slices"
	"testing"

	"quell/io/dicom/derive"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/volume"
)

// TestUIHTiles splits images of tiles into slices at the places that the private header states.
func TestUIHTiles(t *testing.T) {
	for name, enc := range map[string]part10.Encoding{"implicit": part10.ImplicitLE, "explicit": part10.ExplicitLE, "big endian": part10.ExplicitBE} {
		c := dicomtest.Scan(t, dicomtest.OneFile(dicomtest.NewUIHTiles(enc, 40)))
		if len(c.Entries) != 1 || c.Entries[0].Err != nil {
			t.Fatalf("%s: %+v", name, c.Entries)
		}
		s := dicomtest.Load(t, c, 0)
		want := volume.Affine{{0.5, 0, 0, -10}, {0, 0.75, 0, -20}, {0, 0, 2.5, 30}}
		if s.Volume.Affine != want || s.Volume.Dims != [3]int{4, 3, 5} {
			t.Errorf("%s: %+v, want %v", name, s.Volume.Geometry, want)
		}
		for z := range 5 {
			tile := 4 - z
			for n, v := range s.Volume.Plane(z) {
				if v != float32(100*tile+n) {
					t.Fatalf("%s: slice %d pixel %d is %g", name, z, n, v)
				}
			}
		}
	}
}

// TestUIHTilesOfOneSeries splits a series of such images by b-value and direction.
func TestUIHTilesOfOneSeries(t *testing.T) {
	along := binary.LittleEndian.AppendUint64(nil, math.Float64bits(1))
	along = append(along, make([]byte, 16)...)
	b0 := dicomtest.NewUIHTiles(part10.ExplicitLE, 40).With(part10.TagSOPInstanceUID, "1.2.3.71").
		With(part10.TagUIHBValue, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagUIHBValue, "FD", make([]byte, 8))))
	turned := dicomtest.NewUIHTiles(part10.ExplicitLE, 40).With(part10.TagSOPInstanceUID, "1.2.3.72").
		With(part10.TagUIHDirection, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagUIHDirection, "FD", along)))
	c := dicomtest.Scan(t, dicomtest.FilesOf(map[string]*dicomtest.Fake{"a": dicomtest.NewUIHTiles(part10.ExplicitLE, 40), "b": b0, "c": turned}))
	var parts []string
	for _, e := range c.Entries {
		parts = append(parts, e.Part)
	}
	if want := []string{"b-value 0", "b-value 929.75, direction 0 0.6 0.8", "b-value 929.75, direction 1 0 0"}; !slices.Equal(parts, want) {
		t.Errorf("parts %q, want %q", parts, want)
	}
}

func TestUIHTilesRefused(t *testing.T) {
	const silent = "its private header does not say where they lie"
	for name, c := range map[string]struct {
		file *dicomtest.Fake
		want string
	}{
		"stripped":       {dicomtest.NewUIHTiles(part10.ExplicitLE, 40).With(part10.TagUIHFrameSequence, nil), silent},
		"no orientation": {dicomtest.NewUIHTiles(part10.ExplicitLE, 40).With(part10.TagImageOrientationPatient, nil), silent},
		"other size":     {dicomtest.NewUIHTiles(part10.ExplicitLE, 40).With(part10.TagColumns, 8).With(part10.TagRows, 9), "5 slices do not fit its 8 x 9 pixels"},
	} {
		_, err := dicomtest.Scan(t, dicomtest.OneFile(c.file)).Load(t.Context(), 0, nil)
		if err == nil {
			t.Errorf("%s: it is read", name)
			continue
		}
		dicomtest.WantError(t, err, "m.dcm: ", "UIH VFRAME", c.want, "; ")
	}
}

// TestUIHTilesExport puts the slices back into their tiles; without the patient's
// identity, only their places stay of the private sequence.
func TestUIHTilesExport(t *testing.T) {
	for name, d := range map[string]derive.Derived{"whole": dicomtest.TestDerived, "de-identified": dicomtest.Hidden("s")} {
		_, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": dicomtest.NewUIHTiles(part10.ExplicitLE, 40)})
		out, _ := dicomtest.Export(t, s, d)
		back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
		if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
			t.Errorf("%s: the tiles came back differently", name)
		}
		if has := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))[part10.TagUIHBValue] != nil; has != (name == "whole") {
			t.Errorf("%s: b-value there: %v", name, has)
		}
	}
}
