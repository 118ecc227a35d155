package batch

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// Workers of another process leave results unjudged as well.
func TestWorkerWithoutVerdict(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	o := c.options()
	o.WithoutVerdict = true
	o.Distribute = func(ctx context.Context, spec Spec, units []Unit, _ func(Left)) error {
		data, err := json.Marshal(spec)
		c.must(err)
		var received Spec
		c.must(json.Unmarshal(data, &received))
		w, err := NewWorker(received, 1, 0, Events{})
		c.must(err)
		return w.Work(ctx, newLocal(w.b.store, units))
	}
	c.run(o)
	equal(t, "verdict", c.rows()[0]["judgement"], "")
}

// TestWithoutVerdict: results are left unjudged, with sigma if the recipe asks for it, until a
// batch asks for verdicts; those stay.
func TestWithoutVerdict(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	c.nii("b.nii", 2)
	c.fourD("g.nii", 3)
	row := func() []string {
		var texts []string
		for _, r := range c.rows() {
			texts = append(texts, strings.Join([]string{r["input"], r["state"], r["judgement"], r["confidence"], r["sigma"], r["why"]}, "|"))
		}
		return texts
	}
	o := c.options()
	o.WithoutVerdict = true
	s := c.run(o)
	equal(t, "rows", row(), []string{"a.nii|done||||", "b.nii|done||||", "g.nii|done||||"})
	for _, r := range resultsOf(s) {
		if r.Picture != nil {
			t.Errorf("%s: the summary has its picture", r.Unit)
		}
		if saved, ok := (store{c.out}).results().Load(r.ID); !ok || len(saved.Picture) == 0 {
			t.Errorf("%s has no picture", r.Unit)
		}
	}
	page, err := os.ReadFile(filepath.Join(c.out, "report.html"))
	c.must(err)
	if !strings.Contains(string(page), "<b>done</b>") || strings.Contains(string(page), `class="doubt"`) {
		t.Error("the page shows unjudged series as doubtful")
	}
	equal(t, "again", states(c.run(o)), []string{"a.nii done before", "b.nii done before", "g.nii done before"})

	judged := c.options()
	equal(t, "with verdicts", states(c.run(judged)), []string{"a.nii done", "b.nii done", "g.nii done"})
	for _, r := range c.rows() {
		if r["judgement"] == "" || r["why"] == "" {
			t.Errorf("no verdict: %v", r)
		}
	}
	before := row()
	equal(t, "without again", states(c.run(o)), []string{"a.nii done before", "b.nii done before", "g.nii done before"})
	equal(t, "verdicts that are there", row(), before)

	// An automatic value is found by the noise, which is then known.
	v := volume.New(volume.NewGeometry([3]int{64, 64, 3}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = float32(i % 64 / 32 * 100)
	}
	noisy, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 5, 1)
	c.must(err)
	c.must(niftitest.Write(t.Context(), filepath.Join(c.in, "noisy.nii"), noisy, ""))
	recipe, err := denoise.NewRecipe("bilateral", 2)
	c.must(err)
	o.Job.Recipe, o.Job.Output.Overwrite = &recipe, true
	sigma := func(o Options) (texts []string) {
		c.run(o)
		for _, r := range c.rows() {
			if r["input"] == "noisy.nii" {
				texts = append(texts, r["sigma"], r["sigma_confidence"])
			}
		}
		return texts
	}
	unjudged := sigma(o)
	o.WithoutVerdict = false
	if equal(t, "sigma", unjudged, sigma(o)); unjudged[0] == "" {
		t.Error("no sigma")
	}
}
