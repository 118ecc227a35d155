//go:build !amd64

package slab

// add adds the neighbours of a row that are used to its sums.
func (s sums) add(here, there row, used []bool, inverse float64) {
	s.addGo(here, there, used, inverse)
}
