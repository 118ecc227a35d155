package lpa

import (
	"testing"

	"quell/denoise"
	"quell/denoise/filter/correlation"
	"quell/volume"
)

// field returns a field of steps and noise in which no voxel is excluded.
func field(dims [3]int) denoise.Field {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32((i*7919)%23) - 11.5
		if i%dims[0] > 20 {
			v.Data[i] += 60
		}
	}
	return denoise.FieldOf(v)
}

// Every pixel of a tile is computed once, by the reference to the bit, whether it is near
// an edge or not and wherever the tile ends; no other is touched.
func TestTilesAreTheReference(t *testing.T) {
	white := Params{Gamma: 1.3, Sigma: 9, Scales: []int{1, 2, 3, 5, 7}}
	correlated := white
	correlated.Rho = rhoOf(correlation.New([]int{60, 20, -10, -5}))
	excluded := map[string]func(x, y int) bool{
		"none":            nil,
		"a voxel":         func(x, y int) bool { return x == 22 && y == 8 },
		"outside a disc":  func(x, y int) bool { return (x-20)*(x-20)+(y-8)*(y-8) > 15*15 },
		"a corner":        func(x, y int) bool { return x+y < 6 },
		"all":             func(x, y int) bool { return true },
		"all but a voxel": func(x, y int) bool { return x != 11 || y != 4 },
	}
	for _, p := range []Params{white, correlated} {
		for name, mask := range excluded {
			tilesAreTheReference(t, p, name, mask)
		}
	}
}

func tilesAreTheReference(t *testing.T, p Params, name string, excluded func(x, y int) bool) {
	t.Helper()
	masked := func(dims [3]int) denoise.Field {
		f := field(dims)
		if excluded != nil {
			f.Mask = make([]bool, len(f.Data))
			for i := range f.Mask {
				f.Mask[i] = !excluded(i%dims[0], i/dims[0]%dims[1])
			}
		}
		return f
	}
	for _, dims := range [][3]int{{45, 17, 2}, {16, 9, 1}, {15, 9, 1}, {6, 3, 1}, {1, 1, 1}, {40, 2, 1}} {
		in := masked(dims)
		for _, x := range [][2]int{{0, dims[0]}, {dims[0] / 3, dims[0] / 2}, {min(9, dims[0]-1), min(13, dims[0])}, {dims[0] / 2, dims[0]}} {
			out := masked(dims)
			for i := range out.Data {
				out.Data[i] = -99
			}
			tile := volume.Region{Min: [3]int{x[0], dims[1] / 4, 0}, Max: [3]int{x[1], dims[1], 1}}
			start(p, in, out)()(tile, func() bool { return false })
			for z := range dims[2] {
				for y := range dims[1] {
					for x := range dims[0] {
						want := float32(-99)
						if x >= tile.Min[0] && x < tile.Max[0] && y >= tile.Min[1] && z == 0 && in.Valid(in.Index(x, y, z)) {
							want = float32(reference(p, &in, x, y, z))
						}
						if got := out.At(x, y, z); got != want {
							t.Fatalf("%v, excluded: %s, tile %v: (%d, %d, %d) is %v; want %v", dims, name, tile, x, y, z, got, want)
						}
					}
				}
			}
		}
	}
}

// A worker ends at the row at which it is stopped.
func TestWorkerStops(t *testing.T) {
	for rows := range 8 {
		in, out := field([3]int{30, 3, 2}), field([3]int{30, 3, 2})
		for i := range out.Data {
			out.Data[i] = -99
		}
		polls := 0
		start(Params{Gamma: 1, Sigma: 5, Scales: []int{1, 2}}, in, out)()(out.Box, func() bool { polls++; return polls > rows })
		for i, v := range out.Data {
			if (v != -99) != (i/30 < rows) {
				t.Errorf("stopped after %d rows: voxel %d is %v", rows, i, v)
			}
		}
		if polls != min(rows+1, 6) {
			t.Errorf("stopped after %d rows: %d polls", rows, polls)
		}
	}
}
