package volume

import (
	"runtime"
	"slices"
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
			if i := slices.IndexFunc(s, func(x float32) bool { return x != 0 }); i >= 0 {
				t.Fatalf("%d values: value %d is %v", n, i, s[i])
			}
			if i := slices.Index(mask, true); i >= 0 {
				t.Fatalf("%d values: value %d is true", n, i)
			}
			for i := range s {
				s[i], mask[i] = 1, true
			}
			runtime.GC()
		}
	}
}
