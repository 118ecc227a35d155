package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// countSink writes how many slices passed it: what someone adds who needs another output.
type countSink struct {
	path   string
	slices int
}

func (c *countSink) Begin(context.Context, *Made) error { c.slices = 0; return nil }

func (c *countSink) Slab(_ context.Context, s *Slab) error {
	c.slices += s.Part.Region.Dims()[2]
	return nil
}

func (c *countSink) Finish(context.Context, *Report) error {
	return os.WriteFile(c.path, []byte{byte(c.slices)}, 0o600)
}

func (c *countSink) Abort() {}

// A product is a sink and its row: the gate, the job and the command line know it by the table.
func TestProduct(t *testing.T) {
	before := products
	t.Cleanup(func() { products = before })
	RegisterProduct(Product{Name: "count", Kind: RecipeOutput, Sink: func(b Beside) Sink { return &countSink{path: b.Path} }})
	job := slabJob(t, mustRecipe("median", 3), 30, 5)
	job.Output.Beside = map[string]string{"count": filepath.Join(t.TempDir(), "count.json")}
	if r, err := Do(t.Context(), job, Events{}); err != nil || r.Slabs.Count < 2 {
		t.Fatal(r.Slabs, err)
	}
	if data, err := os.ReadFile(job.Output.Beside["count"]); err != nil || len(data) != 1 || data[0] != 30 {
		t.Errorf("%v, %v", data, err)
	}
	job.Output.Beside["count"] = job.Input.Path
	if _, err := Do(t.Context(), job, Events{}); ExitCode(err) != ExitUsage {
		t.Errorf("the input as output: %v", err)
	}
}
