package run

import (
	"testing"

	"quell/volume"
)

// The hash of a mask does not depend on the parts that it is computed in.
func TestHashOfLargeMasks(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{1<<14 + 1, 1, 1}, [3]float64{1, 1, 1}))
	m := Maps{Mask: make([]bool, len(v.Data))}
	for i := range m.Mask {
		if m.Mask[i] = i%7 != 0; m.Mask[i] {
			v.Data[i] = 1
		}
	}
	none, mask := m.Records()
	if none != nil || mask == nil || mask.SHA256 != HashOf(v) {
		t.Errorf("%+v and %+v; want the hash of zeros and ones", none, mask)
	}
	if a, b := (Maps{}).Records(); a != nil || b != nil {
		t.Error("no maps have records")
	}
}
