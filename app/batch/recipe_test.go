package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/job"
	"quell/denoise"
)

// median are options with another recipe.
func (c cohort) median() Options {
	c.t.Helper()
	recipe, err := denoise.NewRecipe("median", 2)
	c.must(err)
	o := c.options()
	o.Job.Recipe = &recipe
	return o
}

// refused checks that a batch is refused with a sentence that names the recipe in the output.
func (c cohort) refused(o Options, words ...string) {
	c.t.Helper()
	_, err := Run(c.t.Context(), o, Events{})
	if job.ExitCode(err) != job.ExitUsage {
		c.t.Fatalf("another recipe: %v", err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			c.t.Errorf("%q does not say %q", err, word)
		}
	}
}

// TestOneRecipe: an output holds one recipe, unless another one is to replace it; then
// the report counts the remaining outputs of the first.
func TestOneRecipe(t *testing.T) {
	c := newCohort(t)
	for i := range 4 {
		c.nii(fmt.Sprintf("s%d.nii", i), i)
	}
	c.run(c.options())
	before, err := os.ReadFile(filepath.Join(c.out, "s0.nii"))
	c.must(err)
	c.refused(c.median(), "gaussian 2-D", "--overwrite", c.out)
	other := c.options()
	other.Job.Output.Dtype = "int16"
	c.refused(other, "gaussian 2-D", "with other options")
	after, err := os.ReadFile(filepath.Join(c.out, "s0.nii"))
	c.must(err)
	equal(t, "s0.nii", string(after) == string(before), true)

	o := c.median()
	o.Job.Output.Overwrite = true
	o.Shards = 2
	first := c.run(o)
	equal(t, "a half", []int{first.Done, first.Reused, first.OfOthers}, []int{2, 0, 2})
	html, err := os.ReadFile(filepath.Join(c.out, "report.html"))
	if c.must(err); !strings.Contains(string(html), "2 outputs in this folder were made by another recipe") {
		t.Error("the report does not say that two recipes are there")
	}
	c.refused(c.options(), "median 2-D")
	o.Shard = 1
	second := c.run(o)
	equal(t, "the other half", []int{second.Done, second.OfOthers}, []int{2, 0})
	o = c.median() // no leave is needed any more, and asks for nothing again
	equal(t, "again", c.run(o).Reused, 4)

	// Another selection is no other recipe.
	o.Select = "Path~s0"
	s := c.run(o)
	equal(t, "a selection", []int{s.Done, s.Reused, s.OfOthers}, []int{1, 1, 0})
}

// TestOneRecipeOfAllShards: a shard with another recipe is refused while one runs, before anything
// is done. A note that a killed shard left does not count, nor does a recipe that made nothing.
func TestOneRecipeOfAllShards(t *testing.T) {
	c := newCohort(t)
	for i := range 2 {
		c.nii(fmt.Sprintf("s%d.nii", i), i)
	}
	o := c.options()
	o.Shards = 2
	tried := 0
	b := c.hooked(o, func(s stage) {
		if s != loaded {
			return
		}
		tried++
		m := c.median()
		m.Shard, m.Shards, m.Job.Output.Overwrite = 1, 2, true
		c.refused(m, "part 1 of 2", "gaussian 2-D")
	})
	c.must(os.MkdirAll(b.store.dir(), 0o777))
	c.must(os.WriteFile(b.store.notePath(1, 2), []byte(`{"id":"stale","text":"nlm"}`), 0o666))
	c.must(os.WriteFile(filepath.Join(b.store.dir(), lockName(1, 2)), nil, 0o666))
	c.must(os.WriteFile(filepath.Join(b.store.dir(), "recipe.json"), []byte(`{"id":"stale","text":"nlm"}`), 0o666))
	s, err := b.run(t.Context())
	c.must(err)
	equal(t, "done", []int{s.Done, tried}, []int{1, 1})
	if exists(b.store.notePath(0, 2)) {
		t.Error("the note of a shard that has ended is left")
	}
}
