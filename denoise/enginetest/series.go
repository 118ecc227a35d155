package enginetest

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// Series checks an engine of 4-D series against the filters' definitions: every case of the suite on series of fewer and of more
// volumes than a patch has places, with excluded places and noise that differs, as a whole and in slabs.
func Series(t *testing.T, engine denoise.SeriesEngine) {
	for _, f := range denoise.AllFilters() {
		if f.Together == nil {
			continue
		}
		for _, c := range f.Cases {
			t.Run(f.Name+" "+c.Name, func(t *testing.T) {
				r, err := f.Recipe(c)
				if err != nil {
					t.Fatal(err)
				}
				for _, shape := range [][4]int{{9, 8, 7, 10}, {8, 7, 5, 45}, {7, 6, 1, 12}, {1, 1, 1, 8}} {
					testSeries(t, engine, r, [3]int(shape[:3]), shape[3])
				}
			})
		}
	}
}

func testSeries(t *testing.T, engine denoise.SeriesEngine, r denoise.Recipe, dims [3]int, volumes int) {
	t.Helper()
	g := volume.NewGeometry(dims, spacing)
	r, err := r.FitTo(g, volumes)
	if err == nil {
		r, err = r.Resolve(g, denoise.Facts{Hi: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.BindSeries(g, volumes)
	if err != nil {
		t.Fatal(err)
	}
	in := SeriesScene(dims, volumes)
	before := slices.Clone(in.Data)
	run := func(from, to int) denoise.SeriesResult {
		s := p.Slab(from, to)
		slice := dims[0] * dims[1] * (volumes + 1)
		part := denoise.SeriesPart{Dims: [3]int{dims[0], dims[1], s.End - s.First}, Volumes: volumes, Data: in.Data[s.First*slice : s.End*slice]}
		out, err := engine.RunSeries(t.Context(), r, g, part, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	got, want := run(0, dims[2]), p.Reference(in)
	if !slices.Equal(in.Data, before) {
		t.Error("the input was changed")
	}
	if _, err := Agree(got.Joined(), want.Joined(), rangeOf(in.Joined())); err != nil {
		t.Errorf("%v of %d: %v", dims, volumes, err)
	}
	if !slices.Equal(got.Restored, want.Restored) {
		t.Errorf("%v of %d: %v voxels were restored, want %v", dims, volumes, got.Restored, want.Restored)
	}
	if again := run(0, dims[2]); !slices.Equal(again.Data, got.Data) {
		t.Errorf("%v of %d: other bits the second time", dims, volumes)
	}
	var slabs []float32
	restored := make([]int, volumes)
	for z := 0; z < dims[2]; z += 2 {
		part := run(z, min(z+2, dims[2]))
		slabs = append(slabs, part.Data...)
		for c, n := range part.Restored {
			restored[c] += n
		}
	}
	if !slices.Equal(slabs, got.Data) || !slices.Equal(restored, got.Restored) {
		t.Errorf("%v of %d: other bits in slabs", dims, volumes)
	}
}

// SeriesScene is a series of three curves, with a spot in one volume, a faint one in all, noise of sigma 1 and some excluded places.
// The noise that it states is lower on the left.
func SeriesScene(dims [3]int, volumes int) denoise.SeriesPart {
	in := denoise.NewSeriesPart(dims, volumes)
	for i := range dims[0] * dims[1] * dims[2] {
		x, y, z := i%dims[0], i/dims[0]%dims[1], i/dims[0]/dims[1]
		voxels, sigma := in.At(i)
		if i == 0 || hash(x, y, z)%11 > 0 {
			*sigma = 0.8 + float32(x)/20
		}
		for c := range voxels {
			h, noise := hash(x, y, z*volumes+c), -6.0
			for range 12 { // the sum of twelve uniform numbers has a variance of one
				h = h*6364136223846793005 + 1442695040888963407
				noise += float64(h>>11) * 0x1p-53
			}
			if x > 4 && x < 8 && y > 3 && z == 2 {
				noise += 0.9
			}
			clean := 40 + 20*math.Sin(float64(x+c))*math.Cos(float64(y)/3) + 8*float64(z)*float64(c%3)
			voxels[c] = float32(clean + noise)
		}
		if x == 3 && y == 3 {
			voxels[volumes/2] += 30
		}
	}
	return in
}
