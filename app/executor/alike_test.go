package executor_test

import (
	"os"
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise/noise"
	"quell/volume"
)

// The volumes of a series are compared once, however many of them ask for their noise.
func TestNoiseOfASeriesIsFoundOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series.nii")
	var volumes []*volume.Volume
	for k := range 8 {
		v := volume.New(volume.NewGeometry([3]int{64, 64, 3}, [3]float64{1, 1, 1}))
		for i := range v.Data {
			v.Data[i] = float32(1000 + i%64 + int(500*noise.Normal(uint64(k), uint64(i), 0))/100)
		}
		volumes = append(volumes, v)
	}
	apptest.Write4D(t, path, 2, volumes...)
	in, err := open.Select(t.Context(), job.Input{Path: path}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	of := executor.PreviewOfSeries(in.Catalog, in.Entries, func() int64 { return 1 << 30 })
	for k, v := range volumes {
		f, err := executor.SeriesVolume{Of: of, K: k}.Facts(t.Context(), v)
		if err != nil || !f.Noise.IsOverTime() {
			t.Fatalf("volume %d: %+v, %v", k, f.Noise.Figure, err)
		}
		if err := os.Truncate(path, 400); err != nil {
			t.Fatal(err)
		}
	}
	noisy := executor.SeriesVolume{Of: of, Added: job.AddedNoise{Sigma: 1}}
	if f, err := noisy.Facts(t.Context(), volumes[0]); err != nil || f.Noise.IsOverTime() {
		t.Errorf("with noise that was added: %+v, %v", f.Noise.Figure, err)
	}
}
