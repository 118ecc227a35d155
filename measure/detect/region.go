package detect

import (
	"fmt"
	"math"
)

// Cut returns the region of a slice about the pixel (column, row), less its mean. The slice has
// width values a row; the side is odd. The error says that the region leaves the slice.
func Cut(slice []float32, width, column, row, side int) ([]float64, error) {
	half := side / 2
	if side%2 == 0 || column < half || row < half || column+half >= width || (row+half+1)*width > len(slice) {
		return nil, fmt.Errorf("a region of %d pixels about column %d, row %d leaves the slice", side, column, row)
	}
	out := make([]float64, 0, side*side)
	var sum float64
	for y := row - half; y <= row+half; y++ {
		for _, v := range slice[y*width+column-half : y*width+column+half+1] {
			out, sum = append(out, float64(v)), sum+float64(v)
		}
	}
	mean := sum / float64(len(out))
	for i := range out {
		out[i] -= mean
	}
	return out, nil
}

// sideOf returns the side of a square region; 0 if it is no square.
func sideOf(region []float64) int {
	if n := int(math.Round(math.Sqrt(float64(len(region))))); n*n == len(region) {
		return n
	}
	return 0
}

// meanOf returns the mean of vectors of one length.
func meanOf(all [][]float64) []float64 {
	mean := make([]float64, len(all[0]))
	for _, v := range all {
		for i, x := range v {
			mean[i] += x
		}
	}
	for i := range mean {
		mean[i] /= float64(len(all))
	}
	return mean
}

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

// less returns a - b.
func less(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i, x := range a {
		out[i] = x - b[i]
	}
	return out
}
