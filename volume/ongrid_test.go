package volume_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"quell/volume"
)

// ramp fills a volume with a linear function of the position in the patient, which trilinear
// interpolation reproduces.
func ramp(g volume.Geometry) *volume.Volume {
	v := volume.New(g)
	for z := range g.Dims[2] {
		for y := range g.Dims[1] {
			for x := range g.Dims[0] {
				v.Data[g.Index(x, y, z)] = rampAt(g.Affine.Apply(float64(x), float64(y), float64(z)))
			}
		}
	}
	return v
}

func rampAt(p volume.Vec) float32 { return float32(3*p[0] - 2*p[1] + 5*p[2]) }

// turned returns a grid around a centre with axes that are turned by two angles, which no axis of
// the patient is parallel to.
func turned(dims [3]int, spacing [3]float64, centre volume.Vec, a, b float64) volume.Geometry {
	axes := [3]volume.Vec{
		{math.Cos(a), math.Sin(a), 0},
		{-math.Sin(a) * math.Cos(b), math.Cos(a) * math.Cos(b), math.Sin(b)},
		{math.Sin(a) * math.Sin(b), -math.Cos(a) * math.Sin(b), math.Cos(b)},
	}
	g := volume.Geometry{Dims: dims, Spacing: spacing}
	origin := centre
	for c := range 3 {
		g.Affine.SetColumn(c, axes[c].Scale(spacing[c]))
		origin = origin.Sub(axes[c].Scale(spacing[c] * float64(dims[c]-1) / 2))
	}
	g.Affine.SetColumn(3, origin)
	return g
}

func moved(g volume.Geometry, by volume.Vec) volume.Geometry {
	g.Affine.SetColumn(3, g.Affine.Column(3).Add(by))
	return g
}

// flipped returns the same places counted from the other end of an axis.
func flipped(g volume.Geometry, axis int) volume.Geometry {
	step := g.Affine.Column(axis)
	g.Affine.SetColumn(3, g.Affine.Column(3).Add(step.Scale(float64(g.Dims[axis]-1))))
	g.Affine.SetColumn(axis, step.Scale(-1))
	return g
}

// Values of a linear function are those of the position, whatever the grids; outside is padding.
func TestOnGridFollowsPositions(t *testing.T) {
	open := moved(volume.NewGeometry([3]int{12, 10, 8}, [3]float64{1, 1.5, 3}), volume.Vec{-5, 4, 20})
	centre := open.Affine.Apply(5.5, 4.5, 3.5)
	for name, c := range map[string]struct {
		other   volume.Geometry
		padding int // voxels of open outside other; -1: as many as there are
	}{
		"3 mm along z":      {moved(open, volume.Vec{0, 0, 3}), 12 * 10},
		"3 mm down":         {moved(open, volume.Vec{0, 0, -3}), 12 * 10},
		"just within":       {moved(open, volume.Vec{0, 0, 1.4999}), 0},
		"just outside":      {moved(open, volume.Vec{0, 0, 1.5001}), 12 * 10},
		"flipped x":         {flipped(open, 0), 0},
		"flipped y and z":   {flipped(flipped(open, 1), 2), 0},
		"finer":             {turned([3]int{48, 60, 48}, [3]float64{0.5, 0.5, 0.75}, centre, 0, 0), 0},
		"coarser":           {turned([3]int{8, 8, 8}, [3]float64{4, 5, 7}, centre, 0, 0), 0},
		"oblique":           {turned([3]int{40, 40, 40}, [3]float64{1.1, 0.9, 1.3}, centre, 0.4, -0.7), 0},
		"oblique and small": {turned([3]int{6, 6, 6}, [3]float64{1.1, 0.9, 1.3}, centre, 0.4, -0.7), -1},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := ramp(c.other).OnGrid(t.Context(), open)
			if err != nil {
				t.Fatal(err)
			}
			if err := out.Validate(); err != nil || out.Geometry != open {
				t.Fatalf("%v, %+v", err, out.Geometry)
			}
			inv, _ := c.other.Affine.Inverse()
			padding := 0
			for i, got := range out.Data {
				p := open.Affine.Apply(float64(i%12), float64(i/12%10), float64(i/120))
				at := inv.Apply(p[0], p[1], p[2])
				inside, centred := true, true
				for axis := range 3 {
					inside = inside && at[axis] > -0.5 && at[axis] < float64(c.other.Dims[axis])-0.5
					centred = centred && at[axis] > -1e-9 && at[axis] < float64(c.other.Dims[axis])-1+1e-9
				}
				switch {
				case out.Valid(i) != inside:
					t.Fatalf("voxel %d at %v is valid: %v", i, at, out.Valid(i))
				case !inside:
					padding++
				case centred && math.Abs(float64(got-rampAt(p))) > 1e-4:
					t.Fatalf("voxel %d is %g, want %g", i, got, rampAt(p))
				case !centred && math.Abs(float64(got-rampAt(p))) > 5*1.5001+3*0.56+2*0.76: // the outermost value
					t.Fatalf("voxel %d beyond the centres is %g at a place with %g", i, got, rampAt(p))
				}
			}
			if c.padding >= 0 && padding != c.padding {
				t.Errorf("%d voxels are padding, want %d", padding, c.padding)
			}
			if (out.Mask == nil) != (padding == 0) {
				t.Errorf("mask %v with %d voxels of padding", out.Mask != nil, padding)
			}
			if within, err := open.Within(c.other); err != nil || within != len(out.Data)-padding {
				t.Errorf("%d voxels lie within, want %d; %v", within, len(out.Data)-padding, err)
			}
		})
	}
}

// Voxels at the same places keep their bits; halfway between two the value is their mean.
func TestOnGridKeepsValues(t *testing.T) {
	g := turned([3]int{5, 4, 3}, [3]float64{0.7, 0.7, 2.5}, volume.Vec{10, 20, 30}, 0.2, 0.1)
	v := volume.New(g)
	for i := range v.Data {
		v.Data[i] = float32(math.Sin(float64(i*i))) * 1000
	}
	v.Unit, v.Modality = "HU", "CT"
	same, err := v.OnGrid(t.Context(), flipped(g, 1))
	if err != nil || same.Unit != "HU" || same.Modality != "CT" || same.Mask != nil {
		t.Fatalf("%v, %+v", err, same)
	}
	for z := range 3 {
		for y := range 4 {
			for x := range 5 {
				if same.At(x, y, z) != v.At(x, 3-y, z) {
					t.Fatalf("voxel %d, %d, %d changed", x, y, z)
				}
			}
		}
	}
	half := moved(g, g.Affine.Column(2).Scale(0.5))
	between, err := v.OnGrid(t.Context(), half)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := between.At(2, 1, 0), (v.At(2, 1, 0)+v.At(2, 1, 1))/2; math.Abs(float64(got-want)) > 1e-3 {
		t.Errorf("halfway: %g, want %g", got, want)
	}
}

// A value that would take padding is padding, and its place has the smallest value of the others.
func TestOnGridKeepsPadding(t *testing.T) {
	g := volume.NewGeometry([3]int{4, 1, 1}, [3]float64{1, 1, 1})
	v := volume.New(g)
	copy(v.Data, []float32{5, -900, 7, 9})
	v.Mask = []bool{true, false, true, true}
	out, err := v.OnGrid(t.Context(), moved(g, volume.Vec{0.25, 0, 0}))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		value float32
		valid bool
	}{{5, false}, {5, false}, {7.5, true}, {9, true}} {
		if out.Data[i] != want.value || out.Valid(i) != want.valid {
			t.Errorf("voxel %d is %g, valid %v; want %+v", i, out.Data[i], out.Valid(i), want)
		}
	}
}

func TestOnGridFarApart(t *testing.T) {
	g := volume.NewGeometry([3]int{4, 4, 4}, [3]float64{1, 1, 1})
	for by, want := range map[float64]int{3.4: 16, 3.6: 0, 100: 0} {
		if n, err := g.Within(moved(g, volume.Vec{by, 0, 0})); err != nil || n != want {
			t.Errorf("%g mm apart: %d voxels, want %d; %v", by, n, want, err)
		}
	}
	flat := g
	flat.Affine.SetColumn(2, flat.Affine.Column(1))
	if _, err := g.Within(flat); err == nil {
		t.Error("a flat grid is taken")
	}
	if _, err := volume.New(flat).OnGrid(t.Context(), g); err == nil {
		t.Error("a volume on a flat grid is taken")
	}
}

func TestOnGridIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := volume.NewGeometry([3]int{4, 4, 4}, [3]float64{1, 1, 1})
	if out, err := volume.New(g).OnGrid(ctx, g); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("%v, %v", out, err)
	}
}
