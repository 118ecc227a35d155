package volume

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// tilted is a sheared, oblique, anisotropic grid.
func tilted() Geometry {
	return FromAffine([3]int{5, 4, 3}, Affine{
		{0.48, 0.05, 0.1, -120.5},
		{-0.04, 0.47, 0.6, 33.25},
		{0.02, -0.06, 2.9, 812},
	})
}

func TestAffineInverse(t *testing.T) {
	g := tilted()
	inv, err := g.Affine.Inverse()
	if err != nil {
		t.Fatal(err)
	}
	for _, idx := range [][3]float64{{0, 0, 0}, {4, 3, 2}, {1.5, -2, 0.25}} {
		p := g.Affine.Apply(idx[0], idx[1], idx[2])
		back := inv.Apply(p[0], p[1], p[2])
		for c := range back {
			if math.Abs(back[c]-idx[c]) > 1e-9 {
				t.Errorf("%v -> %v -> %v", idx, p, back)
			}
		}
	}
	if inv, err := NewGeometry([3]int{1, 1, 1}, [3]float64{1, 1, 1}).Affine.Inverse(); err != nil || inv != (Affine{{1}, {0, 1}, {0, 0, 1}}) {
		t.Errorf("the identity becomes %v, %v", inv, err)
	}
	for _, singular := range []Affine{{}, {{1, 2, 0, 0}, {2, 4, 0, 0}, {0, 0, 1, 0}}, {{math.NaN()}}, {{1e200}, {0, 1e200}, {0, 0, 1}}, {{-1e200}, {0, 1e200}, {0, 0, 1}}} {
		if _, err := singular.Inverse(); err == nil {
			t.Errorf("%v was inverted", singular)
		}
	}
}

func TestFlipXY(t *testing.T) {
	a := tilted().Affine
	f := a.FlipXY()
	lps, ras := a.Apply(1, 2, 1), f.Apply(1, 2, 1)
	if ras != (Vec{-lps[0], -lps[1], lps[2]}) {
		t.Errorf("%v becomes %v", lps, ras)
	}
	if f.FlipXY() != a {
		t.Error("flipping twice does not give the affine back")
	}
}

func TestFromAffineSpacing(t *testing.T) {
	g := tilted()
	for c, want := range [3]float64{math.Sqrt(0.2324), math.Sqrt(0.227), math.Sqrt(8.78)} {
		if math.Abs(g.Spacing[c]-want) > 1e-12 {
			t.Errorf("spacing %d is %v, want %v", c, g.Spacing[c], want)
		}
	}
	if n := NewGeometry([3]int{1, 1, 1}, [3]float64{2, 3, 4}); n.Affine.Det() != 24 || n.Normal() != (Vec{0, 0, 1}) {
		t.Errorf("det %v, normal %v", n.Affine.Det(), n.Normal())
	}
}

func TestGeometryValidate(t *testing.T) {
	if err := tilted().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Geometry){
		"no slices":        func(g *Geometry) { g.Dims[2] = 0 },
		"negative":         func(g *Geometry) { g.Dims[0] = -4 },
		"overflow":         func(g *Geometry) { g.Dims = [3]int{math.MaxInt, math.MaxInt, 2} },
		"too many":         func(g *Geometry) { g.Dims = [3]int{1 << 13, 1 << 13, 1 << 13} },
		"zero spacing":     func(g *Geometry) { g.Spacing[1] = 0 },
		"NaN spacing":      func(g *Geometry) { g.Spacing[1] = math.NaN() },
		"infinite spacing": func(g *Geometry) { g.Spacing[1] = math.Inf(1) },
		"infinite affine":  func(g *Geometry) { g.Affine[2][0] = math.Inf(-1) },
		"NaN affine":       func(g *Geometry) { g.Affine[1][3] = math.NaN() },
	} {
		g := tilted()
		spoil(&g)
		if g.Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestSameGrid(t *testing.T) {
	a, b := tilted(), tilted()
	b.Affine[0][3] += 0.009
	if !a.SameGrid(b, 0.01) || a.SameGrid(b, 0.008) {
		t.Error("a shift of 0.009 mm: want the same within 0.01 and not within 0.008")
	}
	b = tilted()
	b.Affine[2][2] += 0.01 // two slices on, 0.02 mm
	if a.SameGrid(b, 0.015) {
		t.Error("a stretched grid passes because its first corner agrees")
	}
	b = tilted()
	b.Dims[0]++
	if a.SameGrid(b, 100) {
		t.Error("grids of different dims are the same")
	}
	b = tilted()
	b.Affine[0][0] = math.NaN()
	if a.SameGrid(b, 1) {
		t.Error("NaN passes")
	}
}

// A stretch along any axis and in any direction moves a corner.
func TestSameGridLooksAtEveryCorner(t *testing.T) {
	a := tilted()
	for c := range 3 {
		for r := range 3 {
			b := tilted()
			b.Affine[r][c] += 0.01
			moved := 0.01 * float64(a.Dims[c]-1)
			if a.SameGrid(b, 0.99*moved) || !a.SameGrid(b, 1.01*moved) {
				t.Errorf("column %d stretched along axis %d: the last corner moves by %v mm", c, r, moved)
			}
		}
	}
	cube := NewGeometry([3]int{3, 3, 3}, [3]float64{1, 1, 1})
	for c := range 3 { // stretched along one axis and shrunk along the next: the last corner stays
		skewed := cube
		skewed.Affine[0][c] += 0.1
		skewed.Affine[0][(c+1)%3] -= 0.1
		if cube.SameGrid(skewed, 0.19) || !cube.SameGrid(skewed, 0.21) {
			t.Errorf("stretched along %d, shrunk along %d: a corner moves by 0.2 mm", c, (c+1)%3)
		}
	}
	b := NewGeometry([3]int{2, 2, 2}, [3]float64{1, 1, 1})
	for corner := range 8 { // the one corner that is more than 1 mm off: the others are 0.8 mm off or less
		off := b
		off.Affine[1][3] += 1.2
		for c := range 3 {
			step := -0.4
			if corner>>c&1 == 1 {
				step = 0.4
				off.Affine[1][3] -= 0.4
			}
			off.Affine[1][c] += step
		}
		if b.SameGrid(off, 1.1) || !b.SameGrid(off, 1.3) {
			t.Errorf("corner %d is 1.2 mm off", corner)
		}
	}
	shifted := b
	shifted.Affine[0][3] = 0.5
	if !b.SameGrid(shifted, 0.5) {
		t.Error("a shift of exactly the tolerance is not the same grid")
	}
}

func TestValidateNamesTheAxis(t *testing.T) {
	for c, axis := range []string{"along x", "along y", "along z"} {
		none, flat := tilted(), tilted()
		none.Dims[c], flat.Spacing[c] = 0, 0
		for _, g := range []Geometry{none, flat} {
			if err := g.Validate(); err == nil || !strings.Contains(err.Error(), axis) {
				t.Errorf("%v: error %v, want %q", g, err, axis)
			}
		}
	}
	most := NewGeometry([3]int{1 << 12, 1 << 12, 1 << 12}, [3]float64{1, 1, 1})
	if err := most.Validate(); err != nil {
		t.Errorf("exactly MaxVoxels: %v", err)
	}
	most.Dims[2]++
	if most.Validate() == nil {
		t.Error("more than MaxVoxels were accepted")
	}
	for _, dims := range [][3]int{{MaxVoxels + 1, 1, 1}, {2, MaxVoxels, 3}} {
		most.Dims = dims
		if err := most.Validate(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d x %d x %d voxels", dims[0], dims[1], dims[2])) {
			t.Errorf("more than MaxVoxels along one axis: %v", err)
		}
	}
}

func TestCropKeepsPositions(t *testing.T) {
	g := tilted()
	c := g.Crop(Region{Min: [3]int{1, 2, 1}, Max: [3]int{4, 4, 3}})
	if c.Dims != [3]int{3, 2, 2} || c.Spacing != g.Spacing {
		t.Errorf("dims %v, spacing %v", c.Dims, c.Spacing)
	}
	if d := c.Affine.Apply(2, 1, 1).Sub(g.Affine.Apply(3, 3, 2)).Norm(); d > 1e-12 {
		t.Errorf("the same voxel lies %v mm apart", d)
	}
}

func TestUnit(t *testing.T) {
	if (Vec{}).Unit() != (Vec{}) {
		t.Error("a zero vector gained a direction")
	}
	if u := (Vec{3, 0, -4}).Unit(); u.Sub(Vec{0.6, 0, -0.8}).Norm() > 1e-15 {
		t.Errorf("unit %v", u)
	}
}

func TestVec(t *testing.T) {
	a, b := Vec{1, 2, 3}, Vec{4, 6, 9}
	if a.Add(b) != (Vec{5, 8, 12}) || b.Sub(a) != (Vec{3, 4, 6}) || a.Scale(-2) != (Vec{-2, -4, -6}) {
		t.Errorf("sum %v, difference %v, multiple %v", a.Add(b), b.Sub(a), a.Scale(-2))
	}
	if a.Dot(b) != 43 || a.Cross(b) != (Vec{0, 3, -2}) || (Vec{2, 3, 6}).Norm() != 7 {
		t.Errorf("dot %v, cross %v, norm %v", a.Dot(b), a.Cross(b), (Vec{2, 3, 6}).Norm())
	}
}
