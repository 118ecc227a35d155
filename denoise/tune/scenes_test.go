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

	whole *volume.Volume // noisy is the first slices of its middle; nil: noisy is all that there is
}

// input is what is filtered.
func (s scene) input() denoise.Input { return denoise.Input{Volume: s.noisy} }

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

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
