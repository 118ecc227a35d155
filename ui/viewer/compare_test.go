package viewer

import (
	"slices"
	"testing"

	"quell/volume"
)

// flat is a job of a 16 x 16 original of 10 and a result of 90 in a window of 0 to 100,
// drawn on 32 x 32 pixels.
func flat() Job {
	v := volume.New(volume.NewGeometry([3]int{16, 16, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 10
	}
	result := v.Clone()
	for i := range result.Data {
		result.Data[i] = 90
	}
	j := Job{Source: v, Result: result, View: v.View(volume.Axial), Zoom: 1, Window: volume.Window{Center: 50, Width: 100, Exact: true}}
	for role := range j.Panes {
		j.Panes[role] = Pane{Width: 32, Height: 32}
	}
	return j
}

// greys returns the greys of a row of the denoised pane.
func greys(j Job, y int) (out []int) {
	_, frames := (&Renderer{}).Render(j)
	for x := range 32 {
		out = append(out, int(frames[Denoised].Image.RGBAAt(x, y).R))
	}
	return out
}

const greyA, greyB = 26, 230 // of 10 and 90

func TestModesOfComparison(t *testing.T) {
	row := func(at func(x int) int) (out []int) {
		for x := range 32 {
			out = append(out, at(x))
		}
		return out
	}
	constant := func(g int) []int { return row(func(int) int { return g }) }
	left := func(n int) []int {
		return row(func(x int) int {
			if x < n {
				return greyA
			}
			return greyB
		})
	}
	for _, c := range []struct {
		name string
		set  Comparison
		want []int
	}{
		{"off", Comparison{Share: 0.5}, constant(greyB)},
		{"curtain", Comparison{Mode: Curtain, Share: 0.25}, left(8)},
		{"curtain, drawn to the left", Comparison{Mode: Curtain}, constant(greyB)},
		{"curtain, drawn to the right", Comparison{Mode: Curtain, Share: 1}, constant(greyA)},
		{"blink, first", Comparison{Mode: Blink, First: true}, constant(greyA)},
		{"blink, second", Comparison{Mode: Blink}, constant(greyB)},
		{"fade to a quarter", Comparison{Mode: Fade, Share: 0.25}, constant(77)}, // 10 + 80/4 = 30
		{"fade to A", Comparison{Mode: Fade}, constant(greyA)},
		{"fade to B", Comparison{Mode: Fade, Share: 1}, constant(greyB)},
	} {
		j := flat()
		j.Compare = c.set
		if got := greys(j, 5); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v; want %v", c.name, got, c.want)
		}
		j.Before = true
		if got := greys(j, 5); !slices.Equal(got, constant(greyA)) {
			t.Errorf("%s, while Space is held: %v; want side A", c.name, got)
		}
		j.Before, j.Result = false, nil
		if got := greys(j, 5); !slices.Equal(got, constant(greyA)) {
			t.Errorf("%s, without a result: %v; want side A", c.name, got)
		}
	}
}

// The squares of a checkerboard begin with A in the corner of the pane, wherever the
// picture lies, with a line between them.
func TestCheckerboard(t *testing.T) {
	j := flat()
	j.Compare.Mode = Checkerboard
	j.Pan = [2]float64{3, 0} // 6 pixels to the right
	_, frames := (&Renderer{}).Render(j)
	f := frames[Denoised]
	if CheckerSize(32, 32) != 4 || CheckerSize(32, 80) != 4 || CheckerSize(3, 3) != 1 || f.X0 != 6 {
		t.Fatalf("squares of %d, the picture begins at %d", CheckerSize(32, 32), f.X0)
	}
	for y := range 32 {
		for x := f.X0; x < 32; x++ {
			want := greyA
			if (x/4+y/4)%2 == 1 {
				want = greyB
			}
			if x%4 == 0 || y%4 == 0 {
				want = (want + 0x60) / 2
			}
			if got := int(f.Image.RGBAAt(x-f.X0, y).R); got != want {
				t.Fatalf("pixel (%d, %d) is %d; want %d", x, y, got, want)
			}
		}
	}
}

// A base takes the place of the original on side A; the kept picture of another slice is
// compared with its own side A.
func TestTheBaseIsSideA(t *testing.T) {
	j := flat()
	j.Base = j.Source.Clone()
	for i := range j.Base.Data {
		j.Base.Data[i] = 60
	}
	j.Compare = Comparison{Mode: Curtain, Share: 0.5}
	var r Renderer
	picture, frames := r.Render(j)
	if picture.Before[0] != 60 || picture.Residual[0] != -30 || picture.Base != j.Base || picture.FirstName() != "earlier run" {
		t.Errorf("side A is %g, the difference %g", picture.Before[0], picture.Residual[0])
	}
	if a, d := frames[Original].Image.RGBAAt(1, 1).R, frames[Denoised].Image.RGBAAt(1, 1).R; a != 153 || d != 153 {
		t.Errorf("the panes show %d and %d; want the base", a, d)
	}
	next := j
	next.Base, next.Result, next.Index, next.Last = nil, nil, 1, picture
	again, frames := r.Render(next)
	if again.Before[0] != 10 || again.FirstName() != "original" {
		t.Error("the base stays after it was removed")
	}
	if left, right := frames[Denoised].Image.RGBAAt(1, 1).R, frames[Denoised].Image.RGBAAt(30, 1).R; left != 153/dimming || right != greyB/dimming {
		t.Errorf("the kept picture shows %d and %d", left, right)
	}
}

func TestComparisonOfTheState(t *testing.T) {
	changes := 0
	s := New()
	s.Changed = func() { changes++ }
	s.Compare(Curtain)
	if got := s.Comparison(); got != (Comparison{Mode: Curtain, Share: 0.5}) || changes != 1 {
		t.Fatalf("%+v after %d changes", got, changes)
	}
	s.Alternate() // a curtain does not blink
	s.SetShare(0.5)
	if s.Comparison().First || changes != 1 {
		t.Error("what is set already was set again")
	}
	s.SetShare(0.7)
	s.Compare(Fade)
	if s.Comparison().Share != 0.7 {
		t.Error("another mode moves the divider")
	}
	for share, want := range map[float64]float64{-1: 0, 2: 1} {
		s.SetShare(share)
		if s.Comparison().Share != want {
			t.Errorf("a share of %g gives %g", share, s.Comparison().Share)
		}
		s.Compare(Curtain)
		if s.Comparison().Share != 0.5 {
			t.Errorf("a mode begins with a share of %g, which hides a side", s.Comparison().Share)
		}
		s.Compare(Fade)
	}
	s.Compare(Blink)
	s.Alternate()
	if !s.Comparison().First {
		t.Error("it does not blink")
	}
	s.Open(scene(), volume.Window{})
	if s.Comparison().Mode != Blink {
		t.Error("another series ends the comparison")
	}
	s.Compare(Blink)
	if got := s.Comparison(); got.Mode != Plain || got.First {
		t.Errorf("the same mode again gives %+v; want it off", got)
	}
}
