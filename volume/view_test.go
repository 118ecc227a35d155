package volume

import (
	"math"
	"slices"
	"testing"
)

// oriented returns a grid of 4 x 3 x 2 voxels with axes that point as given.
func oriented(x, y, z Vec) Geometry {
	g := NewGeometry([3]int{4, 3, 2}, [3]float64{0.5, 0.75, 3})
	for c, d := range []Vec{x, y, z} {
		g.Affine.SetColumn(c, d.Scale(g.Spacing[c]))
	}
	g.Affine.SetColumn(3, Vec{-10, 20, 30})
	return g
}

var (
	left      = Vec{1, 0, 0}
	posterior = Vec{0, 1, 0}
	head      = Vec{0, 0, 1}
	right     = left.Scale(-1)
	anterior  = posterior.Scale(-1)
	foot      = head.Scale(-1)
)

var acquisitions = []struct {
	name     string
	g        Geometry
	acquired Plane
}{
	{"axial", oriented(left, posterior, head), Axial},
	{"axial, feet last", oriented(left, posterior, foot), Axial},
	{"axial, prone", oriented(right, anterior, head), Axial},
	{"coronal", oriented(left, foot, posterior), Coronal},
	{"sagittal", oriented(posterior, foot, right), Sagittal},
	{"RAS sagittal", oriented(anterior, head, left), Sagittal},
	{"RAS axial", oriented(right, anterior, head), Axial},
}

// TestViewIsRadiological checks, for each acquisition and plane, the direction
// in which the patient position moves along the screen.
func TestViewIsRadiological(t *testing.T) {
	screen := map[Plane][3]Vec{
		Axial:    {left, posterior, head},
		Coronal:  {left, foot, posterior},
		Sagittal: {posterior, foot, right},
	}
	letters := map[Plane][4]string{
		Axial:    {"R", "L", "A", "P"},
		Coronal:  {"R", "L", "H", "F"},
		Sagittal: {"A", "P", "H", "F"},
	}
	for _, a := range acquisitions {
		if got := a.g.Acquired(); got != a.acquired {
			t.Errorf("%s: acquired plane %v, want %v", a.name, got, a.acquired)
		}
		for plane, want := range screen {
			w := a.g.View(plane)
			at := func(col, row, index int) Vec {
				v := w.Voxel(col, row, index)
				return a.g.Affine.Apply(float64(v[0]), float64(v[1]), float64(v[2]))
			}
			o := at(0, 0, 0)
			steps := [3]Vec{at(1, 0, 0).Sub(o), at(0, 1, 0).Sub(o), at(0, 0, 1).Sub(o)}
			lengths := [3]float64{w.Pixel[0], w.Pixel[1], w.Step}
			for s := range steps {
				if steps[s].Sub(want[s].Scale(lengths[s])).Norm() > 1e-12 {
					t.Errorf("%s, %v: step %d of the screen moves %v mm, want %v x %v", a.name, plane, s, steps[s], lengths[s], want[s])
				}
			}
			if w.Letters != letters[plane] {
				t.Errorf("%s, %v: letters %q, want %q", a.name, plane, w.Letters, letters[plane])
			}
		}
	}
}

func TestAcquiredViewCountsLikeTheSeries(t *testing.T) {
	// The three standard acquisitions, slices along x cross y: number on the
	// screen and number in the series agree.
	for _, g := range []Geometry{
		oriented(left, posterior, head), oriented(left, foot, posterior), oriented(posterior, foot, right),
	} {
		if w := g.View(g.Acquired()); w.Flip != [3]bool{} || w.Axis != [3]int{0, 1, 2} {
			t.Errorf("acquired view %v of %v is not the series' own order", w, g.Affine)
		}
	}
}

func TestLocateInvertsVoxel(t *testing.T) {
	for _, a := range acquisitions {
		for p := Axial; p <= Sagittal; p++ {
			w := a.g.View(p)
			seen := map[[3]int]bool{}
			for index := range w.Size[2] {
				for row := range w.Size[1] {
					for col := range w.Size[0] {
						v := w.Voxel(col, row, index)
						seen[v] = true
						if c, r, i := w.Locate(v); c != col || r != row || i != index {
							t.Fatalf("%s %v: (%d %d %d) -> %v -> (%d %d %d)", a.name, p, col, row, index, v, c, r, i)
						}
						if reg := w.Region(index); v[w.Axis[2]] != reg.Min[w.Axis[2]] || reg.Validate(a.g) != nil {
							t.Fatalf("%s %v: region %v of slice %d does not hold %v", a.name, p, reg, index, v)
						}
					}
				}
			}
			if len(seen) != a.g.Voxels() {
				t.Errorf("%s %v shows %d of %d voxels", a.name, p, len(seen), a.g.Voxels())
			}
		}
	}
}

func TestObliqueLetters(t *testing.T) {
	// A gantry tilted by 20 degrees: the image's y axis leans towards the feet.
	s, c := math.Sincos(20 * math.Pi / 180)
	w := oriented(left, Vec{0, c, -s}, head).View(Axial)
	if want := [4]string{"R", "L", "AH", "PF"}; w.Letters != want {
		t.Errorf("letters %q, want %q", w.Letters, want)
	}
	// Five degrees are usual for the position of a head.
	s, c = math.Sincos(5 * math.Pi / 180)
	w = oriented(left, Vec{0, c, -s}, head).View(Axial)
	if want := [4]string{"R", "L", "A", "P"}; w.Letters != want {
		t.Errorf("letters %q, want %q", w.Letters, want)
	}
	if got := directionLetters(Vec{-0.4, 0.6, 0.7}.Unit()); got != "HPR" {
		t.Errorf("letters %q, want HPR", got)
	}
}

// At exactly 45 degrees two assignments of the axes match equally well; rounding must
// not choose between them.
func TestViewAt45Degrees(t *testing.T) {
	for _, noise := range []float64{-1e-9, 0, 1e-9} {
		g := FromAffine([3]int{4, 3, 2}, Affine{{1, -1 - noise, 0, 0}, {1 + noise, 1, 0, 0}, {0, 0, 1, 0}})
		if w := g.View(Axial); w.Axis != [3]int{0, 1, 2} {
			t.Errorf("noise %g: axes %v", noise, w.Axis)
		}
	}
}

// The letters of both edges hold the same components, whichever way the voxel axis runs.
func TestLettersOfFlippedAxes(t *testing.T) {
	for sign, want := range map[float64][4]string{1: {"R", "L", "A", "P"}, -1: {"R", "L", "A", "P"}} {
		x := Vec{math.Sqrt(1 - 0.15*0.15), 0.15, 0}.Scale(sign)
		y := Vec{0, math.Sqrt(1 - 0.15*0.15), 0.15}.Scale(sign)
		w := oriented(x, y, head).View(Axial)
		if w.Letters != want || w.Flip != [3]bool{sign < 0, sign < 0, false} {
			t.Errorf("sign %g: letters %q, flip %v; want %q", sign, w.Letters, w.Flip, want)
		}
	}
}

// TestEveryOrderOfAxes: each voxel axis is found along each patient axis.
func TestEveryOrderOfAxes(t *testing.T) {
	unit := [3]Vec{left, posterior, head}
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} { // the voxel axis of every patient axis
		var dirs [3]Vec
		for p, a := range order {
			dirs[a] = unit[p]
		}
		g := oriented(dirs[0], dirs[1], dirs[2])
		if w := g.View(Axial); w.Axis != order {
			t.Errorf("axial view has the axes %v, want %v", w.Axis, order)
		}
		if w := g.View(Sagittal); w.Axis != [3]int{order[1], order[2], order[0]} {
			t.Errorf("sagittal view has the axes %v of %v", w.Axis, order)
		}
	}
}

func TestDirectionLetters(t *testing.T) {
	for _, c := range []struct {
		direction Vec
		want      string
	}{
		{Vec{0.2, 0, -0.9797958971132712}, "FL"}, // exactly the smallest component that gets a letter
		{Vec{0.1999, 0, -0.98}, "F"},
		{Vec{-0.5, -0.5, 0.5}, "RAH"}, // of equal components x comes first
		{Vec{0, 1, 0}, "P"},
	} {
		if got := directionLetters(c.direction); got != c.want {
			t.Errorf("%v is %q, want %q", c.direction, got, c.want)
		}
	}
}

func TestViewOfBrokenAffines(t *testing.T) {
	nan := math.NaN()
	broken := []Affine{
		{},
		{{nan, nan, nan, nan}, {nan, nan, nan, nan}, {nan, nan, nan, nan}},
		{{1, 1, 1, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, // all axes alike
		{{math.Inf(1), 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}},
	}
	for _, a := range broken {
		g := NewGeometry([3]int{2, 3, 4}, [3]float64{1, 1, 1})
		g.Affine = a
		axes := map[int]bool{}
		for p := Axial; p <= Sagittal; p++ {
			w := g.View(p)
			axes[w.Axis[2]] = true
			if got := w.Size[0] * w.Size[1] * w.Size[2]; got != 24 {
				t.Errorf("%v, %v: %d voxels shown, want 24", a, p, got)
			}
		}
		if len(axes) != 3 {
			t.Errorf("%v: the three planes do not cut along three axes", a)
		}
		if w := g.View(Axial); w.Flip != [3]bool{} {
			t.Errorf("%v: an axis without a direction is flipped: %v", a, w.Flip)
		}
	}
	if w := NewGeometry([3]int{2, 3, 4}, [3]float64{1, 1, 1}).View(Plane(9)); w.Plane != Axial {
		t.Errorf("an unknown plane gives %v, want axial", w.Plane)
	}
	if w := NewGeometry([3]int{2, 3, 4}, [3]float64{1, 1, 1}).View(Plane(-1)); w.Plane != Axial {
		t.Errorf("a negative plane gives %v, want axial", w.Plane)
	}
	for p, want := range map[Plane][4]string{Axial: {"R", "L", "A", "P"}, Coronal: {"R", "L", "H", "F"}, Sagittal: {"A", "P", "H", "F"}} {
		w := Geometry{Dims: [3]int{2, 3, 4}}.View(p)
		if w.Letters != want {
			t.Errorf("%v without directions: letters %q, want those of the axes, %q", p, w.Letters, want)
		}
	}
	for p, want := range map[Plane]string{Axial: "axial", Coronal: "coronal", Sagittal: "sagittal", Plane(9): "unknown plane"} {
		if p.String() != want {
			t.Errorf("plane %d is called %q, want %q", p, p, want)
		}
	}
}

func TestExtract(t *testing.T) {
	narrow := oriented(left, posterior, head)
	narrow.Dims = [3]int{2, 3, 4} // a column is two voxels from the next, as a row is
	all := append(slices.Clone(acquisitions), acquisitions[0])
	all[len(acquisitions)].g = narrow
	for _, a := range all {
		v := New(a.g)
		v.Mask = make([]bool, len(v.Data))
		for i := range v.Data {
			v.Data[i] = float32(i)
			v.Mask[i] = i%3 != 0
		}
		for p := Axial; p <= Sagittal; p++ {
			w := v.View(p)
			for index := range w.Size[2] {
				got, mask := w.Extract(nil, v, index), w.ExtractMask(nil, v, index)
				for row := range w.Size[1] {
					for col := range w.Size[0] {
						vox := w.Voxel(col, row, index)
						i := v.Index(vox[0], vox[1], vox[2])
						if k := row*w.Size[0] + col; got[k] != v.Data[i] || mask[k] != v.Mask[i] {
							t.Fatalf("%s %v slice %d (%d, %d): %v, want %v", a.name, p, index, col, row, got[k], v.Data[i])
						}
					}
				}
				part := v.Crop(w.Region(index))
				if again := part.View(p).Extract(nil, part, 0); !slices.Equal(got, again) {
					t.Fatalf("%s %v: slice %d of the volume and its region's picture differ", a.name, p, index)
				}
			}
		}
	}
}

func TestExtractReusesMemory(t *testing.T) {
	v := New(oriented(left, posterior, head))
	w := v.View(Coronal)
	buf := make([]float32, 0, w.Size[0]*w.Size[1])
	if n := testing.AllocsPerRun(10, func() { buf = w.Extract(buf, v, 1) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
	for _, n := range []int{7, 8, 100} {
		if got := w.Extract(make([]float32, n), v, 1); len(got) != 8 || (n >= 8) != (cap(got) == n) {
			t.Errorf("memory of %d gives %d values with room for %d", n, len(got), cap(got))
		}
	}
	if w.ExtractMask(nil, v, 0) != nil {
		t.Error("a volume without a mask gives one")
	}
}

func BenchmarkExtract512(b *testing.B) {
	v := New(NewGeometry([3]int{512, 512, 64}, [3]float64{1, 1, 1}))
	for p := Axial; p <= Sagittal; p++ {
		w := v.View(p)
		var buf []float32
		b.Run(p.String(), func(b *testing.B) {
			for b.Loop() {
				buf = w.Extract(buf, v, w.Size[2]/2)
			}
		})
	}
}

// The geometry of a slice puts each pixel at the place of its voxel, in every plane and
// if axes are flipped and sheared.
func TestSliceGeometry(t *testing.T) {
	g := NewGeometry([3]int{4, 5, 6}, [3]float64{0.5, 2, 3})
	g.Affine = g.Affine.FlipXY()
	g.Affine[1][2] = 1 // a tilted gantry
	for p := Axial; p <= Sagittal; p++ {
		w := g.View(p)
		s := w.Slice(g, 3)
		if s.Dims != [3]int{w.Size[0], w.Size[1], 1} || s.Spacing != [3]float64{w.Pixel[0], w.Pixel[1], w.Step} {
			t.Errorf("%s: dims %v, spacing %v", p, s.Dims, s.Spacing)
		}
		for _, at := range [][3]int{{0, 0, 0}, {3, 1, 0}, {1, 3, 0}, {2, 2, 1}} {
			v := w.Voxel(at[0], at[1], 3+at[2])
			want := g.Affine.Apply(float64(v[0]), float64(v[1]), float64(v[2]))
			if got := s.Affine.Apply(float64(at[0]), float64(at[1]), float64(at[2])); got.Sub(want).Norm() > 1e-12 {
				t.Errorf("%s: pixel %v lies at %v, want %v", p, at, got, want)
			}
		}
	}
}
