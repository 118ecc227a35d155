package sadct

import (
	"math"
	"sync"
)

// lanes is the length of a line in scratch memory and tables: maxSide rounded up to
// whole vectors of eight.
const lanes = 24

// tables hold the orthonormal DCT-II of all lengths n: basis_l(j) = c_l cos(pi (2j+1)
// l / (2n)), c_0 = sqrt(1/n), else sqrt(2/n).
type tables struct {
	exact   [maxSide + 1][]float64 // of length n: basis_l(j) at l*n + j
	forward [maxSide + 1][]float32 // basis_l(j) at j*lanes + l
	inverse [maxSide + 1][]float32 // basis_l(j) at l*lanes + j
	root    [maxSide + 1]float32   // sqrt(n)
}

// dct returns the tables.
var dct = sync.OnceValue(func() *tables {
	t := new(tables)
	for n := 1; n <= maxSide; n++ {
		t.exact[n] = make([]float64, n*n)
		t.forward[n], t.inverse[n] = make([]float32, n*lanes), make([]float32, n*lanes)
		t.root[n] = float32(math.Sqrt(float64(n)))
		for l := range n {
			norm := math.Sqrt(2 / float64(n))
			if l == 0 {
				norm = math.Sqrt(1 / float64(n))
			}
			for j := range n {
				b := norm * math.Cos(math.Pi*float64((2*j+1)*l)/float64(2*n))
				t.exact[n][l*n+j] = b
				t.forward[n][j*lanes+l] = float32(b)
				t.inverse[n][l*lanes+j] = float32(b)
			}
		}
	}
	return t
})
