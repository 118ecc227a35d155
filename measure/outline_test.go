package measure

import (
	"math"
	"slices"
	"testing"

	"quell/volume"
)

func box(x0, y0, x1, y1 float64) Outline {
	return Outline{Shape: Box, Points: [][2]float64{{x0, y0}, {x1, y1}}}
}

func ellipse(x0, y0, x1, y1 float64) Outline {
	return Outline{Shape: Ellipse, Points: [][2]float64{{x0, y0}, {x1, y1}}}
}

func freehand(points ...[2]float64) Outline { return Outline{Shape: Freehand, Points: points} }

func TestPixelsOfABox(t *testing.T) {
	for _, c := range []struct {
		o    Outline
		want []int // in a picture of 5 x 4
	}{
		{box(0.5, 0.5, 3.5, 2.4), []int{6, 7, 8, 11, 12, 13}},
		{box(3.5, 2.4, 0.5, 0.5), []int{6, 7, 8, 11, 12, 13}}, // any two opposite corners
		{box(1, 1, 3, 2), []int{6, 7, 8, 11, 12, 13}},         // centres on the edge are inside
		{box(-9, -9, 0.2, 1.1), []int{0, 5}},                  // what lies outside is cut off
		{box(3.9, 2.9, 99, 99), []int{19}},
		{box(1.2, 2.3, 1.3, 2.4), []int{11}}, // no centre inside: the pixel it lies in
		{box(2, 2, 2, 2), []int{12}},
		{box(-3, 1, -2, 2), nil},
		{box(5, 1, 7, 2), nil},
		{box(1, -3, 2, -2), nil},
		{box(1, 4, 2, 6), nil},
		{box(-0.4, -0.4, -0.3, -0.3), []int{0}},
		{box(4.4, 3.4, 4.4, 3.4), []int{19}},
		{box(4.6, 3.4, 4.6, 3.4), nil},
		{box(4.4, 3.6, 4.4, 3.6), nil},
		{box(-0.6, 0, -0.6, 0), nil},
		{box(0, -0.6, 0, -0.6), nil},
		{Outline{Shape: Line, Points: [][2]float64{{0, 0}, {3, 3}}}, nil},
		{Outline{}, nil},
		{box(math.NaN(), 0, 1, 1), nil},
		{box(math.Inf(-1), 0, 1, 1), nil},
		{box(0, 0, 1, math.Inf(1)), nil},
	} {
		if got := c.o.Pixels(5, 4); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.o, got, c.want)
		}
	}
}

// An ellipse has the area of its formula and is symmetric; of 4 x 4 the corners are outside.
func TestPixelsOfAnEllipse(t *testing.T) {
	const w, h = 120, 80
	got := ellipse(4.5, 6.5, 104.5, 66.5).Pixels(w, h)
	if want := math.Pi * 50 * 30; math.Abs(float64(len(got))-want) > 0.01*want {
		t.Errorf("%d pixels, want about %.0f", len(got), want)
	}
	inside := map[int]bool{}
	for _, i := range got {
		inside[i] = true
	}
	for _, i := range got {
		x, y := i%w, i/w
		if !inside[y*w+109-x] || !inside[(73-y)*w+x] {
			t.Fatalf("(%d, %d) is inside, its mirror is not", x, y)
		}
	}
	if got := ellipse(-0.5, -0.5, 3.5, 3.5).Pixels(4, 4); len(got) != 12 || slices.Contains(got, 0) || slices.Contains(got, 15) {
		t.Errorf("of 4 x 4: %v", got)
	}
	if got := ellipse(0, 1, 3, 1).Pixels(4, 4); !slices.Equal(got, []int{4, 5, 6, 7}) {
		t.Errorf("a flat one: %v", got)
	}
}

func TestPixelsOfAFreehandShape(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Outline
		want []int // in a picture of 6 x 6
	}{
		{"a triangle", freehand([2]float64{0.5, 0.5}, [2]float64{4.6, 0.5}, [2]float64{0.5, 4.6}), []int{7, 8, 9, 10, 13, 14, 15, 19, 20, 25}},
		{"the other way round", freehand([2]float64{0.5, 4.6}, [2]float64{4.6, 0.5}, [2]float64{0.5, 0.5}), []int{7, 8, 9, 10, 13, 14, 15, 19, 20, 25}},
		{"a U", freehand([2]float64{0.5, 0.5}, [2]float64{1.5, 0.5}, [2]float64{1.5, 2.5}, [2]float64{3.5, 2.5}, [2]float64{3.5, 0.5},
			[2]float64{4.5, 0.5}, [2]float64{4.5, 3.5}, [2]float64{0.5, 3.5}), []int{7, 10, 13, 16, 19, 20, 21, 22}},
		{"corners on rows", freehand([2]float64{2, 0}, [2]float64{4, 2}, [2]float64{2, 4}, [2]float64{0, 2}), []int{2, 7, 8, 9, 12, 13, 14, 15, 16, 19, 20, 21}},
		{"crossing itself", freehand([2]float64{0, 0.5}, [2]float64{4, 4.5}, [2]float64{4, 0.5}, [2]float64{0, 4.5}), []int{6, 10, 12, 13, 15, 16, 18, 19, 21, 22, 24, 28}},
		{"a dot", freehand([2]float64{3.1, 3.2}), []int{21}},
	} {
		if got := c.o.Pixels(6, 6); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestArea(t *testing.T) {
	for _, c := range []struct {
		o    Outline
		want float64
	}{
		{box(1, 2, 4, 4), 6},
		{ellipse(1, 2, 4, 4), math.Pi / 4 * 6},
		{freehand([2]float64{0, 0}, [2]float64{4, 0}, [2]float64{0, 3}), 6},
		{freehand([2]float64{0, 3}, [2]float64{4, 0}, [2]float64{0, 0}), 6},
		{Outline{Shape: Line, Points: [][2]float64{{0, 0}, {3, 3}}}, 0},
	} {
		if got := c.o.Area(); !near(got, c.want, 1e-12) {
			t.Errorf("%v: %g, want %g", c.o, got, c.want)
		}
	}
}

// Distances and areas follow the axes of the voxels, also if they are not at right
// angles, as in the coronal slices of a tilted gantry.
func TestDistanceAndPixelArea(t *testing.T) {
	g := volume.NewGeometry([3]int{10, 10, 10}, [3]float64{0.5, 2, 3})
	if d := Distance(g, [3]float64{1, 1, 1}, [3]float64{7, 3, 1}); d != 5 {
		t.Errorf("%g mm, want 5", d)
	}
	if a := PixelArea(g); a != 1 {
		t.Errorf("a pixel has %g mm², want 1", a)
	}
	g.Affine.SetColumn(1, volume.Vec{1, 2, 0}) // sheared
	if d := Distance(g, [3]float64{}, [3]float64{0, 2, 0}); !near(d, math.Sqrt(20), 1e-12) {
		t.Errorf("%g mm, want %g", d, math.Sqrt(20))
	}
	if a := PixelArea(g); !near(a, 1, 1e-12) {
		t.Errorf("a sheared pixel has %g mm², want 1", a)
	}
}
