package denoise_test

import (
	"context"
	"fmt"
	"log"

	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter" // registers all filters
	"quell/volume"
)

// Filter a volume: a recipe names the filter and its parameters, and an engine runs it on an
// input, here over the whole volume.
func Example() {
	v := volume.New(volume.NewGeometry([3]int{3, 3, 1}, [3]float64{1, 1, 1}))
	v.Data[v.Index(1, 1, 0)] = 9
	recipe, err := denoise.NewRecipe("median", 2)
	if err != nil {
		log.Fatal(err)
	}
	result, err := cpu.New().Run(context.Background(), recipe, denoise.Input{Volume: v}, v.Bounds(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(recipe, result.Data)
	// Output: median 2-D [0 0 0 0 0 0 0 0 0]
}

// Automatic values depend on the facts of a volume. A resolved recipe holds numbers alone and gives
// the same result again, on any engine.
func ExampleRecipe_Resolve() {
	recipe, err := denoise.ParseRecipe([]byte(`{"version": 1, "filter": "bilateral", "dims": 3, "parameters": {"sigma-range": "10%"}}`))
	if err != nil {
		log.Fatal(err)
	}
	g := volume.NewGeometry([3]int{64, 64, 16}, [3]float64{1, 1, 2})
	resolved, err := recipe.Resolve(g, denoise.Facts{Lo: -1000, Hi: 1000})
	fmt.Println(resolved.Get("sigma-range"), resolved.Get("radius"), err)
	// Output: 200 2,2,1 <nil>
}
