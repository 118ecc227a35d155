package slab

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Rows of any length have the same bits with and without vector code, whatever is used.
func TestSameBitsWithoutVectorCode(t *testing.T) {
	if !useVector {
		t.Skip("this processor runs the Go loops only")
	}
	defer func() { useVector = true }()
	rng := rand.New(rand.NewPCG(4, 9))
	for n := range 70 {
		random := func(scale float32) row {
			var r row
			for range n {
				r.v, r.g = append(r.v, scale*rng.Float32()), append(r.g, 3*rng.Float32())
			}
			return r
		}
		here, there, used := random(100), random(100), make([]bool, n)
		for i := range used {
			used[i] = rng.IntN(4) > 0
		}
		var results [2]sums
		for k, vector := range []bool{true, false} {
			useVector = vector
			const guard = 5 // values beside the row, which stay
			s := sums{make([]float64, n+guard), make([]float64, n+guard)}
			for i := range s.num {
				s.num[i], s.den[i] = float64(i)/7, float64(i)/3
			}
			s.from(0, n).add(here, there, used, 0.7)
			for i := n; i < n+guard; i++ {
				if s.num[i] != float64(i)/7 || s.den[i] != float64(i)/3 {
					t.Fatalf("%d voxels: a value beside the row was written", n)
				}
			}
			results[k] = s
		}
		if !slices.Equal(results[0].num, results[1].num) || !slices.Equal(results[0].den, results[1].den) {
			t.Errorf("%d voxels have other bits one by one than side by side", n)
		}
	}
}

// A row that leaves its values is refused before memory outside of them is read.
func TestAddChecksBounds(t *testing.T) {
	full := func() []float32 { return make([]float32, 8) }
	for name, short := range map[string]func(here, there *row, s *sums){
		"v":   func(here, _ *row, _ *sums) { here.v = here.v[:7:7] },
		"g":   func(here, _ *row, _ *sums) { here.g = here.g[:7:7] },
		"vj":  func(_, there *row, _ *sums) { there.v = there.v[:7:7] },
		"gj":  func(_, there *row, _ *sums) { there.g = there.g[:7:7] },
		"num": func(_, _ *row, s *sums) { s.num = s.num[:7:7] },
		"den": func(_, _ *row, s *sums) { s.den = s.den[:7:7] },
	} {
		here, there, s := row{full(), full()}, row{full(), full()}, sums{make([]float64, 8), make([]float64, 8)}
		short(&here, &there, &s)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			s.add(here, there, make([]bool, 8), 1)
		}()
	}
}
