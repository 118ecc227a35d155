package cpu_test

import (
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// On a noiseless step the neighbourhood of a pixel ends where its side does.
func TestLPAScalesStopAtAnEdge(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{40, 30, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 0.1
		if i%40 >= 20 {
			v.Data[i] = 100
		}
	}
	r, err := denoise.NewRecipe("lpa", 2)
	if err != nil {
		t.Fatal(err)
	}
	r = r.With("sigma", denoise.Number(0))
	planes, err := cpu.LPAScales(r, v, 1)
	if err != nil {
		t.Fatal(err)
	}
	scales := []int{1, 2, 3, 5, 7, 8}
	const y = 15
	for x := 8; x < 32; x++ {
		// How far the pixel's side of the step goes to the right and to the left.
		right, left := 40-x, x-19
		if x < 20 {
			right, left = 20-x, x+1
		}
		for direction, reach := range map[int]int{0: right, 1: right, 7: right, 2: 40, 6: 40, 3: left, 4: left, 5: left} {
			want := 0
			for s, h := range scales {
				if h <= reach {
					want = s
				}
			}
			if got := int(planes[direction][y*40+x]); got != want {
				t.Errorf("x=%d direction %d: scale %d; want %d", x, direction, scales[got], scales[want])
			}
		}
	}
}

func TestLPAScalesRefusals(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{4, 4, 1}, [3]float64{1, 1, 1}))
	lpa, _ := denoise.NewRecipe("lpa", 2)
	nlm, _ := denoise.NewRecipe("nlm", 2)
	for name, f := range map[string]func() error{
		"another filter": func() error { _, err := cpu.LPAScales(nlm, v, 0); return err },
		"no such slice":  func() error { _, err := cpu.LPAScales(lpa, v, 1); return err },
		"before slice 0": func() error { _, err := cpu.LPAScales(lpa, v, -1); return err },
	} {
		if f() == nil {
			t.Errorf("%s gave no error", name)
		}
	}
}
