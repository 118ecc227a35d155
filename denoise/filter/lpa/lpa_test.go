package lpa

import (
	"testing"

	"quell/denoise"
	"quell/volume"
)

// On a step without noise the neighbourhood of a pixel ends at the edge.
func TestScalesStopAtAnEdge(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{40, 30, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 0.1
		if i%40 >= 20 {
			v.Data[i] = 100
		}
	}
	in := denoise.FieldOf(v)
	p := Params{Gamma: 1.05, Scales: []int{1, 2, 3, 5, 7, 8}}
	for x := 8; x < 32; x++ {
		// The distance to the edge on the right and on the left.
		right, left := 40-x, x-19
		if x < 20 {
			right, left = 20-x, x+1
		}
		for d, reach := range map[int]int{0: right, 1: right, 7: right, 2: 40, 6: 40, 3: left, 4: left, 5: left} {
			want := 0
			for s, h := range p.Scales {
				if h <= reach {
					want = s
				}
			}
			if got, _, _ := direction(p, &in, x, 15, 1, d); got != want {
				t.Errorf("x=%d direction %d: scale %d; want %d", x, d, p.Scales[got], p.Scales[want])
			}
		}
	}
}
