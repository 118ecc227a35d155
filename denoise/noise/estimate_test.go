package noise_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/denoise/noise"
	"quell/internal/shareddata"
	"quell/io/nifti"
	"quell/phantom"
	"quell/volume"
)

// template returns the noise-free T1 template, 0 to 255.
func template(t *testing.T) *volume.Volume {
	t.Helper()
	path := shareddata.Path(t, "template/t1-181x217x51-truth.nii.gz")
	s, err := nifti.Open.Read(t.Context(), os.DirFS(filepath.Dir(path)), filepath.Base(path), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	return s.Volume
}

// phantoms are made once: the tests do not change them.
var phantoms = map[string]*volume.Volume{}

func exact(t *testing.T, kind string) *volume.Volume {
	t.Helper()
	if v, ok := phantoms[kind]; ok {
		return v
	}
	p, err := phantom.New(kind, phantom.Size{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	phantoms[kind] = v
	return v
}

func noisy(t *testing.T, v *volume.Volume, model noise.Model, sigma float64, seed uint64) *volume.Volume {
	t.Helper()
	out, err := noise.AddNoise(t.Context(), v, model, sigma, seed)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func estimate(t *testing.T, v *volume.Volume) noise.Estimate {
	t.Helper()
	e, err := noise.Of(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// within checks a figure against the truth, with a relative tolerance.
func within(t *testing.T, what string, e noise.Estimate, sigma, tolerance float64) {
	t.Helper()
	if off := e.Sigma/sigma - 1; math.Abs(off) > tolerance {
		t.Errorf("%s: sigma %.3f, want %.3f: off by %.1f %%, allowed %.0f %%", what, e.Sigma, sigma, 100*off, 100*tolerance)
	}
	if e.Confidence == noise.None {
		t.Errorf("%s: no confidence: %s", what, e.Why)
	}
}

func TestSigmaOfPhantoms(t *testing.T) {
	for _, c := range []struct {
		kind  string
		model noise.Model
		sigma float64
	}{
		{"steps", noise.Gaussian, 1}, {"steps", noise.Gaussian, 10},
		{"mr", noise.Gaussian, 1}, {"mr", noise.Rician, 1}, {"mr", noise.Rician, 10}, {"mr", noise.Rician, 30},
	} {
		tolerance := 0.05
		if c.sigma == 1 {
			tolerance = 0.1
		}
		within(t, c.kind+" "+string(c.model), estimate(t, noisy(t, exact(t, c.kind), c.model, c.sigma, 5)), c.sigma, tolerance)
	}
	for kind, most := range map[string]float64{"steps": 0, "mr": 0.005 * 230} {
		if e := estimate(t, exact(t, kind)); e.Sigma > most {
			t.Errorf("clean %s: sigma %.3f, want at most %g", kind, e.Sigma, most)
		}
	}
}

// reconstructed returns a slice or two of the CT phantom with noise in its
// projections, and the true standard deviation of the noise in its soft tissue.
func reconstructed(t *testing.T, kernel string, photons float64) (v *volume.Volume, sigma float64) {
	t.Helper()
	p, err := phantom.New("ct", phantom.Size{Dims: [3]int{256, 256, 2}, Spacing: [3]float64{1, 1, 2.5}})
	if err != nil {
		t.Fatal(err)
	}
	scan := phantom.Scan{Views: 400, Recon: phantom.Recon{Method: "fbp", Kernel: kernel}}
	clean, err := p.Image(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	scan.Photons, scan.Seed = photons, 3
	if v, err = p.Image(t.Context(), scan); err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0.0
	for i, x := range clean.Data {
		if x > 20 && x < 60 {
			d := float64(v.Data[i] - x)
			sum, n = sum+d*d, n+1
		}
	}
	return v, math.Sqrt(sum / n)
}

func TestSigmaOfCorrelatedNoise(t *testing.T) {
	for kernel, rho := range map[string][2]float64{"sharp": {-0.35, 0.35}, "soft": {0.4, 0.8}} {
		v, sigma := reconstructed(t, kernel, 2e5)
		e := estimate(t, v)
		within(t, kernel, e, sigma, 0.04)
		for z, f := range e.PerSlice {
			if math.Abs(f.Sigma/sigma-1) > 0.15 {
				t.Errorf("%s: slice %d: sigma %.2f, want %.2f", kernel, z, f.Sigma, sigma)
			}
		}
		if e.Correlation == nil {
			t.Fatalf("%s: no correlation", kernel)
		}
		if r := e.Correlation.Rho(1, 0, 0); r < rho[0] || r > rho[1] {
			t.Errorf("%s: rho of the next pixel %.2f, want %v", kernel, r, rho)
		}
		if r := e.Correlation.Rho(0, 0, 1); math.Abs(r) > 0.1 {
			t.Errorf("%s: rho of the next slice %.2f, want 0", kernel, r)
		}
	}
}

func TestRhoIsSymmetricAndEnds(t *testing.T) {
	v, _ := reconstructed(t, "soft", 2e5)
	c := estimate(t, v).Correlation
	for dy := range noise.MaxLag + 1 {
		for dx := range noise.MaxLag + 1 {
			if c.Rho(dx, dy, 0) != c.Rho(-dx, -dy, 0) || c.Rho(-dx, dy, 0) != c.Rho(dx, -dy, 0) {
				t.Errorf("rho of (%d, %d) is not symmetric", dx, dy)
			}
		}
	}
	if c.Rho(0, 0, 0) != 1 || c.Rho(noise.MaxLag+1, 0, 0) != 0 || c.Rho(0, 0, 3) != 0 {
		t.Error("rho is not 1 at 0 and 0 far away")
	}
	var white *noise.Correlation
	if white.Rho(0, 0, 0) != 1 || white.Rho(1, 0, 0) != 0 || white.Effective() != 1 {
		t.Error("a nil correlation is not white")
	}
}

func TestSmallVolumes(t *testing.T) {
	for _, dims := range [][3]int{{16, 14, 12}, {40, 30, 1}, {20, 20, 3}} {
		v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
		e := estimate(t, noisy(t, v, noise.Gaussian, 4, 1))
		within(t, "small", e, 4, 0.15)
		if e.Confidence == noise.High && len(v.Data) < 3000 {
			t.Errorf("%v: confidence high", dims)
		}
	}
}

// Values with differences that overflow have no figure, and never NaN.
func TestNoFigureWhereDifferencesOverflow(t *testing.T) {
	v := noisy(t, flat([3]int{24, 20, 12}, 0), noise.Gaussian, 1, 1)
	for i := range v.Data {
		v.Data[i] *= 5e37
	}
	if e := estimate(t, v); e.Confidence != noise.None || e.Sigma != 0 || !strings.Contains(e.Why.String(), "overflow") {
		t.Errorf("%+v", e.Figure)
	}
}

func TestNoFigureWithoutWindows(t *testing.T) {
	for name, dims := range map[string][3]int{"voxel": {1, 1, 1}, "line": {300, 1, 1}, "tiny": {5, 5, 3}} {
		for _, unit := range []string{"", "HU"} {
			v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
			v.Unit = unit
			if e := estimate(t, v); e.Confidence != noise.None || e.Sigma != 0 || e.Why.String() == "" || len(e.PerSlice) != dims[2] {
				t.Errorf("%s: %+v", name, e.Figure)
			}
		}
	}
	bone := volume.New(volume.NewGeometry([3]int{64, 64, 2}, [3]float64{1, 1, 1}))
	bone.Unit = "HU"
	for i := range bone.Data {
		bone.Data[i] = 900
	}
	if e := estimate(t, bone); e.Confidence != noise.None {
		t.Errorf("no soft tissue: %+v", e.Figure)
	}
}

// Padding is neither measured nor part of what is measured.
func TestPaddingIsNotMeasured(t *testing.T) {
	v := noisy(t, exact(t, "steps"), noise.Gaussian, 5, 1)
	v.Mask = make([]bool, len(v.Data))
	i := 0
	for range v.Dims[2] {
		for range v.Dims[1] {
			for x := range v.Dims[0] {
				v.Mask[i] = x < 2*v.Dims[0]/3
				if !v.Mask[i] {
					v.Data[i] = -3000
				}
				i++
			}
		}
	}
	within(t, "padded", estimate(t, v), 5, 0.05)
}

func TestNoMapWithoutAFigure(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{4, 4, 1}, [3]float64{1, 1, 1}))
	if m, e, err := noise.Map(t.Context(), v); m != nil || err != nil || e.Confidence != noise.None {
		t.Errorf("map %v, %+v, %v", m, e.Figure, err)
	}
}

func medianOf(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// A volume without noise has the figure 0; its slices, in which edges do not
// cancel, have next to nothing.
func TestNoNoiseAtAll(t *testing.T) {
	p, err := phantom.New("steps", phantom.Size{Dims: [3]int{64, 64, 12}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := estimate(t, v)
	if e.Sigma != 0 || e.Confidence != noise.High || !e.Negligible {
		t.Errorf("%+v, negligible %v; want 0, high, negligible", e.Figure, e.Negligible)
	}
	for z, f := range e.PerSlice {
		if !(f.Sigma < 0.1) || f.Confidence == noise.None {
			t.Errorf("slice %d: %+v; want about 0", z, f)
		}
	}
}

// Volumes of few slices have windows along their edges, in which differences of
// distant voxels have no room.
func TestVolumesOfFewSlices(t *testing.T) {
	for slices := 1; slices <= 9; slices++ {
		p, err := phantom.New("mr", phantom.Size{Dims: [3]int{80, 96, slices}, Spacing: [3]float64{2.2, 2.2, 2.2}})
		if err != nil {
			t.Fatal(err)
		}
		truth, err := p.Voxels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, sigma := range []float64{0, 10} {
			v, err := noise.AddNoise(t.Context(), truth, noise.Gaussian, sigma, 5)
			if err != nil {
				t.Fatal(err)
			}
			if e := estimate(t, v); sigma > 0 && (math.Abs(e.Sigma/sigma-1) > 0.2 || e.Confidence == noise.None) {
				t.Errorf("%d slices: sigma %.2f, want %g: %s", slices, e.Sigma, sigma, e.Why)
			}
		}
	}
}

// What the estimate says must not depend on the unit of the values.
func TestSigmaScalesWithTheData(t *testing.T) {
	v := noisy(t, exact(t, "mr"), noise.Gaussian, 10, 2)
	want := estimate(t, v).Sigma
	for _, c := range []float32{1e-9, 1e-3, 1e9} {
		scaled := v.Clone()
		for i := range scaled.Data {
			scaled.Data[i] *= c
		}
		if got := estimate(t, scaled).Sigma / float64(c); math.Abs(got/want-1) > 1e-4 {
			t.Errorf("times %g: sigma %g, want %g", c, got, want)
		}
	}
}
