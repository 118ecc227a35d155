package denoise_test

import (
	"testing"

	"quell/denoise"
	"quell/volume"
)

// A field is addressed by the indices of the whole volume, wherever its box begins.
func TestFieldOfABox(t *testing.T) {
	v := flat([3]int{5, 6, 7}, 0)
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Data {
		v.Data[i], v.Mask[i] = float32(i), i%3 != 0
	}
	box := volume.Region{Min: [3]int{1, 2, 3}, Max: [3]int{4, 6, 5}}
	part := v.Crop(box)
	f := denoise.Field{Dims: v.Dims, Box: box, Data: part.Data, Mask: part.Mask}
	whole := denoise.FieldOf(v)
	if whole.Dims != v.Dims || whole.Box != v.Bounds() || &whole.Data[0] != &v.Data[0] || &whole.Mask[0] != &v.Mask[0] {
		t.Errorf("the field of a volume has dims %v and box %v", whole.Dims, whole.Box)
	}
	next := 0
	for z := box.Min[2]; z < box.Max[2]; z++ {
		for y := box.Min[1]; y < box.Max[1]; y++ {
			for x := box.Min[0]; x < box.Max[0]; x++ {
				i := f.Index(x, y, z)
				if i != next || f.At(x, y, z) != v.At(x, y, z) || f.Valid(i) != v.Valid(v.Index(x, y, z)) {
					t.Fatalf("(%d, %d, %d) is at %d and holds %v, valid %v", x, y, z, i, f.At(x, y, z), f.Valid(i))
				}
				next++
			}
		}
	}
	if f.Mask = nil; !f.Valid(0) {
		t.Error("a voxel is excluded without a mask")
	}
	if got, want := f.Around(box, [3]int{2, 1, 3}), (volume.Region{Min: [3]int{0, 1, 0}, Max: [3]int{5, 6, 7}}); got != want {
		t.Errorf("around the box is %v; want %v", got, want)
	}
}
