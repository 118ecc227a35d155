package session_test

import (
	"context"
	"strings"
	"testing"

	"quell/denoise/noise"
	"quell/series"
	"quell/volume"
)

// lesionBench shows even tissue with noise; sigma 0 is none.
func lesionBench(t *testing.T, sigma float64) *bench {
	t.Helper()
	b := newBench(t)
	v := volume.New(volume.NewGeometry([3]int{110, 110, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 100
	}
	if sigma > 0 {
		noisy, err := noise.AddNoise(t.Context(), v, noise.Gaussian, sigma, 1)
		if err != nil {
			t.Fatal(err)
		}
		v = noisy
	}
	s := &series.Series{Volume: v}
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return s, nil })
	b.settle()
	return b
}

// The lesions are those of the present recipe; none of an earlier one are told, and a recipe that comes back is
// measured again.
func TestLesionsAreOfThePresentRecipe(t *testing.T) {
	b := lesionBench(t, 5)
	b.Tuning.Set(b.tuned(1), true)
	b.settle()
	if now := b.Lesions.Now(); now.Panel != nil || now.Measuring {
		t.Fatal("measured without being watched")
	}
	b.Lesions.Watch(true)
	if !b.Lesions.Now().Measuring {
		t.Error("it is not being measured")
	}
	b.settle()
	now := b.Lesions.Now()
	if now.Panel == nil || now.Panel.Recipe.Get("h").Float() != 1 || len(now.Panel.Rows) != 15 || now.Panel.Picture == nil {
		t.Fatalf("%+v", now)
	}
	b.Tuning.Set(b.tuned(2), true)
	if now := b.Lesions.Now(); now.Panel != nil {
		t.Error("numbers of the recipe before are told")
	}
	b.settle()
	if now := b.Lesions.Now(); now.Panel == nil || now.Panel.Recipe.Get("h").Float() != 2 {
		t.Errorf("%+v", now)
	}
	b.State().Cut().Scroll(1)
	if b.Lesions.Now().Panel == nil {
		t.Error("another slice drops what is of the series")
	}
}

// A recipe ends the work on the one before, whose answer is dropped; Stop lasts until Start.
func TestLesionsEndWithTheirRecipe(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := lesionBench(t, 5)
	b.Tuning.Set(b.tuned(1), true)
	b.settle()
	gate := make(chan struct{})
	b.gate = gate
	b.Lesions.Watch(true)
	b.gate = nil
	b.Tuning.Set(b.tuned(3), true)
	close(gate)
	b.settle()
	if now := b.Lesions.Now(); now.Panel == nil || now.Panel.Recipe.Get("h").Float() != 3 {
		t.Fatalf("%+v", now)
	}
	gate = make(chan struct{})
	b.Tuning.Set(b.tuned(4), true)
	b.loop.until("it is being measured", func() bool { return b.Lesions.Now().Measuring })
	b.Lesions.Stop()
	close(gate)
	b.settle()
	if now := b.Lesions.Now(); now.Panel != nil || !now.Stopped || now.Measuring {
		t.Errorf("stopped: %+v", now)
	}
	b.Lesions.Start()
	b.settle()
	if now := b.Lesions.Now(); now.Panel == nil || now.Stopped {
		t.Errorf("started again: %+v", now)
	}
}

// Without known noise the sentence on it stands in place of numbers.
func TestLesionsWithoutNoise(t *testing.T) {
	b := lesionBench(t, 0)
	b.Tuning.Set(b.tuned(1), true)
	b.Lesions.Watch(true)
	b.settle()
	now := b.Lesions.Now()
	if now.Panel != nil || now.Problem.IsZero() || strings.Contains(now.Problem.String(), "give the contrast") {
		t.Errorf("%+v", now)
	}
}
