package derive

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"slices"
	"strconv"

	"quell/internal/parallel"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/spool"
	"quell/volume"
)

// Voxels are the voxels of a volume, which come some slices at a time, and the properties of all of them that decide its
// files. Since the UIDs follow from all, files are made when all are there.
type Voxels struct {
	*spool.Voxels
	unit  string
	sum   hash.Hash
	scale *scale // nil if the files have that of their source
}

// scale holds the properties of the voxels that decide how they are stored, and which are masked.
type scale struct {
	lo, hi    float32 // of the voxels that have a value
	found     bool    // there are any
	fractions bool    // not all are whole numbers
	mask      hash.Hash
}

// NewVoxels returns none of the voxels on a grid. dir is where they wait for the last. fresh says that they have no
// DICOM source, from whose files to take the scale.
func NewVoxels(dir string, grid volume.Geometry, fresh bool) *Voxels {
	v := &Voxels{Voxels: spool.New(dir, grid), sum: sha256.New()}
	if fresh {
		v.scale = new(scale)
	}
	return v
}

// Add takes the next slices, which must be finite; see [spool.Voxels.Add].
func (v *Voxels) Add(ctx context.Context, part *volume.Volume) error {
	if err := v.Check(part); err != nil {
		return fmt.Errorf("dicom: the voxels cannot be written: %w", err)
	}
	if err := hashVoxels(ctx, v.sum, part); err != nil {
		return err
	}
	if v.scale != nil {
		if err := v.scale.add(ctx, part, v.Grid(), v.Added()); err != nil {
			return err
		}
	}
	v.unit = part.Unit
	return v.Voxels.Add(part)
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
		writeGrid(h, v.Grid())
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

// tileEdits keeps, of the private elements of a mosaic, those without which no reader finds
// the slices.
func (s *image) tileEdits() []part10.Edit {
	switch {
	case s.slices[0].Tiles == nil:
		return nil
	case s.slices[0].Tiles.UIH:
		return s.uihTiles()
	}
	return []part10.Edit{
		s.creator(part10.TagSiemensCSAImageHeader),
		part10.Set(s.Encoding, part10.TagSiemensCSAImageHeader, "OB", s.mosaicCSA()),
	}
}

// creator names the owner of the block in which a private attribute usually lies.
func (s *image) creator(t part10.Tag) part10.Edit {
	at, owner := part10.CreatorOf(t)
	return part10.Set(s.Encoding, at, "LO", []byte(owner))
}

// mosaicCSA returns a CSA header with what readers need to find the slices, and nothing
// else.
func (s *image) mosaicCSA() []byte {
	normal := s.slices[0].Normal()
	if n := len(s.slices); s.slices[n-1].Position.Sub(s.slices[0].Position).Dot(normal) < 0 {
		normal = normal.Scale(-1)
	}
	return instance.AppendMosaicCSA(nil, len(s.slices), normal)
}

// uihTiles returns the private elements that readers must have to find the slices.
func (s *image) uihTiles() []part10.Edit {
	var items []byte
	for _, h := range s.slices {
		position := part10.AppendElement(nil, s.Encoding, part10.TagImagePositionPatient, "DS", part10.Decimals(h.Position[0], h.Position[1], h.Position[2]))
		items = part10.AppendItem(items, s.Encoding, position)
	}
	return []part10.Edit{
		s.creator(part10.TagUIHFrameSequence),
		part10.Set(s.Encoding, part10.TagUIHTiles, "DS", strconv.AppendInt(nil, int64(len(s.slices)), 10)),
		part10.Set(s.Encoding, part10.TagUIHFrameSequence, "SQ", items),
	}
}
