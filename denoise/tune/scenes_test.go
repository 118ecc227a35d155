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
	"quell/internal/shareddata"
	"quell/io/nifti"
	"quell/phantom"
	"quell/volume"
)

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

// mostLost is the share of its contrast from which an object is lost: if one object
// is lost, nothing but over is right.
const mostLost = 0.15

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

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
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
