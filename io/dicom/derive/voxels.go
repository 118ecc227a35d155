package derive

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"slices"

	"quell/internal/parallel"
	"quell/io/spool"
	"quell/volume"
)

// Voxels are the voxels of a volume, which come some slices at a time, and what of all of them
// decides its files. Since the UIDs follow from all, files are made when all are there: until then
// the voxels of a single part stay in its memory, and the voxels of several wait on the disk.
type Voxels struct {
	grid    volume.Geometry
	dir     string // of the spool
	added   int    // slices
	unit    string
	whole   *volume.Volume // the only part; nil if there are several
	waiting *spool.Voxels  // nil without
	sum     hash.Hash
	scale   *scale // nil if the files have the one of their source
}

// scale is what of the voxels decides how they are stored, and which are masked.
type scale struct {
	lo, hi    float32 // of the voxels that have a value
	found     bool    // there are any
	fractions bool    // not all are whole numbers
	mask      hash.Hash
}

// NewVoxels returns none of the voxels on a grid. dir is the folder in which they wait. fresh says that they
// have no DICOM source with files from which to take the scale.
func NewVoxels(dir string, grid volume.Geometry, fresh bool) *Voxels {
	v := &Voxels{grid: grid, dir: dir, sum: sha256.New()}
	if fresh {
		v.scale = new(scale)
	}
	return v
}

// Add takes the next slices, which must be finite. They may change after the next call of any method.
func (v *Voxels) Add(ctx context.Context, part *volume.Volume) error {
	if err := part.ValidateLayout(); err != nil {
		return fmt.Errorf("dicom: the voxels cannot be written: %w", err)
	}
	if d := part.Dims; d[0] != v.grid.Dims[0] || d[1] != v.grid.Dims[1] || v.added+d[2] > v.grid.Dims[2] {
		return fmt.Errorf("dicom: slices of %v voxels do not follow %d of %v", d, v.added, v.grid.Dims)
	}
	if err := hashVoxels(ctx, v.sum, part); err != nil {
		return err
	}
	if v.scale != nil {
		if err := v.scale.add(ctx, part, v.grid, v.added); err != nil {
			return err
		}
	}
	v.added, v.unit = v.added+part.Dims[2], part.Unit
	if part.Dims == v.grid.Dims {
		v.whole = part
		return nil
	}
	if v.waiting == nil {
		var err error
		if v.waiting, err = spool.New(v.dir); err != nil {
			return err
		}
	}
	return v.waiting.Add(part)
}

// Complete reports whether all voxels are there.
func (v *Voxels) Complete() bool { return v.added == v.grid.Dims[2] }

// Close drops the voxels.
func (v *Voxels) Close() error {
	v.whole = nil
	if v.waiting == nil {
		return nil
	}
	waiting := v.waiting
	v.waiting = nil
	return waiting.Close()
}

// plane returns slice z and which of its voxels have a value, nil for all.
func (v *Voxels) plane(z int) (values []float32, valid []bool, err error) {
	if v.whole != nil {
		return v.whole.Plane(z), v.whole.PlaneMask(z), nil
	}
	n := v.grid.SliceVoxels()
	values = make([]float32, n)
	if v.waiting.Masked() {
		valid = make([]bool, n)
	}
	return values, valid, v.waiting.Read(z*n, values, valid)
}

// add counts in the next slices, before which there are some of the volume on grid.
func (s *scale) add(ctx context.Context, part *volume.Volume, grid volume.Geometry, before int) error {
	if part.Mask != nil && s.mask == nil {
		s.mask = sha256.New()
		writeGrid(s.mask, grid)
		ones := slices.Repeat([]byte{1}, grid.SliceVoxels())
		for range before {
			s.mask.Write(ones)
		}
	}
	for z := 0; z < part.Dims[2] && s.mask != nil; z++ {
		b := slices.Repeat([]byte{1}, grid.SliceVoxels())
		for i, valid := range part.PlaneMask(z) {
			if !valid {
				b[i] = 0
			}
		}
		s.mask.Write(b)
	}
	s.fractions = s.fractions || !wholeValues(part)
	if part.Mask != nil && !slices.Contains(part.Mask, true) {
		return nil
	}
	lo, hi, err := part.Range(ctx)
	if !s.found {
		s.lo, s.hi, s.found = lo, hi, true
	}
	s.lo, s.hi = min(s.lo, lo), max(s.hi, hi)
	return err
}

// gridKey returns what besides the values decides how a volume is written: its affine and which voxels
// are masked.
func (v *Voxels) gridKey() []byte {
	h := v.scale.mask
	if h == nil {
		h = sha256.New()
		writeGrid(h, v.grid)
	}
	return h.Sum(nil)
}

func writeGrid(h hash.Hash, g volume.Geometry) {
	for _, row := range g.Affine {
		for _, x := range row {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
}

// wholeValues reports whether every valid voxel is a whole number.
func wholeValues(v *volume.Volume) bool {
	for i, x := range v.Data {
		if v.Valid(i) && float64(x) != math.Trunc(float64(x)) {
			return false
		}
	}
	return true
}

// hashVoxels adds the hashes of a volume's slices to sum: SHA-256 over the values of each, which must be
// finite, in parallel. Values are looked at when they were hashed, part by part: the slower of both waits
// for the memory, and the other finds them in the cache.
func hashVoxels(ctx context.Context, sum hash.Hash, v *volume.Volume) error {
	const part = 1 << 14 // voxels
	sums := make([][sha256.Size]byte, v.Dims[2])
	err := parallel.For(ctx, len(sums), func(z int) error {
		h := sha256.New()
		for values := range slices.Chunk(v.Plane(z), part) {
			b, _ := volume.LittleEndian(values)
			h.Write(b)
			if !volume.Finite(values) {
				return fmt.Errorf("dicom: the voxels cannot be written: %w", v.ValidatePlane(z))
			}
		}
		h.Sum(sums[z][:0])
		return nil
	})
	for _, s := range sums {
		sum.Write(s[:])
	}
	return err
}
