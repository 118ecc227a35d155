package correlation_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/denoise/noise/noisetest"
	"quell/denoise/tune"
	"quell/internal/shareddata"
	"quell/io/nifti"
	"quell/phantom"
	"quell/volume"
)

// template is a series of the shared data whose largest value is 255.
func template(t *testing.T, name string) *volume.Volume {
	t.Helper()
	path := shareddata.Path(t, name)
	s, err := nifti.Open.Read(t.Context(), os.DirFS(filepath.Dir(path)), filepath.Base(path), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	return to255(s.Volume)
}

func to255(v *volume.Volume) *volume.Volume {
	most := float32(0)
	for _, a := range v.Data {
		most = max(most, a)
	}
	for i := range v.Data {
		v.Data[i] *= 255 / most
	}
	return v
}

// mrPhantom is the MR phantom without noise.
func mrPhantom(t *testing.T, dims [3]int, spacing [3]float64) *volume.Volume {
	t.Helper()
	p, err := phantom.New("mr", phantom.Size{Dims: dims, Spacing: spacing})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return to255(v)
}

// scannedMR is a magnitude image with the noise of a scanner, and the middle slices that losses are measured in.
type scannedMR struct {
	truth, noisy *volume.Volume
	middle       volume.Region
}

// scanMR returns an anatomy as a scanner shows it, with noise of sigma.
func scanMR(anatomy *volume.Volume, k noisetest.KSpace, sigma float64, seed uint64) scannedMR {
	z := anatomy.Dims[2] / 2
	return scannedMR{k.Scan(anatomy, 0, 1), k.Scan(anatomy, sigma, seed), volume.Slices(anatomy.Geometry, max(z-3, 0), min(z+3, anatomy.Dims[2]))}
}

// mrLosses are what automatic values and sure lose against the best of a grid of strengths, in dB, in the foreground
// of the middle slices.
type mrLosses struct {
	gain, auto, sure float64
	best, chosen     float64 // strengths: of the grid, by sure
}

func (s scannedMR) losses(t *testing.T, r denoise.Recipe, facts denoise.Facts, sure bool) (l mrLosses) {
	t.Helper()
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		t.Fatal(err)
	}
	g := s.noisy.Geometry
	squares := func(out []float32) float64 {
		sum, n := 0.0, 0.0
		first := s.middle.Min[2] * g.SliceVoxels()
		for i, a := range out {
			if facts.Foreground(first + i) {
				d := float64(a) - float64(s.truth.Data[first+i])
				sum, n = sum+d*d, n+1
			}
		}
		return sum / n
	}
	at := func(r denoise.Recipe) float64 {
		r, err := r.Resolve(g, facts)
		if err != nil {
			t.Fatal(err)
		}
		out, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: s.noisy}, s.middle, nil)
		if err != nil {
			t.Fatal(err)
		}
		return squares(out.Data)
	}
	least := math.Inf(1)
	const n = 19
	for k := range n {
		x := f.Strength.Lo * math.Pow(f.Strength.Hi/f.Strength.Lo, float64(k)/(n-1))
		if e := at(tune.WithStrength(r, x, g)); e < least {
			least, l.best = e, x
		}
	}
	decibels := func(e float64) float64 { return 10 * math.Log10(e/least) }
	l.gain = decibels(squares(s.noisy.Crop(s.middle).Data))
	l.auto = decibels(at(r))
	if sure {
		c, err := tune.Search(t.Context(), cpu.New(), denoise.Input{Volume: s.noisy}, r, facts.Noise, tune.Options{Objective: tune.LeastRisk})
		if err != nil {
			t.Fatal(err)
		}
		l.chosen = c.Points[c.Best].Strength
		l.sure = decibels(at(tune.WithStrength(r, l.chosen, g)))
	}
	return l
}

// lossOf collects the losses of a filter.
type lossOf struct {
	sum, worst  float64
	above, of   int
	worstCase   string
	allowedLoss float64
}

func (l *lossOf) add(x float64, name string) {
	l.sum, l.of = l.sum+x, l.of+1
	if x > l.allowedLoss {
		l.above++
	}
	if x > l.worst {
		l.worst, l.worstCase = x, name
	}
}

func (l *lossOf) String() string {
	return fmt.Sprintf("mean %.2f, most %.2f (%s), %d of %d above %.2f", l.sum/float64(l.of), l.worst, l.worstCase, l.above, l.of, l.allowedLoss)
}

// The MR that automatic values were chosen on, and the one that they are reported on.
func mrOfTable(t *testing.T, held bool) (anatomies []*volume.Volume, names []string, scanners []noisetest.KSpace, seed uint64) {
	t.Helper()
	white := noisetest.KSpace{Name: "white", Response: func(_, _ float64) float64 { return 1 }}
	if !held {
		t1 := template(t, "template/t1-181x217x51-truth.nii.gz")
		all := noisetest.Scanners
		scanners = []noisetest.KSpace{white, all[0], all[1], all[3], all[6], all[7], all[8]}
		anatomies = []*volume.Volume{t1.Crop(volume.Slices(t1.Geometry, 8, 42)), mrPhantom(t, [3]int{176, 176, 30}, [3]float64{1.1, 1.1, 1.5}), noisetest.Thick(t1, 4)}
		return anatomies, []string{"t1", "phantom", "t1 of 4 mm"}, scanners, 310
	}
	slices := func(name string, z0, z1 int) *volume.Volume {
		v := template(t, name)
		return v.Crop(volume.Slices(v.Geometry, z0, z1))
	}
	anatomies = []*volume.Volume{
		noisetest.Turned(template(t, "template/mni152-2009-t1-1mm.nii.gz"), false, 36), slices("nifti/niivue/chris_t1.nii.gz", 70, 106),
		noisetest.Turned(template(t, "nifti/niivue/avg152T1_RL_nifti.nii.gz"), true, 34), mrPhantom(t, [3]int{200, 160, 32}, [3]float64{1, 1, 2}),
		noisetest.Thick(slices("template/mni152-2009-t1-1mm.nii.gz", 60, 116), 4),
	}
	box, gauss := noisetest.Box, noisetest.Gauss
	scanners = []noisetest.KSpace{
		white,
		noisetest.Scanners[0], noisetest.Scanners[1], noisetest.Scanners[3], {Name: "gauss 0.5", Response: gauss(0.5)}, {Name: "gauss 0.7", Response: gauss(0.7)},
		{Name: "0.7 x 0.8", Response: func(fx, fy float64) float64 { return box(fx, 0.7) * box(fy, 0.8) }},
		{Name: "ellipse", Response: func(fx, fy float64) float64 { return box(math.Hypot(fx, fy), 1) }},
	}
	return anatomies, []string{"mni coronal", "chris", "avg sagittal", "phantom", "mni of 4 mm"}, scanners, 7400
}

// Noise of a k-space that ends early along one axis has another correlation along the other one. Automatic values of the
// filters that take it are near the best strength, and the mean of both axes would lose.
func TestAutomaticValuesOnMR(t *testing.T) {
	k := noisetest.Scanners[1]
	s := scanMR(mrPhantom(t, [3]int{120, 128, 8}, [3]float64{1.6, 1.6, 2}), k, 10, 12)
	e := noise.Known(10)
	e.Correlation = &noise.Correlation{Across: [3]float64{1}}
	for dy := range e.Correlation.InPlane {
		for dx := range e.Correlation.InPlane[dy] {
			e.Correlation.InPlane[dy][dx] = k.Rho(dx-noise.MaxLag, dy-noise.MaxLag)
		}
	}
	facts, err := denoise.FactsWith(t.Context(), s.noisy, e)
	if err != nil {
		t.Fatal(err)
	}
	for filter, more := range map[string]float64{"odct": 0.2, "prinlm": 0} {
		own := s.losses(t, enginetest.RecipeOf(t, filter, 2, ""), facts, false)
		mean := s.losses(t, enginetest.RecipeOf(t, filter, 2, "correlation=25,-8,-5,6"), facts, false)
		if own.auto > 0.35 || own.gain-own.auto < mean.gain+more {
			t.Errorf("%s: automatic values lose %.2f dB of %.2f; the best with the mean of both axes gains %.2f", filter, own.auto, own.gain, mean.gain)
		}
	}
}

// TestTableOfMR prints, with QUELL_MR_TABLE naming filters and their parameters such as "nlm:2 odct:3", what automatic
// values lose on MR whose k-space a scanner filtered, cut or filled with zeros; with QUELL_MR_HELD=1 on anatomies,
// supports and seeds that nothing was chosen on; with QUELL_MR_SURE=1 what sure loses as well; with QUELL_MR_ONLY=hamming only
// rows with that in their name:
//
//	QUELL_MR_TABLE="nlm:2 bilateral:2 prinlm:3 odct:3" QUELL_MR_SURE=1 go test -v -run TableOfMR -timeout 1h ./denoise/filter/correlation
func TestTableOfMR(t *testing.T) {
	want := strings.Fields(os.Getenv("QUELL_MR_TABLE"))
	if len(want) == 0 {
		t.Skip("the table of MR: set QUELL_MR_TABLE to filters")
	}
	sure := os.Getenv("QUELL_MR_SURE") != ""
	anatomies, names, scanners, seed := mrOfTable(t, os.Getenv("QUELL_MR_HELD") != "")
	totals := map[string][2]*lossOf{}
	for _, w := range want {
		for _, kind := range []string{"", " unknown"} {
			totals[w+kind] = [2]*lossOf{{allowedLoss: 0.35}, {allowedLoss: 0.15}}
		}
	}
	only := os.Getenv("QUELL_MR_ONLY")
	for a, anatomy := range anatomies {
		for k, scanner := range scanners {
			if !strings.Contains(names[a]+", "+scanner.Name, only) {
				continue
			}
			for _, sigma := range []float64{6, 20} {
				s := scanMR(anatomy, scanner, sigma, seed+uint64(10*a+k))
				facts, err := denoise.FactsOf(t.Context(), s.noisy)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s, %s, %g", names[a], scanner.Name, sigma)
				fmt.Printf("%s: read %+.1f %%, %s, %s, a sample covers %.2f voxels, alike %.2f, patches %.2f\n", name, 100*(facts.Noise.Sigma/sigma-1), facts.Noise.Confidence, facts.Noise.Method, facts.Noise.Correlation.Effective(), facts.Alike, facts.AlikePatches)
				_, _, unknown := facts.Noise.Unknown()
				for _, w := range want {
					filter, set, _ := strings.Cut(w, ":")
					dims, set, _ := strings.Cut(set, ",")
					l := s.losses(t, enginetest.RecipeOf(t, filter, len("xx")+strings.Count(dims, "3"), strings.ReplaceAll(set, ",", " ")), facts, sure && !unknown)
					kind := ""
					if unknown {
						kind = " unknown"
					}
					totals[w+kind][0].add(l.auto, name)
					totals[w+kind][1].add(l.sure, name)
					fmt.Printf("   %-14s gain %5.2f, auto loses %5.2f, sure %5.2f, best %.2f (chosen %.2f)%s\n", w, l.gain, l.auto, l.sure, l.best, l.chosen, kind)
				}
			}
		}
	}
	for _, w := range want {
		for _, kind := range []string{"", " unknown"} {
			if total := totals[w+kind]; total[0].of > 0 {
				fmt.Printf("%s%s: auto %v; sure %v\n", w, kind, total[0], total[1])
			}
		}
	}
}
