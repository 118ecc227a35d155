package phantom_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"quell/phantom"
	"quell/volume"
)

// discPhantom is one disc of water in air.
func discPhantom(pixels int, radius float64) phantom.Phantom {
	return phantom.Phantom{
		Kind: "ct", Unit: "HU", Background: -1000,
		Geometry: volume.NewGeometry([3]int{pixels, pixels, 1}, [3]float64{1, 1, 1}),
		Shapes:   []phantom.Shape{{Half: [3]float64{radius, radius, math.Inf(1)}, Value: 1000}},
	}
}

func voxels(t *testing.T, p phantom.Phantom) *volume.Volume {
	t.Helper()
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func scanned(t *testing.T, p phantom.Phantom, s phantom.Scan) *volume.Volume {
	t.Helper()
	v, err := p.Image(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var fbp = phantom.Scan{Views: 360, Recon: phantom.Recon{Method: "fbp", Kernel: "sharp"}}

// moments returns the mean and standard deviation of the voxels of slice z
// within a radius (mm) of the point (x, y).
func moments(v *volume.Volume, x, y, radius float64, z int) (mean, sd float64) {
	var n, sum, squares float64
	for j := range v.Dims[1] {
		for i := range v.Dims[0] {
			dx := (float64(i)-float64(v.Dims[0]-1)/2)*v.Spacing[0] - x
			dy := (float64(j)-float64(v.Dims[1]-1)/2)*v.Spacing[1] - y
			if math.Hypot(dx, dy) <= radius {
				value := float64(v.At(i, j, z))
				n, sum, squares = n+1, sum+value, squares+value*value
			}
		}
	}
	mean = sum / n
	return mean, math.Sqrt(max(squares/n-mean*mean, 0))
}

func TestVoxelsAreMeansOverTheirVolume(t *testing.T) {
	v := voxels(t, discPhantom(64, 20))
	sum := 0.0
	for _, x := range v.Data {
		sum += (float64(x) + 1000) / 1000
	}
	if area := math.Pi * 20 * 20; math.Abs(sum/area-1) > 0.002 {
		t.Errorf("the disc covers %.1f pixels; want %.1f", sum, area)
	}
	if v.At(32, 32, 0) != 0 || v.At(0, 0, 0) != -1000 {
		t.Errorf("inside %g, outside %g; want 0 and -1000", v.At(32, 32, 0), v.At(0, 0, 0))
	}
}

func TestEveryKindHasItsContrasts(t *testing.T) {
	p, err := phantom.New("ct", phantom.Size{})
	if err != nil {
		t.Fatal(err)
	}
	v := voxels(t, p)
	for _, s := range p.Shapes {
		if !strings.HasPrefix(s.Name, "disc of") {
			continue
		}
		inside, spread := moments(v, s.Centre[0], s.Centre[1], s.Half[0]-0.8, 4)
		around := 0.0
		for k := range 12 {
			sin, cos := math.Sincos(float64(k) * math.Pi / 6)
			x, _ := moments(v, s.Centre[0]+(s.Half[0]+0.9)*cos, s.Centre[1]+(s.Half[1]+0.9)*sin, 0.4, 4)
			around += x / 12
		}
		if math.Abs(inside-around-s.Value) > 0.01 || spread > 0.01 {
			t.Errorf("%s: reads %.2f (spread %.2f) above %.2f", s.Name, inside-around, spread, around)
		}
	}
	for _, kind := range phantom.Kinds() {
		p, err := phantom.New(kind, phantom.Size{Dims: [3]int{96, 112, 24}, Spacing: [3]float64{2, 2, 2}})
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := voxelRange(voxels(t, p))
		if want := map[string][2]float32{"ct": {-1000, 950}, "abdomen": {-1000, 500}, "mr": {0, 230}, "steps": {20, 160}}[kind]; lo != want[0] || hi != want[1] {
			t.Errorf("%s: values from %g to %g; want %v", kind, lo, hi, want)
		}
	}
	if _, err := phantom.New("cat", phantom.Size{}); err == nil || !strings.Contains(err.Error(), "ct, abdomen, mr, steps") {
		t.Errorf("unknown kind: %v", err)
	}
}

func voxelRange(v *volume.Volume) (lo, hi float32) {
	return slices.Min(v.Data), slices.Max(v.Data)
}

func TestReconstructionsReturnTheObject(t *testing.T) {
	p := discPhantom(128, 40)
	sart := phantom.Scan{Views: 120, Recon: phantom.Recon{Method: "sart", Iterations: 8, Relaxation: 0.3}}
	soft := fbp
	soft.Recon.Kernel = "soft"
	for name, c := range map[string]struct {
		scan phantom.Scan
		bias float64 // HU
		sd   float64
	}{
		"fbp sharp": {fbp, 2, 3},
		"fbp soft":  {soft, 2, 2},
		"sart":      {sart, 5, 12},
	} {
		v := scanned(t, p, c.scan)
		if mean, sd := moments(v, 0, 0, 30, 0); math.Abs(mean) > c.bias || sd > c.sd {
			t.Errorf("%s: water reads %.2f HU, SD %.2f; want 0 within %g, SD below %g", name, mean, sd, c.bias, c.sd)
		}
		if mean, _ := moments(v, 55, 0, 5, 0); math.Abs(mean+1000) > 12 {
			t.Errorf("%s: air reads %.2f HU", name, mean)
		}
	}
}

// The analytic projections and the sampled ones of a tilted box must agree.
func TestBoxAndEllipseAreReconstructedInPlace(t *testing.T) {
	p := discPhantom(128, 55)
	p.Shapes = append(p.Shapes,
		phantom.Shape{Box: true, Centre: [3]float64{-20, 10, 0}, Half: [3]float64{15, 6, math.Inf(1)}, Angle: 0.6, Value: 200},
		phantom.Shape{Centre: [3]float64{18, -16, 0}, Half: [3]float64{16, 7, math.Inf(1)}, Angle: -0.8, Value: -100})
	exact, got := voxels(t, p), scanned(t, p, fbp)
	for _, at := range [][2]float64{{-20, 10}, {18, -16}, {-10, 17}, {27, -25}, {5, 40}} {
		want, _ := moments(exact, at[0], at[1], 2, 0)
		if mean, _ := moments(got, at[0], at[1], 2, 0); math.Abs(mean-want) > 4 {
			t.Errorf("at %v: %.1f HU; want %.1f", at, mean, want)
		}
	}
}

func TestNoiseFollowsTheDose(t *testing.T) {
	p := discPhantom(128, 50)
	sd := func(photons float64, seed uint64) float64 {
		scan := fbp
		scan.Photons, scan.Seed = photons, seed
		_, sd := moments(scanned(t, p, scan), 0, 0, 25, 0)
		return sd
	}
	few, many := sd(1e4, 1), sd(4e4, 1)
	if r := few / many; r < 1.9 || r > 2.1 {
		t.Errorf("a quarter of the photons multiplies the noise by %.2f; want 2", r)
	}
	soft := fbp
	soft.Recon.Kernel, soft.Photons, soft.Seed = "soft", 1e4, 1
	if _, s := moments(scanned(t, p, soft), 0, 0, 25, 0); s > 0.6*few {
		t.Errorf("the soft kernel leaves a noise of %.1f HU, the sharp one %.1f", s, few)
	}
}

func TestSeedsRepeat(t *testing.T) {
	p := discPhantom(48, 18)
	p.Geometry.Dims[2] = 2
	scan := fbp
	scan.Views, scan.SNR, scan.Seed = 60, 25, 7
	a, b := scanned(t, p, scan), scanned(t, p, scan)
	scan.Seed = 8
	c := scanned(t, p, scan)
	if !slices.Equal(a.Data, b.Data) {
		t.Error("the same seed gave other bits")
	}
	if slices.Equal(a.Data, c.Data) {
		t.Error("another seed gave the same noise")
	}
	if slices.Equal(a.Plane(0), a.Plane(1)) {
		t.Error("two slices have the same noise")
	}
}

func TestRefusals(t *testing.T) {
	p := discPhantom(32, 10)
	for want, change := range map[string]func(*phantom.Scan){
		"0 views":       func(s *phantom.Scan) { s.Views = 0 },
		"given twice":   func(s *phantom.Scan) { s.SNR, s.Photons = 1, 1 },
		"no kernel":     func(s *phantom.Scan) { s.Recon.Kernel = "odd" },
		"reconstruct":   func(s *phantom.Scan) { s.Recon.Method = "mlem" },
		"an SNR of -1":  func(s *phantom.Scan) { s.SNR = -1 },
		"0 iterations":  func(s *phantom.Scan) { s.Recon = phantom.Recon{Method: "sart", Relaxation: 1} },
		"relaxation of": func(s *phantom.Scan) { s.Recon = phantom.Recon{Method: "sart", Iterations: 1, Relaxation: 2} },
	} {
		s := fbp
		change(&s)
		if _, err := p.Image(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	mr, _ := phantom.New("mr", phantom.Size{Dims: [3]int{8, 8, 1}})
	if _, err := mr.Image(t.Context(), fbp); err == nil {
		t.Error("an MR phantom was scanned by CT")
	}
}
