package tune_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/assets"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/shareddata"
	"quell/io/nifti"
	"quell/phantom"
	"quell/volume"
)

// The check of the verdict: data of known truth, every filter from no effect to
// smeared, judged with the recipe and without.
//
//	QUELL_VERDICTS=full QUELL_SHARED_DATA=... go test ./denoise/tune -run TestVerdictAgreement -v -timeout 5h
//
// It takes some 30 minutes of processor time. The value half takes every second strength
// of the filters that do not take long, six minutes; any other the data sets with names
// that contain it. Without, a short version runs.
//
// The truth of a case is its mean squared error in the foreground over the least that the
// filter reaches over its strength. Up to 15 % above it is matched, below that strength
// under, above it over; between 5 and 30 % either neighbour is right. If an object lost
// over 15 % of its contrast, over is right, and matched must not be if that object can be
// seen: if the standard error of its contrast is at most 5 %; up to 7 % either is right.
// The objects of the phantoms are listed; the objects of anatomies are found in the truth,
// see [islands].

// scene is a data set of the check.
type scene struct {
	name         string
	truth, noisy *volume.Volume
	regions      [][]bool // low-contrast objects that a result must keep

	// If the noise differs from place to place: by what factor, and the map that is
	// estimated from noisy, by which the filter works. Errors count relative to it.
	ramp   []float64
	mapped *volume.Volume

	whole *volume.Volume // noisy is the first slices of its middle; nil: noisy is all that there is

	every bool // filter is judged on it, recipes that take long too
}

// input is what is filtered.
func (s scene) input() denoise.Input { return denoise.Input{Volume: s.noisy, Noise: s.mapped} }

// weight is the weight of the squared error of a voxel.
func (s scene) weight(i int) float64 {
	if s.ramp == nil {
		return 1
	}
	return 1 / (s.ramp[i] * s.ramp[i])
}

// ramped returns a scene with noise that grows threefold along x, and its map.
func ramped(t *testing.T, s scene) scene {
	t.Helper()
	out := scene{name: "ramp of " + s.name, truth: s.truth, noisy: s.noisy.Clone(), regions: s.regions, ramp: make([]float64, len(s.noisy.Data))}
	for i, a := range s.truth.Data {
		nx := s.truth.Dims[0]
		out.ramp[i] = 0.5 + float64(i%nx)/float64(nx-1)
		out.noisy.Data[i] = a + float32(out.ramp[i])*(s.noisy.Data[i]-a)
	}
	var err error
	if out.mapped, _, err = noise.Map(t.Context(), out.noisy); err != nil || out.mapped == nil {
		t.Fatalf("%s has no map: %v", out.name, err)
	}
	return out
}

// ladder is the strengths of one filter on one data set, from none to smeared. The
// unit is the one of denoise.Strength.
type ladder struct {
	filter    string
	dims      int
	strengths []float64
	set       map[string]denoise.Value
}

func ladders(ct, every bool) []ladder {
	dims, reach := 3, 2
	if ct { // thick slices
		dims, reach = 2, 5
	}
	all := []ladder{
		{"nlm", dims, []float64{0.3, 0.6, 1.0, 1.6, 2.6, 4.2, 8}, map[string]denoise.Value{"search-radius": denoise.Number(float64(reach))}},
		{"bilateral", 2, []float64{0.5, 1, 1.7, 2.7, 4, 7, 14}, nil},
		{"lpa", 2, []float64{0.1, 0.25, 0.5, 1, 1.7, 3, 5}, nil},
		{"gaussian", dims, []float64{0.25, 0.4, 0.55, 0.75, 1, 1.5, 2.5}, nil},
		{"median", dims, []float64{0, 1, 2, 3, 4}, nil},
	}
	if every {
		all = append(all, ladder{"odct", dims, []float64{0.5, 1, 1.7, 2.5, 3.5, 5, 8}, nil},
			ladder{"prinlm", dims, []float64{0.1, 0.25, 0.45, 0.8, 1.3, 2, 3}, nil},
			ladder{"bnlm", dims, []float64{0.3, 0.6, 1, 1.6, 2.6, 4.2, 6}, nil},
			ladder{"sadct", 2, []float64{0.25, 0.5, 0.8, 1.1, 1.6, 2.5, 4}, nil})
	}
	return all
}

func (l ladder) recipe(t *testing.T, x float64, in denoise.Input, e noise.Estimate) denoise.Recipe {
	t.Helper()
	v, number := in.Volume, func(x float64) denoise.Value { return denoise.Number(x * e.Sigma) }
	if in.Noise != nil {
		number = denoise.Sigmas
	}
	r, err := denoise.NewRecipe(l.filter, l.dims)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range l.set {
		r = r.With(name, value)
	}
	switch l.filter {
	case "nlm":
		r = r.With("h", number(x))
	case "bilateral":
		r = r.With("sigma-range", number(x))
	case "lpa":
		r = r.With("gamma", denoise.Number(x)).With("sigma", number(1))
	case "gaussian":
		r = r.With("sigma-spatial", denoise.Number(x*v.Spacing[0]))
	case "median":
		r = r.With("radius", denoise.List(int(x)))
	default:
		r = tune.WithStrength(r, x, v.Geometry)
	}
	if r, err = r.ResolveFor(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return r
}

// result is one case of a ladder.
type result struct {
	strength float64
	recipe   denoise.Recipe
	after    *volume.Volume
	excess   float64 // of the true error over the least, less 1
	below    bool    // the strength is below the best
	lost     float64 // the largest share of contrast that a visible object lost, less two standard errors
	faint    float64 // the same, with objects that are somewhat less visible
}

// climb runs a filter over its strengths.
func (s scene) climb(t *testing.T, l ladder, e noise.Estimate, use func(int) bool) []result {
	t.Helper()
	run := func(x float64) (result, float64) {
		r := result{strength: x, recipe: l.recipe(t, x, s.input(), e)}
		var err error
		if r.after, err = cpu.New().Run(t.Context(), r.recipe, s.input(), s.noisy.Bounds(), nil); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, a := range r.after.Data {
			if use(i) {
				d := float64(a) - float64(s.truth.Data[i])
				sum += s.weight(i) * d * d
			}
		}
		for _, region := range s.regions {
			lost, se := s.contrastLost(region, r.after, e)
			if se <= 0.05 {
				r.lost = max(r.lost, lost)
			}
			if se <= 0.07 {
				r.faint = max(r.faint, lost)
			}
		}
		return r, sum
	}
	var all []result
	errs := map[float64]float64{}
	for _, x := range l.strengths {
		r, sum := run(x)
		errs[x] = sum
		all = append(all, r)
	}
	best := l.strengths[0]
	for _, x := range l.strengths {
		if errs[x] < errs[best] {
			best = x
		}
	}
	if l.filter != "median" { // the least lies between the strengths
		k := slices.Index(l.strengths, best)
		for _, pair := range [][2]int{{k - 1, k}, {k, k + 1}} {
			if pair[0] >= 0 && pair[1] < len(l.strengths) {
				x := math.Sqrt(l.strengths[pair[0]] * l.strengths[pair[1]])
				if _, errs[x] = run(x); errs[x] < errs[best] {
					best = x
				}
			}
		}
	}
	for i, r := range all {
		all[i].excess, all[i].below = errs[r.strength]/errs[best]-1, r.strength < best
	}
	return all
}

// contrastLost returns the share of a region's contrast to its surroundings that
// lies in the residual, less two standard errors, and the standard error.
func (s scene) contrastLost(region []bool, after *volume.Volume, e noise.Estimate) (lost, se float64) {
	ring, inner := dilate(s.truth.Geometry, region, 4), dilate(s.truth.Geometry, region, 2)
	var n, truth, residual [2]float64
	for i := range region {
		k := 0
		switch {
		case region[i]:
		case ring[i] && !inner[i]:
			k = 1
		default:
			continue
		}
		n[k]++
		truth[k] += float64(s.truth.Data[i])
		residual[k] += float64(s.noisy.Data[i]) - float64(after.Data[i])
	}
	contrast := truth[0]/n[0] - truth[1]/n[1]
	sigma := e.Sigma
	if s.mapped != nil {
		sigma = float64(s.mapped.Data[slices.Index(region, true)])
	}
	se = sigma * math.Sqrt(e.Correlation.Effective()*(1/n[0]+1/n[1])) / math.Abs(contrast)
	return (residual[0]/n[0]-residual[1]/n[1])/contrast - 2*se, se
}

// dilate grows a region within its slices by a disc of radius r.
func dilate(g volume.Geometry, region []bool, r int) []bool {
	out := make([]bool, len(region))
	for i, in := range region {
		if !in {
			continue
		}
		x, y := i%g.Dims[0], i/g.Dims[0]%g.Dims[1]
		for dy := -r; dy <= r; dy++ {
			for dx := -r; dx <= r; dx++ {
				if dx*dx+dy*dy <= r*r && x+dx >= 0 && x+dx < g.Dims[0] && y+dy >= 0 && y+dy < g.Dims[1] {
					out[i+dy*g.Dims[0]+dx] = true
				}
			}
		}
	}
	return out
}

// mostLost is the share of its contrast from which an object is lost: if one object
// is lost, nothing but over is right.
const mostLost = 0.15

// fits says whether a verdict agrees with the truth.
func (r result) fits(v tune.Verdict) bool {
	side := tune.Over
	if r.below {
		side = tune.Under
	}
	return v == tune.Matched && r.excess <= 0.3 || v == side && r.excess >= 0.05 || v == tune.Over && r.faint > mostLost
}

// misleads says whether a verdict must never be.
func (r result) misleads(v tune.Verdict) bool {
	return v == tune.Matched && (r.excess > 0.6 || r.lost > mostLost)
}

func read(t *testing.T, name string) *volume.Volume {
	t.Helper()
	path := shareddata.Path(t, name)
	s, err := nifti.Open.Read(t.Context(), os.DirFS(filepath.Dir(path)), filepath.Base(path), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	return s.Volume
}

// withNoise returns a scene of a truth with noise added.
func withNoise(t *testing.T, name string, truth *volume.Volume, m noise.Model, sigma float64, seed uint64, regions ...[]bool) scene {
	t.Helper()
	noisy, err := noise.AddNoise(t.Context(), truth, m, sigma, seed)
	if err != nil {
		t.Fatal(err)
	}
	return scene{name: fmt.Sprintf("%s %s %.3g", name, m, sigma), truth: truth, noisy: noisy, regions: regions}
}

// objects returns the voxels well inside each shape with a name that begins with
// one of the words, if it lies in the volume.
func objects(p phantom.Phantom, words ...string) [][]bool {
	var all [][]bool
	g := p.Geometry
	for _, s := range p.Shapes {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s.Name, w) }) {
			continue
		}
		region, n := make([]bool, g.Voxels()), 0
		for i := range region {
			var d [3]float64
			for c, at := range [3]int{i % g.Dims[0], i / g.Dims[0] % g.Dims[1], i / g.SliceVoxels()} {
				d[c] = (float64(at)-float64(g.Dims[c]-1)/2)*g.Spacing[c] - s.Centre[c]
			}
			sin, cos := math.Sincos(s.Angle)
			// A voxel from the border.
			u := (d[0]*cos + d[1]*sin) / max(s.Half[0]-g.Spacing[0], 1e-9)
			v := (d[1]*cos - d[0]*sin) / max(s.Half[1]-g.Spacing[1], 1e-9)
			w := d[2] / s.Half[2]
			if u*u+v*v+w*w <= 1 {
				region[i] = true
				n++
			}
		}
		if n >= 9 {
			all = append(all, region)
		}
	}
	return all
}

// usualSeed is the seed of the noise of the data sets that rules were made on.
const usualSeed = 17

func mrScene(t *testing.T, dims [3]int, spacing float64, m noise.Model, sigma float64, seed uint64) scene {
	t.Helper()
	p, err := phantom.New("mr", phantom.Size{Dims: dims, Spacing: [3]float64{spacing, spacing, spacing}})
	if err != nil {
		t.Fatal(err)
	}
	truth, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return withNoise(t, "phantom mr", truth, m, sigma, seed, objects(p, "lesion", "ventricle")...)
}

func ctScene(t *testing.T, side int, spacing float64, k kernel, photons float64, seed uint64) scene {
	t.Helper()
	return projected(t, "ct", side, spacing, k, photons)(seed)
}

// quietened returns a volume less its noise, as nlm takes it for.
func quietened(t *testing.T, v *volume.Volume, dims int, h float64) *volume.Volume {
	t.Helper()
	in := denoise.Input{Volume: v}
	r, err := denoise.NewRecipe("nlm", dims)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = r.With("h", denoise.Number(h)).ResolveFor(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	out, err := cpu.New().Run(t.Context(), r, in, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// at returns the voxels of a brain of 80 x 80 x 9 from a corner.
func at(v *volume.Volume, x, y, z int) *volume.Volume {
	return v.Crop(volume.Region{Min: [3]int{x, y, z}, Max: [3]int{x + 80, y + 80, z + 9}})
}

// fullScenes are the data sets of the full check.
func fullScenes(t *testing.T) []scene {
	t.Helper()
	var all []scene
	t1 := at(read(t, "template/t1-181x217x51-truth.nii.gz"), 50, 65, 20)
	regions := append(details(t, t1), deep(t1, 30, 90))
	for _, sigma := range []float64{3, 10, 20} {
		all = append(all, withNoise(t, "T1", t1, noise.Gaussian, sigma, usualSeed, regions...))
	}
	// A held-back brain: one real T1 scan, its noise of 1 to 2 removed by nlm.
	brain := quietened(t, at(read(t, "nifti/niivue/chris_t1.nii.gz"), 54, 85, 90), 3, 4)
	all = append(all, withNoise(t, "brain", brain, noise.Rician, 8, usualSeed, details(t, brain)...), mrScene(t, [3]int{80, 96, 9}, 2.2, noise.Gaussian, 10, usualSeed),
		ctScene(t, 192, 1.1, sharp, 3e5, 0), ctScene(t, 192, 1.1, soft, 5e5, 0), ctScene(t, 256, 0.9, soft, 2e6, 0))
	all = append(all, ramped(t, all[1]), ramped(t, all[6]))
	for _, s := range heldBack(t) {
		s.name = "held back: " + s.name
		all = append(all, s)
	}
	for i, s := range all {
		all[i].every = slices.Contains([]string{"T1 gaussian 10", "phantom ct sharp 3e+05", "held back: FLAIR rician 9.68"}, s.name)
	}
	return all
}

// heldBack are data sets of other seeds, doses and anatomies, which no rule was made on.
func heldBack(t *testing.T) []scene {
	t.Helper()
	t1 := at(read(t, "template/t1-181x217x51-truth.nii.gz"), 40, 110, 4)
	flair := at(read(t, "nifti/niivue/FLAIR.nii.gz"), 22, 40, 60)
	most := float64(slices.Max(flair.Data))
	quiet := quietened(t, flair, 3, 0.03*most)
	return []scene{
		withNoise(t, "T1", t1, noise.Gaussian, 6, 101, details(t, t1)...),
		withNoise(t, "FLAIR", quiet, noise.Rician, 0.04*most, 102, details(t, quiet)...),
		headScene(t, sharp, 203), headScene(t, soft, 204),
		ctScene(t, 192, 1.1, soft, 9e5, 201), ctScene(t, 224, 1, sharp, 8e5, 202),
		mrScene(t, [3]int{84, 90, 9}, 2, noise.Rician, 7, 301),
	}
}

// headScene is two slices of the bundled head CT with noise of 8 HU.
func headScene(t *testing.T, k kernel, seed uint64) scene {
	t.Helper()
	all := seriesIn(t, assets.Series)
	return onHead(t, "head CT", all.Crop(volume.Slices(all.Geometry, 3, 5)), k, 8)(seed)
}

// details returns the objects of an anatomy without noise, see [islands].
func details(t *testing.T, truth *volume.Volume) [][]bool {
	t.Helper()
	use, err := noise.Foreground(t.Context(), truth)
	if err != nil {
		t.Fatal(err)
	}
	return islands(truth, use)
}

// deep returns the voxels darker than limit within a distance of the middle of the
// slices if their neighbours in the slice are as dark: ventricles.
func deep(v *volume.Volume, distance int, limit float32) []bool {
	dark := make([]bool, len(v.Data))
	for i, a := range v.Data {
		x, y := i%v.Dims[0]-v.Dims[0]/2, i/v.Dims[0]%v.Dims[1]-v.Dims[1]/2
		dark[i] = a >= limit || max(x, -x, y, -y) > distance
	}
	out := dilate(v.Geometry, dark, 1)
	for i := range out {
		out[i] = !out[i]
	}
	return out
}

func TestVerdictAgreement(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	only := os.Getenv("QUELL_VERDICTS")
	full, half := only != "", only == "half"
	scenes := []scene{mrScene(t, [3]int{72, 80, 5}, 2.4, noise.Gaussian, 10, usualSeed)}
	if full {
		scenes = slices.DeleteFunc(fullScenes(t), func(s scene) bool { return only != "full" && !half && !strings.Contains(s.name, only) })
	}
	var table scores
	for _, s := range scenes {
		use, err := noise.Foreground(t.Context(), s.noisy)
		if err != nil {
			t.Fatal(err)
		}
		facts, err := denoise.FactsFor(t.Context(), s.input())
		if err != nil {
			t.Fatal(err)
		}
		e := facts.Noise
		t.Logf("%s: sigma %.2f (%s)", s.name, e.Sigma, e.Confidence)
		_, ct := noise.Hounsfield(s.noisy)
		for _, l := range ladders(ct, s.every && !half) {
			for k, c := range s.climb(t, l, e, use) {
				if (half || !full) && k%2 != 1 { // one below the best, one near it, one beyond
					continue
				}
				r := tune.Result{Input: s.input(), After: c.after, Recipe: &c.recipe, Made: true, Noise: e, Foreground: use}
				j, err := tune.Judge(t.Context(), cpu.New(), r)
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(j.Spectrum, func(b tune.Band) bool { return b.Power > 2 }) {
					table.count(!c.below, "spectrum")
				}
				verdicts := map[string]tune.Judgement{"recipe": j}
				if full || k == 3 {
					r.Recipe = nil
					if verdicts["blind"], err = tune.Judge(t.Context(), cpu.New(), r); err != nil {
						t.Fatal(err)
					}
				}
				for way, j := range verdicts {
					v := j.Verdict
					right := c.fits(v)
					table.count(right, way, s.name+" "+way, l.filter+" "+way, s.name+" "+l.filter+" "+way)
					if !right {
						t.Logf("%s: %s %g (%s): excess %.0f %%, lost %.0f %%: %s: %s", s.name, l.filter, c.strength, way, 100*c.excess, 100*c.lost, v, j.Why)
					}
					if c.misleads(v) {
						t.Errorf("%s: %s %g (%s): matched with excess %.0f %% and %.0f %% of a contrast lost", s.name, l.filter, c.strength, way, 100*c.excess, 100*c.lost)
					}
				}
			}
		}
	}
	table.log(t)
	if c := table.all["spectrum"]; !c.share(95) {
		t.Errorf("%d of %d results that hold twice the power of noise at some scale are beyond the best strength, want 95 %%", c.right, c.total)
	}
	for _, way := range []string{"recipe", "blind"} {
		c := table.all[way]
		t.Logf("%s: %d of %d verdicts are right", way, c.right, c.total)
		if c.total == 0 || !c.share(90) {
			t.Errorf("%s: %d of %d verdicts are right, want 90 %%", way, c.right, c.total)
		}
	}
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
