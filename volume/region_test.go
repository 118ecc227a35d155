package volume_test

import (
	"testing"

	"quell/volume"
)

func TestMirror(t *testing.T) {
	// numpy.pad(range(3), 7, mode="symmetric")
	want := []int{0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2}
	for i, w := range want {
		if got := volume.Mirror(i-7, 3); got != w {
			t.Errorf("volume.Mirror(%d, 3) = %d; want %d", i-7, got, w)
		}
	}
	if got := volume.Mirror(-9, 1); got != 0 {
		t.Errorf("volume.Mirror(-9, 1) = %d", got)
	}
}
