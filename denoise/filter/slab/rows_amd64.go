package slab

import "golang.org/x/sys/cpu"

// useVector selects the AVX2 form of a row; tests turn it off to compare.
var useVector = cpu.X86.HasAVX2

// lanes is how many voxels are added at once.
const lanes = 4

// addAVX2 is the assembly form of addGo, rows_amd64.s; n is a positive multiple of lanes.
//
//go:noescape
func addAVX2(num, den *float64, v, h, vj, hj *float32, used *bool, inverse float64, n int)

// add adds the neighbours of a row that are used to its sums.
func (s sums) add(here, there row, used []bool, inverse float64) {
	n := len(used)
	whole := 0
	if useVector {
		whole = n &^ (lanes - 1)
	}
	if whole > 0 {
		num, den := s.num[:whole], s.den[:whole] // the bounds checks that assembly lacks
		v, g, vj, gj := here.v[:whole], here.g[:whole], there.v[:whole], there.g[:whole]
		addAVX2(&num[0], &den[0], &v[0], &g[0], &vj[0], &gj[0], &used[0], inverse, whole)
	}
	s.from(whole, n).addGo(here.from(whole, n), there.from(whole, n), used[whole:], inverse)
}
