package nifti

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"quell/io/raster"
	"quell/volume"
)

// TestUnitsOfLength reads a grid in each unit: it is in mm, and a finding says when
// it was converted.
func TestUnitsOfLength(t *testing.T) {
	want := readSample(t, "int16-le.nii").Volume
	for code, c := range map[byte]struct {
		mm      float64
		finding string
	}{
		0: {1, ""}, // unknown
		2: {1, ""},
		1: {1000, "note units: The header gives lengths in metres"},
		3: {1e-3, "note units: The header gives lengths in micrometres"},
		5: {1, "warning units: The header's unit of length (code 5) is not defined"},
	} {
		const seconds = 8 // the unit of time shares the byte
		b := bytes.Clone(sample(t, "int16-le.nii"))
		b[123] = code | seconds
		s, err := Read(t.Context(), fstest.MapFS{"a.nii": {Data: b}}, "a.nii")
		if err != nil {
			t.Fatal(err)
		}
		g := s.Volume.Geometry
		for r := range 3 {
			if d := math.Abs(g.Spacing[r] - c.mm*want.Spacing[r]); d > 1e-9*g.Spacing[r] {
				t.Errorf("unit %d: spacing %v, want %g times %v", code, g.Spacing, c.mm, want.Spacing)
			}
		}
		if p, w := g.Affine.Column(3), want.Affine.Column(3).Scale(c.mm); p.Sub(w).Norm() > 1e-9*w.Norm() {
			t.Errorf("unit %d: origin %v, want %v", code, p, w)
		}
		if got := summary(s.Findings); got != c.finding {
			t.Errorf("unit %d: findings %q, want %q", code, got, c.finding)
		}
		// The file is written in mm.
		back, h := rewrite(t, s.Volume, s, "out.nii", "")
		if h.xyztUnits != 2|seconds || len(back.Findings) != 0 || !back.Volume.SameGrid(g, 1e-4*c.mm) {
			t.Errorf("unit %d: written with units %#x, findings %v", code, h.xyztUnits, back.Findings)
		}
	}
}

// TestQformThreshold tilts each pair of axes by angles around 0.00573 degrees, with
// the cosine orthogonalCosine: up to there a qform is written, which then differs
// from the sform by less than 0.03 mm; beyond it the sform stands alone.
func TestQformThreshold(t *testing.T) {
	for _, axes := range [][2]int{{0, 1}, {1, 2}, {0, 2}} {
		for _, c := range []struct {
			cosine float64
			qform  bool
		}{
			{0, true}, {0.99e-4, true}, {1.01e-4, false}, {math.Sin(0.6 * math.Pi / 180), false},
		} {
			g := volume.NewGeometry([3]int{300, 300, 300}, [3]float64{1, 1, 1})
			tilted := volume.Vec{}
			tilted[axes[0]], tilted[axes[1]] = c.cosine, math.Sqrt(1-c.cosine*c.cosine)
			g.Affine.SetColumn(axes[1], tilted)
			h := newHeader(g, nil, raster.Encoder{}, "")
			if (h.qformCode != 0) != c.qform || h.sformCode != xformScannerAnat {
				t.Errorf("axes %v, cosine %g: codes q %d s %d", axes, c.cosine, h.qformCode, h.sformCode)
			}
			if !c.qform {
				continue
			}
			for corner := range 8 {
				i, j, k := float64(corner&1*299), float64(corner>>1&1*299), float64(corner>>2*299)
				if d := h.qform().Apply(i, j, k).Sub(h.sform().Apply(i, j, k)).Norm(); !(d < 0.03) {
					t.Errorf("axes %v, cosine %g: the transforms differ by %g mm", axes, c.cosine, d)
				}
			}
		}
	}
}

// TestShearGoesToSformAlone writes a grid with gantry tilt from another format.
func TestShearGoesToSformAlone(t *testing.T) {
	v := readSample(t, "sheared.nii").Volume
	got, h := rewrite(t, v, nil, "tilted.nii", "")
	if h.qformCode != 0 || h.sformCode != 1 {
		t.Errorf("codes s %d q %d, want 1 and 0", h.sformCode, h.qformCode)
	}
	if !got.Volume.SameGrid(v.Geometry, 1e-4) {
		t.Error("the grid moved")
	}
}

func TestQuaternionsOfAllRotations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		x := volume.Vec{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Unit()
		y := x.Cross(volume.Vec{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}).Unit()
		z := x.Cross(y)
		switch rng.IntN(4) {
		case 0: // a rotation by about 180 degrees, where a is nearly 0
			angle := math.Pi - 1e-5*rng.Float64()
			s, c := math.Sincos(angle)
			y, z = y.Scale(c).Add(z.Scale(s)), z.Scale(c).Sub(y.Scale(s))
		case 1:
			z = z.Scale(-1)
		}
		var m volume.Affine
		m.SetColumn(0, x.Scale(0.5+rng.Float64()))
		m.SetColumn(1, y.Scale(0.5+rng.Float64()))
		m.SetColumn(2, z.Scale(0.5+rng.Float64()))
		var h header
		if !h.setQform(m) {
			t.Fatal("a rotation was refused")
		}
		got := h.qform()
		for r := range m {
			for c := range m[r] {
				// Near a = 0 half of the digits are lost.
				if math.Abs(got[r][c]-m[r][c]) > 1e-6 {
					t.Fatalf("%v was read back as %v", m, got)
				}
			}
		}
	}
}
