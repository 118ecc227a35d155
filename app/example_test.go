package app_test

import (
	"context"
	"fmt"
	"log"

	"quell/app"
	"quell/denoise"
	"quell/volume"
)

// Filter one slice of the bundled series.
func ExampleDenoise() {
	ctx := context.Background()
	series, err := app.OpenBundled(ctx)
	if err != nil {
		log.Fatal(err)
	}
	engine, err := app.PickEngine("auto")
	if err != nil {
		log.Fatal(err)
	}
	recipe, err := denoise.NewRecipe("bilateral", 2)
	if err != nil {
		log.Fatal(err)
	}
	recipe = recipe.With("sigma-range", denoise.Number(30))
	slice := volume.Slices(series.Volume.Geometry, 4, 5)
	run, err := app.Denoise(ctx, engine, app.RunRequest{Series: series, Recipe: recipe, Region: slice}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Recipe, run.Result.Dims)
	// Output: bilateral 2-D sigma-range=30 [512 512 1]
}
