package measure

import (
	"math"
	"testing"
)

func TestProfile(t *testing.T) {
	v := ramp(10, 8, 3) // spacing 0.5, 2, 3
	p := Profile(v, [3]float64{2, 3, 1}, [3]float64{6, 3, 1})
	if len(p) != 5 {
		t.Fatalf("%d samples", len(p))
	}
	for k, s := range p {
		if s.Value != float64(10302+k) || s.Distance != 0.5*float64(k) {
			t.Errorf("sample %d: %+v", k, s)
		}
	}
	// The ramp is linear, so interpolation between voxels is exact.
	p = Profile(v, [3]float64{0.25, 6.5, 0.5}, [3]float64{8.75, 0, 1.75})
	for k, s := range p {
		f := float64(k) / float64(len(p)-1)
		want := (0.25 + 8.5*f) + 100*(6.5-6.5*f) + 10000*(0.5+1.25*f)
		if !near(s.Value, want, 1e-12) {
			t.Errorf("sample %d: %g, want %g", k, s.Value, want)
		}
	}
	if want := math.Sqrt(4.25*4.25 + 13*13 + 3.75*3.75); len(p) != 10 || !near(p[9].Distance, want, 1e-12) {
		t.Errorf("%d samples over %g mm, want 10 over %g", len(p), p[len(p)-1].Distance, want)
	}
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = true
	}
	v.Mask[v.Index(4, 3, 1)] = false
	p = Profile(v, [3]float64{3, 3, 1}, [3]float64{11, 3, 1})
	for k, s := range p {
		if outside := k == 1 || k > 6; math.IsNaN(s.Value) != outside {
			t.Errorf("sample %d: %g", k, s.Value)
		}
	}
	if p = Profile(v, [3]float64{1, 1, 1}, [3]float64{1, 1, 1}); len(p) != 1 || p[0].Value != 10101 {
		t.Errorf("a point: %v", p)
	}
	if p = Profile(v, [3]float64{1, 1, 1}, [3]float64{1.25, 1, 1}); len(p) != 2 || p[1].Value != 10101.25 || p[1].Distance != 0.125 {
		t.Errorf("a quarter of a voxel: %v", p)
	}
	if p = Profile(v, [3]float64{0, 0, 0}, [3]float64{math.Inf(1), 0, 0}); p != nil {
		t.Errorf("an endless line gave %d samples", len(p))
	}
}

// A profile has no value outside the volume, on either side, and no sample of a line
// that is too long.
func TestProfileOutside(t *testing.T) {
	v := ramp(3, 3, 3)
	for c := range 3 {
		from, to := [3]float64{1, 1, 1}, [3]float64{1, 1, 1}
		from[c], to[c] = -0.5, 2.5
		p := Profile(v, from, to)
		if len(p) != 4 || !math.IsNaN(p[0].Value) || math.IsNaN(p[1].Value) || math.IsNaN(p[2].Value) || !math.IsNaN(p[3].Value) {
			t.Errorf("axis %d: %v", c, p)
		}
	}
	if p := Profile(v, [3]float64{}, [3]float64{0, math.MaxInt32, 0}); p != nil {
		t.Errorf("%d samples", len(p))
	}
}
