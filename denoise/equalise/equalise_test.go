package equalise_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"quell/denoise/equalise"
	"quell/volume"
)

func weights(n int) equalise.Weights {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	w := make(equalise.Weights, n)
	for i := range w {
		w[i] = rng.Float64() - 0.3
	}
	return w
}

// Every tile of a volume holds the sum of the taps of the definition, with the volume mirrored at its ends, with the bits
// of every other tile.
func TestTilesAreTheSumOfTheTaps(t *testing.T) {
	for _, dims := range [][3]int{{19, 11, 6}, {5, 3, 1}, {1, 1, 2}} {
		v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
		for i := range v.Data {
			v.Data[i] = float32(i*i%37) - 15
		}
		load := func(dst []float64, x, y, z int) {
			for i := range dst {
				dst[i] = float64(v.At(x+i, y, z))
			}
		}
		for _, n := range []int{1, equalise.Levels, equalise.Levels * equalise.Slices} {
			w := weights(n)
			if err := w.Check(true); err != nil {
				t.Fatal(err)
			}
			whole := map[[3]int]float64{}
			k := equalise.NewKernel(w, dims, load)
			run := func(box volume.Region, got func(x, y, z int, value float64)) {
				k.Run(box, func() bool { return false }, func(y, z int, values []float64) {
					for i, s := range values {
						got(box.Min[0]+i, y, z, s)
					}
				})
			}
			run(v.Bounds(), func(x, y, z int, s float64) { whole[[3]int{x, y, z}] = s })
			for at, got := range whole {
				if want := sum(w, v, at); math.Abs(got-want) > 1e-10 {
					t.Fatalf("%v, %d weights: %v is %g; want %g", dims, n, at, got, want)
				}
			}
			for x := range dims[0] {
				box := volume.Region{Min: [3]int{x, dims[1] / 3, dims[2] / 2}, Max: [3]int{min(x+4, dims[0]), dims[1], dims[2]}}
				run(box, func(x, y, z int, s float64) {
					if s != whole[[3]int{x, y, z}] {
						t.Fatalf("%v, %d weights: (%d, %d, %d) differs in tile %v", dims, n, x, y, z, box)
					}
				})
			}
		}
	}
}

// sum is W * v at a voxel.
func sum(w equalise.Weights, v *volume.Volume, at [3]int) (sum float64) {
	reach := w.Reach()
	r := reach[0]
	for dz := -reach[2]; dz <= reach[2]; dz++ {
		for i, tap := range w.Taps(max(dz, -dz)) {
			x, y := at[0]+i%(2*r+1)-r, at[1]+i/(2*r+1)-r
			sum += tap * float64(v.At(volume.Mirror(x, v.Dims[0]), volume.Mirror(y, v.Dims[1]), volume.Mirror(at[2]+dz, v.Dims[2])))
		}
	}
	return sum
}

// The response is the transform of the taps.
func TestResponse(t *testing.T) {
	w := weights(equalise.Levels * equalise.Slices)
	for _, f := range [][3]float64{{}, {0.1, 0.23, 0.4}, {0.5, 0, 0}, {0.03, 0.5, 0.25}} {
		want, r := 0.0, w.Reach()[0]
		for dz := 1 - equalise.Slices; dz < equalise.Slices; dz++ {
			for i, tap := range w.Taps(max(dz, -dz)) {
				want += tap * math.Cos(2*math.Pi*(f[0]*float64(i%(2*r+1)-r)+f[1]*float64(i/(2*r+1)-r)+f[2]*float64(dz)))
			}
		}
		if got := w.Response(f[0], f[1], f[2]); math.Abs(got-want) > 1e-12 {
			t.Errorf("at %v: %g; want %g", f, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		w       equalise.Weights
		volumes bool
		ok      bool
	}{
		{weights(1), false, true}, {weights(4), false, true}, {weights(16), false, false}, {weights(16), true, true}, {weights(4), true, true},
		{nil, true, false}, {weights(5), true, false}, {equalise.Weights{1, 2, 3, 100}, true, true}, {equalise.Weights{1, 2, 3, -100.5}, true, false}, {equalise.Weights{math.NaN()}, true, false},
	} {
		if err := c.w.Check(c.volumes); (err == nil) != c.ok {
			t.Errorf("%v, volumes %v: %v", c.w, c.volumes, err)
		}
	}
}
