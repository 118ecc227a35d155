package tune_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/volume"
)

// The check of the scan: results of every filter, and results from which a lesion was erased or
// faded by half, in which one was invented, or moved by three pixels. All are made by the same
// recipe of noise twins: the result to be judged is what it makes of the same noise without the
// lesion.
//
//	QUELL_SCAN_TABLE=1 go test ./denoise/tune -run TestScanTable -v -timeout 2h
//
// QUELL_SCAN_TABLE=dev takes the data sets that the thresholds were made on, held and held2 those of [heldOut], with other
// lesions, blurred, of which every second lies anywhere in the foreground. Without, one filter runs on a phantom.

// planted is a lesion and what becomes of it in the result.
type planted struct {
	kind   string // "erased", "faded", "invented" or "moved"
	at     [3]int
	radius int
	slices int
	sigmas float64

	blurred  bool // as an image shows it, with a Gaussian of 0.8 pixels
	anywhere bool // its place may be uneven
}

var plants = []planted{
	{kind: "erased", radius: 4, slices: 1, sigmas: 2}, {kind: "invented", radius: 3, slices: 1, sigmas: 4},
	{kind: "moved", radius: 4, slices: 2, sigmas: 4}, {kind: "faded", radius: 5, slices: 1, sigmas: 4},
	{kind: "erased", radius: 3, slices: 3, sigmas: 2}, {kind: "invented", radius: 5, slices: 1, sigmas: -8},
	{kind: "moved", radius: 3, slices: 1, sigmas: -6}, {kind: "faded", radius: 4, slices: 3, sigmas: -2},
	{kind: "erased", radius: 5, slices: 1, sigmas: -8}, {kind: "invented", radius: 4, slices: 3, sigmas: 2},
	{kind: "erased", radius: 3, slices: 1, sigmas: 2}, {kind: "faded", radius: 3, slices: 2, sigmas: 3},
}

// otherPlants are those of the held-out data sets.
var otherPlants = []planted{
	{kind: "erased", radius: 2, slices: 1, sigmas: 5}, {kind: "invented", radius: 4, slices: 2, sigmas: 3},
	{kind: "moved", radius: 5, slices: 1, sigmas: 3.5}, {kind: "faded", radius: 3, slices: 3, sigmas: 5},
	{kind: "erased", radius: 5, slices: 3, sigmas: 1.2}, {kind: "invented", radius: 2, slices: 3, sigmas: -4},
	{kind: "moved", radius: 4, slices: 1, sigmas: -5}, {kind: "faded", radius: 5, slices: 2, sigmas: -3},
	{kind: "erased", radius: 4, slices: 1, sigmas: -3}, {kind: "invented", radius: 5, slices: 1, sigmas: 1.8},
	{kind: "erased", radius: 3, slices: 2, sigmas: 6}, {kind: "faded", radius: 4, slices: 1, sigmas: 7}, {kind: "invented", radius: 3, slices: 1, sigmas: -2.5},
}

// put returns a copy with the lesion, moved along x.
func (p planted) put(v *volume.Volume, by int, sigma float64) *volume.Volume {
	if p.blurred {
		profile, out := discOf(2*float64(p.radius)), v
		for z := p.at[2]; z < p.at[2]+p.slices; z++ {
			out = puts(out, [][3]int{{p.at[0] + by, p.at[1], z}}, profile, p.sigmas*sigma, 1)
		}
		return out
	}
	out := v.Clone()
	put(out, p.at[0]+by, p.at[1], p.at[2], p.at[2]+p.slices, p.radius, float32(p.sigmas*sigma))
	return out
}

// z returns by how many standard errors of the noise what changes stands out.
func (p planted) z(c *noise.Correlation) float64 {
	n := 0.0
	for y := -p.radius; y <= p.radius; y++ {
		for x := -p.radius; x <= p.radius; x++ {
			if x*x+y*y <= p.radius*p.radius {
				n++
			}
		}
	}
	z := math.Abs(p.sigmas) * math.Sqrt(n*float64(p.slices)/c.Effective())
	if p.kind == "faded" {
		return z / 2
	}
	return z
}

// perFilter is how many lesions each filter gets in a data set, one less if that is held out.
const perFilter = 4

// otherwise returns resolved recipes of a filter with one size or choice of another value than its default's.
func otherwise(f denoise.Filter, r denoise.Recipe) (all []denoise.Recipe) {
	for _, p := range f.Params {
		if p.Name == f.Strength.Param || !r.Ignores(p.Name).IsZero() {
			continue
		}
		value := r.Get(p.Name)
		switch {
		case p.Kind == denoise.Int && value.Float()-2*p.Step >= p.Lo:
			all = append(all, r.With(p.Name, denoise.Number(value.Float()-2*p.Step)))
		case p.Kind == denoise.Int:
			all = append(all, r.With(p.Name, denoise.Number(value.Float()+p.Step)))
		case p.Kind == denoise.Choice:
			all = append(all, r.With(p.Name, denoise.Word(p.Choices[(slices.Index(p.Choices, value.String())+1)%len(p.Choices)])))
		}
	}
	return all
}

// near says whether a finding is about the lesion.
func (p planted) near(f *tune.Finding) bool {
	reach := p.radius + 3
	dx, dy := f.Place.X-p.at[0], f.Place.Y-p.at[1]
	return max(dx, -dx, dy, -dy) <= reach && f.Place.Slice < p.at[2]+p.slices && f.Place.Slice+f.Slices > p.at[2]
}

// evenPlaces returns voxels of the evenest tissue of a truth, away from each other.
func evenPlaces(truth *volume.Volume, use func(int) bool, want int) (out [][3]int) {
	type candidate struct {
		at [3]int
		sd float64
	}
	var all []candidate
	d := truth.Dims
	for z := range max(d[2]-2, 1) {
		for y := 12; y < d[1]-12; y += 2 {
			for x := 12; x < d[0]-12; x += 2 {
				n, sum, squares, in := 0.0, 0.0, 0.0, true
				for dy := -7; dy <= 7; dy++ {
					for dx := -7; dx <= 7; dx++ {
						i := truth.Index(x+dx, y+dy, z)
						a := float64(truth.Data[i])
						in = in && use(i)
						n, sum, squares = n+1, sum+a, squares+a*a
					}
				}
				if in {
					all = append(all, candidate{[3]int{x, y, z}, squares/n - sum*sum/n/n})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.sd, b.sd) })
	for _, c := range all {
		far := func(p [3]int) bool {
			return max(p[0]-c.at[0], c.at[0]-p[0], p[1]-c.at[1], c.at[1]-p[1]) >= 12 || max(p[2]-c.at[2], c.at[2]-p[2]) >= 4
		}
		if !slices.ContainsFunc(out, func(p [3]int) bool { return !far(p) }) {
			out = append(out, c.at)
		}
		if len(out) == want {
			break
		}
	}
	return out
}

// anyPlaces returns voxels of the foreground with room about them, in an order that depends on the seed.
func anyPlaces(v *volume.Volume, use func(int) bool, want int, seed uint64) (out [][3]int) {
	random := rand.New(rand.NewPCG(seed, 28))
	for tries := 0; len(out) < want && tries < 100000; tries++ {
		p := [3]int{12 + random.IntN(v.Dims[0]-24), 12 + random.IntN(v.Dims[1]-24), random.IntN(max(v.Dims[2]-2, 1))}
		inside := true
		for dy := -5; dy <= 5; dy++ {
			for dx := -5; dx <= 5; dx++ {
				inside = inside && use(v.Index(p[0]+dx, p[1]+dy, p[2]))
			}
		}
		if inside {
			out = append(out, p)
		}
	}
	return out
}

// scanScenes are data sets of the check; those of dev the thresholds were made on.
func scanScenes(t *testing.T, mode string) []scene {
	t.Helper()
	if mode == "" {
		return []scene{mrScene(t, [3]int{64, 72, 3}, 2.8, noise.Gaussian, 8, 60)}
	}
	if mode == "dev" {
		t1 := at(read(t, "template/t1-181x217x51-truth.nii.gz"), 50, 65, 20)
		return []scene{mrScene(t, [3]int{96, 104, 9}, 2, noise.Gaussian, 8, 61), withNoise(t, "T1", t1, noise.Gaussian, 8, 62),
			withNoise(t, "T1", t1, noise.Gaussian, 20, 63), ctScene(t, 192, 1.1, soft, 5e5, 9), headScene(t, sharp, 64)}
	}
	if round, ok := heldRound(mode); ok {
		var all []scene
		for _, s := range heldOut(t, round) {
			s.whole = s.noisy
			if _, ct := noise.Hounsfield(s.noisy); ct {
				s.truth, s.noisy = middle(s.truth, 128), middle(s.noisy, 128)
			} else {
				s.truth, s.noisy = fiveOf(s.truth), fiveOf(s.noisy)
			}
			all = append(all, s.scene)
		}
		return all
	}
	t1 := fiveOf(at(read(t, "template/t1-181x217x51-truth.nii.gz"), 40, 90, 20))
	brain := fiveOf(quietened(t, at(read(t, "nifti/niivue/chris_t1.nii.gz"), 54, 85, 90), 3, 4))
	flair := fiveOf(at(read(t, "nifti/niivue/FLAIR.nii.gz"), 22, 40, 60))
	most := float64(slices.Max(flair.Data))
	flair = quietened(t, flair, 3, 0.03*most)
	head := headScene(t, soft, 78)
	head.truth, head.noisy = head.truth.Crop(volume.Region{Min: [3]int{40, 20, 0}, Max: [3]int{160, 140, 2}}), head.noisy.Crop(volume.Region{Min: [3]int{40, 20, 0}, Max: [3]int{160, 140, 2}})
	return []scene{withNoise(t, "T1", t1, noise.Gaussian, 6, 71), head, withNoise(t, "brain", brain, noise.Rician, 8, 73),
		withNoise(t, "FLAIR", flair, noise.Rician, 0.04*most, 74), ctScene(t, 144, 1.4, sharp, 4e5, 75), mrScene(t, [3]int{72, 72, 5}, 2.4, noise.Rician, 7, 76)}
}

// fiveOf returns the first five slices of the middle of a volume.
func fiveOf(v *volume.Volume) *volume.Volume {
	v = middle(v, 64)
	return v.Crop(volume.Slices(v.Geometry, 0, min(v.Dims[2], 5)))
}

func TestScanTable(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	mode := os.Getenv("QUELL_SCAN_TABLE")
	var table scores
	t.Run("scenes", func(t *testing.T) {
		for k, s := range scanScenes(t, mode) {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				_, held := heldRound(mode)
				s.scanned(t, mode != "", held, 5*k, table.count)
			})
		}
	})
	table.log(t)
	for _, way := range []string{"blind", "recipe"} {
		if c := table.all["altered, "+way]; !c.share(95) {
			t.Errorf("%s: %d of %d places are found", way, c.right, c.total)
		}
		if c := table.all["honest, "+way]; 20*c.right > c.total {
			t.Errorf("%s: %d of %d honest results alarm", way, c.right, c.total)
		}
	}
}

// scanned runs the filters on one data set.
func (s scene) scanned(t *testing.T, all, held bool, turn int, count func(yes bool, keys ...string)) {
	use, err := noise.Foreground(t.Context(), s.noisy)
	if err != nil {
		t.Fatal(err)
	}
	whole := s.input()
	if s.whole != nil {
		whole.Volume = s.whole
	}
	facts, err := denoise.FactsFor(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	e := facts.Noise
	if unknown := e.Sentence(); !unknown.IsZero() {
		t.Logf("%s: no place is looked for: %s", s.name, unknown)
		return
	}
	places, lesions := evenPlaces(s.truth, use, 12), plants
	var unevenly [][3]int
	many := perFilter
	if held {
		many = perFilter - 1
		lesions, unevenly = otherPlants, anyPlaces(s.noisy, use, 40, uint64(turn))
	}
	t.Logf("%s: sigma %.3g, %s, %d places", s.name, e.Sigma, e.Confidence, len(places))
	for _, f := range denoise.Filters() {
		if f.Strength.Param == "" || !all && f.Name != "bilateral" {
			continue
		}
		plain, err := denoise.NewRecipe(f.Name, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, ct := noise.Hounsfield(s.noisy)
		if ct && slices.Contains(f.Dims, 2) {
			plain.Dims = 2
		}
		if plain, err = plain.Resolve(s.noisy.Geometry, facts); err != nil {
			t.Fatal(err)
		}
		scan := func(before, after *volume.Volume, r *denoise.Recipe) (*tune.Finding, float64) {
			f, share, err := tune.Scan(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: before}, After: after, Recipe: r, Noise: e, Foreground: use})
			if err != nil {
				t.Fatal(err)
			}
			return f, share
		}
		if late(t) {
			t.Logf("%s: stopped before %s", s.name, f.Name)
			return
		}
		t.Logf("%s: %s", s.name, f.Name)
		for _, times := range []float64{1, 1.5} {
			r := plain
			if times != 1 {
				x, ok := tune.StrengthOf(r, s.noisy.Geometry, e.Sigma)
				if !ok || f.Name == "median" {
					continue
				}
				if r, err = tune.WithStrength(r, times*x, s.noisy.Geometry).Resolve(s.noisy.Geometry, facts); err != nil {
					t.Fatal(err)
				}
			}
			after := filtered(t, r, s.noisy)
			one, share := scan(s.noisy, after, nil)
			count(one != nil, "honest, blind", s.name+": honest, blind", f.Name+": honest, blind")
			if one != nil {
				t.Logf("%s: honest %s, %g of auto (stand-in %.4f): %+v", s.name, f.Name, times, share, *one)
			}
			one, err = tune.ScanAlone(t.Context(), tune.Result{Input: denoise.Input{Volume: s.noisy}, After: after, Noise: e, Foreground: use})
			if err != nil {
				t.Fatal(err)
			}
			count(one != nil, "honest, residual alone")
			if one != nil {
				t.Logf("%s: honest %s, %g of auto, residual alone: %+v", s.name, f.Name, times, *one)
			}
			one, _ = scan(s.noisy, rounded(after, 0.01*e.Sigma, -1e9), &r)
			count(one != nil, "honest, recipe")
		}
		others := otherwise(f, plain)
		if held && len(others) > 0 {
			others = others[turn%len(others):][:1]
		}
		for k, r := range others {
			x, ok := tune.StrengthOf(r, s.noisy.Geometry, e.Sigma)
			if _, err := r.Bind(s.noisy.Geometry); !all || !ok || err != nil {
				continue
			}
			if r, err = tune.WithStrength(r, []float64{0.6, 1}[k%2]*x, s.noisy.Geometry).Resolve(s.noisy.Geometry, facts); err != nil {
				t.Fatal(err)
			}
			one, share := scan(s.noisy, filtered(t, r, s.noisy), nil)
			count(one != nil, "honest, blind", "honest, other sizes, blind", f.Name+": honest, blind")
			if one != nil {
				t.Logf("%s: honest %s (stand-in %.4f): %+v", s.name, r, share, *one)
			}
		}
		for range min(many, len(places)) {
			p := lesions[turn%len(lesions)]
			p.at, p.blurred = places[turn%len(places)], held
			if len(unevenly) > 0 && turn%2 == 1 {
				p.at, p.anywhere = unevenly[turn%len(unevenly)], true
			}
			turn++
			p.slices = min(p.slices, s.noisy.Dims[2]-p.at[2])
			before, other := p.put(s.noisy, 0, e.Sigma), s.noisy
			switch p.kind {
			case "invented":
				before, other = other, before
			case "moved":
				other = p.put(s.noisy, 3, e.Sigma)
			}
			after := filtered(t, plain, other)
			if p.kind == "faded" {
				honest := filtered(t, plain, before)
				for i, a := range honest.Data {
					after.Data[i] = (after.Data[i] + a) / 2
				}
			}
			z := p.z(e.Correlation)
			if z < 6 {
				continue
			}
			one, err := tune.ScanAlone(t.Context(), tune.Result{Input: denoise.Input{Volume: before}, After: after, Noise: e, Foreground: use})
			if err != nil {
				t.Fatal(err)
			}
			count(one != nil && p.near(one), "altered, residual alone")
			for way, r := range map[string]*denoise.Recipe{"blind": nil, "recipe": &plain} {
				one, share := scan(before, after, r)
				yes := one != nil && p.near(one)
				count(yes, p.kind+", "+way, "altered, "+way, f.Name+": altered, "+way, s.name+": altered, "+way,
					map[bool]string{true: "altered anywhere, ", false: "altered in even tissue, "}[p.anywhere]+way)
				if !yes {
					t.Logf("%s: %s, %s (stand-in %.4f): %+v, z %.1f, is not found: %+v", s.name, f.Name, way, share, p, z, one)
				}
			}
		}
	}
}
