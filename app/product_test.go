package app_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
)

// countSink writes how many slices passed it: what someone adds who needs another output.
type countSink struct {
	path   string
	slices int
}

func (c *countSink) Begin(context.Context, *executor.Made) error { c.slices = 0; return nil }

func (c *countSink) Slab(_ context.Context, s *executor.Slab) error {
	c.slices += s.Part.Region.Dims()[2]
	return nil
}

func (c *countSink) Finish(context.Context, *executor.Outcome) error {
	return os.WriteFile(c.path, []byte{byte(c.slices)}, 0o600)
}

func (c *countSink) Abort() {}

var registerCount = sync.OnceFunc(func() {
	executor.Register(executor.Product{Name: "count", Kind: files.RecipeOutput, Sink: func(b executor.Beside) executor.Sink { return &countSink{path: b.Path} }})
})

// A product is a sink and its row: the gate, the job and the command line know it by the table.
func TestProduct(t *testing.T) {
	registerCount()
	j := slabJob(t, apptest.MustRecipe("median", 3), 30, 5)
	j.Output.Beside = map[string]string{"count": filepath.Join(t.TempDir(), "count.json")}
	if r, err := app.Do(t.Context(), j, job.Events{}); err != nil || r.Slabs.Count < 2 {
		t.Fatal(r.Slabs, err)
	}
	if data, err := os.ReadFile(j.Output.Beside["count"]); err != nil || len(data) != 1 || data[0] != 30 {
		t.Errorf("%v, %v", data, err)
	}
	j.Output.Beside["count"] = j.Input.Path
	if _, err := app.Do(t.Context(), j, job.Events{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("the input as output: %v", err)
	}
}
