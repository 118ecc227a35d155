package tune_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/phantom"
)

// competitors are the filters with an automatic strength.
var competitors = []string{"nlm", "prinlm", "bnlm", "odct", "bilateral", "sadct", "lpa"}

// With QUELL_GAIN_TABLE=1 expected gains stand beside the true ones, on anatomies and seeds that no
// constant of gains was chosen on; with QUELL_GAIN_TABLE=dev on those that they were chosen on; with QUELL_GAIN_TABLE=3
// in 3-D:
//
//	QUELL_GAIN_TABLE=1 go test -v -run TableOfGains -timeout 1h ./denoise/tune
func TestTableOfGains(t *testing.T) {
	mode := os.Getenv("QUELL_GAIN_TABLE")
	if mode == "" {
		t.Skip("some minutes: set QUELL_GAIN_TABLE=1")
	}
	brains, seed, size := []string{"template/mni152-2009-t1-1mm.nii.gz", "nifti/niivue/chris_t1.nii.gz", "nifti/niivue/avg152T1_RL_nifti.nii.gz"}, uint64(7000), 180
	photons := []float64{3e4, 2e5, 1.2e6}
	if mode == "dev" {
		brains, seed, size, photons = []string{"template/t1-181x217x51-truth.nii.gz"}, 100, 200, []float64{5e4, 4e5}
	}
	dims := 2
	if mode == "3" {
		dims = 3
	}
	var pairs []pair
	for _, sigma := range []float64{4, 10, 20} {
		for _, name := range brains {
			pairs = append(pairs, gaussian(t, filepath.Base(name), quiet(t, name), sigma, seed+uint64(sigma)))
		}
		p, err := phantom.New("mr", phantom.Size{Dims: [3]int{size, size, 10}, Spacing: [3]float64{1.1, 1.1, 4}})
		if err != nil {
			t.Fatal(err)
		}
		truth, err := p.Voxels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r, err := noise.AddNoise(t.Context(), truth, noise.Rician, sigma, seed+50+uint64(sigma))
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, gaussian(t, "mr phantom", truth, sigma, seed+30+uint64(sigma)), pair{fmt.Sprintf("rician %g", sigma), truth, r})
	}
	for _, kernel := range []string{"sharp", "soft"} {
		for _, n := range photons {
			pairs = append(pairs, scanned(t, kernel, n, phantom.Size{Dims: [3]int{size + 40, size + 40, 4}, Spacing: [3]float64{1, 1, 2.5}}, 500))
		}
	}
	fmt.Println("| data | sigma read / true | filter | true | expected | stated |\n| --- | --- | --- | ---: | ---: | --- |")
	var sum tableOfGains
	for _, p := range pairs {
		sum.add(t, p, dims)
	}
	fmt.Printf("\n%d volumes without a gain; %d gains stated, largest error %.2f dB; %d bounds, %d above the truth; largest loss by the choice %.2f dB\n", sum.silent, sum.stated, sum.worst, sum.bounds, sum.broken, sum.regret)
	if sum.worst > 0.3 || sum.broken > 0 {
		t.Error("a gain is stated wrongly")
	}
}

// tableOfGains counts what the table shows.
type tableOfGains struct {
	silent, stated, bounds, broken int
	worst, regret                  float64
}

func (sum *tableOfGains) add(t *testing.T, p pair, dims int) {
	facts, err := denoise.FactsOf(t.Context(), p.noisy)
	if err != nil {
		t.Fatal(err)
	}
	e := facts.Noise
	name := fmt.Sprintf("| %s | %.2f %s / %.2f", p.name, e.Sigma, e.Confidence, math.Sqrt(squaredError(p.noisy.Data, p, facts)))
	if !e.Sentence().IsZero() || e.Negligible || e.Confidence == noise.Low {
		fmt.Println(name, "| | | | none |")
		sum.silent++
		return
	}
	gains, err := tune.Gains(t.Context(), cpu.New(), denoise.Input{Volume: p.noisy}, resolvedBy(t, facts, p.noisy, dims, competitors...), facts)
	if err != nil {
		t.Fatal(err)
	}
	best, chosen, careful := math.Inf(-1), 0.0, math.Inf(-1)
	for _, g := range gains {
		truth := trueGain(t, g.Recipe, p, facts)
		best = max(best, truth)
		if g.Careful > careful {
			careful, chosen = g.Careful, truth
		}
		stated := ""
		switch bound := math.Floor(g.AtLeast); {
		case g.Known():
			stated = fmt.Sprintf("%.1f dB", g.DB)
			sum.stated, sum.worst = sum.stated+1, max(sum.worst, math.Abs(g.DB-truth))
		case bound > 0:
			stated = fmt.Sprintf("over %.0f dB", bound)
			if sum.bounds++; truth < bound {
				sum.broken++
				stated += " **wrong**"
			}
		}
		fmt.Println(name, "|", g.Recipe.Filter, fmt.Sprintf("%d-D | %.2f | %.2f | %s |", g.Recipe.Dims, truth, g.DB, stated))
	}
	sum.regret = max(sum.regret, best-chosen)
}
