package kernels

import (
	"maps"
	"slices"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// shapeRecipes are recipes of all kernels that have several shapes.
func shapeRecipes(t *testing.T) map[string]denoise.Recipe {
	return map[string]denoise.Recipe{
		"median_3x3":   recipe(t, "median", 2, nil),
		"median_5x5":   recipe(t, "median", 2, map[string]denoise.Value{"radius": denoise.List(2)}),
		"median_3x3x3": recipe(t, "median", 3, nil),
		"lpa_paper":    recipe(t, "lpa", 2, nil),
		"lpa_any":      recipe(t, "lpa", 2, map[string]denoise.Value{"scales": denoise.List(1, 4)}),
	}
}

var shapeVolume = volume.NewGeometry([3]int{100, 90, 20}, [3]float64{1, 1, 1})

// shaped returns the first launch of a recipe with given shapes.
func shaped(t *testing.T, r denoise.Recipe, s Shapes, region volume.Region) Launch {
	t.Helper()
	p, err := r.Bind(shapeVolume)
	if err != nil {
		t.Fatal(err)
	}
	buffer := Buffer{Address: 1, Box: shapeVolume.Bounds()}
	ls, err := Launches(p, p.Passes[0], Part{Dims: shapeVolume.Dims, Region: region, Inputs: []Buffer{buffer}, Voxels: buffer, Out: 2, Shapes: s})
	if err != nil {
		t.Fatal(err)
	}
	return ls[0]
}

// launchesOfShapes returns a launch of every shape of every kernel.
func launchesOfShapes(t *testing.T) []Launch {
	var all []Launch
	for kernel, r := range shapeRecipes(t) {
		for _, value := range shapesByKernel[kernel].values {
			all = append(all, shaped(t, r, Shapes{kernel + " on a volume": value}, shapeVolume.Bounds()))
		}
	}
	return all
}

func TestShapes(t *testing.T) {
	recipes := shapeRecipes(t)
	if got, want := slices.Sorted(maps.Keys(recipes)), slices.Sorted(maps.Keys(shapesByKernel)); !slices.Equal(got, want) {
		t.Fatalf("recipes for %v, shapes of %v", got, want)
	}
	for _, c := range []struct {
		kernel string
		value  int
		grid   int // over 100 x 90 x 20 voxels
		block  [3]int
	}{
		{kernel: "median_3x3", value: 8, grid: 4 * 12 * 20, block: [3]int{32, 8, 1}},
		{kernel: "median_3x3x3", value: 2, grid: 4 * 45 * 20, block: [3]int{32, 2, 1}},
		{kernel: "median_5x5", value: 4, grid: 4 * 23 * 20, block: [3]int{32, 4, 1}},
		{kernel: "lpa_paper", value: 8, grid: 4 * 3 * 20, block: [3]int{32, 8, 1}},
		{kernel: "lpa_paper", value: 4, grid: 4 * 6 * 20, block: [3]int{32, 4, 1}},
		{kernel: "lpa_any", value: 2, grid: 4 * 12 * 20, block: [3]int{32, 2, 1}},
	} {
		l := shaped(t, recipes[c.kernel], Shapes{c.kernel + " on a volume": c.value}, shapeVolume.Bounds())
		if l.Kernel != c.kernel || l.Grid != [3]int{c.grid, 1, 1} || l.Block != c.block {
			t.Errorf("%s with %d: %s, grid %v, block %v", c.kernel, c.value, l.Kernel, l.Grid, l.Block)
		}
	}
}

// Shapes hold for one kernel on a volume, or on a slice in any direction; others, and
// values that the kernel does not have, have no effect.
func TestShapesOfOtherWork(t *testing.T) {
	r := shapeRecipes(t)["lpa_paper"]
	whole := shapeVolume.Bounds()
	slice, column := whole, whole
	slice.Min[2], slice.Max[2] = 4, 5
	column.Min[0], column.Max[0] = 7, 8
	for _, c := range []struct {
		shapes Shapes
		region volume.Region
		rows   int
	}{
		{nil, whole, 8},
		{Shapes{}, whole, 8},
		{Shapes{"lpa_paper on a volume": 4}, whole, 4},
		{Shapes{"lpa_paper on a volume": 4}, slice, 8},
		{Shapes{"lpa_paper on a slice": 4}, whole, 8},
		{Shapes{"lpa_paper on a slice": 4}, slice, 4},
		{Shapes{"lpa_paper on a slice": 4}, column, 4},
		{Shapes{"lpa_paper on a volume": 3}, whole, 8},
		{Shapes{"lpa_any on a volume": 4}, whole, 8},
		{Shapes{"": 4}, whole, 8},
	} {
		if l := shaped(t, r, c.shapes, c.region); l.Block != [3]int{32, c.rows, 1} {
			t.Errorf("%v on %v: block %v, want %d rows", c.shapes, c.region, l.Block, c.rows)
		}
	}
	if l := shaped(t, recipe(t, "gaussian", 3, nil), Shapes{"gaussian on a volume": 4}, whole); l.Kernel != "gaussian" {
		t.Errorf("a kernel of one shape: %+v", l)
	}
}

func TestShapesOf(t *testing.T) {
	bind := func(r denoise.Recipe) denoise.Program {
		p, err := r.Bind(shapeVolume)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	slice := shapeVolume.Bounds()
	slice.Max[2] = 1
	got, err := ShapesOf(bind(shapeRecipes(t)["lpa_paper"]), shapeVolume.Dims, slice)
	if err != nil || len(got) != 1 || got[0].Key != "lpa_paper on a slice" || got[0].Unit != "rows of threads" || !slices.Equal(got[0].Values, []int{8, 4, 2}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := ShapesOf(bind(recipe(t, "gaussian", 3, nil)), shapeVolume.Dims, slice); err != nil || len(got) != 0 {
		t.Errorf("a kernel of one shape: %+v, %v", got, err)
	}
}
