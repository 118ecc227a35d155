package run_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"quell/app/run"
	"quell/volume"
)

func TestVoxelHashIsOfLittleEndianFloats(t *testing.T) {
	// printf '\x00\x00\x80\x3f\x00\x00\x20\xc1' | sha256sum: 1.0 and -10.0
	const want = "db8f24d4dbf13252630b47c91802b9524a84177fa9bd359388ac6d33a8883f9f"
	v := volume.New(volume.NewGeometry([3]int{2, 1, 1}, [3]float64{1, 1, 1}))
	v.Data[0], v.Data[1] = 1, -10
	if got := run.HashOf(v); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

// TestVoxelHashOfManyVoxels hashes more voxels than its buffer holds, and as many.
func TestVoxelHashOfManyVoxels(t *testing.T) {
	for _, n := range []int{1<<14 - 1, 1 << 14, 1<<14 + 1} {
		v := volume.New(volume.NewGeometry([3]int{n, 1, 1}, [3]float64{1, 1, 1}))
		h := sha256.New()
		for i := range v.Data {
			v.Data[i] = float32(i)
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(i))))
		}
		if got := run.HashOf(v); got != hex.EncodeToString(h.Sum(nil)) {
			t.Errorf("%d voxels: hash %s", n, got)
		}
	}
}
