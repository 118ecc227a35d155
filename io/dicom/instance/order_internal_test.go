package instance

import (
	"slices"
	"testing"

	"quell/io/dicom/part10"
)

// TestCompareAcquired asks for what counts first.
func TestCompareAcquired(t *testing.T) {
	file := &Instance{}
	slice := func(number, frame int, q acquired) *Slice {
		return &Slice{Instance: &Instance{Number: number}, Frame: frame, acquired: q}
	}
	frame := func(n int, q acquired) *Slice { return &Slice{Instance: file, Frame: n, acquired: q} }
	for name, pair := range map[string][2]*Slice{ // the first is the earlier
		"Frame Reference Time":  {slice(2, 0, acquired{reference: 10}), slice(1, 0, acquired{reference: 20})},
		"instance number":       {slice(1, 0, acquired{temporal: 2, number: 2, time: 2}), slice(2, 0, acquired{temporal: 1, number: 1, time: 1})},
		"temporal position":     {slice(1, 0, acquired{temporal: 1, number: 2, time: 2}), slice(1, 0, acquired{temporal: 2, number: 1, time: 1})},
		"acquisition number":    {slice(1, 0, acquired{number: 1, time: 2}), slice(1, 0, acquired{number: 2, time: 1})},
		"acquisition time":      {slice(1, 1, acquired{time: 95958.5}), slice(1, 0, acquired{time: 100001})},
		"dimensions of a frame": {frame(5, acquired{dimensions: []int{1, 9}, temporal: 2}), frame(0, acquired{dimensions: []int{2, 1}, temporal: 1})},
		"frame":                 {frame(0, acquired{}), frame(1, acquired{})},
	} {
		if a, b := CompareAcquired(pair[0], pair[1]), CompareAcquired(pair[1], pair[0]); a != -1 || b != 1 {
			t.Errorf("%s: %d, %d", name, a, b)
		}
	}
	if c := CompareAcquired(slice(1, 0, acquired{}), slice(1, 1, acquired{})); c != 0 {
		t.Errorf("frames of two files: %d", c)
	}
}

// TestOrderDimensions: the last dimension varies slowest unless the position in the stack is the
// last one that varies.
func TestOrderDimensions(t *testing.T) {
	stack, time := part10.TagInStackPositionNumber, part10.TagTemporalPositionIndex
	for name, c := range map[string]struct {
		pointers []part10.Tag
		frames   [][]int
		want     [][]int
	}{
		"position first":         {[]part10.Tag{stack, time}, [][]int{{1, 2}, {2, 1}}, [][]int{{2, 1}, {1, 2}}},
		"position last":          {[]part10.Tag{time, stack}, [][]int{{1, 2}, {2, 1}}, [][]int{{1, 2}, {2, 1}}},
		"behind it nothing":      {[]part10.Tag{time, stack, 0x00209056}, [][]int{{1, 2, 1}, {2, 1, 1}}, [][]int{{1, 2, 1}, {2, 1, 1}}},
		"not said":               {nil, [][]int{{1, 2}, {2, 1}}, [][]int{{2, 1}, {1, 2}}},
		"not in every frame":     {[]part10.Tag{time, stack}, [][]int{{1, 2}, {2}}, [][]int{nil, nil}},
		"of one dimension alone": {[]part10.Tag{time}, [][]int{{3}, {1}}, [][]int{{3}, {1}}},
	} {
		var frames []*Slice
		for _, d := range c.frames {
			frames = append(frames, &Slice{acquired: acquired{dimensions: slices.Clone(d)}})
		}
		orderDimensions(frames, c.pointers)
		for i, s := range frames {
			if !slices.Equal(s.acquired.dimensions, c.want[i]) {
				t.Errorf("%s, frame %d: %v, want %v", name, i, s.acquired.dimensions, c.want[i])
			}
		}
	}
}
