package run_test

import (
	"context"
	"fmt"
	"log"

	"quell/app/engines"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/volume"
)

// Filter one slice of the bundled series.
func ExampleDenoise() {
	ctx := context.Background()
	series, err := open.Bundled(ctx)
	if err != nil {
		log.Fatal(err)
	}
	engine, err := engines.Pick("auto")
	if err != nil {
		log.Fatal(err)
	}
	recipe, err := denoise.NewRecipe("bilateral", 2)
	if err != nil {
		log.Fatal(err)
	}
	recipe = recipe.With("sigma-range", denoise.Number(30))
	slice := volume.Slices(series.Volume.Geometry, 4, 5)
	run, err := run.Denoise(ctx, engine, run.Request{Series: series, Recipe: recipe, Region: slice}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Recipe, run.Result.Dims)
	// Output: bilateral 2-D sigma-range=30 [512 512 1]
}
