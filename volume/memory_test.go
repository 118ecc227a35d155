package volume

import (
	"runtime"
	"testing"
)

// Memory, small and large, that was in use before is zero.
func TestMakeGivesZeros(t *testing.T) {
	for _, n := range []int{0, 1000, largeMemory / 4, largeMemory/4 + 1001} {
		for range 3 {
			s, mask := Make[float32](n), Make[bool](n)
			if len(s) != n || len(mask) != n {
				t.Fatalf("%d and %d values, want %d", len(s), len(mask), n)
			}
			for i := range s {
				if s[i] != 0 || mask[i] {
					t.Fatalf("%d values: value %d is %v, %v", n, i, s[i], mask[i])
				}
				s[i], mask[i] = 1, true
			}
			runtime.GC()
		}
	}
}
