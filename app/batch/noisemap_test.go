package batch

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/job"
	"quell/denoise/noise"
	"quell/io/nifti/niftitest"
	"quell/phantom"
)

// TestMapIfTheNoiseVaries: the series with noise that rises is filtered by a map, the one with white noise is not, and
// both files are those of a job on the series alone. The report says which; without maps neither has one.
func TestMapIfTheNoiseVaries(t *testing.T) {
	c := newCohort(t)
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{128, 150, 6}, Spacing: [3]float64{1.5, 1.5, 2}})
	c.must(err)
	clean, err := p.Voxels(t.Context())
	c.must(err)
	recipe := apptest.MustRecipe("bilateral", 2)
	c.must(os.MkdirAll(c.in, 0o777))
	for name, sigma := range map[string]func(x float64) float64{
		"rising.nii": func(x float64) float64 { return 3 + 14*x },
		"white.nii":  func(float64) float64 { return 10 },
	} {
		v := clean.Clone()
		for i := range v.Data {
			v.Data[i] += float32(sigma(float64(i%128)/128) * noise.Normal(9, uint64(i), 0))
		}
		c.must(niftitest.Write(t.Context(), filepath.Join(c.in, name), v, ""))
	}
	o := c.options()
	o.WithoutVerdict = true
	o.Job.Recipe, o.Job.NoiseMap = &recipe, job.GivenMap("")
	s := c.run(o)
	equal(t, "mapped", s.Mapped, 1)
	for _, row := range c.rows() {
		equal(t, row["input"], row["noise_map"], map[string]string{"rising.nii": "estimate", "white.nii": ""}[row["input"]])
		alone := filepath.Join(t.TempDir(), row["input"])
		_, err := app.Do(t.Context(), job.Job{Input: job.Input{Path: filepath.Join(c.in, row["input"])}, Recipe: &recipe, NoiseMap: job.GivenMap(""), Engine: o.Job.Engine, Output: job.Output{Path: alone}}, job.Events{})
		c.must(err)
		want, err := os.ReadFile(alone)
		c.must(err)
		got, err := os.ReadFile(filepath.Join(c.out, row["input"]))
		c.must(err)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the batch and a job of its own write other bytes", row["input"])
		}
	}
	equal(t, "mapped again", c.run(o).Mapped, 1)

	o.Job.NoiseMap, o.Job.Output.Overwrite = job.GivenMap(job.NoMap), true
	equal(t, "mapped with none", c.run(o).Mapped, 0)
}
