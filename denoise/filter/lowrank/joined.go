package lowrank

import (
	"math"

	"quell/denoise"
)

// The passes of a joined series.
const (
	PatchesPass = "patches" // means of the estimates of patches, by rank
	MarkPass    = "mark"    // 1 where the mean around a voxel is beyond the limit
	RestorePass = "restore"
)

// Part are the parameters of the passes for a part of a series.
type Part struct {
	Params
	First int // slice of the series, with which the part begins
}

// Starts are the starts of patches of one colour along an axis, which do not overlap: min(First + i Stride, Last) for
// 0 <= i < Count.
type Starts struct{ First, Stride, Last, Count int32 }

// Colours returns the starts along an axis of the patches that reach into from <= i < to, by colour. Slices count from that with which
// the part begins.
func (p Part) Colours(axis, from, to int) (all []Starts) {
	shift := 0
	if axis == 2 {
		shift = p.First
	}
	for _, colour := range p.colours(p.starts(axis), axis) {
		s := Starts{Stride: int32((p.Width[axis] + p.Step - 1) / p.Step * p.Step), Last: int32(p.Dims[axis] - p.Width[axis] - shift)}
		for _, start := range colour {
			if start -= shift; start < to && start+p.Width[axis] > from {
				if s.Count == 0 {
					s.First = int32(start)
				}
				s.Count++
			}
		}
		if s.Count > 0 {
			all = append(all, s)
		}
	}
	return all
}

// Joined implements denoise.SeriesProgram.
func (p Params) Joined(first int) (any, []denoise.Pass) {
	row := p.Volumes + 1
	width := p.Width
	patches := denoise.Pass{
		Name: PatchesPass, Inputs: []string{denoise.Voxels}, Output: denoise.Result,
		Reach: [3]int{p.Dims[0] * row, width[1] - 1, width[2] - 1},
		Work:  p.work() / float64(row),
	}
	if math.IsInf(p.Limit, 1) {
		return Part{p, first}, []denoise.Pass{patches}
	}
	patches.Output = "estimates"
	box, read := [3]int{row, 1, 1}, []string{denoise.Voxels, patches.Output}
	return Part{p, first}, []denoise.Pass{
		patches,
		{Name: MarkPass, Inputs: read, Output: "marks", Reach: box, Work: 27},
		{Name: RestorePass, Inputs: append(read, "marks"), Output: denoise.Result, Reach: box, Work: 27},
	}
}

// work returns the steps of a place: those of its share of a patch, most of which are Jacobi rotations of the smaller Gram matrix.
func (p Params) work() float64 {
	m, n, share := float64(places(p.Width)), float64(p.Volumes), 1.0
	for _, w := range p.Width {
		share *= float64(min(p.Step, w))
	}
	k := min(m, n)
	return (12*k*k*k + m*n*k) / share
}
