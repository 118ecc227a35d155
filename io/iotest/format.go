package iotest

import (
	"context"
	"io/fs"
	"math"
	"math/rand/v2"

	"quell/series"
	"quell/volume"
)

// Format is a reader and a writer under test.
type Format struct {
	// Write writes v to the path dir/name: a file, or a folder of files.
	Write func(ctx context.Context, dir, name string, v *volume.Volume) error
	// Read reads back what Write wrote, from a file system rooted at dir.
	Read func(ctx context.Context, fsys fs.FS, name string) (*series.Series, error)
	// Ext is appended to every name, such as ".nii.gz"; "" if Write makes a folder.
	Ext string
	// Grids lists the grids that the format can represent.
	Grids []Grid
	// Tolerance is the largest error of a voxel as a fraction of the volume's range.
	// Whole numbers that fit 16 bits must be exact in any case.
	Tolerance float64
	// Position is the largest error of a voxel's position in mm.
	Position float64
	// Mask says that the format keeps the mask.
	Mask bool
	// Unit says that the format keeps the unit, which is HU in every test.
	Unit bool
}

// Grid is the orientation of a volume in the patient.
type Grid string

// The grids.
const (
	Axial      Grid = "axial"       // x to the left, y to the back, z to the head
	Analyze    Grid = "analyze"     // x to the left, y to the front, z to the head: left-handed
	Sagittal   Grid = "sagittal"    // x to the back, y to the feet, z to the left
	Oblique    Grid = "oblique"     // rotated about all three axes
	LeftHanded Grid = "left-handed" // oblique, the last axis reversed
	Sheared    Grid = "sheared"     // gantry tilt: slices shifted against each other
)

// geometry returns the grid with given dims, anisotropic spacing and an origin far from
// zero.
func (g Grid) geometry(dims [3]int) volume.Geometry {
	x, y, z := volume.Vec{1, 0, 0}, volume.Vec{0, 1, 0}, volume.Vec{0, 0, 1}
	switch g {
	case Analyze:
		y = volume.Vec{0, -1, 0}
	case Sagittal:
		x, y, z = volume.Vec{0, 1, 0}, volume.Vec{0, 0, -1}, volume.Vec{-1, 0, 0}
	case Oblique, LeftHanded:
		x, y, z = rotate(x), rotate(y), rotate(z)
		if g == LeftHanded {
			z = z.Scale(-1)
		}
	case Sheared:
		const tilt = 18.5 * math.Pi / 180
		y = volume.Vec{0, math.Cos(tilt), -math.Sin(tilt)}
	}
	var a volume.Affine
	a.SetColumn(0, x.Scale(0.75))
	a.SetColumn(1, y.Scale(0.875))
	a.SetColumn(2, z.Scale(2.5))
	a.SetColumn(3, volume.Vec{-120.25, 85.5, -310.75})
	if g == Analyze {
		// The origin of an Analyze file is a whole voxel near the volume, or its
		// middle.
		for c := range 3 {
			a[c][3] = -a[c][c] * float64(dims[c]-1) / 2
		}
	}
	return volume.FromAffine(dims, a)
}

// rotate rotates a vector by fixed angles about z, then y, then x.
func rotate(v volume.Vec) volume.Vec {
	for _, turn := range []struct {
		a, b  int
		angle float64
	}{{0, 1, 0.3}, {2, 0, -0.2}, {1, 2, 0.45}} {
		s, c := math.Sincos(turn.angle)
		v[turn.a], v[turn.b] = c*v[turn.a]-s*v[turn.b], s*v[turn.a]+c*v[turn.b]
	}
	return v
}

// content is the kind of values in a test volume.
type content string

const (
	whole    content = "whole"    // whole numbers from -1024 to 3071, as CT has
	fraction content = "fraction" // of both signs, with fractional digits
	large    content = "large"    // around a million, differing by thousands
	constant content = "constant"
	zero     content = "zero"
)

// fill returns a volume on g. The same arguments give the same volume.
func (c content) fill(g volume.Geometry) *volume.Volume {
	v := volume.New(g)
	v.Unit = "HU"
	rng := rand.New(rand.NewPCG(uint64(len(v.Data)), uint64(len(c))))
	for i := range v.Data {
		switch c {
		case whole:
			v.Data[i] = float32(rng.IntN(4096) - 1024)
		case fraction:
			v.Data[i] = float32(rng.NormFloat64() * 37.7)
		case large:
			v.Data[i] = 1e6 + float32(rng.NormFloat64()*5e3)
		case constant:
			v.Data[i] = 41
		}
	}
	return v
}
