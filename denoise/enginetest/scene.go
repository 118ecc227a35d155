package enginetest

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// spacing differs from axis to axis, as it does in most series.
var spacing = [3]float64{0.8, 0.9, 2.5}

// sceneNoise is the standard deviation of the scenes' noise.
const sceneNoise = 8

// scene returns a volume of edges, slopes, waves, single outliers and noise, with
// values from 0 to about 255. Scenes of two sizes agree in the voxels that both
// have.
func scene(dims [3]int) *volume.Volume { return sceneAt(dims, [3]int{}) }

// sceneAt returns the part of the scene that begins at voxel at.
func sceneAt(dims, at [3]int) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, spacing))
	// The noise comes from one large volume, so that parts of it agree.
	i := 0
	for z := range dims[2] {
		for y := range dims[1] {
			for x := range dims[0] {
				v.Data[i] = sceneVoxel(x+at[0], y+at[1], z+at[2])
				i++
			}
		}
	}
	return v
}

func sceneVoxel(x, y, z int) float32 {
	value := 40 + 1.5*float64(x) + 20*math.Sin(float64(y)/4)*math.Cos(float64(z)/3)
	if (x/6+y/5+z/4)%3 == 0 {
		value += 90
	}
	h := hash(x, y, z)
	if h%97 == 0 {
		value += 120
	}
	// The sum of twelve uniform numbers has a variance of one.
	sum := -6.0
	for range 12 {
		h = h*6364136223846793005 + 1442695040888963407
		sum += float64(h>>11) * 0x1p-53
	}
	return float32(max(value+sceneNoise*sum, 0))
}

func hash(x, y, z int) uint64 {
	h := uint64(x)*0x9e3779b97f4a7c15 ^ uint64(y)*0xc2b2ae3d27d4eb4f ^ uint64(z)*0x165667b19e3779f9
	h = (h ^ h>>31) * 0xd6e8feb86659fd93
	return h ^ h>>32
}

// flatter returns the size of a scene for a comparison with the reference: in two
// dimensions two slices hold all that more would.
func flatter(r denoise.Recipe, size [3]int) [3]int {
	if r.Dims == 2 {
		size[2] = min(size[2], 2)
	}
	return size
}

// masked marks about a fifth of v as padding: blocks, single voxels and, if there
// are three slices or more, all of the last one.
func masked(v *volume.Volume) *volume.Volume {
	v.Mask = make([]bool, len(v.Data))
	i := 0
	for z := range v.Dims[2] {
		for y := range v.Dims[1] {
			for x := range v.Dims[0] {
				block := (x/4+2*(y/3)+z)%7 == 0
				single := hash(x, y, z)%13 == 0
				last := z > 1 && z == v.Dims[2]-1
				v.Mask[i] = !block && !single && !last
				i++
			}
		}
	}
	return v
}

// guard is the number of NaN before and after the voxels of a guarded volume.
const guard = 64

// guarded moves v's voxels between two bands of NaN and returns a check that
// neither the bands nor the voxels have changed.
func guarded(v *volume.Volume) (check func(t testing.TB)) {
	before := slices.Clone(v.Data)
	memory := make([]float32, len(v.Data)+2*guard)
	nan := float32(math.NaN())
	for i := range memory {
		memory[i] = nan
	}
	v.Data = memory[guard : guard+len(before) : guard+len(before)]
	copy(v.Data, before)
	return func(t testing.TB) {
		t.Helper()
		if !slices.Equal(v.Data, before) {
			t.Errorf("the input was changed")
		}
		for i := range guard {
			if memory[i] == memory[i] || memory[len(memory)-1-i] == memory[len(memory)-1-i] {
				t.Fatalf("the memory beside the input was written")
			}
		}
	}
}

// recipe returns a filter's defaults with some parameters changed, given as names
// and values in turn.
func recipe(t testing.TB, filter string, dims int, settings ...string) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(settings); i += 2 {
		v, err := denoise.ParseValue(settings[i+1])
		if err != nil {
			t.Fatal(err)
		}
		r = r.With(settings[i], v)
	}
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	return r
}

// RecipeOf returns a recipe of a filter with parameters set as in a case: "h=9
// search-radius=2".
func RecipeOf(t testing.TB, filter string, dims int, set string) denoise.Recipe {
	t.Helper()
	f, err := denoise.FilterByName(filter)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Recipe(denoise.Case{Dims: dims, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
