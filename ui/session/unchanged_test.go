package session_test

import (
	"path/filepath"
	"testing"

	"quell/app"
	"quell/app/job"
	"quell/series"
	"quell/ui/session/desk"
	"quell/volume"
)

// A run that leaves the series as it is makes no result: it says that the images are free of noise, or that the setting does
// nothing. A setting that does something makes one.
func TestARunThatChangesNothingMakesNoResult(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{64, 48, 6}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = float32(100 + 10*(i%64)/8)
	}
	path := filepath.Join(t.TempDir(), "clean.nii")
	if _, err := app.DoOn(t.Context(), app.On{Series: &series.Series{Volume: v}}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.opens(path)
	expect := func(message string, results int) {
		t.Helper()
		b.settle()
		if got := len(b.Results.List()); got != results || b.Results.Applied() != (results > 0) || b.Tasks.Busy() || kindOf(b.Documents.Loss()) == desk.LosesResult != (results > 0) {
			t.Errorf("%d results, applied %t, losses %+v", got, b.Results.Applied(), b.Documents.Loss())
		}
		if got := b.Tasks.Message(); message != "" && got != message {
			t.Errorf("the message is %q; want %q", got, message)
		}
	}
	b.Results.Apply()
	expect("The images are free of noise: there is no result.", 0)
	b.Tuning.Set(b.tuned(1e-9), true)
	b.settle()
	b.Results.Apply()
	expect("This setting changes nothing: there is no result.", 0)
	b.Tuning.Set(b.tuned(3), true)
	b.settle()
	b.Results.Apply()
	expect("", 1)
}
