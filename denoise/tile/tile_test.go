package tile

import (
	"testing"

	"quell/denoise"
	"quell/volume"
)

func TestBlockMirrorsAndMasks(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{3, 2, 2}, [3]float64{1, 1, 1}))
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Data {
		v.Data[i], v.Mask[i] = float32(i), i%3 != 0
	}
	var b Block
	f := denoise.FieldOf(v)
	for range 2 { // the second time its memory is reused
		box := volume.Region{Min: [3]int{-4, -1, -2}, Max: [3]int{5, 4, 3}}
		b.Load(&f, box)
		for z := box.Min[2]; z < box.Max[2]; z++ {
			for y := box.Min[1]; y < box.Max[1]; y++ {
				for x := box.Min[0]; x < box.Max[0]; x++ {
					from := v.Index(volume.Mirror(x, 3), volume.Mirror(y, 2), volume.Mirror(z, 2))
					if i := b.At(x, y, z); b.Values[i] != v.Data[from] || (b.Mask[i] == 1) != v.Mask[from] {
						t.Fatalf("(%d, %d, %d) is %v, %v; want %v, %v", x, y, z, b.Values[i], b.Mask[i], v.Data[from], v.Mask[from])
					}
				}
			}
		}
	}
}

// TestBytes counts the voxels of a tile with its halo on both sides and a group of lanes
// along each axis; a tile is not larger than the volume.
func TestBytes(t *testing.T) {
	dims, size := [3]int{100, 20, 5}, [3]int{64, 32, 1}
	for reach, want := range map[[3]int]int64{
		{}:        (64 + Lanes) * (20 + Lanes) * (1 + Lanes) * 40,
		{3, 2, 1}: (64 + 6 + Lanes) * (20 + 4 + Lanes) * (1 + 2 + Lanes) * 40,
	} {
		if got := Bytes(dims, size, reach, 40); got != want {
			t.Errorf("reach %v needs %d bytes, want %d", reach, got, want)
		}
	}
}
