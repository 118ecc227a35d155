package slab

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns rows of n voxels with all kinds of neighbours; some voxels are excluded, and something is added.
func random(n int, masked, more bool) rows {
	rng := rand.New(rand.NewPCG(4, 9))
	const beside = 20
	r := rows{at: beside, guideAt: beside - 3, factor: -0.7}
	for range n + 2*beside {
		r.v, r.g, r.used = append(r.v, 100*rng.Float32()), append(r.g, 3*rng.Float32()), append(r.used, rng.IntN(4) > 0)
	}
	r.v, r.g, r.used = slices.Clip(r.v), slices.Clip(r.g), slices.Clip(r.used)
	for _, k := range []int{-17, -4, 1, 3, 19} {
		r.near = append(r.near, neighbour{k, k + 3, 0.7})
	}
	if !masked {
		r.used = nil
	}
	if more {
		r.more = r.v[2:][:n]
	}
	return r
}

// Rows of any length have the same bits with and without vector code, whatever is used, added, or beside them.
func TestSameBitsWithoutVectorCode(t *testing.T) {
	if !useVector {
		t.Skip("this processor runs the Go loops only")
	}
	defer func() { useVector = true }()
	for n := range 70 {
		for k := range 8 {
			r := random(n, k&1 != 0, k&2 != 0)
			if k&4 != 0 {
				r.near = nil
			}
			var results [2][]float32
			for i := range results {
				useVector = i == 0
				const guard = 5 // values beside the row, which stay
				results[i] = slices.Repeat([]float32{-7}, n+guard)
				r.average(results[i][:n])
				if !slices.Equal(results[i][n:], slices.Repeat([]float32{-7}, guard)) {
					t.Fatalf("%d voxels: a value beside the row was written", n)
				}
			}
			if !slices.Equal(results[0], results[1]) {
				t.Errorf("%d voxels, kind %d, have other bits one by one than side by side", n, k)
			}
		}
	}
}

// A row that leaves its values is refused before memory outside of them is read.
func TestAverageChecksBounds(t *testing.T) {
	const n = 8
	for name, short := range map[string]func(r *rows){
		"v":          func(r *rows) { r.v, r.near = r.v[:r.at+n-1:r.at+n-1], nil },
		"g":          func(r *rows) { r.g, r.near = r.g[:r.guideAt+n-1:r.guideAt+n-1], nil },
		"v after":    func(r *rows) { r.near = []neighbour{{v: len(r.v) - r.at - n + 1}} },
		"v before":   func(r *rows) { r.near = []neighbour{{v: -r.at - 1}} },
		"g after":    func(r *rows) { r.near = []neighbour{{g: len(r.g) - r.guideAt - n + 1}} },
		"g before":   func(r *rows) { r.near = []neighbour{{g: -r.guideAt - 1}} },
		"used":       func(r *rows) { r.used, r.near = r.used[:r.at+n-1:r.at+n-1], nil },
		"used after": func(r *rows) { r.used, r.near = r.used[:r.at+n:r.at+n], []neighbour{{v: 1}} },
		"more":       func(r *rows) { r.more = r.more[: n-1 : n-1] },
	} {
		r := random(n, true, true)
		short(&r)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			r.average(make([]float32, n))
		}()
	}
}
