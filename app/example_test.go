package app_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"quell/app"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/phantom"
)

// Filter a file and write the result beside it, as the command line does.
func ExampleDo() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "quell")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	made, err := app.MakePhantom(ctx, app.PhantomJob{
		Kind: "steps", Size: phantom.Size{Dims: [3]int{24, 20, 4}, Spacing: [3]float64{10, 10, 5}}, SNR: 8, Seed: 1,
		Output: filepath.Join(dir, "in.nii"),
	}, job.Events{})
	if err != nil {
		log.Fatal(err)
	}
	recipe, err := denoise.NewRecipe("median", 2)
	if err != nil {
		log.Fatal(err)
	}
	report, err := app.Do(ctx, job.Job{
		Input: job.Input{Path: made[0]}, Recipe: &recipe, Engine: job.EnginePolicy{Name: "cpu"},
		Output: job.Output{Path: filepath.Join(dir, "out.nii")},
	}, job.Events{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Engine, report.Recipe, report.Dims, filepath.Base(report.Record))
	// Output: cpu median 2-D radius=1,1,0 [24 20 4] out.nii.recipe.json
}

// tally counts the slices of a result: a sink of one's own.
type tally int

func (n *tally) Begin(context.Context, *executor.Made) error { return nil }

func (n *tally) Slab(_ context.Context, s *executor.Slab) error {
	*n += tally(s.Part.Region.Dims()[2])
	return nil
}

func (n *tally) Finish(context.Context, *executor.Outcome) error { return nil }

func (n *tally) Abort() {}

// Filter a series that is open, and pass the result to a sink in place of a file.
func ExampleExecute() {
	ctx := context.Background()
	head, err := open.Bundled(ctx)
	if err != nil {
		log.Fatal(err)
	}
	recipe, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		log.Fatal(err)
	}
	work := job.Job{Recipe: &recipe, Engine: job.EnginePolicy{Name: "cpu"}, Slices: job.SliceRange{From: 2, To: 4}}
	var n tally
	report, err := app.Execute(ctx, work, executor.InMemory(head), executor.Means{}, job.Events{}, &n)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, report.Run.Result.Dims)
	// Output: 2 [512 512 2]
}
