package tune

import (
	"context"
	"fmt"
	"math"

	"quell/internal/parallel"
	"quell/volume"
)

// Place is a voxel of the input with a word for what lies there.
type Place struct {
	X     int    `json:"x"`
	Y     int    `json:"y"`
	Slice int    `json:"slice"` // counted from 0
	What  string `json:"what"`  // "edges" or "smooth tissue"
}

// String returns "edges at x 120, y 88 in slice 5".
func (p Place) String() string {
	return fmt.Sprintf("%s at x %d, y %d in slice %d", p.What, p.X, p.Y, p.Slice)
}

// The words for a place.
const (
	edges  = "edges"
	smooth = "smooth tissue"
	// anObject is one that lost contrast.
	anObject = "an object"
)

// residue returns the residual of the region in sigmas, of each slice in its own
// where that is known.
func (r Result) residue(ctx context.Context) (residue, error) {
	v := r.Input.Masked()
	out := residue{Geometry: r.After.Geometry, data: volume.Make[float32](len(r.After.Data)), use: volume.Make[bool](len(r.After.Data)), correlation: r.Noise.Correlation}
	d := r.Region.Dims()
	err := parallel.For(ctx, d[2], func(k int) error {
		z := r.Region.Min[2] + k
		sigma := r.Noise.Slice(z).Sigma
		for y := range d[1] {
			from, to := v.Index(r.Region.Min[0], r.Region.Min[1]+y, z), out.Index(0, y, k)
			for x := range d[0] {
				if v.Valid(from+x) && r.Foreground(from+x) {
					out.use[to+x] = true
					out.data[to+x] = float32((float64(v.Data[from+x]) - float64(r.After.Data[to+x])) / sigma)
				}
			}
		}
		return nil
	})
	return out, err
}

// count returns how many voxels count.
func (r residue) count() int {
	n := 0
	for _, use := range r.use {
		if use {
			n++
		}
	}
	return n
}

// perSlice adds up each slice. The error is the context's.
func (r residue) perSlice(ctx context.Context, found *volume.Volume) ([]share, error) {
	per := make([]share, r.Dims[2])
	n := r.SliceVoxels()
	return per, parallel.For(ctx, len(per), func(z int) error {
		var s share
		data, amplitudes := r.data[z*n:(z+1)*n], found.Plane(z)
		for i, use := range r.use[z*n : (z+1)*n] {
			if use {
				s.voxels++
				s.residual += float64(data[i]) * float64(data[i])
				s.found += float64(amplitudes[i]) * float64(amplitudes[i])
			}
		}
		per[z] = s
		return nil
	})
}

// around is how far from a place the result is looked at.
const around = 3

// place returns where the most structure was found.
func (r residue) place(found *volume.Volume, result Result) *Place {
	worst, most := 0, float32(0)
	for i, a := range found.Data {
		if a > most {
			worst, most = i, a
		}
	}
	if most == 0 {
		return nil
	}
	x, y, z := worst%r.Dims[0], worst/r.Dims[0]%r.Dims[1], worst/r.SliceVoxels()
	// What varies in the result by more than its noise is an edge.
	var n, sum, squares float64
	for j := max(y-around, 0); j <= min(y+around, r.Dims[1]-1); j++ {
		for i := max(x-around, 0); i <= min(x+around, r.Dims[0]-1); i++ {
			a := float64(result.After.At(i, j, z)) / result.Noise.Sigma
			n, sum, squares = n+1, sum+a, squares+a*a
		}
	}
	p := &Place{X: result.Region.Min[0] + x, Y: result.Region.Min[1] + y, Slice: result.Region.Min[2] + z, What: smooth}
	if math.Sqrt(max(squares/n-sum*sum/(n*n), 0)) > 2 {
		p.What = edges
	}
	return p
}
