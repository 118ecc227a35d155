package volume

import "testing"

// turned lists the corner letters of an axial picture, from the top left clockwise, after
// gestures: what stands at the left, right, top and bottom.
func TestTurnedLetters(t *testing.T) {
	g := NewGeometry([3]int{4, 3, 2}, [3]float64{0.5, 0.75, 3})
	across, down := func(t Turn) Turn { return t.Mirror(true) }, func(t Turn) Turn { return t.Mirror(false) }
	for what, c := range map[string]struct {
		steps []func(Turn) Turn
		want  [4]string
		turn  Turn
	}{
		"nothing":                   {nil, [4]string{"R", "L", "A", "P"}, Turn{}},
		"across":                    {[]func(Turn) Turn{across}, [4]string{"L", "R", "A", "P"}, Turn{Mirrored: true}},
		"down":                      {[]func(Turn) Turn{down}, [4]string{"R", "L", "P", "A"}, Turn{Mirrored: true, Quarters: 2}},
		"across and down":           {[]func(Turn) Turn{across, down}, [4]string{"L", "R", "P", "A"}, Turn{Quarters: 2}},
		"across twice":              {[]func(Turn) Turn{across, across}, [4]string{"R", "L", "A", "P"}, Turn{}},
		"clockwise":                 {[]func(Turn) Turn{Turn.Clockwise}, [4]string{"P", "A", "R", "L"}, Turn{Quarters: 1}},
		"clockwise, across":         {[]func(Turn) Turn{Turn.Clockwise, across}, [4]string{"A", "P", "R", "L"}, Turn{Mirrored: true, Quarters: 3}},
		"clockwise, down":           {[]func(Turn) Turn{Turn.Clockwise, down}, [4]string{"P", "A", "L", "R"}, Turn{Mirrored: true, Quarters: 1}},
		"across, clockwise":         {[]func(Turn) Turn{across, Turn.Clockwise}, [4]string{"P", "A", "L", "R"}, Turn{Mirrored: true, Quarters: 1}},
		"clockwise four times":      {[]func(Turn) Turn{Turn.Clockwise, Turn.Clockwise, Turn.Clockwise, Turn.Clockwise}, [4]string{"R", "L", "A", "P"}, Turn{}},
		"clockwise thrice and down": {[]func(Turn) Turn{Turn.Clockwise, Turn.Clockwise, Turn.Clockwise, down}, [4]string{"A", "P", "R", "L"}, Turn{Mirrored: true, Quarters: 3}},
	} {
		var turn Turn
		for _, step := range c.steps {
			turn = step(turn)
		}
		if got := g.View(Axial).Turned(turn); got.Letters != c.want || turn != c.turn {
			t.Errorf("%s: letters %v by %+v, want %v by %+v", what, got.Letters, turn, c.want, c.turn)
		}
	}
}

// A picture that is turned shows the same voxels, at places that its letters name; points
// move with them, and back, and a part of the volume is cut alike.
func TestTurnedPictures(t *testing.T) {
	for _, a := range acquisitions {
		v := New(a.g)
		for i := range v.Data {
			v.Data[i] = float32(i)
		}
		for p := Axial; p <= Sagittal; p++ {
			plain := a.g.View(p)
			for k := range 8 {
				turn := Turn{Mirrored: k >= 4, Quarters: k % 4}
				w := plain.Turned(turn)
				values := w.Extract(nil, v, 1)
				for row := range w.Size[1] {
					for col := range w.Size[0] {
						voxel := w.Voxel(col, row, 1)
						if got := values[row*w.Size[0]+col]; got != v.Data[a.g.Index(voxel[0], voxel[1], voxel[2])] {
							t.Fatalf("%s, %v, %+v: (%d, %d) shows %g", a.name, p, turn, col, row, got)
						}
						c, r, index := plain.Locate(voxel)
						at := w.To(plain, [2]float64{float64(col) + 0.25, float64(row)})
						back := plain.To(w, at)
						if index != 1 || back != [2]float64{float64(col) + 0.25, float64(row)} || max(at[0]-float64(c), float64(c)-at[0], at[1]-float64(r), float64(r)-at[1]) != 0.25 {
							t.Fatalf("%s, %v, %+v: (%d, %d) lies at %v of the plain view and back at %v; want (%d, %d)", a.name, p, turn, col, row, at, back, c, r)
						}
					}
				}
				// The letter at the right names the way along a row.
				step := w.Slice(a.g, 1).Affine.Column(0)
				if got := directionLetters(step.Unit()); got != w.Letters[1] {
					t.Errorf("%s, %v, %+v: a row runs to %s, its letter is %s", a.name, p, turn, got, w.Letters[1])
				}
				if step.Norm() != w.Pixel[0] {
					t.Errorf("%s, %v, %+v: pixels are %g apart, want %g", a.name, p, turn, w.Pixel[0], step.Norm())
				}
				part := v.Crop(w.Region(1))
				for i, x := range w.Of(part.Geometry).Extract(nil, part, 0) {
					if x != values[i] {
						t.Fatalf("%s, %v, %+v: the part shows %g in the place of %g", a.name, p, turn, x, values[i])
					}
				}
			}
		}
	}
}
