package gaussian

import (
	"slices"
	"testing"
)

// The Go loop and the vector code give the same bits.
func TestSameBitsWithoutVectorCode(t *testing.T) {
	if !useVector {
		t.Skip("this processor runs the Go loop only")
	}
	defer func() { useVector = true }()
	for _, masked := range []bool{false, true} {
		in := field([3]int{61, 17, 9}, masked)
		var results [2][]float32
		for i, vector := range []bool{true, false} {
			useVector = vector
			out := field([3]int{61, 17, 9}, masked)
			start(params([3]int{3, 2, 1}), in, out)()(out.Box, func() bool { return false })
			results[i] = out.Data
		}
		if !slices.Equal(results[0], results[1]) {
			t.Errorf("masked %v: the Go loop gives other bits than the vector code", masked)
		}
	}
}
