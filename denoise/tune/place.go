package tune

import (
	"math"

	"quell/internal/message"
)

// Place is a voxel of the input, counted from 0, with a word for what lies there.
type Place struct {
	X     int    `json:"x"`
	Y     int    `json:"y"`
	Slice int    `json:"slice"`
	What  string `json:"what"` // "edges" or "smooth tissue"
}

// AsMessage returns "edges at x 120, y 88 in slice 5", counted from 1 as viewers do.
func (p Place) AsMessage() message.Message {
	return message.Text("%s at x %d, y %d in slice %d", message.Word(p.What), p.X+1, p.Y+1, p.Slice+1)
}

// String returns the message in English.
func (p Place) String() string { return p.AsMessage().String() }

// The words for a place.
const (
	edges  = "edges"
	smooth = "smooth tissue"
)

// residue returns the residual of the foreground of the region, in sigmas.
func (r Result) residue() residue {
	before, after, n := r.Input.Volume.Data, r.After.Data, r.After.SliceVoxels()
	return r.inSigmas(r.Foreground, func(k, i, of int) float64 { return float64(before[of]) - float64(after[k*n+i]) })
}

// inSigmas returns values of the voxels of the region that hold data and count, in sigmas, of each slice in its own if that is
// known: a voxel is i of slice k, and one of the input.
func (r Result) inSigmas(counts func(of int) bool, value func(k, i, of int) float64) residue {
	v, d := r.Input.Masked(), r.Region.Dims()
	return residue{Geometry: r.After.Geometry, correlation: r.Noise.Correlation, slice: func(k int, data []float32, use []bool) {
		sigma := r.Noise.Slice(r.Region.Min[2] + k).Sigma
		if !(sigma > 0) {
			sigma = 1
		}
		for i := range data {
			of := v.Index(r.Region.Min[0]+i%d[0], r.Region.Min[1]+i/d[0], r.Region.Min[2]+k)
			if use[i], data[i] = v.Valid(of) && counts(of), 0; use[i] {
				data[i] = float32(value(k, i, of) / sigma)
			}
		}
	}}
}

// anywhere counts every voxel.
func anywhere(int) bool { return true }

// count returns how many voxels count, of as many slices as it takes to have enough.
func (r residue) count(enough int) (n int) {
	data, use := make([]float32, r.SliceVoxels()), make([]bool, r.SliceVoxels())
	for z := 0; z < r.Dims[2] && n < enough; z++ {
		r.slice(z, data, use)
		n += shareOf(data, data, use).voxels
	}
	return n
}

// shareOf adds up a slice, or rows of it: the structure in its residual.
func shareOf(data, found []float32, use []bool) (s share) {
	for i, use := range use {
		if use {
			s.voxels++
			s.found += float64(found[i]) * float64(found[i])
			if found[i] > s.peak {
				s.peak, s.at = found[i], i
			}
		}
	}
	return s
}

// around is how far from a place the result is looked at.
const around = 3

// place returns the place at which slices show the most structure; nil if they show
// none.
func (r Result) place(per []share) *Place {
	z := 0
	for k, s := range per {
		if s.peak > per[z].peak {
			z = k
		}
	}
	if per[z].peak == 0 {
		return nil
	}
	d := r.After.Dims
	x, y := per[z].at%d[0], per[z].at/d[0]
	// What varies in the result by more than its noise is an edge.
	var n, sum, squares float64
	for j := max(y-around, 0); j <= min(y+around, d[1]-1); j++ {
		for i := max(x-around, 0); i <= min(x+around, d[0]-1); i++ {
			a := float64(r.After.At(i, j, z)) / r.Noise.Sigma
			n, sum, squares = n+1, sum+a, squares+a*a
		}
	}
	p := &Place{X: r.Region.Min[0] + x, Y: r.Region.Min[1] + y, Slice: r.Region.Min[2] + z, What: smooth}
	if math.Sqrt(max(squares/n-sum*sum/(n*n), 0)) > 2 {
		p.What = edges
	}
	return p
}
