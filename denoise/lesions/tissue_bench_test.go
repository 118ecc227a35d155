package lesions_test

import (
	"context"
	"testing"

	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/volume"
)

func BenchmarkFiguresOfASlice(b *testing.B) {
	v := volume.New(volume.NewGeometry([3]int{512, 512, 1}, [3]float64{1, 1, 1}))
	v, err := noise.AddNoise(context.Background(), v, noise.Gaussian, 5, 11)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		found, err := lesions.FindTissue(context.Background(), denoise.Input{Volume: v}, volume.Region{}, noise.Known(5), nil)
		if err != nil {
			b.Fatal(err)
		}
		found.Of(v, v.Bounds()).Figures()
	}
}

func BenchmarkFiguresOfAResult(b *testing.B) {
	v := volume.New(volume.NewGeometry([3]int{128, 128, 9}, [3]float64{1, 1, 1}))
	v, err := noise.AddNoise(context.Background(), v, noise.Gaussian, 5, 11)
	if err != nil {
		b.Fatal(err)
	}
	found, err := lesions.FindTissue(context.Background(), denoise.Input{Volume: v}, volume.Region{}, noise.Known(5), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		found.Of(v, v.Bounds()).Figures()
	}
}
