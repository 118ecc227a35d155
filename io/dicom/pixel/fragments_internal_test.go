package pixel

import (
	"fmt"
	"testing"

	"quell/io/dicom/part10"
)

// TestSplitAt splits three fragments at offsets that may be wrong: offsets that do
// not begin every frame, the first one included, split nothing.
func TestSplitAt(t *testing.T) {
	items := []part10.Fragment{{Offset: 0, Bytes: []byte{1}}, {Offset: 10, Bytes: []byte{2}}, {Offset: 20, Bytes: []byte{3}}}
	for _, c := range []struct {
		frames int
		starts []int64
		want   string
	}{
		{2, []int64{0, 20}, "[[[1] [2]] [[3]]]"},
		{2, []int64{0, 10}, "[[[1]] [[2] [3]]]"},
		{3, []int64{0, 10, 20}, "[[[1]] [[2]] [[3]]]"},
		{2, []int64{10, 20}, "[]"},
		{2, []int64{0, 15}, "[]"},
		{2, []int64{0, 10, 20}, "[]"},
		{2, []int64{0}, "[]"},
		{2, nil, "[]"},
	} {
		if got := fmt.Sprint(splitAt(items, c.frames, c.starts)); got != c.want {
			t.Errorf("%d frames from %v: %s, want %s", c.frames, c.starts, got, c.want)
		}
	}
}
