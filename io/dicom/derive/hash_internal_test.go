package derive

import (
	"crypto/sha256"
	"math"
	"strings"
	"testing"

	"quell/volume"
)

// hashed returns a volume with slices of more voxels than are hashed at once, and of no
// multiple of that.
func hashed() *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{181, 143, 3}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i) / 3
	}
	return v
}

func TestHashVoxelsIsThatOfWholeSlices(t *testing.T) {
	v := hashed()
	want := sha256.New()
	for z := range v.Dims[2] {
		b, _ := volume.LittleEndian(v.Plane(z))
		sum := sha256.Sum256(b)
		want.Write(sum[:])
	}
	for _, n := range []int{1, 2, 3} { // slices at a time
		got := sha256.New()
		for z := 0; z < v.Dims[2]; z += n {
			if err := hashVoxels(t.Context(), got, v.Crop(volume.Slices(v.Geometry, z, min(z+n, v.Dims[2])))); err != nil {
				t.Fatal(err)
			}
		}
		if string(got.Sum(nil)) != string(want.Sum(nil)) {
			t.Errorf("by %d: %x", n, got.Sum(nil))
		}
	}
}

func TestHashVoxelsRefusesWhatIsNotFinite(t *testing.T) {
	for _, at := range [][3]int{{0, 0, 0}, {180, 142, 1}, {180, 142, 2}} {
		v := hashed()
		v.Data[v.Index(at[0], at[1], at[2])] = float32(math.Inf(1))
		if err := hashVoxels(t.Context(), sha256.New(), v); err == nil || !strings.Contains(err.Error(), "is +Inf") {
			t.Errorf("voxel %v: %v", at, err)
		}
	}
}
