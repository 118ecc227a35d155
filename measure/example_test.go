package measure_test

import (
	"context"
	"fmt"
	"log"

	"quell/measure"
	"quell/volume"
)

// Compare measures how much a volume differs from a reference; padding does not count.
func ExampleCompare() {
	reference := volume.New(volume.NewGeometry([3]int{16, 16, 1}, [3]float64{1, 1, 1}))
	test := reference.Clone()
	for i := range test.Data {
		test.Data[i] = float32(i%2) * 2
	}
	c, err := measure.Compare(context.Background(), reference, test, measure.Options{Max: 255})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%g, %.1f dB, at most %g in %d voxels\n", c.MSE, c.PSNR, c.MaxAbsDiff, c.Voxels)
	// Output: 2, 45.1 dB, at most 2 in 256 voxels
}

// Statistics of two regions give the contrast to noise ratio.
func ExampleCNR() {
	lesion := measure.StatsOf([]float32{58, 60, 62})
	tissue := measure.StatsOf([]float32{38, 40, 42})
	fmt.Printf("%.0f, %.0f, %.1f\n", lesion.Mean, tissue.Mean, measure.CNR(lesion, tissue))
	// Output: 60, 40, 10.0
}
