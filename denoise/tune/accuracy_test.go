package tune_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/shareddata"
	"quell/io/nifti"
	"quell/phantom"
	"quell/volume"
)

// pair is a volume without and with noise.
type pair struct {
	name         string
	truth, noisy *volume.Volume
}

// loss is what a chosen strength costs against the best of a grid, in dB, in the
// foreground and in the whole volume.
type loss struct {
	sigma              float64 // estimated
	chosen, best       float64 // strengths
	foreground, volume float64
}

// lossesOf tunes a filter by each objective and compares with n strengths over the
// whole range.
func lossesOf(t *testing.T, p pair, r denoise.Recipe, n int, objectives ...tune.Objective) []loss {
	t.Helper()
	in := denoise.Input{Volume: p.noisy}
	facts, err := denoise.FactsOf(t.Context(), p.noisy)
	if err != nil {
		t.Fatal(err)
	}
	use, err := noise.Foreground(t.Context(), p.noisy)
	if err != nil {
		t.Fatal(err)
	}
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		t.Fatal(err)
	}
	var losses []loss
	var points []tune.Point
	for _, o := range objectives {
		c, err := tune.Search(t.Context(), cpu.New(), in, r, facts.Noise, tune.Options{Objective: o})
		if err != nil {
			t.Fatalf("%s, %s: %v", p.name, r, err)
		}
		points = append(points, c.Points[c.Best])
	}
	errors := func(strength float64) (foreground, all float64) {
		resolved, err := tune.WithStrength(r, strength, p.noisy.Geometry).Resolve(p.noisy.Geometry, facts)
		if err != nil {
			t.Fatal(err)
		}
		u, err := cpu.New().Run(t.Context(), resolved, in, p.noisy.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0.0
		for i := range u.Data {
			d := float64(u.Data[i]) - float64(p.truth.Data[i])
			all += d * d
			if use(i) {
				foreground, n = foreground+d*d, n+1
			}
		}
		return foreground / n, all / float64(len(u.Data))
	}
	least, leastAll, best := math.Inf(1), math.Inf(1), 0.0
	for k := range n {
		x := f.Strength.Lo * math.Pow(f.Strength.Hi/f.Strength.Lo, float64(k)/float64(n-1))
		here, all := errors(x)
		if here < least {
			least, best = here, x
		}
		leastAll = min(leastAll, all)
	}
	for _, point := range points {
		at, atAll := errors(point.Strength)
		losses = append(losses, loss{
			sigma: facts.Noise.Sigma, chosen: point.Strength, best: best,
			foreground: 10 * math.Log10(at/least), volume: 10 * math.Log10(atAll/leastAll),
		})
	}
	return losses
}

// allowed is the loss that is allowed, in dB.
const allowed = 0.15

// The strength with the least risk is as good as the best of a grid.
func TestChosenStrengthIsTheBestOfAGrid(t *testing.T) {
	truth, noisy := head(t, 10)
	for _, r := range []denoise.Recipe{enginetest.RecipeOf(t, "nlm", 2, "search-radius=2"), enginetest.RecipeOf(t, "bilateral", 2, ""), enginetest.RecipeOf(t, "lpa", 2, "")} {
		l := lossesOf(t, pair{"mr", truth, noisy}, r, 9, tune.LeastRisk)[0]
		if l.foreground > allowed {
			t.Errorf("%s: the strength %.3f loses %.2f dB against %.3f", r, l.chosen, l.foreground, l.best)
		}
	}
}

// On CT the noise is correlated: the perturbation has the same correlation, and the
// risk equals the true error for sharp and for soft kernels.
func TestChosenStrengthIsTheBestOfAGridOnCT(t *testing.T) {
	for _, kernel := range []string{"sharp", "soft"} {
		p := scanned(t, kernel, 4e5, phantom.Size{Dims: [3]int{160, 160, 2}, Spacing: [3]float64{1.4, 1.4, 2.5}}, 300)
		for _, r := range []denoise.Recipe{enginetest.RecipeOf(t, "nlm", 2, "search-radius=2"), enginetest.RecipeOf(t, "bilateral", 2, ""), enginetest.RecipeOf(t, "gaussian", 2, "")} {
			if l := lossesOf(t, p, r, 9, tune.LeastRisk)[0]; l.foreground > allowed {
				t.Errorf("%s, %s: the strength %.3f loses %.2f dB against %.3f", p.name, r, l.chosen, l.foreground, l.best)
			}
		}
	}
}

// With QUELL_TUNE_TABLE=1, or the name of a volume such as "ct", the same for every filter and noise, on the T1 template
// and on volumes that nothing was chosen on: two brains made quiet by a filter,
// phantoms of both kinds, and Rician noise. It takes some minutes.
func TestTableOfChosenStrengths(t *testing.T) {
	only := os.Getenv("QUELL_TUNE_TABLE")
	if only == "" {
		t.Skip("part of the full table: set QUELL_TUNE_TABLE=1")
	}
	var pairs []pair
	for _, sigma := range []float64{3, 5, 10, 20, 30} {
		for _, name := range []string{"template/t1-181x217x51-truth.nii.gz", "nifti/niivue/chris_t1.nii.gz", "nifti/niivue/FLAIR.nii.gz"} {
			pairs = append(pairs, gaussian(t, filepath.Base(name), quiet(t, name), sigma, 100+uint64(sigma)))
		}
		p, err := phantom.New("mr", phantom.Size{Dims: [3]int{112, 128, 18}, Spacing: [3]float64{1.6, 1.6, 1.6}})
		if err != nil {
			t.Fatal(err)
		}
		truth, err := p.Voxels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, gaussian(t, "mr phantom", truth, sigma, 200+uint64(sigma)))
	}
	for _, kernel := range []string{"sharp", "soft"} {
		for _, photons := range []float64{5e4, 4e5} {
			pairs = append(pairs, scanned(t, kernel, photons, phantom.Size{Dims: [3]int{200, 200, 6}, Spacing: [3]float64{1.1, 1.1, 2.5}}, 400))
		}
	}
	template := quiet(t, "template/t1-181x217x51-truth.nii.gz")
	for _, sigma := range []float64{5, 10, 20, 30} {
		noisy, err := noise.AddNoise(t.Context(), template, noise.Rician, sigma, 300+uint64(sigma))
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, pair{fmt.Sprintf("rician %g", sigma), template, noisy})
	}
	fmt.Printf("| data | filter | sigma read | chosen | best of 13 | loss, foreground | loss, volume | residual objective |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	var over []string
	for _, p := range pairs {
		if only != "1" && !strings.Contains(p.name, only) {
			continue
		}
		for _, filter := range []string{"nlm", "bilateral", "lpa"} {
			dims := 0
			if filter == "nlm" {
				dims = 3
			}
			r, err := denoise.NewRecipe(filter, dims)
			if err != nil {
				t.Fatal(err)
			}
			both := lossesOf(t, p, r, 13, tune.LeastRisk, tune.Discrepancy)
			l, other := both[0], both[1]
			fmt.Printf("| %s | %s | %.2f | %.3f | %.3f | %.3f dB | %.3f dB | %.2f dB |\n", p.name, filter, l.sigma, l.chosen, l.best, l.foreground, l.volume, other.foreground)
			if l.foreground > allowed {
				over = append(over, fmt.Sprintf("%s, %s: %.2f dB", p.name, filter, l.foreground))
			}
		}
	}
	if len(over) > 0 {
		slices.Sort(over)
		t.Errorf("over %.2f dB: %q", allowed, over)
	}
}

// quiet returns the middle of a volume with the range 0 to 255; of a volume that
// has noise of its own, as a filter leaves it.
func quiet(t *testing.T, name string) *volume.Volume {
	t.Helper()
	path := shareddata.Path(t, name)
	s, err := nifti.Open.Read(t.Context(), os.DirFS(filepath.Dir(path)), filepath.Base(path), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	v := s.Volume
	var box volume.Region
	for c, want := range [3]int{112, 128, 18} {
		n := min(want, v.Dims[c])
		box.Min[c] = (v.Dims[c] - n) / 2
		box.Max[c] = box.Min[c] + n
	}
	v = v.Crop(box)
	sorted := slices.Clone(v.Data)
	slices.Sort(sorted)
	top := sorted[len(sorted)*9995/10000]
	for i, x := range v.Data {
		v.Data[i] = min(255*x/top, 255)
	}
	if filepath.Dir(name) == "template" {
		return v
	}
	r, _ := denoise.NewRecipe("nlm", 3)
	for range 4 { // a single pass leaves a fifth of the noise, which would count as truth
		e, err := noise.Of(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if e.Sigma < 0.8 {
			break
		}
		if v, err = cpu.New().Run(t.Context(), r.With("h", denoise.Number(2*e.Sigma)), denoise.Input{Volume: v}, v.Bounds(), nil); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func gaussian(t *testing.T, name string, truth *volume.Volume, sigma float64, seed uint64) pair {
	t.Helper()
	noisy, err := noise.AddNoise(t.Context(), truth, noise.Gaussian, sigma, seed)
	if err != nil {
		t.Fatal(err)
	}
	return pair{fmt.Sprintf("%s %g", name, sigma), truth, noisy}
}

// scanned is the CT phantom as a scanner reconstructs it.
func scanned(t *testing.T, kernel string, photons float64, size phantom.Size, views int) pair {
	t.Helper()
	p, err := phantom.New("ct", size)
	if err != nil {
		t.Fatal(err)
	}
	scan := phantom.Scan{Views: views, Recon: phantom.Recon{Method: "fbp", Kernel: kernel}, Seed: 41}
	truth, err := p.Image(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	scan.Photons = photons
	noisy, err := p.Image(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	return pair{fmt.Sprintf("ct %s %.0e", kernel, photons), truth, noisy}
}
