// Package spool holds the voxels of a volume that come some slices at a time, for writers that have
// to know all of them before they write the first.
package spool

import (
	"errors"
	"fmt"
	"io"
	"os"

	"quell/volume"
)

// VoxelBytes is the most that a voxel takes on the disk: a float32, and whether it has a value.
const VoxelBytes = 5

// Voxels are the slices of a volume that were added so far. A single part of all slices stays in its own
// memory; others are on the disk, in files that Close removes. Part may be called from several
// goroutines, but not along with Add.
type Voxels struct {
	grid   volume.Geometry
	dir    string
	added  int            // slices
	whole  *volume.Volume // nil on the disk
	values *os.File       // nil before the first part
	mask   *os.File       // 1 for a voxel without a value, and no byte for the last ones that have one; nil if all have
}

// New returns none of the voxels of a volume on a grid. Their files will be in the folder dir.
func New(dir string, grid volume.Geometry) *Voxels { return &Voxels{grid: grid, dir: dir} }

// Grid returns the grid of the volume.
func (s *Voxels) Grid() volume.Geometry { return s.grid }

// Added returns how many slices were added.
func (s *Voxels) Added() int { return s.added }

// Complete reports whether all slices were added.
func (s *Voxels) Complete() bool { return s.added == s.grid.Dims[2] }

// Check returns why part cannot be the next slices, nil if it can. It looks at no values.
func (s *Voxels) Check(part *volume.Volume) error {
	if err := part.ValidateLayout(); err != nil {
		return err
	}
	if d := part.Dims; d[0] != s.grid.Dims[0] || d[1] != s.grid.Dims[1] || s.added+d[2] > s.grid.Dims[2] {
		return fmt.Errorf("slices of %v voxels do not follow %d of %v", d, s.added, s.grid.Dims)
	}
	return nil
}

// Add appends the next slices. If they are all, they must not change before Close.
func (s *Voxels) Add(part *volume.Volume) error {
	if err := s.Check(part); err != nil {
		return err
	}
	if part.Dims[2] == s.grid.Dims[2] {
		s.whole, s.added = part, part.Dims[2]
		return nil
	}
	b, _ := volume.LittleEndian(part.Data)
	if err := s.write(&s.values, b, 4); err != nil {
		return err
	}
	if part.Mask != nil {
		without := make([]byte, len(part.Mask))
		for i, valid := range part.Mask {
			if !valid {
				without[i] = 1
			}
		}
		if err := s.write(&s.mask, without, 1); err != nil {
			return err
		}
	}
	s.added += part.Dims[2]
	return nil
}

// write writes the next slices, of so many bytes a voxel, to a file, which it makes first.
func (s *Voxels) write(f **os.File, b []byte, size int) (err error) {
	if *f == nil {
		if *f, err = os.CreateTemp(s.dir, ".voxels-*"); err != nil {
			return err
		}
	}
	_, err = (*f).WriteAt(b, int64(s.added)*int64(s.grid.SliceVoxels())*int64(size))
	return err
}

// Part returns the slices from <= z < to, which were added. The mask is nil if no part had one.
func (s *Voxels) Part(from, to int) (*volume.Volume, error) {
	v := &volume.Volume{Geometry: s.grid.Crop(volume.Slices(s.grid, from, to))}
	n := s.grid.SliceVoxels()
	if s.whole != nil {
		v.Data, v.Unit, v.Modality = s.whole.Data[from*n:to*n], s.whole.Unit, s.whole.Modality
		if s.whole.Mask != nil {
			v.Mask = s.whole.Mask[from*n : to*n]
		}
		return v, nil
	}
	v.Data = make([]float32, (to-from)*n)
	if err := volume.ReadLittleEndian(s.values, 4*int64(from)*int64(n), v.Data); err != nil {
		return nil, err
	}
	if s.mask == nil {
		return v, nil
	}
	without := make([]byte, len(v.Data))
	if _, err := s.mask.ReadAt(without, int64(from)*int64(n)); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = without[i] == 0
	}
	return v, nil
}

// Close drops the voxels.
func (s *Voxels) Close() error {
	var err error
	for _, f := range []*os.File{s.values, s.mask} {
		if f != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	s.whole, s.values, s.mask = nil, nil, nil
	return err
}
