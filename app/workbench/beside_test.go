package workbench

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"quell/app/open/opentest"
	"quell/internal/message"
	"quell/io/dicom/dicomtest"
	"quell/series"
	"quell/volume"
)

// ct returns a series with values that are three times the height in the patient.
func ct(g volume.Geometry) *series.Series {
	v := volume.New(g)
	for z := range g.Dims[2] {
		for i := range v.Plane(z) {
			v.Plane(z)[i] = float32(3 * g.Affine.Apply(float64(i%g.Dims[0]), float64(i/g.Dims[0]), float64(z))[2])
		}
	}
	v.Unit, v.Modality = "HU", "CT"
	return &series.Series{Meta: series.Meta{Modality: "CT", Frame: "1.2.3", PatientID: "P1", StudyDate: "20200102"}, Volume: v}
}

func texts(notes []message.Message) string {
	var all []string
	for _, n := range notes {
		all = append(all, n.String())
	}
	return strings.Join(all, " ")
}

// Another series stands at the voxels of the open one, by position.
func TestPlaceBeside(t *testing.T) {
	g := volume.NewGeometry([3]int{6, 5, 4}, [3]float64{1, 1, 3})
	up := g
	up.Affine[2][3] = 3
	b, err := PlaceBeside(t.Context(), ct(g), ct(up))
	if err != nil {
		t.Fatal(err)
	}
	if b.Volume.Geometry != g || b.Acquired != up || b.Share != 0.75 || b.Notes != nil || b.Window.Width != 0 || b.Differs || b.Apart {
		t.Errorf("%+v", b)
	}
	for z := range 4 {
		if i := g.Index(2, 2, z); b.Volume.Valid(i) != (z > 0) || z > 0 && math.Abs(float64(b.Volume.Data[i])-9*float64(z)) > 1e-4 {
			t.Errorf("slice %d is %g", z, b.Volume.Data[i])
		}
	}
	if want := int64(5 * 6 * 5 * 4); b.Bytes() != want || BesideBytes(g) != want || (*Beside)(nil).Bytes() != 0 {
		t.Errorf("%d bytes, %d while it is placed; want %d", b.Bytes(), BesideBytes(g), want)
	}
	other := ct(g)
	for by, keeps := range map[float64]bool{0.009: true, 0.011: false} { // the tolerance of grids
		other.Volume.Affine[2][3] = by
		if b, err := PlaceBeside(t.Context(), ct(g), other); err != nil || (b.Volume == other.Volume) != keeps {
			t.Errorf("%g mm away the voxels are interpolated: %v; %v", by, !keeps, err)
		}
	}
}

// What may mislead is said.
func TestBesideNotes(t *testing.T) {
	g := volume.NewGeometry([3]int{6, 5, 4}, [3]float64{1, 1, 3})
	const (
		patient = "different patient IDs."
		frame   = "The series do not share a frame of reference: positions may differ."
		scale   = "no common scale"
		meaning = "different meanings"
		uneven  = "Slices of the open series lie up to 1.5 mm"
	)
	for name, c := range map[string]struct {
		open, other func(s *series.Series)
		want        []string
		window      bool
	}{
		"alike":             {want: nil},
		"another patient":   {other: func(s *series.Series) { s.PatientID = "P2" }, want: []string{patient}},
		"an unknown one":    {other: func(s *series.Series) { s.PatientID = "" }},
		"another frame":     {other: func(s *series.Series) { s.Frame = "1.2.4" }, want: []string{frame}},
		"one without":       {open: func(s *series.Series) { s.Frame = "" }, want: []string{frame}},
		"none has a frame":  {open: func(s *series.Series) { s.Frame = "" }, other: func(s *series.Series) { s.Frame = "" }, want: []string{frame}},
		"CT and MR":         {other: func(s *series.Series) { s.Modality, s.Volume.Unit = "MR", "" }, want: []string{meaning}, window: true},
		"open is uneven":    {open: func(s *series.Series) { s.Irregular = 1.5 }, want: []string{uneven}},
		"both without unit": {open: func(s *series.Series) { s.Volume.Unit = "" }, other: func(s *series.Series) { s.Volume.Unit = "" }, want: []string{scale}, window: true},
	} {
		open, other := ct(g), ct(g)
		if c.open != nil {
			c.open(open)
		}
		if c.other != nil {
			c.other(other)
		}
		b, err := PlaceBeside(t.Context(), open, other)
		if err != nil {
			t.Fatal(err)
		}
		got := texts(b.Notes)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q; want %q", name, got, want)
			}
		}
		if len(b.Notes) != len(c.want) || (b.Window.Width > 0) != c.window || b.Differs != strings.Contains(got, patient) || b.Apart != strings.Contains(got, frame) {
			t.Errorf("%s: %q, %+v", name, got, b)
		}
	}
}

// The window of the file suits the other series, if it has one.
func TestBesideWindow(t *testing.T) {
	g := volume.NewGeometry([3]int{6, 5, 4}, [3]float64{1, 1, 3})
	open, other := ct(g), ct(g)
	open.Volume.Unit, other.Windows = "", []volume.Window{{Center: 7, Width: 9}}
	if b, err := PlaceBeside(t.Context(), open, other); err != nil || b.Window.Width != 9 {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestBesidePrior(t *testing.T) {
	b := &Beside{}
	for date, want := range map[string]bool{"20200101": true, "20200102": false, "20200103": false, "": false} {
		if b.StudyDate = date; b.Prior(series.Meta{StudyDate: "20200102"}) != want {
			t.Errorf("%q is prior: %v", date, !want)
		}
	}
}

func TestNothingBeside(t *testing.T) {
	g := volume.NewGeometry([3]int{6, 5, 4}, [3]float64{1, 1, 3})
	for by, refused := range map[float64]bool{10.4: false, 10.6: true, 1000: true} { // 9 mm of centres and half a voxel
		far := g
		far.Affine[2][3] = by
		err := CheckBeside(g, far)
		_, placed := PlaceBeside(t.Context(), ct(g), ct(far))
		if (err != nil) != refused || (placed != nil) != refused {
			t.Errorf("%g mm: %v, %v", by, err, placed)
		}
		if refused && (message.KindOf(err) != message.GridDiffers || !strings.Contains(err.Error(), "nothing to compare; choose a series of the same region")) {
			t.Errorf("%v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	finer := volume.NewGeometry([3]int{12, 10, 8}, [3]float64{0.5, 0.5, 1.5})
	if b, err := PlaceBeside(ctx, ct(g), ct(finer)); !errors.Is(err, context.Canceled) || b != nil {
		t.Errorf("%+v, %v", b, err)
	}
}

// Slices that are spaced unevenly are put where they were measured, not on a grid of equal steps.
func TestUnevenBeside(t *testing.T) {
	heights := []float64{0, 3, 6, 12}
	other := ct(volume.NewGeometry([3]int{6, 5, 4}, [3]float64{1, 1, 4}))
	for z, h := range heights {
		other.Sources = append(other.Sources, series.Source{Position: volume.Vec{0, 0, h}})
		for i := range other.Volume.Plane(z) {
			other.Volume.Plane(z)[i] = float32(3 * h)
		}
	}
	other.Irregular = 2
	b, err := PlaceBeside(t.Context(), ct(volume.NewGeometry([3]int{6, 5, 5}, [3]float64{1, 1, 3})), other)
	if err != nil {
		t.Fatal(err)
	}
	for z := range 5 {
		if got := b.Volume.At(2, 2, z); math.Abs(float64(got)-9*float64(z)) > 1e-3 {
			t.Errorf("slice %d is %g; want %d", z, got, 9*z)
		}
	}
	other.Sources = nil // nobody knows where they lie
	if b, err = PlaceBeside(t.Context(), ct(volume.NewGeometry([3]int{6, 5, 5}, [3]float64{1, 1, 3})), other); err != nil || !strings.Contains(texts(b.Notes), "up to 2.0 mm") {
		t.Errorf("%v, %v", b, err)
	}
}

// The frame of reference is that of the file.
func TestFrameOfReferenceIsRead(t *testing.T) {
	dir, _ := dicomtest.OnDisk(t, dicomtest.Stack(2))
	s, c, err := opentest.OpenPath(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if s.Frame != "1.2.3.9" {
		t.Errorf("frame of reference %q", s.Frame)
	}
}
