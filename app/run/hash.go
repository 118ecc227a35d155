package run

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"sync"

	"quell/volume"
)

// HashOf returns what identifies the voxels of a volume in records.
func HashOf(v *volume.Volume) string {
	h := NewHash()
	AddVoxels(h, v.Data)
	return hex.EncodeToString(h.Sum(nil))
}

// NewHash returns the hash that identifies voxels in records.
func NewHash() hash.Hash { return sha256.New() }

// AddVoxels adds voxels to their hash.
func AddVoxels(h hash.Hash, voxels []float32) {
	for part := range slices.Chunk(voxels, 1<<16) {
		b, _ := volume.LittleEndian(part)
		h.Write(b)
	}
}

// VoxelHash is the hash of a volume's voxels, which another goroutine finds: it takes longer
// than reading them.
type VoxelHash struct {
	Of   *volume.Volume
	Hash func() string // waits for it
}

// Identify begins to hash the voxels of v, which must not change meanwhile.
func Identify(v *volume.Volume) *VoxelHash {
	done := make(chan string, 1)
	go func() { done <- HashOf(v) }()
	return &VoxelHash{Of: v, Hash: sync.OnceValue(func() string { return <-done })}
}
