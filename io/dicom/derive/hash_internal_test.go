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
	got, err := hashVoxels(t.Context(), v)
	if err != nil || string(got) != string(want.Sum(nil)) {
		t.Errorf("%x, %v", got, err)
	}
}

func TestHashVoxelsRefusesWhatIsNotFinite(t *testing.T) {
	for _, at := range [][3]int{{0, 0, 0}, {180, 142, 1}, {180, 142, 2}} {
		v := hashed()
		v.Data[v.Index(at[0], at[1], at[2])] = float32(math.Inf(1))
		if _, err := hashVoxels(t.Context(), v); err == nil || !strings.Contains(err.Error(), "is +Inf") {
			t.Errorf("voxel %v: %v", at, err)
		}
	}
}
