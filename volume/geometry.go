package volume

import (
	"errors"
	"math"

	"quell/internal/message"
)

// MaxVoxels bounds the voxels of one volume: four bytes each must stay
// addressable, and a header that claims more is damaged.
const MaxVoxels = 1 << 36

// Vec is a point or a direction in patient space: LPS+, mm.
type Vec [3]float64

// Sub returns a - b.
func (a Vec) Sub(b Vec) Vec { return Vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Add returns a + b.
func (a Vec) Add(b Vec) Vec { return Vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// Scale returns s * a.
func (a Vec) Scale(s float64) Vec { return Vec{s * a[0], s * a[1], s * a[2]} }

// Dot returns the scalar product.
func (a Vec) Dot(b Vec) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Cross returns the vector product a x b.
func (a Vec) Cross(b Vec) Vec {
	return Vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Norm returns the Euclidean length.
func (a Vec) Norm() float64 { return math.Sqrt(a.Dot(a)) }

// Unit returns a scaled to length one; a zero vector is returned as it is.
func (a Vec) Unit() Vec {
	n := a.Norm()
	if n == 0 {
		return a
	}
	return a.Scale(1 / n)
}

// Affine maps a voxel index (i, j, k), at voxel centres, to a patient position:
// row r of the result is A[r][0]*i + A[r][1]*j + A[r][2]*k + A[r][3].
type Affine [3][4]float64

// Apply maps a (possibly fractional) voxel index to LPS+ mm.
func (a Affine) Apply(i, j, k float64) Vec {
	var p Vec
	for r := range p {
		p[r] = a[r][0]*i + a[r][1]*j + a[r][2]*k + a[r][3]
	}
	return p
}

// Column returns the step in mm that one voxel along axis c (0 x, 1 y, 2 z)
// makes in patient space; column 3 is the position of voxel (0, 0, 0).
func (a Affine) Column(c int) Vec { return Vec{a[0][c], a[1][c], a[2][c]} }

// SetColumn is the inverse of Column.
func (a *Affine) SetColumn(c int, v Vec) {
	for r := range v {
		a[r][c] = v[r]
	}
}

// Det returns the determinant of the 3 x 3 part: the signed volume of a voxel.
func (a Affine) Det() float64 {
	return a.Column(0).Dot(a.Column(1).Cross(a.Column(2)))
}

// Inverse maps patient positions back to voxel indices. It fails when the
// columns do not span space.
func (a Affine) Inverse() (Affine, error) {
	det := a.Det()
	if det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return Affine{}, errors.New("volume: affine cannot be inverted")
	}
	// The rows of the inverse are the cross products of the columns over det.
	x, y, z := a.Column(0), a.Column(1), a.Column(2)
	rows := [3]Vec{y.Cross(z), z.Cross(x), x.Cross(y)}
	var inv Affine
	t := a.Column(3)
	for r, row := range rows {
		row = row.Scale(1 / det)
		copy(inv[r][:3], row[:])
		inv[r][3] = -row.Dot(t)
	}
	return inv, nil
}

// FlipXY exchanges LPS+ and RAS+ (the negation of the first two rows): NIfTI
// stores RAS+, Quell holds LPS+. It is its own inverse.
func (a Affine) FlipXY() Affine {
	for r := range 2 {
		for c := range a[r] {
			a[r][c] = -a[r][c]
		}
	}
	return a
}

// Geometry is a regular grid of voxels and its place in the patient.
type Geometry struct {
	Dims    [3]int     // nx, ny, nz
	Spacing [3]float64 // mm between voxel centres along each axis, all > 0
	Affine  Affine     // voxel index to LPS+ mm; its columns may be sheared (gantry tilt)
}

// NewGeometry returns an axis-aligned geometry with voxel (0, 0, 0) at the
// origin: x to the left, y to posterior, z to head.
func NewGeometry(dims [3]int, spacing [3]float64) Geometry {
	g := Geometry{Dims: dims, Spacing: spacing}
	for c := range 3 {
		g.Affine[c][c] = spacing[c]
	}
	return g
}

// FromAffine returns the geometry with a spacing that is the length of the affine's
// columns.
func FromAffine(dims [3]int, a Affine) Geometry {
	g := Geometry{Dims: dims, Affine: a}
	for c := range 3 {
		g.Spacing[c] = a.Column(c).Norm()
	}
	return g
}

// Voxels returns nx * ny * nz.
func (g Geometry) Voxels() int { return g.Dims[0] * g.Dims[1] * g.Dims[2] }

// SliceVoxels returns nx * ny.
func (g Geometry) SliceVoxels() int { return g.Dims[0] * g.Dims[1] }

// Index returns the position of voxel (x, y, z) in Volume.Data.
func (g Geometry) Index(x, y, z int) int { return (z*g.Dims[1]+y)*g.Dims[0] + x }

// Bounds returns the region that holds every voxel.
func (g Geometry) Bounds() Region { return Region{Max: g.Dims} }

// Normal returns the unit slice normal, x axis cross y axis.
func (g Geometry) Normal() Vec { return g.Affine.Column(0).Cross(g.Affine.Column(1)).Unit() }

// Validate returns an error that names the first unusable value of the geometry.
func (g Geometry) Validate() error {
	n := 1
	for c, d := range g.Dims {
		if d < 1 {
			return message.Errorf(message.InputDamaged, "%d voxels along %c; at least 1 is needed", d, 'x'+rune(c))
		}
		if d > MaxVoxels/n {
			return message.Errorf(message.InputDamaged, "%d x %d x %d voxels are more than can be held", g.Dims[0], g.Dims[1], g.Dims[2])
		}
		n *= d
		if !(g.Spacing[c] > 0) || math.IsInf(g.Spacing[c], 0) {
			return message.Errorf(message.InputDamaged, "spacing %g mm along %c; it must be positive", g.Spacing[c], 'x'+rune(c))
		}
	}
	for _, row := range g.Affine {
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return message.Errorf(message.InputDamaged, "the affine contains a value that is not finite")
			}
		}
	}
	return nil
}

// SameGrid reports whether two geometries have equal dims and positions within
// tol mm at every corner, so that voxels may be compared one by one.
func (g Geometry) SameGrid(o Geometry, tol float64) bool {
	return g.Dims == o.Dims && g.Apart(o) <= tol
}

// Apart returns the largest distance in mm between the voxels of one index at the corners of two
// geometries of equal dims; NaN if one is not finite.
func (g Geometry) Apart(o Geometry) float64 {
	var apart float64
	for corner := range 8 {
		var idx [3]float64
		for c := range idx {
			if corner>>c&1 == 1 {
				idx[c] = float64(g.Dims[c] - 1)
			}
		}
		d := g.Affine.Apply(idx[0], idx[1], idx[2]).Sub(o.Affine.Apply(idx[0], idx[1], idx[2]))
		apart = max(apart, d.Norm())
	}
	return apart
}

// Crop returns the geometry of a region: the same positions, new indices.
func (g Geometry) Crop(r Region) Geometry {
	origin := g.Affine.Apply(float64(r.Min[0]), float64(r.Min[1]), float64(r.Min[2]))
	g.Affine.SetColumn(3, origin)
	g.Dims = r.Dims()
	return g
}
