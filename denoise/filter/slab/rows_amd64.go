package slab

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// useVector selects the AVX2 form of a row; tests turn it off to compare.
var useVector = cpu.X86.HasAVX2

// lanes is how many voxels are averaged at once.
const lanes = 4

// averageAVX2 is the assembly form of averageGo, rows_amd64.s: v, guide and used point at the first voxel. n is a positive multiple of
// lanes.
//
//go:noescape
func averageAVX2(out, v, guide *float32, used *bool, more *float32, factor float64, near *neighbour, count, n int)

// average sets out to the means.
func (r rows) average(out []float32) {
	whole := 0
	if useVector {
		whole = len(out) &^ (lanes - 1)
	}
	if whole > 0 {
		v, g, used, more := r.v[r.at:][:whole], r.g[r.guideAt:][:whole], (*bool)(nil), (*float32)(nil)
		for _, j := range r.near { // the bounds checks that assembly lacks
			_, _ = r.v[r.at+j.v:][:whole], r.g[r.guideAt+j.g:][:whole]
			if r.used != nil {
				_ = r.used[r.at+j.v:][:whole]
			}
		}
		if r.used != nil {
			used = &r.used[r.at:][:whole][0]
		}
		if r.more != nil {
			more = &r.more[:whole][0]
		}
		averageAVX2(&out[0], &v[0], &g[0], used, more, r.factor, unsafe.SliceData(r.near), len(r.near), whole)
	}
	r.from(whole).averageGo(out[whole:])
}
