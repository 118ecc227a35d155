package correlation_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"quell/assets"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/io/dicom"
	"quell/phantom"
	"quell/volume"
)

// scene is a CT without and with the noise of a reconstruction.
type scene struct {
	name         string
	truth, noisy *volume.Volume
}

// phantomScene is the CT phantom as a scanner reconstructs it.
func phantomScene(t *testing.T, side int, spacing float64, slices int, kernel string, photons float64, seed uint64) scene {
	t.Helper()
	p, err := phantom.New("ct", phantom.Size{Dims: [3]int{side, side, slices}, Spacing: [3]float64{spacing, spacing, 2.5}})
	if err != nil {
		t.Fatal(err)
	}
	scan := phantom.Scan{Views: 2 * side, Recon: phantom.Recon{Method: "fbp", Kernel: kernel}, Seed: seed}
	truth, err := p.Image(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	scan.Photons = photons
	noisy, err := p.Image(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	return scene{fmt.Sprintf("CT phantom of %g mm, %s, %.0e photons", spacing, kernel, photons), truth, noisy}
}

// headScene is slices of the bundled head CT, made quiet, with the noise of a
// reconstruction of the phantom on their grid, of so many HU in soft tissue.
func headScene(t *testing.T, from, to int, kernel string, hu float64, seed uint64) scene {
	t.Helper()
	c, err := dicom.Scan(t.Context(), assets.Series, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Load(t.Context(), c.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := s.Volume.Crop(volume.Slices(s.Volume.Geometry, from, to))
	v.Mask = nil
	truth := filtered(t, enginetest.RecipeOf(t, "nlm", 2, "h=6"), v, denoise.Facts{Hi: 1, Noise: noise.Known(1)})
	made := phantomScene(t, v.Dims[0], v.Spacing[0], to-from, kernel, 1e5, seed)
	squares, n := 0.0, 0.0
	for i, a := range made.truth.Data {
		if made.noisy.Data[i] -= a; a > 20 && a < 60 {
			squares, n = squares+float64(made.noisy.Data[i])*float64(made.noisy.Data[i]), n+1
		}
	}
	noisy := truth.Clone()
	for i, a := range made.noisy.Data {
		noisy.Data[i] += a * float32(hu/math.Sqrt(squares/n))
	}
	middle := volume.Region{Min: [3]int{v.Dims[0]/2 - 110, v.Dims[1]/2 - 110, 0}, Max: [3]int{v.Dims[0]/2 + 110, v.Dims[1]/2 + 110, to - from}}
	return scene{fmt.Sprintf("head %d to %d, %s, %g HU", from, to-1, kernel, hu), truth.Crop(middle), noisy.Crop(middle)}
}

func filtered(t *testing.T, r denoise.Recipe, v *volume.Volume, f denoise.Facts) *volume.Volume {
	t.Helper()
	r, err := r.Resolve(v.Geometry, f)
	if err != nil {
		t.Fatal(err)
	}
	out, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// evenTissue returns which voxels lie in soft tissue, three pixels from every edge: the
// truth is between -100 and 150 HU around them and differs by 20 HU at most.
func evenTissue(truth *volume.Volume) []bool {
	use := make([]bool, len(truth.Data))
	nx, ny := truth.Dims[0], truth.Dims[1]
	for i := range use {
		x, y := i%nx, i/nx%ny
		if x < 3 || y < 3 || x >= nx-3 || y >= ny-3 {
			continue
		}
		lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
		for dy := -3; dy <= 3; dy++ {
			for _, a := range truth.Data[i+dy*nx-3 : i+dy*nx+4] {
				lo, hi = min(lo, a), max(hi, a)
			}
		}
		use[i] = lo > -100 && hi < 150 && hi-lo <= 20
	}
	return use
}

// errors returns the mean squared error in even tissue and in the foreground.
func (s scene) errors(out *volume.Volume, even []bool, use func(int) bool) (e [2]float64) {
	var n [2]float64
	for i, a := range out.Data {
		d := float64(a) - float64(s.truth.Data[i])
		for k, in := range []bool{even[i], use(i)} {
			if in {
				e[k], n[k] = e[k]+d*d, n[k]+1
			}
		}
	}
	return [2]float64{e[0] / n[0], e[1] / n[1]}
}

// losses are what automatic values and sure lose against the best of a grid of strengths, in
// dB, in even tissue and in the foreground.
type losses struct {
	auto, sure, gain [2]float64
	best             [2]float64 // strengths
	chosen           float64    // by sure
	stated           float64    // by sure, if even tissue is stated as the part that counts
}

func (s scene) losses(t *testing.T, r denoise.Recipe, facts denoise.Facts, sure bool) (l losses) {
	t.Helper()
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		t.Fatal(err)
	}
	use, err := noise.Foreground(t.Context(), s.noisy)
	if err != nil {
		t.Fatal(err)
	}
	even := evenTissue(s.truth)
	at := func(r denoise.Recipe) [2]float64 { return s.errors(filtered(t, r, s.noisy, facts), even, use) }
	least := [2]float64{math.Inf(1), math.Inf(1)}
	const n = 15
	for k := range n {
		x := f.Strength.Lo * math.Pow(f.Strength.Hi/f.Strength.Lo, float64(k)/(n-1))
		for i, e := range at(tune.WithStrength(r, x, s.noisy.Geometry)) {
			if e < least[i] {
				least[i], l.best[i] = e, x
			}
		}
	}
	here, none := at(r), s.errors(s.noisy, even, use)
	for i := range 2 {
		l.auto[i], l.gain[i] = 10*math.Log10(here[i]/least[i]), 10*math.Log10(none[i]/least[i])
	}
	if sure {
		c, err := tune.Search(t.Context(), cpu.New(), denoise.Input{Volume: s.noisy}, r, facts.Noise, tune.Options{Objective: tune.LeastRisk})
		if err != nil {
			t.Fatal(err)
		}
		l.chosen = c.Points[c.Best].Strength
		alone, err := tune.Search(t.Context(), cpu.New(), denoise.Input{Volume: s.noisy}, r, facts.Noise, tune.Options{Objective: tune.LeastRisk, Foreground: func(i int) bool { return even[i] }})
		if err != nil {
			t.Fatal(err)
		}
		l.stated = 10 * math.Log10(at(tune.WithStrength(r, alone.Points[alone.Best].Strength, s.noisy.Geometry))[0]/least[0])
		chosen := at(tune.WithStrength(r, l.chosen, s.noisy.Geometry))
		for i := range 2 {
			l.sure[i] = 10 * math.Log10(chosen[i]/least[i])
		}
	}
	return l
}

// What automatic values may lose in even tissue against the best strength, in dB.
const allowed = 0.5

// Automatic values of the filters that take the correlation are near the best strength in the
// soft tissue of a CT, with a sharp and with a soft kernel; in white noise of the same sigma
// they would lose several dB.
func TestAutomaticValuesOnCT(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	for _, kernel := range []string{"sharp", "soft"} {
		s := phantomScene(t, 160, 1.4, 2, kernel, 5e5, 21)
		facts, err := denoise.FactsOf(t.Context(), s.noisy)
		if err != nil {
			t.Fatal(err)
		}
		for _, filter := range []string{"odct", "prinlm", "lpa", "bnlm", "sadct"} {
			if l := s.losses(t, enginetest.RecipeOf(t, filter, 2, ""), facts, false); l.auto[0] > allowed {
				t.Errorf("%s, %s: automatic values lose %.2f dB in even tissue", s.name, filter, l.auto[0])
			}
		}
		white := s.losses(t, enginetest.RecipeOf(t, "odct", 2, "correlation=0"), facts, false)
		if kernel == "soft" && white.auto[0] < 3 {
			t.Errorf("%s: white noise loses only %.2f dB", s.name, white.auto[0])
		}
	}
}

// TestTableOfCT prints, with QUELL_CT_TABLE naming filters and their parameters such as
// "odct:2 prinlm:3,wiener=4", what automatic values lose on CT.
func TestTableOfCT(t *testing.T) {
	want := os.Getenv("QUELL_CT_TABLE")
	if want == "" {
		t.Skip("the table of CT: set QUELL_CT_TABLE to filters")
	}
	var scenes []func() scene
	add := func(f func() scene) { scenes = append(scenes, f) }
	seed := uint64(11)
	if os.Getenv("QUELL_CT_HELD") == "" {
		for _, kernel := range []string{"sharp", "soft"} {
			add(func() scene { return phantomScene(t, 200, 1.1, 3, kernel, 1e5, seed) })
			add(func() scene { return phantomScene(t, 200, 1.1, 3, kernel, 1e6, seed) })
			add(func() scene { return headScene(t, 3, 6, kernel, 5, seed) })
			add(func() scene { return headScene(t, 3, 6, kernel, 12, seed) })
		}
	} else {
		for _, kernel := range []string{"sharp", "soft"} {
			add(func() scene { return phantomScene(t, 256, 0.8, 3, kernel, 4e5, 99) })
			add(func() scene { return phantomScene(t, 180, 1.4, 3, kernel, 2e5, 98) })
			add(func() scene { return headScene(t, 0, 3, kernel, 8, 97) })
			add(func() scene { return headScene(t, 5, 8, kernel, 4, 96) })
		}
	}
	for _, build := range scenes {
		s := build()
		facts, err := denoise.FactsOf(t.Context(), s.noisy)
		if err != nil {
			t.Fatal(err)
		}
		list := ""
		if c := facts.Noise.Correlation; c != nil {
			list = fmt.Sprintf("%.2f %.2f %.2f %.2f, E %.2f, across %.2f %.2f", c.Rho(1, 0, 0), c.Rho(2, 0, 0), c.Rho(3, 0, 0), c.Rho(4, 0, 0), c.Effective(), c.Rho(0, 0, 1), c.Rho(0, 0, 2))
		}
		fmt.Printf("%s: sigma %.1f, rho %s, alike %.2f, patches %.2f\n", s.name, facts.Noise.Sigma, list, facts.Alike, facts.AlikePatches)
		for _, w := range strings.Fields(want) {
			name, set, _ := strings.Cut(w, ":")
			dims, set, _ := strings.Cut(set, ",")
			l := s.losses(t, enginetest.RecipeOf(t, name, len("xx")+strings.Count(dims, "3"), strings.ReplaceAll(set, ",", " ")), facts, os.Getenv("QUELL_CT_SURE") != "")
			fmt.Printf("   %-22s even: gain %5.1f, auto loses %5.2f, sure %5.2f (%.2f if it is stated), best %.2f   foreground: gain %5.1f, auto %5.2f, sure %5.2f, best %.2f (chosen %.2f)\n", w, l.gain[0], l.auto[0], l.sure[0], l.stated, l.best[0], l.gain[1], l.auto[1], l.sure[1], l.best[1], l.chosen)
		}
	}
}
