// Package spool keeps the voxels of a volume on the disk while they come some slices at a time,
// for writers that have to know all of them before they write the first.
package spool

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"

	"quell/volume"
)

// VoxelBytes is what a voxel takes on the disk at most: a float32, and whether it has a value.
const VoxelBytes = 5

// Voxels are the slices of a volume that were added so far, in files that Close removes. Read may be
// called from several goroutines, but not beside Add.
type Voxels struct {
	dir    string
	values *os.File
	mask   *os.File // 1 for a voxel without a value, and no byte for the last ones that have one; nil if all have
	added  int      // voxels
}

// New makes an empty spool in a folder.
func New(dir string) (*Voxels, error) {
	f, err := os.CreateTemp(dir, ".voxels-*")
	if err != nil {
		return nil, err
	}
	return &Voxels{dir: dir, values: f}, nil
}

// Add appends the voxels of part.
func (s *Voxels) Add(part *volume.Volume) (err error) {
	b, _ := volume.LittleEndian(part.Data)
	if _, err := s.values.Write(b); err != nil {
		return err
	}
	if part.Mask != nil {
		if s.mask == nil {
			if s.mask, err = os.CreateTemp(s.dir, ".mask-*"); err != nil {
				return err
			}
		}
		out := make([]byte, len(part.Mask))
		for i, valid := range part.Mask {
			if !valid {
				out[i] = 1
			}
		}
		if _, err := s.mask.WriteAt(out, int64(s.added)); err != nil {
			return err
		}
	}
	s.added += len(part.Data)
	return nil
}

// Len returns how many voxels were added.
func (s *Voxels) Len() int { return s.added }

// Masked reports whether a part had a mask.
func (s *Voxels) Masked() bool { return s.mask != nil }

// Read reads the voxels from number first on into data, and into valid, of the same length or
// nil, whether they have a value.
func (s *Voxels) Read(first int, data []float32, valid []bool) error {
	b, shared := volume.LittleEndian(data)
	if _, err := s.values.ReadAt(b, 4*int64(first)); err != nil {
		return err
	}
	for i := range data {
		if shared {
			break
		}
		data[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	if valid == nil {
		return nil
	}
	without := make([]byte, len(valid))
	if s.mask != nil {
		if _, err := s.mask.ReadAt(without, int64(first)); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	for i := range valid {
		valid[i] = without[i] == 0
	}
	return nil
}

// Close removes the files.
func (s *Voxels) Close() error {
	var err error
	for _, f := range []*os.File{s.values, s.mask} {
		if f != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	return err
}
