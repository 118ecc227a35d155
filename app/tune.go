package app

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/io/atomic"
	"quell/series"
)

// Tuned is the best recipe that Tune found, and how.
type Tuned struct {
	Recipe  denoise.Recipe `json:"recipe"` // resolved, with the best strength
	Curve   tune.Curve     `json:"curve"`
	Noise   noise.Figure   `json:"noise"`
	Seconds float64        `json:"seconds"`
}

// Tune finds the strength of a recipe with the least estimated error on a series;
// the recipe's other parameters stay as they are, automatic ones resolved. known
// holds the facts of the series, or is nil. The error says why there is none, is
// the context's, or is the engine's.
func Tune(ctx context.Context, engine denoise.Engine, s *series.Series, r denoise.Recipe, known *denoise.Facts) (Tuned, error) {
	started := time.Now()
	if err := checkRecipe(s, r); err != nil {
		return Tuned{}, err
	}
	facts, err := factsOf(ctx, s.Volume, known)
	if err != nil {
		return Tuned{}, err
	}
	e := facts.Noise
	if e.Confidence == noise.None {
		return Tuned{}, &InputError{Path: "the series", Problem: "has no noise that can be measured: " + e.Why, Advice: "give the strength yourself"}
	}
	in := denoise.Input{Volume: s.Volume}
	c, err := tune.Search(ctx, engine, in, r, e, tune.Options{})
	if errors.Is(err, tune.ErrNoStrength) {
		return Tuned{}, &UsageError{Text: err.Error(), Err: err}
	}
	if err != nil {
		return Tuned{}, err
	}
	best, err := r.With(c.Param, c.Points[c.Best].Value).Resolve(s.Volume.Geometry, facts)
	if err != nil {
		return Tuned{}, err
	}
	return Tuned{Recipe: best, Curve: c, Noise: e.Figure, Seconds: time.Since(started).Seconds()}, nil
}

// WriteRecipe writes a recipe to a file that LoadRecipe reads. A file that is no
// recipe is replaced only with overwrite.
func WriteRecipe(path string, r denoise.Recipe, overwrite bool) error {
	if _, err := os.Lstat(path); err == nil && !overwrite {
		if _, err := LoadRecipe(path); err != nil {
			return Usagef("%s exists and is not a recipe; give another name, or --overwrite", path)
		}
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomic.WriteFile(path, append(data, '\n'), 0o666)
}
