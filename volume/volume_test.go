package volume

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// counted returns a volume in which every voxel is its own index.
func counted(g Geometry) *Volume {
	v := New(g)
	for i := range v.Data {
		v.Data[i] = float32(i)
	}
	return v
}

func TestIndexOrder(t *testing.T) {
	v := counted(tilted())
	if v.At(1, 0, 0) != 1 || v.At(0, 1, 0) != 5 || v.At(0, 0, 1) != 20 || v.At(4, 3, 2) != 59 {
		t.Error("x must run fastest, then y, then z")
	}
	if p := v.Plane(2); len(p) != 20 || p[0] != 40 || cap(p) != 20 {
		t.Errorf("plane 2 starts at %v with %d values and room for %d", p[0], len(p), cap(p))
	}
}

func TestCropAndClone(t *testing.T) {
	v := counted(tilted())
	v.Unit = "HU"
	v.Mask = make([]bool, len(v.Data))
	v.Mask[v.Index(2, 3, 1)] = true
	r := Region{Min: [3]int{1, 2, 1}, Max: [3]int{4, 4, 3}}
	c := v.Crop(r)
	if c.Unit != "HU" || c.Validate() != nil {
		t.Fatalf("unit %q, %v", c.Unit, c.Validate())
	}
	for z := range 2 {
		for y := range 2 {
			for x := range 3 {
				if c.At(x, y, z) != v.At(x+1, y+2, z+1) {
					t.Fatalf("voxel %d %d %d: %v", x, y, z, c.At(x, y, z))
				}
				if c.Valid(c.Index(x, y, z)) != (x == 1 && y == 1 && z == 0) {
					t.Fatalf("mask at %d %d %d", x, y, z)
				}
			}
		}
	}
	k := v.Clone()
	k.Data[0], k.Mask[0] = 99, true
	if v.Data[0] == 99 || v.Mask[0] {
		t.Error("a clone shares memory")
	}
	if p := v.PlaneMask(1); len(p) != 20 || !p[3*5+2] {
		t.Error("PlaneMask(1) is not the mask of slice 1")
	}
}

func TestRange(t *testing.T) {
	v := counted(tilted())
	v.Data[10], v.Data[11] = -500, 4000
	if lo, hi, err := v.Range(t.Context()); err != nil || lo != -500 || hi != 4000 {
		t.Errorf("range %v to %v", lo, hi)
	}
	v.Mask = make([]bool, len(v.Data))
	if lo, hi, err := v.Range(t.Context()); err != nil || lo != 0 || hi != 0 {
		t.Errorf("range of padding %v to %v", lo, hi)
	}
	v.Mask[3], v.Mask[4] = true, true
	if lo, hi, err := v.Range(t.Context()); err != nil || lo != 3 || hi != 4 {
		t.Errorf("range of two valid voxels %v to %v", lo, hi)
	}
}

func TestRangeOfConstantVolume(t *testing.T) {
	v := New(NewGeometry([3]int{rangeBlock - 1, 1, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 5
	}
	if lo, hi, err := v.Range(t.Context()); lo != 5 || hi != 5 || err != nil {
		t.Errorf("range %v to %v, %v; want 5 to 5", lo, hi, err)
	}
}

// The extremes are found in every block, at its first and last voxel.
func TestRangeOfManyBlocks(t *testing.T) {
	v := New(NewGeometry([3]int{rangeBlock, 2, 1}, [3]float64{1, 1, 1}))
	v.Data = append(v.Data, 0, 0, 0) // a last block of three voxels
	for _, at := range []int{0, rangeBlock - 1, rangeBlock, 2*rangeBlock - 1, 2 * rangeBlock, 2*rangeBlock + 2} {
		v.Data[at] = -7
		lo, hi, err := v.Range(t.Context())
		if v.Data[at] = 7; lo != -7 || hi != 0 || err != nil {
			t.Errorf("voxel %d is -7: range %v to %v, %v", at, lo, hi, err)
		}
		lo, hi, err = v.Range(t.Context())
		if v.Data[at] = 0; lo != 0 || hi != 7 || err != nil {
			t.Errorf("voxel %d is 7: range %v to %v, %v", at, lo, hi, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if lo, hi, err := v.Range(ctx); lo != 0 || hi != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v to %v, %v", lo, hi, err)
	}
}

func TestVolumeValidate(t *testing.T) {
	for name, spoil := range map[string]func(*Volume){
		"NaN":        func(v *Volume) { v.Data[5] = float32(math.NaN()) },
		"infinity":   func(v *Volume) { v.Data[5] = float32(math.Inf(-1)) },
		"short data": func(v *Volume) { v.Data = v.Data[1:] },
		"short mask": func(v *Volume) { v.Mask = make([]bool, 3) },
		"no dims":    func(v *Volume) { v.Dims[1] = 0 },
		"no spacing": func(v *Volume) { v.Spacing[1] = 0 },
		"long data":  func(v *Volume) { v.Data = append(v.Data, 0) },
	} {
		v := counted(tilted())
		spoil(v)
		if v.Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestValidatePlane(t *testing.T) {
	v := counted(tilted())
	at := v.Index(2, 3, 1)
	v.Data[at] = float32(math.NaN())
	for z := range v.Dims[2] {
		err := v.ValidatePlane(z)
		if z != 1 && err != nil || z == 1 && (err == nil || err.Error() != fmt.Sprintf("volume: voxel %d is NaN", at)) {
			t.Errorf("slice %d: %v", z, err)
		}
	}
}

func TestNewRefusesBrokenGeometry(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a geometry without voxels was allocated")
		}
	}()
	New(Geometry{})
}

func TestRegion(t *testing.T) {
	g := tilted()
	r := Slices(g, 1, 3)
	if r.Voxels() != 40 || r.Dims() != [3]int{5, 4, 2} || r.Validate(g) != nil {
		t.Errorf("slices 1 to 3: %v", r)
	}
	if g.Bounds().Voxels() != g.Voxels() {
		t.Error("the bounds do not hold every voxel")
	}
	grown := Region{Min: [3]int{1, 1, 1}, Max: [3]int{2, 2, 2}}.Grow([3]int{1, 9, 0}, g)
	if want := (Region{Min: [3]int{0, 0, 1}, Max: [3]int{3, 4, 2}}); grown != want {
		t.Errorf("grown %v, want %v", grown, want)
	}
	if moved := r.Offset([3]int{0, 0, 1}); moved.Min != [3]int{} || moved.Dims() != r.Dims() {
		t.Errorf("moved %v", moved)
	}
	for _, bad := range []Region{{}, Slices(g, 2, 1), Slices(g, 0, 4), {Min: [3]int{-1, 0, 0}, Max: [3]int{1, 1, 1}}} {
		if bad.Validate(g) == nil {
			t.Errorf("%v accepted", bad)
		}
	}
	if err := Slices(g, 0, 4).Validate(g); err == nil || !strings.Contains(err.Error(), "[0 0 0]-[5 4 4] reaches outside [5 4 3]") {
		t.Errorf("one slice too many: %v", err)
	}
	if err := Slices(g, 2, 1).Validate(g); err == nil || !strings.Contains(err.Error(), "[0 0 2]-[5 4 1] is empty") {
		t.Errorf("an empty region: %v", err)
	}
	if n := (Region{Min: [3]int{2, 2, 2}, Max: [3]int{0, 0, 5}}).Voxels(); n != 0 {
		t.Errorf("a region with Max below Min has %d voxels", n)
	}
}

// A volume without a mask has none in its planes, copies and parts.
func TestVolumeWithoutMask(t *testing.T) {
	v := counted(tilted())
	c := v.Crop(Region{Max: [3]int{2, 2, 2}})
	if v.PlaneMask(1) != nil || v.Clone().Mask != nil || c.Mask != nil {
		t.Errorf("masks %v, %v, %v", v.PlaneMask(1), v.Clone().Mask, c.Mask)
	}
	for _, v := range []*Volume{v, v.Clone(), c} {
		if err := v.Validate(); err != nil || !v.Valid(0) {
			t.Errorf("%v, valid %v", err, v.Valid(0))
		}
	}
	v.Mask = make([]bool, len(v.Data))
	v.Mask[v.SliceVoxels()] = true
	if p := v.PlaneMask(1); !p[0] || len(p) != v.SliceVoxels() || cap(p) != len(p) {
		t.Errorf("the mask of slice 1 is %v", p)
	}
	if err := v.Validate(); err != nil {
		t.Error(err)
	}
}
