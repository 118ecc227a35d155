package assemble_test

import (
	"fmt"
	"strings"
	"testing"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// TestGradientsOfGroup gives a 4-D series its weightings, as they were acquired.
func TestGradientsOfGroup(t *testing.T) {
	d := dicomtest.Diffusion{Maker: "Siemens", Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Gradients: dicomtest.Interleaved()}
	c := dicomtest.Scan(t, dicomtest.FilesOf(d.Files()))
	if len(c.Entries) != len(d.Gradients) {
		t.Fatalf("%d volumes", len(c.Entries))
	}
	g := c.Entries[0].Group
	if g == nil || g.Gradients == nil || len(g.Gradients.Volumes) != len(d.Gradients) {
		t.Fatalf("%+v", g)
	}
	for i, want := range d.Gradients {
		got := g.Gradients.Volumes[i]
		if got.B != want.B || got.Direction.Sub(want.Direction).Norm() > 1e-6 {
			t.Errorf("volume %d: %+v, want %+v", i, got, want)
		}
		if text := fmt.Sprintf("b-value %g s/mm2", want.B); !strings.HasPrefix(g.Places[i].String(), text) {
			t.Errorf("volume %d lies at %s", i, g.Places[i])
		}
		if n := len(c.Entries[i].Findings); n != 1 { // about the other volumes
			t.Errorf("volume %d: %v", i, c.Entries[i].Findings)
		}
	}
}

// TestNoGradients leaves a series without weighting alone, and names the missing attributes of one with.
func TestNoGradients(t *testing.T) {
	weighted := func(b ...float64) (out []series.Gradient) {
		for i, v := range b {
			out = append(out, series.Gradient{B: v, Direction: volume.Vec{float64(i % 2), float64(1 - i%2), 0}.Scale(min(v, 1))})
		}
		return out
	}
	lose := func(tags ...part10.Tag) func(v, z int, f *dicomtest.Fake) {
		return func(_, _ int, f *dicomtest.Fake) {
			for _, t := range tags {
				f.With(t, nil)
			}
		}
	}
	for name, c := range map[string]struct {
		maker     string
		gradients []series.Gradient
		change    func(v, z int, f *dicomtest.Fake)
		weighted  bool
		text      string
	}{
		"no weighting":           {"Siemens", weighted(0, 0, 0), nil, false, ""},
		"no directions":          {"Siemens", weighted(0, 500, 1000), lose(part10.TagSiemensDirection), true, "The files give b-values and no gradient directions"},
		"GE, patient prone":      {"GE", weighted(0, 500, 1000), func(_, _ int, f *dicomtest.Fake) { f.With(part10.TagPatientPosition, "HFP") }, true, "The gradient directions are stated in the frame of the scanner"},
		"b-values alone, traces": {"Philips", weighted(0, 500, 1000), lose(part10.TagPhilipsDirectionRL), true, "The files give b-values"},
		"directions":             {"Philips", weighted(0, 500, 1000), nil, true, ""},
	} {
		d := dicomtest.Diffusion{Maker: c.maker, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Gradients: c.gradients, Change: c.change}
		scanned := dicomtest.Scan(t, dicomtest.FilesOf(d.Files()))
		g := scanned.Entries[0].Group
		if g == nil || (g.Gradients != nil) != c.weighted {
			t.Errorf("%s: %+v", name, g)
			continue
		}
		if c.weighted && g.Gradients.Directed() != (c.text == "") {
			t.Errorf("%s: %+v", name, g.Gradients)
		}
		for _, e := range scanned.Entries {
			found := ""
			for _, f := range e.Findings {
				if f.Kind == series.Diffusion && f.Severity == series.Warning {
					found = f.Text.String()
				}
			}
			if (found == "") != (c.text == "") || !strings.HasPrefix(found, c.text) {
				t.Errorf("%s: %q", name, found)
			}
		}
	}
}

// TestIsotropicVolume keeps the mean that a scanner adds to a series out of it; a series of such
// volumes stays whole.
func TestIsotropicVolume(t *testing.T) {
	d := dicomtest.Diffusion{Maker: "Philips", Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Gradients: []series.Gradient{
		{B: 0}, {B: 1000, Direction: volume.Vec{1, 0, 0}}, {B: 1000}, {B: 1000, Direction: volume.Vec{0, 1, 0}},
	}}
	c := dicomtest.Scan(t, dicomtest.FilesOf(d.Files()))
	if g := c.Entries[0].Group; len(c.Entries) != 4 || g == nil || g.Len() != 3 || len(g.Gradients.Volumes) != 3 || g.Gradients.Volumes[2].Direction != d.Gradients[3].Direction {
		t.Errorf("%+v", g)
	}
	alone := 0
	for _, e := range c.Entries {
		if e.Group == nil {
			alone++
			if !strings.Contains(e.Part, "isotropic weighting") {
				t.Errorf("alone is %q", e.Part)
			}
		}
	}
	if alone != 1 {
		t.Errorf("%d volumes are in no 4-D series", alone)
	}

	d.Gradients = []series.Gradient{{B: 0}, {B: 500}, {B: 1000}}
	c = dicomtest.Scan(t, dicomtest.FilesOf(d.Files()))
	if g := c.Entries[0].Group; g == nil || g.Len() != 3 || g.Gradients == nil || g.Gradients.Directed() {
		t.Errorf("traces: %+v", g)
	}
	for _, f := range c.Entries[1].Findings {
		if f.Kind == series.Diffusion {
			t.Errorf("traces: %s", f.Text)
		}
	}
}
